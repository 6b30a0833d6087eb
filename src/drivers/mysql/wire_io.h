/*
 * wire_io.h - packets of the classic client/server protocol on a plain socket.
 *
 * An answer is read into one buffer and stays there: rows are only counted,
 * which takes a few instructions each, and turned into values when somebody
 * fetches them.
 */
#ifndef BENCH_DRIVERS_MYSQL_WIRE_IO_H
#define BENCH_DRIVERS_MYSQL_WIRE_IO_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "drivers/wire/link.h"
#include "drivers/wire/pipe.h"

struct mysql_prepared;

/* Forms of packets that were agreed upon at the login. */
struct wire_forms {
  bool no_eof;     /* nothing between columns and rows; rows end with an OK */
  bool attributes; /* statements tell the number of their parameters */
};

struct wire {
  struct wire_forms forms;
  bool poll_first; /* how an answer is awaited: see wire_receive() */
  bool large;      /* a buffer has become so large that it is given back */
  bool light;      /* a buffer that is large for a client is: see fill() */
  bool bulk;       /* the server takes many rows for one statement */

  struct wire_buffer in;
  uint8_t seq;      /* number of the next packet */
  uint8_t requests; /* since the connection was opened, modulo 256 */

  /* The open result set. */
  size_t next_row; /* offset of its packet */
  uint64_t rows_left;
  uint32_t nfields;
  struct mysql_prepared *from; /* whose result it is; NULL: text values */
  struct strbuf big;           /* a row of several packets */

  struct wire_buffer out; /* a packet header and the rest */
  struct wire_pipe pipe;
};

enum {
  PACKET_HEAD = 4,
  PACKET_MAX = 0xffffff, /* a packet of this length has a continuation */
};

enum wire_command {
  COMMAND_QUIT = 0x01,
  COMMAND_QUERY = 0x03,
  COMMAND_PREPARE = 0x16,
  COMMAND_EXECUTE = 0x17,
  COMMAND_CLOSE = 0x19,
  COMMAND_BULK = 0xfa, /* of MariaDB */
};

/* Room for a packet of `len` bytes: its first byte; NULL: no memory. */
uint8_t *mysqld_wire_out(struct wire *w, size_t len);
/* Send the first `len` bytes written there, as number `seq` of an exchange;
 * false: it cannot be sent. */
bool mysqld_wire_send(struct wire *w, int fd, size_t len, unsigned seq);

static inline void packet_head(uint8_t *p, size_t len, unsigned seq)
{
  p[0] = (uint8_t)len;
  p[1] = (uint8_t)(len >> 8);
  p[2] = (uint8_t)(len >> 16);
  p[3] = (uint8_t)seq;
}

/*
 * Nothing is left of the answers before, so that a request can be sent.  False:
 * mysqld_wire_surplus() says why.  What a server sends later than its answer
 * can only be seen by a system call of its own, which is made now and then.
 */
bool mysqld_wire_look(struct wire *w, int fd);
static inline bool mysqld_wire_is_clear(struct wire *w, int fd)
{
  if (UNLIKELY(++w->requests % WIRE_LOOK_EVERY == 0) ||
      UNLIKELY(w->in.pos != w->in.end))
    return mysqld_wire_look(w, fd);
  return true;
}

/* An answer is going to be read; what was received before is forgotten. */
static inline void mysqld_wire_forget(struct wire *w)
{
  w->seq = 1;
  wire_buffer_clear(&w->in);
  w->rows_left = 0;
}

/*
 * Await an answer, and read what of it has come, after mysqld_wire_forget(): a
 * quick first step, on which nothing depends.
 */
static inline void mysqld_wire_await(struct wire *w, int fd)
{
  if (LIKELY(w->in.room > 0))
    (void)wire_receive(&w->in, fd, w->poll_first);
}

/* Length of the packet at `p`. */
static inline size_t packet_length(const uint8_t *p)
{
  uint32_t head;

  memcpy(&head, p, sizeof(head));
  return le32toh(head) & PACKET_MAX;
}

/* Number of the packet at `p`. */
static inline uint8_t packet_number(const uint8_t *p)
{
  return p[3];
}

/* Receive until the packet at w->in.pos is complete.  0, -ENOMEM, or -EPIPE: no
 * more comes. */
int mysqld_wire_fill(struct wire *w, int fd);

/* Complete the packet at w->in.pos, which has to be the next one, and consume
 * it.  Its length, or as mysqld_wire_fill(); -EPROTO: it is another one. */
int mysqld_wire_packet_slow(struct wire *w, int fd, const uint8_t **ret);
static inline int mysqld_wire_packet(struct wire *w, int fd,
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
  return mysqld_wire_packet_slow(w, fd, ret);
}

/* The packet is an error with which a server ends a session; such a one comes
 * at any time, and with any number. */
bool mysqld_wire_is_farewell(const uint8_t *packet, size_t len);

/* Give back what an unusually large answer took; of a raw session, what a
 * waiting client does not need. */
void mysqld_wire_trim(struct wire *w);
/* From now on there are many sessions, most of which wait; nothing is being
 * received. */
void mysqld_wire_lighten(struct wire *w);
void mysqld_wire_done(struct wire *w);

#endif
