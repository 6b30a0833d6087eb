/*
 * pieces.h - the bytes of a server in pieces, for targets that are given them
 * in a buffer.
 */
#ifndef TESTS_FUZZ_PIECES_H
#define TESTS_FUZZ_PIECES_H

#include <string.h>

#include "drivers/wire/buffer.h"
#include "fuzz.h"

/* Append a piece, in memory of just the size of what there is then. */
static inline void fuzz_grow(struct wire_buffer *in, const uint8_t *bytes,
                             size_t n)
{
  struct wire_buffer exact = { .pos = 0, .end = in->end - in->pos + n };

  exact.room = exact.end;
  exact.bytes = malloc(exact.room);
  MUST(exact.bytes);
  if (in->end > in->pos)
    memcpy(exact.bytes, in->bytes + in->pos, in->end - in->pos);
  memcpy(exact.bytes + exact.end - n, bytes, n);
  free(in->bytes);
  *in = exact;
}

#endif
