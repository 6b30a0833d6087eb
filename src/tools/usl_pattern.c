/*
 * usl_pattern.c - do the runs follow another law?
 */
#include "tools/usl_pattern.h"

#include <math.h>
#include <stdlib.h>

#include "rand/rng.h"
#include "stats/binomial.h"
#include "tools/usl_law.h"

#define PATTERN_P 0.01

/* Mean residuals of each number of workers, and what the repeats say of
 * chance. */
struct levels {
  double *mean; /* owned */
  size_t n;
  double among, within; /* sums of squares */
};

static bool levels_init(struct levels *l, const struct usl_data *d,
                        const struct usl_law *f)
{
  *l = (struct levels){ .mean = calloc(d->n, sizeof(double)) };
  if (!l->mean)
    return false;
  for (size_t i = 0, end; i < d->n; i = end) {
    const double time = usl_law_time(f, d->workers[i]);
    double mean = 0;

    for (end = i; end < d->n && d->workers[end] == d->workers[i]; end++)
      mean += d->time[end] / time - 1;
    mean /= (double)(end - i);
    for (size_t k = i; k < end; k++)
      l->within += pow(d->time[k] / time - 1 - mean, 2);
    l->among += mean * mean * (double)(end - i);
    l->mean[l->n++] = mean;
  }
  return true;
}

/* How likely chance makes the numbers of workers differ so much from the law,
 * in comparison with repeats of the same number (an F test). */
static double chance_by_repeats(const struct levels *l, size_t runs)
{
  const double d1 = (double)l->n - USL_TERMS, d2 = (double)(runs - l->n);
  double f;

  if (l->within <= 0)
    return 1;
  f = l->among / d1 / (l->within / d2);
  /* The tail of F as an incomplete beta function. */
  return binomial_at_least((d1 + d2) / 2 - 1, d2 / 2, d2 / (d2 + d1 * f));
}

static double roughness(const double *x, size_t n)
{
  double sum = 0;

  for (size_t i = 1; i < n; i++)
    sum += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
  return sum;
}

/* How likely a random order of the residuals is as smooth as this one. */
static double chance_by_order(double *x, size_t n)
{
  const double seen = roughness(x, n);
  size_t smooth = 1;
  struct rng rng;

  rng_seed(&rng, RNG_SEED_FIXED, RNG_INTERNAL, 1);
  for (int r = 0; r < USL_REPLICATES; r++) {
    for (size_t i = n - 1; i > 0; i--) {
      const size_t k = rng_below(&rng, i + 1);
      const double kept = x[i];

      x[i] = x[k];
      x[k] = kept;
    }
    smooth += roughness(x, n) <= seen * (1 + 1e-9);
  }
  return (double)smooth / (USL_REPLICATES + 1);
}

bool usl_has_pattern(const struct usl_data *d, const struct usl_law *f,
                     bool *ret_patterned)
{
  struct levels l;

  if (!levels_init(&l, d, f))
    return false;
  *ret_patterned = (d->n >= 2 * l.n ? chance_by_repeats(&l, d->n)
                                    : chance_by_order(l.mean, l.n)) < PATTERN_P;
  free(l.mean);
  return true;
}
