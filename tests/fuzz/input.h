/*
 * input.h - the bytes of a fuzzer as numbers and texts; where they end, there
 * are zeros.
 */
#ifndef TESTS_FUZZ_INPUT_H
#define TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

struct input {
  const uint8_t *at;
  size_t left;
};

static inline uint8_t input_byte(struct input *in)
{
  if (in->left == 0)
    return 0;
  in->left--;
  return *in->at++;
}

static inline uint64_t input_number(struct input *in, unsigned bytes)
{
  uint64_t n = 0;

  while (bytes-- > 0)
    n = n << 8 | input_byte(in);
  return n;
}

/* As many bytes as there are, at most `max`, in memory of just that size, so
 * that reading beyond is found; the caller frees. */
static inline uint8_t *input_bytes(struct input *in, size_t max, size_t *ret)
{
  const size_t n = max < in->left ? max : in->left;
  uint8_t *copy = malloc(n ? n : 1);

  MUST(copy);
  if (n > 0)
    memcpy(copy, in->at, n);
  in->at += n;
  in->left -= n;
  *ret = n;
  return copy;
}

/* The same with a terminator; a zero byte among them ends the text early. */
static inline char *input_text(struct input *in, size_t max)
{
  const size_t n = max < in->left ? max : in->left;
  char *copy = malloc(n + 1);

  MUST(copy);
  if (n > 0)
    memcpy(copy, in->at, n);
  copy[n] = '\0';
  in->at += n;
  in->left -= n;
  return copy;
}

#endif
