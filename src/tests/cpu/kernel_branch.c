/*
 * kernel_branch.c - branch: branches that CPUs cannot predict. Bits of noise
 * choose between two paths; the sequence is too long to learn.
 */
#include "base/compiler.h"
#include "tests/cpu/kernel.h"

enum {
  NUMBERS = 1 << 12, /* 64 branches each */
};

static int kernel_branch_prepare(void *mem, struct err *err)
{
  (void)err;
  *(uint64_t *)mem = 1;
  return 0;
}

/* Neither path can be computed in advance, so compilers keep the branch. */
static uint64_t kernel_branch_run(void *mem)
{
  uint64_t state = *(const uint64_t *)mem, a = 1, b = 2;

  for (unsigned n = 0; n < NUMBERS; n++) {
    uint64_t bits = cpu_noise(&state);

    for (unsigned i = 0; i < 64; i++, bits >>= 1) {
      if (bits & 1) {
        a = a * 3 + b;
        OPAQUE(a);
      } else {
        b = (b ^ a) + n;
        OPAQUE(b);
      }
    }
  }
  return cpu_sum(a, b);
}

const struct cpu_kernel cpu_kernel_branch = {
  .name = "branch",
  .unit = "branch",
  .operations = (uint64_t)NUMBERS * 64,
  .result = UINT64_C(0xa9edd13158bc5b82),
  .bytes = sizeof(uint64_t),
  .prepare = kernel_branch_prepare,
  .portable = { .name = "portable", .run = kernel_branch_run },
};
