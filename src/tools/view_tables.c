/*
 * view_tables.c - other tables of a report.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "tools/classes.h"
#include "tools/figure.h"
#include "tools/groups.h"
#include "tools/table.h"
#include "tools/view.h"

enum {
  STATEMENT_SHOWN = 300, /* bytes */
};

static void latency_cell(struct table *t, const json_t *latency,
                         const char *key)
{
  const json_t *have = json_object_get(latency, "percentiles");
  const json_t *value = json_object_get(have, key);

  table_time(t, json_is_number(value) ? json_number_value(value) : NAN);
}

void view_statements(const struct view_run *r, struct table *t)
{
  static const char *const keys[] = { "50", "95", "99" };
  const json_t *list = json_object_get(r->run->json, "classes");
  static const char *const heads[] = { "operation",  "share of time", "count",
                                       "per second", "errors",        "mean",
                                       "p50",        "p95",           "p99",
                                       "max" };
  struct class_rows rows;

  if (json_array_size(list) == 0)
    return;
  if (class_rows_init(&rows, list) < 0) {
    t->failed = true;
    return;
  }
  for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
    table_cell(t, heads[i]);
  table_end_row(t);
  for (size_t i = 0; i < rows.n; i++) {
    const json_t *c = rows.of[i].json;
    const char *name = rows.of[i].name ? rows.of[i].name : "?";

    table_cellf(t, "%.*s", (int)utf8_cut(name, STATEMENT_SHOWN), name);
    table_cellf(t, "%.1f %%", 100 * rows.of[i].share);
    table_count(t, result_number_at(c, "count"));
    table_count(t, result_number_at(c, "count_per_s"));
    table_count(t, result_number_at(c, "errors"));
    table_time(t, result_number_at(c, "latency_ns.mean"));
    for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
      latency_cell(t, json_object_get(c, "latency_ns"), keys[k]);
    table_time(t, result_number_at(c, "latency_ns.max"));
    table_end_row(t);
  }
  class_rows_done(&rows);
}

static bool view_tables_same_error(const json_t *a, const json_t *b)
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

/* In the first `n` runs of a group. */
static double error_count(const struct group *g, size_t n, const json_t *e)
{
  double count = 0;

  for (size_t i = 0; i < n; i++) {
    const json_t *list = json_object_get(g->runs[i]->json, "errors");

    for (size_t k = 0; k < json_array_size(list); k++) {
      if (view_tables_same_error(json_array_get(list, k), e))
        count += result_number_at(json_array_get(list, k), "count");
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

  t->exact = true; /* codes are not numbers */
  if (t->columns == 0) {
    for (size_t h = 0; h < ARRAY_SIZE(heads); h++)
      table_cell(t, heads[h]);
    table_end_row(t);
  }
  table_cell(t, label);
  for (size_t h = 0; h < ARRAY_SIZE(texts); h++) {
    const char *text = result_text_at(e, texts[h]);

    table_cell(t, text ? text : "");
  }
  table_count(t, count);
  table_cell(t, result_text_at(e, "text") ? result_text_at(e, "text") : "");
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

        if (error_count(g, r, e) == 0) /* otherwise it already has a row */
          error_row(t, v->runs[i].label, e, error_count(g, g->n, e));
      }
    }
  }
}

static void view_tables_warning_row(struct table *t, const char *label,
                                    const char *text)
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

/* Steps without a good repeat: the first of each has the reason. */
static void view_tables_failed_steps(const struct view *v, size_t file,
                                     struct table *t)
{
  const struct result_file *f = &v->files[file];

  for (size_t i = 0; i < f->n_steps; i++) {
    const struct result_step *s = &f->steps[i];
    const char *why = s->run ? result_text_at(s->run->json, "run.error") : NULL;
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
    view_tables_warning_row(t, strbuf_str(&label), strbuf_str(&text));
    strbuf_done(&label);
    strbuf_done(&text);
  }
}

void view_failed(const struct view *v, struct table *t)
{
  for (size_t i = 0; i < v->n_files; i++) {
    if (v->files[i].is_sweep)
      view_tables_failed_steps(v, i, t);
  }
}

void view_warnings(const struct view *v, struct table *t)
{
  view_failed(v, t);
  for (size_t i = 0; i < v->n_runs; i++) {
    const struct view_run *r = &v->runs[i];
    const json_t *list = json_object_get(r->run->json, "warnings");
    const char *error = result_text_at(r->run->json, "run.error");
    const char *end = result_text_at(r->run->json, "run.end_reason");

    if (error)
      view_tables_warning_row(t, r->label, error);
    else if (end && strcmp(end, "signal") == 0)
      view_tables_warning_row(t, r->label,
                              "a signal ended the run before its time");
    for (size_t k = 0; k < json_array_size(list); k++) {
      const char *text = result_text_at(json_array_get(list, k), "text");

      if (text)
        view_tables_warning_row(t, r->label, text);
    }
    if (r->group->failed > 0)
      view_tables_warning_row(t, r->label,
                              "some repeats failed and are left out");
  }
}

static void view_tables_mark_row(struct table *t, const struct view *v,
                                 size_t run, const json_t *mark)
{
  const double at_s = result_number_at(mark, "at_s");
  const char *text = result_text_at(mark, "text");

  if (!isfinite(at_s) || !text)
    return;
  if (t->n == 0) {
    if (v->n_runs > 1)
      table_cell(t, "result");
    table_cell(t, "at (s)");
    table_cell(t, "mark");
    table_end_row(t);
  }
  if (v->n_runs > 1)
    table_cell(t, v->runs[run].label);
  table_cellf(t, "%.3f", at_s);
  table_cell(t, text);
  table_end_row(t);
}

void view_marks(const struct view *v, struct table *t)
{
  for (size_t i = 0; i < v->n_runs; i++) {
    const json_t *list = json_object_get(v->runs[i].run->json, "marks");

    for (size_t k = 0; k < json_array_size(list); k++)
      view_tables_mark_row(t, v, i, json_array_get(list, k));
  }
}

/* "8 of 8 clients", "until the end of the run". */
static void outage_cells(struct table *t, const json_t *o, double all)
{
  const json_t *ended = json_object_get(o, "ended_by_client");
  const double clients = result_number_at(o, "clients");
  const char *error = result_text_at(o, "first_error.text");

  if (clients > 0 && all > 0)
    table_cellf(t, "%.0f of %.0f", clients, all);
  else
    table_cell(t, "-");
  if (json_is_integer(ended))
    table_cellf(t, "client %lld was served",
                (long long)json_integer_value(ended));
  else
    table_cell(t, ended ? "the end of the run" : "-");
  table_cell(t, error ? error : "-");
}

static void outage_rows(struct table *t, const struct view *v, size_t run,
                        const char *what, const char *path)
{
  static const char *const heads[] = { "what",    "at (s)", "length",
                                       "clients", "until",  "first error" };
  const json_t *json = v->runs[run].run->json;
  const json_t *list = result_at(json, path);

  for (size_t k = 0; k < json_array_size(list); k++) {
    const json_t *o = json_array_get(list, k);

    if (t->n == 0) {
      if (v->n_runs > 1)
        table_cell(t, "result");
      for (size_t h = 0; h < ARRAY_SIZE(heads); h++)
        table_cell(t, heads[h]);
      table_end_row(t);
    }
    if (v->n_runs > 1)
      table_cell(t, v->runs[run].label);
    table_cell(t, what);
    table_cellf(t, "%.3f", result_number_at(o, "at_s"));
    table_time(t, 1e9 * result_number_at(o, "length_s"));
    outage_cells(t, o, result_number_at(json, "outages.clients.all"));
    table_end_row(t);
  }
}

void view_outages(const struct view *v, struct table *t)
{
  for (size_t i = 0; i < v->n_runs; i++) {
    outage_rows(t, v, i, "no service", "outages.stalls");
    outage_rows(t, v, i, "brown-out", "outages.brownouts");
  }
}

/* Of the first run. */
void view_figures(const struct view *v, struct table *t)
{
  const json_t *have = result_at(v->runs[0].run->json, "test.figures");
  const char *name;
  json_t *value;

  table_cell(t, "figure");
  for (size_t i = 0; i < v->n_runs; i++)
    table_cell(t, v->n_runs > 1 ? v->runs[i].label : "value");
  table_end_row(t);
  json_object_foreach((json_t *)(uintptr_t)have, name, value)
  {
    table_cell(t, name);
    for (size_t i = 0; i < v->n_runs; i++)
      figure_cell(t, json_object_get(
                       result_at(v->runs[i].run->json, "test.figures"), name));
    table_end_row(t);
  }
}
