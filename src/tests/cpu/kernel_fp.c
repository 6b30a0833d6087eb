/*
 * kernel_fp.c - fp: multiplication and addition of floating-point numbers.
 */
#include "tests/cpu/kernel_fp.h"

#include <string.h>

#include "tests/cpu/kernel.h"
#include "tests/cpu/kernel_data.h"

typedef double pair __attribute__((vector_size(16), may_alias));

#define FILL(x) ((pair){ x, x })
#define PLAIN(c, a, b) ((c) + (a) * (b))
FP_DEFINE_PRODUCT(product_plain, , pair, FILL, PLAIN)

static int prepare(void *mem, struct err *err)
{
  struct fp_matrices *m = mem;
  uint64_t state = 5;

  (void)err;
  for (unsigned i = 0; i < FP_SIDE; i++) {
    for (unsigned j = 0; j < FP_SIDE; j++) {
      m->a[i][j] = (double)(cpu_noise(&state) % 17) - 8;
      m->b[i][j] = (double)(cpu_noise(&state) % 17) - 8;
    }
  }
  return 0;
}

uint64_t cpu_fp_round(struct fp_matrices *m,
                      void (*product)(struct fp_matrices *m))
{
  uint64_t sum = 0;

  memset(m->c, 0, sizeof(m->c));
  for (unsigned i = 0; i < FP_PRODUCTS; i++)
    product(m);
  for (unsigned i = 0; i < FP_SIDE; i++) {
    for (unsigned j = 0; j < FP_SIDE; j++)
      sum = cpu_sum(sum, (uint64_t)(int64_t)m->c[i][j]);
  }
  return sum;
}

static uint64_t run(void *mem)
{
  return cpu_fp_round(mem, product_plain);
}

const struct cpu_kernel cpu_kernel_fp = {
  .name = "fp",
  .unit = "multiply-add",
  .operations = (uint64_t)FP_PRODUCTS * FP_SIDE * FP_SIDE * FP_SIDE,
  .result = UINT64_C(0x5fe4b48b88e3f2c8),
  .bytes = sizeof(struct fp_matrices),
  .prepare = prepare,
  .portable = { .name = "portable", .run = run },
  .fast = &cpu_fp_fast,
};
