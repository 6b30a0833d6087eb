/*
 * draw.c - random integers with the distributions of pgbench.
 */
#include "sqlfile/draw.h"

#include <math.h>
#include <stddef.h>

#define GAUSSIAN_MIN 2.0
#define ZIPFIAN_MAX 1000.0

static const char *check_range(int64_t from, int64_t to)
{
  int64_t n;

  if (from > to)
    return "the range is empty: its end is before its start";
  if (__builtin_sub_overflow(to, from, &n) || n == INT64_MAX)
    return "the range has more than 2^63-1 values";
  return NULL;
}

/* The value at `share` in [0, 1) of the range. */
static int64_t at_share(int64_t from, int64_t to, double share)
{
  const int64_t last = to - from;
  const double at = floor(share * ((double)last + 1.0));

  return at < (double)last ? from + (int64_t)at : to;
}

const char *draw_uniform(struct draws *d, int64_t from, int64_t to,
                         int64_t *ret)
{
  const char *why = check_range(from, to);

  if (!why)
    *ret = dist_uniform(d->rng, from, to);
  return why;
}

const char *draw_exponential(struct draws *d, int64_t from, int64_t to,
                             double parameter, int64_t *ret)
{
  const char *why = check_range(from, to);
  double cut;

  if (why)
    return why;
  if (!(parameter > 0.0))
    return "the parameter of random_exponential() has to be greater than 0";
  cut = exp(-parameter);
  *ret = at_share(
    from, to, -log(cut + (1.0 - cut) * (1.0 - rng_double(d->rng))) / parameter);
  return NULL;
}

/* One value of a standard normal distribution (Box and Muller). */
static double draw_normal(struct rng *rng)
{
  const double radius = sqrt(-2.0 * log(1.0 - rng_double(rng)));

  return radius * sin(2.0 * M_PI * rng_double(rng));
}

/* What is outside of -parameter..parameter is drawn again. */
const char *draw_gaussian(struct draws *d, int64_t from, int64_t to,
                          double parameter, int64_t *ret)
{
  const char *why = check_range(from, to);
  double x;

  if (why)
    return why;
  if (!(parameter >= GAUSSIAN_MIN))
    return "the parameter of random_gaussian() has to be at least 2";
  do {
    x = draw_normal(d->rng);
  } while (x < -parameter || x >= parameter);
  *ret = at_share(from, to, (x + parameter) / (parameter * 2.0));
  return NULL;
}

const char *draw_zipfian(struct draws *d, int64_t from, int64_t to,
                         double exponent, int64_t *ret)
{
  const char *why = check_range(from, to);
  unsigned i = 0;

  if (why)
    return why;
  if (!(exponent > 0.0 && exponent <= ZIPFIAN_MAX))
    return "the parameter of random_zipfian() has to be greater than 0 and at "
           "most 1000";
  while (i < DRAW_ZIPF && d->zipf[i].params.zipf_exp != exponent)
    i++;
  if (i == DRAW_ZIPF) {
    i = d->next;
    d->next = (d->next + 1) % DRAW_ZIPF;
    d->zipf[i].ranges = (struct zipf_cache){ 0 };
    rand_zipf_init(&d->zipf[i].params, exponent);
  }
  *ret = dist_zipfian(&d->zipf[i].params, d->rng, &d->zipf[i].ranges, from, to);
  return NULL;
}
