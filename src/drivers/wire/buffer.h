/*
 * buffer.h - a buffer that grows, for bytes from a socket or to it.
 *
 * It is all zero at first.  An answer stays in it, and the session remembers
 * positions in the answer, so that reading can go on later from there.  In the
 * long run nothing is allocated: see also loop_take_block().
 */
#ifndef BENCH_DRIVERS_WIRE_BUFFER_H
#define BENCH_DRIVERS_WIRE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum {
  WIRE_LEAST = 256,        /* bytes at first of what is sent; they double */
  WIRE_FIRST = 1024,       /* ... of what is received */
  WIRE_KEEP = 1024 * 1024, /* a larger buffer is given back */
};

/* What was received ends at `end`, and is consumed up to `pos`.  A buffer of
 * bytes to be sent has only room. */
struct wire_buffer {
  uint8_t *bytes; /* owned */
  size_t room, pos, end;
  uint8_t *first; /* [opt] owned: WIRE_FIRST bytes, while `bytes` is a block of
                   * the loop */
};

/* Have room for `need` bytes in all; false: no memory, and nothing changes. */
bool wire_buffer_grow(struct wire_buffer *b, size_t need);
static inline bool wire_buffer_reserve(struct wire_buffer *b, size_t need)
{
  return LIKELY(need <= b->room) || wire_buffer_grow(b, need);
}

/* Add bytes behind the end; false: no memory, and nothing changes. */
bool wire_buffer_append(struct wire_buffer *b, const void *bytes, size_t n);

/*
 * Have room for at least one more byte after `end`; false: no memory.  `n`
 * bytes from `pos` on are wanted.  The buffer grows with what has arrived,
 * whatever lengths a server claims.
 */
static inline bool wire_buffer_extend(struct wire_buffer *b, size_t n)
{
  const size_t left = b->room - b->end;

  if (LIKELY(left > 0 && (left >= b->room / 4 || b->room - b->pos >= n)))
    return true;
  return wire_buffer_grow(b, b->room ? b->room + 1 : WIRE_FIRST);
}

static inline size_t wire_buffer_have(const struct wire_buffer *b)
{
  return b->end - b->pos;
}

static inline void wire_buffer_clear(struct wire_buffer *b)
{
  b->pos = 0;
  b->end = 0;
}

/* What follows `to` moves to `from`; the caller sets `pos`. */
void wire_buffer_cut(struct wire_buffer *b, size_t from, size_t to);

/* Give the memory back if there is unusually much of it; the content goes. */
void wire_buffer_trim(struct wire_buffer *b);
/*
 * Go back to WIRE_FIRST bytes; the content goes.  For sessions that are many:
 * of those in a thread, only the one that reads an answer has a large buffer,
 * which the next one takes over.
 */
void wire_buffer_shrink(struct wire_buffer *b);
void wire_buffer_done(struct wire_buffer *b);

#endif
