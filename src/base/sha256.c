/*
 * sha256.c - SHA-256, HMAC and PBKDF2. The cpu test measures a hash of its own,
 * which must stay as it is.
 */
#include "base/sha256.h"

#include <endian.h>
#include <string.h>

#include "base/clock.h"

enum {
  CLOCK_EVERY = 1024 /* iterations */
};

/* The cube roots of the first 64 primes, 32 bits after the point. */
static const uint32_t constants[64] = {
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

static inline uint32_t rotate(uint32_t x, unsigned by)
{
  return x >> by | x << (32 - by);
}

static void add_block(uint32_t *state, const uint8_t *block)
{
  uint32_t w[64], s[8];

  for (unsigned i = 0; i < 16; i++) {
    memcpy(&w[i], block + (size_t)i * 4, 4);
    w[i] = be32toh(w[i]);
  }
  for (unsigned i = 16; i < 64; i++) {
    const uint32_t a = w[i - 15], b = w[i - 2];

    w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
           (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  memcpy(s, state, sizeof(s));
  for (unsigned i = 0; i < 64; i++) {
    const uint32_t a = s[0], e = s[4];
    const uint32_t one = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                         ((e & s[5]) ^ (~e & s[6])) + constants[i] + w[i];
    const uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                         ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

    memmove(s + 1, s, 7 * sizeof(s[0]));
    s[4] += one;
    s[0] = one + two;
  }
  for (unsigned i = 0; i < 8; i++)
    state[i] += s[i];
}

void sha256_begin(struct sha256 *h)
{
  /* The square roots of the first 8 primes. */
  static const uint32_t first[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  };

  memcpy(h->of.state, first, sizeof(first));
  h->of.bytes = 0;
}

void sha256_add(struct sha256 *h, const void *bytes, size_t n)
{
  blocks_add(&h->of, add_block, bytes, n);
}

void sha256_end(struct sha256 *h, uint8_t ret[SHA256_BYTES])
{
  blocks_end(&h->of, add_block, htobe64(h->of.bytes * 8));
  for (unsigned i = 0; i < 8; i++) {
    const uint32_t be = htobe32(h->of.state[i]);

    memcpy(ret + (size_t)i * 4, &be, sizeof(be));
  }
}

void sha256(const void *bytes, size_t n, uint8_t ret[SHA256_BYTES])
{
  struct sha256 h;

  sha256_begin(&h);
  sha256_add(&h, bytes, n);
  sha256_end(&h, ret);
}

void hmac_sha256_key(struct hmac_sha256 *k, const void *key, size_t n)
{
  uint8_t inner[BLOCK_BYTES] = { 0 }, outer[BLOCK_BYTES];

  if (n > BLOCK_BYTES)
    sha256(key, n, inner);
  else if (n > 0)
    memcpy(inner, key, n);
  for (unsigned i = 0; i < BLOCK_BYTES; i++) {
    outer[i] = inner[i] ^ 0x5c;
    inner[i] ^= 0x36;
  }
  sha256_begin(&k->inner);
  sha256_add(&k->inner, inner, sizeof(inner));
  sha256_begin(&k->outer);
  sha256_add(&k->outer, outer, sizeof(outer));
}

void hmac_sha256(const struct hmac_sha256 *k, const void *message, size_t n,
                 uint8_t ret[SHA256_BYTES])
{
  struct sha256 h = k->inner;

  sha256_add(&h, message, n);
  sha256_end(&h, ret);
  h = k->outer;
  sha256_add(&h, ret, SHA256_BYTES);
  sha256_end(&h, ret);
}

bool sha256_pbkdf2(const void *password, size_t password_len, const void *salt,
                   size_t salt_len, uint32_t iterations, uint64_t until_ns,
                   uint8_t ret[SHA256_BYTES])
{
  static const uint8_t first_block[4] = { 0, 0, 0, 1 };
  uint8_t u[SHA256_BYTES];
  struct hmac_sha256 key;
  struct sha256 h;

  hmac_sha256_key(&key, password, password_len);
  h = key.inner;
  sha256_add(&h, salt, salt_len);
  sha256_add(&h, first_block, sizeof(first_block));
  sha256_end(&h, u);
  h = key.outer;
  sha256_add(&h, u, sizeof(u));
  sha256_end(&h, u);
  memcpy(ret, u, sizeof(u));
  for (uint32_t i = 1; i < iterations; i++) {
    if (i % CLOCK_EVERY == 0 && clock_now_ns() >= until_ns)
      return false;
    hmac_sha256(&key, u, sizeof(u), u);
    for (unsigned b = 0; b < SHA256_BYTES; b++)
      ret[b] ^= u[b];
  }
  return true;
}
