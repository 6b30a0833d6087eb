/*
 * coincide.c - what happens when a run stumbles, more often than by chance.
 */
#include "stats/coincide.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/minmax.h"

#define DIP 0.8
#define PEAK 3.0
#define FAR 4.0 /* robust standard deviations */
#define TO_SIGMA                                                         \
  1.4826           /* from the median deviation of a normal distribution \
                    */
#define MARGIN 0.5 /* of a dip of usual weight: by less, no shift is worse */
#define P_ONE 0.01
#define P_ANY 0.01

enum {
  AROUND = 15, /* intervals on each side of a running median */
  BEFORE = 2,  /* a dip, and... */
  AFTER = 1,   /* ...after it */
  HITS_MIN = 2,
  SHIFTS = 99 /* so many are needed for one in a hundred */
};

struct dip {
  size_t first, last;
  double weight; /* what was lost in it: the sum of its depths */
};

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* The median of the known values; NAN: there are none.  Sorts `of`. */
static double median(double *of, size_t n)
{
  if (n == 0)
    return NAN;
  qsort(of, n, sizeof(*of), by_value);
  return n % 2 ? of[n / 2] : (of[n / 2 - 1] + of[n / 2]) / 2;
}

static double median_around(const double *v, size_t n, size_t at)
{
  double near[2 * AROUND + 1];
  const size_t first = at > AROUND ? at - AROUND : 0;
  size_t k = 0;

  for (size_t i = first; i < n && i <= at + AROUND; i++) {
    if (isfinite(v[i]))
      near[k++] = v[i];
  }
  return median(near, k);
}

/* How far from the median around it is the interval?  From 0 to 1; 0: it is in
 * no dip. */
static double depth_at(const struct coincide_input *in, size_t i)
{
  const double rate = median_around(in->rate, in->n, i);
  const double latency = median_around(in->latency, in->n, i);
  double depth = 0;

  if (in->rate[i] < DIP * rate)
    depth = 1 - in->rate[i] / rate;
  if (latency > 0 && in->latency[i] > PEAK * latency)
    depth = fmax(depth, 1 - latency / in->latency[i]);
  return depth;
}

/* Weights have a mean of 1. */
static size_t list_dips(const struct coincide_input *in, bool *ret_dip,
                        struct dip *ret)
{
  double sum = 0;
  size_t k = 0;

  for (size_t i = 0; i < in->n; i++) {
    const double depth = depth_at(in, i);

    ret_dip[i] = depth > 0;
    sum += depth;
    if (!ret_dip[i])
      continue;
    if (i > 0 && ret_dip[i - 1]) {
      ret[k - 1].last = i;
      ret[k - 1].weight += depth;
    } else {
      ret[k++] = (struct dip){ i, i, depth };
    }
  }
  for (size_t d = 0; d < k; d++)
    ret[d].weight *= (double)k / sum;
  return k;
}

/* Where is the series far above its usual values?  False: there is no such
 * place.  `work` has n elements. */
static bool mark_active(const double *v, size_t n, double *work, bool *ret)
{
  double usual, deviation;
  size_t k = 0;
  bool any = false;

  for (size_t i = 0; i < n; i++) {
    if (isfinite(v[i]))
      work[k++] = v[i];
  }
  usual = median(work, k);
  for (size_t i = 0; i < k; i++)
    work[i] = fabs(work[i] - usual);
  deviation = TO_SIGMA * median(work, k);
  for (size_t i = 0; i < n; i++) {
    ret[i] = isfinite(v[i]) && v[i] > usual && v[i] > usual + FAR * deviation;
    any |= ret[i];
  }
  return any;
}

/* In how many intervals near the dip is it active, if it is shifted by so many
 * intervals? */
static uint32_t active_near(const uint32_t *sum, size_t n, const struct dip *d,
                            size_t shift)
{
  const size_t from = (d->first + n + shift - BEFORE) % n;
  const size_t length = d->last - d->first + 1 + BEFORE + AFTER;

  return sum[from + (length < n ? length : n)] - sum[from];
}

struct work {
  size_t n, n_dips;
  size_t reach; /* of the longest dip, as far as enough shifts remain */
  struct dip *dips;
  double *sorted;
  bool *active;
  uint32_t *sum;   /* [2 n + 1] the active ones before a place, twice around */
  double *match;   /* [n] of one series, by shift */
  double *highest; /* [n] of all series: the largest score by shift */
  double *score;   /* [n_series] of shift 0 */
  double *expected, *p;
  unsigned *seen;
};

/* Shifts that are no smaller than the reach on either side. */
static bool is_far(const struct work *w, size_t shift)
{
  return shift >= w->reach && shift + w->reach <= w->n;
}

/*
 * How well does the series fit the dips at this shift?  A dip counts by what
 * was lost in it: noise makes many that are short and flat.  One half is for a
 * series that is active near the dip, the other for the share of the dip that
 * it is active: what lasts for some time still touches a long dip when it is
 * shifted by a little, but covers less of it.
 */
static double match_at(const struct work *w, size_t shift, unsigned *ret_hits)
{
  double match = 0;

  *ret_hits = 0;
  for (size_t i = 0; i < w->n_dips; i++) {
    const struct dip *d = &w->dips[i];
    const uint32_t near = active_near(w->sum, w->n, d, shift);
    const double share = near / (double)(d->last - d->first + 1);

    if (near == 0)
      continue;
    ++*ret_hits;
    match += d->weight * (1 + fmin(share, 1)) / 2;
  }
  return match;
}

static void judge_series(struct work *w, size_t k)
{
  double sum = 0, squares = 0, matches = 0, sd;
  size_t n = 0, as_good = 0;

  w->sum[0] = 0;
  for (size_t i = 0; i < 2 * w->n; i++)
    w->sum[i + 1] = w->sum[i] + w->active[i % w->n];
  w->match[0] = match_at(w, 0, &w->seen[k]) - MARGIN;
  for (size_t s = 1; s < w->n; s++) {
    unsigned hits;

    if (!is_far(w, s))
      continue;
    w->match[s] = match_at(w, s, &hits);
    n++;
    sum += hits;
    matches += w->match[s];
    squares += w->match[s] * w->match[s];
    as_good += w->match[s] >= w->match[0];
  }
  w->expected[k] = sum / (double)n;
  w->p[k] = (double)(as_good + 1) / (double)(n + 1);
  matches /= (double)n;
  sd = sqrt(fmax(squares / (double)n - matches * matches, 0));
  sd = fmax(sd, 0.1); /* a series that is hardly ever active */
  for (size_t s = 0; s < w->n; s++) {
    const double score = (w->match[s] - matches) / sd;

    if (s == 0)
      w->score[k] = score;
    else if (is_far(w, s) && score > w->highest[s])
      w->highest[s] = score;
  }
}

/* How often does any series get as far, at another shift? */
static double chance_of_any(const struct work *w, size_t k)
{
  size_t n = 0, as_far = 0;

  for (size_t s = 1; s < w->n; s++) {
    if (!is_far(w, s))
      continue;
    n++;
    as_far += w->highest[s] >= w->score[k];
  }
  return (double)(as_far + 1) / (double)(n + 1);
}

static void keep(struct coincide_result *ret, const struct coincide_finding *f)
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

static size_t find_reach(const struct work *w)
{
  const size_t least = BEFORE + AFTER + 1;
  const size_t most = w->n > SHIFTS + 2 * least ? (w->n - SHIFTS) / 2 : least;
  size_t reach = least;

  for (size_t i = 0; i < w->n_dips; i++)
    reach = max_u64(reach, least + w->dips[i].last - w->dips[i].first);
  return min_u64(reach, most);
}

static void work_done(struct work *w)
{
  free(w->dips);
  free(w->sorted);
  free(w->active);
  free(w->sum);
  free(w->match);
  free(w->highest);
  free(w->score);
  free(w->expected);
  free(w->p);
  free(w->seen);
}

static bool work_init(struct work *w, const struct coincide_input *in)
{
  const size_t n = in->n + 1, k = in->n_series + 1;

  *w = (struct work){
    .n = in->n,
    .dips = mem_new(n, sizeof(*w->dips)),
    .sorted = mem_new(n, sizeof(*w->sorted)),
    .active = mem_new(n, sizeof(*w->active)),
    .sum = mem_new(2 * n, sizeof(*w->sum)),
    .match = mem_new(n, sizeof(*w->match)),
    .highest = mem_new(n, sizeof(*w->highest)),
    .score = mem_new(k, sizeof(*w->score)),
    .expected = mem_new(k, sizeof(*w->expected)),
    .p = mem_new(k, sizeof(*w->p)),
    .seen = mem_new(k, sizeof(*w->seen)),
  };
  return w->dips && w->sorted && w->active && w->sum && w->match &&
         w->highest && w->score && w->expected && w->p && w->seen;
}

static void judge_all(struct work *w, const struct coincide_input *in,
                      struct coincide_result *ret)
{
  for (size_t s = 0; s < w->n; s++)
    w->highest[s] = -INFINITY;
  for (size_t k = 0; k < in->n_series; k++) {
    w->p[k] = 1;
    if (mark_active(in->series[k], in->n, w->sorted, w->active))
      judge_series(w, k);
  }
  for (size_t k = 0; k < in->n_series; k++) {
    if (w->p[k] <= P_ONE && w->seen[k] >= HITS_MIN &&
        chance_of_any(w, k) <= P_ANY)
      keep(ret, &(struct coincide_finding){ k, w->seen[k], w->expected[k],
                                            w->p[k] });
  }
}

int coincide_find(const struct coincide_input *in, bool *ret_dip,
                  struct coincide_result *ret)
{
  struct coincide_result found = { 0 };
  struct work w;
  int rc = -ENOMEM;

  if (work_init(&w, in)) {
    w.n_dips = list_dips(in, ret_dip, w.dips);
    w.reach = find_reach(&w);
    found.dips = (unsigned)w.n_dips;
    if (w.n_dips >= HITS_MIN && w.n_dips < UINT16_MAX && is_far(&w, in->n / 2))
      judge_all(&w, in, &found);
    *ret = found;
    rc = 0;
  }
  work_done(&w);
  return rc;
}
