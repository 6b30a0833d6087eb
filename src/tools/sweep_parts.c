/*
 * sweep_parts.c - a sweep whose steps are parts, each with a test of its own:
 * its plan, and the table at its end with one row per figure.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "run/runner.h"
#include "tools/figure.h"
#include "tools/sweep_internal.h"
#include "tools/table.h"
#include "tools/units.h"

int sweep_parts_plan(struct sweep_plan *ret, const struct sweep_input *in,
                     struct err *err)
{
  struct sweep_plan plan = { .n_specs = 1, .repeats = 1 };
  struct sweep_spec *spec = &plan.spec[0];
  bool failed;

  spec->option = mem_strdup("part");
  spec->values = calloc(in->n_parts, sizeof(*spec->values));
  failed = !spec->option || !spec->values;
  for (size_t i = 0; i < in->n_parts && !failed; i++) {
    spec->values[i] = mem_strdup(in->parts[i].name);
    failed = !spec->values[i];
    spec->n = i + 1;
  }
  if (failed) {
    sweep_plan_done(&plan);
    return err_set(err, -ENOMEM, "not enough memory for the parts");
  }
  plan.n_combinations = in->n_parts;
  *ret = plan;
  return 0;
}

/* ---- the table ---- */

/* A table whose rows begin with the name of a part, unless that is the part of
 * the row above. */
struct writer {
  struct table table;
  const char *part; /* NULL: the row above has it */
};

static void begin_row(struct writer *w, const char *figure)
{
  table_cell(&w->table, w->part ? w->part : "");
  table_cell(&w->table, figure);
  w->part = NULL;
}

static void add_row(struct writer *w, const char *figure, const char *value)
{
  begin_row(w, figure);
  table_cell(&w->table, value);
  table_end_row(&w->table);
}

static void add_kernels(struct writer *w, const json_t *kernels)
{
  char text[UNIT_SIZE];
  const char *name;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)kernels, name, value)
  {
    begin_row(w, name);
    table_cellf(&w->table, "%s/s",
                unit_count(text, result_number_at(value, "operations_per_s")));
    table_end_row(&w->table);
  }
}

static void add_figures(struct writer *w, const json_t *figures)
{
  const char *name;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)figures, name, value)
  {
    begin_row(w, name);
    figure_cell(&w->table, value);
    table_end_row(&w->table);
  }
}

/* Of a test whose events are what is of interest. */
static void add_events(struct writer *w, const struct result *r)
{
  static const char *const shares[] = { "50", "99" };

  begin_row(w, "events");
  table_cellf(&w->table, "%.0f/s", r->events_per_s);
  table_end_row(&w->table);
  for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
    if (!isfinite(result_percentile(r, shares[i])))
      continue;
    begin_row(w, i == 0 ? "median latency" : "99th percentile");
    table_time(&w->table, result_percentile(r, shares[i]));
    table_end_row(&w->table);
  }
}

static bool is_unfinished(const struct result *r)
{
  const json_t *list = json_object_get(r->json, "warnings");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *code = result_text_at(json_array_get(list, i), "code");

    if (code && strcmp(code, "unfinished") == 0)
      return true;
  }
  return false;
}

static void add_warnings(struct writer *w, const struct result *r)
{
  const json_t *list = json_object_get(r->json, "warnings");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *code = result_text_at(json_array_get(list, i), "code");

    /* Of events that are only samples, percentiles mean nothing. */
    if (!code || strcmp(code, "few_samples") == 0)
      continue;
    add_row(w, "! warning", code);
  }
}

static void add_failure(struct writer *w, const struct sweep *s,
                        const struct sweep_outcome *o)
{
  begin_row(w, s->children.signal != 0 && o->status > EXIT_SIGNAL
                 ? "interrupted"
                 : "failed");
  table_cellf(&w->table, "%s, exit status %d", o->failed, o->status);
  table_end_row(&w->table);
}

static void add_part(struct writer *w, const struct sweep *s,
                     const struct sweep_outcome *o)
{
  const struct result *r = &o->result.run;
  const json_t *kernels, *figures;

  w->part = s->in->parts[o->combination].name;
  if (o->failed)
    add_failure(w, s, o);
  if (!sweep_outcome_good(o))
    return;
  kernels = result_at(r->json, "totals.cpu_kernels");
  figures = result_at(r->json, "test.figures");
  if (kernels)
    add_kernels(w, kernels);
  else if (figures)
    add_figures(w, figures);
  else if (is_unfinished(r) || !(r->events > 0)) /* events are only samples */
    add_row(w, "not finished", "-");
  else
    add_events(w, r);
  add_warnings(w, r);
}

void sweep_parts_table(const struct sweep *s, struct strbuf *out)
{
  struct writer w = { .part = NULL };

  table_cell(&w.table, "part");
  table_cell(&w.table, "figure");
  table_cell(&w.table, "value");
  table_end_row(&w.table);
  for (size_t i = 0; i < s->n_outcomes; i++)
    add_part(&w, s, &s->outcomes[i]);
  table_print(&w.table, TABLE_TEXT, out);
  if (w.table.failed)
    out->failed = true;
  table_done(&w.table);
}
