/*
 * handshake.c - our own login, and the sessions and visits that are opened with
 * it.
 */
#include "drivers/pgsql/handshake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/digest.h"
#include "base/minmax.h"
#include "base/parse.h"
#include "base/secret.h"
#include "db/env.h"
#include "drivers/pgsql/bytes.h"
#include "drivers/pgsql/session.h"
#include "drivers/pgsql/tls.h"
#include "drivers/wire/link.h"

enum {
  PROTOCOL = 3 << 16,
  PROTOCOL_CANCEL = (1234 << 16) | 5678,
  CANCEL_KEY = 8,
  REQUEST_OK = 0,
  REQUEST_PLAIN = 3,
  REQUEST_MD5 = 5,
  REQUEST_SASL = 10,
  REQUEST_SASL_CONTINUE = 11,
  REQUEST_SASL_FINAL = 12,
  MD5_SALT = 4,
  ERROR_MIN = 8,
  ERROR_MAX = 30000,
};

static const char mechanism_plain[] = "SCRAM-SHA-256",
                  mechanism_bound[] = "SCRAM-SHA-256-PLUS",
                  mechanism_token[] = "OAUTHBEARER";

static bool send_message(struct wire_buffer *out, uint8_t type, const void *a,
                         size_t a_len, const void *b, size_t b_len)
{
  uint8_t head[WIRE_HEAD];

  (void)put_u32(put_u8(head, type), (uint32_t)(4 + a_len + b_len));
  return wire_buffer_append(out, head, sizeof(head)) &&
         wire_buffer_append(out, a, a_len) && wire_buffer_append(out, b, b_len);
}

static bool handshake_append_setting(struct wire_buffer *out, const char *name,
                                     const char *value)
{
  return !value || !*value ||
         (wire_buffer_append(out, name, strlen(name) + 1) &&
          wire_buffer_append(out, value, strlen(value) + 1));
}

bool pgsql_handshake_begin(struct pgsql_handshake *g, struct wire_buffer *out)
{
  const size_t at = out->end;
  uint8_t head[8] = { 0 };

  (void)put_u32(head + 4, PROTOCOL);
  if (!wire_buffer_append(out, head, sizeof(head)) ||
      !handshake_append_setting(out, "user", g->who->user) ||
      !handshake_append_setting(out, "database", g->who->db) ||
      !handshake_append_setting(out, "options", g->who->options) ||
      !handshake_append_setting(out, "application_name", "bench") ||
      !wire_buffer_append(out, "", 1))
    return false;
  (void)put_u32(out->bytes + at, (uint32_t)(out->end - at));
  g->stage = HANDSHAKE_LOGIN;
  return true;
}

bool pgsql_handshake_ask(struct pgsql_handshake *g, const char *sql, size_t len,
                         struct wire_buffer *out)
{
  g->stage = HANDSHAKE_ANSWER;
  g->ready = false;
  g->total = 0;
  return send_message(out, 'Q', sql, len, "", 1);
}

bool pgsql_handshake_end(struct wire_buffer *out)
{
  return send_message(out, 'X', NULL, 0, NULL, 0);
}

static enum handshake_rc handshake_fail(struct pgsql_handshake *g,
                                        const char *why)
{
  (void)snprintf(g->text, sizeof(g->text), "%s\n", why);
  return HANDSHAKE_FAILED;
}

/* The library must not log in there either. */
static enum handshake_rc handshake_forged(struct pgsql_handshake *g,
                                          const char *why)
{
  g->forged = true;
  return handshake_fail(g, why);
}

static enum handshake_rc cannot(struct pgsql_handshake *g, const char *why)
{
  (void)snprintf(g->text, sizeof(g->text), "%s", why);
  return HANDSHAKE_CANNOT;
}

static enum handshake_rc handshake_no_memory(struct pgsql_handshake *g)
{
  return handshake_fail(g, "not enough memory");
}

static enum handshake_rc handshake_out_of_step(struct pgsql_handshake *g,
                                               uint8_t type)
{
  if (g->stage != HANDSHAKE_LOGIN)
    return handshake_fail(
      g, "the server sent a message that does not belong there");
  g->not_this = true;
  if (type < ' ' || type > '~')
    return handshake_fail(
      g, "expected authentication request from server, but received "
         "something else");
  (void)snprintf(g->text, sizeof(g->text),
                 "expected authentication request from server, but received "
                 "%c\n",
                 type);
  return HANDSHAKE_FAILED;
}

static void handshake_add_line(struct pgsql_handshake *g, const char *before,
                               const char *text)
{
  const size_t len = strlen(g->text);

  if (text)
    (void)snprintf(g->text + len, sizeof(g->text) - len, "%s:  %s\n", before,
                   text);
}

/* In libpq's form.  False: malformed. */
static bool handshake_note_error(struct pgsql_handshake *g, const uint8_t *body,
                                 size_t len)
{
  const uint8_t *const end = body + len;
  const char *severity = "FATAL", *text = "", *detail = NULL, *hint = NULL;

  if (g->refused)
    return true; /* the first one counts */
  for (const uint8_t *zero; body < end && *body != '\0'; body = zero + 1) {
    const char *const value = (const char *)body + 1;

    zero = memchr(body, '\0', (size_t)(end - body));
    if (!zero)
      return false;
    if (*body == 'S')
      severity = value;
    else if (*body == 'M')
      text = value;
    else if (*body == 'D')
      detail = value;
    else if (*body == 'H')
      hint = value;
    else if (*body == 'C' && strlen(value) == sizeof(g->state) - 1)
      memcpy(g->state, value, sizeof(g->state));
  }
  g->refused = true;
  g->text[0] = '\0';
  handshake_add_line(g, severity, text);
  handshake_add_line(g, "DETAIL", *g->refusal ? g->refusal : detail);
  handshake_add_line(g, "HINT", hint);
  return true;
}

static enum handshake_rc answer_md5(struct pgsql_handshake *g,
                                    const uint8_t *body, size_t len,
                                    struct wire_buffer *out)
{
  char answer[3 + MD5_DIGITS + 1] = "md5", first[MD5_DIGITS];
  const struct pgsql_handshake_who *w = g->who;

  if (len != MD5_SALT)
    return handshake_fail(g, "the server sent a salt of a wrong length");
  digest_md5_digits(w->password, strlen(w->password), w->user, strlen(w->user),
                    first);
  digest_md5_digits(first, sizeof(first), body, MD5_SALT, answer + 3);
  answer[3 + MD5_DIGITS] = '\0';
  g->stage = HANDSHAKE_LOGGED_IN;
  return send_message(out, 'p', answer, sizeof(answer), NULL, 0)
           ? HANDSHAKE_MORE
           : handshake_no_memory(g);
}

static enum handshake_rc answer_plain(struct pgsql_handshake *g,
                                      struct wire_buffer *out)
{
  const char *password = g->who->password;

  g->stage = HANDSHAKE_LOGGED_IN;
  return send_message(out, 'p', password, strlen(password) + 1, NULL, 0)
           ? HANDSHAKE_MORE
           : handshake_no_memory(g);
}

static bool handshake_is_listed(const char *name, const uint8_t *list,
                                size_t len)
{
  const uint8_t *const end = list + len;

  while (list < end && *list != '\0') {
    const uint8_t *const zero = memchr(list, '\0', (size_t)(end - list));

    if (!zero)
      return false;
    if (strcmp((const char *)list, name) == 0)
      return true;
    list = zero + 1;
  }
  return false;
}

/* RFC 7628.  Whoever sees the token can log in with it. */
static enum handshake_rc handshake_begin_token(struct pgsql_handshake *g,
                                               struct wire_buffer *out)
{
  static const char in_front[] = "n,,\1auth=Bearer ", behind[] = "\1\1";
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                "qrstuvwxyz0123456789-._~+/=";
  const char *token = g->who->password;
  const size_t n = strlen(token), front = sizeof(in_front) - 1;
  uint8_t head[sizeof(mechanism_token) + 4 + sizeof(in_front)];
  uint8_t *at = head + sizeof(mechanism_token);
  size_t from;

  if (!g->encrypted && !g->cleartext)
    return handshake_forged(g, "the server asks for a token, without TLS: use "
                               "--pgsql-sslmode=require, or allow it with "
                               "--pgsql-cleartext=on");
  if (token[strspn(token, letters)] != '\0')
    return handshake_forged(g,
                            "the server asks for a token, and the password has "
                            "characters that tokens cannot have");
  memcpy(head, mechanism_token, sizeof(mechanism_token));
  at = put_u32(at, (uint32_t)(front + n + 2));
  memcpy(at, in_front, front);
  from = out->end;
  g->stage = HANDSHAKE_TOKEN;
  if (!send_message(out, 'p', head, sizeof(mechanism_token) + 4 + front, token,
                    n) ||
      !wire_buffer_append(out, behind, 2))
    return handshake_no_memory(g);
  (void)put_u32(out->bytes + from + 1, (uint32_t)(out->end - from - 1));
  return HANDSHAKE_MORE;
}

/* An error follows our answer. */
static enum handshake_rc handshake_end_token(struct pgsql_handshake *g,
                                             const uint8_t *body, size_t len,
                                             struct wire_buffer *out)
{
  (void)snprintf(g->refusal, sizeof(g->refusal), "%.*s",
                 (int)min_u64(len, sizeof(g->refusal)), (const char *)body);
  for (char *c = g->refusal; *c; c++)
    *c = *c < ' ' || *c > '~' ? ' ' : *c;
  g->stage = HANDSHAKE_TOKEN_REFUSED;
  return send_message(out, 'p', "\1", 1, NULL, 0) ? HANDSHAKE_MORE
                                                  : handshake_no_memory(g);
}

static enum handshake_rc handshake_begin_scram(struct pgsql_handshake *g,
                                               const uint8_t *body, size_t len,
                                               struct wire_buffer *out)
{
  const bool offered = handshake_is_listed(mechanism_bound, body, len);
  const char *mechanism = offered ? mechanism_bound : mechanism_plain;
  const size_t size = strlen(mechanism) + 1;
  uint8_t head[sizeof(mechanism_bound) + 4];
  char nonce[SCRAM_NONCE + 1], first[SCRAM_ROOM];
  size_t n;

  if (!handshake_is_listed(mechanism, body, len))
    return handshake_is_listed(mechanism_token, body, len)
             ? handshake_begin_token(g, out)
             : cannot(g, "the server knows no SCRAM-SHA-256");
  if (offered && !g->encrypted)
    return handshake_forged(
      g, "server offered SCRAM-SHA-256-PLUS authentication over a "
         "non-SSL connection");
  if (offered && g->end_point_len == 0)
    return cannot(g, "the server's certificate has no hash to bind to");
  if (!scram_is_plain(g->who->password))
    return cannot(g, "the password has characters that are not ASCII");
  if (scram_nonce(nonce) < 0)
    return handshake_fail(g, "could not generate nonce");
  if (g->encrypted)
    scram_bind(&g->scram, g->end_point, offered ? g->end_point_len : 0);
  n = scram_begin(&g->scram, "", nonce, first);
  memcpy(head, mechanism, size);
  (void)put_u32(head + size, (uint32_t)n);
  g->stage = HANDSHAKE_SCRAM_FIRST;
  return send_message(out, 'p', head, size + 4, first, n)
           ? HANDSHAKE_MORE
           : handshake_no_memory(g);
}

static enum handshake_rc handshake_go_on_with_scram(struct pgsql_handshake *g,
                                                    const uint8_t *body,
                                                    size_t len,
                                                    struct wire_buffer *out)
{
  char answer[SCRAM_ROOM], why[256];
  const size_t n = scram_answer(&g->scram, g->keys, g->who->password,
                                (const char *)body, len, g->until_ns, answer,
                                why, sizeof(why));

  if (n == 0)
    return *why ? handshake_forged(g, why) : HANDSHAKE_LATE;
  g->stage = HANDSHAKE_SCRAM_LAST;
  return send_message(out, 'p', answer, n, NULL, 0) ? HANDSHAKE_MORE
                                                    : handshake_no_memory(g);
}

static enum handshake_rc handshake_end_scram(struct pgsql_handshake *g,
                                             const uint8_t *body, size_t len)
{
  if (!scram_is_right(&g->scram, (const char *)body, len))
    return handshake_forged(g, "incorrect server signature");
  g->stage = HANDSHAKE_LOGGED_IN;
  return HANDSHAKE_MORE;
}

static enum handshake_rc handshake_take_request(struct pgsql_handshake *g,
                                                const uint8_t *body, size_t len,
                                                struct wire_buffer *out)
{
  const bool first = g->stage == HANDSHAKE_LOGIN;
  uint32_t kind;

  if (len < 4)
    return handshake_fail(g, "the server sent a request that is too short");
  kind = get_u32(body);
  body += 4;
  len -= 4;
  if (kind == REQUEST_OK && (first || g->stage == HANDSHAKE_TOKEN ||
                             g->stage == HANDSHAKE_LOGGED_IN)) {
    g->stage = HANDSHAKE_SETTINGS;
    return HANDSHAKE_MORE;
  }
  if (kind == REQUEST_SASL_CONTINUE && g->stage == HANDSHAKE_SCRAM_FIRST)
    return handshake_go_on_with_scram(g, body, len, out);
  if (kind == REQUEST_SASL_CONTINUE && g->stage == HANDSHAKE_TOKEN)
    return handshake_end_token(g, body, len, out);
  if (kind == REQUEST_SASL_FINAL && g->stage == HANDSHAKE_SCRAM_LAST)
    return handshake_end_scram(g, body, len);
  if (!first)
    return handshake_forged(g, "the server has left out a step of the login");
  if (kind == REQUEST_PLAIN && !g->encrypted)
    return cannot(g, "the server asks for the password in plain text");
  if (kind != REQUEST_PLAIN && kind != REQUEST_MD5 && kind != REQUEST_SASL)
    return cannot(g, "the server asks for another kind of login");
  if (!g->who->password || !*g->who->password)
    return cannot(g, "the password is not among the options, and only libpq "
                     "looks for it in files");
  if (kind == REQUEST_PLAIN)
    return answer_plain(g, out);
  return kind == REQUEST_MD5 ? answer_md5(g, body, len, out)
                             : handshake_begin_scram(g, body, len, out);
}

static void handshake_note_setting(struct pgsql_handshake *g,
                                   const uint8_t *body, size_t len)
{
  const char *const name = (const char *)body;
  const size_t name_len = strnlen(name, len);
  const char *const value = name + name_len + 1;

  if (name_len + 1 >= len || !memchr(value, '\0', len - name_len - 1))
    return;
  if (strcmp(name, "standard_conforming_strings") == 0)
    g->backslash = strcmp(value, "off") == 0;
  else if (strcmp(name, "client_encoding") == 0)
    (void)snprintf(g->encoding, sizeof(g->encoding), "%s", value);
  else if (strcmp(name, "server_version") == 0)
    (void)snprintf(g->version, sizeof(g->version), "%s", value);
}

static void handshake_note_cancel_key(struct pgsql_handshake *g,
                                      const uint8_t *body, size_t len)
{
  uint8_t *const rest = put_u32(g->cancel, sizeof(g->cancel));

  g->can_cancel = len == CANCEL_KEY;
  if (g->can_cancel)
    memcpy(put_u32(rest, PROTOCOL_CANCEL), body, CANCEL_KEY);
}

static bool handshake_take_note(struct pgsql_handshake *g, uint8_t type,
                                const uint8_t *body, size_t len)
{
  if (type == 'S') /* ParameterStatus */
    handshake_note_setting(g, body, len);
  else if (type == 'K') /* BackendKeyData */
    handshake_note_cancel_key(g, body, len);
  else
    return type == 'N' || type == 'A';
  return true;
}

static bool handshake_take_answer(struct pgsql_handshake *g, uint8_t type,
                                  const uint8_t *body, size_t len)
{
  switch (type) {
  case 'T': /* RowDescription */
    if (len < 2)
      return false;
    g->with_rows = true;
    g->columns = get_u16(body);
    return true;
  case 'D': /* DataRow */
    g->rows++;
    return true;
  case 'C': /* CommandComplete */
  case 'I': /* EmptyQueryResponse */
    g->complete = true;
    return true;
  default: /* also a COPY */
    return false;
  }
}

static enum handshake_rc handshake_take_error(struct pgsql_handshake *g,
                                              const uint8_t *body, size_t len)
{
  if (!handshake_note_error(g, body, len))
    return handshake_fail(g, "the server sent an error that cannot be read");
  /* After a statement the server becomes ready again; else it hangs up. */
  return g->stage == HANDSHAKE_ANSWER ? HANDSHAKE_MORE : HANDSHAKE_FAILED;
}

static enum handshake_rc handshake_take_message(struct pgsql_handshake *g,
                                                uint8_t type,
                                                const uint8_t *body, size_t len,
                                                struct wire_buffer *out)
{
  if (type == 'E')
    return handshake_take_error(g, body, len);
  if (g->stage < HANDSHAKE_SETTINGS) {
    if (type == 'R')
      return handshake_take_request(g, body, len, out);
    return type == 'N' || type == 'v' ? HANDSHAKE_MORE
                                      : handshake_out_of_step(g, type);
  }
  if (type == 'Z' && len == 1 &&
      (g->stage == HANDSHAKE_SETTINGS || g->complete || g->refused)) {
    g->ready = true;
    return g->refused ? HANDSHAKE_FAILED : HANDSHAKE_READY;
  }
  if (handshake_take_note(g, type, body, len))
    return HANDSHAKE_MORE;
  if (g->stage == HANDSHAKE_ANSWER && handshake_take_answer(g, type, body, len))
    return HANDSHAKE_MORE;
  return handshake_out_of_step(g, type);
}

/* Without a process for the session, a server sends an error of an older
 * protocol: zero-terminated, without a length. */
static bool handshake_is_old_error(const struct pgsql_handshake *g,
                                   const uint8_t *m)
{
  const size_t told = message_size(m) - 1;

  return g->stage == HANDSHAKE_LOGIN && *m == 'E' &&
         (told < ERROR_MIN || told > ERROR_MAX);
}

static enum handshake_rc handshake_take_old_error(struct pgsql_handshake *g,
                                                  const struct wire_buffer *in)
{
  const char *const text = (const char *)in->bytes + in->pos + 1;
  const size_t have = wire_buffer_have(in) - 1;

  if (!memchr(text, '\0', have))
    return have < ERROR_MAX
             ? HANDSHAKE_MORE
             : handshake_fail(g, "the server sent an error without end");
  g->refused = true;
  (void)snprintf(g->text, sizeof(g->text), "%.*s\n", (int)strcspn(text, "\n"),
                 text);
  return HANDSHAKE_FAILED;
}

static bool handshake_is_too_long(const struct pgsql_handshake *g, size_t size)
{
  return size > HANDSHAKE_MESSAGE_MAX || g->total + size > HANDSHAKE_TOTAL_MAX;
}

enum handshake_rc pgsql_handshake_take(struct pgsql_handshake *g,
                                       struct wire_buffer *in,
                                       struct wire_buffer *out)
{
  while (wire_buffer_have(in) >= WIRE_HEAD) {
    const uint8_t *const m = in->bytes + in->pos;
    const size_t size = message_size(m);
    enum handshake_rc rc;

    if (g->stage == HANDSHAKE_LOGIN && *m != 'R' && *m != 'E' && *m != 'N' &&
        *m != 'v')
      return handshake_out_of_step(g, *m);
    if (handshake_is_old_error(g, m))
      return handshake_take_old_error(g, in);
    if (size < WIRE_HEAD || handshake_is_too_long(g, size))
      return handshake_fail(
        g, "the server sent a message of an unreasonable length");
    if (wire_buffer_have(in) < size)
      return HANDSHAKE_MORE;
    g->total += size;
    in->pos += size;
    rc = handshake_take_message(g, *m, m + WIRE_HEAD, size - WIRE_HEAD, out);
    if (rc != HANDSHAKE_MORE)
      return rc;
  }
  if (in->pos == in->end)
    wire_buffer_clear(in);
  return HANDSHAKE_MORE;
}

enum opening_tls {
  OPENING_PLAIN,
  OPENING_OFFERED, /* if the server has TLS */
  OPENING_TLS,
  OPENING_DIRECT
};

struct opening {
  struct handshake base;
  struct pgsql_session *p;
  enum opening_tls tls;
  bool turned; /* the second of two attempts: see opening_may_turn() */
  struct outcome *out;
  struct pgsql_params params;
  const char *port;
  char path[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];
  struct pgsql_handshake_who who;
  struct pgsql_handshake messages;
};

static struct opening *opening_of(struct handshake *h)
{
  return (struct opening *)(void *)h;
}

static bool opening_has_wishes(void)
{
  static const char *const names[] = {
    "PGREQUIREAUTH",
    "PGCHANNELBINDING",
    "PGGSSENCMODE",
    "PGREQUIREPEER",
    "PGHOSTADDR",
    "PGOPTIONS",
    "PGCLIENTENCODING",
    "PGTARGETSESSIONATTRS",
    "PGAPPNAME",
    "PGDATESTYLE",
    "PGTZ",
    "PGGEQO",
    "PGREQUIRESSL",
    "PGSSLCOMPRESSION",
    "PGSSLCERT",
    "PGSSLCERTMODE",
    "PGSSLKEY",
    "PGSSLROOTCERT",
    "PGSSLCRL",
    "PGSSLCRLDIR",
    "PGSSLSNI",
    "PGSSLNEGOTIATION",
    "PGSSLMINPROTOCOLVERSION",
    "PGSSLMAXPROTOCOLVERSION",
  };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    const char *text = getenv(names[i]);

    if (text && *text)
      return true;
  }
  return false;
}

static enum opening_tls opening_first_tls(const struct pgsql_cfg *cfg)
{
  switch (*pgsql_sslmodes[cfg->sslmode]) {
  case 'd': /* disable */
  case 'a': /* allow: see opening_may_turn() */
    return OPENING_PLAIN;
  case 'p': /* prefer */
    return OPENING_OFFERED;
  default:
    return cfg->sslnegotiation == PGSQL_DIRECT ? OPENING_DIRECT : OPENING_TLS;
  }
}

/* Sets the target.  NULL: our own login is possible. */
static const char *opening_why_not(struct opening *o)
{
  const struct pgsql_params *p = &o->params;
  int64_t port;

  if (p->parsed || p->by_service)
    return "there is a connection string or a service";
  if (!p->host || !p->user || strchr(p->host, ','))
    return "the options name no server, no user, or several servers in one";
  if (opening_has_wishes())
    return "the environment has wishes for libpq";
  if (pgsql_is_socket(p->host)) {
    (void)snprintf(o->path, sizeof(o->path), "%s/.s.PGSQL.%s", p->host,
                   o->port);
    o->base.path = o->path;
    o->messages.cleartext = true; /* nobody listens */
    return NULL;
  }
  if (parse_int(o->port, &port) < 0 || port < 1 || port > UINT16_MAX)
    return "the port is not a number";
  o->base.host = p->host;
  o->base.port = (unsigned)port;
  o->tls = opening_first_tls(p->cfg);
  return NULL;
}

static enum visit_rc opening_failed(struct handshake *h, const char *why)
{
  struct opening *o = opening_of(h);
  struct strbuf *const to = &o->p->text;

  if (h->step == VISIT_RESOLVE)
    strbuf_addf(to,
                "could not translate host name \"%s\" to address: ", h->host);
  else if (h->step != VISIT_QUERY && h->path)
    strbuf_addf(to, "connection to server on socket \"%s\" failed: ", h->path);
  else if (h->step != VISIT_QUERY)
    strbuf_addf(to,
                "connection to server at \"%s\", port %s failed: ", h->address,
                o->port);
  secret_redact(why, to); /* poolers may quote a connection string */
  if (!o->out->state[0])
    memcpy(o->out->state, "08006", 6);
  o->out->msg = strbuf_str(to);
  o->out->lost = h->step != VISIT_RESOLVE;
  h->v->failed = h->step;
  return VISIT_FAILED;
}

static enum visit_rc opening_unresolved(struct handshake *h, const char *why)
{
  return opening_failed(h, why);
}

static enum visit_rc opening_unreachable(struct handshake *h, int code)
{
  const bool refused = code == -ECONNREFUSED || code == -ENOENT;
  struct outcome *out = opening_of(h)->out;
  const char *hint = "";
  char why[256], text[128];

  if (code == -ETIMEDOUT)
    return opening_failed(h, "timeout expired\n");
  if (refused && h->path)
    hint = "\tIs the server running locally and accepting connections on that "
           "socket?\n";
  else if (refused)
    hint = "\tIs the server running on that host and accepting TCP/IP "
           "connections?\n";
  out->no_server = refused;
  out->no_files = code == -EMFILE || code == -ENFILE;
  (void)snprintf(why, sizeof(why), "%s\n%s",
                 err_text(-code, text, sizeof(text)), hint);
  return opening_failed(h, why);
}

static enum visit_rc opening_not_let_in(struct handshake *h)
{
  struct opening *o = opening_of(h);
  struct pgsql_handshake *g = &o->messages;
  const size_t len = strlen(g->text);

  memcpy(o->out->state, g->state, sizeof(o->out->state));
  o->out->permanent = pgsql_is_permanent(g->state) || g->not_this ||
                      (!g->refused && h->step == VISIT_LOGIN);
  if (g->not_this)
    (void)snprintf(g->text + len, sizeof(g->text) - len,
                   "is this a PostgreSQL server?\n");
  return opening_failed(h, g->text);
}

static enum visit_rc opening_broken(struct handshake *h, int code)
{
  if (opening_of(h)->messages.refused)
    return opening_not_let_in(h);
  if (code == -EPIPE || code == -ECONNRESET)
    return opening_failed(h, "server closed the connection unexpectedly\n"
                             "\tThis probably means the server terminated "
                             "abnormally\n"
                             "\tbefore or while processing the request.\n");
  return opening_unreachable(h, code);
}

/* If the connection survives, only the message, as with libpq. */
static enum visit_rc opening_refused(struct handshake *h, enum handshake_rc rc)
{
  struct opening *o = opening_of(h);
  const struct pgsql_handshake *g = &o->messages;
  const char *text = strstr(g->text, ":  ");

  if (rc == HANDSHAKE_CANNOT)
    return handshake_cannot(h, g->text);
  if (h->step != VISIT_QUERY || !g->ready)
    return opening_not_let_in(h);
  text = text ? text + 3 : g->text;
  strbuf_clear(&o->p->text);
  strbuf_add(&o->p->text, text, strcspn(text, "\n"));
  memcpy(o->out->state, g->state, sizeof(o->out->state));
  o->out->msg = strbuf_str(&o->p->text);
  o->out->lost = pgsql_is_goodbye(g->state, "ERROR");
  h->v->failed = h->step;
  return VISIT_FAILED;
}

static enum visit_rc opening_untrusted(struct handshake *h, const char *what,
                                       const char *text)
{
  char why[256];

  opening_of(h)->out->permanent = true;
  (void)snprintf(why, sizeof(why), "%s%.160s\n", what, text);
  return opening_failed(h, why);
}

/* Bytes behind the letter would be taken for a part of the encrypted
 * session. */
static enum visit_rc opening_shake(struct handshake *h)
{
  struct opening *o = opening_of(h);
  struct tls_context *context = pgsql_tls_context(&o->p->base);
  const char *mode = pgsql_sslmodes[o->params.cfg->sslmode];
  struct pgsql_handshake *g = &o->messages;
  uint8_t surplus;
  int rc;

  if (!context)
    return handshake_cannot(h, "only libpq can encrypt here" TLS_LACK);
  if (o->tls != OPENING_DIRECT &&
      recv(h->link.fd, &surplus, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
    return opening_untrusted(h, "received unencrypted data after SSL response",
                             "");
  rc = handshake_encrypt(h, context);
  if (rc == -EPROTO)
    return opening_untrusted(h, "SSL error: ", wire_tls_why(h->link.tls));
  if (rc < 0)
    return opening_broken(h, rc);
  if (strcmp(mode, "verify-full") == 0 &&
      !pgsql_tls_is_for(h->link.tls, h->host))
    return opening_untrusted(h, "server certificate does not match host name ",
                             h->host);
  if (o->tls == OPENING_DIRECT && !wire_tls_chose(h->link.tls, PGSQL_ALPN))
    return opening_untrusted(h,
                             "direct SSL connection was established without "
                             "ALPN protocol negotiation extension",
                             "");
  g->encrypted = true;
  g->end_point_len = wire_tls_end_point(h->link.tls, g->end_point);
  handshake_end_step(h);
  return VISIT_DONE;
}

/* One byte: before TLS, anybody can send an error. */
static enum visit_rc opening_ask_for_tls(struct handshake *h)
{
  static const uint8_t request[] = { 0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f };
  struct opening *o = opening_of(h);
  char why[96];
  uint8_t answer;
  int rc = -ENOMEM;

  h->step = VISIT_TLS;
  if (wire_buffer_append(&h->out, request, sizeof(request)))
    rc = handshake_send(h);
  if (rc == 0)
    rc = handshake_receive(h, 1);
  if (rc < 0)
    return opening_broken(h, rc);
  answer = h->in.bytes[0];
  if (answer == 'E')
    return opening_failed(
      h, "server sent an error response during SSL exchange\n");
  wire_buffer_clear(&h->in);
  if (answer == 'S')
    return opening_shake(h);
  handshake_end_step(h);
  if (answer == 'N' && o->tls == OPENING_TLS)
    return opening_untrusted(
      h, "server does not support SSL, but SSL was required", "");
  if (answer == 'N')
    return VISIT_DONE;
  o->out->permanent = true;
  (void)snprintf(why, sizeof(why),
                 "received invalid response to SSL negotiation: %c\n"
                 "is this a PostgreSQL server?\n",
                 answer >= ' ' && answer <= '~' ? answer : '?');
  return opening_failed(h, why);
}

static enum visit_rc opening_start(struct handshake *h)
{
  struct opening *o = opening_of(h);
  enum visit_rc rc = VISIT_DONE;

  *o->out = (struct outcome){ 0 };
  if (o->tls == OPENING_DIRECT) {
    h->step = VISIT_TLS;
    rc = opening_shake(h);
  } else if (o->tls != OPENING_PLAIN) {
    rc = opening_ask_for_tls(h);
  }
  if (rc != VISIT_DONE)
    return rc;
  h->step = VISIT_LOGIN;
  return pgsql_handshake_begin(&o->messages, &h->out)
           ? VISIT_DONE
           : opening_broken(h, -ENOMEM);
}

static enum handshake_rc opening_take(struct handshake *h)
{
  return pgsql_handshake_take(&opening_of(h)->messages, &h->in, &h->out);
}

static const struct handshake_protocol opening_protocol = {
  .start = opening_start,
  .take = opening_take,
  .unresolved = opening_unresolved,
  .unreachable = opening_unreachable,
  .broken = opening_broken,
  .refused = opening_refused,
};

/* allow: another attempt with TLS after a refusal; prefer: without TLS after a
 * failure of TLS. */
static bool opening_may_turn(const struct opening *o)
{
  const struct pgsql_handshake *g = &o->messages;

  if (o->base.path || g->stage == HANDSHAKE_TOKEN_REFUSED ||
      (o->base.step != VISIT_LOGIN && !o->base.link.tls))
    return false;
  if (o->tls == OPENING_PLAIN)
    return *pgsql_sslmodes[o->params.cfg->sslmode] == 'a' && g->refused;
  return o->tls == OPENING_OFFERED && o->base.link.tls &&
         (g->refused || o->base.step == VISIT_TLS);
}

static void opening_turn(struct opening *o)
{
  const struct pgsql_handshake *g = &o->messages;

  o->turned = true;
  o->tls = o->tls == OPENING_PLAIN ? OPENING_TLS : OPENING_PLAIN;
  o->messages = (struct pgsql_handshake){ .who = g->who,
                                          .keys = g->keys,
                                          .until_ns = g->until_ns,
                                          .cleartext = g->cleartext };
  handshake_done(&o->base);
  strbuf_clear(&o->p->text);
}

/* Afterwards the server is ready.  Needs opening_done() in any case. */
static enum visit_rc opening_open(struct opening *o, struct session *s,
                                  struct visit *v, struct outcome *out)
{
  struct pgsql_session *p = pgsql_of(s);
  const struct pgsql_params *params = &o->params;
  enum visit_rc rc;
  const char *why;
  struct err err;

  *o = (struct opening){ .p = p, .out = out };
  o->base.protocol = &opening_protocol;
  handshake_begin(&o->base, v);
  if (pgsql_params_make(&o->params, s, &err) < 0)
    return handshake_cannot(&o->base, "there is a connection string");
  if (pgsql_params_relay(&o->params, s, v->until_ns, &err) < 0)
    return handshake_cannot(&o->base, err.text);
  o->who = (struct pgsql_handshake_who){
    .user = params->user,
    .password = params->password ? params->password : getenv("PGPASSWORD"),
    .db = params->db,
    .options = params->cfg->options,
  };
  o->port = params->port ? params->port : "5432";
  o->messages = (struct pgsql_handshake){ .who = &o->who,
                                          .keys = &p->keys,
                                          .until_ns = v->until_ns,
                                          .cleartext = params->cfg->cleartext };
  p->keys.shared = s->env ? &s->env->process->login_keys : NULL;
  strbuf_clear(&p->text);
  why = opening_why_not(o);
  if (why)
    return handshake_cannot(&o->base, why);
  rc = handshake_open(&o->base);
  if (rc == VISIT_FAILED && opening_may_turn(o)) {
    opening_turn(o);
    rc = handshake_open(&o->base);
  }
  return rc;
}

static void opening_done(struct opening *o)
{
  handshake_done(&o->base);
  pgsql_params_done(&o->params);
}

static enum visit_rc opening_query(struct opening *o)
{
  const struct pgsql_handshake *g = &o->messages;
  const struct visit *v = o->base.v;
  const bool appended = pgsql_handshake_ask(&o->messages, v->sql, v->len,
                                            &o->base.out);
  const enum visit_rc rc = handshake_talk(&o->base, VISIT_QUERY, appended);

  if (rc != VISIT_DONE)
    return rc;
  o->out->counter = g->with_rows ? COUNTER_READ : COUNTER_OTHER;
  o->out->nfields = g->columns;
  o->out->nrows = g->rows;
  o->base.step = VISIT_CLOSE;
  (void)pgsql_handshake_end(&o->base.out);
  handshake_part(&o->base);
  handshake_end_step(&o->base);
  return rc;
}

enum visit_rc pgsql_visit(struct session *s, struct visit *v,
                          struct outcome *out)
{
  struct opening o;
  enum visit_rc rc = opening_open(&o, s, v, out);

  if (rc == VISIT_DONE)
    rc = opening_query(&o);
  opening_done(&o);
  return rc;
}

enum {
  RAW_NEVER = 1, /* only libpq can log in, or encrypt */
  RAW_ALWAYS     /* libpq cannot log in with a token */
};

static uint32_t handshake_raw_mode(const struct session *s)
{
  return atomic_load_explicit(&s->env->process->own_login,
                              memory_order_relaxed);
}

void pgsql_raw_never(struct session *s)
{
  atomic_store_explicit(&s->env->process->own_login, RAW_NEVER,
                        memory_order_relaxed);
}

void pgsql_raw_always(struct session *s)
{
  atomic_store_explicit(&s->env->process->own_login, RAW_ALWAYS,
                        memory_order_relaxed);
}

/* Otherwise libpq tries, at other addresses, too; after two attempts, it has
 * both. */
static bool opening_is_final(const struct opening *o)
{
  const struct pgsql_handshake *g = &o->messages;

  return g->forged ||
         (!o->turned && (g->text[0] ? g->refused && g->state[0] != '\0'
                                    : o->base.untried == 0));
}

static void opening_adopt(struct opening *o)
{
  const struct pgsql_handshake *g = &o->messages;
  struct pgsql_session *p = o->p;

  p->link = o->base.link;
  if (p->link.tls)
    wire_tls_forget_chain(p->link.tls);
  o->base.link = (struct wire_link){ .fd = -1 };
  atomic_store_explicit(&p->fd_to_cut, p->link.fd, memory_order_relaxed);
  p->raw = true;
  p->wire.small = p->base.may_be_raw;
  p->settings_moved = true;
  p->base.blocks = 0;
  (void)wire_keep_alive(p->link.fd);
  p->plain_chosen = p->plain = true;
  p->encoding = pg_char_to_encoding(g->encoding);
  memcpy(p->version, g->version, sizeof(p->version));
  pgsql_set_dialect(p, g->backslash ? "off" : "on");
  p->can_cancel = g->can_cancel;
  memcpy(p->cancel, g->cancel, sizeof(p->cancel));
}

enum visit_rc pgsql_raw_connect(struct session *s, uint64_t until_ns,
                                struct outcome *out)
{
  const struct pgsql_cfg *cfg = s->cfg;
  const bool always = handshake_raw_mode(s) == RAW_ALWAYS;
  struct visit visit = { .until_ns = until_ns };
  struct opening o;
  enum visit_rc rc;

  if (!(s->may_be_raw || always) || cfg->protocol == PGSQL_LIBRARY ||
      handshake_raw_mode(s) == RAW_NEVER)
    return VISIT_CANNOT;
  rc = opening_open(&o, s, &visit, out);
  if (rc == VISIT_CANNOT)
    pgsql_raw_never(s);
  if (rc == VISIT_CANNOT && always) {
    strbuf_addf(&o.p->text,
                "the server asks for a token, and only bench's own login has "
                "one, which is not possible: %s\n",
                visit.why_not);
    out->permanent = true;
    rc = VISIT_FAILED;
  } else if (rc == VISIT_FAILED && !opening_is_final(&o) && !always)
    rc = VISIT_CANNOT;
  else if (rc == VISIT_DONE && wire_buffer_have(&o.base.in) > 0)
    rc = VISIT_CANNOT; /* libpq reads on */
  else if (rc == VISIT_DONE)
    opening_adopt(&o);
  opening_done(&o);
  return rc;
}
