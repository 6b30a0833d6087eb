/*
 * view_summary.c - the summary of a report: one row per result.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/parse.h"
#include "stats/report.h"
#include "tools/groups.h"
#include "tools/table.h"
#include "tools/view.h"

struct percentile {
  double pct;
  /* In documents; borrowed; NULL: in none. */
  const char *key;
};

struct percentiles {
  struct percentile *of; /* owned; ascending at the end */
  size_t n;
  bool failed;
};

static struct percentile *percentile_at(const struct percentiles *p, double pct)
{
  for (size_t i = 0; i < p->n; i++) {
    if (p->of[i].pct == pct)
      return &p->of[i];
  }
  return NULL;
}

static void view_summary_want(struct percentiles *p, double pct)
{
  struct percentile *more;

  if (!(pct > 0) || percentile_at(p, pct))
    return;
  more = realloc(p->of, (p->n + 1) * sizeof(*more));
  if (!more) {
    p->failed = true;
    return;
  }
  p->of = more;
  p->of[p->n++] = (struct percentile){ .pct = pct };
}

/* "97.50" is "97.5" in documents. */
static void view_summary_want_asked(struct percentiles *p, const json_t *run)
{
  const json_t *list = result_at(run, "options.percentiles.value");

  view_summary_want(p, result_number_at(run, "options.percentile.value"));
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *text = json_string_value(json_array_get(list, i));
    double pct;

    if (text && parse_double(text, &pct) == 0)
      view_summary_want(p, pct);
  }
}

static void find_keys(struct percentiles *p, const json_t *run)
{
  const json_t *have = result_at(run, "totals.latency_ns.percentiles");
  const char *key;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)have, key, value)
  {
    struct percentile *one;
    double pct;

    if (parse_double(key, &pct) < 0)
      continue;
    one = percentile_at(p, pct);
    if (one && !one->key)
      one->key = key;
  }
}

static int view_summary_by_percentile(const void *a, const void *b)
{
  const double x = ((const struct percentile *)a)->pct;
  const double y = ((const struct percentile *)b)->pct;

  return (x > y) - (x < y);
}

static struct percentiles view_summary_collect_percentiles(const struct view *v)
{
  struct percentiles p = { 0 };
  size_t kept = 0;

  for (size_t i = 0; i < REPORT_USUAL; i++)
    view_summary_want(&p, report_usual[i]);
  for (size_t i = 0; i < v->n_runs; i++)
    view_summary_want_asked(&p, v->runs[i].run->json);
  for (size_t i = 0; i < v->n_runs; i++)
    find_keys(&p, v->runs[i].run->json);
  for (size_t i = 0; i < p.n; i++) {
    if (p.of[i].key)
      p.of[kept++] = p.of[i];
  }
  p.n = kept;
  if (p.n > 1)
    qsort(p.of, p.n, sizeof(*p.of), view_summary_by_percentile);
  return p;
}

static bool view_summary_has_queries(const struct view *v)
{
  for (size_t i = 0; i < v->n_runs; i++) {
    if (isfinite(v->runs[i].run->queries_per_s))
      return true;
  }
  return false;
}

static double view_summary_events_of(const struct result *r)
{
  return r->events;
}

static double view_summary_throughput_of(const struct result *r)
{
  return r->events_per_s;
}

static double view_summary_queries_of(const struct result *r)
{
  return r->queries_per_s;
}

static double view_summary_mean_of(const struct result *r)
{
  return r->mean_ns;
}

static double view_summary_min_of(const struct result *r)
{
  return r->min_ns;
}

static double view_summary_max_of(const struct result *r)
{
  return r->max_ns;
}

static double view_summary_cpus_of(const struct result *r)
{
  return r->cpus_used;
}

static double view_summary_all_errors(const struct group *g)
{
  double sum = 0;

  for (size_t i = 0; i < g->n; i++)
    sum += g->runs[i]->errors;
  return sum;
}

static void summary_head(struct table *t, bool queries,
                         const struct percentiles *p)
{
  table_cell(t, "result");
  table_cell(t, "runs");
  table_cell(t, "events");
  table_cell(t, "events/s");
  if (queries)
    table_cell(t, "queries/s");
  table_cell(t, "mean");
  for (size_t i = 0; i < p->n; i++)
    table_cellf(t, "p%s", p->of[i].key);
  table_cell(t, "min");
  table_cell(t, "max");
  table_cell(t, "errors");
  table_cell(t, "client CPUs");
  table_end_row(t);
}

/* Of repeats: medians, but all errors, because a median would hide those of
 * a few runs. */
static void summary_row(struct table *t, const struct view_run *r, bool queries,
                        const struct percentiles *p)
{
  const struct group *g = r->group;

  table_cell(t, r->label);
  table_cellf(t, "%zu", g->n);
  table_count(t, group_median(g, view_summary_events_of));
  table_count(t, group_median(g, view_summary_throughput_of));
  if (queries)
    table_count(t, group_median(g, view_summary_queries_of));
  table_time(t, group_median(g, view_summary_mean_of));
  for (size_t i = 0; i < p->n; i++)
    table_time(t, group_percentile(g, p->of[i].key));
  table_time(t, group_median(g, view_summary_min_of));
  table_time(t, group_median(g, view_summary_max_of));
  table_count(t, view_summary_all_errors(g));
  table_count(t, group_median(g, view_summary_cpus_of));
  table_end_row(t);
}

void view_summary(const struct view *v, struct table *t)
{
  const bool queries = view_summary_has_queries(v);
  struct percentiles p = view_summary_collect_percentiles(v);

  t->failed = t->failed || p.failed;
  summary_head(t, queries, &p);
  for (size_t i = 0; i < v->n_runs; i++)
    summary_row(t, &v->runs[i], queries, &p);
  free(p.of);
}
