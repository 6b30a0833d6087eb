/*
 * handshake.c - our own login, and the sessions and visits that are opened with
 * it.
 */
#include "drivers/mysql/handshake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "db/env.h"
#include "drivers/mysql/bytes.h"
#include "drivers/mysql/connect.h"
#include "drivers/mysql/error.h"
#include "drivers/mysql/escape.h"
#include "drivers/mysql/params.h"
#include "drivers/mysql/session.h"
#include "drivers/mysql/tls.h"
#include "drivers/mysql/wire.h"
#include "drivers/wire/link.h"

enum {
  PROTOCOL = 10,
  NONCE_FIRST = 8,
  RESERVED = 6,
  FILLER = 19,
  COLUMN_MIN = 12,

  FIRST_MORE = 0x01, /* a login continues */
  FAST_DONE = 3,     /* second byte: the proof is right */
  FAST_NOT = 4,      /* second byte: the password is needed */
};

enum flag {
  FLAG_MYSQL = 1, /* absent: MariaDB, with flags of its own */
  FLAG_LONG_FLAG = 1 << 2,
  FLAG_WITH_DB = 1 << 3,
  FLAG_PROTOCOL_41 = 1 << 9,
  FLAG_TLS = 1 << 11,
  FLAG_TRANSACTIONS = 1 << 13,
  FLAG_PROOFS = 1 << 15,
  FLAG_MULTI_STATEMENTS = 1 << 16,
  FLAG_MULTI_RESULTS = 1 << 17,
  FLAG_PREPARED_MULTI_RESULTS = 1 << 18,
  FLAG_PLUGINS = 1 << 19,
  FLAG_ATTRIBUTES = 1 << 20,

  FLAGS = FLAG_MYSQL | FLAG_LONG_FLAG | FLAG_PROTOCOL_41 | FLAG_TRANSACTIONS |
          FLAG_PROOFS | FLAG_MULTI_STATEMENTS | FLAG_MULTI_RESULTS |
          FLAG_PREPARED_MULTI_RESULTS | FLAG_PLUGINS | FLAG_ATTRIBUTES |
          HANDSHAKE_FLAG_NO_EOF,
  FLAGS_NEEDED = FLAG_PROTOCOL_41 | FLAG_PROOFS,

  MARIADB_BULK = 1 << 2,
};

static const char *const plugins[] = {
  [HANDSHAKE_NATIVE] = "mysql_native_password",
  [HANDSHAKE_SHA2] = "caching_sha2_password",
};

static const char attributes[] = "\x13\x0cprogram_name\x05"
                                 "bench";

static bool handshake_append_text(struct wire_buffer *b, const char *text)
{
  return wire_buffer_append(b, text, strlen(text) + 1);
}

static bool handshake_append_byte(struct wire_buffer *b, uint8_t byte)
{
  return wire_buffer_append(b, &byte, 1);
}

static bool handshake_open_packet(struct wire_buffer *b, size_t *ret_at)
{
  *ret_at = b->end;
  return wire_buffer_append(b, "\0\0\0", PACKET_HEAD);
}

static void handshake_close_packet(struct wire_buffer *b, size_t at,
                                   uint8_t seq)
{
  packet_head(b->bytes + at, b->end - at - PACKET_HEAD, seq);
}

static bool send_packet(struct wire_buffer *out, uint8_t seq, const void *bytes,
                        size_t n)
{
  size_t at;

  if (!handshake_open_packet(out, &at) || !wire_buffer_append(out, bytes, n))
    return false;
  handshake_close_packet(out, at, seq);
  return true;
}

bool mysqld_handshake_ask(struct mysql_handshake *g, const char *sql,
                          size_t len, struct wire_buffer *out)
{
  size_t at;

  g->stage = HANDSHAKE_ANSWER;
  g->ready = false;
  g->total = 0;
  g->seq = 1;
  if (!handshake_open_packet(out, &at) ||
      !handshake_append_byte(out, COMMAND_QUERY) ||
      !wire_buffer_append(out, sql, len))
    return false;
  handshake_close_packet(out, at, 0);
  return true;
}

bool mysqld_handshake_end(struct wire_buffer *out)
{
  static const uint8_t quit = COMMAND_QUIT;

  return send_packet(out, 0, &quit, 1);
}

static enum handshake_rc messages_fail(struct mysql_handshake *g, int code,
                                       const char *why)
{
  g->code = code;
  (void)snprintf(g->text, sizeof(g->text), "%s", why);
  return HANDSHAKE_FAILED;
}

static enum handshake_rc messages_malformed(struct mysql_handshake *g)
{
  return messages_fail(g, CODE_MALFORMED, "Malformed packet");
}

static enum handshake_rc messages_refused(struct mysql_handshake *g,
                                          const uint8_t *packet, size_t len)
{
  struct bytes text;
  const char *state;

  if (!bytes_error(packet, len, &g->code, &state, &text))
    return messages_malformed(g);
  if (state)
    memcpy(g->state, state, sizeof(g->state) - 1);
  g->refused = true;
  (void)snprintf(g->text, sizeof(g->text), "%.*s", (int)(text.end - text.at),
                 (const char *)text.at);
  return HANDSHAKE_FAILED;
}

static enum handshake_rc cannot(struct mysql_handshake *g, const char *why)
{
  (void)snprintf(g->text, sizeof(g->text), "%s", why);
  return HANDSHAKE_CANNOT;
}

static enum handshake_rc handshake_no_memory(struct mysql_handshake *g)
{
  return messages_fail(g, CODE_NO_MEMORY, "Client run out of memory");
}

static enum handshake_rc handshake_sent(struct mysql_handshake *g, bool done)
{
  g->seq++;
  return done ? HANDSHAKE_MORE : handshake_no_memory(g);
}

static bool handshake_has_password(const struct mysql_handshake *g)
{
  return g->who->password && *g->who->password;
}

static size_t handshake_prove(const struct mysql_handshake *g,
                              uint8_t ret[SCRAMBLE_MAX])
{
  if (!handshake_has_password(g))
    return 0;
  return g->plugin == HANDSHAKE_SHA2
           ? mysqld_scramble_sha2(g->who->password, g->nonce, ret)
           : mysqld_scramble_native(g->who->password, g->nonce, ret);
}

static bool find_plugin(struct bytes name, enum mysql_handshake_plugin *ret)
{
  const size_t len = strnlen((const char *)name.at,
                             (size_t)(name.end - name.at));

  for (size_t i = 0; i < ARRAY_SIZE(plugins); i++) {
    if (len == strlen(plugins[i]) && memcmp(name.at, plugins[i], len) == 0) {
      *ret = (enum mysql_handshake_plugin)i;
      return true;
    }
  }
  return false;
}

struct hello {
  unsigned flags;
  uint32_t mariadb; /* flags */
  uint32_t id;
  const uint8_t *first, *rest; /* of the nonce; `rest`: or NULL */
  struct bytes plugin;
};

static bool handshake_read_hello(struct bytes b, struct hello *ret)
{
  const size_t rest_len = SCRAMBLE_NONCE - NONCE_FIRST;
  const uint8_t *zero = memchr(b.at, '\0', (size_t)(b.end - b.at));
  const uint8_t *id, *low, *high, *mariadb;

  if (!zero)
    return false;
  b.at = zero + 1;
  if (!(id = bytes_take(&b, 4)) ||
      !(ret->first = bytes_take(&b, NONCE_FIRST)) || !bytes_take(&b, 1) ||
      !(low = bytes_take(&b, 2)))
    return false;
  ret->id = (uint32_t)bytes_le(id, 4);
  ret->flags = (unsigned)bytes_le(low, 2);
  ret->mariadb = 0;
  ret->rest = NULL;
  ret->plugin = (struct bytes){ b.end, b.end };
  if (b.at == b.end)
    return true; /* before 4.1 */
  if (!bytes_take(&b, 1 + 2) || !(high = bytes_take(&b, 2)) ||
      !bytes_take(&b, 1 + RESERVED) || !(mariadb = bytes_take(&b, 4)))
    return false;
  ret->flags |= (unsigned)bytes_le(high, 2) << 16;
  if (!(ret->flags & FLAG_MYSQL))
    ret->mariadb = (uint32_t)bytes_le(mariadb, 4);
  if (!(ret->flags & FLAG_PROOFS))
    return true;
  ret->rest = bytes_take(&b, rest_len);
  if (!ret->rest)
    return false;
  if (ret->flags & FLAG_PLUGINS) {
    (void)bytes_take(&b, 1);
    ret->plugin = b;
  }
  return true;
}

/* Alone, a request for TLS. */
static bool handshake_append_fixed(const struct mysql_handshake *g,
                                   struct wire_buffer *out)
{
  uint8_t fixed[4 + 4 + 1 + FILLER + 4] = { 0 };

  put_le32(fixed, g->flags);
  put_le32(fixed + 4, 1U << 30); /* largest packet */
  fixed[8] = g->who->charset;
  put_le32(fixed + 9 + FILLER, g->bulk ? MARIADB_BULK : 0);
  return wire_buffer_append(out, fixed, sizeof(fixed));
}

static bool handshake_append_login(struct mysql_handshake *g,
                                   struct wire_buffer *out)
{
  const struct mysql_handshake_who *w = g->who;
  uint8_t proof[SCRAMBLE_MAX];
  const size_t n = handshake_prove(g, proof);
  bool done;
  size_t at;

  done = handshake_open_packet(out, &at) && handshake_append_fixed(g, out) &&
         handshake_append_text(out, w->user) &&
         handshake_append_byte(out, (uint8_t)n) &&
         wire_buffer_append(out, proof, n);
  if (g->flags & FLAG_WITH_DB)
    done = done && handshake_append_text(out, w->db);
  if (g->flags & FLAG_PLUGINS)
    done = done && handshake_append_text(out, plugins[g->plugin]);
  if (g->flags & FLAG_ATTRIBUTES)
    done = done && wire_buffer_append(out, attributes, sizeof(attributes) - 1);
  if (done)
    handshake_close_packet(out, at, g->seq++);
  g->stage = HANDSHAKE_PROOF;
  return done;
}

bool mysqld_handshake_log_in(struct mysql_handshake *g, struct wire_buffer *out)
{
  g->encrypted = true;
  return handshake_append_login(g, out);
}

static bool handshake_append_request(struct mysql_handshake *g,
                                     struct wire_buffer *out)
{
  size_t at;

  g->flags |= FLAG_TLS;
  g->stage = HANDSHAKE_TLS;
  if (!handshake_open_packet(out, &at) || !handshake_append_fixed(g, out))
    return false;
  handshake_close_packet(out, at, g->seq++);
  return true;
}

static enum handshake_rc answer_hello(struct mysql_handshake *g, bool has_tls,
                                      struct wire_buffer *out)
{
  const enum tls_mode mode = g->who->tls;

  if (mode >= TLS_REQUIRED && !has_tls)
    return messages_fail(
      g, CODE_TLS,
      "TLS/SSL error: SSL is required, but the server does not support it");
  if (mode != TLS_DISABLED && has_tls ? !handshake_append_request(g, out)
                                      : !handshake_append_login(g, out))
    return handshake_no_memory(g);
  return mode != TLS_DISABLED ? HANDSHAKE_READY : HANDSHAKE_MORE;
}

static enum handshake_rc handshake_take_hello(struct mysql_handshake *g,
                                              const uint8_t *packet, size_t len,
                                              struct wire_buffer *out)
{
  struct hello h;
  char why[64];

  if (*packet != PROTOCOL) {
    g->not_this = true;
    (void)snprintf(why, sizeof(why),
                   "Protocol mismatch. Server Version = %u Client Version = %d",
                   *packet, PROTOCOL);
    return messages_fail(g, CODE_PROTOCOL, why);
  }
  if (!handshake_read_hello((struct bytes){ packet + 1, packet + len }, &h)) {
    g->not_this = true;
    return messages_malformed(g);
  }
  if ((h.flags & FLAGS_NEEDED) != FLAGS_NEEDED || !h.rest)
    return cannot(g, "the server speaks an old version of the protocol");
  g->flags = h.flags & FLAGS;
  g->bulk = (h.mariadb & MARIADB_BULK) != 0;
  g->id = h.id;
  if (g->who->db && *g->who->db)
    g->flags |= FLAG_WITH_DB;
  memcpy(g->nonce, h.first, NONCE_FIRST);
  memcpy(g->nonce + NONCE_FIRST, h.rest, SCRAMBLE_NONCE - NONCE_FIRST);
  if (!find_plugin(h.plugin, &g->plugin))
    g->plugin = HANDSHAKE_NATIVE; /* the server may name another one */
  return answer_hello(g, (h.flags & FLAG_TLS) != 0, out);
}

static enum handshake_rc handshake_take_switch(struct mysql_handshake *g,
                                               const uint8_t *packet,
                                               size_t len,
                                               struct wire_buffer *out)
{
  const struct bytes name = { packet + 1, packet + len };
  const uint8_t *zero = memchr(name.at, '\0', len - 1);
  uint8_t proof[SCRAMBLE_MAX];
  char why[128];
  size_t n;

  if (len == 1)
    return cannot(g, "the server asks for the login of old versions");
  if (!zero)
    return messages_malformed(g);
  if (!find_plugin(name, &g->plugin)) {
    (void)snprintf(why, sizeof(why), "the server asks for a login with %.60s",
                   (const char *)name.at);
    return cannot(g, why);
  }
  if (name.end - zero - 1 < SCRAMBLE_NONCE)
    return messages_malformed(g);
  memcpy(g->nonce, zero + 1, SCRAMBLE_NONCE);
  n = handshake_prove(g, proof);
  return handshake_sent(g, send_packet(out, g->seq, proof, n));
}

static enum handshake_rc handshake_tell_password(struct mysql_handshake *g,
                                                 struct wire_buffer *out)
{
  if (!g->who->alone && !g->encrypted)
    return cannot(g, "the server asks for the whole password");
  g->stage = HANDSHAKE_PASSWORD;
  return handshake_sent(g, send_packet(out, g->seq, g->who->password,
                                       strlen(g->who->password) + 1));
}

static enum handshake_rc handshake_take_more(struct mysql_handshake *g,
                                             const uint8_t *packet, size_t len,
                                             struct wire_buffer *out)
{
  if (g->stage != HANDSHAKE_PROOF || g->plugin != HANDSHAKE_SHA2 || len != 2 ||
      !handshake_has_password(g))
    return messages_malformed(g);
  if (packet[1] == FAST_DONE)
    return HANDSHAKE_MORE;
  return packet[1] == FAST_NOT ? handshake_tell_password(g, out)
                               : messages_malformed(g);
}

static enum handshake_rc handshake_ready(struct mysql_handshake *g)
{
  g->stage = HANDSHAKE_IDLE;
  g->ready = true;
  return HANDSHAKE_READY;
}

static enum handshake_rc handshake_take_verdict(struct mysql_handshake *g,
                                                const uint8_t *packet,
                                                size_t len,
                                                struct wire_buffer *out)
{
  uint64_t affected;

  switch (*packet) {
  case FIRST_OK:
    return bytes_ok(packet, len, &affected, &g->status) ? handshake_ready(g)
                                                        : messages_malformed(g);
  case FIRST_MORE:
    return handshake_take_more(g, packet, len, out);
  case FIRST_END:
    return handshake_take_switch(g, packet, len, out);
  default:
    return messages_malformed(g);
  }
}

static enum handshake_rc statement_refused(struct mysql_handshake *g,
                                           const uint8_t *packet, size_t len)
{
  (void)messages_refused(g, packet, len);
  g->ready = g->refused;
  return HANDSHAKE_FAILED;
}

static enum handshake_rc handshake_first(struct mysql_handshake *g,
                                         const uint8_t *packet, size_t len)
{
  struct bytes b = { packet, packet + len };
  uint64_t n;

  if (*packet == FIRST_OK) {
    b.at++;
    return bytes_number(&b, &g->affected) ? handshake_ready(g)
                                          : messages_malformed(g);
  }
  /* Others ask for a file of the client. */
  if (!bytes_number(&b, &n) || n == 0 || n > UINT16_MAX)
    return messages_malformed(g);
  g->with_rows = true;
  g->columns = g->columns_left = (uint32_t)n;
  g->stage = HANDSHAKE_COLUMNS;
  return HANDSHAKE_MORE;
}

static enum handshake_rc handshake_column(struct mysql_handshake *g, size_t len)
{
  if (len < COLUMN_MIN)
    return messages_malformed(g);
  if (--g->columns_left == 0)
    g->stage = g->flags & HANDSHAKE_FLAG_NO_EOF ? HANDSHAKE_ROWS
                                                : HANDSHAKE_COLUMNS_END;
  return HANDSHAKE_MORE;
}

static bool handshake_is_end(const struct mysql_handshake *g,
                             const uint8_t *packet, size_t len)
{
  return *packet == FIRST_END &&
         (g->flags & HANDSHAKE_FLAG_NO_EOF || len == END_LENGTH);
}

static enum handshake_rc messages_answer(struct mysql_handshake *g,
                                         const uint8_t *packet, size_t len)
{
  if (*packet == FIRST_ERROR)
    return statement_refused(g, packet, len);
  switch (g->stage) {
  case HANDSHAKE_ANSWER:
    return handshake_first(g, packet, len);
  case HANDSHAKE_COLUMNS:
    return handshake_column(g, len);
  case HANDSHAKE_COLUMNS_END:
    g->stage = HANDSHAKE_ROWS;
    return handshake_is_end(g, packet, len) ? HANDSHAKE_MORE
                                            : messages_malformed(g);
  case HANDSHAKE_ROWS:
    if (handshake_is_end(g, packet, len))
      return handshake_ready(g);
    g->rows++;
    return HANDSHAKE_MORE;
  default:
    return messages_malformed(g);
  }
}

static enum handshake_rc handshake_take_packet(struct mysql_handshake *g,
                                               const uint8_t *packet,
                                               size_t len,
                                               struct wire_buffer *out)
{
  if (len == 0)
    return messages_malformed(g);
  if (g->stage >= HANDSHAKE_ANSWER)
    return messages_answer(g, packet, len);
  if (*packet == FIRST_ERROR)
    return messages_refused(g, packet, len);
  return g->stage == HANDSHAKE_HELLO
           ? handshake_take_hello(g, packet, len, out)
           : handshake_take_verdict(g, packet, len, out);
}

/* The library would take them for part of the encrypted session. */
static enum handshake_rc handshake_unencrypted(struct mysql_handshake *g)
{
  g->refused = true;
  return messages_fail(
    g, CODE_TLS, "TLS/SSL error: received unencrypted data after the greeting");
}

static enum handshake_rc handshake_out_of_step(struct mysql_handshake *g)
{
  g->not_this = g->stage == HANDSHAKE_HELLO;
  g->ready = false;
  return messages_malformed(g);
}

enum handshake_rc mysqld_handshake_take(struct mysql_handshake *g,
                                        struct wire_buffer *in,
                                        struct wire_buffer *out)
{
  const bool login = g->stage < HANDSHAKE_IDLE;
  enum handshake_rc rc = HANDSHAKE_MORE;

  while (rc == HANDSHAKE_MORE && wire_buffer_have(in) >= PACKET_HEAD) {
    const uint8_t *const p = in->bytes + in->pos;
    const size_t len = packet_length(p), size = PACKET_HEAD + len;

    if (g->stage == HANDSHAKE_HELLO && packet_number(p) != 0)
      return handshake_out_of_step(g);
    if (size > HANDSHAKE_MESSAGE_MAX || g->total + size > HANDSHAKE_TOTAL_MAX)
      return handshake_out_of_step(g);
    if (wire_buffer_have(in) < size)
      return HANDSHAKE_MORE;
    if (packet_number(p) != g->seq &&
        !mysqld_wire_is_farewell(p + PACKET_HEAD, len))
      return handshake_out_of_step(g);
    g->seq++;
    g->total += size;
    in->pos += size;
    rc = handshake_take_packet(g, p + PACKET_HEAD, len, out);
  }
  /* An answer without a statement. */
  if (rc == HANDSHAKE_READY && login && wire_buffer_have(in) > 0)
    return g->stage == HANDSHAKE_TLS ? handshake_unencrypted(g)
                                     : handshake_out_of_step(g);
  return rc;
}

struct opening {
  struct handshake base; /* first */
  struct mysql_session *s;
  struct outcome *out;
  struct mysql_handshake_who who;
  struct mysql_handshake messages;
};

static struct opening *opening_of(struct handshake *h)
{
  return (struct opening *)(void *)h;
}

/* NULL: our own login is possible. */
static const char *opening_why_not(const struct opening *o)
{
  const struct mysql_cfg *cfg = cfg_of(o->s);

  if (cfg->dry_run)
    return "--mysql-dry-run connects to no server";
  if (o->who.tls != TLS_DISABLED && !mysqld_tls_context(&o->s->base))
    return "only the library can encrypt here" TLS_LACK;
  if (cfg->compression)
    return "--mysql-compression is on";
  if (cfg->protocol == PROTOCOL_LIBRARY)
    return "--mysql-protocol asks for it";
  return !o->base.path && mysqld_connect_is_here(&o->s->to)
           ? "only the library knows the socket of localhost"
           : NULL;
}

static enum visit_rc opening_failed(struct handshake *h, int code,
                                    const char *state, const char *text)
{
  struct opening *o = opening_of(h);

  (void)mysqld_error_connect(o->s, o->out, code, state && *state ? state : NULL,
                             text);
  o->out->lost = true;
  h->v->failed = h->step;
  return VISIT_FAILED;
}

static enum visit_rc opening_unresolved(struct handshake *h, const char *why)
{
  char text[256];

  (void)snprintf(text, sizeof(text), "Unknown server host '%.100s' (%.100s)",
                 h->host, why);
  return opening_failed(h, CODE_UNKNOWN_HOST, NULL, text);
}

static enum visit_rc opening_unreachable(struct handshake *h, int code)
{
  char text[256];

  opening_of(h)->out->no_files = code == -EMFILE || code == -ENFILE;
  if (h->path)
    (void)snprintf(text, sizeof(text),
                   "Can't connect to local server through socket '%.64s' (%d)",
                   h->path, -code);
  else
    (void)snprintf(text, sizeof(text),
                   "Can't connect to server on '%.64s' (%d)", h->host, -code);
  return opening_failed(
    h, h->path ? CODE_NO_SOCKET : mysqld_shim_code_refused(), NULL, text);
}

static enum visit_rc opening_broken(struct handshake *h, int code)
{
  static const char asks[] = "; is this a MySQL server?";
  const bool silent = opening_of(h)->messages.stage == HANDSHAKE_HELLO;
  char text[256];

  if (code == -ENOMEM)
    return opening_failed(h, CODE_NO_MEMORY, NULL, "Client run out of memory");
  if (h->step == VISIT_QUERY)
    return opening_failed(h, CODE_LOST, NULL, mysqld_shim_text_lost());
  (void)snprintf(text, sizeof(text),
                 "Lost connection to server at '%s', system error: %d%s",
                 silent ? "handshake: reading initial communication packet"
                        : "reading authorization packet",
                 code == -EPIPE ? 0 : -code, silent ? asks : "");
  return opening_failed(h, CODE_LOST, NULL, text);
}

static enum visit_rc opening_refused(struct handshake *h, enum handshake_rc rc)
{
  struct opening *o = opening_of(h);
  struct mysql_handshake *g = &o->messages;
  const size_t len = strlen(g->text);

  if (rc == HANDSHAKE_CANNOT)
    return handshake_cannot(h, g->text);
  if (h->step == VISIT_QUERY) {
    (void)mysqld_error_set(o->s, o->out, g->code, g->state[0] ? g->state : NULL,
                           g->text, len);
    h->v->failed = h->step;
    return VISIT_FAILED;
  }
  if (g->not_this)
    (void)snprintf(g->text + len, sizeof(g->text) - len,
                   "; is this a MySQL server?");
  return opening_failed(h, g->code, g->state, g->text);
}

static enum visit_rc opening_untrusted(struct handshake *h, const char *why)
{
  char text[256];

  (void)snprintf(text, sizeof(text), "TLS/SSL error: %.160s", why);
  return opening_failed(h, CODE_TLS, "HY000", text);
}

static enum visit_rc opening_shake(struct handshake *h)
{
  struct opening *o = opening_of(h);
  int rc = handshake_send(h);

  if (rc == 0)
    rc = handshake_encrypt(h, mysqld_tls_context(&o->s->base));
  if (rc == -EPROTO) {
    const char *why = wire_tls_distrust(h->link.tls);

    return opening_untrusted(h, why ? why : wire_tls_why(h->link.tls));
  }
  if (rc < 0)
    return opening_broken(h, rc);
  if (o->who.tls >= TLS_VERIFY_CA &&
      !wire_tls_is_for(h->link.tls, h->path ? "localhost" : h->host))
    return opening_untrusted(h, "Validation of SSL server certificate failed");
  if (!mysqld_handshake_log_in(&o->messages, &h->out))
    return opening_broken(h, -ENOMEM);
  handshake_end_step(h);
  return VISIT_DONE;
}

/* The server speaks first. */
static enum visit_rc opening_start(struct handshake *h)
{
  struct opening *o = opening_of(h);
  enum visit_rc rc = VISIT_DONE;

  *o->out = (struct outcome){ 0 };
  if (o->who.tls != TLS_DISABLED)
    rc = handshake_talk(h, VISIT_LOGIN, true);
  if (rc != VISIT_DONE || o->messages.stage != HANDSHAKE_TLS)
    return rc;
  h->step = VISIT_TLS;
  return opening_shake(h);
}

static enum handshake_rc opening_take(struct handshake *h)
{
  return mysqld_handshake_take(&opening_of(h)->messages, &h->in, &h->out);
}

static const struct handshake_protocol opening_protocol = {
  .start = opening_start,
  .take = opening_take,
  .unresolved = opening_unresolved,
  .unreachable = opening_unreachable,
  .broken = opening_broken,
  .refused = opening_refused,
};

/* Afterwards the server is ready.  Needs handshake_done() in any case. */
static enum visit_rc opening_open(struct opening *o, struct mysql_session *s,
                                  struct visit *v, struct outcome *out)
{
  struct address via = s->to;
  const struct address *to = &via;
  struct err err = { "" };
  const bool reached = mysqld_connect_relay(&s->base, &via, v->until_ns,
                                            &err) == 0;
  const bool has_path = to->socket && *to->socket;
  const char *why;

  *o = (struct opening){ .s = s, .out = out };
  o->base = (struct handshake){
    .protocol = &opening_protocol,
    .path = has_path                     ? to->socket
            : mysqld_connect_is_here(to) ? mysqld_shim_socket()
                                         : NULL,
    .host = to->host,
    .port = to->port,
  };
  /* As in the libraries, MYSQL_PWD. */
  o->who = (struct mysql_handshake_who){
    .user = to->user,
    .password = to->password && *to->password ? to->password
                                              : getenv("MYSQL_PWD"),
    .db = to->db,
    .alone = o->base.path != NULL,
    .tls = mysqld_tls_settings(cfg_of(s)).mode,
    .charset = HANDSHAKE_CHARSET,
  };
  o->messages.who = &o->who;
  handshake_begin(&o->base, v);
  why = reached ? opening_why_not(o) : err.text;
  return why ? handshake_cannot(&o->base, why) : VISIT_DONE;
}

static void opening_part(struct opening *o)
{
  (void)mysqld_handshake_end(&o->base.out);
  handshake_part(&o->base);
}

static enum visit_rc opening_query(struct opening *o)
{
  struct mysql_handshake *g = &o->messages;
  const struct visit *v = o->base.v;
  enum visit_rc rc;

  o->base.step = VISIT_QUERY;
  if (v->len >= HANDSHAKE_TOTAL_MAX)
    return handshake_cannot(&o->base, "the statement is too long");
  rc = handshake_talk(&o->base, VISIT_QUERY,
                      mysqld_handshake_ask(g, v->sql, v->len, &o->base.out));
  if (rc == VISIT_DONE)
    mysqld_error_none(o->s, o->out, 0, g->columns,
                      g->with_rows ? g->rows : g->affected);
  return rc;
}

enum visit_rc mysqld_visit(struct session *base, struct visit *v,
                           struct outcome *out)
{
  struct mysql_session *s = session_of(base);
  struct opening o;
  enum visit_rc rc;

  s->base.dialect = EMUL_MYSQL;
  s->base.trx = TRX_NONE;
  s->lost = false;
  s->to = mysqld_connect_address(base);
  rc = opening_open(&o, s, v, out);
  if (rc == VISIT_DONE)
    rc = handshake_open(&o.base);
  if (rc == VISIT_DONE)
    rc = opening_query(&o);
  if (rc == VISIT_DONE) {
    o.base.step = VISIT_CLOSE;
    opening_part(&o);
    handshake_end_step(&o.base);
  } else if (o.messages.ready) { /* else counted as an aborted client */
    opening_part(&o);
  }
  handshake_done(&o.base);
  return rc;
}

enum {
  RAW_UNKNOWN = 0, /* the library has opened no session yet */
  RAW_NEVER = 256, /* only the library can log in; below: a character set */
};

static _Atomic uint32_t *handshake_raw_mode(const struct mysql_session *s)
{
  return &s->base.env->process->own_login;
}

/* In the library's character set, byte by byte.  A known mode stays: the
 * library opens sessions also after our login has failed. */
void mysqld_raw_note(struct mysql_session *s)
{
  const char *name = mysql_character_set_name(s->mysql);
  uint32_t mode = RAW_NEVER, before = RAW_UNKNOWN;
  MY_CHARSET_INFO set = { 0 };

  mysql_get_character_set_info(s->mysql, &set);
  if ((s->backend == &mysqld_wire_backend || s->base.only_asked) &&
      mysqld_escape_fits(name) && set.number < RAW_NEVER)
    mode = set.number;
  if (s->base.env)
    (void)atomic_compare_exchange_strong_explicit(
      handshake_raw_mode(s), &before, mode, memory_order_relaxed,
      memory_order_relaxed);
}

static void opening_adopt(struct opening *o)
{
  const struct mysql_handshake *g = &o->messages;
  struct mysql_session *s = o->s;

  s->link = o->base.link;
  if (s->link.tls)
    wire_tls_forget_chain(s->link.tls);
  o->base.link = (struct wire_link){ .fd = -1 };
  s->mysql = NULL;
  s->id = g->id;
  s->status = g->status;
  s->why_library = NULL;
  s->backend = &mysqld_wire_backend;
  s->base.blocks = 0;
  s->base.only_asked = false;
  s->wire.forms.no_eof = (g->flags & HANDSHAKE_FLAG_NO_EOF) != 0;
  s->wire.forms.attributes = false;
  s->wire.bulk = g->bulk;
  mysqld_wire_lighten(&s->wire);
}

enum visit_rc mysqld_raw_connect(struct mysql_session *s, uint64_t until_ns,
                                 struct outcome *out)
{
  struct visit visit = { .until_ns = until_ns };
  struct opening o;
  uint32_t mode;
  enum visit_rc rc;

  if (!s->base.may_be_raw)
    return VISIT_CANNOT;
  mode = atomic_load_explicit(handshake_raw_mode(s), memory_order_relaxed);
  if (mode == RAW_UNKNOWN || mode == RAW_NEVER)
    return VISIT_CANNOT;
  rc = opening_open(&o, s, &visit, out);
  o.who.charset = (uint8_t)mode;
  if (rc == VISIT_DONE)
    rc = handshake_open(&o.base);
  if (rc == VISIT_CANNOT)
    atomic_store_explicit(handshake_raw_mode(s), RAW_NEVER,
                          memory_order_relaxed);
  else if (rc == VISIT_DONE)
    opening_adopt(&o);
  if (rc == VISIT_FAILED)
    out->lost = false;
  handshake_done(&o.base);
  return rc;
}

void mysqld_raw_close(struct mysql_session *s)
{
  static const uint8_t quit[] = { 1, 0, 0, 0, COMMAND_QUIT };

  if (s->lost || s->more)
    wire_close(&s->link);
  else
    wire_part(&s->link, quit, sizeof(quit));
}
