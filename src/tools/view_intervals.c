/*
 * view_intervals.c - the figures of each interval of a run as a table.
 */
#include <math.h>

#include "base/compiler.h"
#include "tools/result.h"
#include "tools/table.h"
#include "tools/units.h"
#include "tools/view.h"

/* A column: a figure of intervals. */
struct column {
  const char *name;
  const char *path;
  const char *percentile;
  enum {
    SECONDS,
    COUNT,
    LATENCY
  } kind;
  bool always; /* else only if it is above 0 somewhere */
};

static const struct column columns[] = {
  { "end (s)", "elapsed_s", NULL, SECONDS, true },
  { "events/s", "events_per_s", NULL, COUNT, true },
  { "offered/s", "offered_per_s", NULL, COUNT, false },
  { "queries/s", "queries.total_per_s", NULL, COUNT, false },
  { "mean", "latency_ns.mean", NULL, LATENCY, false },
  { "p50", NULL, "50", LATENCY, false },
  { "p95", NULL, "95", LATENCY, false },
  { "p99", NULL, "99", LATENCY, false },
  { "p99.9", NULL, "99.9", LATENCY, false },
  { "max", "latency_ns.max", NULL, LATENCY, false },
  { "errors/s", "errors_per_s", NULL, COUNT, false },
};

static double value_at(const struct column *c, const struct result_interval *i)
{
  return c->path ? result_number_at(i->json, c->path)
                 : result_interval_percentile(i, c->percentile);
}

static double largest_of(const struct column *c, const struct result *r)
{
  double largest = 0;

  for (size_t i = 0; i < r->n_intervals; i++)
    largest = fmax(largest, value_at(c, &r->intervals[i]));
  return largest;
}

/* One unit for all latencies, in which the usual ones are short numbers. */
static const struct scale {
  double ns;
  const char *unit;
} scales[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };

static const struct scale *choose_scale(const struct result *r)
{
  const double mean_ns = r->mean_ns > 0 ? r->mean_ns : 1e6;
  size_t i = 0;

  while (i + 1 < ARRAY_SIZE(scales) && mean_ns < 0.1 * scales[i].ns)
    i++;
  return &scales[i];
}

static void head(const struct column *c, const struct scale *s, struct table *t)
{
  if (c->kind == LATENCY)
    table_cellf(t, "%s (%s)", c->name, s->unit);
  else
    table_cell(t, c->name);
}

static void cell(const struct column *c, const struct scale *s, double value,
                 struct table *t)
{
  char text[UNIT_SIZE];

  if (c->kind == LATENCY)
    table_cell(t, unit_grouped(text, value / s->ns));
  else
    table_cell(t,
               unit_grouped(text, c->kind == SECONDS ? round(1e3 * value) / 1e3
                                                     : value));
}

void view_intervals(const struct view_run *run, struct table *t)
{
  const struct result *r = run->run;
  const struct scale *s = choose_scale(r);
  bool shown[ARRAY_SIZE(columns)];

  if (r->n_intervals < 2)
    return;
  for (size_t c = 0; c < ARRAY_SIZE(columns); c++) {
    shown[c] = columns[c].always || largest_of(&columns[c], r) > 0;
    if (shown[c])
      head(&columns[c], s, t);
  }
  table_end_row(t);
  for (size_t i = 0; i < r->n_intervals; i++) {
    for (size_t c = 0; c < ARRAY_SIZE(columns); c++) {
      if (shown[c])
        cell(&columns[c], s, value_at(&columns[c], &r->intervals[i]), t);
    }
    table_end_row(t);
  }
}
