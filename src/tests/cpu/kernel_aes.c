/*
 * kernel_aes.c - aes: AES-128 in counter mode, as used for networks and disks.
 * The time of the portable path, with its table, depends on the data: never use
 * it for secrets.
 */
#include <string.h>

#include "base/os/os.h"
#include "tests/cpu/kernel.h"

static unsigned char aes_twice(unsigned char x)
{
  return (unsigned char)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

static unsigned char aes_rotate_byte(unsigned char x, unsigned by)
{
  return (unsigned char)(x << by | x >> (8 - by));
}

/* The inverse of each byte in the field combined with its rotations. `p` goes
 * through all powers of 3, `q` through their inverses. */
static void aes_make_box(unsigned char box[256])
{
  unsigned char p = 1, q = 1;

  do {
    p = (unsigned char)(p ^ aes_twice(p));
    q = (unsigned char)(q ^ q << 1);
    q = (unsigned char)(q ^ q << 2);
    q = (unsigned char)(q ^ q << 4);
    q = (unsigned char)(q ^ (q & 0x80 ? 0x09 : 0));
    box[p] = (unsigned char)(q ^ aes_rotate_byte(q, 1) ^ aes_rotate_byte(q, 2) ^
                             aes_rotate_byte(q, 3) ^ aes_rotate_byte(q, 4) ^
                             0x63);
  } while (p != 1);
  box[0] = 0x63;
}

static void aes_expand_key(struct aes_data *d)
{
  unsigned char *key = d->key[0], step = 1;

  for (unsigned i = AES_BLOCK; i < sizeof(d->key); i += 4) {
    unsigned char last[4];

    memcpy(last, key + i - 4, 4);
    if (i % AES_BLOCK == 0) {
      const unsigned char first = last[0];

      last[0] = (unsigned char)(d->box[last[1]] ^ step);
      last[1] = d->box[last[2]];
      last[2] = d->box[last[3]];
      last[3] = d->box[first];
      step = aes_twice(step);
    }
    for (unsigned j = 0; j < 4; j++)
      key[i + j] = key[i + j - AES_BLOCK] ^ last[j];
  }
}

static int aes_prepare(void *mem, struct err *err)
{
  struct aes_data *d = mem;
  uint64_t state = 37;

  (void)err;
  for (unsigned i = 0; i < AES_BYTES; i += 8)
    cpu_store_le64(d->bytes + i, cpu_noise(&state));
  for (unsigned i = 0; i < AES_BLOCK; i += 8) {
    cpu_store_le64(d->key[0] + i, cpu_noise(&state));
    cpu_store_le64(d->nonce + i, cpu_noise(&state));
  }
  aes_make_box(d->box);
  for (unsigned i = 0; i < 256; i++) {
    const unsigned char x = d->box[i], x2 = aes_twice(x);

    d->table[i] = (uint32_t)x2 << 24 | (uint32_t)x << 16 | (uint32_t)x << 8 |
                  (unsigned char)(x2 ^ x);
  }
  aes_expand_key(d);
  return 0;
}

static uint32_t aes_rotate(uint32_t x, unsigned by)
{
  return x >> by | x << (32 - by);
}

/* A column of the next round. */
static uint32_t aes_mix(const struct aes_data *d, uint32_t a, uint32_t b,
                        uint32_t c, uint32_t e)
{
  return d->table[a >> 24] ^ aes_rotate(d->table[b >> 16 & 0xff], 8) ^
         aes_rotate(d->table[c >> 8 & 0xff], 16) ^
         aes_rotate(d->table[e & 0xff], 24);
}

/* A column of the last round. */
static uint32_t aes_mix_last(const struct aes_data *d, uint32_t a, uint32_t b,
                             uint32_t c, uint32_t e)
{
  return (uint32_t)d->box[a >> 24] << 24 |
         (uint32_t)d->box[b >> 16 & 0xff] << 16 |
         (uint32_t)d->box[c >> 8 & 0xff] << 8 | d->box[e & 0xff];
}

static void aes_encrypt_block(const struct aes_data *d, uint32_t s[4])
{
  uint32_t key[AES_ROUNDS + 1][4], t[4];

  for (unsigned r = 0; r <= AES_ROUNDS; r++) {
    for (unsigned i = 0; i < 4; i++)
      key[r][i] = cpu_load_be32(d->key[r] + (size_t)i * 4);
  }
  for (unsigned i = 0; i < 4; i++)
    s[i] ^= key[0][i];
  for (unsigned r = 1; r < AES_ROUNDS; r++) {
    for (unsigned i = 0; i < 4; i++)
      t[i] = aes_mix(d, s[i], s[(i + 1) % 4], s[(i + 2) % 4], s[(i + 3) % 4]) ^
             key[r][i];
    memcpy(s, t, sizeof(t));
  }
  for (unsigned i = 0; i < 4; i++)
    t[i] = aes_mix_last(d, s[i], s[(i + 1) % 4], s[(i + 2) % 4],
                        s[(i + 3) % 4]) ^
           key[AES_ROUNDS][i];
  memcpy(s, t, sizeof(t));
}

static void aes_encrypt_plain(struct aes_data *d, uint32_t counter)
{
  for (unsigned at = 0; at < AES_BYTES; at += AES_BLOCK, counter++) {
    uint32_t s[4];

    for (unsigned i = 0; i < 3; i++)
      s[i] = cpu_load_be32(d->nonce + (size_t)i * 4);
    s[3] = counter;
    aes_encrypt_block(d, s);
    for (unsigned i = 0; i < 4; i++) {
      unsigned char *out = d->out + at + (size_t)i * 4;

      cpu_store_be32(out, cpu_load_be32(out) ^ s[i]);
    }
  }
}

static uint64_t aes_round(struct aes_data *d,
                          void (*encrypt_all)(struct aes_data *d,
                                              uint32_t counter))
{
  uint32_t counter = cpu_load_be32(d->nonce + 12);

  memcpy(d->out, d->bytes, sizeof(d->out));
  for (unsigned i = 0; i < AES_TIMES; i++, counter += AES_BYTES / AES_BLOCK)
    encrypt_all(d, counter);
  return cpu_sum_bytes(0, d->out, sizeof(d->out));
}

static uint64_t aes_run(void *mem)
{
  return aes_round(mem, aes_encrypt_plain);
}

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("aes,sse4.1")))
#define NAME "aes-ni"

typedef __m128i block_vector;

#define LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define STORE(p, x) _mm_storeu_si128((__m128i *)(p), x)
#define XOR(a, b) _mm_xor_si128(a, b)
#define SET_COUNTER(x, n) _mm_insert_epi32(x, (int)__builtin_bswap32(n), 3)

/* The key of round 0 was added. */
#define ROUND(x, key, r) _mm_aesenc_si128(x, (key)[r])
#define LAST_ROUNDS(x, key) _mm_aesenclast_si128(x, (key)[AES_ROUNDS])
#define FIRST(x, key) XOR(x, (key)[0])
enum {
  ROUND_FIRST = 1,
  ROUND_END = AES_ROUNDS,
};

static bool aes_fast_works(void)
{
  return __builtin_cpu_supports("aes") && __builtin_cpu_supports("sse4.1");
}

#elif defined(CPU_FAST_ON_ARM)

#ifndef __clang__ /* the attribute suffices */
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

/* Written out, so that all blocks stay in registers. */
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

static bool aes_fast_works(void)
{
  return os_arm_has(OS_ARM_AES);
}
#endif

static uint64_t aes_fast_run(void *mem)
{
  return aes_round(mem, encrypt_data);
}

static const struct cpu_path aes_fast = { NAME, aes_fast_works, aes_fast_run };

#else

static const struct cpu_path aes_fast = { .name = "none" };

#endif

const struct cpu_kernel cpu_kernel_aes = {
  .name = "aes",
  .unit = "byte",
  .operations = (uint64_t)AES_BYTES * AES_TIMES,
  .result = UINT64_C(0xd49a2d338e1b0226),
  .bytes = sizeof(struct aes_data),
  .prepare = aes_prepare,
  .portable = { .name = "portable", .run = aes_run },
  .fast = &aes_fast,
};
