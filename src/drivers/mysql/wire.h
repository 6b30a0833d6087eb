/*
 * wire.h - the classic client/server protocol on a plain socket.
 *
 * An answer stays in one buffer: rows are counted, in a few instructions each,
 * and become values when fetched.
 */
#ifndef BENCH_DRIVERS_MYSQL_WIRE_H
#define BENCH_DRIVERS_MYSQL_WIRE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "drivers/mysql/params.h"
#include "drivers/mysql/session.h"
#include "drivers/wire/link.h"

struct column;
struct outcome;

enum {
  PACKET_HEAD = 4,
  PACKET_MAX = 0xffffff,
};

enum wire_command {
  COMMAND_QUIT = 0x01,
  COMMAND_QUERY = 0x03,
  COMMAND_PREPARE = 0x16,
  COMMAND_EXECUTE = 0x17,
  COMMAND_CLOSE = 0x19,
  COMMAND_BULK = 0xfa, /* of MariaDB */
};

/* Room for `len` bytes of a packet; NULL: no memory. */
uint8_t *mysqld_wire_out(struct wire *w, size_t len);
/* The first `len` bytes of mysqld_wire_out(), as number `seq`. */
bool mysqld_wire_send(struct wire *w, const struct wire_link *l, size_t len,
                      unsigned seq);

static inline void packet_head(uint8_t *p, size_t len, unsigned seq)
{
  p[0] = (uint8_t)len;
  p[1] = (uint8_t)(len >> 8);
  p[2] = (uint8_t)(len >> 16);
  p[3] = (uint8_t)seq;
}

/*
 * Before a request: nothing is left of answers.  False: see
 * mysqld_wire_surplus(). Data after an answer costs a system call to see, made
 * now and then.
 */
bool mysqld_wire_look(struct wire *w, const struct wire_link *l);
static inline bool mysqld_wire_is_clear(struct wire *w,
                                        const struct wire_link *l)
{
  if (UNLIKELY(++w->requests % WIRE_LOOK_EVERY == 0) ||
      UNLIKELY(w->in.pos != w->in.end))
    return mysqld_wire_look(w, l);
  return true;
}

static inline void mysqld_wire_forget(struct wire *w)
{
  w->seq = 1;
  wire_buffer_clear(&w->in);
  w->rows_left = 0;
}

/* After mysqld_wire_forget(): an early receive, on which nothing depends.
 * WAITS. */
static inline void mysqld_wire_await(struct wire *w, const struct wire_link *l)
{
  if (LIKELY(w->in.room > 0))
    (void)wire_receive(&w->in, l, w->poll_first);
}

static inline size_t packet_length(const uint8_t *p)
{
  uint32_t head;

  memcpy(&head, p, sizeof(head));
  return le32toh(head) & PACKET_MAX;
}

static inline uint8_t packet_number(const uint8_t *p)
{
  return p[3];
}

/* Complete the packet at w->in.pos.  0, -ENOMEM, or -EPIPE. */
int mysqld_wire_fill(struct wire *w, const struct wire_link *l);

/* Complete and consume the packet.  Its length, or as mysqld_wire_fill();
 * -EPROTO: a wrong number. */
int mysqld_wire_packet_slow(struct wire *w, const struct wire_link *l,
                            const uint8_t **ret);
static inline int mysqld_wire_packet(struct wire *w, const struct wire_link *l,
                                     const uint8_t **ret)
{
  const size_t have = wire_buffer_have(&w->in);

  if (LIKELY(have >= PACKET_HEAD)) {
    const uint8_t *p = w->in.bytes + w->in.pos;
    const size_t len = packet_length(p);

    if (LIKELY(have - PACKET_HEAD >= len && packet_number(p) == w->seq)) {
      *ret = p + PACKET_HEAD;
      w->seq++;
      w->in.pos += PACKET_HEAD + len;
      return (int)len;
    }
  }
  return mysqld_wire_packet_slow(w, l, ret);
}

/* An error that ends the session, which comes at any time, with any number. */
bool mysqld_wire_is_farewell(const uint8_t *packet, size_t len);

/* Give large buffers back; of a light session, all that a waiting client does
 * not need. */
void mysqld_wire_trim(struct wire *w);
/* One of many sessions, most of which wait.  Nothing is being received. */
void mysqld_wire_lighten(struct wire *w);
void mysqld_wire_done(struct wire *w);

/* Patch values into p->frame.  False: no frame, or a NULL, which changes the
 * form. */
static inline bool mysqld_wire_patch(const struct mysql_prepared *p)
{
  const sql_bind *b = p->base.binds;
  const unsigned n = p->base.n_binds;
  uint8_t *to;

  if (UNLIKELY(!p->frame || !p->types_sent))
    return false;
  to = p->frame + p->frame_values;
  for (unsigned i = 0; i < n; i++, to += sizeof(uint64_t)) {
    uint64_t v;

    if (UNLIKELY(!b[i].buffer || (b[i].is_null && *b[i].is_null)))
      return false;
    memcpy(&v, b[i].buffer, sizeof(v));
    put_le64(to, v);
  }
  return true;
}

/* Upper bound of what mysqld_wire_put_execute() writes. */
size_t mysqld_wire_execute_size(const struct mysql_prepared *p);
/* Write a command that will be sent: the server has the types afterwards. */
size_t mysqld_wire_put_execute(struct mysql_prepared *p, uint8_t *to);

/* Read one result; `p` is NULL for direct statements.  0 or -1. */
int mysqld_wire_result(struct mysql_session *s, struct mysql_prepared *p,
                       struct outcome *out);

/* Write what precedes a text; returns its bytes, 3 at most. */
static inline size_t mysqld_wire_head(const struct wire *w,
                                      enum wire_command command, uint8_t *to)
{
  to[0] = (uint8_t)command;
  if (command != COMMAND_QUERY || !w->forms.attributes)
    return 1;
  to[1] = 0; /* parameters */
  to[2] = 1; /* sets */
  return 3;
}
/* 0 or -1. */
int mysqld_wire_send_text(struct mysql_session *s, enum wire_command command,
                          const char *text, size_t len, struct outcome *out);
/* `rc` is an error of mysqld_wire_fill() or of its users. */
int mysqld_wire_failed(struct mysql_session *s, int rc, struct outcome *out);
/* mysqld_wire_is_clear() was false.  Returns -1. */
int mysqld_wire_surplus(struct mysql_session *s, struct outcome *out);
/* The packet begins with FIRST_ERROR.  Returns -1. */
int mysqld_wire_refused(struct mysql_session *s, const uint8_t *packet,
                        size_t len, struct outcome *out);

#endif
