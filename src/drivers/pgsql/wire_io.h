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
#include "drivers/wire/buffer.h"
#include "drivers/wire/link.h"
#include "drivers/wire/pipe.h"

enum {
  WIRE_HEAD = 5, /* type and length of a message */
  WIRE_MESSAGE_MAX = 0x7fffffff,
};

struct pgsql_wire {
  struct wire_buffer in;
  int broken_by;     /* errno of the last failed read, 0: the end */
  bool more;         /* further results of a text are to be read */
  bool small;        /* there are many sessions: see wire_buffer_shrink() */
  unsigned requests; /* since the connection was opened, or less */

  /* How the answer is awaited: see pgsql_wire_receive(). */
  bool may_block; /* by a socket in blocking mode */
  bool blocking;  /* it is in that mode now */

  /* The open result set. */
  size_t row_at; /* where to look for the next row */
  uint64_t rows_left;
  unsigned n_fields;

  struct wire_buffer out;
  struct wire_pipe pipe;
  bool was_aborted; /* the transaction, when the pipeline began */
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

/* A message with its type; `head` are its first WIRE_HEAD bytes. */
static inline size_t message_size(const uint8_t *head)
{
  return 1 + (size_t)get_u32(head + 1);
}

/* Switch to blocking mode or back. */
void pgsql_wire_set_blocking(struct pgsql_wire *w, int fd, bool on);

/* A new exchange: forget the answer before. */
static inline void pgsql_wire_begin(struct pgsql_wire *w, int fd)
{
  if (UNLIKELY(w->blocking != w->may_block))
    pgsql_wire_set_blocking(w, fd, w->may_block);
  wire_buffer_clear(&w->in);
  w->broken_by = 0;
}

/*
 * Wait for more of the answer, of which `size` bytes from w->in.pos on are
 * wanted.  What lies before w->in.pos is dropped unless `keep`.  False: there
 * will be no more, see pgsql_wire_why_broken().
 *
 * The library has made the socket non-blocking, so waiting is poll().  A reader
 * of a TCP socket may as well sleep in recv(), which saves a call; on a Unix
 * socket that is not always good, see wire_receive().
 */
bool pgsql_wire_receive(struct pgsql_wire *w, int fd, size_t size, bool keep);

/* In the library's words, so that scripts see the same text either way. */
const char *pgsql_wire_why_broken(const struct pgsql_wire *w);

/* The open result set is over; nothing more is to be read. */
void pgsql_wire_end(struct pgsql_wire *w);
void pgsql_wire_done(struct pgsql_wire *w);

#endif
