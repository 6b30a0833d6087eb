/*
 * slo_group.c - judges results by an objective.
 */
#include "tools/slo_group.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "stats/hist_sum.h"
#include "stats/slo.h"
#include "tools/groups.h"

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the verdicts");
}

/* A count of a document; 0 if it is missing. */
static uint64_t count_at(const json_t *json, const char *path)
{
  const double n = result_number_at(json, path);

  return n > 0 && n < 1e18 ? (uint64_t)llround(n) : 0;
}

static void add_extremes(struct slo_sample *s, const json_t *total,
                         uint64_t events)
{
  const uint64_t min_ns = count_at(total, "latency_ns.min"),
                 max_ns = count_at(total, "latency_ns.max");

  if (events == 0)
    return;
  s->min_ns = s->events == 0 || min_ns < s->min_ns ? min_ns : s->min_ns;
  s->max_ns = max_ns > s->max_ns ? max_ns : s->max_ns;
}

/* As report_slo_sample() does with a report. */
static void add_run(struct slo_sample *s, const struct result *r)
{
  const json_t *total = json_object_get(r->json, "totals");
  const uint64_t events = count_at(total, "events");
  const uint64_t errors = count_at(total, "errors");
  const uint64_t stuck = count_at(total, "unfinished_events");
  const double mean_ns = result_number_at(total, "latency_ns.mean");

  add_extremes(s, total, events);
  if (r->period_s > 0 && r->period_s < 1e9)
    s->period_ns += (uint64_t)llround(r->period_s * (double)NS_PER_S);
  s->events += events;
  s->errors += errors;
  s->queries += count_at(total, "queries.total");
  s->stuck += stuck;
  s->late += stuck;
  if (json_object_get(total, "queue_length")) /* with --rate */
    s->late += errors + count_at(total, "queue_length");
  if (events > 0 && mean_ns > 0)
    s->sum_ns += (uint64_t)llround(mean_ns * (double)events);
}

static int add_latencies(struct hist_sum *to, const struct result *r,
                         struct err *err)
{
  struct hist_sum *one;

  if (count_at(r->json, "totals.events") == 0)
    return 0;
  one = result_histogram(r);
  if (!one)
    return err_set(err, -EINVAL,
                   "'%.400s' has no histogram of latencies, so --slo cannot "
                   "judge its percentiles",
                   r->path);
  hist_sum_merge(to, one);
  hist_sum_free(one);
  return 0;
}

/* The verdict on all runs of a group together, as if they were one.  -EINVAL:
 * a percentile is limited, and a run has no histogram that can be read. */
static int slo_judge_group(const struct slo *slo, const struct group *g,
                           struct slo_verdict *ret, struct err *err)
{
  struct hist_sum *all = slo_needs_histogram(slo) ? hist_sum_new() : NULL;
  struct slo_sample sample = { .hist = all };
  int rc = 0;

  if (slo_needs_histogram(slo) && !all)
    return no_memory(err);
  for (size_t i = 0; i < g->n && rc == 0; i++) {
    add_run(&sample, g->runs[i]);
    if (all)
      rc = add_latencies(all, g->runs[i], err);
  }
  if (rc == 0)
    slo_judge(slo, &sample, ret);
  hist_sum_free(all);
  return rc;
}

void slo_table_done(struct slo_table *t)
{
  table_done(&t->table);
  json_decref(t->list);
}

static void add_heads(struct slo_table *t)
{
  table_cell(&t->table, "objective");
  table_cell(&t->table, "file");
  if (t->steps)
    table_cell(&t->table, "step");
  for (unsigned i = 0; i < t->slo->n; i++)
    table_cell(&t->table, t->slo->term[i].text);
  table_end_row(&t->table);
}

static void term_cell(struct slo_table *t, const struct slo_result *r)
{
  static const char *const marks[] = {
    [SLO_HELD] = "",
    [SLO_FAILED] = " (not held)",
    [SLO_UNKNOWN] = " (too few events)",
  };
  char value[SLO_VALUE_SIZE];

  table_cellf(&t->table, "%s%s", slo_value_text(value, r),
              marks[slo_result_state(r)]);
}

static void add_row(struct slo_table *t, const struct group *g,
                    const struct slo_verdict *v)
{
  struct strbuf step = { 0 };

  group_describe(g, &step);
  if (t->table.n == 0) {
    t->steps = step.len > 0;
    add_heads(t);
  }
  table_cell(&t->table, slo_state_name(v->state));
  table_cell(&t->table, g->path);
  if (t->steps)
    table_cell(&t->table, strbuf_str(&step));
  for (unsigned i = 0; i < v->n; i++)
    term_cell(t, &v->of[i]);
  table_end_row(&t->table);
  strbuf_done(&step);
}

static bool add_json(struct slo_table *t, const struct group *g,
                     const struct slo_verdict *v)
{
  struct jobj o = jobj_new();

  if (!t->list)
    t->list = json_array();
  jobj_text(&o, "file", g->path);
  jobj_add(&o, "values",
           g->values ? json_incref((json_t *)(uintptr_t)g->values)
                     : json_null());
  jobj_add(&o, "slo", json_slo(v));
  return jobj_array_add(t->list, jobj_take(&o));
}

int slo_table_add(struct slo_table *t, const struct groups *g, bool *ret_missed,
                  struct err *err)
{
  for (size_t i = 0; i < g->n; i++) {
    struct slo_verdict v;
    const int rc = slo_judge_group(t->slo, &g->of[i], &v, err);

    if (rc < 0)
      return rc;
    if (v.state != SLO_HELD)
      *ret_missed = true;
    add_row(t, &g->of[i], &v);
    if (!add_json(t, &g->of[i], &v) || t->table.failed)
      return no_memory(err);
  }
  return 0;
}

void slo_table_print(const struct slo_table *t, enum table_format format,
                     struct strbuf *out)
{
  table_print(&t->table, format, out);
  strbuf_adds(out, "\n");
}
