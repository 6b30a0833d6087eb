/*
 * greet.c - the packets of a login.
 */
#include "drivers/mysql/greet.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "drivers/mysql/bytes.h"
#include "drivers/mysql/code.h"
#include "drivers/mysql/greet_answer.h"
#include "drivers/mysql/params.h"
#include "drivers/mysql/wire_io.h"

enum {
  PROTOCOL = 10,
  CHARSET = 45, /* utf8mb4_general_ci */
  NONCE_FIRST = 8,
  RESERVED = 10, /* bytes of the greeting */
  FILLER = 23,   /* bytes of the answer to it */
  COM_QUIT = 0x01,
  COM_QUERY = 0x03,

  FIRST_MORE = 0x01, /* of a packet that goes on with a login */
  FAST_DONE = 3,     /* its second byte: the proof is right */
  FAST_NOT = 4,      /* ... the whole password is needed */
};

enum flag {
  FLAG_LONG_PASSWORD = 1,
  FLAG_WITH_DB = 1 << 3,
  FLAG_PROTOCOL_41 = 1 << 9,
  FLAG_TRANSACTIONS = 1 << 13,
  FLAG_PROOFS = 1 << 15, /* with the length of the proof */
  FLAG_MULTI_STATEMENTS = 1 << 16,
  FLAG_MULTI_RESULTS = 1 << 17,
  FLAG_PLUGINS = 1 << 19,
  FLAG_ATTRIBUTES = 1 << 20,

  FLAGS = FLAG_LONG_PASSWORD | FLAG_PROTOCOL_41 | FLAG_TRANSACTIONS |
          FLAG_PROOFS | FLAG_MULTI_STATEMENTS | FLAG_MULTI_RESULTS |
          FLAG_PLUGINS | FLAG_ATTRIBUTES | GREET_FLAG_NO_EOF,
  FLAGS_NEEDED = FLAG_PROTOCOL_41 | FLAG_PROOFS,
};

static const char *const plugins[] = {
  [GREET_NATIVE] = "mysql_native_password",
  [GREET_SHA2] = "caching_sha2_password",
};

/* The attributes of the session: one name and its value, each with a length,
 * and the length of all. */
static const char attributes[] = "\x13\x0cprogram_name\x05"
                                 "bench";

/* ---- packets to the server ---- */

static bool append_text(struct wire_buffer *b, const char *text)
{
  return wire_buffer_append(b, text, strlen(text) + 1);
}

static bool append_byte(struct wire_buffer *b, uint8_t byte)
{
  return wire_buffer_append(b, &byte, 1);
}

/* A packet begins; its head is written when it ends. */
static bool open_packet(struct wire_buffer *b, size_t *ret_at)
{
  *ret_at = b->end;
  return wire_buffer_append(b, "\0\0\0", PACKET_HEAD);
}

static void close_packet(struct wire_buffer *b, size_t at, uint8_t seq)
{
  packet_head(b->bytes + at, b->end - at - PACKET_HEAD, seq);
}

static bool send_packet(struct wire_buffer *out, uint8_t seq, const void *bytes,
                        size_t n)
{
  size_t at;

  if (!open_packet(out, &at) || !wire_buffer_append(out, bytes, n))
    return false;
  close_packet(out, at, seq);
  return true;
}

bool mysqld_greet_ask(struct mysql_greet *g, const char *sql, size_t len,
                      struct wire_buffer *out)
{
  size_t at;

  g->stage = GREET_ANSWER;
  g->ready = false;
  g->total = 0;
  g->seq = 1;
  if (!open_packet(out, &at) || !append_byte(out, COM_QUERY) ||
      !wire_buffer_append(out, sql, len))
    return false;
  close_packet(out, at, 0);
  return true;
}

bool mysqld_greet_end(struct wire_buffer *out)
{
  static const uint8_t quit = COM_QUIT;

  return send_packet(out, 0, &quit, 1);
}

/* ---- failures ---- */

static enum greet_rc cannot(struct mysql_greet *g, const char *why)
{
  (void)snprintf(g->text, sizeof(g->text), "%s", why);
  return GREET_CANNOT;
}

static enum greet_rc no_memory(struct mysql_greet *g)
{
  return mysqld_greet_fail(g, CODE_NO_MEMORY, "Client run out of memory");
}

static enum greet_rc sent(struct mysql_greet *g, bool done)
{
  g->seq++;
  return done ? GREET_MORE : no_memory(g);
}

/* ---- proofs ---- */

static bool has_password(const struct mysql_greet *g)
{
  return g->who->password && *g->who->password;
}

static size_t prove(const struct mysql_greet *g, uint8_t ret[SCRAMBLE_MAX])
{
  if (!has_password(g))
    return 0;
  return g->plugin == GREET_SHA2
           ? mysqld_scramble_sha2(g->who->password, g->nonce, ret)
           : mysqld_scramble_native(g->who->password, g->nonce, ret);
}

/* False: it is not known here. */
static bool find_plugin(struct bytes name, enum mysql_greet_plugin *ret)
{
  const size_t len = strnlen((const char *)name.at,
                             (size_t)(name.end - name.at));

  for (size_t i = 0; i < ARRAY_SIZE(plugins); i++) {
    if (len == strlen(plugins[i]) && memcmp(name.at, plugins[i], len) == 0) {
      *ret = (enum mysql_greet_plugin)i;
      return true;
    }
  }
  return false;
}

/* ---- the greeting ---- */

/* The parts of a greeting that matter. */
struct hello {
  unsigned flags;
  const uint8_t *first, *rest; /* of the nonce; `rest` may be NULL */
  struct bytes plugin;
};

static bool read_hello(struct bytes b, struct hello *ret)
{
  const size_t rest_len = SCRAMBLE_NONCE - NONCE_FIRST;
  const uint8_t *zero = memchr(b.at, '\0', (size_t)(b.end - b.at));
  const uint8_t *low, *high;

  if (!zero)
    return false;
  b.at = zero + 1;
  if (!bytes_take(&b, 4) || !(ret->first = bytes_take(&b, NONCE_FIRST)) ||
      !bytes_take(&b, 1) || !(low = bytes_take(&b, 2)))
    return false;
  ret->flags = (unsigned)bytes_le(low, 2);
  ret->rest = NULL;
  ret->plugin = (struct bytes){ b.end, b.end };
  if (b.at == b.end)
    return true; /* of a server before 4.1 */
  if (!bytes_take(&b, 1 + 2) || !(high = bytes_take(&b, 2)) ||
      !bytes_take(&b, 1 + RESERVED))
    return false;
  ret->flags |= (unsigned)bytes_le(high, 2) << 16;
  if (!(ret->flags & FLAG_PROOFS))
    return true;
  ret->rest = bytes_take(&b, rest_len);
  if (!ret->rest)
    return false;
  if (ret->flags & FLAG_PLUGINS) {
    (void)bytes_take(&b, 1); /* the zero that ends the nonce */
    ret->plugin = b;
  }
  return true;
}

static enum greet_rc answer_hello(struct mysql_greet *g,
                                  struct wire_buffer *out)
{
  const struct mysql_greet_who *w = g->who;
  uint8_t fixed[4 + 4 + 1 + FILLER] = { 0 }, proof[SCRAMBLE_MAX];
  const size_t n = prove(g, proof);
  bool done;
  size_t at;

  put_le32(fixed, g->flags);
  put_le32(fixed + 4, 1U << 24); /* bytes of the largest packet */
  fixed[8] = CHARSET;
  done = open_packet(out, &at) &&
         wire_buffer_append(out, fixed, sizeof(fixed)) &&
         append_text(out, w->user) && append_byte(out, (uint8_t)n) &&
         wire_buffer_append(out, proof, n);
  if (g->flags & FLAG_WITH_DB)
    done = done && append_text(out, w->db);
  if (g->flags & FLAG_PLUGINS)
    done = done && append_text(out, plugins[g->plugin]);
  if (g->flags & FLAG_ATTRIBUTES)
    done = done && wire_buffer_append(out, attributes, sizeof(attributes) - 1);
  if (done)
    close_packet(out, at, g->seq);
  g->stage = GREET_PROOF;
  return sent(g, done);
}

static enum greet_rc take_hello(struct mysql_greet *g, const uint8_t *packet,
                                size_t len, struct wire_buffer *out)
{
  struct hello h;
  char why[64];

  if (*packet != PROTOCOL) {
    g->not_this = true;
    (void)snprintf(why, sizeof(why),
                   "Protocol mismatch. Server Version = %u Client Version = %d",
                   *packet, PROTOCOL);
    return mysqld_greet_fail(g, CODE_PROTOCOL, why);
  }
  if (!read_hello((struct bytes){ packet + 1, packet + len }, &h)) {
    g->not_this = true;
    return mysqld_greet_malformed(g);
  }
  if ((h.flags & FLAGS_NEEDED) != FLAGS_NEEDED || !h.rest)
    return cannot(g, "the server speaks an old version of the protocol");
  g->flags = h.flags & FLAGS;
  if (g->who->db && *g->who->db)
    g->flags |= FLAG_WITH_DB;
  memcpy(g->nonce, h.first, NONCE_FIRST);
  memcpy(g->nonce + NONCE_FIRST, h.rest, SCRAMBLE_NONCE - NONCE_FIRST);
  if (!find_plugin(h.plugin, &g->plugin))
    g->plugin = GREET_NATIVE; /* the server names another one, if it has to */
  return answer_hello(g, out);
}

/* ---- after the proof ---- */

/* The server wants another proof, for another number. */
static enum greet_rc take_switch(struct mysql_greet *g, const uint8_t *packet,
                                 size_t len, struct wire_buffer *out)
{
  const struct bytes name = { packet + 1, packet + len };
  const uint8_t *zero = memchr(name.at, '\0', len - 1);
  uint8_t proof[SCRAMBLE_MAX];
  char why[128];
  size_t n;

  if (len == 1)
    return cannot(g, "the server asks for the login of old versions");
  if (!zero)
    return mysqld_greet_malformed(g);
  if (!find_plugin(name, &g->plugin)) {
    (void)snprintf(why, sizeof(why), "the server asks for a login with %.60s",
                   (const char *)name.at);
    return cannot(g, why);
  }
  if (name.end - zero - 1 < SCRAMBLE_NONCE)
    return mysqld_greet_malformed(g);
  memcpy(g->nonce, zero + 1, SCRAMBLE_NONCE);
  n = prove(g, proof);
  return sent(g, send_packet(out, g->seq, proof, n));
}

/* The server has forgotten what the proof of this user looks like, or never
 * knew. */
static enum greet_rc tell_password(struct mysql_greet *g,
                                   struct wire_buffer *out)
{
  if (!g->who->alone)
    return cannot(g, "the server asks for the whole password");
  g->stage = GREET_PASSWORD;
  return sent(g, send_packet(out, g->seq, g->who->password,
                             strlen(g->who->password) + 1));
}

static enum greet_rc take_more(struct mysql_greet *g, const uint8_t *packet,
                               size_t len, struct wire_buffer *out)
{
  if (g->stage != GREET_PROOF || g->plugin != GREET_SHA2 || len != 2 ||
      !has_password(g))
    return mysqld_greet_malformed(g);
  if (packet[1] == FAST_DONE)
    return GREET_MORE;
  return packet[1] == FAST_NOT ? tell_password(g, out)
                               : mysqld_greet_malformed(g);
}

static enum greet_rc take_verdict(struct mysql_greet *g, const uint8_t *packet,
                                  size_t len, struct wire_buffer *out)
{
  switch (*packet) {
  case GREET_FIRST_OK:
    g->stage = GREET_IDLE;
    g->ready = true;
    return GREET_READY;
  case FIRST_MORE:
    return take_more(g, packet, len, out);
  case GREET_FIRST_END:
    return take_switch(g, packet, len, out);
  default:
    return mysqld_greet_malformed(g);
  }
}

/* ---- packets of the server ---- */

static enum greet_rc take_packet(struct mysql_greet *g, const uint8_t *packet,
                                 size_t len, struct wire_buffer *out)
{
  if (len == 0)
    return mysqld_greet_malformed(g);
  if (g->stage >= GREET_ANSWER)
    return mysqld_greet_answer(g, packet, len);
  if (*packet == GREET_FIRST_ERROR)
    return mysqld_greet_refused(g, packet, len);
  return g->stage == GREET_HELLO ? take_hello(g, packet, len, out)
                                 : take_verdict(g, packet, len, out);
}

static enum greet_rc out_of_step(struct mysql_greet *g)
{
  g->not_this = g->stage == GREET_HELLO;
  g->ready = false;
  return mysqld_greet_malformed(g);
}

enum greet_rc mysqld_greet_take(struct mysql_greet *g, struct wire_buffer *in,
                                struct wire_buffer *out)
{
  const bool login = g->stage < GREET_IDLE;
  enum greet_rc rc = GREET_MORE;

  while (rc == GREET_MORE && wire_buffer_have(in) >= PACKET_HEAD) {
    const uint8_t *const p = in->bytes + in->pos;
    const size_t len = packet_length(p), size = PACKET_HEAD + len;

    if (g->stage == GREET_HELLO && packet_number(p) != 0)
      return out_of_step(g); /* its length means nothing */
    if (size > GREET_MESSAGE_MAX || g->total + size > GREET_TOTAL_MAX)
      return out_of_step(g);
    if (wire_buffer_have(in) < size)
      return GREET_MORE;
    if (packet_number(p) != g->seq &&
        !mysqld_wire_is_farewell(p + PACKET_HEAD, len))
      return out_of_step(g);
    g->seq++;
    g->total += size;
    in->pos += size;
    rc = take_packet(g, p + PACKET_HEAD, len, out);
  }
  /* An answer to a statement that was not sent yet. */
  if (rc == GREET_READY && login && wire_buffer_have(in) > 0)
    return out_of_step(g);
  return rc;
}
