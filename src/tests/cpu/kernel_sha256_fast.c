/*
 * kernel_sha256_fast.c - sha256 with special instructions: four steps of the
 * hash at a time.
 */
#include "os/os.h"
#include "tests/cpu/kernel.h"
#include "tests/cpu/kernel_sha256.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("sha,sse4.1,ssse3")))

/* Do steps 4 * i .. 4 * i + 3 with the words `a`. */
#define STEPS(a, i)                                                       \
  do {                                                                    \
    __m128i x = _mm_add_epi32(a, _mm_load_si128(constants + (i)));        \
                                                                          \
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, x);                          \
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(x, 0x0e)); \
  } while (0)

/*
 * Compute the words that come 16 after `a`; `b`, `c` and `d` come 4, 8 and 12
 * after.
 */
#define NEXT(a, b, c, d)    \
  a = _mm_sha256msg2_epu32( \
    _mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8(d, c, 4)), d)

#define LOAD(p) \
  _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p)), big_endian)

TARGET static void add_blocks(uint32_t state[8], const unsigned char *block,
                              size_t n)
{
  const __m128i *constants = (const __m128i *)cpu_sha256_constants;
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b,
                                            0x0405060700010203);
  const __m128i dcba = _mm_loadu_si128((const __m128i *)state);
  const __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
  const __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  __m128i feba, dchg;

  for (; n > 0; n--, block += SHA_BLOCK) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i a = LOAD(block), b = LOAD(block + 16);
    __m128i c = LOAD(block + 32), d = LOAD(block + 48);

    for (unsigned i = 0; i < 12; i += 4) {
      STEPS(a, i);
      STEPS(b, i + 1);
      STEPS(c, i + 2);
      STEPS(d, i + 3);
      NEXT(a, b, c, d);
      NEXT(b, c, d, a);
      NEXT(c, d, a, b);
      NEXT(d, a, b, c);
    }
    STEPS(a, 12);
    STEPS(b, 13);
    STEPS(c, 14);
    STEPS(d, 15);
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  feba = _mm_shuffle_epi32(abef, 0x1b);
  dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/* Compilers support these instructions since gcc 14 and clang 19. */
static bool works(void)
{
  unsigned a, b = 0, c, d;

  __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
  return __builtin_cpu_supports("sse4.1") && (b >> 29 & 1) != 0;
}

#define NAME "sha-ni"

#elif defined(CPU_FAST_ON_ARM)

#ifndef __clang__ /* it needs no more than the attribute */
#pragma GCC push_options
#pragma GCC target("+crypto")
#endif
#include <arm_neon.h>

#define TARGET __attribute__((target("+crypto")))

#define STEPS(a, i)                                        \
  do {                                                     \
    const uint32x4_t x = vaddq_u32(                        \
      a, vld1q_u32(cpu_sha256_constants + (size_t)(i)*4)); \
    const uint32x4_t before = abcd;                        \
                                                           \
    abcd = vsha256hq_u32(abcd, efgh, x);                   \
    efgh = vsha256h2q_u32(efgh, before, x);                \
  } while (0)

#define NEXT(a, b, c, d) a = vsha256su1q_u32(vsha256su0q_u32(a, b), c, d)

#define LOAD(p) vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(p)))

TARGET static void add_blocks(uint32_t state[8], const unsigned char *block,
                              size_t n)
{
  uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);

  for (; n > 0; n--, block += SHA_BLOCK) {
    const uint32x4_t abcd_before = abcd, efgh_before = efgh;
    uint32x4_t a = LOAD(block), b = LOAD(block + 16);
    uint32x4_t c = LOAD(block + 32), d = LOAD(block + 48);

    for (unsigned i = 0; i < 12; i += 4) {
      STEPS(a, i);
      STEPS(b, i + 1);
      STEPS(c, i + 2);
      STEPS(d, i + 3);
      NEXT(a, b, c, d);
      NEXT(b, c, d, a);
      NEXT(c, d, a, b);
      NEXT(d, a, b, c);
    }
    STEPS(a, 12);
    STEPS(b, 13);
    STEPS(c, 14);
    STEPS(d, 15);
    abcd = vaddq_u32(abcd, abcd_before);
    efgh = vaddq_u32(efgh, efgh_before);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}

#ifndef __clang__
#pragma GCC pop_options
#endif

static bool works(void)
{
  return os_arm_has(OS_ARM_SHA2);
}

#define NAME "sha2"

#endif

#ifdef TARGET

static uint64_t run(void *mem)
{
  return cpu_sha256_round(mem, add_blocks);
}

const struct cpu_path cpu_sha256_fast = { NAME, works, run };

#else

const struct cpu_path cpu_sha256_fast = { .name = "none" };

#endif
