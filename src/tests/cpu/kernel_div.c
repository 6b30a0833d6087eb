/*
 * kernel_div.c - div: division of 64-bit integers. Odd numbers of 41 bits are
 * divided by odd numbers up to the first divisor or the limit. More than 32
 * bits exclude shorter divisions.
 */
#include "base/compiler.h"
#include "tests/cpu/kernel.h"

enum {
  NUMBERS = 512,
  DIVISOR_MAX = 1023,
  DIVISIONS = 56397, /* also part of the result */
};

static int kernel_div_prepare(void *mem, struct err *err)
{
  (void)err;
  *(uint64_t *)mem = (UINT64_C(1) << 40) + 1;
  return 0;
}

static uint64_t kernel_div_run(void *mem)
{
  const uint64_t first = *(const uint64_t *)mem;
  uint64_t divisions = 0, left = 0, sum = 0;

  for (uint64_t n = first; n < first + 2 * (uint64_t)NUMBERS; n += 2) {
    uint64_t d = 3;

    while (d <= DIVISOR_MAX && n % d != 0)
      d += 2;
    /* Without a divisor, the last division was by the limit. */
    divisions += d <= DIVISOR_MAX ? (d - 1) / 2 : (DIVISOR_MAX - 1) / 2;
    left += d > DIVISOR_MAX;
    sum = cpu_sum(sum, d);
  }
  return cpu_sum(sum, divisions << 32 | left);
}

const struct cpu_kernel cpu_kernel_div = {
  .name = "div",
  .unit = "division",
  .operations = DIVISIONS,
  .result = UINT64_C(0xfc9eb9f2c81b5eb0),
  .bytes = sizeof(uint64_t),
  .prepare = kernel_div_prepare,
  .portable = { .name = "portable", .run = kernel_div_run },
};
