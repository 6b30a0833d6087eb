/*
 * wire_io.h - packets of the classic client/server protocol on a plain socket.
 *
 * An answer is read into one buffer and stays there: rows are only counted,
 * which takes a few instructions each, and turned into values when somebody
 * fetches them.  In the long run nothing is allocated.
 */
#ifndef BENCH_DRIVERS_MYSQL_WIRE_IO_H
#define BENCH_DRIVERS_MYSQL_WIRE_IO_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/sock.h"
#include "base/strbuf.h"

struct mysql_prepared;

/* Forms of packets that were agreed upon at the login. */
struct wire_forms {
  bool no_eof;     /* nothing between columns and rows; rows end with an OK */
  bool attributes; /* statements tell the number of their parameters */
};

struct wire {
  struct wire_forms forms;
  bool poll_first; /* how an answer is awaited: see mysqld_wire_fill() */
  bool large;      /* a buffer has become so large that it is given back */

  /* What has been received: consumed up to `pos`. */
  uint8_t *buf; /* owned */
  size_t room, pos, end;
  uint8_t seq;      /* number of the next packet */
  uint8_t requests; /* since the connection was opened, modulo 256 */

  /* The open result set. */
  size_t next_row; /* offset of its packet */
  uint64_t rows_left;
  uint32_t nfields;
  struct mysql_prepared *from; /* whose result it is; NULL: text values */
  struct strbuf big;           /* a row of several packets */

  /* What is to be sent: a packet header and the rest. */
  uint8_t *out; /* owned */
  size_t out_room;
};

enum {
  PACKET_HEAD = 4,
  PACKET_MAX = 0xffffff, /* a packet of this length has a continuation */
};

/* Room for a packet of `len` bytes: its first byte; NULL: no memory. */
uint8_t *mysqld_wire_out(struct wire *w, size_t len);
/* Send the first `len` bytes written there, as number `seq` of an exchange;
 * false: it cannot be sent. */
bool mysqld_wire_send(struct wire *w, int fd, size_t len, unsigned seq);
/* Send bytes that are complete packets. */
bool mysqld_wire_send_slow(int fd, const uint8_t *p, size_t n, int flags);
static inline bool mysqld_wire_send_bytes(int fd, const uint8_t *p, size_t n)
{
  const ssize_t sent = sock_send(fd, p, n, 0);

  return LIKELY(sent == (ssize_t)n) ||
         mysqld_wire_send_slow(fd, p + (sent > 0 ? sent : 0),
                               n - (sent > 0 ? (size_t)sent : 0), 0);
}

static inline void packet_head(uint8_t *p, size_t len, unsigned seq)
{
  p[0] = (uint8_t)len;
  p[1] = (uint8_t)(len >> 8);
  p[2] = (uint8_t)(len >> 16);
  p[3] = (uint8_t)seq;
}

/* Every so many requests the socket is looked at before one is sent. */
#define WIRE_LOOK_EVERY 64

/*
 * Nothing is left of the answers before, so that a request can be sent.  False:
 * mysqld_wire_surplus() says why.  What a server sends later than its answer
 * can only be seen by a system call of its own, which is made now and then.
 */
bool mysqld_wire_look(struct wire *w, int fd);
static inline bool mysqld_wire_is_clear(struct wire *w, int fd)
{
  if (UNLIKELY(++w->requests % WIRE_LOOK_EVERY == 0) ||
      UNLIKELY(w->pos != w->end))
    return mysqld_wire_look(w, fd);
  return true;
}

/* An answer is going to be read; what was received before is forgotten. */
static inline void mysqld_wire_forget(struct wire *w)
{
  w->seq = 1;
  w->pos = 0;
  w->end = 0;
  w->rows_left = 0;
}

/*
 * At least `n` bytes are there from w->pos on.  0, -ENOMEM, or -EPIPE: no more
 * comes.
 *
 * A reader that sleeps in recv() on a Unix socket is woken twice, the first
 * time when the server takes the request out of the queue.  One that sleeps in
 * poll() is not, which is worth the further call where others want the
 * processor: with `poll_first`.
 */
int mysqld_wire_fill(struct wire *w, int fd, size_t n);
/*
 * Await an answer, and read what of it has come, after mysqld_wire_forget(): a
 * quick first step, on which nothing depends.
 */
void mysqld_wire_await(struct wire *w, int fd);

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

/* The whole packet at w->pos is there, and it is the next one; w->pos moves
 * behind it.  Its length, or as mysqld_wire_fill(); -EPROTO: it is another one.
 */
int mysqld_wire_packet_slow(struct wire *w, int fd, const uint8_t **ret);
static inline int mysqld_wire_packet(struct wire *w, int fd,
                                     const uint8_t **ret)
{
  const size_t have = w->end - w->pos;

  if (LIKELY(have >= PACKET_HEAD)) {
    const uint8_t *p = w->buf + w->pos;
    const size_t len = packet_length(p);

    if (LIKELY(have - PACKET_HEAD >= len && packet_number(p) == w->seq)) {
      *ret = p + PACKET_HEAD;
      w->seq++;
      w->pos += PACKET_HEAD + len;
      return (int)len;
    }
  }
  return mysqld_wire_packet_slow(w, fd, ret);
}

/* The packet is an error with which a server ends a session; such a one comes
 * at any time, and with any number. */
bool mysqld_wire_is_farewell(const uint8_t *packet, size_t len);

/* Give back what an unusually large answer took. */
void mysqld_wire_trim(struct wire *w);
void mysqld_wire_done(struct wire *w);

#endif
