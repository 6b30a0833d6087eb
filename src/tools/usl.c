/*
 * usl.c - see usl.h.
 *
 * N / X(N) is linear in 1/g, a/g and b/g, so each fit is a weighted linear
 * regression.
 */
#include "tools/usl.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "stats/binomial.h"
#include "stats/rand/rng.h"
#include "tools/bootstrap.h"
#include "tools/numbers.h"

enum {
  USL_TERMS = 3,
  USL_REPLICATES = 2000, /* of the bootstrap */
};

/* Coefficients of 1, N - 1 and N (N - 1). */
struct usl_law {
  double c[USL_TERMS];
};

/* Times per event and worker, ascending in N. */
struct usl_data {
  size_t n;
  double *workers, *time; /* owned: one allocation */
  double largest;
};

/* ---- the fit ---- */

enum {
  REWEIGHTS = 4,
};

static void usl_law_regressors(double workers, double ret[USL_TERMS])
{
  ret[0] = 1;
  ret[1] = workers - 1;
  ret[2] = workers * (workers - 1);
}

static double usl_law_time(const struct usl_law *f, double workers)
{
  double z[USL_TERMS];

  usl_law_regressors(workers, z);
  return f->c[0] * z[0] + f->c[1] * z[1] + f->c[2] * z[2];
}

/* Gaussian elimination; false: linearly dependent. */
static bool usl_law_solve(double m[USL_TERMS][USL_TERMS + 1],
                          const bool use[USL_TERMS], double ret[USL_TERMS])
{
  for (int i = 0; i < USL_TERMS; i++) {
    if (use[i])
      continue;
    for (int k = 0; k <= USL_TERMS; k++)
      m[i][k] = k == i;
    m[i][USL_TERMS] = 0;
    for (int k = 0; k < USL_TERMS; k++)
      m[k][i] = k == i;
  }
  /* Positive definite: no pivoting. */
  for (int i = 0; i < USL_TERMS; i++) {
    if (!(m[i][i] > 1e-13))
      return false;
    for (int k = i + 1; k < USL_TERMS; k++) {
      const double times = m[k][i] / m[i][i];

      for (int j = i; j <= USL_TERMS; j++)
        m[k][j] -= times * m[i][j];
    }
  }
  for (int i = USL_TERMS - 1; i >= 0; i--) {
    ret[i] = m[i][USL_TERMS];
    for (int k = i + 1; k < USL_TERMS; k++)
      ret[i] -= m[i][k] * ret[k];
    ret[i] /= m[i][i];
  }
  return true;
}

/* `weigh`: the times that errors are relative to. */
static bool usl_law_fit_once(const struct usl_data *d, const double *time,
                             const double *weigh, const bool use[USL_TERMS],
                             struct usl_law *ret)
{
  /* Scales the terms to one size. */
  const double scale[USL_TERMS] = { 1, d->largest, d->largest * d->largest };
  double m[USL_TERMS][USL_TERMS + 1] = { { 0 } };

  for (size_t i = 0; i < d->n; i++) {
    double z[USL_TERMS];

    usl_law_regressors(d->workers[i], z);
    for (int k = 0; k < USL_TERMS; k++)
      z[k] /= scale[k] * weigh[i];
    for (int k = 0; k < USL_TERMS; k++) {
      for (int j = 0; j < USL_TERMS; j++)
        m[k][j] += z[k] * z[j] / (double)d->n;
      m[k][USL_TERMS] += z[k] * time[i] / weigh[i] / (double)d->n;
    }
  }
  for (int k = 0; k < USL_TERMS; k++) { /* times have any size */
    for (int j = 0; j < USL_TERMS; j++)
      m[k][j] *= weigh[0] * weigh[0];
    m[k][USL_TERMS] *= weigh[0] * weigh[0];
  }
  if (!usl_law_solve(m, use, ret->c))
    return false;
  for (int k = 0; k < USL_TERMS; k++)
    ret->c[k] /= scale[k];
  return true;
}

/* Errors are relative first to the data, then to the fit where positive. */
static bool usl_law_fit_terms(const struct usl_data *d, const double *time,
                              const bool use[USL_TERMS], double *weigh,
                              struct usl_law *ret)
{
  memcpy(weigh, time, d->n * sizeof(*weigh));
  for (int round = 0; round < REWEIGHTS; round++) {
    if (!usl_law_fit_once(d, time, weigh, use, ret))
      return false;
    for (size_t i = 0; i < d->n; i++) {
      const double f = usl_law_time(ret, d->workers[i]);

      weigh[i] = f > 0.1 * time[i] ? f : time[i];
    }
  }
  return ret->c[0] > 0;
}

static double usl_law_squares(const struct usl_data *d, const struct usl_law *f)
{
  double sum = 0;

  for (size_t i = 0; i < d->n; i++) {
    const double off = d->time[i] / usl_law_time(f, d->workers[i]) - 1;

    sum += off * off;
  }
  return sum;
}

/* Without negative terms; false: no fit. */
static bool usl_law_fit(const struct usl_data *d, double *weigh,
                        struct usl_law *ret)
{
  static const bool uses[][USL_TERMS] = {
    { true, true, true },
    { true, true, false },
    { true, false, true },
    { true, false, false },
  };
  double least = INFINITY;
  bool found = false;

  for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
    struct usl_law f;
    double sum;

    if (!usl_law_fit_terms(d, d->time, uses[i], weigh, &f) || f.c[1] < 0 ||
        f.c[2] < 0)
      continue;
    sum = usl_law_squares(d, &f);
    if (sum < least) {
      least = sum;
      *ret = f;
      found = true;
    }
  }
  return found;
}

/* ---- patterns in the residuals ---- */

#define PATTERN_P 0.01

/* Mean residuals per number of workers. */
struct levels {
  double *mean; /* owned */
  size_t n;
  double among, within; /* sums of squares */
};

static bool usl_pattern_levels_init(struct levels *l, const struct usl_data *d,
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

/* Probability of such deviations from the law, compared with repeats (F
 * test). */
static double usl_pattern_chance_by_repeats(const struct levels *l, size_t runs)
{
  const double d1 = (double)l->n - USL_TERMS, d2 = (double)(runs - l->n);
  double f;

  if (l->within <= 0)
    return 1;
  f = l->among / d1 / (l->within / d2);
  /* The tail of F as an incomplete beta function. */
  return binomial_at_least((d1 + d2) / 2 - 1, d2 / 2, d2 / (d2 + d1 * f));
}

static double usl_pattern_roughness(const double *x, size_t n)
{
  double sum = 0;

  for (size_t i = 1; i < n; i++)
    sum += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
  return sum;
}

/* Probability that a random order is as smooth. */
static double usl_pattern_chance_by_order(double *x, size_t n)
{
  const double seen = usl_pattern_roughness(x, n);
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
    smooth += usl_pattern_roughness(x, n) <= seen * (1 + 1e-9);
  }
  return (double)smooth / (USL_REPLICATES + 1);
}

/* False: no memory. */
static bool usl_has_pattern(const struct usl_data *d, const struct usl_law *f,
                            bool *ret_patterned)
{
  struct levels l;

  if (!usl_pattern_levels_init(&l, d, f))
    return false;
  *ret_patterned = (d->n >= 2 * l.n
                      ? usl_pattern_chance_by_repeats(&l, d->n)
                      : usl_pattern_chance_by_order(l.mean, l.n)) < PATTERN_P;
  free(l.mean);
  return true;
}

/* ---- intervals ---- */

enum {
  SINGLE,
  CONTENTION,
  COHERENCE,
  PEAK_AT,
  FIGURES
};

static void usl_figures_of(const struct usl_law *f, double ret[FIGURES])
{
  ret[SINGLE] = 1 / f->c[0];
  ret[CONTENTION] = f->c[1] / f->c[0];
  ret[COHERENCE] = f->c[2] / f->c[0];
  /* The peak is at infinity without coherence, at one worker with contention
   * 1. */
  ret[PEAK_AT] = ret[CONTENTION] < 1
                   ? sqrt((1 - ret[CONTENTION]) / fmax(ret[COHERENCE], 1e-12))
                   : 1;
}

/* One allocation for the bootstrap. */
struct draws {
  double *memory; /* owned */
  double *residual, *time, *weigh;
  double *figure[FIGURES];
  size_t n;
};

static bool usl_draws_init(struct draws *w, size_t n)
{
  w->n = 0;
  w->memory = calloc(3 * n + FIGURES * (size_t)USL_REPLICATES, sizeof(double));
  if (!w->memory)
    return false;
  w->residual = w->memory;
  w->time = w->residual + n;
  w->weigh = w->time + n;
  for (size_t k = 0; k < FIGURES; k++)
    w->figure[k] = w->weigh + n + k * USL_REPLICATES;
  return true;
}

/* Relative residuals with mean 0, scaled up because a fit makes them smaller
 * than errors. */
static void usl_set_residuals(const struct usl_data *d, const struct usl_law *f,
                              double *residual)
{
  const double n = (double)d->n;
  const double spread = sqrt(n / (n - USL_TERMS));
  double mean = 0;

  for (size_t i = 0; i < d->n; i++) {
    residual[i] = d->time[i] / usl_law_time(f, d->workers[i]) - 1;
    mean += residual[i] / n;
  }
  for (size_t i = 0; i < d->n; i++)
    residual[i] = spread * (residual[i] - mean);
}

static void usl_draw(const struct usl_data *d, const struct usl_law *f,
                     struct draws *w)
{
  static const bool all[USL_TERMS] = { true, true, true };
  struct rng rng;

  rng_seed(&rng, RNG_SEED_FIXED, RNG_INTERNAL, 0);
  usl_set_residuals(d, f, w->residual);
  for (int r = 0; r < USL_REPLICATES; r++) {
    double figure[FIGURES];
    struct usl_law one;

    for (size_t i = 0; i < d->n; i++)
      w->time[i] = usl_law_time(f, d->workers[i]) *
                   fmax(1 + w->residual[rng_below(&rng, d->n)], 0.01);
    if (!usl_law_fit_terms(d, w->time, all, w->weigh, &one))
      continue;
    usl_figures_of(&one, figure);
    for (size_t k = 0; k < FIGURES; k++)
      w->figure[k][w->n] = figure[k];
    w->n++;
  }
}

/* `center`: the figure of the law of the draws. */
static struct usl_figure usl_interval(struct draws *w, size_t figure,
                                      double value, double center, double df)
{
  const double tail = (1 - BOOT_CONFIDENCE) / 2;
  const double wider = numbers_student_quantile(1 - tail, df) /
                       numbers_normal_quantile(1 - tail);
  double *x = w->figure[figure];
  struct usl_figure f = { .value = value };

  numbers_sort(x, w->n);
  f.low = center - wider * (center - numbers_quantile(x, w->n, tail));
  f.high = center + wider * (numbers_quantile(x, w->n, 1 - tail) - center);
  f.low = fmax(fmin(f.low, value), 0);
  f.high = fmax(f.high, value);
  return f;
}

/* ---- result ---- */

static int usl_by_workers(const void *a, const void *b)
{
  const struct usl_point *x = a, *y = b;

  return (x->workers > y->workers) - (x->workers < y->workers);
}

static size_t usl_count_values(const struct usl_point *sorted, size_t n)
{
  size_t values = 0;

  for (size_t i = 0; i < n; i++)
    values += i == 0 || sorted[i].workers > sorted[i - 1].workers;
  return values;
}

/* False: too few points. */
static bool usl_data_init(struct usl_data *d, struct usl *u,
                          struct usl_point *p, size_t n)
{
  *d = (struct usl_data){ .n = n };
  for (size_t i = 0; i < n; i++) {
    if (!(p[i].workers >= 1) || !(p[i].throughput > 0) ||
        !isfinite(p[i].workers) || !isfinite(p[i].throughput))
      return false;
  }
  qsort(p, n, sizeof(*p), usl_by_workers);
  *u = (struct usl){ .values = usl_count_values(p, n), .runs = n };
  if (u->values < USL_VALUES_MIN)
    return false;
  d->workers = calloc(2 * n, sizeof(double));
  if (!d->workers)
    return false;
  d->time = d->workers + n;
  for (size_t i = 0; i < n; i++) {
    d->workers[i] = p[i].workers;
    d->time[i] = p[i].workers / p[i].throughput;
  }
  u->smallest = p[0].workers;
  u->largest = d->largest = p[n - 1].workers;
  return true;
}

static void usl_conclude(struct usl *u, const struct usl_law *best,
                         const struct usl_law *free_fit, struct draws *w)
{
  const double df = (double)u->runs - USL_TERMS;
  double value[FIGURES], center[FIGURES];

  usl_figures_of(best, value);
  usl_figures_of(free_fit, center);
  u->single = usl_interval(w, SINGLE, value[SINGLE], center[SINGLE], df);
  u->contention = usl_interval(w, CONTENTION, value[CONTENTION],
                               center[CONTENTION], df);
  u->coherence = usl_interval(w, COHERENCE, value[COHERENCE], center[COHERENCE],
                              df);
  u->has_peak = u->coherence.low > 0 && value[CONTENTION] < 1;
  if (!u->has_peak)
    return;
  u->peak_at = usl_interval(w, PEAK_AT, value[PEAK_AT], center[PEAK_AT], df);
  u->peak_at.low = fmax(u->peak_at.low, 1);
  u->peak = usl_throughput(u, value[PEAK_AT]);
}

static bool usl_fit_data(struct usl *u, const struct usl_data *d)
{
  static const bool all[USL_TERMS] = { true, true, true };
  struct usl_law best, free_fit;
  struct draws w;
  bool done = false;

  if (!usl_draws_init(&w, d->n))
    return false;
  if (usl_law_fit(d, w.weigh, &best)) {
    /* Without limits: chance makes intervals equally wide on both sides. */
    if (!usl_law_fit_terms(d, d->time, all, w.weigh, &free_fit))
      free_fit = best;
    usl_draw(d, &free_fit, &w);
    done = w.n > USL_REPLICATES / 2 && usl_has_pattern(d, &best, &u->patterned);
    if (done)
      usl_conclude(u, &best, &free_fit, &w);
  }
  free(w.memory);
  return done;
}

bool usl_fit(struct usl *ret, const struct usl_point *points, size_t n)
{
  struct usl_point *sorted = calloc(n + 1, sizeof(*sorted));
  struct usl_data d = { 0 };
  struct usl u;
  bool done = false;

  if (!sorted)
    return false;
  memcpy(sorted, points, n * sizeof(*points));
  if (usl_data_init(&d, &u, sorted, n))
    done = usl_fit_data(&u, &d);
  if (done)
    *ret = u;
  free(d.workers);
  free(sorted);
  return done;
}

double usl_throughput(const struct usl *u, double workers)
{
  return u->single.value * workers /
         (1 + u->contention.value * (workers - 1) +
          u->coherence.value * workers * (workers - 1));
}
