/*
 * view_tables.c - the figures of a report as tables.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "tools/groups.h"
#include "tools/numbers.h"
#include "tools/table.h"
#include "tools/units.h"
#include "tools/view.h"

enum {
  STATEMENT_SHOWN = 300, /* bytes */
};

/* Shown whether they were asked for or not. */
static const double usual[] = { 50, 95, 99, 99.9 };

/* A column of percentiles. */
struct percentile {
  double pct;
  const char *key; /* in documents, borrowed; NULL: none has it */
};

struct percentiles {
  struct percentile *of; /* owned; ascending once they are collected */
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

static void want(struct percentiles *p, double pct)
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

/* "97.50" may have been asked for; documents have it as "97.5". */
static void want_asked(struct percentiles *p, const json_t *run)
{
  const json_t *list = json_at(run, "options.percentiles.value");

  want(p, json_number_at(run, "options.percentile.value"));
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *text = json_string_value(json_array_get(list, i));
    double pct;

    if (text && parse_double(text, &pct) == 0)
      want(p, pct);
  }
}

static void find_keys(struct percentiles *p, const json_t *run)
{
  const json_t *have = json_at(run, "totals.latency_ns.percentiles");
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

static int by_percentile(const void *a, const void *b)
{
  const double x = ((const struct percentile *)a)->pct;
  const double y = ((const struct percentile *)b)->pct;

  return (x > y) - (x < y);
}

/* Those of all runs that at least one of them has. */
static struct percentiles collect_percentiles(const struct view *v)
{
  struct percentiles p = { 0 };
  size_t kept = 0;

  for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
    want(&p, usual[i]);
  for (size_t i = 0; i < v->n_runs; i++)
    want_asked(&p, v->runs[i].run->json);
  for (size_t i = 0; i < v->n_runs; i++)
    find_keys(&p, v->runs[i].run->json);
  for (size_t i = 0; i < p.n; i++) {
    if (p.of[i].key)
      p.of[kept++] = p.of[i];
  }
  p.n = kept;
  if (p.n > 1)
    qsort(p.of, p.n, sizeof(*p.of), by_percentile);
  return p;
}

static void time_cell(struct table *t, double ns)
{
  char text[UNIT_SIZE];

  table_cell(t, unit_time(text, ns));
}

static void count_cell(struct table *t, double value)
{
  char text[UNIT_SIZE];

  table_cell(t, unit_count(text, value));
}

static void latency_cell(struct table *t, const json_t *latency,
                         const char *key)
{
  const json_t *have = json_object_get(latency, "percentiles");
  const json_t *value = json_object_get(have, key);

  time_cell(t, json_is_number(value) ? json_number_value(value) : NAN);
}

static bool has_queries(const struct view *v)
{
  for (size_t i = 0; i < v->n_runs; i++) {
    if (isfinite(v->runs[i].run->queries_per_s))
      return true;
  }
  return false;
}

static double events_of(const struct result *r)
{
  return r->events;
}

static double throughput_of(const struct result *r)
{
  return r->events_per_s;
}

static double queries_of(const struct result *r)
{
  return r->queries_per_s;
}

static double mean_of(const struct result *r)
{
  return r->mean_ns;
}

static double min_of(const struct result *r)
{
  return r->min_ns;
}

static double max_of(const struct result *r)
{
  return r->max_ns;
}

static double cpus_of(const struct result *r)
{
  return r->cpus_used;
}

static double all_errors(const struct group *g)
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

/* Of repeats the medians, but all errors: a median hides those of a few. */
static void summary_row(struct table *t, const struct view_run *r, bool queries,
                        const struct percentiles *p)
{
  const struct group *g = r->group;

  table_cell(t, r->label);
  table_cellf(t, "%zu", g->n);
  count_cell(t, group_median(g, events_of));
  count_cell(t, group_median(g, throughput_of));
  if (queries)
    count_cell(t, group_median(g, queries_of));
  time_cell(t, group_median(g, mean_of));
  for (size_t i = 0; i < p->n; i++)
    time_cell(t, group_percentile(g, p->of[i].key));
  time_cell(t, group_median(g, min_of));
  time_cell(t, group_median(g, max_of));
  count_cell(t, all_errors(g));
  count_cell(t, group_median(g, cpus_of));
  table_end_row(t);
}

void view_summary(const struct view *v, struct table *t)
{
  const bool queries = has_queries(v);
  struct percentiles p = collect_percentiles(v);

  t->failed = t->failed || p.failed;
  summary_head(t, queries, &p);
  for (size_t i = 0; i < v->n_runs; i++)
    summary_row(t, &v->runs[i], queries, &p);
  free(p.of);
}

void view_statements(const struct view_run *r, struct table *t)
{
  static const char *const keys[] = { "50", "95", "99" };
  const json_t *list = json_object_get(r->run->json, "classes");
  static const char *const heads[] = { "operation", "count", "per second",
                                       "errors",    "mean",  "p50",
                                       "p95",       "p99",   "max" };

  if (json_array_size(list) == 0)
    return;
  for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
    table_cell(t, heads[i]);
  table_end_row(t);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *c = json_array_get(list, i);
    const char *name = json_text_at(c, "name");

    name = name ? name : "?";
    table_cellf(t, "%.*s", (int)utf8_cut(name, STATEMENT_SHOWN), name);
    count_cell(t, json_number_at(c, "count"));
    count_cell(t, json_number_at(c, "count_per_s"));
    count_cell(t, json_number_at(c, "errors"));
    time_cell(t, json_number_at(c, "latency_ns.mean"));
    for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
      latency_cell(t, json_object_get(c, "latency_ns"), keys[k]);
    time_cell(t, json_number_at(c, "latency_ns.max"));
    table_end_row(t);
  }
}

static bool same_error(const json_t *a, const json_t *b)
{
  static const char *const members[] = { "source", "code", "state" };

  for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
    const json_t *x = json_object_get(a, members[i]);
    const json_t *y = json_object_get(b, members[i]);

    if (x != y && !(x && y && json_equal(x, y)))
      return false;
  }
  return true;
}

/* Of an error in the first `n` runs of a group. */
static double error_count(const struct group *g, size_t n, const json_t *e)
{
  double count = 0;

  for (size_t i = 0; i < n; i++) {
    const json_t *list = json_object_get(g->runs[i]->json, "errors");

    for (size_t k = 0; k < json_array_size(list); k++) {
      if (same_error(json_array_get(list, k), e))
        count += json_number_at(json_array_get(list, k), "count");
    }
  }
  return count;
}

static void error_row(struct table *t, const char *label, const json_t *e,
                      double count)
{
  static const char *const heads[] = { "result", "source", "code",
                                       "state",  "count",  "first message" };
  static const char *const texts[] = { "source", "code", "state" };

  if (t->columns == 0) {
    for (size_t h = 0; h < ARRAY_SIZE(heads); h++)
      table_cell(t, heads[h]);
    table_end_row(t);
  }
  table_cell(t, label);
  for (size_t h = 0; h < ARRAY_SIZE(texts); h++) {
    const char *text = json_text_at(e, texts[h]);

    table_cell(t, text ? text : "");
  }
  count_cell(t, count);
  table_cell(t, json_text_at(e, "text") ? json_text_at(e, "text") : "");
  table_end_row(t);
}

void view_errors(const struct view *v, struct table *t)
{
  for (size_t i = 0; i < v->n_runs; i++) {
    const struct group *g = v->runs[i].group;

    for (size_t r = 0; r < g->n; r++) {
      const json_t *list = json_object_get(g->runs[r]->json, "errors");

      for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *e = json_array_get(list, k);

        if (error_count(g, r, e) == 0) /* else it has a row */
          error_row(t, v->runs[i].label, e, error_count(g, g->n, e));
      }
    }
  }
}

static void warning_row(struct table *t, const char *label, const char *text)
{
  if (t->columns == 0) {
    table_cell(t, "result");
    table_cell(t, "warning");
    table_end_row(t);
  }
  table_cell(t, label);
  table_cell(t, text);
  table_end_row(t);
}

/* Steps of sweeps that are in no group, because none of their repeats was good:
 * the first of each says why. */
static void failed_steps(const struct view *v, size_t file, struct table *t)
{
  const struct result_file *f = &v->files[file];

  for (size_t i = 0; i < f->n_steps; i++) {
    const struct result_step *s = &f->steps[i];
    const char *why = s->run ? json_text_at(s->run->json, "run.error") : NULL;
    const struct group step = { .values = s->values };
    struct strbuf label = { 0 }, text = { 0 };
    bool told = false;

    for (size_t k = 0; k < i; k++)
      told = told || f->steps[k].combination == s->combination;
    if (told || groups_find(&v->groups[file], s->values))
      continue;
    if (v->n_files > 1)
      strbuf_addf(&label, "%s: ", v->names[file]);
    group_describe(&step, &label);
    strbuf_addf(&text, "failed and is left out: %s",
                why ? why : "it has no result");
    warning_row(t, strbuf_str(&label), strbuf_str(&text));
    strbuf_done(&label);
    strbuf_done(&text);
  }
}

void view_warnings(const struct view *v, struct table *t)
{
  for (size_t i = 0; i < v->n_files; i++) {
    if (v->files[i].is_sweep)
      failed_steps(v, i, t);
  }
  for (size_t i = 0; i < v->n_runs; i++) {
    const struct view_run *r = &v->runs[i];
    const json_t *list = json_object_get(r->run->json, "warnings");
    const char *error = json_text_at(r->run->json, "run.error");
    const char *end = json_text_at(r->run->json, "run.end_reason");

    if (error)
      warning_row(t, r->label, error);
    else if (end && strcmp(end, "signal") == 0)
      warning_row(t, r->label, "a signal ended the run before its time");
    for (size_t k = 0; k < json_array_size(list); k++) {
      const char *text = json_text_at(json_array_get(list, k), "text");

      if (text)
        warning_row(t, r->label, text);
    }
    if (r->group->failed > 0)
      warning_row(t, r->label, "some repeats failed and are left out");
  }
}
