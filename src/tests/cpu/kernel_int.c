/*
 * kernel_int.c - int and ilp: multiplies, adds, shifts and combines 64-bit
 * integers. int: each step needs the last result (latency). ilp: four
 * independent chains (instructions at a time).
 */
#include "base/compiler.h"
#include "tests/cpu/kernel.h"

enum {
  STEPS = 1 << 18,
  CHAINS = 4,
};

struct seeds {
  uint64_t of[CHAINS];
};

static int kernel_int_prepare(void *mem, struct err *err)
{
  struct seeds *s = mem;

  (void)err;
  for (unsigned i = 0; i < CHAINS; i++)
    s->of[i] = i + 1;
  return 0;
}

/* Hidden from the compiler, which would use vectors or leave chains out. */
static inline uint64_t kernel_int_step(uint64_t x)
{
  x = x * UINT64_C(0x5851f42d4c957f2d) + UINT64_C(0x14057b7ef767814f);
  x ^= x >> 31;
  OPAQUE(x);
  return x;
}

static uint64_t run_one(void *mem)
{
  uint64_t x = ((const struct seeds *)mem)->of[0];

  for (unsigned i = 0; i < STEPS; i++)
    x = kernel_int_step(x);
  return x;
}

static uint64_t run_four(void *mem)
{
  const struct seeds *s = mem;
  uint64_t a = s->of[0], b = s->of[1], c = s->of[2], d = s->of[3];

  for (unsigned i = 0; i < STEPS; i++) {
    a = kernel_int_step(a);
    b = kernel_int_step(b);
    c = kernel_int_step(c);
    d = kernel_int_step(d);
  }
  return a ^ b ^ c ^ d;
}

const struct cpu_kernel cpu_kernel_int = {
  .name = "int",
  .unit = "step",
  .operations = STEPS,
  .result = UINT64_C(0xaac2fe82b18905a8),
  .bytes = sizeof(struct seeds),
  .prepare = kernel_int_prepare,
  .portable = { .name = "portable", .run = run_one },
};

const struct cpu_kernel cpu_kernel_ilp = {
  .name = "ilp",
  .unit = "step",
  .operations = (uint64_t)STEPS * CHAINS,
  .result = UINT64_C(0xa36df7439fce1f04),
  .bytes = sizeof(struct seeds),
  .prepare = kernel_int_prepare,
  .portable = { .name = "portable", .run = run_four },
};
