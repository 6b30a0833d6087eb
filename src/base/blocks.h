/*
 * blocks.h - the 64-byte blocks of MD5, SHA-1 and SHA-256: the message, one
 * bit, zeros, its length.
 */
#ifndef BENCH_BASE_BLOCKS_H
#define BENCH_BASE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

enum {
  BLOCK_BYTES = 64,
  BLOCK_STATE = 8,
};

struct blocks {
  uint32_t state[BLOCK_STATE];
  uint64_t bytes;             /* added so far */
  uint8_t block[BLOCK_BYTES]; /* the last, incomplete block */
};

typedef void block_step(uint32_t *state, const uint8_t *block);

void blocks_add(struct blocks *b, block_step *step, const void *bytes,
                size_t n);

/* `bits`, 8 for each byte added, is in the hash's byte order. */
void blocks_end(struct blocks *b, block_step *step, uint64_t bits);

#endif
