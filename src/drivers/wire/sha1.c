/*
 * sha1.c - SHA-1, which old logins use.
 */
#include "drivers/wire/sha1.h"

#include <endian.h>
#include <string.h>

#include "base/blocks.h"

enum {
  STEPS = 80
};

static inline uint32_t rotate(uint32_t x, unsigned by)
{
  return x << by | x >> (32 - by);
}

/* A function and a constant per quarter: square roots of 2, 3, 5 and 10, 30
 * bits after the point. */
static uint32_t mix(unsigned quarter, uint32_t b, uint32_t c, uint32_t d)
{
  switch (quarter) {
  case 0:
    return ((b & c) | (~b & d)) + 0x5a827999;
  case 1:
    return (b ^ c ^ d) + 0x6ed9eba1;
  case 2:
    return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  default:
    return (b ^ c ^ d) + 0xca62c1d6;
  }
}

static void add_block(uint32_t *state, const uint8_t *block)
{
  uint32_t w[STEPS], v[5];

  memcpy(w, block, BLOCK_BYTES);
  for (unsigned i = 0; i < BLOCK_BYTES / 4; i++)
    w[i] = be32toh(w[i]);
  for (unsigned i = BLOCK_BYTES / 4; i < STEPS; i++)
    w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  memcpy(v, state, sizeof(v));
  for (unsigned i = 0; i < STEPS; i++) {
    const uint32_t sum = rotate(v[0], 5) + v[4] + w[i] +
                         mix(i / (STEPS / 4), v[1], v[2], v[3]);

    v[4] = v[3];
    v[3] = v[2];
    v[2] = rotate(v[1], 30);
    v[1] = v[0];
    v[0] = sum;
  }
  for (unsigned i = 0; i < 5; i++)
    state[i] += v[i];
}

void sha1(const void *a, size_t a_len, const void *b, size_t b_len,
          uint8_t ret[SHA1_BYTES])
{
  struct blocks s = { .state = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
                                 0xc3d2e1f0 } };

  blocks_add(&s, add_block, a, a_len);
  blocks_add(&s, add_block, b, b_len);
  blocks_end(&s, add_block, htobe64(s.bytes * 8));
  for (unsigned i = 0; i < 5; i++) {
    const uint32_t be = htobe32(s.state[i]);

    memcpy(ret + (size_t)i * 4, &be, sizeof(be));
  }
}
