/*
 * merge_periods.c - intervals and slices of several runs, aligned by the wall
 * clock.
 *
 * What is in an interval cannot be divided.  So the intervals of two runs are
 * added up only if they cover nearly the same time.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "results/jobj.h"
#include "tools/merge_runs.h"
#include "tools/merge_values.h"

/* Starts may differ by this share of an interval, besides whole intervals. */
static const double merge_skew_max = 0.25;

/* The length of the intervals of a run; 0: it has none. */
static double merge_interval_s(const struct result *r)
{
  return r->n_intervals > 0 && !r->intervals[0].partial ? r->intervals[0].end_s
                                                        : 0;
}

/* How many intervals later than the first run another one began. */
static double merge_shift(const struct merge *m, size_t run, double interval_s)
{
  return (m->of[run].start_s - m->of[m->first].start_s) / interval_s;
}

/* The place of an interval on the axis of the first run, from 1 on. */
static double merge_place(const struct merge *m, size_t run,
                          const struct result_interval *i, double interval_s)
{
  const double shift = round(merge_shift(m, run, interval_s));
  const double end = i->end_s / interval_s;

  return shift + (i->partial ? floor(end) + 1 : round(end));
}

static const char *merge_cannot_align(const struct merge *m, double interval_s)
{
  for (size_t i = 0; i < m->n; i++) {
    const struct result *r = m->of[i].r;
    const double shift = merge_shift(m, i, interval_s);

    if (r->n_intervals == 0)
      return "not all runs have intervals";
    if (!(fabs(merge_interval_s(r) - interval_s) < 1e-6))
      return "the intervals of the runs have different lengths";
    if (!(fabs(shift - round(shift)) <= merge_skew_max))
      return "the intervals of the runs are more than a quarter of their "
             "length "
             "apart";
  }
  return NULL;
}

/* An interval of the whole.  A run that has none at its place had not begun, or
 * was over, and nothing is missing. */
struct merge_interval {
  struct merge_parts parts;
  double end_s, period_s;
  bool partial;
};

/* The place of the next interval; `at` has the first one of each run that was
 * not taken yet. */
static double merge_next_place(const struct merge *m, const size_t *at,
                               double interval_s)
{
  double next = INFINITY;

  for (size_t i = 0; i < m->n; i++) {
    const struct result *r = m->of[i].r;

    if (at[i] < r->n_intervals)
      next = fmin(next, merge_place(m, i, &r->intervals[at[i]], interval_s));
  }
  return next;
}

/* Take the intervals at a place. */
static struct merge_interval merge_take(const struct merge *m, size_t *at,
                                        double place, double interval_s)
{
  struct merge_interval whole = { .partial = true };
  double sum_s = 0, longest_s = 0;
  size_t runs = 0;

  for (size_t i = 0; i < m->n; i++) {
    const struct result *r = m->of[i].r;
    double period_s = 0;

    for (; at[i] < r->n_intervals && whole.parts.n < MERGE_PARTS_MAX; at[i]++) {
      const struct result_interval *one = &r->intervals[at[i]];

      if (merge_place(m, i, one, interval_s) > place)
        break;
      whole.parts.of[whole.parts.n++] = one->json;
      whole.partial = whole.partial && one->partial;
      whole.end_s = fmax(whole.end_s,
                         m->of[i].start_s - m->start_s + one->end_s);
      period_s += one->period_s;
    }
    runs += period_s > 0;
    sum_s += period_s;
    longest_s = fmax(longest_s, period_s);
  }
  /* Each may have been a little late; but a run that ends in it is short. */
  whole.period_s = longest_s;
  if (!whole.partial && runs > 0) {
    whole.end_s = place * interval_s;
    if (sum_s / (double)runs > (1 - merge_skew_max) * longest_s)
      whole.period_s = sum_s / (double)runs;
  }
  return whole;
}

/* Machines are not added up. */
static json_t *merge_interval(const struct merge_interval *whole,
                              struct err *err)
{
  double events = 0;
  struct jobj o;

  for (size_t i = 0; i < whole->parts.n; i++)
    events += fmax(0, result_number_at(whole->parts.of[i], "events"));
  o = (struct jobj){ .j = merge_values(&whole->parts, whole->period_s, events,
                                       err) };

  if (!o.j)
    return NULL;
  jobj_real(&o, "elapsed_s", whole->end_s);
  jobj_real(&o, "period_s", whole->period_s);
  jobj_bool(&o, "partial", whole->partial);
  jobj_add(&o, "system", json_object());
  return jobj_take(&o);
}

json_t *merge_intervals(const struct merge *m, const char **ret_why,
                        struct err *err)
{
  const double interval_s = merge_interval_s(m->of[m->first].r);
  size_t at[MERGE_RUNS_MAX] = { 0 }, n = 0;
  json_t *all = json_array();

  for (size_t i = 0; i < m->n; i++)
    n += m->of[i].r->n_intervals;
  *ret_why = n > 0 ? merge_cannot_align(m, interval_s) : NULL;
  while (all && n > 0 && !*ret_why) {
    const double place = merge_next_place(m, at, interval_s);
    const struct merge_interval whole = merge_take(m, at, place, interval_s);
    json_t *one = merge_interval(&whole, err);

    n -= whole.parts.n;
    if (!one || !jobj_array_add(all, one)) {
      json_decref(all);
      all = NULL;
    }
  }
  return all;
}

/* How far apart the ends of slice `k` of two runs are, in lengths of a
 * slice. */
static bool merge_slices_meet(const struct merge *m, size_t run, size_t k)
{
  const struct merge_run *base = &m->of[m->first], *other = &m->of[run];
  const struct result_interval *a = &base->r->slices[k];
  const struct result_interval *b = &other->r->slices[k];
  const double apart_s = other->start_s + b->end_s - base->start_s - a->end_s;

  return fabs(apart_s) <= merge_skew_max * a->period_s;
}

/* The slices that all runs have; 0: they are not at the same moments. */
static size_t merge_slices_count(const struct merge *m)
{
  size_t n = m->of[0].r->n_slices;

  for (size_t i = 0; i < m->n; i++)
    n = m->of[i].r->n_slices < n ? m->of[i].r->n_slices : n;
  for (size_t i = 0; i < m->n; i++) {
    for (size_t k = 0; k < n; k++) {
      if (!merge_slices_meet(m, i, k))
        return 0;
    }
  }
  return n;
}

static json_t *merge_slice_list(const struct merge *m, const char *key,
                                size_t n)
{
  json_t *list = json_array();

  for (size_t k = 0; list && k < n; k++) {
    json_int_t sum = 0;

    for (size_t i = 0; i < m->n; i++) {
      const json_t *slices = json_object_get(m->of[i].r->json, "slices");

      sum += json_integer_value(
        json_array_get(json_object_get(slices, key), k));
    }
    if (!jobj_array_add(list, json_integer(sum))) {
      json_decref(list);
      list = NULL;
    }
  }
  return list;
}

json_t *merge_slices(const struct merge *m)
{
  const size_t n = merge_slices_count(m);
  const struct result *base = m->of[m->first].r;
  json_t *end_s = json_array();
  struct jobj o;

  if (n == 0) {
    json_decref(end_s);
    return json_null();
  }
  o = jobj_new();
  for (size_t k = 0; k < n; k++) {
    if (!jobj_array_add(end_s, jobj_number(base->slices[k].end_s)))
      o.failed = true;
  }
  jobj_add(&o, "end_s", end_s);
  jobj_add(&o, "events", merge_slice_list(m, "events", n));
  jobj_add(&o, "latency_sum_ns", merge_slice_list(m, "latency_sum_ns", n));
  jobj_add(&o, "queries", merge_slice_list(m, "queries", n));
  return jobj_take(&o);
}
