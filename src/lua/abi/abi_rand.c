/*
 * abi_rand.c - functions with which scripts draw random numbers.
 *
 * All draw from the stream of the state in which the thread is.  The functions
 * named sb_ have the 32-bit types that scripts declare; those named bench_ take
 * and return Lua numbers.
 */
#include <string.h>

#include "base/ffi_api.h"
#include "lua/engine/state.h"
#include "rand/stream.h"
#include "rand/text.h"

/*
 * Returns NULL outside of states, which means in a thread that a C module has
 * started.
 */
static struct rand_stream *stream(void)
{
  const struct state *s = state_current();

  return s ? s->rand : NULL;
}

/*
 * Fractions are cut off; a number beyond 64 bits becomes the nearest one, NaN
 * 0.
 */
static int64_t whole(double x)
{
  if (LIKELY(__builtin_fabs(x) < 0x1p63))
    return (int64_t)x;
  return x > 0 ? INT64_MAX : x < 0 ? INT64_MIN : 0;
}

static int64_t draw_default(struct rand_stream *s, int64_t a, int64_t b)
{
  return s ? rand_draw(s, a, b) : a;
}

static int64_t draw_uniform(struct rand_stream *s, int64_t a, int64_t b)
{
  return s ? dist_uniform(&s->rng, a, b) : a;
}

static int64_t draw_gaussian(struct rand_stream *s, int64_t a, int64_t b)
{
  return s ? dist_gaussian(s->params, &s->rng, a, b) : a;
}

static int64_t draw_special(struct rand_stream *s, int64_t a, int64_t b)
{
  return s ? dist_special(s->params, &s->rng, a, b) : a;
}

static int64_t draw_pareto(struct rand_stream *s, int64_t a, int64_t b)
{
  return s ? dist_pareto(s->params, &s->rng, a, b) : a;
}

static int64_t draw_zipfian(struct rand_stream *s, int64_t a, int64_t b)
{
  return s ? dist_zipfian(s->params, &s->rng, &s->zipf, a, b) : a;
}

uint64_t sb_rand_uniform_uint64(void)
{
  struct rand_stream *s = stream();

  return s ? rng_next(&s->rng) : 0;
}

double sb_rand_uniform_double(void)
{
  struct rand_stream *s = stream();

  return s ? rng_double(&s->rng) : 0;
}

uint32_t sb_rand_default(uint32_t a, uint32_t b)
{
  return (uint32_t)draw_default(stream(), a, b);
}

uint32_t sb_rand_uniform(uint32_t a, uint32_t b)
{
  return (uint32_t)draw_uniform(stream(), a, b);
}

uint32_t sb_rand_gaussian(uint32_t a, uint32_t b)
{
  return (uint32_t)draw_gaussian(stream(), a, b);
}

uint32_t sb_rand_special(uint32_t a, uint32_t b)
{
  return (uint32_t)draw_special(stream(), a, b);
}

uint32_t sb_rand_pareto(uint32_t a, uint32_t b)
{
  return (uint32_t)draw_pareto(stream(), a, b);
}

uint32_t sb_rand_zipfian(uint32_t a, uint32_t b)
{
  return (uint32_t)draw_zipfian(stream(), a, b);
}

uint32_t sb_rand_unique(void)
{
  struct rand_stream *s = stream();

  return s ? uniq_next(&s->uniq) : 0;
}

double bench_rand_default(double a, double b)
{
  return (double)draw_default(stream(), whole(a), whole(b));
}

double bench_rand_uniform(double a, double b)
{
  return (double)draw_uniform(stream(), whole(a), whole(b));
}

double bench_rand_gaussian(double a, double b)
{
  return (double)draw_gaussian(stream(), whole(a), whole(b));
}

double bench_rand_special(double a, double b)
{
  return (double)draw_special(stream(), whole(a), whole(b));
}

double bench_rand_pareto(double a, double b)
{
  return (double)draw_pareto(stream(), whole(a), whole(b));
}

double bench_rand_zipfian(double a, double b)
{
  return (double)draw_zipfian(stream(), whole(a), whole(b));
}

double bench_rand_unique_in(double a, double b)
{
  struct rand_stream *s = stream();

  return s ? (double)uniq_in_range(&s->uniq, whole(a), whole(b)) : a;
}

void bench_rand_text(const char *fmt, size_t len, char *buf)
{
  struct rand_stream *s = stream();
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
  struct rand_stream *s = stream();

  return s ? text_varstring(&s->rng, buf, min_len, max_len) : 0;
}
