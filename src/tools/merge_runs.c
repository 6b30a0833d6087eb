/*
 * merge_runs.c - places runs on a common time axis.
 */
#include "tools/merge_runs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "stats/hist_sum.h"
#include "tools/merge_values.h"

/* At least this share of the time, all runs have to run. */
static const double merge_common_min = 0.5;

/* "2025-01-31T12:00:00.123Z" in seconds after a moment, and that moment, which
 * is set first if it is 0; NAN: it is none. */
static double merge_wall_s(const char *text, time_t *origin)
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

static int merge_place_run(struct merge_run *run, const struct result *r,
                           time_t *origin, struct err *err)
{
  const double warm_up_ns = result_number_at(
                              r->json, "run.measured_start_monotonic_ns") -
                            result_number_at(r->json, "run.start_monotonic_ns");
  struct hist_sum *histogram;

  run->r = r;
  run->start_s = merge_wall_s(result_text_at(r->json, "run.start_time"),
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

/* The run that ended first, and the one that began last, are the two that have
 * least in common. */
static int merge_check_times(const struct merge *m, struct err *err)
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

static int merge_place_all(struct merge *m, const struct result *const *runs,
                           struct err *err)
{
  double first_end_s = INFINITY, last_start_s = -INFINITY;
  time_t origin = 0;
  int rc = 0;

  m->start_s = INFINITY;
  m->end_s = -INFINITY;
  for (size_t i = 0; rc == 0 && i < m->n; i++) {
    rc = merge_place_run(&m->of[i], runs[i], &origin, err);
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
  return rc < 0 ? rc : merge_check_times(m, err);
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
  rc = merge_place_all(&m, runs, err);
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
