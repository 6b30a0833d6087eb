/*
 * text.c - eight characters at a time. A mask marks the bytes of a word that
 * become digits. Throwing away digits drawn for other bytes is cheaper than a
 * branch for every character.
 */
#include "stats/rand/text.h"

#include <stdbool.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/word.h"
#include "stats/rand/rng.h"

/* 0xFF in every byte that equals `byte`, 0 in the others. */
static uint64_t mask_of(uint64_t word, uint64_t byte)
{
  const uint64_t diff = word ^ WORD_EACH(byte);
  const uint64_t other = ((diff & WORD_EACH(0x7F)) + WORD_EACH(0x7F)) | diff;

  return ((~other & WORD_EACH(0x80)) >> 7) * 0xFF;
}

/*
 * The digits of two numbers below 10^4, one in each byte: halved twice, all
 * parts at once. x * 10486 >> 20 is x / 100 below 10^4, and x * 103 >> 10 is x
 * / 10 below 100.
 */
static uint64_t spread_digits(uint64_t first, uint64_t second)
{
  uint64_t x = first | second << 32;
  uint64_t tens = ((x * 10486) >> 20) & UINT64_C(0x0000007F0000007F);

  x = tens | (x - tens * 100) << 16;
  tens = ((x * 103) >> 10) & UINT64_C(0x000F000F000F000F);
  return tens | (x - tens * 10) << 8;
}

/* x * 10^16 / 2^64 of one draw x, four digits at a time. One draw in 2700 is
 * rejected, because some digits would be more likely. */
static void draw_parts(struct rng *rng, uint64_t part[4])
{
  const uint64_t e4 = 10000, e16 = e4 * e4 * e4 * e4;
  const uint64_t surplus = -e16 % e16;
  uint64_t rest;

  do {
    part[0] = rng_mulhi(rng_next(rng), e4, &rest);
    part[1] = rng_mulhi(rest, e4, &rest);
    part[2] = rng_mulhi(rest, e4, &rest);
    part[3] = rng_mulhi(rest, e4, &rest);
  } while (UNLIKELY(rest < surplus));
}

static void draw_digits(struct rng *rng, uint64_t digits[2])
{
  uint64_t part[4];

  draw_parts(rng, part);
  digits[0] = spread_digits(part[0], part[1]);
  digits[1] = spread_digits(part[2], part[3]);
}

/* Values of 0..base-1, one in each byte; base^8 is below 2^63. */
static uint64_t draw_symbols(struct rng *rng, uint64_t base)
{
  const uint64_t base2 = base * base, base4 = base2 * base2;
  const uint64_t surplus = -(base4 * base4) % (base4 * base4);
  uint64_t rest, word;

  do {
    rest = rng_next(rng);
    word = 0;
    for (int shift = 0; shift < 64; shift += 8)
      word |= rng_mulhi(rest, base, &rest) << shift;
  } while (UNLIKELY(rest < surplus));
  return word;
}

static uint64_t put_letters(struct rng *rng, uint64_t word)
{
  const uint64_t mask = mask_of(word, '@');

  if (mask == 0)
    return word;
  return (word & ~mask) | ((draw_symbols(rng, 26) + WORD_EACH('a')) & mask);
}

/* `letters`: some characters may be `@`. */
static inline void fill16(struct rng *rng, const char *format, bool letters,
                          char *out)
{
  uint64_t word[2] = { word_load(format), word_load(format + 8) };
  const uint64_t mask[2] = { mask_of(word[0], '#'), mask_of(word[1], '#') };

  if (letters) {
    word[0] = put_letters(rng, word[0]);
    word[1] = put_letters(rng, word[1]);
  }
  if (LIKELY(mask[0] | mask[1])) {
    uint64_t digits[2];

    draw_digits(rng, digits);
    for (int i = 0; i < 2; i++)
      word[i] = (word[i] & ~mask[i]) | ((digits[i] + WORD_EACH('0')) & mask[i]);
  }
  word_store(out, word[0]);
  word_store(out + 8, word[1]);
}

#ifdef __SSE2__

/* spread_digits() for two pairs at once. */
static inline __m128i spread_parts(const uint64_t part[4])
{
  __m128i x = _mm_set_epi64x((long long)(part[2] | part[3] << 32),
                             (long long)(part[0] | part[1] << 32));
  __m128i tens = _mm_mulhi_epu16(x, _mm_set1_epi32(10486));

  tens = _mm_srli_epi16(tens, 4);
  x = _mm_sub_epi16(x, _mm_mullo_epi16(tens, _mm_set1_epi16(100)));
  x = _mm_or_si128(tens, _mm_slli_epi32(x, 16));
  tens = _mm_srli_epi16(_mm_mullo_epi16(x, _mm_set1_epi16(103)), 10);
  x = _mm_sub_epi16(x, _mm_mullo_epi16(tens, _mm_set1_epi16(10)));
  return _mm_or_si128(tens, _mm_slli_epi16(x, 8));
}

/* fill16() for a format without `@`. */
static inline void fill16_digits(struct rng *rng, const char *format, char *out)
{
  __m128i text = _mm_loadu_si128((const __m128i *)(const void *)format);
  const __m128i mask = _mm_cmpeq_epi8(text, _mm_set1_epi8('#'));

  if (LIKELY(_mm_movemask_epi8(mask) != 0)) {
    uint64_t part[4];
    __m128i digits;

    draw_parts(rng, part);
    digits = _mm_add_epi8(spread_parts(part), _mm_set1_epi8('0'));
    text = _mm_or_si128(_mm_andnot_si128(mask, text),
                        _mm_and_si128(mask, digits));
  }
  _mm_storeu_si128((__m128i *)(void *)out, text);
}

#else
#define fill16_digits(rng, format, out) fill16(rng, format, false, out)
#endif

void text_fill(struct rng *rng, const char *format, size_t len, char *out)
{
  const bool letters = memchr(format, '@', len) != NULL;
  struct rng local = *rng; /* a copy lives in registers */
  size_t i = 0;

  if (!letters) {
    for (; len - i >= 16; i += 16)
      fill16_digits(&local, format + i, out + i);
  }
  for (; len - i >= 16; i += 16)
    fill16(&local, format + i, true, out + i);
  if (i < len) {
    char tail[16] = { 0 };

    memcpy(tail, format + i, len - i);
    if (letters)
      fill16(&local, tail, true, tail);
    else
      fill16_digits(&local, tail, tail);
    memcpy(out + i, tail, len - i);
  }
  *rng = local;
}

uint32_t text_varstring(struct rng *rng, char *out, uint32_t min, uint32_t max)
{
  const uint64_t symbols = 'z' - '0' + 1;
  uint32_t len, i;

  if (max == 0)
    return 0;
  if (min > max)
    min = 1;
  len = min + (uint32_t)rng_below(rng, (uint64_t)max - min + 1);
  for (i = 0; len - i >= 8; i += 8)
    word_store(out + i, draw_symbols(rng, symbols) + WORD_EACH('0'));
  if (i < len) {
    char tail[8];

    word_store(tail, draw_symbols(rng, symbols) + WORD_EACH('0'));
    memcpy(out + i, tail, len - i);
  }
  return len;
}
