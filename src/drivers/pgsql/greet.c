/*
 * greet.c - the messages of a login and of one statement.
 */
#include "drivers/pgsql/greet.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "drivers/pgsql/wire_io.h"
#include "drivers/wire/md5.h"

enum {
  PROTOCOL = 3 << 16,
  PROTOCOL_CANCEL = (1234 << 16) | 5678,
  CANCEL_KEY = 8, /* bytes: who, and what proves the right to cancel */
  REQUEST_OK = 0,
  REQUEST_PLAIN = 3,
  REQUEST_MD5 = 5,
  REQUEST_SASL = 10,
  REQUEST_SASL_CONTINUE = 11,
  REQUEST_SASL_FINAL = 12,
  MD5_SALT = 4,
  ERROR_MIN = 8, /* the length that an error of this protocol tells */
  ERROR_MAX = 30000,
};

static const char mechanism[] = "SCRAM-SHA-256";

const uint8_t pgsql_greet_tls[8] = { 0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f };

/* ---- messages to the server ---- */

/* A message of two parts. */
static bool send_message(struct wire_buffer *out, uint8_t type, const void *a,
                         size_t a_len, const void *b, size_t b_len)
{
  uint8_t head[WIRE_HEAD];

  (void)put_u32(put_u8(head, type), (uint32_t)(4 + a_len + b_len));
  return wire_buffer_append(out, head, sizeof(head)) &&
         wire_buffer_append(out, a, a_len) && wire_buffer_append(out, b, b_len);
}

/* A name and its value, each with its end. */
static bool append_setting(struct wire_buffer *out, const char *name,
                           const char *value)
{
  return !value || !*value ||
         (wire_buffer_append(out, name, strlen(name) + 1) &&
          wire_buffer_append(out, value, strlen(value) + 1));
}

bool pgsql_greet_begin(struct pgsql_greet *g, struct wire_buffer *out)
{
  const size_t at = out->end;
  uint8_t head[8] = { 0 };

  (void)put_u32(head + 4, PROTOCOL);
  if (!wire_buffer_append(out, head, sizeof(head)) ||
      !append_setting(out, "user", g->who->user) ||
      !append_setting(out, "database", g->who->db) ||
      !append_setting(out, "options", g->who->options) ||
      !append_setting(out, "application_name", "bench") ||
      !wire_buffer_append(out, "", 1))
    return false;
  (void)put_u32(out->bytes + at, (uint32_t)(out->end - at));
  g->stage = GREET_LOGIN;
  return true;
}

bool pgsql_greet_ask(struct pgsql_greet *g, const char *sql, size_t len,
                     struct wire_buffer *out)
{
  g->stage = GREET_ANSWER;
  g->ready = false;
  g->total = 0;
  return send_message(out, 'Q', sql, len, "", 1);
}

bool pgsql_greet_end(struct wire_buffer *out)
{
  return send_message(out, 'X', NULL, 0, NULL, 0);
}

/* ---- failures ---- */

static enum greet_rc fail(struct pgsql_greet *g, const char *why)
{
  (void)snprintf(g->text, sizeof(g->text), "%s\n", why);
  return GREET_FAILED;
}

/* Nobody may log in there by other means. */
static enum greet_rc forged(struct pgsql_greet *g, const char *why)
{
  g->forged = true;
  return fail(g, why);
}

static enum greet_rc cannot(struct pgsql_greet *g, const char *why)
{
  (void)snprintf(g->text, sizeof(g->text), "%s", why);
  return GREET_CANNOT;
}

static enum greet_rc no_memory(struct pgsql_greet *g)
{
  return fail(g, "not enough memory");
}

/* The other side does not speak this protocol. */
static enum greet_rc out_of_step(struct pgsql_greet *g, uint8_t type)
{
  if (g->stage != GREET_LOGIN)
    return fail(g, "the server sent a message that does not belong there");
  g->not_this = true;
  if (type < ' ' || type > '~')
    return fail(g, "expected authentication request from server, but received "
                   "something else");
  (void)snprintf(g->text, sizeof(g->text),
                 "expected authentication request from server, but received "
                 "%c\n",
                 type);
  return GREET_FAILED;
}

static void add_line(struct pgsql_greet *g, const char *before,
                     const char *text)
{
  const size_t len = strlen(g->text);

  if (text)
    (void)snprintf(g->text + len, sizeof(g->text) - len, "%s:  %s\n", before,
                   text);
}

/* In the library's form.  False: it is not in that of the protocol. */
static bool note_error(struct pgsql_greet *g, const uint8_t *body, size_t len)
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
  add_line(g, severity, text);
  add_line(g, "DETAIL", detail);
  add_line(g, "HINT", hint);
  return true;
}

/* ---- passwords ---- */

static enum greet_rc answer_md5(struct pgsql_greet *g, const uint8_t *body,
                                size_t len, struct wire_buffer *out)
{
  char answer[3 + MD5_DIGITS + 1] = "md5", first[MD5_DIGITS];
  const struct pgsql_greet_who *w = g->who;

  if (len != MD5_SALT)
    return fail(g, "the server sent a salt of a wrong length");
  md5_digits(w->password, strlen(w->password), w->user, strlen(w->user), first);
  md5_digits(first, sizeof(first), body, MD5_SALT, answer + 3);
  answer[3 + MD5_DIGITS] = '\0';
  g->stage = GREET_LOGGED_IN;
  return send_message(out, 'p', answer, sizeof(answer), NULL, 0) ? GREET_MORE
                                                                 : no_memory(g);
}

/* Is the name in a list of names, each with its end? */
static bool is_listed(const char *name, const uint8_t *list, size_t len)
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

static enum greet_rc begin_scram(struct pgsql_greet *g, const uint8_t *body,
                                 size_t len, struct wire_buffer *out)
{
  uint8_t head[sizeof(mechanism) + 4];
  char nonce[SCRAM_NONCE + 1], first[SCRAM_ROOM];
  size_t n;

  if (!is_listed(mechanism, body, len))
    return cannot(g, "the server knows no SCRAM-SHA-256");
  if (!scram_is_plain(g->who->password))
    return cannot(g, "the password has characters that are not ASCII");
  if (scram_nonce(nonce) < 0)
    return fail(g, "could not generate nonce");
  n = scram_begin(&g->scram, "", nonce, first);
  memcpy(head, mechanism, sizeof(mechanism));
  (void)put_u32(head + sizeof(mechanism), (uint32_t)n);
  g->stage = GREET_SCRAM_FIRST;
  return send_message(out, 'p', head, sizeof(head), first, n) ? GREET_MORE
                                                              : no_memory(g);
}

static enum greet_rc go_on_with_scram(struct pgsql_greet *g,
                                      const uint8_t *body, size_t len,
                                      struct wire_buffer *out)
{
  char answer[SCRAM_ROOM], why[256];
  const size_t n = scram_answer(&g->scram, g->keys, g->who->password,
                                (const char *)body, len, g->until_ns, answer,
                                why, sizeof(why));

  if (n == 0)
    return *why ? forged(g, why) : GREET_LATE;
  g->stage = GREET_SCRAM_LAST;
  return send_message(out, 'p', answer, n, NULL, 0) ? GREET_MORE : no_memory(g);
}

static enum greet_rc end_scram(struct pgsql_greet *g, const uint8_t *body,
                               size_t len)
{
  if (!scram_is_right(&g->scram, (const char *)body, len))
    return forged(g, "incorrect server signature");
  g->stage = GREET_LOGGED_IN;
  return GREET_MORE;
}

/* The server asks how the client proves who it is, or is content. */
static enum greet_rc take_request(struct pgsql_greet *g, const uint8_t *body,
                                  size_t len, struct wire_buffer *out)
{
  const bool first = g->stage == GREET_LOGIN;
  uint32_t kind;

  if (len < 4)
    return fail(g, "the server sent a request that is too short");
  kind = get_u32(body);
  body += 4;
  len -= 4;
  if (kind == REQUEST_OK && (first || g->stage == GREET_LOGGED_IN)) {
    g->stage = GREET_SETTINGS;
    return GREET_MORE;
  }
  if (kind == REQUEST_SASL_CONTINUE && g->stage == GREET_SCRAM_FIRST)
    return go_on_with_scram(g, body, len, out);
  if (kind == REQUEST_SASL_FINAL && g->stage == GREET_SCRAM_LAST)
    return end_scram(g, body, len);
  if (!first)
    return forged(g, "the server has left out a step of the login");
  if (kind == REQUEST_PLAIN)
    return cannot(g, "the server asks for the password in plain text");
  if (kind != REQUEST_MD5 && kind != REQUEST_SASL)
    return cannot(g, "the server asks for another kind of login");
  if (!g->who->password || !*g->who->password)
    return cannot(g, "the password is not among the options, and only libpq "
                     "looks for it in files");
  return kind == REQUEST_MD5 ? answer_md5(g, body, len, out)
                             : begin_scram(g, body, len, out);
}

/* ---- messages of the server ---- */

/* A setting: its name and its value, each with its end. */
static void note_setting(struct pgsql_greet *g, const uint8_t *body, size_t len)
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
}

static void note_cancel_key(struct pgsql_greet *g, const uint8_t *body,
                            size_t len)
{
  uint8_t *const rest = put_u32(g->cancel, sizeof(g->cancel));

  g->can_cancel = len == CANCEL_KEY;
  if (g->can_cancel)
    memcpy(put_u32(rest, PROTOCOL_CANCEL), body, CANCEL_KEY);
}

/* What a server may tell at any time. */
static bool take_note(struct pgsql_greet *g, uint8_t type, const uint8_t *body,
                      size_t len)
{
  if (type == 'S') /* ParameterStatus */
    note_setting(g, body, len);
  else if (type == 'K') /* BackendKeyData */
    note_cancel_key(g, body, len);
  else
    return type == 'N' || type == 'A';
  return true;
}

/* A message that is part of the answer to the statement. */
static bool take_answer(struct pgsql_greet *g, uint8_t type,
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
  default: /* also those of a COPY */
    return false;
  }
}

static enum greet_rc take_error(struct pgsql_greet *g, const uint8_t *body,
                                size_t len)
{
  if (!note_error(g, body, len))
    return fail(g, "the server sent an error that cannot be read");
  /* After a statement the server becomes ready again; else it hangs up. */
  return g->stage == GREET_ANSWER ? GREET_MORE : GREET_FAILED;
}

static enum greet_rc take_message(struct pgsql_greet *g, uint8_t type,
                                  const uint8_t *body, size_t len,
                                  struct wire_buffer *out)
{
  if (type == 'E')
    return take_error(g, body, len);
  if (g->stage < GREET_SETTINGS) {
    if (type == 'R')
      return take_request(g, body, len, out);
    return type == 'N' || type == 'v' ? GREET_MORE : out_of_step(g, type);
  }
  if (type == 'Z' && len == 1 &&
      (g->stage == GREET_SETTINGS || g->complete || g->refused)) {
    g->ready = true;
    return g->refused ? GREET_FAILED : GREET_READY;
  }
  if (take_note(g, type, body, len))
    return GREET_MORE;
  if (g->stage == GREET_ANSWER && take_answer(g, type, body, len))
    return GREET_MORE;
  return out_of_step(g, type);
}

/*
 * A server that cannot even start a process for the session says so in the form
 * of an older protocol: a text that ends with a zero, without a length.
 */
static bool is_old_error(const struct pgsql_greet *g, const uint8_t *m)
{
  const size_t told = message_size(m) - 1;

  return g->stage == GREET_LOGIN && *m == 'E' &&
         (told < ERROR_MIN || told > ERROR_MAX);
}

static enum greet_rc take_old_error(struct pgsql_greet *g,
                                    const struct wire_buffer *in)
{
  const char *const text = (const char *)in->bytes + in->pos + 1;
  const size_t have = wire_buffer_have(in) - 1;

  if (!memchr(text, '\0', have))
    return have < ERROR_MAX ? GREET_MORE
                            : fail(g, "the server sent an error without end");
  g->refused = true;
  (void)snprintf(g->text, sizeof(g->text), "%.*s\n", (int)strcspn(text, "\n"),
                 text);
  return GREET_FAILED;
}

/* What servers send at a login is short.  So has to be the answer to the
 * statement: rows up to 64 KiB, and 1 MiB in all. */
static bool is_too_long(const struct pgsql_greet *g, size_t size)
{
  return size > GREET_MESSAGE_MAX || g->total + size > GREET_TOTAL_MAX;
}

enum greet_rc pgsql_greet_take(struct pgsql_greet *g, struct wire_buffer *in,
                               struct wire_buffer *out)
{
  while (wire_buffer_have(in) >= WIRE_HEAD) {
    const uint8_t *const m = in->bytes + in->pos;
    const size_t size = message_size(m);
    enum greet_rc rc;

    if (g->stage == GREET_LOGIN && *m != 'R' && *m != 'E' && *m != 'N' &&
        *m != 'v')
      return out_of_step(g, *m); /* its length means nothing */
    if (is_old_error(g, m))
      return take_old_error(g, in);
    if (size < WIRE_HEAD || is_too_long(g, size))
      return fail(g, "the server sent a message of an unreasonable length");
    if (wire_buffer_have(in) < size)
      return GREET_MORE;
    g->total += size;
    in->pos += size;
    rc = take_message(g, *m, m + WIRE_HEAD, size - WIRE_HEAD, out);
    if (rc != GREET_MORE)
      return rc;
  }
  if (in->pos == in->end)
    wire_buffer_clear(in);
  return GREET_MORE;
}
