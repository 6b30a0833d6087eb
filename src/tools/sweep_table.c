/*
 * sweep_table.c - tables, document and summary of a sweep.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/secret.h"
#include "base/strbuf.h"
#include "results/jobj.h"
#include "results/summary.h"
#include "run/runner.h"
#include "run/signals.h"
#include "tools/figure.h"
#include "tools/knee.h"
#include "tools/numbers.h"
#include "tools/sweep_internal.h"
#include "tools/sweep_opts.h"
#include "tools/table.h"
#include "tools/units.h"
#include "tools/usl.h"
#include "tools/usl_runs.h"

/* ---- analyses ---- */

static bool sweep_find_usl(const struct sweep *s, struct usl *ret)
{
  struct usl_point *points;
  size_t n = 0;
  bool found;

  if (sweep_has_parts(s) || s->plan.n_specs != 1 ||
      !usl_is_option(s->plan.spec[0].option))
    return false;
  points = calloc(s->n_outcomes + 1, sizeof(*points));
  if (!points)
    return false;
  for (size_t i = 0; i < s->n_outcomes; i++) {
    const struct sweep_outcome *o = &s->outcomes[i];

    if (sweep_outcome_good(o))
      n += usl_point_of(&o->result.run,
                        sweep_plan_value(&s->plan, o->combination, 0),
                        &points[n]);
  }
  found = usl_fit(ret, points, n);
  free(points);
  return found;
}

/* Returns the number of whole intervals. */
static size_t sweep_spread_samples_of(const struct result *r, double *to)
{
  size_t n = 0;

  for (size_t i = 0; i < r->n_intervals; i++) {
    const struct result_interval *at = &r->intervals[i];

    if (!at->partial && at->period_s > 0)
      to[n++] = at->events / at->period_s;
  }
  return n;
}

static bool sweep_is_repeat(const struct sweep_outcome *o, size_t combination)
{
  return o->combination == combination && sweep_outcome_good(o);
}

static struct variance sweep_spread(const struct sweep *s, size_t combination)
{
  struct variance_run *runs = calloc(s->plan.repeats + 1, sizeof(*runs));
  struct variance v = { NAN, NAN, NAN };
  double *samples, *next;
  size_t all = 0, n = 0;

  for (size_t i = 0; i < s->n_outcomes; i++)
    all += sweep_is_repeat(&s->outcomes[i], combination)
             ? s->outcomes[i].result.run.n_intervals
             : 0;
  samples = next = calloc(all + 1, sizeof(*samples));
  for (size_t i = 0; runs && samples && i < s->n_outcomes; i++) {
    const struct result *r = &s->outcomes[i].result.run;

    if (!sweep_is_repeat(&s->outcomes[i], combination))
      continue;
    runs[n] = (struct variance_run){ .value = r->events_per_s,
                                     .samples = next,
                                     .n = sweep_spread_samples_of(r, next) };
    next += runs[n++].n;
  }
  if (runs && samples)
    v = variance_of(runs, n);
  free(samples);
  free(runs);
  return v;
}

const char *sweep_doubt(const json_t *warning)
{
  const char *code = result_text_at(warning, "code");

  /* A search has its own checks for these. */
  return code && strcmp(code, "backlog") != 0 &&
             strcmp(code, "few_samples") != 0
           ? code
           : NULL;
}

/* Or NULL. */
static const json_t *sweep_doubts_find(const struct sweep_outcome *o,
                                       const char *code)
{
  const json_t *list = json_object_get(o->result.json, "warnings");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *here = sweep_doubt(json_array_get(list, i));

    if (here && strcmp(here, code) == 0)
      return json_array_get(list, i);
  }
  return NULL;
}

static void sweep_doubts_add_line(const struct sweep *s, size_t first,
                                  const json_t *warning,
                                  enum table_format format, struct strbuf *out)
{
  const char *code = sweep_doubt(warning);
  const char *text = result_text_at(warning, "text");
  size_t n = 0;

  for (size_t i = 0; i < s->n_outcomes; i++)
    n += sweep_doubts_find(&s->outcomes[i], code) != NULL;
  strbuf_adds(out, "- ");
  table_add_text(out, code, format);
  strbuf_addf(out, " (%zu of %zu steps; in step %zu): ", n, s->n_outcomes,
              first + 1);
  table_add_text(out, text ? text : "no reason is known", format);
  strbuf_adds(out, "\n");
}

void sweep_doubts(const struct sweep *s, const char *title,
                  enum table_format format, struct strbuf *out)
{
  bool any = false;

  for (size_t i = 0; i < s->n_outcomes; i++) {
    const json_t *list = json_object_get(s->outcomes[i].result.json,
                                         "warnings");

    for (size_t k = 0; k < json_array_size(list); k++) {
      const char *code = sweep_doubt(json_array_get(list, k));
      bool known = !code;

      for (size_t before = 0; before < i && !known; before++)
        known = sweep_doubts_find(&s->outcomes[before], code) != NULL;
      if (known)
        continue;
      if (!any)
        strbuf_adds(out, title);
      any = true;
      sweep_doubts_add_line(s, i, json_array_get(list, k), format, out);
    }
  }
}

/* ---- the table of steps ---- */

#define NS_PER_MS_REAL 1e6

struct column {
  const char *name; /* of a percentile */
  const char *csv;
  size_t at; /* offset in struct result; 0: a percentile */
  double unit;
  int decimals;
};

enum {
  COLUMN_EVENTS_PER_S = 1,
  COLUMN_QUERIES = 2,
  COLUMNS_BEFORE = 4, /* percentiles follow */
};

static const struct column columns[] = {
  { "events", "events", offsetof(struct result, events), 1, 0 },
  { "events/s", "events_per_s", offsetof(struct result, events_per_s), 1, 2 },
  { "queries/s", "queries_per_s", offsetof(struct result, queries_per_s), 1,
    2 },
  { "mean ms", "mean_ms", offsetof(struct result, mean_ns), NS_PER_MS_REAL, 3 },
  { "min ms", "min_ms", offsetof(struct result, min_ns), NS_PER_MS_REAL, 3 },
  { "max ms", "max_ms", offsetof(struct result, max_ns), NS_PER_MS_REAL, 3 },
  { "errors", "errors", offsetof(struct result, errors), 1, 0 },
  { "client CPUs", "client_cpus", offsetof(struct result, cpus_used), 1, 2 },
};

struct writer {
  const struct sweep *s;
  struct table table;
  bool csv, queries;
  bool spread;
  bool doubtful;
  size_t best, knee;
  double *percentiles; /* owned; ascending; can have duplicates */
  size_t n_percentiles;
};

static double sweep_table_figure(const struct result *r, const struct column *c)
{
  const double value = c->at > 0
                         ? *(const double *)(const void *)((const char *)r +
                                                           c->at)
                         : result_percentile(r, c->name);

  return value / c->unit;
}

static struct spread sweep_table_spread(const struct sweep *s,
                                        size_t combination,
                                        const struct column *c)
{
  double *x = calloc(s->plan.repeats + 1, sizeof(*x));
  struct spread result;
  size_t n = 0;

  for (size_t i = 0; x && i < s->n_outcomes; i++) {
    const struct sweep_outcome *o = &s->outcomes[i];

    if (sweep_is_repeat(o, combination))
      x[n++] = sweep_table_figure(&o->result.run, c);
  }
  result = spread_of(x, n);
  free(x);
  return result;
}

/* KNEE_NONE: no step has succeeded. */
static void sweep_find_knee(const struct sweep *s, size_t *ret_best,
                            size_t *ret_knee)
{
  const size_t n = s->plan.n_combinations, m = s->plan.n_specs;
  struct knee_step *steps = calloc(n, sizeof(*steps));
  const char **values = calloc(n * m + 1, sizeof(*values));

  *ret_best = *ret_knee = KNEE_NONE;
  if (steps && values) {
    for (size_t i = 0; i < n; i++) {
      for (size_t k = 0; k < m; k++)
        values[i * m + k] = sweep_plan_value(&s->plan, i, k);
      steps[i].throughput =
        sweep_table_spread(s, i, &columns[COLUMN_EVENTS_PER_S]).median;
      steps[i].values = &values[i * m];
    }
    *ret_best = knee_best(steps, n);
    *ret_knee = knee_find(steps, n, m);
  }
  free(values);
  free(steps);
}

static void sweep_table_number_cell(struct table *t, double value, int decimals)
{
  if (isfinite(value))
    table_cellf(t, "%.*f", decimals, value);
  else
    table_cell(t, "-");
}

enum cell {
  CELL_HEAD,
  CELL_MEDIAN,
  CELL_RANGE,
};

static void sweep_table_figure_cell(struct writer *w, const struct column *c,
                                    enum cell cell, size_t combination)
{
  const bool ranges = w->s->plan.repeats > 1;
  struct spread x;

  if (cell == CELL_HEAD) {
    const char *name = w->csv ? c->csv : c->name;
    const char *before = c->at > 0 ? "" : "p";
    const char *behind = c->at > 0 ? "" : w->csv ? "_ms" : " ms";

    table_cellf(&w->table, "%s%s%s", before, name, behind);
    if (w->csv && ranges) {
      table_cellf(&w->table, "%s%s%s_min", before, name, behind);
      table_cellf(&w->table, "%s%s%s_max", before, name, behind);
    }
    return;
  }
  x = sweep_table_spread(w->s, combination, c);
  if (cell == CELL_RANGE) {
    if (isfinite(x.min))
      table_cellf(&w->table, "%.*f-%.*f", c->decimals, x.min, c->decimals,
                  x.max);
    else
      table_cell(&w->table, "-");
    return;
  }
  sweep_table_number_cell(&w->table, x.median, c->decimals);
  if (w->csv && ranges) {
    sweep_table_number_cell(&w->table, x.min, c->decimals);
    sweep_table_number_cell(&w->table, x.max, c->decimals);
  }
}

static void sweep_table_spread_cells(struct writer *w, enum cell cell,
                                     size_t combination)
{
  struct variance v = { NAN, NAN, NAN };

  if (!w->spread)
    return;
  if (cell == CELL_HEAD) {
    table_cell(&w->table, w->csv ? "spread_percent" : "spread %");
    table_cell(&w->table, w->csv ? "between_percent" : "between %");
    table_cell(&w->table, w->csv ? "within_percent" : "within %");
    return;
  }
  if (cell == CELL_MEDIAN)
    v = sweep_spread(w->s, combination);
  sweep_table_number_cell(&w->table, 100 * v.spread, 2);
  sweep_table_number_cell(&w->table, 100 * v.between, 0);
  sweep_table_number_cell(&w->table, 100 * v.within, 0);
}

static void sweep_table_figure_cells(struct writer *w, enum cell cell,
                                     size_t combination)
{
  for (size_t i = 0; i < COLUMNS_BEFORE; i++) {
    if (i != COLUMN_QUERIES || w->queries)
      sweep_table_figure_cell(w, &columns[i], cell, combination);
  }
  for (size_t i = 0; i < w->n_percentiles; i++) {
    char name[FMT_DOUBLE_SIZE];
    const struct column c = { fmt_shortest(name, w->percentiles[i]), name, 0,
                              NS_PER_MS_REAL, 3 };

    if (i == 0 || w->percentiles[i] != w->percentiles[i - 1])
      sweep_table_figure_cell(w, &c, cell, combination);
  }
  for (size_t i = COLUMNS_BEFORE; i < ARRAY_SIZE(columns); i++)
    sweep_table_figure_cell(w, &columns[i], cell, combination);
  sweep_table_spread_cells(w, cell, combination);
}

static bool sweep_table_has_spread(const struct sweep *s)
{
  for (size_t i = 0; i < s->plan.n_combinations; i++) {
    if (isfinite(sweep_spread(s, i).spread))
      return true;
  }
  return false;
}

static void sweep_table_doubts_of(const struct sweep *s, size_t combination,
                                  struct strbuf *words)
{
  for (size_t i = 0; i < s->n_outcomes; i++) {
    const struct sweep_outcome *o = &s->outcomes[i];
    const json_t *list;

    if (!sweep_is_repeat(o, combination))
      continue;
    list = json_object_get(o->result.run.json, "warnings");
    for (size_t k = 0; k < json_array_size(list); k++) {
      const char *code = result_text_at(json_array_get(list, k), "code");

      if (code && !strstr(strbuf_str(words), code))
        strbuf_addf(words, "%s%s", words->len > 0 ? " " : "", code);
    }
  }
}

static void sweep_table_note_count(struct strbuf *note, size_t n, size_t all)
{
  strbuf_adds(note, note->len ? ", " : "");
  if (all > 1)
    strbuf_addf(note, "%zu of %zu ", n, all);
}

static const char *sweep_failure(const struct sweep *s,
                                 const struct sweep_outcome *o)
{
  return s->children.signal != 0 && o->status > EXIT_SIGNAL ? "interrupted"
                                                            : "failed";
}

static void sweep_table_note_cell(struct writer *w, size_t combination)
{
  const struct sweep *s = w->s;
  struct strbuf note = { 0 }, warnings = { 0 };
  const struct sweep_outcome *last = NULL;
  const bool several = s->plan.n_combinations > 1;
  size_t failed = 0, missed = 0, all = 0;

  for (size_t i = 0; i < s->n_outcomes; i++) {
    if (s->outcomes[i].combination != combination)
      continue;
    all++;
    missed += s->outcomes[i].missed;
    if (s->outcomes[i].failed) {
      last = &s->outcomes[i];
      failed++;
    }
  }
  if (several && combination == w->best)
    strbuf_adds(&note, "best");
  if (several && combination == w->knee)
    strbuf_adds(&note, note.len ? ", knee" : "knee");
  if (last) {
    sweep_table_note_count(&note, failed, all);
    strbuf_addf(&note, "%s (%s, exit status %d)", sweep_failure(s, last),
                last->failed, last->status);
  }
  if (missed > 0) {
    sweep_table_note_count(&note, missed, all);
    strbuf_adds(&note, "objective not held");
  }
  sweep_table_doubts_of(s, combination, &warnings);
  if (warnings.len > 0) {
    strbuf_addf(&note, "%s! %s", note.len ? ", " : "", strbuf_str(&warnings));
    w->doubtful = true;
  }
  table_cell(&w->table, strbuf_str(&note));
  strbuf_done(&warnings);
  strbuf_done(&note);
}

static size_t sweep_table_count_steps(const struct sweep *s, size_t combination,
                                      bool good)
{
  size_t n = 0;

  for (size_t i = 0; i < s->n_outcomes; i++)
    n += s->outcomes[i].combination == combination &&
         (!good || sweep_outcome_good(&s->outcomes[i]));
  return n;
}

static void sweep_table_add_rows(struct writer *w, size_t combination)
{
  const struct sweep *s = w->s;
  const bool repeats = s->plan.repeats > 1;

  for (size_t k = 0; k < s->plan.n_specs; k++) {
    struct strbuf shown = { 0 };

    secret_redact(sweep_plan_value(&s->plan, combination, k), &shown);
    table_cell(&w->table, strbuf_str(&shown));
    strbuf_done(&shown);
  }
  if (repeats)
    table_cellf(&w->table, "%zu",
                sweep_table_count_steps(s, combination, true));
  sweep_table_figure_cells(w, CELL_MEDIAN, combination);
  sweep_table_note_cell(w, combination);
  table_end_row(&w->table);
  if (!repeats || w->csv || sweep_table_count_steps(s, combination, true) < 2)
    return;
  for (size_t k = 0; k < s->plan.n_specs; k++)
    table_cell(&w->table, "");
  table_cell(&w->table, "");
  sweep_table_figure_cells(w, CELL_RANGE, combination);
  table_cell(&w->table, "range");
  table_end_row(&w->table);
}

static bool sweep_table_has_queries(const struct sweep *s)
{
  for (size_t i = 0; i < s->n_outcomes; i++) {
    if (sweep_outcome_good(&s->outcomes[i]) &&
        isfinite(s->outcomes[i].result.run.queries_per_s))
      return true;
  }
  return false;
}

static void sweep_table_list_percentiles(struct writer *w)
{
  const struct sweep_input *in = w->s->in;

  w->percentiles = calloc(in->n_percentiles + 1, sizeof(*w->percentiles));
  if (!w->percentiles) {
    w->table.failed = true;
    return;
  }
  for (size_t i = 0; i < in->n_percentiles; i++)
    w->percentiles[w->n_percentiles++] = in->percentiles[i];
  if (in->percentile > 0)
    w->percentiles[w->n_percentiles++] = in->percentile;
  numbers_sort(w->percentiles, w->n_percentiles);
}

static void sweep_table_explain(const struct writer *w, struct strbuf *out)
{
  const char *what = w->s->plan.repeats > 1 ? "median of events/s" : "events/s";
  struct usl usl;

  if (w->s->plan.repeats > 1)
    strbuf_adds(out, "\nRows hold the medians of the repeats; ranges are from "
                     "the smallest to the largest.");
  if (w->spread)
    strbuf_adds(out, "\nspread: the standard deviation of events/s from run to "
                     "run. Its square has two parts: between runs,\nand within "
                     "each run, which longer runs lessen.");
  if (w->doubtful)
    strbuf_adds(
      out,
      "\n!: the step has a warning; its report has the cause and the remedy.");
  if (w->best == KNEE_NONE) {
    strbuf_adds(out, "\nNo step succeeded.\n");
    return;
  }
  if (w->s->plan.n_combinations == 1) {
    strbuf_adds(out, "\n");
    return;
  }
  strbuf_addf(out,
              "\nbest: the highest %s.\nknee: the smallest value%s with at "
              "least %.0f %% of the best %s.\n",
              what, w->s->plan.n_specs > 1 ? "s (the first option first)" : "",
              KNEE_SHARE * 100, what);
  if (sweep_find_usl(w->s, &usl))
    usl_print(&usl, w->s->plan.spec[0].option, out);
}

void sweep_table(const struct sweep *s, enum table_format format,
                 struct strbuf *out)
{
  struct writer w = { .s = s,
                      .csv = format == TABLE_CSV,
                      .queries = sweep_table_has_queries(s) };

  w.spread = s->plan.repeats > 1 && (w.csv || sweep_table_has_spread(s));
  sweep_table_list_percentiles(&w);
  sweep_find_knee(s, &w.best, &w.knee);
  for (size_t k = 0; k < s->plan.n_specs; k++)
    table_cell(&w.table, s->plan.spec[k].option);
  if (s->plan.repeats > 1)
    table_cell(&w.table, "runs");
  sweep_table_figure_cells(&w, CELL_HEAD, 0);
  table_cell(&w.table, "note");
  table_end_row(&w.table);
  for (size_t i = 0; i < s->plan.n_combinations; i++) {
    if (sweep_table_count_steps(s, i, false) > 0)
      sweep_table_add_rows(&w, i);
  }
  table_print(&w.table, format, out);
  if (!w.csv)
    sweep_table_explain(&w, out);
  table_done(&w.table);
  free(w.percentiles);
}

/* ---- the table of parts ---- */

struct parts_table {
  struct table table;
  const char *part; /* NULL: the row above names the part */
};

static void sweep_parts_begin_row(struct parts_table *w, const char *figure)
{
  table_cell(&w->table, w->part ? w->part : "");
  table_cell(&w->table, figure);
  w->part = NULL;
}

static void sweep_parts_add_row(struct parts_table *w, const char *figure,
                                const char *value)
{
  sweep_parts_begin_row(w, figure);
  table_cell(&w->table, value);
  table_end_row(&w->table);
}

static void sweep_parts_add_figures(struct parts_table *w, const json_t *of,
                                    bool kernels)
{
  char text[UNIT_SIZE];
  const char *name;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)of, name, value)
  {
    sweep_parts_begin_row(w, name);
    if (kernels)
      table_cellf(
        &w->table, "%s/s",
        unit_count(text, result_number_at(value, "operations_per_s")));
    else
      figure_cell(&w->table, value);
    table_end_row(&w->table);
  }
}

static void sweep_parts_add_events(struct parts_table *w,
                                   const struct result *r)
{
  static const char *const shares[] = { "50", "99" };

  sweep_parts_begin_row(w, "events");
  table_cellf(&w->table, "%.0f/s", r->events_per_s);
  table_end_row(&w->table);
  for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
    if (!isfinite(result_percentile(r, shares[i])))
      continue;
    sweep_parts_begin_row(w, i == 0 ? "median latency" : "99th percentile");
    table_time(&w->table, result_percentile(r, shares[i]));
    table_end_row(&w->table);
  }
}

static void sweep_parts_add_warnings(struct parts_table *w,
                                     const struct result *r)
{
  const json_t *list = json_object_get(r->json, "warnings");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *code = result_text_at(json_array_get(list, i), "code");

    /* Such events are only samples. */
    if (!code || strcmp(code, "few_samples") == 0)
      continue;
    sweep_parts_add_row(w, "! warning", code);
  }
}

static void sweep_parts_add(struct parts_table *w, const struct sweep *s,
                            const struct sweep_outcome *o)
{
  const struct result *r = &o->result.run;
  const json_t *kernels, *figures;

  w->part = s->in->parts[o->combination].name;
  if (o->failed) {
    sweep_parts_begin_row(w, sweep_failure(s, o));
    table_cellf(&w->table, "%s, exit status %d", o->failed, o->status);
    table_end_row(&w->table);
  }
  if (!sweep_outcome_good(o))
    return;
  kernels = result_at(r->json, "totals.cpu_kernels");
  figures = result_at(r->json, "test.figures");
  if (kernels || figures)
    sweep_parts_add_figures(w, kernels ? kernels : figures, kernels != NULL);
  else if (sweep_doubts_find(o, "unfinished") || !(r->events > 0))
    sweep_parts_add_row(w, "not finished", "-");
  else
    sweep_parts_add_events(w, r);
  sweep_parts_add_warnings(w, r);
}

void sweep_parts_table(const struct sweep *s, struct strbuf *out)
{
  struct parts_table w = { .part = NULL };

  table_cell(&w.table, "part");
  table_cell(&w.table, "figure");
  table_cell(&w.table, "value");
  table_end_row(&w.table);
  for (size_t i = 0; i < s->n_outcomes; i++)
    sweep_parts_add(&w, s, &s->outcomes[i]);
  table_print(&w.table, TABLE_TEXT, out);
  if (w.table.failed)
    out->failed = true;
  table_done(&w.table);
}

/* ---- the document ---- */

static json_t *sweep_document_values_of(const struct sweep *s,
                                        size_t combination)
{
  struct jobj o = jobj_new();

  for (size_t i = 0; i < s->plan.n_specs; i++)
    jobj_named(&o, s->plan.spec[i].option,
               jobj_shown(sweep_plan_value(&s->plan, combination, i)));
  return jobj_take(&o);
}

static json_t *sweep_document_values_or_null(const struct sweep *s,
                                             size_t combination)
{
  return combination == KNEE_NONE ? json_null()
                                  : sweep_document_values_of(s, combination);
}

static json_t *sweep_document_options_of(const struct sweep *s)
{
  struct jobj list = jobj_list();

  for (size_t i = 0; i < s->plan.n_specs; i++) {
    const struct sweep_spec *spec = &s->plan.spec[i];
    struct jobj o = jobj_new(), values = jobj_list();

    for (size_t k = 0; k < spec->n; k++)
      jobj_push(&values, jobj_shown(spec->values[k]));
    jobj_text(&o, "name", spec->option);
    jobj_add(&o, "values", jobj_take(&values));
    jobj_push(&list, jobj_take(&o));
  }
  return jobj_take(&list);
}

static json_t *sweep_document_spreads_of(const struct sweep *s)
{
  struct jobj list = jobj_list();

  for (size_t i = 0; i < s->plan.n_combinations; i++) {
    const struct variance v = sweep_spread(s, i);
    struct jobj o = jobj_new();

    jobj_add(&o, "values", sweep_document_values_of(s, i));
    jobj_real(&o, "spread_ratio", v.spread);
    jobj_real(&o, "between_ratio", v.between);
    jobj_real(&o, "within_ratio", v.within);
    jobj_push(&list, jobj_take(&o));
  }
  return jobj_take(&list);
}

static json_t *sweep_document_sweep_part(const struct sweep *s)
{
  struct jobj o = jobj_new();
  size_t best, knee, step;
  struct usl usl;

  best = knee = KNEE_NONE;
  if (!sweep_has_parts(s) && !sweep_finds(s)) /* parts do not compete */
    sweep_find_knee(s, &best, &knee);
  jobj_add(&o, "options", sweep_document_options_of(s));
  jobj_bool(&o, "parts", sweep_has_parts(s));
  jobj_int(&o, "repeat", s->plan.repeats);
  jobj_real(&o, "pause_s", s->in->cfg->pause_s);
  jobj_bool(&o, "prepared_each_step", s->prepares);
  jobj_int(&o, "steps_planned",
           sweep_finds(s) ? s->n_outcomes : sweep_steps(s));
  jobj_bool(&o, "interrupted", s->children.signal != 0);
  if (*s->in->cfg->reset) {
    jobj_add(&o, "reset", jobj_shown(s->in->cfg->reset));
    jobj_int(&o, "reset_exit_status", (uint64_t)s->reset_status);
  }
  if (!sweep_has_parts(s))
    jobj_real(&o, "data_change_ratio", sweep_data_change(s, &step));
  if (s->plan.repeats > 1 && !sweep_has_parts(s))
    jobj_add(&o, "spread", sweep_document_spreads_of(s));
  jobj_add(&o, "best", sweep_document_values_or_null(s, best));
  jobj_add(&o, "knee", sweep_document_values_or_null(s, knee));
  jobj_real(&o, "knee_share", KNEE_SHARE);
  if (!sweep_finds(s) && sweep_find_usl(s, &usl))
    jobj_add(&o, "usl", usl_json(&usl));
  if (sweep_finds(s))
    jobj_add(&o, "search", find_json(&s->find));
  return jobj_take(&o);
}

static void sweep_document_add_outcome(struct jobj *o,
                                       const struct sweep_outcome *step)
{
  jobj_int(o, "exit_status", (uint64_t)step->status);
  jobj_add(o, "failed", step->failed ? json_string(step->failed) : json_null());
  jobj_add(o, "result",
           step->result.json ? json_incref(step->result.json) : json_null());
}

json_t *sweep_document(const struct sweep *s)
{
  struct jobj o = jobj_new(), steps = jobj_list(), references = jobj_list();

  for (size_t i = 0; i < s->n_outcomes; i++) {
    const struct sweep_outcome *step = &s->outcomes[i];
    struct jobj one = jobj_new();

    jobj_int(&one, "step", i + 1);
    jobj_int(&one, "repeat", step->repeat);
    jobj_add(&one, "values", sweep_document_values_of(s, step->combination));
    sweep_document_add_outcome(&one, step);
    jobj_push(&steps, jobj_take(&one));
  }
  for (size_t i = 0; i < s->n_references; i++) {
    struct jobj one = jobj_new();

    jobj_int(&one, "before_step", s->references[i].before);
    sweep_document_add_outcome(&one, &s->references[i].outcome);
    jobj_push(&references, jobj_take(&one));
  }
  jobj_text(&o, "schema", RESULT_SCHEMA_SWEEP);
  jobj_add(&o, "sweep", sweep_document_sweep_part(s));
  jobj_add(&o, "steps", jobj_take(&steps));
  if (s->in->cfg->reference_every > 0)
    jobj_add(&o, "references", jobj_take(&references));
  json_decref(references.j);
  return jobj_take(&o);
}

/* ---- the summary ---- */

static const char *sweep_summary_outcome(const struct sweep *s)
{
  bool missed = false;

  for (size_t i = 0; i < s->n_outcomes; i++) {
    if (s->outcomes[i].failed)
      return ": **a step failed**";
    missed = missed || s->outcomes[i].missed;
  }
  return missed ? ": objective **not held** by all steps" : "";
}

static void sweep_summary_search_text(const struct sweep *s, struct strbuf *out)
{
  struct strbuf answer = { 0 };

  find_say(&s->find, &answer);
  table_add_text(out, strbuf_str(&answer), TABLE_MARKDOWN);
  strbuf_adds(out, "\n\n");
  find_table(&s->find, out);
  strbuf_done(&answer);
  sweep_doubts(s, "\n### Warnings\n\n", TABLE_MARKDOWN, out);
}

int sweep_write_summary(const struct sweep *s, struct err *err)
{
  struct strbuf out = { 0 };
  int rc;

  strbuf_addf(&out, "## %s of ", sweep_finds(s) ? "Search" : "Sweep");
  table_add_text(&out, s->in->test ? s->in->test : "a script", TABLE_MARKDOWN);
  if (s->children.signal != 0)
    strbuf_addf(&out, ": **ended by %s**", signals_name(s->children.signal));
  strbuf_addf(&out, "%s\n\n", sweep_finds(s) ? "" : sweep_summary_outcome(s));
  if (sweep_finds(s))
    sweep_summary_search_text(s, &out);
  else
    sweep_table(s, TABLE_MARKDOWN, &out);
  summary_machine(&out);
  rc = summary_write(s->in->summary, &out, err);
  strbuf_done(&out);
  return rc;
}
