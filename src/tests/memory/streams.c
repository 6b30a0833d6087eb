/*
 * streams.c - loops that move memory as fast as the processor can: one set of
 * loops for each width of vectors, and the choice among them.
 *
 * There is none of 64 bytes: to memory it was up to 8 % slower than 32 bytes,
 * and some processors lower their frequency for it.
 *
 * Each turn of a loop handles four vectors.  The empty assembler statement at
 * its end keeps compilers from replacing the loop by a call of memcpy() or
 * memset(), which choose how they store.
 */
#include "tests/memory/streams.h"

#include "base/compiler.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define WIDE(bytes, type) \
  typedef type type##_##bytes __attribute__((vector_size(bytes), may_alias))

typedef uint64_t word;
WIDE(16, word);
WIDE(16, double);

#define TURN_END __asm__ volatile("" : : : "memory")

/*
 * Define the loops with vectors of `bytes` bytes.  `put(p, v)` stores a vector;
 * the loops of one width are the same for both kinds of store.
 */
#define READ_LOOP(isa, attribute, bytes)                                  \
  attribute static uint64_t isa##_read(const struct stream_block *b)      \
  {                                                                       \
    const word_##bytes *p = (const word_##bytes *)(const void *)b->words; \
    const word_##bytes *const end = p + b->n * 8 / (bytes);               \
    word_##bytes s0 = { 0 }, s1 = { 0 }, s2 = { 0 }, s3 = { 0 };          \
    uint64_t sum = 0;                                                     \
                                                                          \
    for (; p < end; p += 4) {                                             \
      s0 += p[0];                                                         \
      s1 += p[1];                                                         \
      s2 += p[2];                                                         \
      s3 += p[3];                                                         \
    }                                                                     \
    s0 = (s0 + s1) + (s2 + s3);                                           \
    for (size_t i = 0; i < (bytes) / 8; i++)                              \
      sum += s0[i];                                                       \
    return sum;                                                           \
  }

#define STORE_LOOPS(isa, attribute, bytes, put, fence)                \
  attribute static uint64_t isa##_write(const struct stream_block *b) \
  {                                                                   \
    double_##bytes *p = (double_##bytes *)(void *)b->words;           \
    double_##bytes *const end = p + b->n * 8 / (bytes);               \
    const double_##bytes v = b->value - (double_##bytes){ 0 };        \
                                                                      \
    for (; p < end; p += 4) {                                         \
      put(p, v);                                                      \
      put(p + 1, v);                                                  \
      put(p + 2, v);                                                  \
      put(p + 3, v);                                                  \
      TURN_END;                                                       \
    }                                                                 \
    fence;                                                            \
    return 0;                                                         \
  }                                                                   \
                                                                      \
  attribute static uint64_t isa##_copy(const struct stream_block *b)  \
  {                                                                   \
    double_##bytes *to = (double_##bytes *)(void *)b->words;          \
    double_##bytes *const end = to + b->n / 2 * 8 / (bytes);          \
    const double_##bytes *from = end;                                 \
                                                                      \
    for (; to < end; to += 4, from += 4) {                            \
      const double_##bytes v0 = from[0], v1 = from[1], v2 = from[2],  \
                           v3 = from[3];                              \
                                                                      \
      put(to, v0);                                                    \
      put(to + 1, v1);                                                \
      put(to + 2, v2);                                                \
      put(to + 3, v3);                                                \
      TURN_END;                                                       \
    }                                                                 \
    fence;                                                            \
    return 0;                                                         \
  }                                                                   \
                                                                      \
  attribute static uint64_t isa##_scale(const struct stream_block *b) \
  {                                                                   \
    double_##bytes *to = (double_##bytes *)(void *)b->words;          \
    double_##bytes *const end = to + b->n / 3 * 8 / (bytes);          \
    const double_##bytes *x = end, *y = end + b->n / 3 * 8 / (bytes); \
                                                                      \
    for (; to < end; to += 4, x += 4, y += 4) {                       \
      const double_##bytes v0 = x[0] + STREAM_FACTOR * y[0];          \
      const double_##bytes v1 = x[1] + STREAM_FACTOR * y[1];          \
      const double_##bytes v2 = x[2] + STREAM_FACTOR * y[2];          \
      const double_##bytes v3 = x[3] + STREAM_FACTOR * y[3];          \
                                                                      \
      put(to, v0);                                                    \
      put(to + 1, v1);                                                \
      put(to + 2, v2);                                                \
      put(to + 3, v3);                                                \
      TURN_END;                                                       \
    }                                                                 \
    fence;                                                            \
    return 0;                                                         \
  }

#define PLAIN(p, v) *(p) = (v)
#define NO_FENCE (void)0

READ_LOOP(plain16, GOES_OVER_MEMORY, 16)
STORE_LOOPS(plain16, GOES_OVER_MEMORY, 16, PLAIN, NO_FENCE)

#if defined(__x86_64__)
WIDE(32, word);
WIDE(32, double);

#define PAST_16(p, v) _mm_stream_pd((double *)(p), (__m128d)(v))
#define PAST_32(p, v) _mm256_stream_pd((double *)(p), (__m256d)(v))
#define AVX2 GOES_OVER_MEMORY __attribute__((target("avx2")))

STORE_LOOPS(past16, GOES_OVER_MEMORY, 16, PAST_16, _mm_sfence())
READ_LOOP(plain32, AVX2, 32)
STORE_LOOPS(plain32, AVX2, 32, PLAIN, NO_FENCE)
STORE_LOOPS(past32, AVX2, 32, PAST_32, _mm_sfence())

#define ALL_LOOPS(plain, past)                                            \
  {                                                                       \
    plain##_read, plain##_write, past##_write, plain##_copy, past##_copy, \
      plain##_scale, past##_scale                                         \
  }

static const struct streams widths[] = {
  { "baseline (sse2)", ALL_LOOPS(plain16, past16) },
  { "avx2", ALL_LOOPS(plain32, past32) },
};

static bool has_width(size_t i)
{
  __builtin_cpu_init();
  return i == 0 || (i == 1 && __builtin_cpu_supports("avx2"));
}
#else
static const struct streams widths[] = {
  { "baseline",
    { plain16_read, plain16_write, NULL, plain16_copy, NULL, plain16_scale,
      NULL } },
};

static bool has_width(size_t i)
{
  return i == 0;
}
#endif

const struct streams *streams_at(size_t i)
{
  return i < ARRAY_SIZE(widths) && has_width(i) ? &widths[i] : NULL;
}

const struct streams *streams_baseline(void)
{
  return &widths[0];
}

const struct streams *streams_best(void)
{
  const struct streams *best = streams_baseline();

  for (size_t i = 1; streams_at(i); i++)
    best = streams_at(i);
  return best;
}
