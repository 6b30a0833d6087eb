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
#include "stats/coincide_dips.h"
#include "stats/coincide_shape.h"
#include "stats/coincide_turns.h"

#define FAR 4.0 /* robust standard deviations */
#define TO_SIGMA                                                         \
  1.4826           /* from the median deviation of a normal distribution \
                    */
#define MARGIN 0.5 /* of a dip of usual weight: by less, no shift is worse */
#define P_ONE 0.01
#define P_ANY 0.01
#define TIMES_CHANCE 1.5 /* so many times more dips than by chance */

enum {
  BEFORE = 2, /* a dip, and... */
  AFTER = 1,  /* ...after it */
  HITS_MIN = 2,
  SHIFTS = 99 /* so many are needed for one in a hundred */
};

/* Where is the series far above its usual values, and how far?  0: it is not
 * active.  False: there is no such place.  `work` has n elements. */
static bool mark_active(const double *v, size_t n, double *work, double *ret)
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

/* In how many intervals near the dip is it active, if it is shifted by so many
 * intervals? */
static uint32_t active_near(const uint32_t *sum, size_t n,
                            const struct coincide_dip *d, size_t shift)
{
  const size_t from = (d->first + n + shift - BEFORE) % n;
  const size_t length = d->last - d->first + 1 + BEFORE + AFTER;

  return sum[from + (length < n ? length : n)] - sum[from];
}

struct work {
  size_t n, n_dips;
  struct coincide_dip *dips;
  double *sorted;
  double *loss;   /* [n] what was lost */
  double *active; /* [n] of one series: what is far above the usual */
  uint32_t *sum;  /* [2 n + 1] the active ones before a place, twice around */
  size_t *shift;  /* [n_shifts] */
  size_t n_shifts;
  double *match;   /* [n_shifts] of one series */
  double *highest; /* [n_shifts] of all series: the largest score */
  double *score;   /* [n_series] if it is not shifted */
  double *expected, *p;
  unsigned *seen;
  struct coincide_shape shape;
  double *p_shape; /* [n_series] */
};

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
    const struct coincide_dip *d = &w->dips[i];
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
  const double n = (double)w->n_shifts;
  double sum = 0, squares = 0, matches = 0, match, sd;
  size_t as_good = 0;

  w->sum[0] = 0;
  for (size_t i = 0; i < 2 * w->n; i++)
    w->sum[i + 1] = w->sum[i] + (w->active[i % w->n] > 0);
  match = match_at(w, 0, &w->seen[k]) - MARGIN;
  for (size_t s = 0; s < w->n_shifts; s++) {
    unsigned hits;

    w->match[s] = match_at(w, w->shift[s], &hits);
    sum += hits;
    matches += w->match[s];
    squares += w->match[s] * w->match[s];
    as_good += w->match[s] >= match;
  }
  w->expected[k] = sum / n;
  w->p[k] = (double)(as_good + 1) / (n + 1);
  matches /= n;
  sd = sqrt(fmax(squares / n - matches * matches, 0));
  sd = fmax(sd, 0.1); /* a series that is hardly ever active */
  w->score[k] = (match - matches) / sd;
  for (size_t s = 0; s < w->n_shifts; s++)
    w->highest[s] = fmax(w->highest[s], (w->match[s] - matches) / sd);
}

/* How often does any series get as far, at another shift? */
static double chance_of_any(const struct work *w, size_t k)
{
  size_t as_far = 0;

  for (size_t s = 0; s < w->n_shifts; s++)
    as_far += w->highest[s] >= w->score[k];
  return (double)(as_far + 1) / (double)(w->n_shifts + 1);
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

/* Shifts are no smaller on either side: that of the longest dip, as far as
 * enough of them remain. */
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
  free(w->loss);
  free(w->active);
  free(w->sum);
  free(w->shift);
  free(w->match);
  free(w->highest);
  free(w->score);
  free(w->expected);
  free(w->p);
  free(w->seen);
  free(w->p_shape);
  coincide_shape_done(&w->shape);
}

static bool work_init(struct work *w, const struct coincide_input *in)
{
  const size_t n = in->n + 1, k = in->n_series + 1;

  *w = (struct work){
    .n = in->n,
    .dips = mem_new(n, sizeof(*w->dips)),
    .sorted = mem_new(n, sizeof(*w->sorted)),
    .loss = mem_new(n, sizeof(*w->loss)),
    .active = mem_new(n, sizeof(*w->active)),
    .sum = mem_new(2 * n, sizeof(*w->sum)),
    .shift = mem_new(n, sizeof(*w->shift)),
    .match = mem_new(n, sizeof(*w->match)),
    .highest = mem_new(n, sizeof(*w->highest)),
    .score = mem_new(k, sizeof(*w->score)),
    .expected = mem_new(k, sizeof(*w->expected)),
    .p = mem_new(k, sizeof(*w->p)),
    .seen = mem_new(k, sizeof(*w->seen)),
    .p_shape = mem_new(k, sizeof(*w->p_shape)),
  };
  return w->dips && w->sorted && w->loss && w->active && w->sum && w->shift &&
         w->match && w->highest && w->score && w->expected && w->p && w->seen &&
         w->p_shape;
}

static void judge_all(struct work *w, const struct coincide_input *in)
{
  for (size_t s = 0; s < w->n_shifts; s++)
    w->highest[s] = -INFINITY;
  for (size_t k = 0; k < in->n_series; k++) {
    w->p[k] = w->p_shape[k] = 1;
    if (!mark_active(in->series[k], in->n, w->sorted, w->active))
      continue;
    judge_series(w, k);
    w->p_shape[k] = coincide_shape_add(&w->shape, k, w->active);
  }
}

/* More than readers would call the same. */
static bool is_often(const struct work *w, size_t k)
{
  return w->seen[k] >= TIMES_CHANCE * w->expected[k];
}

/* What is active near many dips. */
static void keep_frequent(struct work *w, size_t n_series,
                          struct coincide_result *ret)
{
  for (size_t k = 0; k < n_series; k++) {
    if (w->p[k] <= P_ONE && w->seen[k] >= HITS_MIN && is_often(w, k) &&
        chance_of_any(w, k) <= P_ANY)
      keep(ret, &(struct coincide_finding){ k, w->seen[k], w->expected[k],
                                            w->p[k] });
  }
}

/* What is active as long as the dips last: one of them can be enough. */
static void keep_alike(struct work *w, size_t n_series,
                       struct coincide_result *ret)
{
  for (size_t k = 0; k < n_series; k++) {
    if (w->p_shape[k] <= P_ONE && w->seen[k] > 0 && is_often(w, k) &&
        coincide_shape_chance(&w->shape, k) <= P_ANY)
      keep(ret, &(struct coincide_finding){ k, w->seen[k], w->expected[k],
                                            w->p_shape[k] });
  }
}

static bool find(struct work *w, const struct coincide_input *in,
                 struct coincide_result *ret)
{
  const size_t reach = find_reach(w);

  ret->dips = (unsigned)w->n_dips;
  if (w->n_dips == 0 || w->n_dips >= UINT16_MAX || w->n < 2 * reach)
    return true;
  w->n_shifts = coincide_turns(reach, w->n - reach, w->shift);
  if (!coincide_shape_init(&w->shape, w->loss, in->n, in->n_series))
    return false;
  judge_all(w, in);
  keep_frequent(w, in->n_series, ret);
  if (ret->n == 0)
    keep_alike(w, in->n_series, ret);
  return true;
}

int coincide_find(const struct coincide_input *in, bool *ret_dip,
                  struct coincide_result *ret)
{
  struct coincide_result found = { 0 };
  struct work w;
  int rc = -ENOMEM;

  if (work_init(&w, in)) {
    w.n_dips = coincide_dips(in, ret_dip, w.loss, w.dips);
    if (find(&w, in, &found)) {
      *ret = found;
      rc = 0;
    }
  }
  work_done(&w);
  return rc;
}
