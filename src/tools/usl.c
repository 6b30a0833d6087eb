/*
 * usl.c - the figures of the Universal Scalability Law, and their intervals.
 */
#include "tools/usl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rand/rng.h"
#include "tools/bootstrap.h"
#include "tools/numbers.h"
#include "tools/usl_law.h"
#include "tools/usl_pattern.h"

/* ---- intervals ---- */

enum {
  SINGLE,
  CONTENTION,
  COHERENCE,
  PEAK_AT,
  FIGURES
};

static void figures_of(const struct usl_law *f, double ret[FIGURES])
{
  ret[SINGLE] = 1 / f->c[0];
  ret[CONTENTION] = f->c[1] / f->c[0];
  ret[COHERENCE] = f->c[2] / f->c[0];
  /* Without coherence, or with contention of 1, the peak is at infinity or at
   * one worker. */
  ret[PEAK_AT] = ret[CONTENTION] < 1
                   ? sqrt((1 - ret[CONTENTION]) / fmax(ret[COHERENCE], 1e-12))
                   : 1;
}

/* Memory of the bootstrap, in one piece. */
struct draws {
  double *memory; /* owned */
  double *residual, *time, *weigh;
  double *figure[FIGURES];
  size_t n;
};

static bool draws_init(struct draws *w, size_t n)
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

/* Residuals in relation to what was fitted, with a mean of 0 and the spread
 * that errors have; a fit makes residuals smaller than errors. */
static void set_residuals(const struct usl_data *d, const struct usl_law *f,
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

/* Fits of data that chance could have made, too. */
static void draw(const struct usl_data *d, const struct usl_law *f,
                 struct draws *w)
{
  static const bool all[USL_TERMS] = { true, true, true };
  struct rng rng;

  rng_seed(&rng, RNG_SEED_FIXED, RNG_INTERNAL, 0);
  set_residuals(d, f, w->residual);
  for (int r = 0; r < USL_REPLICATES; r++) {
    double figure[FIGURES];
    struct usl_law one;

    for (size_t i = 0; i < d->n; i++)
      w->time[i] = usl_law_time(f, d->workers[i]) *
                   fmax(1 + w->residual[rng_below(&rng, d->n)], 0.01);
    if (!usl_law_fit_terms(d, w->time, all, w->weigh, &one))
      continue;
    figures_of(&one, figure);
    for (size_t k = 0; k < FIGURES; k++)
      w->figure[k][w->n] = figure[k];
    w->n++;
  }
}

/* The interval around `center`, the figure of the fit that was drawn from. */
static struct usl_figure interval(struct draws *w, size_t figure, double value,
                                  double center, double df)
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

/* ---- all of it ---- */

static int by_workers(const void *a, const void *b)
{
  const struct usl_point *x = a, *y = b;

  return (x->workers > y->workers) - (x->workers < y->workers);
}

static size_t count_values(const struct usl_point *sorted, size_t n)
{
  size_t values = 0;

  for (size_t i = 0; i < n; i++)
    values += i == 0 || sorted[i].workers > sorted[i - 1].workers;
  return values;
}

/* Sorts the points.  False: they are not enough. */
static bool data_init(struct usl_data *d, struct usl *u, struct usl_point *p,
                      size_t n)
{
  *d = (struct usl_data){ .n = n };
  for (size_t i = 0; i < n; i++) {
    if (!(p[i].workers >= 1) || !(p[i].throughput > 0) ||
        !isfinite(p[i].workers) || !isfinite(p[i].throughput))
      return false;
  }
  qsort(p, n, sizeof(*p), by_workers);
  *u = (struct usl){ .values = count_values(p, n), .runs = n };
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

static void conclude(struct usl *u, const struct usl_law *best,
                     const struct usl_law *free_fit, struct draws *w)
{
  const double df = (double)u->runs - USL_TERMS;
  double value[FIGURES], center[FIGURES];

  figures_of(best, value);
  figures_of(free_fit, center);
  u->single = interval(w, SINGLE, value[SINGLE], center[SINGLE], df);
  u->contention = interval(w, CONTENTION, value[CONTENTION], center[CONTENTION],
                           df);
  u->coherence = interval(w, COHERENCE, value[COHERENCE], center[COHERENCE],
                          df);
  u->has_peak = u->coherence.low > 0 && value[CONTENTION] < 1;
  if (!u->has_peak)
    return;
  u->peak_at = interval(w, PEAK_AT, value[PEAK_AT], center[PEAK_AT], df);
  u->peak_at.low = fmax(u->peak_at.low, 1);
  u->peak = usl_throughput(u, value[PEAK_AT]);
}

static bool fit_data(struct usl *u, const struct usl_data *d)
{
  static const bool all[USL_TERMS] = { true, true, true };
  struct usl_law best, free_fit;
  struct draws w;
  bool done = false;

  if (!draws_init(&w, d->n))
    return false;
  if (usl_law_fit(d, w.weigh, &best)) {
    /* Without limits, so that intervals are as wide on both sides as chance
     * makes them. */
    if (!usl_law_fit_terms(d, d->time, all, w.weigh, &free_fit))
      free_fit = best;
    draw(d, &free_fit, &w);
    done = w.n > USL_REPLICATES / 2 && usl_has_pattern(d, &best, &u->patterned);
    if (done)
      conclude(u, &best, &free_fit, &w);
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
  if (data_init(&d, &u, sorted, n))
    done = fit_data(&u, &d);
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
