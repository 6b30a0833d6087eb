/*
 * kernels.c - the loops that go over a block of memory once.
 *
 * The sequential loops are unrolled by hand: with one access per turn, a loop
 * reaches half the rate in the caches and would measure itself (QUIRKS.md has
 * the difference to sysbench).  In the global
 * scope, threads share the block and all write to it at once: that is the test.
 */
#include "tests/memory/kernels.h"

#include "base/compiler.h"
#include "rand/stream.h"

RACES_ON_PURPOSE static void write_seq(const struct memory_block *b)
{
  volatile uint64_t *p = b->words;
  volatile uint64_t *const end = p + b->n;
  const uint64_t value = b->value;

  for (; end - p >= 8; p += 8) {
    p[0] = value;
    p[1] = value;
    p[2] = value;
    p[3] = value;
    p[4] = value;
    p[5] = value;
    p[6] = value;
    p[7] = value;
  }
  for (; p < end; p++)
    *p = value;
}

RACES_ON_PURPOSE static void read_seq(const struct memory_block *b)
{
  volatile uint64_t *p = b->words;
  volatile uint64_t *const end = p + b->n;

  for (; end - p >= 8; p += 8) {
    (void)p[0];
    (void)p[1];
    (void)p[2];
    (void)p[3];
    (void)p[4];
    (void)p[5];
    (void)p[6];
    (void)p[7];
  }
  for (; p < end; p++)
    (void)*p;
}

static void none_seq(const struct memory_block *b)
{
  for (uint64_t i = 0; i < b->n; i++)
    __asm__ volatile(""); /* otherwise the loop would be removed */
}

static uint64_t random_index(const struct memory_block *b)
{
  const int64_t last = (int64_t)b->n - 1;

  if (b->distributed)
    return (uint64_t)rand_draw(b->rand, 0, last);
  return rng_next(&b->rand->rng) & (uint64_t)last; /* n is a power of two */
}

RACES_ON_PURPOSE static void write_rnd(const struct memory_block *b)
{
  for (uint64_t i = 0; i < b->n; i++)
    b->words[random_index(b)] = b->value;
}

RACES_ON_PURPOSE static void read_rnd(const struct memory_block *b)
{
  for (uint64_t i = 0; i < b->n; i++)
    (void)b->words[random_index(b)];
}

static void none_rnd(const struct memory_block *b)
{
  for (uint64_t i = 0; i < b->n; i++) {
    uint64_t index = random_index(b);

    __asm__ volatile("" : : "r"(index)); /* otherwise it would not be drawn */
  }
}

memory_kernel *const memory_kernels[MEMORY_OPERS][MEMORY_MODES] = {
  [MEMORY_READ] = { read_seq, read_rnd },
  [MEMORY_WRITE] = { write_seq, write_rnd },
  [MEMORY_NONE] = { none_seq, none_rnd },
};
