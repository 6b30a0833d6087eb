/*
 * bootstrap.c - the confidence interval of the ratio of two groups of runs.
 */
#include "tools/bootstrap.h"

#include <math.h>
#include <stdlib.h>

#include "rand/rng.h"
#include "tools/numbers.h"

enum {
  SAMPLES_MIN = 4, /* fewer samples mean nothing */
};

/* A run, prepared for drawing. */
struct source {
  const struct boot_run *run;
  size_t block;   /* samples that belong together; 0: there are no samples */
  double spread;  /* a factor that compensates for the small number of blocks */
  double level;   /* logarithm of the ratio of the sums of its samples */
  double df;      /* blocks that are independent of each other, less one */
  double squares; /* sum of what was drawn, squared */
  size_t draws;
};

struct side {
  struct source *sources;
  size_t n;
  double mean;    /* of the logarithms of the values */
  double assumed; /* variance of `mean`: what is assumed about runs, and the
                     part of their scatter that agrees with it */
  double excess;  /* the rest of their scatter, in the same form */
};

static bool samples_usable(const struct boot_run *r)
{
  double num = 0, den = 0;

  for (size_t i = 0; i < r->n; i++) {
    if (!isfinite(r->num[i]) || !isfinite(r->den[i]) || r->num[i] < 0 ||
        r->den[i] < 0)
      return false;
    num += r->num[i];
    den += r->den[i];
  }
  return r->n >= SAMPLES_MIN && num > 0 && den > 0;
}

/* How long dependence lasts; at least four blocks remain. */
static size_t block_length(const struct boot_run *r)
{
  double *x = calloc(r->n, sizeof(*x));
  double tau = 1;
  size_t block;

  if (!x)
    return 1;
  for (size_t i = 0; i < r->n; i++)
    x[i] = r->den[i] > 0 ? r->num[i] / r->den[i] : 0;
  tau = numbers_autocorrelation(x, r->n);
  free(x);
  block = (size_t)ceil(1.5 * tau);
  return block < r->n / 4 ? block : r->n / 4;
}

static double ratio_of(const struct boot_run *r)
{
  double num = 0, den = 0;

  for (size_t i = 0; i < r->n; i++) {
    num += r->num[i];
    den += r->den[i];
  }
  return num / den;
}

static void source_init(struct source *s, const struct boot_run *run)
{
  double blocks;

  *s = (struct source){ .run = run };
  if (!samples_usable(run))
    return;
  s->block = block_length(run);
  s->level = log(ratio_of(run));
  blocks = (double)run->n / (double)s->block;
  s->spread = sqrt(blocks / (blocks - 1));
  s->df = blocks - 1;
}

static double scatter_of(const struct side *side)
{
  double squares = 0;

  for (size_t i = 0; i < side->n; i++) {
    const double off = log(side->sources[i].run->value) - side->mean;

    squares += off * off;
  }
  return squares / (double)(side->n - 1);
}

/*
 * The part of the scatter that is no larger than assumed confirms the
 * assumption.  The rest contradicts it and counts separately.  Two runs are too
 * few to confirm anything, because a small scatter is too often chance.  For
 * the same reason, the excess of few runs is increased, and noise within the
 * runs, which is part of the scatter, is not subtracted.
 */
static void weigh_scatter(struct side *side, double assumed)
{
  const double n = (double)side->n, df = n - 1;
  double scatter, agrees;

  side->assumed = assumed / n;
  if (side->n < 2)
    return;
  scatter = scatter_of(side);
  agrees = fmin(scatter, assumed * (df - 1) / df);
  side->assumed = (BOOT_PRIOR_RUNS * assumed + df * agrees) /
                  (BOOT_PRIOR_RUNS + df) / n;
  side->excess = (scatter - agrees) * (1 + 0.5 / (df * df)) / n;
}

static bool side_init(struct side *side, const struct boot_group *g)
{
  const double n = (double)g->n;
  double spread = BOOT_RUN_SPREAD, unsteady = 0;

  *side = (struct side){ .n = g->n };
  side->sources = calloc(g->n + 1, sizeof(*side->sources));
  if (!side->sources || g->n == 0)
    return false;
  for (size_t i = 0; i < g->n; i++) {
    if (!isfinite(g->runs[i].value) || g->runs[i].value <= 0)
      return false;
    side->mean += log(g->runs[i].value) / n;
    unsteady += g->runs[i].unsteady / n;
    source_init(&side->sources[i], &g->runs[i]);
    if (side->sources[i].block == 0)
      spread = BOOT_RUN_SPREAD_SINGLE;
  }
  weigh_scatter(side, spread * spread + unsteady * unsteady);
  return true;
}

/* The logarithm of the run's figure after its samples were drawn again, as a
 * difference from its own value. */
static double draw_within(struct source *s, struct rng *rng)
{
  const struct boot_run *r = s->run;
  double num = 0, den = 0, off;

  if (s->block == 0)
    return 0;
  for (size_t taken = 0; taken < r->n;) {
    size_t at = rng_below(rng, r->n);

    for (size_t k = 0; k < s->block && taken < r->n; k++, taken++) {
      num += r->num[at];
      den += r->den[at];
      at = at + 1 < r->n ? at + 1 : 0;
    }
  }
  if (num <= 0 || den <= 0)
    return 0;
  off = s->spread * (log(num / den) - s->level);
  s->squares += off * off;
  s->draws++;
  return off;
}

static double draw_side(const struct side *side, struct rng *rng)
{
  double sum = 0;

  for (size_t i = 0; i < side->n; i++)
    sum += draw_within(&side->sources[i], rng);
  return sum / (double)side->n;
}

/*
 * Differences between the sides that are due to chance alone.  The scatter
 * among runs is not drawn, because few runs drawn from few would hardly
 * differ.  It is added evenly, through a normal distribution.
 */
static void draw_all(const struct side *a, const struct side *b, double *drawn,
                     size_t n)
{
  const double among = sqrt(a->assumed + a->excess + b->assumed + b->excess);
  struct rng rng;

  rng_seed(&rng, RNG_SEED_FIXED, RNG_INTERNAL, 0);
  for (size_t i = 0; i < n; i++) {
    const double at = (double)i / (double)(n - 1);

    drawn[i] = draw_side(b, &rng);
    drawn[i] -= draw_side(a, &rng);
    drawn[i] += among * numbers_normal_quantile(at * 0.999999 + 5e-7);
  }
}

/* Add the variance of the side's mean, and the terms of Satterthwaite's
 * formula. */
static void add_variance(const struct side *side, double *within_all,
                         double *variance, double *squares_by_df)
{
  const double n = (double)side->n;

  for (size_t i = 0; i < side->n; i++) {
    const struct source *s = &side->sources[i];
    const double within = s->draws > 0 ? s->squares / (double)s->draws / n / n
                                       : 0;

    *within_all += within;
    if (s->df > 0)
      *squares_by_df += within * within / s->df;
  }
  *variance += side->assumed + side->excess;
  *squares_by_df += side->assumed * side->assumed / BOOT_PRIOR_RUNS;
  if (side->n > 1)
    *squares_by_df += side->excess * side->excess / (n - 1);
}

/* Sets the members df and within. */
static void find_freedom(struct boot_result *r, const struct side *a,
                         const struct side *b)
{
  double within = 0, variance = 0, squares_by_df = 0;

  add_variance(a, &within, &variance, &squares_by_df);
  add_variance(b, &within, &variance, &squares_by_df);
  variance += within;
  r->within = within / variance;
  r->df = variance * variance / squares_by_df;
}

static void conclude(struct boot_result *ret, double *drawn, size_t n)
{
  const double tail = (1 - BOOT_CONFIDENCE) / 2;
  const double z = numbers_normal_quantile(1 - tail);
  const double wider = numbers_student_quantile(1 - tail, ret->df) / z;
  double low, high;

  numbers_sort(drawn, n);
  low = numbers_quantile(drawn, n, tail) * wider;
  high = numbers_quantile(drawn, n, 1 - tail) * wider;
  ret->low = ret->ratio * exp(low);
  ret->high = ret->ratio * exp(high);
  ret->differs = ret->low > 1 || ret->high < 1;
  ret->smallest = expm1((high - low) / 2 * (z + numbers_normal_quantile(0.8)) /
                        z);
}

bool bootstrap_compare(struct boot_result *ret, const struct boot_group *base,
                       const struct boot_group *other)
{
  double *drawn = calloc(BOOT_REPLICATES, sizeof(*drawn));
  struct side a = { 0 }, b = { 0 };
  struct boot_result r = { 0 };
  bool ok = side_init(&a, base);

  ok = side_init(&b, other) && ok && drawn;
  if (ok) {
    draw_all(&a, &b, drawn, BOOT_REPLICATES);
    r.base = exp(a.mean);
    r.other = exp(b.mean);
    r.ratio = exp(b.mean - a.mean);
    r.runs = a.n < b.n ? a.n : b.n;
    find_freedom(&r, &a, &b);
    conclude(&r, drawn, BOOT_REPLICATES);
    *ret = r;
  }
  free(drawn);
  free(a.sources);
  free(b.sources);
  return ok;
}
