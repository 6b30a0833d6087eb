/*
 * The distributions have the shape that they are defined by: shares of chosen
 * intervals, moments, and a chi-square test over the whole range.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "stats/rand/dist.h"
#include "tests/unit/rand_check.h"
#include "tests/unit/tap.h"

#define DRAWS 1000000
#define CELLS 100

/* The share of the values lo..hi, and its tolerance. */
struct interval {
  int64_t lo, hi;
  double share, tolerance;
};

struct run {
  const char *name;
  struct rand_cfg choice;
  int64_t high; /* range 1..high */
  struct interval part[8];
};

static const struct run runs[] = {
  { "uniform",
    { RAND_UNIFORM, 12, 1, 75, 0.2, 0.8 },
    10000,
    { { 1, 100, 0.010000, 0.000398 },
      { 1, 1000, 0.100000, 0.001200 },
      { 9901, 10000, 0.010000, 0.000398 } } },
  { "gaussian",
    { RAND_GAUSSIAN, 12, 1, 75, 0.2, 0.8 },
    10000,
    { { 4951, 5050, 0.047244, 0.000849 },
      { 4501, 5500, 0.447034, 0.001989 },
      { 3334, 6666, 0.955427, 0.000825 },
      { 1, 2500, 0.001007, 0.000127 },
      { 7501, 10000, 0.001007, 0.000127 } } },
  { "special",
    { RAND_SPECIAL, 12, 1, 75, 0.2, 0.8 },
    10000,
    { { 4975, 5051, 0.759096, 0.001711 },
      { 4951, 5050, 0.756911, 0.001716 },
      { 5000, 5000, 0.010020, 0.000398 },
      { 1, 4974, 0.121987, 0.001309 },
      { 5052, 10000, 0.118917, 0.001295 },
      { 4501, 5500, 0.861768, 0.001381 } } },
  { "pareto",
    { RAND_PARETO, 12, 1, 75, 0.2, 0.8 },
    10000,
    { { 1, 1, 0.278877, 0.001794 },
      { 2, 2, 0.028131, 0.000661 },
      { 1, 100, 0.528088, 0.001997 },
      { 1, 1000, 0.726697, 0.001783 },
      { 1, 2000, 0.800000, 0.001600 },
      { 9001, 10000, 0.014502, 0.000478 } } },
  { "zipfian",
    { RAND_ZIPFIAN, 12, 1, 75, 0.2, 0.8 },
    10000,
    { { 1, 1, 0.036886, 0.000754 },
      { 2, 2, 0.021185, 0.000576 },
      { 3, 3, 0.015317, 0.000491 },
      { 10, 10, 0.005846, 0.000305 },
      { 1, 100, 0.300046, 0.001833 },
      { 1, 1000, 0.570618, 0.001980 },
      { 1, 2000, 0.679765, 0.001866 },
      { 9001, 10000, 0.024263, 0.000615 } } },
  { "gaussian, 100 values",
    { RAND_GAUSSIAN, 12, 1, 75, 0.2, 0.8 },
    100,
    { { 50, 50, 0.047163, 0.000848 }, { 46, 55, 0.447034, 0.001989 } } },
  { "special, 100 values",
    { RAND_SPECIAL, 12, 1, 75, 0.2, 0.8 },
    100,
    { { 50, 50, 0.261930, 0.001759 },
      { 51, 51, 0.511847, 0.001999 },
      { 52, 52, 0.011602, 0.000428 } } },
  { "pareto, 100 values",
    { RAND_PARETO, 12, 1, 75, 0.2, 0.8 },
    100,
    { { 1, 1, 0.528088, 0.001997 }, { 2, 2, 0.053269, 0.000898 } } },
  { "zipfian, 100 values",
    { RAND_ZIPFIAN, 12, 1, 75, 0.2, 0.8 },
    100,
    { { 1, 1, 0.122934, 0.001313 }, { 1, 10, 0.438275, 0.001985 } } },
  { "gaussian, 1e6 values",
    { RAND_GAUSSIAN, 12, 1, 75, 0.2, 0.8 },
    1000000,
    { { 495001, 505000, 0.047244, 0.000849 } } },
  { "special, 1e6 values",
    { RAND_SPECIAL, 12, 1, 75, 0.2, 0.8 },
    1000000,
    { { 495001, 505000, 0.761762, 0.001704 } } },
  { "pareto, 1e6 values",
    { RAND_PARETO, 12, 1, 75, 0.2, 0.8 },
    1000000,
    { { 1, 1, 0.147271, 0.001417 }, { 1, 10000, 0.528088, 0.001997 } } },
  { "zipfian, 1e6 values",
    { RAND_ZIPFIAN, 12, 1, 75, 0.2, 0.8 },
    1000000,
    { { 1, 1, 0.013368, 0.000459 }, { 1, 10000, 0.362407, 0.001923 } } },
  { "gaussian of 1",
    { RAND_GAUSSIAN, 1, 1, 75, 0.2, 0.8 },
    10000,
    { { 1, 100, 0.010000, 0.000398 } } },
  { "gaussian of 2",
    { RAND_GAUSSIAN, 2, 1, 75, 0.2, 0.8 },
    10000,
    { { 4951, 5050, 0.019900, 0.000559 }, { 1, 2500, 0.125000, 0.001323 } } },
  { "special, pct 10, res 50",
    { RAND_SPECIAL, 12, 10, 50, 0.2, 0.8 },
    10000,
    { { 4501, 5500, 0.723087, 0.001790 } } },
  { "special, res 100",
    { RAND_SPECIAL, 12, 1, 100, 0.2, 0.8 },
    10000,
    { { 4950, 5051, 1.000000, 0 } } },
  { "special, res 0",
    { RAND_SPECIAL, 12, 1, 0, 0.2, 0.8 },
    10000,
    { { 4501, 5500, 0.447073, 0.001989 }, { 10000, 10000, 0, 0 } } },
  { "special, pct 100, res 100",
    { RAND_SPECIAL, 12, 100, 100, 0.2, 0.8 },
    100,
    { { 1, 1, 0.010000, 0.000398 }, { 100, 100, 0.010000, 0.000398 } } },
  { "pareto, h 0.1",
    { RAND_PARETO, 12, 1, 75, 0.1, 0.8 },
    10000,
    { { 1, 1, 0.656100, 0.001900 }, { 1, 1000, 0.900000, 0.001200 } } },
  { "pareto, h 0.5",
    { RAND_PARETO, 12, 1, 75, 0.5, 0.8 },
    10000,
    { { 1, 100, 0.010000, 0.000398 } } },
  { "zipfian, exp 0",
    { RAND_ZIPFIAN, 12, 1, 75, 0.2, 0 },
    10000,
    { { 1, 100, 0.010000, 0.000398 } } },
  { "zipfian, exp 0.99",
    { RAND_ZIPFIAN, 12, 1, 75, 0.2, 0.99 },
    10000,
    { { 1, 1, 0.097806, 0.001188 }, { 1, 100, 0.517839, 0.001999 } } },
  { "zipfian, exp 1",
    { RAND_ZIPFIAN, 12, 1, 75, 0.2, 1 },
    10000,
    { { 1, 1, 0.102170, 0.001211 }, { 2, 2, 0.051085, 0.000881 } } },
  { "zipfian, exp close to 1",
    { RAND_ZIPFIAN, 12, 1, 75, 0.2, 1 + 1e-14 },
    10000,
    { { 1, 1, 0.102170, 0.001211 }, { 2, 2, 0.051085, 0.000881 } } },
  { "zipfian, exp 2",
    { RAND_ZIPFIAN, 12, 1, 75, 0.2, 2 },
    10000,
    { { 1, 1, 0.607964, 0.001953 }, { 2, 2, 0.151991, 0.001436 } } },
};

/*
 * Returns P(U1 + ... + Um < x).  The alternating sum cancels badly in the upper
 * half, so symmetry is used there.
 */
static double sum_below(int m, double x)
{
  long double total = 0, term;

  if (x <= 0)
    return 0;
  if (x >= m)
    return 1;
  if (x > m / 2.0)
    return 1 - sum_below(m, m - x);
  for (int k = 0; k <= (int)x; k++) {
    term = 1;
    for (int i = 1; i <= m; i++)
      term *= (x - k) / i; /* (x - k)^m / m! */
    for (int i = 1; i <= k; i++)
      term *= (long double)(m - i + 1) / i; /* m over k */
    total += k % 2 ? -term : term;
  }
  return (double)total;
}

/* P(value < 1 + i) of a special draw from 1..n. */
static double special_below(const struct rand_cfg *c, double i, double n)
{
  const double w = n - 1, cold = 1 - (double)c->spec_res / 100;
  const double size = w * (double)c->spec_pct / 100 + 1;
  const double u = (i - w / 2 + w * (double)c->spec_pct / 200) / size;
  const double bell = sum_below((int)c->spec_iter,
                                (double)c->spec_iter * i / w);
  double hot = u - cold;

  if (hot < 0)
    hot = 0;
  if (hot > 1 - cold)
    hot = 1 - cold;
  return cold * bell + hot;
}

/* Returns P(value < 1 + i) for all distributions but zipfian. */
static double define_one(const struct rand_cfg *c, int64_t i, int64_t n)
{
  const double x = (double)i / (double)n;

  if (c->type == RAND_GAUSSIAN)
    return sum_below((int)c->spec_iter, (double)c->spec_iter * x);
  if (c->type == RAND_SPECIAL)
    return special_below(c, (double)i, (double)n);
  if (c->type == RAND_PARETO)
    return pow(x, log(1 - c->pareto_h) / log(c->pareto_h));
  return x;
}

/*
 * Sets below[i] = P(value < 1 + i), i = 0..n, from the definitions.  The bell
 * is slow to compute and smooth: for a large range, every 100th value is
 * computed, with straight lines between.
 */
static void define(const struct rand_cfg *c, int64_t n, double *below)
{
  const bool bell = c->type == RAND_GAUSSIAN || c->type == RAND_SPECIAL;
  const int64_t step = bell && n > 10000 ? 100 : 1;

  below[0] = 0;
  if (c->type == RAND_ZIPFIAN) {
    for (int64_t i = 1; i <= n; i++)
      below[i] = below[i - 1] + pow((double)i, -c->zipfian_exp);
    for (int64_t i = 1; i <= n; i++)
      below[i] /= below[n];
    return;
  }
  for (int64_t i = step; i <= n; i += step) {
    const double from = below[i - step], to = define_one(c, i, n);

    for (int64_t k = 1; k <= step; k++)
      below[i - step + k] = from + (to - from) * (double)k / (double)step;
  }
}

/* Draw; counts per value, or false if a value was outside. */
static bool draw_all(const struct run *r, uint64_t seed, uint32_t *count)
{
  struct zipf_cache cache = { { 0 } };
  struct rand_params params;
  bool inside = true;
  struct rng rng;

  memset(count, 0, (size_t)(r->high + 1) * sizeof(*count));
  rand_params_init(&params, &r->choice);
  rng_seed(&rng, seed, RNG_WORKLOAD, 0);
  for (int i = 0; i < DRAWS; i++) {
    const int64_t x = dist_default(&params, &rng, &cache, 1, r->high);

    if (x >= 1 && x <= r->high)
      count[x]++;
    else
      inside = false;
  }
  return inside;
}

static void check_parts(const struct run *r, const uint32_t *count,
                        const double *below)
{
  for (size_t i = 0; i < ARRAY_SIZE(r->part) && r->part[i].lo; i++) {
    const struct interval *part = &r->part[i];
    uint64_t seen = 0;
    double share;
    char what[100];

    for (int64_t x = part->lo; x <= part->hi; x++)
      seen += count[x];
    share = (double)seen / DRAWS;
    (void)snprintf(what, sizeof(what), "%s, %ld..%ld: %.6f, defined %.6f",
                   r->name, (long)part->lo, (long)part->hi, share, part->share);
    OK(fabs(share - part->share) <= part->tolerance, what);
    OK(fabs(below[part->hi] - below[part->lo - 1] - part->share) < 1e-6,
       "the cells of the test have this share as well");
  }
}

static void check_moments(const struct run *r, const uint32_t *count,
                          const double *below)
{
  double mean = 0, var = 0, fourth = 0, seen_mean = 0, seen_var = 0;
  char what[100];

  for (int64_t x = 1; x <= r->high; x++) {
    mean += (double)x * (below[x] - below[x - 1]);
    seen_mean += (double)x * count[x] / DRAWS;
  }
  for (int64_t x = 1; x <= r->high; x++) {
    const double off = ((double)x - mean) * ((double)x - mean);

    var += off * (below[x] - below[x - 1]);
    fourth += off * off * (below[x] - below[x - 1]);
    seen_var += off * count[x] / DRAWS;
  }
  (void)snprintf(what, sizeof(what), "%s: mean %.2f, defined %.2f", r->name,
                 seen_mean, mean);
  OK(fabs(seen_mean - mean) <= 4 * sqrt(var / DRAWS) + 1e-6, what);
  (void)snprintf(what, sizeof(what), "%s: deviation %.2f, defined %.2f",
                 r->name, sqrt(seen_var), sqrt(var));
  OK(fabs(seen_var - var) <= 4 * sqrt((fourth - var * var) / DRAWS) + 1e-6,
     what);
}

static void check_shape(const struct run *r, const uint32_t *count,
                        const double *below)
{
  uint64_t cell[CELLS] = { 0 };
  double share[CELLS];
  struct chi2 chi;
  char what[100];

  for (int64_t x = 1; x <= r->high; x++)
    cell[(x - 1) * CELLS / r->high] += count[x];
  for (int64_t i = 0; i < CELLS; i++)
    share[i] = below[(i + 1) * r->high / CELLS] - below[i * r->high / CELLS];
  chi = chi2_test(cell, share, CELLS);
  (void)snprintf(what, sizeof(what), "%s: chi-square %.1f (%d), p %.4f",
                 r->name, chi.value, chi.df, chi.p);
  OK(CHI2_OK(chi), what);
}

int main(void)
{
  double *below = malloc(1000001 * sizeof(*below));
  uint32_t *count = malloc(1000001 * sizeof(*count));

  if (!below || !count)
    return 99;
  for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
    define(&runs[i].choice, runs[i].high, below);
    for (size_t k = 0; k < ARRAY_SIZE(check_seeds); k++) {
      OK(draw_all(&runs[i], check_seeds[k], count), "nothing outside");
      check_parts(&runs[i], count, below);
      check_moments(&runs[i], count, below);
      check_shape(&runs[i], count, below);
    }
  }
  free(below);
  free(count);
  return TAP_EXIT();
}
