/*
 * kernel_aes_fast.c - aes with special instructions, eight blocks at a time.
 */
#include <string.h>

#include "os/os.h"
#include "tests/cpu/kernel.h"
#include "tests/cpu/kernel_aes.h"
#include "tests/cpu/kernel_data.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("aes,sse4.1")))
#define NAME "aes-ni"

typedef __m128i block_vector;

#define LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define STORE(p, x) _mm_storeu_si128((__m128i *)(p), x)
#define XOR(a, b) _mm_xor_si128(a, b)
#define SET_COUNTER(x, n) _mm_insert_epi32(x, (int)__builtin_bswap32(n), 3)

/* The key of round 0 has already been added. */
#define ROUND(x, key, r) _mm_aesenc_si128(x, (key)[r])
#define LAST_ROUNDS(x, key) _mm_aesenclast_si128(x, (key)[AES_ROUNDS])
#define FIRST(x, key) XOR(x, (key)[0])
enum {
  ROUND_FIRST = 1,
  ROUND_END = AES_ROUNDS,
};

static bool works(void)
{
  return __builtin_cpu_supports("aes") && __builtin_cpu_supports("sse4.1");
}

#elif defined(CPU_FAST_ON_ARM)

#ifndef __clang__ /* it needs no more than the attribute */
#pragma GCC push_options
#pragma GCC target("+crypto")
#endif
#include <arm_neon.h>

#define TARGET __attribute__((target("+crypto")))
#define NAME "aes"

typedef uint8x16_t block_vector;

#define LOAD(p) vld1q_u8(p)
#define STORE(p, x) vst1q_u8(p, x)
#define XOR(a, b) veorq_u8(a, b)
#define SET_COUNTER(x, n) \
  vreinterpretq_u8_u32(   \
    vsetq_lane_u32(__builtin_bswap32(n), vreinterpretq_u32_u8(x), 3))

/* These instructions add the key first. */
#define ROUND(x, key, r) vaesmcq_u8(vaeseq_u8(x, (key)[r]))
#define LAST_ROUNDS(x, key) \
  XOR(vaeseq_u8(x, (key)[AES_ROUNDS - 1]), (key)[AES_ROUNDS])
#define FIRST(x, key) (x)
enum {
  ROUND_FIRST = 0,
  ROUND_END = AES_ROUNDS - 1,
};

#endif

#ifdef TARGET

/*
 * Everything is written out eight times, so that all blocks stay in registers.
 */
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

#define BEGIN(i) \
  block_vector x##i = FIRST(SET_COUNTER(nonce, counter + (i)), key);
#define TURN(i) x##i = ROUND(x##i, key, r);
#define END(i)                       \
  STORE(out + (size_t)(i)*AES_BLOCK, \
        XOR(LOAD(out + (size_t)(i)*AES_BLOCK), LAST_ROUNDS(x##i, key)));

TARGET static void encrypt_data(struct aes_data *d, uint32_t counter)
{
  const block_vector nonce = LOAD(d->nonce);
  block_vector key[AES_ROUNDS + 1];

  for (unsigned r = 0; r <= AES_ROUNDS; r++)
    key[r] = LOAD(d->key[r]);
  for (unsigned at = 0; at < AES_BYTES; at += AES_AT_ONCE * AES_BLOCK) {
    unsigned char *out = d->out + at;

    EACH(BEGIN)
    for (unsigned r = ROUND_FIRST; r < ROUND_END; r++) {
      EACH(TURN)
    }
    EACH(END)
    counter += AES_AT_ONCE;
  }
}

#if defined(CPU_FAST_ON_ARM)
#ifndef __clang__
#pragma GCC pop_options
#endif

static bool works(void)
{
  return os_arm_has(OS_ARM_AES);
}
#endif

static uint64_t run(void *mem)
{
  return cpu_aes_round(mem, encrypt_data);
}

const struct cpu_path cpu_aes_fast = { NAME, works, run };

#else

const struct cpu_path cpu_aes_fast = { .name = "none" };

#endif
