/*
 * blocks.c - feeds a hash with whole blocks.
 */
#include "base/blocks.h"

#include <string.h>

enum {
  LENGTH_AT = BLOCK_BYTES - 8, /* of the message length, in the last block */
};

void blocks_add(struct blocks *b, block_step *step, const void *bytes, size_t n)
{
  const uint8_t *from = bytes;

  while (n > 0) {
    const size_t at = b->bytes % BLOCK_BYTES;
    const size_t some = n < BLOCK_BYTES - at ? n : BLOCK_BYTES - at;

    memcpy(b->block + at, from, some);
    b->bytes += some;
    from += some;
    n -= some;
    if (at + some == BLOCK_BYTES)
      step(b->state, b->block);
  }
}

void blocks_end(struct blocks *b, block_step *step, uint64_t bits)
{
  size_t at = b->bytes % BLOCK_BYTES;

  b->block[at++] = 0x80;
  if (at > LENGTH_AT) {
    memset(b->block + at, 0, BLOCK_BYTES - at);
    step(b->state, b->block);
    at = 0;
  }
  memset(b->block + at, 0, LENGTH_AT - at);
  memcpy(b->block + LENGTH_AT, &bits, sizeof(bits));
  step(b->state, b->block);
}
