#include "base/digest.h"

#include <endian.h>
#include <string.h>

#include "base/clock.h"

/* ---- blocks of 64 bytes: the message, one bit, zeros, its length ---- */

typedef void block_step(uint32_t *state, const uint8_t *block);

enum {
  LENGTH_AT = BLOCK_BYTES - 8, /* where the last block has the message length */
};

static void blocks_add(struct blocks *b, block_step *step, const void *bytes,
                       size_t n)
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

/* `bits`, 8 for each byte added, is in the hash's byte order. */
static void blocks_end(struct blocks *b, block_step *step, uint64_t bits)
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

/* Words of the state, in the hash's byte order. */
static void blocks_put(const struct blocks *b, unsigned words, bool little,
                       uint8_t *ret)
{
  for (unsigned i = 0; i < words; i++) {
    const uint32_t word = little ? htole32(b->state[i]) : htobe32(b->state[i]);

    memcpy(ret + (size_t)i * 4, &word, sizeof(word));
  }
}

/* ---- MD5 ---- */

/* 2^32 times the absolute sine of 1 to 64. */
static const uint32_t sines[64] = {
  0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
  0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
  0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
  0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
  0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
  0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
  0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
  0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
  0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
  0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
  0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static void digest_md5_block(uint32_t *state, const uint8_t *block)
{
  /* Per quarter: four repeated shifts, a function, and an order of words. */
  static const uint8_t shift[4][4] = {
    { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 }
  };
  static const uint8_t factor[4] = { 1, 5, 3, 7 }, start[4] = { 0, 1, 5, 0 };
  uint32_t w[16], a = state[0], b = state[1], c = state[2], d = state[3];

  memcpy(w, block, sizeof(w));
  for (unsigned i = 0; i < 64; i++) {
    const unsigned quarter = i / 16, by = shift[quarter][i % 4];
    const uint32_t word = le32toh(
      w[(factor[quarter] * i + start[quarter]) % 16]);
    uint32_t f;

    if (quarter == 0)
      f = (b & c) | (~b & d);
    else if (quarter == 1)
      f = (d & b) | (~d & c);
    else if (quarter == 2)
      f = b ^ c ^ d;
    else
      f = c ^ (b | ~d);
    f += a + sines[i] + word;
    a = d;
    d = c;
    c = b;
    b += f << by | f >> (32 - by);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

void digest_md5(const void *a, size_t a_len, const void *b, size_t b_len,
                uint8_t ret[MD5_BYTES])
{
  struct blocks s = { .state = { 0x67452301, 0xefcdab89, 0x98badcfe,
                                 0x10325476 } };

  blocks_add(&s, digest_md5_block, a, a_len);
  blocks_add(&s, digest_md5_block, b, b_len);
  blocks_end(&s, digest_md5_block, htole64(s.bytes * 8));
  blocks_put(&s, 4, true, ret);
}

void digest_md5_digits(const void *a, size_t a_len, const void *b, size_t b_len,
                       char ret[MD5_DIGITS])
{
  static const char digits[] = "0123456789abcdef";
  uint8_t hash[MD5_BYTES];

  digest_md5(a, a_len, b, b_len, hash);
  for (size_t i = 0; i < MD5_BYTES; i++) {
    ret[2 * i] = digits[hash[i] >> 4];
    ret[2 * i + 1] = digits[hash[i] & 15];
  }
}

/* ---- SHA-1 ---- */

enum {
  SHA1_STEPS = 80
};

static inline uint32_t sha1_rotate(uint32_t x, unsigned by)
{
  return x << by | x >> (32 - by);
}

/* A function and a constant per quarter: square roots of 2, 3, 5 and 10, 30
 * bits after the point. */
static uint32_t sha1_mix(unsigned quarter, uint32_t b, uint32_t c, uint32_t d)
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

static void sha1_block(uint32_t *state, const uint8_t *block)
{
  uint32_t w[SHA1_STEPS], v[5];

  memcpy(w, block, BLOCK_BYTES);
  for (unsigned i = 0; i < BLOCK_BYTES / 4; i++)
    w[i] = be32toh(w[i]);
  for (unsigned i = BLOCK_BYTES / 4; i < SHA1_STEPS; i++)
    w[i] = sha1_rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  memcpy(v, state, sizeof(v));
  for (unsigned i = 0; i < SHA1_STEPS; i++) {
    const uint32_t sum = sha1_rotate(v[0], 5) + v[4] + w[i] +
                         sha1_mix(i / (SHA1_STEPS / 4), v[1], v[2], v[3]);

    v[4] = v[3];
    v[3] = v[2];
    v[2] = sha1_rotate(v[1], 30);
    v[1] = v[0];
    v[0] = sum;
  }
  for (unsigned i = 0; i < 5; i++)
    state[i] += v[i];
}

void digest_sha1(const void *a, size_t a_len, const void *b, size_t b_len,
                 uint8_t ret[SHA1_BYTES])
{
  struct blocks s = { .state = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
                                 0xc3d2e1f0 } };

  blocks_add(&s, sha1_block, a, a_len);
  blocks_add(&s, sha1_block, b, b_len);
  blocks_end(&s, sha1_block, htobe64(s.bytes * 8));
  blocks_put(&s, 5, false, ret);
}

/* ---- SHA-256; the cpu test has a hash of its own ---- */

enum {
  CLOCK_EVERY = 1024 /* iterations */
};

/* The cube roots of the first 64 primes, 32 bits after the point. */
static const uint32_t sha256_roots[64] = {
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

static inline uint32_t digest_sha256_rotate(uint32_t x, unsigned by)
{
  return x >> by | x << (32 - by);
}

static void digest_sha256_block(uint32_t *state, const uint8_t *block)
{
  uint32_t w[64], s[8];

  for (unsigned i = 0; i < 16; i++) {
    memcpy(&w[i], block + (size_t)i * 4, 4);
    w[i] = be32toh(w[i]);
  }
  for (unsigned i = 16; i < 64; i++) {
    const uint32_t a = w[i - 15], b = w[i - 2];

    w[i] = w[i - 16] + w[i - 7] +
           (digest_sha256_rotate(a, 7) ^ digest_sha256_rotate(a, 18) ^ a >> 3) +
           (digest_sha256_rotate(b, 17) ^ digest_sha256_rotate(b, 19) ^
            b >> 10);
  }
  memcpy(s, state, sizeof(s));
  for (unsigned i = 0; i < 64; i++) {
    const uint32_t a = s[0], e = s[4];
    const uint32_t one = s[7] +
                         (digest_sha256_rotate(e, 6) ^
                          digest_sha256_rotate(e, 11) ^
                          digest_sha256_rotate(e, 25)) +
                         ((e & s[5]) ^ (~e & s[6])) + sha256_roots[i] + w[i];
    const uint32_t two = (digest_sha256_rotate(a, 2) ^
                          digest_sha256_rotate(a, 13) ^
                          digest_sha256_rotate(a, 22)) +
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
  blocks_add(&h->of, digest_sha256_block, bytes, n);
}

void sha256_end(struct sha256 *h, uint8_t ret[SHA256_BYTES])
{
  blocks_end(&h->of, digest_sha256_block, htobe64(h->of.bytes * 8));
  blocks_put(&h->of, 8, false, ret);
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
