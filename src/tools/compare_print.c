/*
 * compare_print.c - comparisons as text, Markdown or JSON.
 */
#include "tools/compare_print.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "results/jobj.h"
#include "tools/compare.h"
#include "tools/settle.h"
#include "tools/table.h"
#include "tools/units.h"
#include "tools/verdict.h"

enum {
  NAME_MAX_SHOWN = 60, /* bytes of a statement that are shown */
};

#define MIB 1048576.0

/* The codes of the warnings of the run. */
static void add_doubts(const struct result *r, struct strbuf *out)
{
  const json_t *list = json_object_get(r->json, "warnings");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *code = result_text_at(json_array_get(list, i), "code");

    if (code)
      strbuf_addf(out, "%s%s", i > 0 ? ", " : "; its warnings: ", code);
  }
}

void compare_print_group(const struct group *g, const char *role, bool markdown,
                         struct strbuf *out)
{
  const struct result *r = g->runs[0];
  const char *when = result_text_at(r->json, "run.start_time");
  const char *label = result_text_at(r->json, "options.label.value");
  char time[UNIT_SIZE];

  strbuf_addf(out, "%s%-5s %s%s%s%s: %s, bench %s, %s, ", markdown ? "- " : "",
              role, g->path, label && *label ? " (" : "",
              label && *label ? label : "", label && *label ? ")" : "", r->test,
              r->version ? r->version : "?", when ? when : "?");
  if (g->n > 1)
    strbuf_addf(out, "%zu runs of %s", g->n,
                unit_time(time, r->period_s * 1e9));
  else
    strbuf_addf(out, "1 run of %s", unit_time(time, r->period_s * 1e9));
  if (g->failed > 0)
    strbuf_addf(out, ", %zu more failed", g->failed);
  add_doubts(r, out);
  strbuf_adds(out, "\n");
}

static void figure_cell(struct table *t, const struct comparison *c,
                        double value)
{
  if (!(value >= 0) || !isfinite(value)) /* a mean of ratios has no value */
    table_cell(t, "-");
  else if (c->kind == COMPARE_BANDWIDTH)
    table_cellf(t, "%.0f MiB/s", value / MIB);
  else if (c->kind == COMPARE_RATIO)
    table_cellf(t, "%.2f", value);
  else if (c->kind == COMPARE_SERVER)
    table_cellf(t, "%.4g", value);
  else if (compare_is_rate(c->kind))
    table_count(t, value);
  else
    table_time(t, value);
}

static void name_cell(struct table *t, const struct comparison *c)
{
  if (strlen(c->name) > NAME_MAX_SHOWN)
    table_cellf(t, "%.*s...", (int)utf8_cut(c->name, NAME_MAX_SHOWN - 3),
                c->name);
  else
    table_cell(t, c->name);
}

/* The share of the time of all classes, if there are classes. */
static void share_cell(struct table *t, const struct comparison *c)
{
  if (c->kind == COMPARE_CLASS)
    table_cellf(t, "%.1f %%", 100 * c->share);
  else
    table_cell(t, "");
}

static bool has_classes(const struct comparisons *c)
{
  for (size_t i = 0; i < c->n; i++) {
    if (c->of[i].kind == COMPARE_CLASS)
      return true;
  }
  return false;
}

/* Have both sides a value, with or without an interval of the change? */
static bool has_values(const struct comparison *c)
{
  return c->known || c->r.ratio > 0;
}

static void add_row(struct table *t, const struct comparison *c, double share,
                    bool has_time)
{
  const double none = NAN;
  char low[UNIT_SIZE], high[UNIT_SIZE], change[UNIT_SIZE], seen[UNIT_SIZE];

  name_cell(t, c);
  if (has_time)
    share_cell(t, c);
  figure_cell(t, c, has_values(c) ? c->r.base : none);
  figure_cell(t, c, has_values(c) ? c->r.other : none);
  if (c->known) {
    table_cell(t, unit_change(change, c->r.ratio));
    table_cellf(t, "%s to %s", unit_change(low, c->r.low),
                unit_change(high, c->r.high));
    table_cell(t, verdict_name(verdict_of(c, share), c->kind));
    table_cellf(t, "%s", unit_share(seen, c->r.smallest));
  } else {
    table_cell(t, has_values(c) ? unit_change(change, c->r.ratio) : "-");
    table_cell(t, "-");
    table_cellf(t, "inconclusive: %s", c->reason);
  }
  table_end_row(t);
}

static void print_differences(const struct comparisons *c, bool markdown,
                              struct strbuf *out)
{
  if (c->n_differences == 0)
    return;
  strbuf_addf(out, "%sWARNING: the runs also differ in:%s\n",
              markdown ? "\n**" : "\n", markdown ? "**\n" : "");
  for (size_t i = 0; i < c->n_differences; i++) {
    const struct difference *d = &c->differences[i];

    strbuf_addf(out, "%s%s: %s, %s\n", markdown ? "- " : "  ", d->what, d->base,
                d->other);
  }
}

void compare_print(const struct comparisons *c, double share, bool markdown,
                   struct strbuf *out)
{
  static const char *const heads[] = {
    "figure",           "base", "new", "change", "99 % interval", "verdict",
    "smallest visible",
  };
  const char *untold = comparisons_untold(c);
  const bool has_time = has_classes(c);
  struct table t = { 0 };

  if (untold) {
    strbuf_addf(out, "No figure can be compared: %s\n", untold);
    print_differences(c, markdown, out);
    return;
  }

  for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
    table_cell(&t, heads[i]);
    if (i == 0 && has_time)
      table_cell(&t, "share");
  }
  table_end_row(&t);
  for (size_t i = 0; i < c->n; i++)
    add_row(&t, &c->of[i], share, has_time);
  table_print(&t, markdown ? TABLE_MARKDOWN : TABLE_TEXT, out);
  table_done(&t);
  print_differences(c, markdown, out);
}

void compare_explain(struct strbuf *out)
{
  strbuf_addf(
    out,
    "\nbase and new are geometric means over the runs, whose ratio is the "
    "change; the table\nof a sweep has medians."
    "\n\"smallest visible\" is the change that would have been noticed in 4 of "
    "5 cases. Without\nrepeats (--repeat) runs are assumed to differ from each "
    "other by %.0f %% (standard deviation);\nfigures without %d intervals need "
    "%d repeats.\n",
    100 * BOOT_RUN_SPREAD, BOOT_SAMPLES_MIN, BOOT_RUNS_MIN);
}

static const char *unit_of(enum compare_kind kind)
{
  if (kind == COMPARE_BANDWIDTH)
    return "bytes_per_s";
  if (kind == COMPARE_RATIO)
    return "ratio";
  if (kind == COMPARE_SERVER)
    return "count";
  return compare_is_rate(kind) ? "per_s" : "ns";
}

static json_t *figure_json(const struct comparison *c, double share)
{
  static const char *const kinds[] = { "throughput", "latency",   "client_cpu",
                                       "class",      "bandwidth", "access",
                                       "work",       "ratio",     "server_cpu",
                                       "server" };
  struct jobj o = jobj_new();

  jobj_text(&o, "name", c->name);
  jobj_text(&o, "kind", kinds[c->kind]);
  if (c->member)
    jobj_text(&o, "member", c->member);
  jobj_text(&o, "unit", unit_of(c->kind));
  jobj_text(&o, "verdict", verdict_name(verdict_of(c, share), c->kind));
  if (!c->known)
    jobj_text(&o, "reason", c->reason);
  if (c->kind == COMPARE_CLASS)
    jobj_real(&o, "time_ratio", c->share);
  if (has_values(c)) {
    jobj_real(&o, "base", c->r.base);
    jobj_real(&o, "new", c->r.other);
    jobj_real(&o, "ratio", c->r.ratio);
  }
  if (c->known) {
    jobj_real(&o, "ratio_low", c->r.low);
    jobj_real(&o, "ratio_high", c->r.high);
    jobj_real(&o, "smallest_visible", c->r.smallest);
  }
  return jobj_take(&o);
}

static json_t *difference_json(const struct difference *d)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "what", d->what);
  jobj_text(&o, "base", d->base);
  jobj_text(&o, "new", d->other);
  return jobj_take(&o);
}

/* The verdict on the step, and what would make it certain. */
static json_t *decision_json(const struct comparisons *c, double share,
                             bool gated)
{
  static const char *const gates[] = { "passed", "slower", "unknown" };
  const struct comparison *one = comparisons_decisive(c);
  struct jobj o = jobj_new();
  unsigned repeats;
  double longer;

  jobj_text(&o, "figure", one->name);
  jobj_text(&o, "verdict", verdict_name(verdict_of(one, share), one->kind));
  if (gated)
    jobj_text(&o, "gate", gates[gate_of(one, share)]);
  if (!one->known) {
    jobj_text(&o, "reason", one->reason);
    return jobj_take(&o);
  }
  jobj_real(&o, "slowdown_at_most", verdict_unnoticed(one));
  repeats = settle_repeats(&one->r, share);
  longer = settle_longer(&one->r, share, one->r.runs);
  if (repeats > 0)
    jobj_int(&o, "repeats_needed", repeats);
  if (longer > 0)
    jobj_real(&o, "time_factor_needed", longer);
  return jobj_take(&o);
}

static void add_label(struct jobj *o, const char *key, const struct group *g)
{
  const char *label = result_text_at(g->runs[0]->json, "options.label.value");

  if (label && *label)
    jobj_text(o, key, label);
}

json_t *compare_json(const struct comparisons *c, double share, bool gated)
{
  json_t *figures = json_array(), *differences = json_array();
  struct jobj o = jobj_new();

  for (size_t i = 0; figures && i < c->n; i++) {
    if (!jobj_array_add(figures, figure_json(&c->of[i], share)))
      o.failed = true;
  }
  for (size_t i = 0; differences && i < c->n_differences; i++) {
    if (!jobj_array_add(differences, difference_json(&c->differences[i])))
      o.failed = true;
  }
  jobj_text(&o, "base", c->base->path);
  jobj_text(&o, "new", c->other->path);
  add_label(&o, "base_label", c->base);
  add_label(&o, "new_label", c->other);
  jobj_text(&o, "test", c->base->runs[0]->test);
  jobj_add(&o, "values",
           c->base->values ? json_incref((json_t *)(uintptr_t)c->base->values)
                           : json_null());
  jobj_int(&o, "base_runs", c->base->n);
  jobj_int(&o, "new_runs", c->other->n);
  jobj_add(&o, "decision", decision_json(c, share, gated));
  jobj_add(&o, "figures", figures);
  jobj_add(&o, "differences", differences);
  return jobj_take(&o);
}
