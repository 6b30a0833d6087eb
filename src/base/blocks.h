/*
 * blocks.h - the blocks of 64 bytes of a message that is hashed, as MD5, SHA-1
 * and SHA-256 share them.
 *
 * All three read the message in such blocks, and end it with one bit, zeros and
 * its length.  They differ in what a block does to the state, and in the order
 * of the bytes of a number.
 */
#ifndef BENCH_BASE_BLOCKS_H
#define BENCH_BASE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

enum {
  BLOCK_BYTES = 64,
  BLOCK_STATE = 8, /* numbers of the longest state */
};

struct blocks {
  uint32_t state[BLOCK_STATE];
  uint64_t bytes;             /* that were added */
  uint8_t block[BLOCK_BYTES]; /* the last, incomplete one */
};

/* What a hash does with a block. */
typedef void block_step(uint32_t *state, const uint8_t *block);

void blocks_add(struct blocks *b, block_step *step, const void *bytes,
                size_t n);

/* After the last byte.  `bits`, 8 for each byte added, is in the hash's order.
 */
void blocks_end(struct blocks *b, block_step *step, uint64_t bits);

#endif
