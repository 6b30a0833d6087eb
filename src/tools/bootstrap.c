#include "tools/bootstrap.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tools/numbers.h"

/* Fewer blocks show no variance. */
#define BLOCKS_MIN 4
/*
 * Without repeats, the correlation of successive samples is raised by this many
 * standard errors: correlation that is missed makes intervals too narrow.
 */
#define CORRELATION_ERRORS 0.6
#define CORRELATION_MAX 0.97
/* Degrees of freedom that the correlation costs, and the minimum left. */
#define PIECES_SPENT 2.0

/* The variance of a logarithm, with degrees of freedom. */
struct known {
  double variance, df;
};

struct side {
  struct known *within; /* owned; per run */
  size_t n;
  double mean; /* of logarithms */
  double
    assumed;     /* variance of `mean` by assumption, and scatter that agrees */
  double excess; /* the other scatter, likewise */
  enum boot_state state;
};

static bool bootstrap_samples_usable(const struct boot_run *r)
{
  double num = 0, den = 0;

  for (size_t i = 0; i < r->n; i++) {
    if (!isfinite(r->num[i]) || !isfinite(r->den[i]) || r->num[i] < 0 ||
        r->den[i] < 0)
      return false;
    num += r->num[i];
    den += r->den[i];
  }
  return r->n >= BOOT_SAMPLES_MIN && num > 0 && den > 0;
}

/* Deviations of samples, as shares of the sum. */
static double *bootstrap_residuals_of(const struct boot_run *r)
{
  double *off = calloc(r->n, sizeof(*off));
  double num = 0, den = 0;

  for (size_t i = 0; i < r->n; i++) {
    num += r->num[i];
    den += r->den[i];
  }
  for (size_t i = 0; off && i < r->n; i++)
    off[i] = r->num[i] / num - r->den[i] / den;
  return off;
}

/* From blocks of `m` samples. */
static struct known bootstrap_of_blocks(const double *off, size_t n, size_t m)
{
  const double blocks = (double)(n / m);
  double squares = 0;

  for (size_t i = 0; i + m <= n; i += m) {
    double sum = 0;

    for (size_t k = i; k < i + m; k++)
      sum += off[k];
    squares += sum * sum;
  }
  /* Samples after the last whole block. */
  squares *= (double)n / (blocks * (double)m);
  return (struct known){ squares * blocks / (blocks - 1), blocks - 1 };
}

/* As a first-order autoregressive process. */
static struct known bootstrap_of_correlation(const double *off, size_t samples,
                                             double errors)
{
  const double n = (double)samples;
  double squares = 0, products = 0, c, inflation, pieces;

  for (size_t i = 0; i < samples; i++) {
    squares += off[i] * off[i];
    products += i > 0 ? off[i - 1] * off[i] : 0;
  }
  c = squares > 0 ? products / squares : 0;
  /* Corrects the bias. */
  c += (1 + 3 * c) / n + errors * sqrt((1 - c * c) / n);
  c = fmin(fmax(c, 0), CORRELATION_MAX);
  inflation = (1 + c) / (1 - c) -
              2 * c * (1 - pow(c, n)) / (n * (1 - c) * (1 - c));
  pieces = n * (1 - c) / (1 + c) - PIECES_SPENT;
  return (struct known){ squares * inflation / fmax(1 - inflation / n, 0.05),
                         fmax(pieces, PIECES_SPENT) };
}

/* The largest estimate; {0, 0}: no memory. */
static struct known bootstrap_scatter_within(const struct boot_run *r,
                                             double errors)
{
  struct known most = { 0, 0 };
  double *off = bootstrap_residuals_of(r);

  if (!off)
    return most;
  most = bootstrap_of_correlation(off, r->n, errors);
  for (size_t m = 1; r->n / m >= BLOCKS_MIN; m *= 2) {
    const struct known here = bootstrap_of_blocks(off, r->n, m);

    if (here.variance > most.variance)
      most = here;
  }
  free(off);
  return most;
}

static double bootstrap_scatter_of(const struct boot_group *g, double mean)
{
  double squares = 0;

  for (size_t i = 0; i < g->n; i++) {
    const double off = log(g->runs[i].value) - mean;

    squares += off * off;
  }
  return squares / (double)(g->n - 1);
}

/*
 * Scatter up to the assumption confirms the assumption.  The rest counts
 * separately, less the noise within runs, which counts anyway.  Few runs often
 * scatter little by chance: two confirm nothing, and the excess of few is
 * increased.
 */
static void bootstrap_weigh_scatter(struct side *side,
                                    const struct boot_group *g, double assumed)
{
  const double n = (double)side->n, df = n - 1;
  double scatter, agrees, within = 0;

  side->assumed = assumed / n;
  if (side->n < 2)
    return;
  scatter = bootstrap_scatter_of(g, side->mean);
  agrees = fmin(scatter, assumed * (df - 1) / df);
  side->assumed = (BOOT_PRIOR_RUNS * assumed + df * agrees) /
                  (BOOT_PRIOR_RUNS + df) / n;
  for (size_t i = 0; i < side->n; i++)
    within += side->within[i].variance / n;
  side->excess = fmax(scatter - agrees - within, 0) * (1 + 1.5 / (df * df)) / n;
}

static enum boot_state bootstrap_worse_of(enum boot_state a, enum boot_state b)
{
  return a < b ? a : b;
}

static void bootstrap_side_init(struct side *side, const struct boot_group *g)
{
  const bool few = g->n < BOOT_RUNS_MIN;
  const double n = (double)g->n;
  double unsteady = 0;

  *side = (struct side){ .n = g->n, .state = BOOT_NOTHING };
  side->within = calloc(g->n + 1, sizeof(*side->within));
  if (!side->within || g->n == 0)
    return;
  side->state = BOOT_COMPARED;
  for (size_t i = 0; i < g->n; i++) {
    if (!isfinite(g->runs[i].value) || g->runs[i].value <= 0) {
      side->state = BOOT_NOTHING;
      return;
    }
    side->mean += log(g->runs[i].value) / n;
    unsteady += g->runs[i].unsteady / n;
    if (bootstrap_samples_usable(&g->runs[i]))
      side->within[i] = bootstrap_scatter_within(&g->runs[i],
                                                 few ? CORRELATION_ERRORS : 0);
    if (few && side->within[i].df <= 0)
      side->state = bootstrap_worse_of(side->state, BOOT_TOO_FEW);
    if (few && g->runs[i].unsteady > BOOT_UNSTEADY_MAX)
      side->state = bootstrap_worse_of(side->state, BOOT_DISTURBED);
  }
  bootstrap_weigh_scatter(
    side, g, BOOT_RUN_SPREAD * BOOT_RUN_SPREAD + unsteady * unsteady);
}

/* Also adds the terms of Satterthwaite's formula. */
static void bootstrap_add_variance(const struct side *side, double *within_all,
                                   double *variance, double *squares_by_df)
{
  const double n = (double)side->n;

  for (size_t i = 0; i < side->n; i++) {
    const double within = side->within[i].variance / n / n;

    *within_all += within;
    if (side->within[i].df > 0)
      *squares_by_df += within * within / side->within[i].df;
  }
  *variance += side->assumed + side->excess;
  *squares_by_df += side->assumed * side->assumed / BOOT_PRIOR_RUNS;
  if (side->n > 1)
    *squares_by_df += side->excess * side->excess / (n - 1);
}

static void bootstrap_conclude(struct boot_result *r, const struct side *a,
                               const struct side *b)
{
  const double tail = (1 - BOOT_CONFIDENCE) / 2;
  const double z = numbers_normal_quantile(1 - tail);
  double within = 0, variance = 0, squares_by_df = 0, half;

  bootstrap_add_variance(a, &within, &variance, &squares_by_df);
  bootstrap_add_variance(b, &within, &variance, &squares_by_df);
  variance += within;
  r->within = within / variance;
  r->df = variance * variance / squares_by_df;
  half = sqrt(variance) * numbers_student_quantile(1 - tail, r->df);
  r->low = r->ratio * exp(-half);
  r->high = r->ratio * exp(half);
  r->differs = r->low > 1 || r->high < 1;
  r->smallest = expm1(half * (z + numbers_normal_quantile(0.8)) / z);
}

enum boot_state bootstrap_compare(struct boot_result *ret,
                                  const struct boot_group *base,
                                  const struct boot_group *other)
{
  struct side a, b;
  enum boot_state state;

  bootstrap_side_init(&a, base);
  bootstrap_side_init(&b, other);
  state = bootstrap_worse_of(a.state, b.state);
  if (state != BOOT_NOTHING)
    *ret = (struct boot_result){ .base = exp(a.mean),
                                 .other = exp(b.mean),
                                 .ratio = exp(b.mean - a.mean),
                                 .runs = a.n < b.n ? a.n : b.n };
  if (state == BOOT_COMPARED)
    bootstrap_conclude(ret, &a, &b);
  free(a.within);
  free(b.within);
  return state;
}

/* ---- advice ---- */

/* Of the interval of the logarithm. */
static double settle_half_width(const struct boot_result *r)
{
  return log(r->high / r->low) / 2;
}

/* False: throughput 0, or no finite interval. */
static bool settle_is_usable(const struct boot_result *r)
{
  return r->low > 0 && isfinite(settle_half_width(r)) && isfinite(r->df);
}

/*
 * A half width that suffices.  An interval as wide as the threshold would
 * contain the threshold in every second case: hence the reserve, as for
 * boot_result.smallest.
 */
static double settle_target(const struct boot_result *r, double share)
{
  const double z = numbers_normal_quantile(1 - (1 - BOOT_CONFIDENCE) / 2);
  const double reserve = (z + numbers_normal_quantile(0.8)) / z;
  const double wanted = log1p(share) / reserve;
  double near;

  if (settle_half_width(r) > wanted)
    return wanted;
  near = fabs(fabs(log(r->ratio)) -
              (r->ratio < 1 ? -log1p(-share) : log1p(share)));
  return fmin(near, settle_half_width(r)) / reserve;
}

static double settle_student(double df)
{
  return numbers_student_quantile(1 - (1 - BOOT_CONFIDENCE) / 2, df);
}

/* The relative width with `runs` runs; each adds a degree of freedom per
 * side. */
static double settle_narrower(const struct boot_result *r, size_t runs)
{
  const double now = (double)r->runs, then = (double)runs;

  return sqrt(now / then) * settle_student(r->df + 2 * (then - now)) /
         settle_student(r->df);
}

unsigned bootstrap_repeats(const struct boot_result *r, double share)
{
  const double wanted = settle_target(r, share);

  if (!settle_is_usable(r) || !(wanted > 0))
    return 0;
  for (size_t n = r->runs + 1; n <= SETTLE_REPEATS_MAX; n++) {
    if (settle_half_width(r) * settle_narrower(r, n) <= wanted)
      return (unsigned)n;
  }
  return 0;
}

double bootstrap_longer(const struct boot_result *r, double share, size_t runs)
{
  double wanted, left, times;

  if (!settle_is_usable(r))
    return 0;
  wanted = settle_target(r, share) / settle_half_width(r) /
           settle_narrower(r, runs);
  left = wanted * wanted - (1 - r->within); /* left for noise within runs */
  if (!(left > 0))
    return 0;
  times = r->within / left;
  return times > 1 && times <= SETTLE_LONGER_MAX ? times : 0;
}
