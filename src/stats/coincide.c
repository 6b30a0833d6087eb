#include "stats/coincide.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/minmax.h"

enum {
  COINCIDE_TURNS = 2048 /* at most */
};

struct coincide_dip {
  size_t first, last;
  double weight; /* the sum of its depths, scaled to 1 on average */
};

struct coincide_shape {
  size_t n, n_lost;
  const double *loss; /* [n] */
  double length;      /* of `loss` as a vector */
  size_t *lost;       /* [n_lost] intervals with a loss */
  size_t *turn;       /* [n_turns] distances, 0 first */
  size_t n_turns;
  double *fit;     /* [n_turns] of one series */
  double *highest; /* [n_turns] of all series */
  double *own;     /* [n_series] at distance 0 */
};

/* ---- distances ---- */

#define GOLDEN 0.6180339887498949 /* its multiples spread best */

static size_t coincide_common_divisor(size_t a, size_t b)
{
  while (b > 0) {
    const size_t rest = a % b;

    a = b;
    b = rest;
  }
  return a;
}

/* All distances from `first` (which comes first) to `last`, or COINCIDE_TURNS
 * of them, unevenly spread. */
static size_t coincide_turns(size_t first, size_t last, size_t *ret)
{
  const size_t n = last - first + 1;
  const size_t count = n < COINCIDE_TURNS ? n : COINCIDE_TURNS;
  size_t step = n > count ? (size_t)((double)n * GOLDEN) : 1;

  while (coincide_common_divisor(n, step) != 1)
    step--;
  for (size_t i = 0, at = 0; i < count; i++, at = (at + step) % n)
    ret[i] = first + at;
  return count;
}

/* ---- dips ---- */

#define DIP 0.8
#define PEAK 3.0

enum {
  USUAL_MIN = 8,
  AROUND_MIN = 15, /* on each side of a running median */
  AROUND_MAX = 60,
  AROUND_SHARE = 16 /* a side has this fraction of all intervals */
};

/* Of the known values; NAN: all unknown. Sorts `of`. */
static double coincide_median(double *of, size_t n)
{
  if (n == 0)
    return NAN;
  qsort(of, n, sizeof(*of), order_real);
  return n % 2 ? of[n / 2] : (of[n / 2 - 1] + of[n / 2]) / 2;
}

static double coincide_median_around(const double *v, size_t n, size_t at)
{
  double near[2 * AROUND_MAX + 1];
  const size_t around = max_u64(AROUND_MIN,
                                min_u64(AROUND_MAX, n / AROUND_SHARE));
  const size_t first = at > around ? at - around : 0;
  size_t k = 0;

  for (size_t i = first; i < n && i <= at + around; i++) {
    if (isfinite(v[i]))
      near[k++] = v[i];
  }
  return coincide_median(near, k);
}

/* Distance from the median around the interval, 0 to 1; 0: outside of dips. */
struct depth {
  double rate;
  double latency;
  bool low; /* the rate is that of a dip */
};

static struct depth coincide_depth_at(const struct coincide_input *in, size_t i)
{
  const double rate = coincide_median_around(in->rate, in->n, i);
  const double latency = coincide_median_around(in->latency, in->n, i);
  struct depth d = { .low = in->rate[i] < DIP * rate };

  if (in->rate[i] < rate)
    d.rate = 1 - in->rate[i] / rate;
  if (latency > 0 && in->latency[i] > PEAK * latency)
    d.latency = 1 - latency / in->latency[i];
  return d;
}

/* Latencies count only in dips whose rate is never low, because events that end
 * in an interval often waited in earlier ones. */
static void coincide_note_loss(const struct coincide_input *in,
                               const struct coincide_dip *dip, bool low,
                               double *loss)
{
  for (size_t i = dip->first; !low && i <= dip->last; i++) {
    const struct depth d = coincide_depth_at(in, i);

    loss[i] = fmax(d.rate, d.latency);
  }
}

/* Dips begin and end inside of intervals: the neighbours belong to the loss. */
static void coincide_keep_edges(const bool *dip, size_t n, double *loss)
{
  for (size_t i = 0; i < n; i++) {
    if (!dip[i] && !(i > 0 && dip[i - 1]) && !(i + 1 < n && dip[i + 1]))
      loss[i] = 0;
  }
}

/* Returns the number of dips; `ret` has room for n. ret_loss[n] is 0 to 1, and
 * includes the neighbours of dips. */
static size_t coincide_dips(const struct coincide_input *in, bool *ret_dip,
                            double *ret_loss, struct coincide_dip *ret)
{
  bool low = false;
  double sum = 0;
  size_t k = 0;

  if (in->n < USUAL_MIN) {
    for (size_t i = 0; i < in->n; i++) {
      ret_dip[i] = false;
      ret_loss[i] = 0;
    }
    return 0;
  }
  for (size_t i = 0; i < in->n; i++) {
    const struct depth d = coincide_depth_at(in, i);
    const double depth = fmax(d.low ? d.rate : 0, d.latency);

    ret_loss[i] = d.rate;
    ret_dip[i] = depth > 0;
    sum += depth;
    if (!ret_dip[i])
      continue;
    if (i > 0 && ret_dip[i - 1]) {
      ret[k - 1].last = i;
      ret[k - 1].weight += depth;
      low |= d.low;
    } else {
      if (k > 0)
        coincide_note_loss(in, &ret[k - 1], low, ret_loss);
      ret[k++] = (struct coincide_dip){ i, i, depth };
      low = d.low;
    }
  }
  if (k > 0)
    coincide_note_loss(in, &ret[k - 1], low, ret_loss);
  for (size_t d = 0; d < k; d++)
    ret[d].weight *= (double)k / sum;
  coincide_keep_edges(ret_dip, in->n, ret_loss);
  return k;
}

/* ---- shapes ---- */

#define ALIKE 0.5     /* a smaller correlation counts as none */
#define ROUNDING 1e-9 /* sums in another order differ by less */

static double coincide_length_of(const double *v, size_t n)
{
  double squares = 0;

  for (size_t i = 0; i < n; i++)
    squares += v[i] * v[i];
  return sqrt(squares);
}

static void coincide_shape_init(struct coincide_shape *c, const double *loss,
                                size_t n)
{
  c->n = n;
  c->loss = loss;
  c->length = coincide_length_of(loss, n);
  for (size_t i = 0; i < n; i++) {
    if (loss[i] > 0)
      c->lost[c->n_lost++] = i;
  }
  c->n_turns = coincide_turns(0, n - 1, c->turn);
}

static void coincide_correlate(struct coincide_shape *c, const double *excess)
{
  const double scale = c->length * coincide_length_of(excess, c->n);

  for (size_t t = 0; t < c->n_turns; t++) {
    double sum = 0;

    for (size_t k = 0; k < c->n_lost; k++) {
      const size_t j = c->lost[k], at = j + c->turn[t];

      sum += excess[at < c->n ? at : at - c->n] * c->loss[j];
    }
    c->fit[t] = sum / scale;
  }
}

static double coincide_share_of(const double *by_distance, size_t n, double fit)
{
  size_t as_good = 0;

  for (size_t s = 0; s < n; s++)
    as_good += by_distance[s] >= fit - ROUNDING;
  return (double)as_good / (double)n;
}

/* `excess`: the series, 0 where it is as usual. Returns the share of distances
 * that fit as well. */
static double coincide_shape_add(struct coincide_shape *c, size_t k,
                                 const double *excess)
{
  coincide_correlate(c, excess);
  c->own[k] = c->fit[0];
  for (size_t t = 0; t < c->n_turns; t++)
    c->highest[t] = fmax(c->highest[t], c->fit[t]);
  return coincide_share_of(c->fit, c->n_turns, c->own[k]);
}

/* The share of distances at which any series fits as well; 1 if series k is
 * unlike the loss. */
static double coincide_shape_chance(const struct coincide_shape *c, size_t k)
{
  return c->own[k] >= ALIKE
           ? coincide_share_of(c->highest, c->n_turns, c->own[k])
           : 1;
}

/* ---- findings ---- */

#define FAR 4.0         /* robust standard deviations */
#define TO_SIGMA 1.4826 /* median deviation to sigma, if normal */
#define MARGIN 0.5 /* of a dip of usual weight: no shift is worse by less */
#define P_ONE 0.01
#define P_ANY 0.01
#define TIMES_CHANCE 1.5

enum {
  BEFORE = 2, /* intervals before a dip */
  AFTER = 1,  /* and after */
  HITS_MIN = 2,
  SHIFTS = 99 /* needed for one in a hundred */
};

/* How far above its usual values; 0: not active. False: active nowhere. `work`
 * has n elements. */
static bool coincide_mark_active(const double *v, size_t n, double *work,
                                 double *ret)
{
  double usual, deviation;
  size_t k = 0;
  bool any = false;

  for (size_t i = 0; i < n; i++) {
    if (isfinite(v[i]))
      work[k++] = v[i];
  }
  usual = coincide_median(work, k);
  for (size_t i = 0; i < k; i++)
    work[i] = fabs(work[i] - usual);
  deviation = TO_SIGMA * coincide_median(work, k);
  for (size_t i = 0; i < n; i++) {
    const bool active = isfinite(v[i]) && v[i] > usual &&
                        v[i] > usual + FAR * deviation;

    ret[i] = active ? v[i] - usual : 0;
    any |= active;
  }
  return any;
}

static uint32_t coincide_active_near(const uint32_t *sum, size_t n,
                                     const struct coincide_dip *d, size_t shift)
{
  const size_t from = (d->first + n + shift - BEFORE) % n;
  const size_t length = d->last - d->first + 1 + BEFORE + AFTER;

  return sum[from + (length < n ? length : n)] - sum[from];
}

struct work {
  void *memory; /* owned; all arrays below */
  size_t n, n_dips;
  struct coincide_dip *dips;
  double *sorted;
  double *loss;
  double *active;
  uint32_t *sum; /* [2 n + 1] active ones before a place, twice around */
  size_t *shift; /* [n_shifts] */
  size_t n_shifts;
  double *match;
  double *highest; /* [n_shifts] of all series: the largest score */
  double *score;   /* [n_series] not shifted */
  double *expected, *p;
  unsigned *seen;
  struct coincide_shape shape;
  double *p_shape; /* [n_series] */
};

/*
 * Dips count by weight, because noise makes many short, flat ones. Half of the
 * score is for being active near the dip, half for the share of the dip: a
 * small shift covers less of a long dip.
 */
static double coincide_match_at(const struct work *w, size_t shift,
                                unsigned *ret_hits)
{
  double match = 0;

  *ret_hits = 0;
  for (size_t i = 0; i < w->n_dips; i++) {
    const struct coincide_dip *d = &w->dips[i];
    const uint32_t near = coincide_active_near(w->sum, w->n, d, shift);
    const double share = near / (double)(d->last - d->first + 1);

    if (near == 0)
      continue;
    ++*ret_hits;
    match += d->weight * (1 + fmin(share, 1)) / 2;
  }
  return match;
}

static void coincide_judge_series(struct work *w, size_t k)
{
  const double n = (double)w->n_shifts;
  double sum = 0, squares = 0, matches = 0, match, sd;
  size_t as_good = 0;

  w->sum[0] = 0;
  for (size_t i = 0; i < 2 * w->n; i++)
    w->sum[i + 1] = w->sum[i] + (w->active[i % w->n] > 0);
  match = coincide_match_at(w, 0, &w->seen[k]) - MARGIN;
  for (size_t s = 0; s < w->n_shifts; s++) {
    unsigned hits;

    w->match[s] = coincide_match_at(w, w->shift[s], &hits);
    sum += hits;
    matches += w->match[s];
    squares += w->match[s] * w->match[s];
    as_good += w->match[s] >= match;
  }
  w->expected[k] = sum / n;
  w->p[k] = (double)(as_good + 1) / (n + 1);
  matches /= n;
  sd = sqrt(fmax(squares / n - matches * matches, 0));
  sd = fmax(sd, 0.1); /* for a series that is hardly ever active */
  w->score[k] = (match - matches) / sd;
  for (size_t s = 0; s < w->n_shifts; s++)
    w->highest[s] = fmax(w->highest[s], (w->match[s] - matches) / sd);
}

/* The share of shifts at which any series gets as far. */
static double coincide_chance_of_any(const struct work *w, size_t k)
{
  size_t as_far = 0;

  for (size_t s = 0; s < w->n_shifts; s++)
    as_far += w->highest[s] >= w->score[k];
  return (double)(as_far + 1) / (double)(w->n_shifts + 1);
}

static void coincide_keep(struct coincide_result *ret,
                          const struct coincide_finding *f)
{
  unsigned at = ret->n < COINCIDE_MAX ? ret->n++ : COINCIDE_MAX;

  for (; at > 0; at--) {
    const struct coincide_finding *above = &ret->of[at - 1];

    if (above->p < f->p || (above->p <= f->p && above->hits >= f->hits))
      break;
    if (at < COINCIDE_MAX)
      ret->of[at] = *above;
  }
  if (at < COINCIDE_MAX)
    ret->of[at] = *f;
}

/* The smallest shift to either side: the longest dip, if enough shifts
 * remain. */
static size_t coincide_find_reach(const struct work *w)
{
  const size_t least = BEFORE + AFTER + 1;
  const size_t most = w->n > SHIFTS + 2 * least ? (w->n - SHIFTS) / 2 : least;
  size_t reach = least;

  for (size_t i = 0; i < w->n_dips; i++)
    reach = max_u64(reach, least + w->dips[i].last - w->dips[i].first);
  return min_u64(reach, most);
}

static void *coincide_take(uint64_t **memory, size_t n)
{
  void *at = *memory;

  *memory += n;
  return at;
}

static bool coincide_work_init(struct work *w, const struct coincide_input *in)
{
  const size_t n = in->n + 1, k = in->n_series + 1;
  const size_t dips = n * sizeof(*w->dips) / sizeof(uint64_t);
  uint64_t *at = mem_new(dips + 11 * n + 6 * k, sizeof(*at));

  *w = (struct work){ .n = in->n, .memory = at };
  if (!at)
    return false;
  w->dips = coincide_take(&at, dips);
  w->sorted = coincide_take(&at, n);
  w->loss = coincide_take(&at, n);
  w->active = coincide_take(&at, n);
  w->sum = coincide_take(&at, n); /* half a word each */
  w->shift = coincide_take(&at, n);
  w->match = coincide_take(&at, n);
  w->highest = coincide_take(&at, n);
  w->shape.lost = coincide_take(&at, n);
  w->shape.turn = coincide_take(&at, n);
  w->shape.fit = coincide_take(&at, n);
  w->shape.highest = coincide_take(&at, n);
  w->shape.own = coincide_take(&at, k);
  w->score = coincide_take(&at, k);
  w->expected = coincide_take(&at, k);
  w->p = coincide_take(&at, k);
  w->seen = coincide_take(&at, k);
  w->p_shape = coincide_take(&at, k);
  return true;
}

static void coincide_judge_all(struct work *w, const struct coincide_input *in)
{
  for (size_t s = 0; s < w->n_shifts; s++)
    w->highest[s] = -INFINITY;
  for (size_t k = 0; k < in->n_series; k++) {
    w->p[k] = w->p_shape[k] = 1;
    if (!coincide_mark_active(in->series[k], in->n, w->sorted, w->active))
      continue;
    coincide_judge_series(w, k);
    w->p_shape[k] = coincide_shape_add(&w->shape, k, w->active);
  }
}

static bool coincide_is_often(const struct work *w, size_t k)
{
  return w->seen[k] >= TIMES_CHANCE * w->expected[k];
}

static void coincide_keep_frequent(struct work *w, size_t n_series,
                                   struct coincide_result *ret)
{
  for (size_t k = 0; k < n_series; k++) {
    if (w->p[k] <= P_ONE && w->seen[k] >= HITS_MIN && coincide_is_often(w, k) &&
        coincide_chance_of_any(w, k) <= P_ANY)
      coincide_keep(ret, &(struct coincide_finding){ k, w->seen[k],
                                                     w->expected[k], w->p[k] });
  }
}

/* One dip can be enough. */
static void coincide_keep_alike(struct work *w, size_t n_series,
                                struct coincide_result *ret)
{
  for (size_t k = 0; k < n_series; k++) {
    if (w->p_shape[k] <= P_ONE && w->seen[k] > 0 && coincide_is_often(w, k) &&
        coincide_shape_chance(&w->shape, k) <= P_ANY)
      coincide_keep(ret, &(struct coincide_finding){
                           k, w->seen[k], w->expected[k], w->p_shape[k] });
  }
}

static void coincide_find_causes(struct work *w,
                                 const struct coincide_input *in,
                                 struct coincide_result *ret)
{
  const size_t reach = coincide_find_reach(w);

  ret->dips = (unsigned)w->n_dips;
  if (w->n_dips == 0 || w->n_dips >= UINT16_MAX || w->n < 2 * reach)
    return;
  w->n_shifts = coincide_turns(reach, w->n - reach, w->shift);
  coincide_shape_init(&w->shape, w->loss, in->n);
  coincide_judge_all(w, in);
  coincide_keep_frequent(w, in->n_series, ret);
  if (ret->n == 0)
    coincide_keep_alike(w, in->n_series, ret);
}

int coincide_find(const struct coincide_input *in, bool *ret_dip,
                  struct coincide_result *ret)
{
  struct coincide_result found = { 0 };
  struct work w;

  if (!coincide_work_init(&w, in))
    return -ENOMEM;
  w.n_dips = coincide_dips(in, ret_dip, w.loss, w.dips);
  coincide_find_causes(&w, in, &found);
  free(w.memory);
  *ret = found;
  return 0;
}
