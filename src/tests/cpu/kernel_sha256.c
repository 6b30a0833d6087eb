/*
 * kernel_sha256.c - sha256: the hash of signatures and certificates.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/os/os.h"
#include "tests/cpu/kernel.h"

/* Cube roots of the first 64 primes, 32 bits after the point. */
static const uint32_t sha_constants[64] CACHE_ALIGNED = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
  0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
  0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
  0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
  0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
  0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* Square roots of the first 8. */
static const uint32_t first_state[8] = {
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static uint32_t sha_rotate(uint32_t x, unsigned by)
{
  return x >> by | x << (32 - by);
}

/* The 16 words of a block, and 48 that follow from them. */
static void sha_expand(uint32_t w[64], const unsigned char *block)
{
  for (unsigned i = 0; i < 16; i++)
    w[i] = cpu_load_be32(block + (size_t)i * 4);
  for (unsigned i = 16; i < 64; i++) {
    const uint32_t a = w[i - 15], b = w[i - 2];

    w[i] = w[i - 16] + w[i - 7] +
           (sha_rotate(a, 7) ^ sha_rotate(a, 18) ^ a >> 3) +
           (sha_rotate(b, 17) ^ sha_rotate(b, 19) ^ b >> 10);
  }
}

static void sha_add_block(uint32_t state[8], const unsigned char *block)
{
  uint32_t w[64], s[8];

  sha_expand(w, block);
  memcpy(s, state, sizeof(s));
  for (unsigned i = 0; i < 64; i++) {
    const uint32_t a = s[0], e = s[4];
    const uint32_t one = s[7] +
                         (sha_rotate(e, 6) ^ sha_rotate(e, 11) ^
                          sha_rotate(e, 25)) +
                         ((e & s[5]) ^ (~e & s[6])) + sha_constants[i] + w[i];
    const uint32_t two = (sha_rotate(a, 2) ^ sha_rotate(a, 13) ^
                          sha_rotate(a, 22)) +
                         ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

    s[7] = s[6];
    s[6] = s[5];
    s[5] = e;
    s[4] = s[3] + one;
    s[3] = s[2];
    s[2] = s[1];
    s[1] = a;
    s[0] = one + two;
  }
  for (unsigned i = 0; i < 8; i++)
    state[i] += s[i];
}

static void sha_add_blocks(uint32_t state[8], const unsigned char *block,
                           size_t n)
{
  for (; n > 0; n--, block += SHA_BLOCK)
    sha_add_block(state, block);
}

static int sha_prepare(void *mem, struct err *err)
{
  struct sha_data *d = mem;
  uint64_t state = 31;

  (void)err;
  for (unsigned i = 0; i < SHA_BYTES; i += 8)
    cpu_store_le64(d->bytes + i, cpu_noise(&state));
  return 0;
}

/* The data fill their blocks; the last one has the length in bits. */
static uint64_t sha_round(const struct sha_data *d,
                          void (*add)(uint32_t state[8],
                                      const unsigned char *block, size_t n))
{
  unsigned char last[SHA_BLOCK] = { 0x80 };
  uint32_t state[8];

  memcpy(state, first_state, sizeof(state));
  for (unsigned i = 0; i < SHA_TIMES; i++)
    add(state, d->bytes, SHA_BYTES / SHA_BLOCK);
  cpu_store_be32(last + SHA_BLOCK - 4, (uint32_t)SHA_BYTES * SHA_TIMES * 8);
  add(state, last, 1);
  return (uint64_t)state[0] << 32 | state[1];
}

static uint64_t sha_run(void *mem)
{
  return sha_round(mem, sha_add_blocks);
}

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("sha,sse4.1,ssse3")))

#define STEPS(a, i)                                                       \
  do {                                                                    \
    __m128i x = _mm_add_epi32(a, _mm_load_si128(constants + (i)));        \
                                                                          \
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, x);                          \
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(x, 0x0e)); \
  } while (0)

/* `a` becomes the words 16 after it; `b`, `c` and `d` come 4, 8 and 12
 * after. */
#define NEXT(a, b, c, d)    \
  a = _mm_sha256msg2_epu32( \
    _mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8(d, c, 4)), d)

#define LOAD(p) \
  _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p)), big_endian)

TARGET static void add_blocks(uint32_t state[8], const unsigned char *block,
                              size_t n)
{
  const __m128i *constants = (const __m128i *)sha_constants;
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

/* __builtin_cpu_supports() accepts "sha" since gcc 14 and clang 19. */
static bool sha_fast_works(void)
{
  unsigned a, b = 0, c, d;

  __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
  return __builtin_cpu_supports("sse4.1") && (b >> 29 & 1) != 0;
}

#define NAME "sha-ni"

#elif defined(CPU_FAST_ON_ARM)

#ifndef __clang__ /* the attribute suffices */
#pragma GCC push_options
#pragma GCC target("+crypto")
#endif
#include <arm_neon.h>

#define TARGET __attribute__((target("+crypto")))

#define STEPS(a, i)                                                           \
  do {                                                                        \
    const uint32x4_t x = vaddq_u32(a,                                         \
                                   vld1q_u32(sha_constants + (size_t)(i)*4)); \
    const uint32x4_t before = abcd;                                           \
                                                                              \
    abcd = vsha256hq_u32(abcd, efgh, x);                                      \
    efgh = vsha256h2q_u32(efgh, before, x);                                   \
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

static bool sha_fast_works(void)
{
  return os_arm_has(OS_ARM_SHA2);
}

#define NAME "sha2"

#endif

#ifdef TARGET

static uint64_t sha_fast_run(void *mem)
{
  return sha_round(mem, add_blocks);
}

static const struct cpu_path sha_fast = { NAME, sha_fast_works, sha_fast_run };

#else

static const struct cpu_path sha_fast = { .name = "none" };

#endif

const struct cpu_kernel cpu_kernel_sha256 = {
  .name = "sha256",
  .unit = "byte",
  .operations = (uint64_t)SHA_BYTES * SHA_TIMES,
  .result = UINT64_C(0x1d4db7c8c445f012),
  .bytes = sizeof(struct sha_data),
  .prepare = sha_prepare,
  .portable = { .name = "portable", .run = sha_run },
  .fast = &sha_fast,
};
