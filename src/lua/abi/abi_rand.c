/*
 * abi_rand.c - random numbers from the stream of the current state.  Functions
 * with sb_ have the 32-bit types that scripts declare; those with bench_ use
 * Lua numbers.
 */
#include <string.h>

#include "base/ffi_api.h"
#include "lua/engine/state.h"
#include "stats/rand/stream.h"
#include "stats/rand/text.h"

/* NULL in a thread of a C module. */
static struct rand_stream *abi_rand_stream(void)
{
  const struct state *s = state_current();

  return s ? s->rand : NULL;
}

/* Cuts off fractions; the nearest number beyond 64 bits; 0 for NaN. */
static int64_t abi_rand_whole(double x)
{
  if (LIKELY(__builtin_fabs(x) < 0x1p63))
    return (int64_t)x;
  return x > 0 ? INT64_MAX : x < 0 ? INT64_MIN : 0;
}

#define DISTRIBUTION(name, draw)                                      \
  static int64_t draw_##name(int64_t a, int64_t b)                    \
  {                                                                   \
    struct rand_stream *s = abi_rand_stream();                        \
                                                                      \
    return s ? draw : a;                                              \
  }                                                                   \
  uint32_t sb_rand_##name(uint32_t a, uint32_t b)                     \
  {                                                                   \
    return (uint32_t)draw_##name(a, b);                               \
  }                                                                   \
  double bench_rand_##name(double a, double b)                        \
  {                                                                   \
    return (double)draw_##name(abi_rand_whole(a), abi_rand_whole(b)); \
  }

DISTRIBUTION(default, rand_draw(s, a, b))
DISTRIBUTION(uniform, dist_uniform(&s->rng, a, b))
DISTRIBUTION(gaussian, dist_gaussian(s->params, &s->rng, a, b))
DISTRIBUTION(special, dist_special(s->params, &s->rng, a, b))
DISTRIBUTION(pareto, dist_pareto(s->params, &s->rng, a, b))
DISTRIBUTION(zipfian, dist_zipfian(s->params, &s->rng, &s->zipf, a, b))

uint64_t sb_rand_uniform_uint64(void)
{
  struct rand_stream *s = abi_rand_stream();

  return s ? rng_next(&s->rng) : 0;
}

double sb_rand_uniform_double(void)
{
  struct rand_stream *s = abi_rand_stream();

  return s ? rng_double(&s->rng) : 0;
}

uint32_t sb_rand_unique(void)
{
  struct rand_stream *s = abi_rand_stream();

  return s ? uniq_next(&s->uniq) : 0;
}

double bench_rand_unique_in(double a, double b)
{
  struct rand_stream *s = abi_rand_stream();

  return s ? (double)uniq_in_range(&s->uniq, abi_rand_whole(a),
                                   abi_rand_whole(b))
           : a;
}

void bench_rand_text(const char *fmt, size_t len, char *buf)
{
  struct rand_stream *s = abi_rand_stream();
  const size_t n = strnlen(fmt, len);

  if (s)
    text_fill(&s->rng, fmt, n, buf);
  else
    memcpy(buf, fmt, n);
  memset(buf + n, 0, len - n);
}

void sb_rand_str(const char *fmt, char *buf)
{
  bench_rand_text(fmt, strlen(fmt), buf);
}

uint32_t sb_rand_varstr(char *buf, uint32_t min_len, uint32_t max_len)
{
  struct rand_stream *s = abi_rand_stream();

  return s ? text_varstring(&s->rng, buf, min_len, max_len) : 0;
}
