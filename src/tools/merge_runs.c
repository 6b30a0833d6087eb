#include "tools/merge_runs.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "opt/suggest.h"
#include "results/jobj.h"
#include "results/options.h"
#include "stats/hist_sum.h"
#include "stats/report.h"
#include "tools/merge_values.h"
#include "tools/sweep_opts.h"

/* ---- parts of one load ---- */

static bool merge_is_total(const char *option)
{
  return strcmp(option, "rate") == 0 || strcmp(option, "events") == 0;
}

/* Size of a part, its server and its reports. */
static bool merge_check_may_differ(const char *option)
{
  static const char *const names[] = {
    "threads",   "clients",         "idle-clients",      "rand-seed",
    "label",     "config-file",     "verbosity",         "debug",
    "live-host", "report-interval", "report-checkpoints"
  };
  static const char *const ends[] = { "-host", "-port", "-socket", "-user" };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    if (opt_name_equal(names[i], option))
      return true;
  }
  for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
    if (text_ends_with(option, ends[i]))
      return true;
  }
  return opt_rows_have(results_opts, option) ||
         opt_rows_have(sweep_opts, option) ||
         opt_rows_have(report_opts, option) ||
         opt_rows_have(report_latency_opts, option);
}

/* No limit and a limit are different loads, as are a closed and an open
 * loop. */
static bool merge_check_same_value(const char *option, const json_t *a,
                                   const json_t *b)
{
  a = json_object_get(a, "value");
  b = json_object_get(b, "value");
  if (merge_is_total(option))
    return (json_number_value(a) > 0) == (json_number_value(b) > 0);
  return a == b || (a && b && json_equal(a, b));
}

static int merge_check_refuse_option(const struct result *a,
                                     const struct result *b, const char *name,
                                     struct err *err)
{
  struct strbuf mine = { 0 }, other = { 0 };
  const bool has = result_option(a, name, &mine);
  const bool other_has = result_option(b, name, &other);
  int rc = err_set(
    err, -EINVAL,
    "'%.300s' and '%.300s' are not parts of one load: --%s is '%.200s' and "
    "'%.200s'",
    a->path, b->path, name, has ? strbuf_str(&mine) : "not set",
    other_has ? strbuf_str(&other) : "not set");

  strbuf_done(&mine);
  strbuf_done(&other);
  return rc;
}

static int merge_check_options(const struct result *a, const struct result *b,
                               struct err *err)
{
  const json_t *mine = json_object_get(a->json, "options");
  const json_t *other = json_object_get(b->json, "options");
  const char *name;
  json_t *option;

  json_object_foreach((json_t *)(uintptr_t)mine, name, option)
  {
    if (!merge_check_may_differ(name) &&
        !merge_check_same_value(name, option, json_object_get(other, name)))
      return merge_check_refuse_option(a, b, name, err);
  }
  return 0;
}

static int merge_check_text(const struct result *a, const struct result *b,
                            const char *path, const char *what, struct err *err)
{
  const char *mine = result_text_at(a->json, path);
  const char *other = result_text_at(b->json, path);

  if (mine && other && strcmp(mine, other) == 0)
    return 0;
  return err_set(err, -EINVAL,
                 "'%.300s' and '%.300s' are not parts of one load: %s is "
                 "'%.200s' and '%.200s'",
                 a->path, b->path, what, mine ? mine : "unknown",
                 other ? other : "unknown");
}

/* -EINVAL: not parts of one load. */
static int merge_check_pair(const struct result *a, const struct result *b,
                            struct err *err)
{
  const json_t *run = json_object_get(a->json, "run");
  const json_t *host = result_at(a->json, "environment.host");
  const json_t *other = result_at(b->json, "environment.host");
  int rc;

  if (json_equal(run, json_object_get(b->json, "run")) &&
      (host == other || json_equal(host, other)))
    return err_set(err, -EINVAL,
                   "'%.400s' and '%.400s' are the same run, which would count "
                   "twice",
                   a->path, b->path);
  rc = merge_check_text(a, b, "run.test", "the test", err);
  if (rc == 0)
    rc = merge_check_text(a, b, "tool.version", "the version of bench", err);
  if (rc == 0)
    rc = merge_check_options(a, b, err);
  if (rc == 0)
    rc = merge_check_options(b, a, err);
  return rc;
}

/* ---- the time axis ---- */

/* Minimum share of time in which all runs ran. */
static const double merge_common_min = 0.5;

/* "2025-01-31T12:00:00.123Z" in seconds since *origin, which is set first if 0;
 * NAN: not a time. */
static double merge_runs_wall_s(const char *text, time_t *origin)
{
  struct tm tm = { .tm_isdst = 0 };
  int ms;

  if (!text ||
      sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ", &tm.tm_year, &tm.tm_mon,
             &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms) != 7)
    return NAN;
  tm.tm_year -= 1900;
  tm.tm_mon--;
  if (*origin == 0)
    *origin = timegm(&tm);
  return (double)(timegm(&tm) - *origin) + (double)ms / 1e3;
}

static int merge_runs_place(struct merge_run *run, const struct result *r,
                            time_t *origin, struct err *err)
{
  const double warm_up_ns = result_number_at(
                              r->json, "run.measured_start_monotonic_ns") -
                            result_number_at(r->json, "run.start_monotonic_ns");
  struct hist_sum *histogram;

  run->r = r;
  run->start_s = merge_runs_wall_s(result_text_at(r->json, "run.start_time"),
                                   origin) +
                 warm_up_ns / 1e9;
  run->end_s = run->start_s + r->period_s;
  if (!(r->events > 0))
    return err_set(err, -EINVAL,
                   "'%.400s' has no events (the run ended with \"%.50s\")",
                   r->path,
                   result_text_at(r->json, "run.end_reason")
                     ? result_text_at(r->json, "run.end_reason")
                     : "?");
  histogram = result_histogram(r);
  hist_sum_free(histogram);
  if (!histogram)
    return err_set(err, -EINVAL, "'%.400s' has no histogram, or a damaged one",
                   r->path);
  if (!(run->end_s > run->start_s))
    return err_set(err, -EINVAL, "'%.400s' has no start time or no length",
                   r->path);
  return 0;
}

/* Least overlap: between the run that ended first and the run that began
 * last. */
static int merge_runs_check_times(const struct merge *m, struct err *err)
{
  const struct merge_run *early = &m->of[0], *late = &m->of[0];

  for (size_t i = 1; i < m->n; i++) {
    if (m->of[i].end_s < early->end_s)
      early = &m->of[i];
    if (m->of[i].start_s > late->start_s)
      late = &m->of[i];
  }
  if (m->common_s <= 0)
    return err_set(err, -EINVAL,
                   "the runs do not overlap in time: '%.300s' began %.3f s "
                   "after the end of '%.300s' (start all of them at the same "
                   "moment, on machines whose clocks agree)",
                   late->r->path, -m->common_s, early->r->path);
  if (m->common_s < merge_common_min * (m->end_s - m->start_s))
    return err_set(err, -EINVAL,
                   "all runs ran for only %.3f of %.3f s at the same time "
                   "('%.300s' began last, '%.300s' ended first), and at least "
                   "half is needed",
                   m->common_s, m->end_s - m->start_s, late->r->path,
                   early->r->path);
  return 0;
}

static int merge_runs_place_all(struct merge *m,
                                const struct result *const *runs,
                                struct err *err)
{
  double first_end_s = INFINITY, last_start_s = -INFINITY;
  time_t origin = 0;
  int rc = 0;

  m->start_s = INFINITY;
  m->end_s = -INFINITY;
  for (size_t i = 0; rc == 0 && i < m->n; i++) {
    rc = merge_runs_place(&m->of[i], runs[i], &origin, err);
    for (size_t k = 0; rc == 0 && k < i; k++)
      rc = merge_check_pair(runs[k], runs[i], err);
    if (m->of[i].start_s < m->start_s) {
      m->start_s = m->of[i].start_s;
      m->first = i;
    }
    m->end_s = fmax(m->end_s, m->of[i].end_s);
    first_end_s = fmin(first_end_s, m->of[i].end_s);
    last_start_s = fmax(last_start_s, m->of[i].start_s);
  }
  m->common_s = first_end_s - last_start_s;
  return rc < 0 ? rc : merge_runs_check_times(m, err);
}

int merge_init(struct merge *ret, const struct result *const *runs, size_t n,
               struct err *err)
{
  struct merge m = { .n = n };
  int rc;

  if (n < 2 || n > MERGE_RUNS_MAX)
    return err_set(err, -EINVAL,
                   "%zu file%s cannot be merged (expected 2 to %d)", n,
                   n == 1 ? "" : "s", MERGE_RUNS_MAX);
  m.of = calloc(n, sizeof(*m.of));
  if (!m.of)
    return err_set(err, -ENOMEM, "not enough memory for merging results");
  rc = merge_runs_place_all(&m, runs, err);
  if (rc < 0)
    merge_done(&m);
  else
    *ret = m;
  return rc;
}

void merge_done(struct merge *m)
{
  free(m->of);
  *m = (struct merge){ 0 };
}

/* ---- intervals and slices ---- */

/* Intervals cannot be divided, so only intervals of nearly the same time are
 * added up. */

/* Allowed difference of starts, as a share of an interval. */
static const double merge_skew_max = 0.25;

static double merge_periods_interval_s(const struct result *r)
{
  return r->n_intervals > 0 && !r->intervals[0].partial ? r->intervals[0].end_s
                                                        : 0;
}

/* In intervals. */
static double merge_periods_shift(const struct merge *m, size_t run,
                                  double interval_s)
{
  return (m->of[run].start_s - m->of[m->first].start_s) / interval_s;
}

/* On the axis of the first run, from 1. */
static double merge_periods_place(const struct merge *m, size_t run,
                                  const struct result_interval *i,
                                  double interval_s)
{
  const double shift = round(merge_periods_shift(m, run, interval_s));
  const double end = i->end_s / interval_s;

  return shift + (i->partial ? floor(end) + 1 : round(end));
}

static const char *merge_periods_cannot_align(const struct merge *m,
                                              double interval_s)
{
  for (size_t i = 0; i < m->n; i++) {
    const struct result *r = m->of[i].r;
    const double shift = merge_periods_shift(m, i, interval_s);

    if (r->n_intervals == 0)
      return "not all runs have intervals";
    if (!(fabs(merge_periods_interval_s(r) - interval_s) < 1e-6))
      return "the intervals of the runs have different lengths";
    if (!(fabs(shift - round(shift)) <= merge_skew_max))
      return "the intervals of the runs are more than a quarter of their "
             "length "
             "apart";
  }
  return NULL;
}

/* A merged interval.  A run without a part in it had not begun, or was over. */
struct merge_interval {
  struct merge_parts parts;
  double end_s, period_s;
  bool partial;
};

/* `at`: the next interval of each run. */
static double merge_periods_next_place(const struct merge *m, const size_t *at,
                                       double interval_s)
{
  double next = INFINITY;

  for (size_t i = 0; i < m->n; i++) {
    const struct result *r = m->of[i].r;

    if (at[i] < r->n_intervals)
      next = fmin(next,
                  merge_periods_place(m, i, &r->intervals[at[i]], interval_s));
  }
  return next;
}

static struct merge_interval merge_periods_take(const struct merge *m,
                                                size_t *at, double place,
                                                double interval_s)
{
  struct merge_interval whole = { .partial = true };
  double sum_s = 0, longest_s = 0;
  size_t runs = 0;

  for (size_t i = 0; i < m->n; i++) {
    const struct result *r = m->of[i].r;
    double period_s = 0;

    for (; at[i] < r->n_intervals && whole.parts.n < MERGE_PARTS_MAX; at[i]++) {
      const struct result_interval *one = &r->intervals[at[i]];

      if (merge_periods_place(m, i, one, interval_s) > place)
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
  /* Parts can be a little late, but a run that ends in the interval is
   * short. */
  whole.period_s = longest_s;
  if (!whole.partial && runs > 0) {
    whole.end_s = place * interval_s;
    if (sum_s / (double)runs > (1 - merge_skew_max) * longest_s)
      whole.period_s = sum_s / (double)runs;
  }
  return whole;
}

/* Figures of machines are not added up. */
static json_t *merge_periods_interval(const struct merge_interval *whole,
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

/* *ret_why: NULL, or why intervals are left out.  NULL: `err`, or out of
 * memory. */
static json_t *merge_intervals(const struct merge *m, const char **ret_why,
                               struct err *err)
{
  const double interval_s = merge_periods_interval_s(m->of[m->first].r);
  size_t at[MERGE_RUNS_MAX] = { 0 }, n = 0;
  json_t *all = json_array();

  for (size_t i = 0; i < m->n; i++)
    n += m->of[i].r->n_intervals;
  *ret_why = n > 0 ? merge_periods_cannot_align(m, interval_s) : NULL;
  while (all && n > 0 && !*ret_why) {
    const double place = merge_periods_next_place(m, at, interval_s);
    const struct merge_interval whole = merge_periods_take(m, at, place,
                                                           interval_s);
    json_t *one = merge_periods_interval(&whole, err);

    n -= whole.parts.n;
    if (!one || !jobj_array_add(all, one)) {
      json_decref(all);
      all = NULL;
    }
  }
  return all;
}

static bool merge_periods_slices_meet(const struct merge *m, size_t run,
                                      size_t k)
{
  const struct merge_run *base = &m->of[m->first], *other = &m->of[run];
  const struct result_interval *a = &base->r->slices[k];
  const struct result_interval *b = &other->r->slices[k];
  const double apart_s = other->start_s + b->end_s - base->start_s - a->end_s;

  return fabs(apart_s) <= merge_skew_max * a->period_s;
}

/* 0: not at the same moments. */
static size_t merge_periods_slices_count(const struct merge *m)
{
  size_t n = m->of[0].r->n_slices;

  for (size_t i = 0; i < m->n; i++)
    n = m->of[i].r->n_slices < n ? m->of[i].r->n_slices : n;
  for (size_t i = 0; i < m->n; i++) {
    for (size_t k = 0; k < n; k++) {
      if (!merge_periods_slices_meet(m, i, k))
        return 0;
    }
  }
  return n;
}

static json_t *merge_periods_slice_list(const struct merge *m, const char *key,
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

/* null: not aligned.  NULL: out of memory. */
static json_t *merge_slices(const struct merge *m)
{
  const size_t n = merge_periods_slices_count(m);
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
  jobj_add(&o, "events", merge_periods_slice_list(m, "events", n));
  jobj_add(&o, "latency_sum_ns",
           merge_periods_slice_list(m, "latency_sum_ns", n));
  jobj_add(&o, "queries", merge_periods_slice_list(m, "queries", n));
  return jobj_take(&o);
}

/* ---- the document ---- */

/* As of a run of several processes; `merged` has the parts. */

/* A larger share of time apart is a warning. */
static const double merge_apart_max = 0.02;

static double merge_document_span_s(const struct merge *m)
{
  return m->end_s - m->start_s;
}

static json_t *merge_document_copy(const json_t *json, const char *path)
{
  const json_t *value = result_at(json, path);

  return value ? json_deep_copy(value) : json_null();
}

static struct merge_parts merge_document_all(const struct merge *m,
                                             const char *path)
{
  struct merge_parts parts = { .n = 0 };

  for (size_t i = 0; i < m->n; i++)
    merge_parts_add(&parts, m->of[i].r->json, path);
  return parts;
}

/* Merges the values at `key`; without any: `empty`. */
static void merge_document_put(const struct merge *m, struct jobj *o,
                               const char *key, json_t *empty, struct err *err)
{
  const struct merge_parts parts = merge_document_all(m, key);

  if (parts.n == 0) {
    jobj_add(o, key, empty);
    return;
  }
  json_decref(empty);
  jobj_add(o, key,
           merge_values(&parts, merge_document_span_s(m),
                        result_number_at(o->j, "totals.events"), err));
}

/* Options that differ are only in `merged`. */
static json_t *merge_document_options(const struct merge *m)
{
  const json_t *options = json_object_get(m->of[0].r->json, "options");
  struct jobj o = jobj_new();
  const char *name;
  json_t *option;

  json_object_foreach((json_t *)(uintptr_t)options, name, option)
  {
    struct merge_parts values = { .n = 0 };
    json_t *copy = json_deep_copy(option), *total = NULL;
    bool same = true;

    for (size_t i = 0; i < m->n; i++) {
      const json_t *other = json_object_get(
        json_object_get(m->of[i].r->json, "options"), name);

      merge_parts_add(&values, other, "value");
      same = same && json_equal(json_object_get(option, "value"),
                                json_object_get(other, "value"));
    }
    if (values.n > 0 && merge_is_total(name))
      total = merge_values(&values, 0, 0, NULL);
    if (total && json_object_set_new(copy, "value", total) < 0)
      o.failed = true;
    if (total || same)
      jobj_add(&o, name, copy);
    else
      json_decref(copy);
  }
  return jobj_take(&o);
}

/* Options of a run that differ in another. */
static json_t *merge_document_own_options(const struct merge *m, size_t run)
{
  const json_t *options = json_object_get(m->of[run].r->json, "options");
  struct jobj o = jobj_new();
  const char *name;
  json_t *option;

  json_object_foreach((json_t *)(uintptr_t)options, name, option)
  {
    const json_t *value = json_object_get(option, "value");
    bool same = true;

    for (size_t i = 0; i < m->n; i++) {
      const json_t *other = json_object_get(
        json_object_get(m->of[i].r->json, "options"), name);
      const json_t *its = json_object_get(other, "value");

      same = same && (value == its || (value && its && json_equal(value, its)));
    }
    if (!same && value)
      jobj_add(&o, name, json_deep_copy(value));
  }
  return jobj_take(&o);
}

static const json_t *merge_document_worst(const struct merge *m)
{
  for (size_t i = 0; i < m->n; i++) {
    const json_t *run = json_object_get(m->of[i].r->json, "run");

    if (json_integer_value(json_object_get(run, "exit_status")) != 0)
      return run;
  }
  return json_object_get(m->of[0].r->json, "run");
}

static void merge_document_run_counts(const struct merge *m, struct jobj *o)
{
  static const char *const keys[] = { "threads", "clients", "idle_clients" };

  for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
    json_int_t sum = 0;

    for (size_t i = 0; i < m->n; i++) {
      const json_t *run = json_object_get(m->of[i].r->json, "run");

      sum += json_integer_value(json_object_get(run, keys[k]));
    }
    if (sum > 0)
      jobj_signed(o, keys[k], sum);
  }
}

static json_t *merge_document_run(const struct merge *m)
{
  static const char *const ends[] = { "end_reason", "exit_status", "signal",
                                      "error" };
  const json_t *base = json_object_get(m->of[m->first].r->json, "run");
  const json_t *worst = merge_document_worst(m);
  const char *began[] = { "test", "start_time", "start_monotonic_ns",
                          "measured_start_monotonic_ns" };
  struct jobj o = jobj_new();
  double last_s = m->start_s;

  for (size_t i = 0; i < ARRAY_SIZE(began); i++)
    jobj_add(&o, began[i], merge_document_copy(base, began[i]));
  jobj_int(&o, "end_monotonic_ns",
           (uint64_t)(result_number_at(base, "measured_start_monotonic_ns") +
                      merge_document_span_s(m) * 1e9));
  merge_document_run_counts(m, &o);
  for (size_t i = 0; i < m->n; i++)
    last_s = fmax(last_s, m->of[i].start_s);
  jobj_int(&o, "start_skew_ns", (uint64_t)((last_s - m->start_s) * 1e9));
  for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
    if (json_object_get(worst, ends[i]))
      jobj_add(&o, ends[i], merge_document_copy(worst, ends[i]));
  }
  return jobj_take(&o);
}

static double merge_document_workers(const struct result *r)
{
  const double clients = result_number_at(r->json, "run.clients");

  return clients > 0 ? clients : r->threads;
}

static json_t *merge_document_each_thread(const struct merge *m)
{
  json_t *all = json_array();
  json_int_t before = 0;

  for (size_t i = 0; all && i < m->n; i++) {
    const json_t *each = result_at(m->of[i].r->json, "threads.each");

    for (size_t k = 0; all && k < json_array_size(each); k++) {
      json_t *one = json_deep_copy(json_array_get(each, k));
      const json_t *number = json_object_get(one, "thread");
      const json_int_t thread = before + json_integer_value(number);

      if (!one ||
          json_object_set_new(one, "thread", json_integer(thread)) < 0 ||
          !jobj_array_add(all, json_incref(one))) {
        json_decref(all);
        all = NULL;
      }
      json_decref(one);
    }
    before += (json_int_t)merge_document_workers(m->of[i].r);
  }
  return all;
}

static json_t *merge_document_threads(const struct merge *m)
{
  struct merge_moments events = { 0 }, time_s = { 0 };
  struct jobj o = jobj_new();

  for (size_t i = 0; i < m->n; i++) {
    const struct result *r = m->of[i].r;
    const json_t *t = json_object_get(r->json, "threads");
    const double n = merge_document_workers(r);

    merge_moments_add(&events, n, result_number_at(t, "events_mean"),
                      result_number_at(t, "events_stddev"));
    merge_moments_add(&time_s, n, result_number_at(t, "execution_time_mean_s"),
                      result_number_at(t, "execution_time_stddev_s"));
  }
  jobj_real(&o, "events_mean", events.mean);
  jobj_real(&o, "events_stddev", merge_moments_stddev(&events));
  jobj_real(&o, "execution_time_mean_s", time_s.mean);
  jobj_real(&o, "execution_time_stddev_s", merge_moments_stddev(&time_s));
  jobj_add(&o, "each", merge_document_each_thread(m));
  return jobj_take(&o);
}

/* NAN: a run lacks the figure. */
static double merge_document_client_sum(const struct merge *m, const char *key)
{
  double sum = 0;

  for (size_t i = 0; i < m->n; i++)
    sum += result_number_at(json_object_get(m->of[i].r->json, "client"), key);
  return sum;
}

static bool merge_document_first_on_host(const struct merge *m, size_t run)
{
  const char *host = result_text_at(m->of[run].r->json, "environment.host");

  for (size_t i = 0; host && i < run; i++) {
    const char *other = result_text_at(m->of[i].r->json, "environment.host");

    if (other && strcmp(host, other) == 0)
      return false;
  }
  return true;
}

static json_t *merge_document_client(const struct merge *m, double events)
{
  static const char *const times[] = { "user_s", "system_s", "cpus_used" };
  static const char *const counts[] = { "voluntary_context_switches",
                                        "involuntary_context_switches",
                                        "max_resident_bytes" };
  const double cpu_s = merge_document_client_sum(m, "user_s") +
                       merge_document_client_sum(m, "system_s");
  struct jobj o = jobj_new();
  double cpus = 0;

  for (size_t i = 0; i < ARRAY_SIZE(times); i++)
    jobj_real(&o, times[i], merge_document_client_sum(m, times[i]));
  for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
    jobj_int(&o, counts[i], (uint64_t)merge_document_client_sum(m, counts[i]));
  for (size_t i = 0; i < m->n; i++) {
    if (merge_document_first_on_host(m, i))
      cpus += result_number_at(m->of[i].r->json, "client.cpus_allowed");
  }
  jobj_real(&o, "cpus_allowed", cpus);
  jobj_real(&o, "cpu_per_event_ns", cpu_s * 1e9 / events);
  jobj_real(&o, "run_queue_delay_s",
            merge_document_client_sum(m, "run_queue_delay_s"));
  return jobj_take(&o);
}

/* Only facts that all runs agree on: others are not always sums. */
static json_t *merge_document_equal_facts(const struct merge *m, const char *of)
{
  const json_t *facts = json_object_get(m->of[0].r->json, of);
  struct jobj o = jobj_new();
  const char *key;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)facts, key, value)
  {
    size_t same = 1;

    while (same < m->n &&
           json_equal(value, json_object_get(
                               json_object_get(m->of[same].r->json, of), key)))
      same++;
    if (same == m->n)
      jobj_add(&o, key, json_deep_copy(value));
  }
  return jobj_take(&o);
}

static void merge_document_warn(struct jobj *of, json_t *list, const char *code,
                                const char *text)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "code", code);
  jobj_text(&o, "text", text);
  if (!jobj_array_add(list, jobj_take(&o)))
    of->failed = true;
}

static void merge_document_warnings(const struct merge *m, struct jobj *of,
                                    const char *no_intervals)
{
  const double span_s = merge_document_span_s(m);
  json_t *list = json_array();
  struct strbuf b = { 0 };

  if (m->common_s < (1 - merge_apart_max) * span_s) {
    strbuf_addf(&b,
                "the runs ran together for %.3f of %.3f s, and rates are over "
                "all of it: they are too low by up to %.0f %%",
                m->common_s, span_s, 100 * (1 - m->common_s / span_s));
    merge_document_warn(of, list, "runs_apart", strbuf_str(&b));
  }
  if (no_intervals) {
    strbuf_clear(&b);
    strbuf_addf(&b, "the document has no intervals: %s", no_intervals);
    merge_document_warn(of, list, "no_intervals", strbuf_str(&b));
  }
  for (size_t i = 0; i < m->n; i++) {
    const json_t *own = json_object_get(m->of[i].r->json, "warnings");

    for (size_t k = 0; k < json_array_size(own); k++) {
      const char *code = result_text_at(json_array_get(own, k), "code");
      const char *text = result_text_at(json_array_get(own, k), "text");

      strbuf_clear(&b);
      strbuf_addf(&b, "%s: %s", m->of[i].r->path, text ? text : "");
      merge_document_warn(of, list, code ? code : "", strbuf_str(&b));
    }
  }
  of->failed |= b.failed;
  strbuf_done(&b);
  jobj_add(of, "warnings", list);
}

static json_t *merge_document_part(const struct merge *m, size_t run)
{
  static const char *const copied[] = { "run", "environment", "database",
                                        "client" };
  const struct merge_run *p = &m->of[run];
  struct jobj o = jobj_new();

  jobj_text(&o, "file", p->r->path);
  jobj_real(&o, "start_offset_s", p->start_s - m->start_s);
  jobj_real(&o, "period_s", p->r->period_s);
  jobj_int(&o, "events", (uint64_t)p->r->events);
  jobj_real(&o, "events_per_s", p->r->events_per_s);
  jobj_add(&o, "latency_ns",
           merge_document_copy(p->r->json, "totals.latency_ns"));
  jobj_add(&o, "options", merge_document_own_options(m, run));
  for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
    jobj_add(&o, copied[i], merge_document_copy(p->r->json, copied[i]));
  return jobj_take(&o);
}

static json_t *merge_document_parts_list(const struct merge *m)
{
  struct jobj o = jobj_new();
  json_t *runs = json_array();

  for (size_t i = 0; i < m->n; i++) {
    if (!jobj_array_add(runs, merge_document_part(m, i)))
      o.failed = true;
  }
  jobj_real(&o, "common_s", m->common_s);
  jobj_add(&o, "runs", runs);
  return jobj_take(&o);
}

/* From the first start to the last end of a schedule. */
static void merge_document_offered(const struct merge *m, struct jobj *o)
{
  json_t *rate = json_object_get(o->j, "rate");
  double offered_s = 0;

  for (size_t i = 0; i < m->n; i++)
    offered_s = fmax(offered_s,
                     m->of[i].start_s - m->start_s +
                       result_number_at(m->of[i].r->json, "rate.offered_s"));
  if (!json_object_get(rate, "offered_s") || !(offered_s > 0))
    return;
  if (json_object_set_new(rate, "offered_s", jobj_number(offered_s)) < 0 ||
      json_object_set_new(
        json_object_get(o->j, "totals"), "offered_per_s",
        jobj_number(result_number_at(rate, "arrivals") / offered_s)) < 0)
    o->failed = true;
}

static void merge_document_totals(const struct merge *m, struct jobj *o,
                                  struct err *err)
{
  const double span_s = merge_document_span_s(m);
  json_t *totals;

  merge_document_put(m, o, "totals", json_null(), err);
  totals = json_object_get(o->j, "totals");
  if (json_object_set_new(totals, "elapsed_s", jobj_number(span_s)) < 0 ||
      json_object_set_new(totals, "period_s", jobj_number(span_s)) < 0)
    o->failed = true;
  merge_document_put(m, o, "classes", json_array(), err);
  if (merge_document_all(m, "members").n > 0)
    merge_document_put(m, o, "members", json_array(), err);
  merge_document_put(m, o, "rate", json_null(), err);
  merge_document_offered(m, o);
}

json_t *merge_document(const struct merge *m, struct err *err)
{
  const json_t *first = m->of[0].r->json;
  struct jobj o = jobj_new();
  const char *no_intervals = NULL;
  json_t *slices = merge_slices(m);
  json_t *intervals = merge_intervals(m, &no_intervals, err), *done;
  double events;

  jobj_text(&o, "schema", RESULT_SCHEMA);
  jobj_add(&o, "tool", merge_document_copy(first, "tool"));
  jobj_add(&o, "environment", merge_document_copy(first, "environment"));
  jobj_add(&o, "database",
           json_is_object(json_object_get(first, "database"))
             ? merge_document_equal_facts(m, "database")
             : json_null());
  jobj_add(&o, "options", merge_document_options(m));
  jobj_add(&o, "run", merge_document_run(m));
  merge_document_totals(m, &o, err);
  events = result_number_at(o.j, "totals.events");
  jobj_add(&o, "merged", merge_document_parts_list(m));
  jobj_add(&o, "test", merge_document_equal_facts(m, "test"));
  merge_document_put(m, &o, "errors", json_array(), err);
  jobj_add(&o, "threads", merge_document_threads(m));
  jobj_add(&o, "client", merge_document_client(m, events));
  merge_document_put(m, &o, "event_log", json_null(), err);
  merge_document_warnings(m, &o, no_intervals);
  if (!json_is_null(slices))
    jobj_add(&o, "slices", json_incref(slices));
  json_decref(slices);
  jobj_add(&o, "intervals", intervals);
  jobj_add(&o, "checkpoints", json_array());
  done = jobj_take(&o);
  if (!done && !err->text[0])
    (void)err_set(err, -ENOMEM, "not enough memory for merging results");
  return done;
}
