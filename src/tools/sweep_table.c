/*
 * sweep_table.c - the table at the end of a sweep: one row per combination of
 * values; with repeats, the medians, and their range below each.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/fmt.h"
#include "base/secret.h"
#include "base/strbuf.h"
#include "run/runner.h"
#include "tools/knee.h"
#include "tools/numbers.h"
#include "tools/sweep_internal.h"
#include "tools/sweep_opts.h"
#include "tools/table.h"
#include "tools/usl.h"
#include "tools/usl_runs.h"
#include "tools/variance.h"

#define NS_PER_MS_REAL 1e6

/* A column with a figure. */
struct column {
  const char *name; /* of a percentile: its name in documents */
  const char *csv;  /* its name for programs */
  double (*of)(const struct result *r); /* NULL: a percentile */
  int decimals;
};

static double events_of(const struct result *r)
{
  return r->events;
}

static double events_per_s_of(const struct result *r)
{
  return r->events_per_s;
}

static double queries_per_s_of(const struct result *r)
{
  return r->queries_per_s;
}

static double mean_of(const struct result *r)
{
  return r->mean_ns / NS_PER_MS_REAL;
}

static double min_of(const struct result *r)
{
  return r->min_ns / NS_PER_MS_REAL;
}

static double max_of(const struct result *r)
{
  return r->max_ns / NS_PER_MS_REAL;
}

static double errors_of(const struct result *r)
{
  return r->errors;
}

static double cpus_of(const struct result *r)
{
  return r->cpus_used;
}

static const struct column columns_before[] = {
  { "events", "events", events_of, 0 },
  { "events/s", "events_per_s", events_per_s_of, 2 },
  { "queries/s", "queries_per_s", queries_per_s_of, 2 },
  { "mean ms", "mean_ms", mean_of, 3 },
};

static const struct column columns_after[] = {
  { "min ms", "min_ms", min_of, 3 },
  { "max ms", "max_ms", max_of, 3 },
  { "errors", "errors", errors_of, 0 },
  { "client CPUs", "client_cpus", cpus_of, 2 },
};

struct writer {
  const struct sweep *s;
  struct table table;
  bool csv, queries;
  bool spread;   /* columns for the parts of the variance */
  bool doubtful; /* a step has warnings */
  size_t best, knee;
  double *percentiles; /* owned; ascending; may contain the same number twice */
  size_t n_percentiles;
};

static double figure(const struct result *r, const struct column *c)
{
  return c->of ? c->of(r) : result_percentile(r, c->name) / NS_PER_MS_REAL;
}

/* Statistics of the good steps of a combination. */
static struct spread spread(const struct sweep *s, size_t combination,
                            const struct column *c)
{
  double *x = calloc(s->plan.repeats + 1, sizeof(*x));
  struct spread result;
  size_t n = 0;

  for (size_t i = 0; x && i < s->n_outcomes; i++) {
    const struct sweep_outcome *o = &s->outcomes[i];

    if (o->combination == combination && sweep_outcome_good(o))
      x[n++] = figure(&o->result.run, c);
  }
  result = spread_of(x, n);
  free(x);
  return result;
}

void sweep_find_knee(const struct sweep *s, size_t *ret_best, size_t *ret_knee)
{
  const size_t n = s->plan.n_combinations, m = s->plan.n_specs;
  struct knee_step *steps = calloc(n, sizeof(*steps));
  const char **values = calloc(n * m + 1, sizeof(*values));

  *ret_best = *ret_knee = KNEE_NONE;
  if (steps && values) {
    for (size_t i = 0; i < n; i++) {
      for (size_t k = 0; k < m; k++)
        values[i * m + k] = sweep_plan_value(&s->plan, i, k);
      steps[i].throughput = spread(s, i, &columns_before[1]).median;
      steps[i].values = &values[i * m];
    }
    *ret_best = knee_best(steps, n);
    *ret_knee = knee_find(steps, n, m);
  }
  free(values);
  free(steps);
}

static void number_cell(struct table *t, double value, int decimals)
{
  if (isfinite(value))
    table_cellf(t, "%.*f", decimals, value);
  else
    table_cell(t, "-");
}

/* The content of the cells of one column. */
enum cell {
  CELL_HEAD,
  CELL_MEDIAN,
  CELL_RANGE,
};

static void figure_cell(struct writer *w, const struct column *c,
                        enum cell cell, size_t combination)
{
  const bool ranges = w->s->plan.repeats > 1;
  struct spread x;

  if (cell == CELL_HEAD) {
    const char *name = w->csv ? c->csv : c->name;
    const char *before = c->of ? "" : "p";
    const char *behind = c->of ? "" : w->csv ? "_ms" : " ms";

    table_cellf(&w->table, "%s%s%s", before, name, behind);
    if (w->csv && ranges) {
      table_cellf(&w->table, "%s%s%s_min", before, name, behind);
      table_cellf(&w->table, "%s%s%s_max", before, name, behind);
    }
    return;
  }
  x = spread(w->s, combination, c);
  if (cell == CELL_RANGE) {
    if (isfinite(x.min))
      table_cellf(&w->table, "%.*f-%.*f", c->decimals, x.min, c->decimals,
                  x.max);
    else
      table_cell(&w->table, "-");
    return;
  }
  /* The median of an even number of counts may have a half. */
  number_cell(&w->table, x.median, c->decimals);
  if (w->csv && ranges) {
    number_cell(&w->table, x.min, c->decimals);
    number_cell(&w->table, x.max, c->decimals);
  }
}

static void percentile_cell(struct writer *w, double pct, enum cell cell,
                            size_t combination)
{
  char name[FMT_DOUBLE_SIZE];
  const struct column c = { fmt_shortest(name, pct), name, NULL, 3 };

  figure_cell(w, &c, cell, combination);
}

/* How much repeats differ, and where that comes from. */
static void spread_cells(struct writer *w, enum cell cell, size_t combination)
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
  number_cell(&w->table, 100 * v.spread, 2);
  number_cell(&w->table, 100 * v.between, 0);
  number_cell(&w->table, 100 * v.within, 0);
}

static void figure_cells(struct writer *w, enum cell cell, size_t combination)
{
  for (size_t i = 0; i < ARRAY_SIZE(columns_before); i++) {
    if (columns_before[i].of != queries_per_s_of || w->queries)
      figure_cell(w, &columns_before[i], cell, combination);
  }
  for (size_t i = 0; i < w->n_percentiles; i++) {
    if (i == 0 || w->percentiles[i] != w->percentiles[i - 1])
      percentile_cell(w, w->percentiles[i], cell, combination);
  }
  for (size_t i = 0; i < ARRAY_SIZE(columns_after); i++)
    figure_cell(w, &columns_after[i], cell, combination);
  spread_cells(w, cell, combination);
}

/* Is it known for any combination? */
static bool has_spread(const struct sweep *s)
{
  for (size_t i = 0; i < s->plan.n_combinations; i++) {
    if (isfinite(sweep_spread(s, i).spread))
      return true;
  }
  return false;
}

/* Add a word, unless it is already there. */
static void add_word(struct strbuf *words, const char *word)
{
  if (words->len > 0 && strstr(strbuf_str(words), word))
    return;
  strbuf_addf(words, "%s%s", words->len > 0 ? " " : "", word);
}

/* Add the codes of the warnings of a combination's steps. */
static void doubts_of(const struct sweep *s, size_t combination,
                      struct strbuf *words)
{
  for (size_t i = 0; i < s->n_outcomes; i++) {
    const struct sweep_outcome *o = &s->outcomes[i];
    const json_t *list;

    if (o->combination != combination || !sweep_outcome_good(o))
      continue;
    list = json_object_get(o->result.run.json, "warnings");
    for (size_t k = 0; k < json_array_size(list); k++) {
      const char *code = result_text_at(json_array_get(list, k), "code");

      if (code)
        add_word(words, code);
    }
  }
}

/* How many of the steps have missed the objective. */
static void missed_note(struct strbuf *note, size_t missed, size_t all)
{
  if (missed == 0)
    return;
  strbuf_adds(note, note->len ? ", " : "");
  if (all > 1)
    strbuf_addf(note, "%zu of %zu ", missed, all);
  strbuf_adds(note, "objective not held");
}

/* Write the remarks about the steps of a combination. */
static void note_cell(struct writer *w, size_t combination)
{
  const struct sweep *s = w->s;
  struct strbuf note = { 0 }, warnings = { 0 };
  const struct sweep_outcome *last = NULL;
  const bool several = s->plan.n_combinations > 1; /* else nothing is better */
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
    strbuf_adds(&note, note.len ? ", " : "");
    if (all > 1)
      strbuf_addf(&note, "%zu of %zu ", failed, all);
    strbuf_addf(&note, "%s (%s, exit status %d)",
                s->children.signal != 0 && last->status > EXIT_SIGNAL
                  ? "interrupted"
                  : "failed",
                last->failed, last->status);
  }
  missed_note(&note, missed, all);
  doubts_of(s, combination, &warnings);
  if (warnings.len > 0) {
    strbuf_addf(&note, "%s! %s", note.len ? ", " : "", strbuf_str(&warnings));
    w->doubtful = true;
  }
  table_cell(&w->table, strbuf_str(&note));
  strbuf_done(&warnings);
  strbuf_done(&note);
}

static size_t count_steps(const struct sweep *s, size_t combination, bool good)
{
  size_t n = 0;

  for (size_t i = 0; i < s->n_outcomes; i++)
    n += s->outcomes[i].combination == combination &&
         (!good || sweep_outcome_good(&s->outcomes[i]));
  return n;
}

static void add_rows(struct writer *w, size_t combination)
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
    table_cellf(&w->table, "%zu", count_steps(s, combination, true));
  figure_cells(w, CELL_MEDIAN, combination);
  note_cell(w, combination);
  table_end_row(&w->table);
  if (!repeats || w->csv || count_steps(s, combination, true) < 2)
    return;
  for (size_t k = 0; k < s->plan.n_specs; k++)
    table_cell(&w->table, "");
  table_cell(&w->table, "");
  figure_cells(w, CELL_RANGE, combination);
  table_cell(&w->table, "range");
  table_end_row(&w->table);
}

static bool has_queries(const struct sweep *s)
{
  for (size_t i = 0; i < s->n_outcomes; i++) {
    if (sweep_outcome_good(&s->outcomes[i]) &&
        isfinite(s->outcomes[i].result.run.queries_per_s))
      return true;
  }
  return false;
}

/* List the values of --percentiles, and that of --percentile. */
static void list_percentiles(struct writer *w)
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

static void explain(const struct writer *w, struct strbuf *out)
{
  const char *what = w->s->plan.repeats > 1 ? "median of events/s" : "events/s";
  struct usl usl;

  if (w->s->plan.repeats > 1)
    strbuf_adds(out, "\nRows hold the medians of the repeats; ranges are from "
                     "the smallest to the largest.");
  if (w->spread)
    strbuf_adds(
      out, "\nspread: the standard deviation of events/s from run to run. "
           "between, within: how much of its square is\nbetween the runs, and "
           "how much is scatter within each, which longer runs lessen.");
  if (w->doubtful)
    strbuf_adds(out,
                "\n!: the figures are doubtful. The warning that each step "
                "has printed says why and what to change.");
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
                      .queries = has_queries(s) };

  w.spread = s->plan.repeats > 1 && (w.csv || has_spread(s));
  list_percentiles(&w);
  sweep_find_knee(s, &w.best, &w.knee);
  for (size_t k = 0; k < s->plan.n_specs; k++)
    table_cell(&w.table, s->plan.spec[k].option);
  if (s->plan.repeats > 1)
    table_cell(&w.table, "runs");
  figure_cells(&w, CELL_HEAD, 0);
  table_cell(&w.table, "note");
  table_end_row(&w.table);
  for (size_t i = 0; i < s->plan.n_combinations; i++) {
    if (count_steps(s, i, false) > 0)
      add_rows(&w, i);
  }
  table_print(&w.table, format, out);
  if (!w.csv)
    explain(&w, out);
  table_done(&w.table);
  free(w.percentiles);
}
