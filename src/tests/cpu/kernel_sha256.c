/*
 * kernel_sha256.c - sha256: the hash of signatures and certificates.
 */
#include "tests/cpu/kernel_sha256.h"

#include <string.h>

#include "tests/cpu/kernel.h"
#include "tests/cpu/kernel_data.h"

/* The cube roots of the first 64 primes, 32 bits after the point. */
const uint32_t cpu_sha256_constants[64] CACHE_ALIGNED = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
  0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
  0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
  0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
  0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
  0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* The square roots of the first 8. */
static const uint32_t first_state[8] = {
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static uint32_t rotate(uint32_t x, unsigned by)
{
  return x >> by | x << (32 - by);
}

/*
 * Computes the message of a block: its 16 words, and 48 more that follow from
 * them.
 */
static void expand(uint32_t w[64], const unsigned char *block)
{
  for (unsigned i = 0; i < 16; i++)
    w[i] = cpu_load_be32(block + (size_t)i * 4);
  for (unsigned i = 16; i < 64; i++) {
    const uint32_t a = w[i - 15], b = w[i - 2];

    w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
           (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
}

static void add_block(uint32_t state[8], const unsigned char *block)
{
  uint32_t w[64], s[8];

  expand(w, block);
  memcpy(s, state, sizeof(s));
  for (unsigned i = 0; i < 64; i++) {
    const uint32_t a = s[0], e = s[4];
    const uint32_t one = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                         ((e & s[5]) ^ (~e & s[6])) + cpu_sha256_constants[i] +
                         w[i];
    const uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                         ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

    s[7] = s[6];
    s[6] = s[5];
    s[5] = e;
    s[4] = s[3] + one;
    s[3] = s[2];
    s[2] = s[1];
    s[1] = a;
    s[0] = one + two;
  }
  for (unsigned i = 0; i < 8; i++)
    state[i] += s[i];
}

static void add_blocks(uint32_t state[8], const unsigned char *block, size_t n)
{
  for (; n > 0; n--, block += SHA_BLOCK)
    add_block(state, block);
}

static int prepare(void *mem, struct err *err)
{
  struct sha_data *d = mem;
  uint64_t state = 31;

  (void)err;
  for (unsigned i = 0; i < SHA_BYTES; i += 8)
    cpu_store_le64(d->bytes + i, cpu_noise(&state));
  return 0;
}

/*
 * The last block has only the length in bits, because the data fill the others.
 */
uint64_t cpu_sha256_round(const struct sha_data *d,
                          void (*add)(uint32_t state[8],
                                      const unsigned char *block, size_t n))
{
  unsigned char last[SHA_BLOCK] = { 0x80 };
  uint32_t state[8];

  memcpy(state, first_state, sizeof(state));
  for (unsigned i = 0; i < SHA_TIMES; i++)
    add(state, d->bytes, SHA_BYTES / SHA_BLOCK);
  cpu_store_be32(last + SHA_BLOCK - 4, (uint32_t)SHA_BYTES * SHA_TIMES * 8);
  add(state, last, 1);
  return (uint64_t)state[0] << 32 | state[1];
}

static uint64_t run(void *mem)
{
  return cpu_sha256_round(mem, add_blocks);
}

const struct cpu_kernel cpu_kernel_sha256 = {
  .name = "sha256",
  .unit = "byte",
  .operations = (uint64_t)SHA_BYTES * SHA_TIMES,
  .result = UINT64_C(0x1d4db7c8c445f012), /* the first 8 bytes of the hash */
  .bytes = sizeof(struct sha_data),
  .prepare = prepare,
  .portable = { .name = "portable", .run = run },
  .fast = &cpu_sha256_fast,
};
