/*
 * dist.c - the parameters of the distributions, and all distributions except
 * zipfian.
 *
 * The bell and the hot zone are computed with integers: u is a draw of 64 bits
 * divided by 2^64, and a product with it is the upper half of a multiplication.
 * That is exact for every range, and no result can be rounded to a value
 * outside.
 */
#include "rand/dist.h"

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

/*
 * The mean of `iter` draws.  The reciprocal is rounded down, which makes the
 * mean too small by at most iter / 2^64 of its range.
 */
static uint64_t bell(const struct rand_params *p, struct rng *rng)
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
  const uint64_t mean = bell(p, rng);
  const unsigned __int128 n = (unsigned __int128)width + 1;

  return (int64_t)((uint64_t)a + (uint64_t)((mean * n) >> 64));
}

/*
 * floor(u (w P/100 + 1) + w/2 - w P/200), with everything times 200 until the
 * end.  Below 2^56 no product needs more than 64 bits.
 */
static uint64_t hot_zone(uint64_t x, uint64_t width, uint64_t pct)
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

/*
 * One draw both decides and places.  Therefore the hot zone never uses its
 * lowest part, and the bell never returns b.  Published results depend on both.
 */
int64_t dist_special(const struct rand_params *p, struct rng *rng, int64_t a,
                     int64_t b)
{
  const uint64_t width = dist_width(a, b);
  const uint64_t x = rng_next(rng);
  uint64_t low, value;

  if (x >> 11 >= p->hot_from)
    value = hot_zone(x, width, p->hot_pct);
  else
    value = rng_mulhi(bell(p, rng), width, &low);
  return (int64_t)((uint64_t)a + value);
}

int64_t dist_pareto(const struct rand_params *p, struct rng *rng, int64_t a,
                    int64_t b)
{
  const uint64_t width = dist_width(a, b);
  const double n = (double)width + 1.0;
  const double x = n * pow(rng_double(rng), p->pareto_power);
  uint64_t value = width;

  /* The power may round up to 1, and n to a number above it. */
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
