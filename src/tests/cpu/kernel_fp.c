/*
 * kernel_fp.c - fp: the product of two 64 x 64 matrices, which fit in the
 * caches. All numbers are small integers, so all sums are exact, rounded or
 * not.
 */
#include <stdint.h>
#include <string.h>

#include "tests/cpu/kernel.h"

enum {
  FP_SIDE = 64,
  FP_PRODUCTS = 8,
};

struct fp_matrices {
  double a[FP_SIDE][FP_SIDE], b[FP_SIDE][FP_SIDE], c[FP_SIDE][FP_SIDE];
};

/* Row I of a tile: two vectors. */
#define FP_LOAD(VECTOR, I) \
  VECTOR low_##I = *(VECTOR *)&c[I][0], high_##I = *(VECTOR *)&c[I][lanes]
#define FP_STORE(VECTOR, I)      \
  *(VECTOR *)&c[I][0] = low_##I; \
  *(VECTOR *)&c[I][lanes] = high_##I
#define FP_STEP(FILL, ADD_PRODUCT, I)                 \
  low_##I = ADD_PRODUCT(low_##I, FILL(a[I][k]), low); \
  high_##I = ADD_PRODUCT(high_##I, FILL(a[I][k]), high)

/*
 * NAME adds A x B to C. Tiles of 4 rows and two VECTORs, of a type that may
 * alias numbers, stay in registers. FILL(x): a vector of x. ADD_PRODUCT(c, a,
 * b): c + a * b.
 */
#define FP_DEFINE_PRODUCT(NAME, ATTRIBUTES, VECTOR, FILL, ADD_PRODUCT)         \
  ATTRIBUTES static void NAME##_tile(                                          \
    double(*c)[FP_SIDE], const double(*a)[FP_SIDE], const double(*b)[FP_SIDE]) \
  {                                                                            \
    enum {                                                                     \
      lanes = sizeof(VECTOR) / sizeof(double)                                  \
    };                                                                         \
    FP_LOAD(VECTOR, 0);                                                        \
    FP_LOAD(VECTOR, 1);                                                        \
    FP_LOAD(VECTOR, 2);                                                        \
    FP_LOAD(VECTOR, 3);                                                        \
                                                                               \
    for (unsigned k = 0; k < FP_SIDE; k++) {                                   \
      const VECTOR low = *(const VECTOR *)&b[k][0];                            \
      const VECTOR high = *(const VECTOR *)&b[k][lanes];                       \
                                                                               \
      FP_STEP(FILL, ADD_PRODUCT, 0);                                           \
      FP_STEP(FILL, ADD_PRODUCT, 1);                                           \
      FP_STEP(FILL, ADD_PRODUCT, 2);                                           \
      FP_STEP(FILL, ADD_PRODUCT, 3);                                           \
    }                                                                          \
    FP_STORE(VECTOR, 0);                                                       \
    FP_STORE(VECTOR, 1);                                                       \
    FP_STORE(VECTOR, 2);                                                       \
    FP_STORE(VECTOR, 3);                                                       \
  }                                                                            \
                                                                               \
  ATTRIBUTES static void NAME(struct fp_matrices *m)                           \
  {                                                                            \
    const unsigned width = 2 * sizeof(VECTOR) / sizeof(double);                \
                                                                               \
    for (unsigned i = 0; i < FP_SIDE; i += 4) {                                \
      for (unsigned j = 0; j < FP_SIDE; j += width)                            \
        NAME##_tile((double(*)[FP_SIDE]) & m->c[i][j],                         \
                    (const double(*)[FP_SIDE]) & m->a[i][0],                   \
                    (const double(*)[FP_SIDE]) & m->b[0][j]);                  \
    }                                                                          \
  }

typedef double pair __attribute__((vector_size(16), may_alias));

#define FILL(x) ((pair){ x, x })
#define PLAIN(c, a, b) ((c) + (a) * (b))
FP_DEFINE_PRODUCT(product_plain, , pair, FILL, PLAIN)

static int fp_prepare(void *mem, struct err *err)
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

/* C is zeroed first; its numbers are the result. */
static uint64_t fp_round(struct fp_matrices *m,
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

static uint64_t fp_run(void *mem)
{
  return fp_round(mem, product_plain);
}

#if defined(__x86_64__)

#include <immintrin.h>

#define FUSED(c, a, b) _mm256_fmadd_pd(a, b, c)
FP_DEFINE_PRODUCT(product_fused, __attribute__((target("avx2,fma"))), __m256d,
                  _mm256_set1_pd, FUSED)

static bool fp_fast_works(void)
{
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static uint64_t fp_fast_run(void *mem)
{
  return fp_round(mem, product_fused);
}

static const struct cpu_path fp_fast = { "avx2+fma", fp_fast_works,
                                         fp_fast_run };

#else

static const struct cpu_path fp_fast = { .name = "none" };

#endif

const struct cpu_kernel cpu_kernel_fp = {
  .name = "fp",
  .unit = "multiply-add",
  .operations = (uint64_t)FP_PRODUCTS * FP_SIDE * FP_SIDE * FP_SIDE,
  .result = UINT64_C(0x5fe4b48b88e3f2c8),
  .bytes = sizeof(struct fp_matrices),
  .prepare = fp_prepare,
  .portable = { .name = "portable", .run = fp_run },
  .fast = &fp_fast,
};
