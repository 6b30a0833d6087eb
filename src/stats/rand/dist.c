/*
 * dist.c - the bell and the hot zone use integers: u is a 64-bit draw over
 * 2^64, and a product with u the upper half of a multiplication. This is exact
 * for every range, and never outside.
 */
#include "stats/rand/dist.h"

#include <assert.h>
#include <math.h>

void rand_params_init(struct rand_params *p, const struct rand_cfg *cfg)
{
  const uint64_t cold = 100 - (uint64_t)cfg->spec_res;

  assert(cfg->spec_iter >= 1 && cfg->spec_iter <= 1000000);
  assert(cfg->spec_pct >= 0 && cfg->spec_pct <= 100);
  assert(cfg->spec_res >= 0 && cfg->spec_res <= 100);
  assert(cfg->pareto_h > 0 && cfg->pareto_h < 1);
  assert(cfg->zipfian_exp >= 0);

  *p = (struct rand_params){
    .type = (enum rand_type)cfg->type,
    .iter = (uint32_t)cfg->spec_iter,
    .iter_inv = UINT64_MAX / (uint64_t)cfg->spec_iter,
    .hot_pct = (uint32_t)cfg->spec_pct,
    .hot_from = ((cold << 53) + 99) / 100,
    .pareto_power = log(cfg->pareto_h) / log1p(-cfg->pareto_h),
  };
  rand_zipf_init(p, cfg->zipfian_exp);
}

/* The reciprocal is rounded down: the mean is too small by at most iter / 2^64
 * of its range. */
static uint64_t dist_bell(const struct rand_params *p, struct rng *rng)
{
  unsigned __int128 sum = 0;
  struct rng local = *rng;
  uint64_t low;

  for (uint32_t i = 0; i < p->iter; i++)
    sum += rng_next(&local);
  *rng = local;
  return (uint64_t)(sum >> 64) * p->iter_inv +
         rng_mulhi((uint64_t)sum, p->iter_inv, &low);
}

int64_t dist_gaussian(const struct rand_params *p, struct rng *rng, int64_t a,
                      int64_t b)
{
  const uint64_t width = dist_width(a, b);
  const uint64_t mean = dist_bell(p, rng);
  const unsigned __int128 n = (unsigned __int128)width + 1;

  return (int64_t)((uint64_t)a + (uint64_t)((mean * n) >> 64));
}

/* floor(u (w P/100 + 1) + w/2 - w P/200), times 200 until the end. Below 2^56
 * no product needs more than 64 bits. */
static uint64_t dist_hot_zone(uint64_t x, uint64_t width, uint64_t pct)
{
  uint64_t low;

  if (LIKELY(width < UINT64_C(1) << 56)) {
    const uint64_t size = 2 * (width * pct + 100);

    return (rng_mulhi(x, size, &low) + (100 - pct) * width) / 200;
  } else {
    const unsigned __int128 size = 2 * ((unsigned __int128)width * pct + 100);
    const unsigned __int128 low_part = (unsigned __int128)x * (uint64_t)size >>
                                       64;
    const unsigned __int128 place = (unsigned __int128)x *
                                      (uint64_t)(size >> 64) +
                                    low_part;

    return (uint64_t)((place + (unsigned __int128)width * (100 - pct)) / 200);
  }
}

/* One draw both decides and places. So the hot zone never uses its lowest part,
 * and the bell never returns b. Published results depend on both. */
int64_t dist_special(const struct rand_params *p, struct rng *rng, int64_t a,
                     int64_t b)
{
  const uint64_t width = dist_width(a, b);
  const uint64_t x = rng_next(rng);
  uint64_t low, value;

  if (x >> 11 >= p->hot_from)
    value = dist_hot_zone(x, width, p->hot_pct);
  else
    value = rng_mulhi(dist_bell(p, rng), width, &low);
  return (int64_t)((uint64_t)a + value);
}

int64_t dist_pareto(const struct rand_params *p, struct rng *rng, int64_t a,
                    int64_t b)
{
  const uint64_t width = dist_width(a, b);
  const double n = (double)width + 1.0;
  const double x = n * pow(rng_double(rng), p->pareto_power);
  uint64_t value = width;

  /* The power can round up to 1, and n up. */
  if (LIKELY(x < n && (uint64_t)x < width))
    value = (uint64_t)x;
  return (int64_t)((uint64_t)a + value);
}

int64_t dist_default(const struct rand_params *p, struct rng *rng,
                     struct zipf_cache *cache, int64_t a, int64_t b)
{
  switch (p->type) {
  case RAND_GAUSSIAN:
    return dist_gaussian(p, rng, a, b);
  case RAND_SPECIAL:
    return dist_special(p, rng, a, b);
  case RAND_PARETO:
    return dist_pareto(p, rng, a, b);
  case RAND_ZIPFIAN:
    return dist_zipfian(p, rng, cache, a, b);
  case RAND_UNIFORM:
    break;
  }
  return dist_uniform(rng, a, b);
}

/*
 * Rejection-inversion (Hoermann and Derflinger, ACM TOMACS 6.3, 1996): exact,
 * in constant time. h(x) = x^-t bounds the histogram. The inverse of its
 * integral H draws a point below h, which is rounded, and kept if in the
 * integer's part of the area.
 */

/* (x^(1-t) - 1) / (1-t), or ln x for t = 1; expm1 and log1p join the two
 * smoothly. */
static double zipf_integral(const struct rand_params *p, double x)
{
  const double one_less = p->zipf_one_less;

  return one_less == 0 ? log(x) : expm1(one_less * log(x)) / one_less;
}

/* Infinite where rounding left the range of H. */
static double zipf_inverse(const struct rand_params *p, double y)
{
  const double one_less = p->zipf_one_less;
  const double z = one_less * y;

  if (one_less == 0)
    return exp(y);
  return exp(log1p(z > -1 ? z : -1) / one_less);
}

/*
 * From here on, rounding never gives a value to reject: the probability is
 * about 1/k^2, and soon a difference of two values of H is only rounding
 * errors.
 */
#define SURE (UINT64_C(1) << 30)

static double zipf_density(const struct rand_params *p, double x)
{
  return exp(-p->zipf_exp * log(x));
}

void rand_zipf_init(struct rand_params *p, double exponent)
{
  /* From here on 2^-t is 0 in a double: only the first value is drawn. */
  const double enough = 1100;

  p->zipf_exp = exponent < enough ? exponent : enough;
  p->zipf_one_less = 1 - p->zipf_exp;
  p->zipf_low = zipf_integral(p, 1.5) - 1;
  p->zipf_squeeze = 2 -
                    zipf_inverse(p, zipf_integral(p, 2.5) - zipf_density(p, 2));
}

static double zipf_high_end(const struct rand_params *p,
                            struct zipf_cache *cache, uint64_t width)
{
  double high;

  for (unsigned i = 0; i < ZIPF_RANGES; i++) {
    if (LIKELY(cache->width[i] == width))
      return cache->high[i];
  }
  high = zipf_integral(p, (double)width + 1.5);
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
  high = zipf_high_end(p, cache, width);
  do {
    y = high + rng_double(rng) * (p->zipf_low - high);
    x = zipf_inverse(p, y);
    if (x < 1)
      value = 0;
    else if (LIKELY(x < n && (uint64_t)(x - 0.5) < width))
      value = (uint64_t)(x - 0.5);
    else
      value = width;
    k = (double)value + 1.0;
  } while (k - x > p->zipf_squeeze && value < SURE &&
           y < zipf_integral(p, k + 0.5) - zipf_density(p, k));
  return (int64_t)((uint64_t)a + value);
}

/* The order of the operations is part of the definition. */

#define THETA 0.99
#define ZETA_N 26.46902820178302 /* of 10^10 items */
#define ITEMS UINT64_C(10000000001)

void zipf_java_init(struct zipf_java *z)
{
  const double zeta_2 = 1 + 1 / pow(2, THETA);

  z->alpha = 1 / (1 - THETA);
  z->eta = (1 - pow(2.0 / (double)ITEMS, 1 - THETA)) / (1 - zeta_2 / ZETA_N);
  z->second = 1 + pow(0.5, THETA);
}

uint64_t zipf_java_rank(const struct zipf_java *z, double u)
{
  const double scaled = u * ZETA_N;

  if (scaled < 1)
    return 0;
  if (scaled < z->second)
    return 1;
  return (uint64_t)((double)ITEMS * pow(z->eta * u - z->eta + 1, z->alpha));
}

uint64_t zipf_java_hash(uint64_t rank)
{
  uint64_t hash = UINT64_C(0xCBF29CE484222325);

  for (int i = 0; i < 8; i++) {
    hash ^= rank & 0xFF;
    hash *= UINT64_C(1099511628211);
    rank >>= 8;
  }
  return hash >> 63 ? 0 - hash : hash;
}

uint64_t zipf_java_item(const struct zipf_java *z, double u, uint64_t items)
{
  return zipf_java_hash(zipf_java_rank(z, u)) % items;
}
