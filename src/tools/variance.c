/*
 * variance.c - components of the variance of repeated runs.
 */
#include "tools/variance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tools/numbers.h"

/* The variance of the mean of a run's samples. */
static double of_mean(const struct variance_run *r)
{
  const double independent = (double)r->n /
                             numbers_autocorrelation(r->samples, r->n);

  return spread_of(r->samples, r->n).variance / fmax(independent, 1);
}

struct variance variance_of(const struct variance_run *runs, size_t n)
{
  const struct variance unknown = { NAN, NAN, NAN };
  double *values = calloc(n + 1, sizeof(*values));
  struct variance v = unknown;
  struct spread s;
  double within = 0, between, sum;
  bool known = values && n >= 2;

  for (size_t i = 0; i < n && known; i++) {
    values[i] = runs[i].value;
    known = runs[i].n >= VARIANCE_SAMPLES_MIN && isfinite(runs[i].value);
    if (known)
      within += of_mean(&runs[i]) / (double)n;
  }
  s = known ? spread_of(values, n) : (struct spread){ .mean = NAN };
  free(values);
  if (!known || !(s.mean > 0) || !isfinite(within))
    return unknown;
  between = fmax(s.variance - within, 0);
  sum = between + within;
  v.spread = sqrt(sum) / s.mean;
  v.between = sum > 0 ? between / sum : 0;
  v.within = 1 - v.between;
  return v;
}
