/*
 * kernel_fp_fast.c - fp with fused multiplication and addition.  Every 64-bit
 * ARM processor has it, and compilers use it in the portable path.
 */
#include "tests/cpu/kernel.h"
#include "tests/cpu/kernel_fp.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define FUSED(c, a, b) _mm256_fmadd_pd(a, b, c)
FP_DEFINE_PRODUCT(product_fused, __attribute__((target("avx2,fma"))), __m256d,
                  _mm256_set1_pd, FUSED)

static bool works(void)
{
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static uint64_t run(void *mem)
{
  return cpu_fp_round(mem, product_fused);
}

const struct cpu_path cpu_fp_fast = { "avx2+fma", works, run };

#else

const struct cpu_path cpu_fp_fast = { .name = "none" };

#endif
