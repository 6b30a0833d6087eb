/*
 * abi_measure.c - named counters and histograms of scripts.
 */
#include "base/ffi_api.h"
#include "lua/engine/measure.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"

static struct measure *open_cell(const char *name, const char *unit)
{
  struct state *s = state_current();

  return s ? measure_open(&s->script->measures, s, name, unit) : NULL;
}

/* Only the measured part of a worker counts. */
static bool is_measured(void)
{
  const struct state *s = state_current();

  return s && s->measured;
}

void *bench_counter_open(const char *name)
{
  return open_cell(name, NULL);
}

void bench_counter_add(void *counter, double n)
{
  if (is_measured())
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
  return open_cell(name, unit);
}

void bench_histogram_update(void *histogram, double value)
{
  if (is_measured())
    measure_record(histogram, value);
}

void bench_histogram_print(void *histogram)
{
  measure_print(histogram);
}
