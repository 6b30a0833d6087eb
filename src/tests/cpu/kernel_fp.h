/*
 * kernel_fp.h - the product of two matrices of 64 x 64 numbers that fit in the
 * caches, for each path of the kernel fp.
 *
 * All numbers are small integers, so each sum is exact: it does not matter
 * whether a path rounds after the multiplication.
 */
#ifndef BENCH_TESTS_CPU_KERNEL_FP_H
#define BENCH_TESTS_CPU_KERNEL_FP_H

#include <stdint.h>

enum {
  FP_SIDE = 64,
  FP_PRODUCTS = 8, /* products of a round */
};

struct fp_matrices {
  double a[FP_SIDE][FP_SIDE], b[FP_SIDE][FP_SIDE], c[FP_SIDE][FP_SIDE];
};

/* Load row I of a tile: two vectors. */
#define FP_LOAD(VECTOR, I) \
  VECTOR low_##I = *(VECTOR *)&c[I][0], high_##I = *(VECTOR *)&c[I][lanes]
#define FP_STORE(VECTOR, I)      \
  *(VECTOR *)&c[I][0] = low_##I; \
  *(VECTOR *)&c[I][lanes] = high_##I
#define FP_STEP(FILL, ADD_PRODUCT, I)                 \
  low_##I = ADD_PRODUCT(low_##I, FILL(a[I][k]), low); \
  high_##I = ADD_PRODUCT(high_##I, FILL(a[I][k]), high)

/*
 * Define the function NAME, which adds A x B to C.  Tiles of 4 rows and two
 * VECTORs, of a type that may alias numbers, stay in registers.  FILL(x) is a
 * vector of x, ADD_PRODUCT(c, a, b) is c + a * b.
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

/* Do a round: C is zeroed first, and its numbers are the result. */
uint64_t cpu_fp_round(struct fp_matrices *m,
                      void (*product)(struct fp_matrices *m));

extern const struct cpu_path cpu_fp_fast;

#endif
