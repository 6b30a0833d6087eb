/*
 * wire_io.h - bytes to and from the socket, and numbers in them.
 */
#ifndef BENCH_DRIVERS_PGSQL_WIRE_IO_H
#define BENCH_DRIVERS_PGSQL_WIRE_IO_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/sock.h"

enum {
  WIRE_HEAD = 5, /* type and length of a message */
  WIRE_MESSAGE_MAX = 0x7fffffff,
  WIRE_KEEP = 1024 * 1024, /* a larger buffer is given back */
};

struct pgsql_wire {
  /* The answer: received up to `end`, consumed up to `pos`. */
  uint8_t *in; /* owned */
  size_t room, pos, end;
  int broken_by; /* errno of the last failed read, 0: the end */
  bool out_of_memory;
  bool more;         /* further results of a text are to be read */
  unsigned requests; /* since the connection was opened, or less */

  /* How the answer is awaited: see pgsql_wire_receive(). */
  bool may_block; /* by a socket in blocking mode */
  bool blocking;  /* it is in that mode now */

  /* The open result set. */
  size_t row_at; /* where to look for the next row */
  uint64_t rows_left;
  unsigned n_fields;

  uint8_t *out; /* owned: what is to be sent */
  size_t out_room;
};

static inline uint8_t *put_u8(uint8_t *to, uint8_t v)
{
  *to = v;
  return to + 1;
}
static inline uint8_t *put_u16(uint8_t *to, unsigned v)
{
  const uint16_t be = htobe16((uint16_t)v);

  memcpy(to, &be, sizeof(be));
  return to + sizeof(be);
}
static inline uint8_t *put_u32(uint8_t *to, uint32_t v)
{
  const uint32_t be = htobe32(v);

  memcpy(to, &be, sizeof(be));
  return to + sizeof(be);
}
static inline unsigned get_u16(const uint8_t *from)
{
  uint16_t be;

  memcpy(&be, from, sizeof(be));
  return be16toh(be);
}
static inline uint32_t get_u32(const uint8_t *from)
{
  uint32_t be;

  memcpy(&be, from, sizeof(be));
  return be32toh(be);
}

/* Room for what is to be sent; false: no memory. */
bool pgsql_wire_out_room(struct pgsql_wire *w, size_t size);

/* Switch to blocking mode or back. */
void pgsql_wire_set_blocking(struct pgsql_wire *w, int fd, bool on);

/* A new exchange: forget the answer before. */
static inline void pgsql_wire_begin(struct pgsql_wire *w, int fd)
{
  if (UNLIKELY(w->blocking != w->may_block))
    pgsql_wire_set_blocking(w, fd, w->may_block);
  w->pos = w->end = 0;
  w->broken_by = 0;
  w->out_of_memory = false;
}

/* `flags` as for send().  False: not all could be sent; reading tells why. */
bool pgsql_wire_send_slow(int fd, const uint8_t *bytes, size_t len, int flags);
static inline bool pgsql_wire_send(int fd, const uint8_t *bytes, size_t len,
                                   int flags)
{
  const ssize_t sent = sock_send(fd, bytes, len, flags);

  return LIKELY(sent == (ssize_t)len) ||
         pgsql_wire_send_slow(fd, bytes + (sent > 0 ? sent : 0),
                              len - (sent > 0 ? (size_t)sent : 0), flags);
}

/*
 * Wait for more of the answer.  What lies before w->pos is dropped unless
 * `keep`.  False: there will be no more, see pgsql_wire_why_broken().
 *
 * The library has made the socket non-blocking, so waiting is poll().  A reader
 * of a TCP socket may as well sleep in recv(), which saves a call; on a Unix
 * socket it would be woken twice, the first time when the server takes the
 * request out of the queue.  That matters where others want the processor.
 */
bool pgsql_wire_receive(struct pgsql_wire *w, int fd, bool keep);

/* In the library's words, so that scripts see the same text either way. */
const char *pgsql_wire_why_broken(const struct pgsql_wire *w);

/* The open result set is over; nothing more is to be read. */
void pgsql_wire_end(struct pgsql_wire *w);
void pgsql_wire_done(struct pgsql_wire *w);

#endif
