/*
 * zipf.c - zipfian numbers by rejection-inversion (Hoermann and Derflinger, ACM
 * TOMACS 6.3, 1996): exact, in constant time, without a table.
 *
 * h(x) = x^-t bounds the histogram, and its integral H can be inverted.  A
 * point below h is drawn by inversion, rounded to the nearest integer, and kept
 * if it lies in the part of the area that belongs to the integer.
 */
#include <math.h>

#include "rand/dist.h"

/*
 * H(x) = (x^(1-t) - 1) / (1-t), or ln x for t = 1.  With expm1 and log1p the
 * two forms meet smoothly.
 */
static double integral(const struct rand_params *p, double x)
{
  const double one_less = p->zipf_one_less;

  return one_less == 0 ? log(x) : expm1(one_less * log(x)) / one_less;
}

/* The inverse of H; infinite where rounding left the range of H. */
static double inverse(const struct rand_params *p, double y)
{
  const double one_less = p->zipf_one_less;
  const double z = one_less * y;

  if (one_less == 0)
    return exp(y);
  return exp(log1p(z > -1 ? z : -1) / one_less);
}

/*
 * From here on, rounding x never gives a value that must be rejected: the
 * probability of that is about 1/k^2.  Deciding it would take the difference of
 * two values of H, which soon consists only of rounding errors.
 */
#define SURE (UINT64_C(1) << 30)

static double density(const struct rand_params *p, double x)
{
  return exp(-p->zipf_exp * log(x));
}

void rand_zipf_init(struct rand_params *p, double exponent)
{
  /* From here on 2^-t is 0 in a double, so only the first value is drawn. */
  const double enough = 1100;

  p->zipf_exp = exponent < enough ? exponent : enough;
  p->zipf_one_less = 1 - p->zipf_exp;
  p->zipf_low = integral(p, 1.5) - 1;
  p->zipf_squeeze = 2 - inverse(p, integral(p, 2.5) - density(p, 2));
}

static double high_end(const struct rand_params *p, struct zipf_cache *cache,
                       uint64_t width)
{
  double high;

  for (unsigned i = 0; i < ZIPF_RANGES; i++) {
    if (LIKELY(cache->width[i] == width))
      return cache->high[i];
  }
  high = integral(p, (double)width + 1.5);
  cache->width[cache->next] = width;
  cache->high[cache->next] = high;
  cache->next = (cache->next + 1) % ZIPF_RANGES;
  return high;
}

int64_t dist_zipfian(const struct rand_params *p, struct rng *rng,
                     struct zipf_cache *cache, int64_t a, int64_t b)
{
  const uint64_t width = dist_width(a, b);
  const double n = (double)width + 1.0;
  double high, y, x, k;
  uint64_t value; /* k - 1 */

  if (width == 0)
    return a;
  high = high_end(p, cache, width);
  do {
    y = high + rng_double(rng) * (p->zipf_low - high);
    x = inverse(p, y);
    if (x < 1)
      value = 0;
    else if (LIKELY(x < n && (uint64_t)(x - 0.5) < width))
      value = (uint64_t)(x - 0.5);
    else
      value = width;
    k = (double)value + 1.0;
  } while (k - x > p->zipf_squeeze && value < SURE &&
           y < integral(p, k + 0.5) - density(p, k));
  return (int64_t)((uint64_t)a + value);
}
