/*
 * md5.c - MD5, which old logins use.
 */
#include "drivers/wire/md5.h"

#include <endian.h>
#include <string.h>

#include "base/blocks.h"

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

static void add_block(uint32_t *state, const uint8_t *block)
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

void md5(const void *a, size_t a_len, const void *b, size_t b_len,
         uint8_t ret[MD5_BYTES])
{
  struct blocks s = { .state = { 0x67452301, 0xefcdab89, 0x98badcfe,
                                 0x10325476 } };

  blocks_add(&s, add_block, a, a_len);
  blocks_add(&s, add_block, b, b_len);
  blocks_end(&s, add_block, htole64(s.bytes * 8));
  for (unsigned i = 0; i < 4; i++) {
    const uint32_t le = htole32(s.state[i]);

    memcpy(ret + (size_t)i * 4, &le, sizeof(le));
  }
}

void md5_digits(const void *a, size_t a_len, const void *b, size_t b_len,
                char ret[MD5_DIGITS])
{
  static const char digits[] = "0123456789abcdef";
  uint8_t hash[MD5_BYTES];

  md5(a, a_len, b, b_len, hash);
  for (size_t i = 0; i < MD5_BYTES; i++) {
    ret[2 * i] = digits[hash[i] >> 4];
    ret[2 * i + 1] = digits[hash[i] & 15];
  }
}
