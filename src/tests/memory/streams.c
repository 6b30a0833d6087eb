/*
 * streams.c - the loops for each width of vectors.
 *
 * A turn handles four vectors. 64 bytes are not used: up to 8 % slower to
 * memory than 32, and some CPUs lower their frequency. The empty assembler
 * statement keeps compilers from calling memcpy() or memset(), which choose how
 * they store.
 */
#include "tests/memory/streams.h"

#include <string.h>

#include "base/compiler.h"

/* ---- bytes and checks ---- */

const char *const stream_words[] = {
  "read",    "write",     "write-nt",     "copy",
  "copy-nt", "scale-add", "scale-add-nt", NULL,
};

static const struct {
  unsigned arrays, read, written;
  bool past; /* stores bypass the caches */
} shape[STREAMS] = {
  [STREAM_READ] = { 1, 1, 0, false },    [STREAM_WRITE] = { 1, 0, 1, false },
  [STREAM_WRITE_NT] = { 1, 0, 1, true }, [STREAM_COPY] = { 2, 1, 1, false },
  [STREAM_COPY_NT] = { 2, 1, 1, true },  [STREAM_SCALE] = { 3, 2, 1, false },
  [STREAM_SCALE_NT] = { 3, 2, 1, true },
};

enum {
  UNIT = 384, /* words: halves and thirds are whole turns */
  SPREAD = 8, /* units; one more than a multiple: parts begin at different
                 places of their pages */
};

size_t stream_words_in(uint64_t bytes)
{
  const uint64_t units = bytes / (UNIT * sizeof(double));

  if (units == 0)
    return 0;
  return (size_t)((units - 1) / SPREAD * SPREAD + 1) * UNIT;
}

uint64_t stream_counted_bytes(enum stream s, size_t n)
{
  return n / shape[s].arrays * sizeof(double) *
         (shape[s].read + shape[s].written);
}

uint64_t stream_owned_bytes(enum stream s, size_t n)
{
  const unsigned owned = shape[s].past ? 0 : shape[s].written;

  return n / shape[s].arrays * sizeof(double) *
         (shape[s].read + shape[s].written + owned);
}

/* Small integers: all results are exact. */
static double stream_number_at(size_t i)
{
  return (double)((i * 2654435761U >> 7) & 0xffff);
}

static void stream_fill(const struct stream_block *b)
{
  for (size_t i = 0; i < b->n; i++)
    b->words[i] = stream_number_at(i);
}

static double stream_expected_at(enum stream s, const struct stream_block *b,
                                 size_t i)
{
  switch (shape[s].arrays * (shape[s].written > 0)) {
  case 1:
    return b->value;
  case 2:
    return stream_number_at(i < b->n / 2 ? i + b->n / 2 : i);
  case 3:
    return i < b->n / 3 ? stream_number_at(i + b->n / 3) +
                            STREAM_FACTOR * stream_number_at(i + b->n / 3 * 2)
                        : stream_number_at(i);
  default:
    return stream_number_at(i);
  }
}

static uint64_t stream_bits_of(double x)
{
  uint64_t bits;

  memcpy(&bits, &x, sizeof(bits));
  return bits;
}

bool stream_verify(const struct streams *of, enum stream s,
                   const struct stream_block *b)
{
  uint64_t sum = 0, said;

  stream_fill(b);
  said = of->run[s](b);
  for (size_t i = 0; i < b->n; i++) {
    if (b->words[i] != stream_expected_at(s, b, i))
      return false;
    sum += stream_bits_of(b->words[i]);
  }
  return s != STREAM_READ || said == sum;
}

struct stream_content stream_content_after(struct stream_content c,
                                           enum stream s, double value)
{
  switch (shape[s].arrays * (shape[s].written > 0)) {
  case 1:
    return (struct stream_content){ value, value };
  case 2:
    return (struct stream_content){ c.rest, c.rest };
  case 3:
    return (struct stream_content){ c.rest + STREAM_FACTOR * c.rest, c.rest };
  default:
    return c;
  }
}

uint64_t stream_content_sum(struct stream_content c, size_t n)
{
  return n / 3 * stream_bits_of(c.low) + (n - n / 3) * stream_bits_of(c.rest);
}

GOES_OVER_MEMORY bool stream_content_is(struct stream_content c,
                                        const struct stream_block *b)
{
  for (size_t i = 0; i < b->n; i++) {
    if (b->words[i] != (i < b->n / 3 ? c.low : c.rest))
      return false;
  }
  return true;
}

/* ---- loops ---- */

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define WIDE(bytes, type) \
  typedef type type##_##bytes __attribute__((vector_size(bytes), may_alias))

typedef uint64_t word;
WIDE(16, word);
WIDE(16, double);

#define TURN_END __asm__ volatile("" : : : "memory")

/* `put(p, v)` stores a vector of `bytes` bytes, plainly or past the caches. */
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

static bool stream_has_width(size_t i)
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

static bool stream_has_width(size_t i)
{
  return i == 0;
}
#endif

const struct streams *streams_at(size_t i)
{
  return i < ARRAY_SIZE(widths) && stream_has_width(i) ? &widths[i] : NULL;
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
