/*
 * buffer.h - a buffer that grows, for bytes from a socket or to a socket.
 *
 * A zeroed one is valid.  Answers stay, and sessions remember positions.  In
 * the long run nothing is allocated: see loop_take_block().
 */
#ifndef BENCH_DRIVERS_WIRE_BUFFER_H
#define BENCH_DRIVERS_WIRE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum {
  WIRE_LEAST = 256,        /* first size for sending; sizes double */
  WIRE_FIRST = 1024,       /* first size for receiving */
  WIRE_KEEP = 1024 * 1024, /* larger buffers are given back */
};

/* Received: up to `end`, consumed up to `pos`. */
struct wire_buffer {
  uint8_t *bytes; /* owned */
  size_t room, pos, end;
  uint8_t *first; /* [opt] owned: WIRE_FIRST bytes, while `bytes` is a block of
                   * the loop */
};

/* Have `need` bytes in all; false: no memory, and nothing changes. */
bool wire_buffer_grow(struct wire_buffer *b, size_t need);
static inline bool wire_buffer_reserve(struct wire_buffer *b, size_t need)
{
  return LIKELY(need <= b->room) || wire_buffer_grow(b, need);
}

/* False: no memory, and nothing changes. */
bool wire_buffer_append(struct wire_buffer *b, const void *bytes, size_t n);

/*
 * Room for one more byte at least; false: no memory.  `n` bytes from `pos` on
 * are wanted, but growth follows what has arrived, whatever lengths a server
 * claims.
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

/* Move the bytes from `to` on to `from`; the caller sets `pos`. */
void wire_buffer_cut(struct wire_buffer *b, size_t from, size_t to);

/* Give unusually much memory back, with the content. */
void wire_buffer_trim(struct wire_buffer *b);
/* WIRE_FIRST bytes again, without content: of many sessions in a thread, only
 * the one that reads has a large buffer, and hands it on. */
void wire_buffer_shrink(struct wire_buffer *b);
void wire_buffer_done(struct wire_buffer *b);

#endif
