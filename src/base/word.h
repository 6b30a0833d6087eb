/*
 * word.h - text in words of eight bytes. The first byte is the lowest on every
 * machine.
 */
#ifndef BENCH_BASE_WORD_H
#define BENCH_BASE_WORD_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define WORD_EACH(byte) ((byte)*UINT64_C(0x0101010101010101))

static inline uint64_t word_load(const char *p)
{
  uint64_t word;

  memcpy(&word, p, sizeof(word));
  return le64toh(word);
}

static inline void word_store(char *p, uint64_t word)
{
  word = htole64(word);
  memcpy(p, &word, sizeof(word));
}

/* The index (0..7) of the first byte with a bit set; `word` is not 0. */
static inline unsigned word_first(uint64_t word)
{
  return (unsigned)__builtin_ctzll(word) / 8;
}

/* The highest bit of the first byte that equals `byte` is set, and no bit
 * before. 0: no such byte. */
static inline uint64_t word_find(uint64_t word, unsigned char byte)
{
  const uint64_t diff = word ^ WORD_EACH(byte);

  return (diff - WORD_EACH(1)) & ~diff & WORD_EACH(0x80);
}

/* The same for the first byte other than a decimal digit. */
static inline uint64_t word_find_other_than_digits(uint64_t word)
{
  const uint64_t value = word ^ WORD_EACH('0');

  return ((value + WORD_EACH(0x80 - 10)) | value) & WORD_EACH(0x80);
}

#endif
