/*
 * abi_measure.c - counters, histograms, series, sequences, sums and jobs of
 * scripts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "db/classes/statement.h"
#include "db/env.h"
#include "lua/engine/exchange.h"
#include "lua/engine/measure.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "report/grid.h"

static struct measure *abi_measure_open_cell(const char *name, const char *unit)
{
  struct state *s = state_current();

  return s ? measure_open(&s->script->measures, s, name, unit) : NULL;
}

/* Only the measured part of a worker counts. */
static bool abi_measure_is_measured(void)
{
  const struct state *s = state_current();

  return s && s->measured;
}

void *bench_counter_open(const char *name)
{
  return abi_measure_open_cell(name, NULL);
}

void bench_counter_add(void *counter, double n)
{
  if (abi_measure_is_measured())
    measure_add(counter, n);
}

double bench_counter_get(void *counter)
{
  return measure_value(counter);
}

double bench_counter_total(const char *name)
{
  struct state *s = state_current();

  return s ? measure_total(&s->script->measures, name) : 0;
}

void *bench_histogram_open(const char *name, const char *unit)
{
  return abi_measure_open_cell(name, unit);
}

void bench_histogram_update(void *histogram, double value)
{
  if (abi_measure_is_measured())
    measure_record(histogram, value);
}

void bench_histogram_print(void *histogram)
{
  measure_print(histogram);
}

void *bench_series_open(const char *name)
{
  struct state *s = state_current();

  return s ? series_open(&s->script->series, name) : NULL;
}

void bench_series_add(void *series, double n)
{
  if (abi_measure_is_measured())
    series_add(series, n, clock_now_ns());
}

double bench_series_seconds(void *series)
{
  return (double)series_seconds(series);
}

double bench_series_sum(void *series, double second)
{
  return second >= 0 ? series_sum(series, (size_t)second) : 0;
}

/* Seconds; *ret_at: the begin. */
double bench_series_gap(void *series, double *ret_at)
{
  uint64_t at;
  const uint64_t gap = series_gap_ns(series, &at);

  *ret_at = (double)at / NS_PER_S;
  return (double)gap / NS_PER_S;
}

/* For all states.  0, or a negative errno value. */
int bench_sums_open(double cells)
{
  struct state *s = state_current();

  return s && cells >= 1 ? sums_open(&s->script->sums, (size_t)cells) : -EINVAL;
}

void bench_sums_add(double number, double n)
{
  struct state *s = state_current();

  if (abi_measure_is_measured() && number >= 0)
    sums_add(&s->script->sums, (size_t)number, n);
}

double bench_sums_value(double number)
{
  const struct state *s = state_current();

  return s && number >= 0 ? sums_value(&s->script->sums, (size_t)number) : 0;
}

int bench_sequence_set(const char *name, double next)
{
  struct state *s = state_current();

  return s ? sequences_set(&s->script->sequences, name, next) : -ENOENT;
}

int bench_sequence_take(const char *name, double n, double limit,
                        double *ret_first)
{
  struct state *s = state_current();

  return s ? sequences_take(&s->script->sequences, name, n, limit, ret_first)
           : -ENOENT;
}

/* For other clients of this process.  0, or a negative errno value. */
int bench_job_put(double a, double b, double c)
{
  struct state *s = state_current();
  const struct job job = { { a, b, c } };

  return s ? jobs_put(&s->script->jobs, &job) : -ENOENT;
}

/* The oldest; false: none. */
bool bench_job_take(double *ret_three)
{
  struct state *s = state_current();
  struct job job;

  if (!s || !jobs_take(&s->script->jobs, &job))
    return false;
  for (unsigned i = 0; i < JOB_NUMBERS; i++)
    ret_three[i] = job.of[i];
  return true;
}

double bench_jobs_waiting(void)
{
  struct state *s = state_current();

  return s ? (double)jobs_waiting(&s->script->jobs) : 0;
}

double bench_now_ns(void)
{
  return (double)clock_now_ns();
}

/* The time of something other than a statement, in the class of a label. */
void bench_class_record(void *cls, double took_ns)
{
  struct state *s = state_current();
  const struct stmt_sample sample = { 0 };

  if (s && s->statements.recorder && cls && took_ns >= 0)
    statement_ended(&s->statements, cls, "", 0, (uint64_t)took_ns, &sample);
}

struct histogram {
  struct grid grid;
  uint64_t count[]; /* in memory of a script */
};

sb_histogram_t *sb_histogram_new(size_t size, double range_min,
                                 double range_max)
{
  sb_histogram_t *h = malloc(sizeof(*h));
  struct err err;

  if (h && grid_init(&h->grid, size, range_min, range_max, &err) < 0) {
    free(h);
    return NULL;
  }
  return h;
}

void sb_histogram_delete(sb_histogram_t *h)
{
  if (h)
    grid_done(&h->grid);
  free(h);
}

size_t bench_grid_bytes(double size)
{
  return sizeof(struct histogram) + (size_t)size * sizeof(uint64_t);
}

sb_histogram_t *bench_grid_place(void *zeroed, double size, double range_min,
                                 double range_max)
{
  sb_histogram_t *h = zeroed;
  struct err err;

  return grid_place(&h->grid, h->count, (size_t)size, range_min, range_max,
                    &err) < 0
           ? NULL
           : h;
}

void sb_histogram_update(sb_histogram_t *h, double value)
{
  (void)grid_update(&h->grid, value); /* ignores NaN */
}

void sb_histogram_print(sb_histogram_t *h)
{
  struct strbuf b = { 0 };

  grid_print(&b, &h->grid);
  (void)fwrite(strbuf_str(&b), 1, b.len, stdout);
  strbuf_done(&b);
}
