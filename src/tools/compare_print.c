#include "tools/compare_print.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "results/jobj.h"
#include "tools/bootstrap.h"
#include "tools/compare.h"
#include "tools/find.h"
#include "tools/groups.h"
#include "tools/result.h"
#include "tools/table.h"
#include "tools/units.h"

static const char *verdict_name(enum verdict v, enum compare_kind kind)
{
  static const char *const names[] = {
    [VERDICT_SAME] = "same",
    [VERDICT_FASTER] = "faster",
    [VERDICT_SLOWER] = "slower",
    [VERDICT_INCONCLUSIVE] = "inconclusive",
  };

  if (compare_is_cost(kind) && v == VERDICT_FASTER)
    return "less";
  if (compare_is_cost(kind) && v == VERDICT_SLOWER)
    return "more";
  return names[v];
}

enum verdict verdict_of(const struct comparison *c, double share)
{
  if (!c->known)
    return VERDICT_INCONCLUSIVE;
  if (c->r.low >= 1 - share && c->r.high <= 1 + share)
    return VERDICT_SAME;
  if (!c->r.differs)
    return VERDICT_INCONCLUSIVE;
  return (c->r.ratio > 1) == compare_is_rate(c->kind) ? VERDICT_FASTER
                                                      : VERDICT_SLOWER;
}

enum gate gate_of(const struct comparison *c, double share)
{
  const bool rate = compare_is_rate(c->kind);

  if (!c->known)
    return GATE_UNKNOWN;
  if (rate ? c->r.low >= 1 - share : c->r.high <= 1 + share)
    return GATE_PASSED;
  if (rate ? c->r.high < 1 - share : c->r.low > 1 + share)
    return GATE_SLOWER;
  return GATE_UNKNOWN;
}

double verdict_unnoticed(const struct comparison *c)
{
  return fmax(0, compare_is_rate(c->kind) ? 1 - c->r.low : c->r.high - 1);
}

/* ---- answers of searches ---- */

enum outcome {
  HIGHER, /* intervals do not overlap */
  LOWER,
  OVERLAP,
  OTHER_AIM, /* different questions */
  NO_ANSWER,
};

static const char *const names[] = { "higher", "lower", "overlap",
                                     "other_objective", "no_answer" };

/* The lowest value that is too much; INFINITY: unknown. */
static double compare_search_upper_end(const struct find *f)
{
  if (f->search.high > 0)
    return f->search.high;
  return f->search.refused > 0 ? f->search.refused : INFINITY;
}

static enum outcome compare_search_outcome_of(const struct find *base,
                                              const struct find *other)
{
  if (base->rules.what != other->rules.what ||
      strcmp(base->objective, other->objective) != 0)
    return OTHER_AIM;
  if (base->search.end != SEARCH_FOUND || other->search.end != SEARCH_FOUND)
    return NO_ANSWER;
  if (other->search.low >= compare_search_upper_end(base))
    return HIGHER;
  return compare_search_upper_end(other) <= base->search.low ? LOWER : OVERLAP;
}

static double compare_search_change(const struct find *base,
                                    const struct find *other)
{
  return other->search.low / base->search.low - 1;
}

static void compare_search_say(const struct find *base,
                               const struct find *other, struct strbuf *out)
{
  switch (compare_search_outcome_of(base, other)) {
  case HIGHER:
  case LOWER:
    strbuf_addf(out,
                "The highest confirmed %s has changed by %+.3g %%, and the "
                "intervals do not overlap.\n",
                find_noun(base), 100 * compare_search_change(base, other));
    break;
  case OVERLAP:
    strbuf_adds(out, "The intervals overlap, so no difference is shown.\n");
    break;
  case OTHER_AIM:
    strbuf_adds(out, "The searches have different objectives, so their answers "
                     "cannot be compared.\n");
    break;
  case NO_ANSWER:
    strbuf_adds(out,
                "Only two answers can be compared, and a search has none.\n");
    break;
  }
}

static void compare_search_add_answer(const struct result_file *file,
                                      const struct find *f,
                                      enum table_format format,
                                      struct strbuf *out)
{
  struct strbuf answer = { 0 }, line = { 0 };

  find_say(f, &answer); /* ends with a newline */
  strbuf_addf(&line, "%s: %.*s", file->path, (int)answer.len - 1,
              strbuf_str(&answer));
  strbuf_adds(out, "- ");
  table_add_text(out, strbuf_str(&line), format);
  strbuf_adds(out, "\n");
  out->failed = out->failed || answer.failed || line.failed;
  strbuf_done(&answer);
  strbuf_done(&line);
}

static void compare_search_add_known(struct jobj *o, const char *name,
                                     double value)
{
  if (value > 0 && isfinite(value))
    jobj_real(o, name, value);
  else
    jobj_null(o, name);
}

static json_t *compare_search_answer_json(const struct result_file *file,
                                          const struct find *f)
{
  const bool found = f->search.end == SEARCH_FOUND;
  struct jobj o = jobj_new();

  jobj_text(&o, "file", file->path);
  jobj_text(&o, "find", search_what_name(f->rules.what));
  jobj_text(&o, "objective", f->objective);
  jobj_text(&o, "end", search_end_name(f->search.end));
  compare_search_add_known(&o, "low", found ? f->search.low : 0);
  compare_search_add_known(&o, "high", found ? compare_search_upper_end(f) : 0);
  return jobj_take(&o);
}

static int compare_search_read(struct find *f, const struct result_file *file,
                               struct err *err)
{
  struct err why = { "" };

  if (find_read(f, result_at(file->json, "sweep.search"), &why) < 0)
    return err_set(err, -EINVAL, "'%.200s' cannot be compared: %s", file->path,
                   why.text);
  return 0;
}

int compare_search(const struct result_file *base,
                   const struct result_file *other, enum table_format format,
                   struct strbuf *out, json_t *list, struct err *err)
{
  struct find here, there;
  enum outcome outcome;
  struct jobj o;

  if (!result_at(base->json, "sweep.search") ||
      !result_at(other->json, "sweep.search"))
    return 0;
  if (compare_search_read(&here, base, err) < 0 ||
      compare_search_read(&there, other, err) < 0)
    return -EINVAL;
  outcome = compare_search_outcome_of(&here, &there);
  strbuf_adds(out, format == TABLE_MARKDOWN ? "### Answers\n\n" : "Answers:\n");
  compare_search_add_answer(base, &here, format, out);
  compare_search_add_answer(other, &there, format, out);
  strbuf_adds(out, format == TABLE_MARKDOWN ? "\n" : "");
  compare_search_say(&here, &there, out);
  strbuf_adds(out, "\n");
  o = jobj_new();
  jobj_add(&o, "base", compare_search_answer_json(base, &here));
  jobj_add(&o, "new", compare_search_answer_json(other, &there));
  jobj_text(&o, "outcome", names[outcome]);
  if (outcome <= OVERLAP)
    jobj_real(&o, "change_ratio", compare_search_change(&here, &there));
  else
    jobj_null(&o, "change_ratio");
  return jobj_array_add(list, jobj_take(&o))
           ? 0
           : err_set(err, -ENOMEM, "not enough memory for the comparison");
}

/* ---- one line per step ---- */

void compare_summary_done(struct compare_summary *s)
{
  table_done(&s->table);
  strbuf_done(&s->lines);
}

static const char *compare_summary_percent(char buf[UNIT_SIZE], double share)
{
  (void)snprintf(buf, UNIT_SIZE, "%.*g %%", share < 1 ? 3 : 6,
                 share < 1 ? 100 * share : round(100 * share));
  return buf;
}

static void compare_summary_add_heads(struct compare_summary *s)
{
  table_cell(&s->table, "verdict");
  if (s->files)
    table_cell(&s->table, "file");
  if (s->steps)
    table_cell(&s->table, "step");
  table_cell(&s->table, "figure");
  table_cell(&s->table, "base");
  table_cell(&s->table, "new");
  table_cell(&s->table, "change");
  table_cell(&s->table, "99 % interval");
  table_end_row(&s->table);
}

static void compare_summary_value_cell(struct compare_summary *s,
                                       const struct comparison *one,
                                       double value)
{
  if (!isfinite(value)) /* a mean of ratios */
    table_cell(&s->table, "-");
  else if (compare_is_rate(one->kind))
    table_count(&s->table, value);
  else
    table_time(&s->table, value);
}

static void compare_summary_add_row(struct compare_summary *s,
                                    const struct group *base, const char *path,
                                    enum verdict verdict,
                                    const struct comparison *one)
{
  char change[UNIT_SIZE], low[UNIT_SIZE], high[UNIT_SIZE];
  struct strbuf step = { 0 };

  group_describe(base, &step);
  if (s->table.n == 0) {
    s->steps = step.len > 0;
    compare_summary_add_heads(s);
  }
  table_cell(&s->table, one ? verdict_name(verdict, one->kind)
                            : verdict_name(verdict, COMPARE_THROUGHPUT));
  if (s->files)
    table_cell(&s->table, path);
  if (s->steps)
    table_cell(&s->table, strbuf_str(&step));
  table_cell(&s->table, one ? one->name : "-");
  if (one && (one->known || one->r.ratio > 0)) {
    compare_summary_value_cell(s, one, one->r.base);
    compare_summary_value_cell(s, one, one->r.other);
    table_cell(&s->table, unit_change(change, one->r.ratio));
  }
  if (one && one->known) {
    table_cellf(&s->table, "%s to %s", unit_change(low, one->r.low),
                unit_change(high, one->r.high));
  }
  table_end_row(&s->table);
  strbuf_done(&step);
}

/* Begins "CANNOT TELL (n=2): ". */
static void compare_summary_start_line(struct compare_summary *s,
                                       const char *what,
                                       const struct group *base,
                                       const char *path)
{
  struct strbuf step = { 0 };

  group_describe(base, &step);
  strbuf_addf(&s->lines, "%s%s", s->markdown ? "- " : "", what);
  if (s->files || step.len > 0)
    strbuf_addf(&s->lines, " (%s%s%s)", s->files ? path : "",
                s->files && step.len > 0 ? ", " : "", strbuf_str(&step));
  strbuf_adds(&s->lines, ": ");
  strbuf_done(&step);
}

static void compare_summary_add_longer(double times, struct strbuf *out)
{
  strbuf_addf(out, "a longer --time (about %.*f times)", times < 10, times);
}

void compare_summary_advice(const struct boot_result *r, double share,
                            struct strbuf *out)
{
  const unsigned repeats = bootstrap_repeats(r, share);
  const double longer = bootstrap_longer(r, share, r->runs);
  const double both = r->runs < SETTLE_REPEATS_FEW
                        ? bootstrap_longer(r, share, SETTLE_REPEATS_FEW)
                        : 0;

  if (repeats == 0 && longer <= 0 && both <= 0) {
    strbuf_addf(out,
                "even --repeat=%d would not settle it: use a quieter machine",
                SETTLE_REPEATS_MAX);
    return;
  }
  strbuf_adds(out, "repeat with ");
  if (repeats > 0)
    strbuf_addf(out, "--repeat=%u", repeats);
  if (longer > 0) {
    strbuf_adds(out, repeats > 0 ? " or " : "");
    compare_summary_add_longer(longer, out);
  } else if (both > 0) {
    strbuf_addf(out, "%s--repeat=%d and ", repeats > 0 ? ", or with " : "",
                SETTLE_REPEATS_FEW);
    compare_summary_add_longer(both, out);
  }
}

static void compare_summary_add_open(struct compare_summary *s,
                                     const struct comparisons *c,
                                     enum verdict verdict)
{
  const double slowdown = verdict_unnoticed(comparisons_decisive(c));
  char text[UNIT_SIZE];

  compare_summary_start_line(s, s->gated ? "CANNOT TELL" : "inconclusive",
                             c->base, c->other->path);
  if (verdict == VERDICT_SLOWER)
    strbuf_addf(&s->lines, "it is slower, by up to %s; ",
                compare_summary_percent(text, slowdown));
  else if (slowdown > s->share)
    strbuf_addf(&s->lines, "a slowdown of up to %s would have gone unnoticed; ",
                compare_summary_percent(text, slowdown));
  else
    strbuf_addf(&s->lines,
                "it is not slower by more than %s, but may be faster; ",
                compare_summary_percent(text, s->share));
  if (json_object_get(c->base->values, "part"))
    strbuf_adds(&s->lines, "measure again, with a longer --time");
  else
    compare_summary_advice(&comparisons_decisive(c)->r, s->share, &s->lines);
  strbuf_adds(&s->lines, "\n");
}

/* The run itself has a warning only if it lost more. */
static void compare_print_loss(const struct comparisons *c, struct strbuf *out)
{
  const struct compare_loss loss = comparisons_loss(c);

  if (loss.path)
    strbuf_addf(out, "'%s' lost %.1f %% of its CPU time %s", loss.path,
                100 * loss.share, loss.how);
}

static void compare_summary_add_slower(struct compare_summary *s,
                                       const struct comparisons *c)
{
  const struct comparison *one = comparisons_decisive(c);
  char change[UNIT_SIZE], share[UNIT_SIZE];

  compare_summary_start_line(s, "SLOWER", c->base, c->other->path);
  strbuf_addf(&s->lines, "%s %s, which is more than %s\n", one->name,
              unit_change(change, one->r.ratio),
              compare_summary_percent(share, s->share));
}

static void compare_summary_add_reason(struct compare_summary *s,
                                       const struct comparisons *c)
{
  const struct comparison *one = comparisons_decisive(c);
  const bool machine = json_object_get(c->base->values, "part");

  if (one->state == BOOT_NOTHING) {
    strbuf_addf(&s->lines, "'%s' and '%s' cannot be compared\n", c->base->path,
                c->other->path);
    return;
  }
  strbuf_addf(&s->lines, "%s; ", one->reason);
  if (one->state == BOOT_DISTURBED) {
    compare_print_loss(c, &s->lines);
    strbuf_adds(&s->lines, "; ");
  }
  if (machine)
    strbuf_adds(&s->lines, "measure again, with a longer --time\n");
  else if (one->state == BOOT_DISTURBED)
    strbuf_addf(&s->lines, "%s, or repeat with --repeat=%d\n",
                comparisons_loss(c).remedy, SETTLE_REPEATS_FEW);
  else
    strbuf_addf(&s->lines, "use a longer --time, or repeat with --repeat=%d\n",
                BOOT_RUNS_MIN);
}

static void compare_summary_add_line(struct compare_summary *s,
                                     const struct comparisons *c,
                                     enum verdict verdict, enum gate gate)
{
  if (!comparisons_decisive(c)->known) {
    compare_summary_start_line(s, s->gated ? "CANNOT TELL" : "inconclusive",
                               c->base, c->other->path);
    compare_summary_add_reason(s, c);
  } else if (s->gated && gate == GATE_SLOWER) {
    compare_summary_add_slower(s, c);
  } else if (s->gated ? gate == GATE_UNKNOWN
                      : verdict == VERDICT_INCONCLUSIVE) {
    compare_summary_add_open(s, c, verdict);
  }
}

void compare_summary_add(struct compare_summary *s, const struct comparisons *c)
{
  const struct comparison *one = comparisons_decisive(c);
  const enum verdict verdict = verdict_of(one, s->share);
  const enum gate gate = gate_of(one, s->share);

  s->all++;
  s->slower += s->gated && gate == GATE_SLOWER;
  s->unknown += s->gated && gate == GATE_UNKNOWN;
  compare_summary_add_row(s, c->base, c->other->path, verdict, one);
  compare_summary_add_line(s, c, verdict, gate);
}

void compare_summary_add_missing(struct compare_summary *s,
                                 const struct group *base, const char *path)
{
  s->all++;
  s->missing += s->gated;
  compare_summary_add_row(s, base, path, VERDICT_INCONCLUSIVE, NULL);
  compare_summary_start_line(s, s->gated ? "CANNOT TELL" : "inconclusive", base,
                             path);
  strbuf_addf(&s->lines, "'%s' has no result of this step\n", path);
}

void compare_summary_print(const struct compare_summary *s, struct strbuf *out)
{
  char share[UNIT_SIZE];

  table_print(&s->table, s->markdown ? TABLE_MARKDOWN : TABLE_TEXT, out);
  if (s->lines.len > 0)
    strbuf_addf(out, "\n%s", strbuf_str(&s->lines));
  if (s->table.failed || s->lines.failed)
    out->failed = true;
  strbuf_addf(
    out,
    "\nThe true change is within the interval in 99 of 100 cases. \"same\": "
    "the whole\ninterval is within %s. \"slower\", \"faster\": it excludes 0. "
    "\"inconclusive\": all else.\n",
    compare_summary_percent(share, s->share));
}

/* ---- all figures ---- */

enum {
  NAME_MAX_SHOWN = 60, /* bytes of a statement */
};

#define MIB 1048576.0

static void compare_print_add_doubts(const struct result *r, struct strbuf *out)
{
  const json_t *list = json_object_get(r->json, "warnings");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *code = result_text_at(json_array_get(list, i), "code");

    if (code)
      strbuf_addf(out, "%s%s", i > 0 ? ", " : "; its warnings: ", code);
  }
}

void compare_print_line(struct strbuf *line, const char *begin, bool markdown,
                        struct strbuf *out)
{
  strbuf_adds(out, begin);
  table_add_text(out, strbuf_str(line), markdown ? TABLE_MARKDOWN : TABLE_TEXT);
  strbuf_adds(out, "\n");
  strbuf_done(line);
}

void compare_print_group(const struct group *g, const char *role, bool markdown,
                         struct strbuf *out)
{
  const struct result *r = g->runs[0];
  const char *when = result_text_at(r->json, "run.start_time");
  const char *label = result_text_at(r->json, "options.label.value");
  char time[UNIT_SIZE];
  struct strbuf line = { 0 };

  strbuf_addf(&line, "%-5s %s%s%s%s: %s, bench %s, %s, ", role, g->path,
              label && *label ? " (" : "", label && *label ? label : "",
              label && *label ? ")" : "", r->test,
              r->version ? r->version : "?", when ? when : "?");
  if (g->n > 1)
    strbuf_addf(&line, "%zu runs of %s", g->n,
                unit_time(time, r->period_s * 1e9));
  else
    strbuf_addf(&line, "1 run of %s", unit_time(time, r->period_s * 1e9));
  if (g->failed > 0)
    strbuf_addf(&line, ", %zu more failed", g->failed);
  compare_print_add_doubts(r, &line);
  compare_print_line(&line, markdown ? "- " : "", markdown, out);
}

static void compare_print_figure_cell(struct table *t,
                                      const struct comparison *c, double value)
{
  if (!(value >= 0) || !isfinite(value)) /* a mean of ratios */
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

static void compare_print_name_cell(struct table *t, const struct comparison *c)
{
  if (strlen(c->name) > NAME_MAX_SHOWN)
    table_cellf(t, "%.*s...", (int)utf8_cut(c->name, NAME_MAX_SHOWN - 3),
                c->name);
  else
    table_cell(t, c->name);
}

static void compare_print_share_cell(struct table *t,
                                     const struct comparison *c)
{
  if (c->kind == COMPARE_CLASS)
    table_cellf(t, "%.1f %%", 100 * c->share);
  else
    table_cell(t, "");
}

static bool compare_print_has_classes(const struct comparisons *c)
{
  for (size_t i = 0; i < c->n; i++) {
    if (c->of[i].kind == COMPARE_CLASS)
      return true;
  }
  return false;
}

static bool compare_print_has_disturbed(const struct comparisons *c)
{
  for (size_t i = 0; i < c->n; i++) {
    if (c->of[i].state == BOOT_DISTURBED)
      return true;
  }
  return false;
}

static bool compare_print_has_values(const struct comparison *c)
{
  return c->known || c->r.ratio > 0;
}

static void compare_print_add_row(struct table *t, const struct comparison *c,
                                  double share, bool has_time)
{
  const double none = NAN;
  char low[UNIT_SIZE], high[UNIT_SIZE], change[UNIT_SIZE], seen[UNIT_SIZE];

  compare_print_name_cell(t, c);
  if (has_time)
    compare_print_share_cell(t, c);
  compare_print_figure_cell(t, c,
                            compare_print_has_values(c) ? c->r.base : none);
  compare_print_figure_cell(t, c,
                            compare_print_has_values(c) ? c->r.other : none);
  if (c->known) {
    table_cell(t, unit_change(change, c->r.ratio));
    table_cellf(t, "%s to %s", unit_change(low, c->r.low),
                unit_change(high, c->r.high));
    table_cell(t, verdict_name(verdict_of(c, share), c->kind));
    table_cellf(t, "%s", unit_share(seen, c->r.smallest));
  } else {
    table_cell(t, compare_print_has_values(c) ? unit_change(change, c->r.ratio)
                                              : "-");
    table_cell(t, "-");
    table_cellf(t, "inconclusive: %s", c->reason);
  }
  table_end_row(t);
}

static void compare_print_differences(const struct comparisons *c,
                                      bool markdown, struct strbuf *out)
{
  if (c->n_differences == 0)
    return;
  strbuf_addf(out, "%sWARNING: the runs also differ in:%s\n",
              markdown ? "\n**" : "\n", markdown ? "**\n" : "");
  for (size_t i = 0; i < c->n_differences; i++) {
    const struct difference *d = &c->differences[i];
    struct strbuf line = { 0 };

    strbuf_addf(&line, "%s: %s, %s", d->what, d->base, d->other);
    compare_print_line(&line, markdown ? "- " : "  ", markdown, out);
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
  const bool has_time = compare_print_has_classes(c);
  struct table t = { 0 };

  if (untold) {
    strbuf_addf(out, "No figure can be compared: %s\n", untold);
    compare_print_differences(c, markdown, out);
    return;
  }

  for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
    table_cell(&t, heads[i]);
    if (i == 0 && has_time)
      table_cell(&t, "share");
  }
  table_end_row(&t);
  for (size_t i = 0; i < c->n; i++)
    compare_print_add_row(&t, &c->of[i], share, has_time);
  table_print(&t, markdown ? TABLE_MARKDOWN : TABLE_TEXT, out);
  if (compare_print_has_disturbed(c)) {
    strbuf_adds(out, "\nDisturbed run: ");
    compare_print_loss(c, out);
    strbuf_adds(out, ".\n");
  }
  table_done(&t);
  compare_print_differences(c, markdown, out);
}

void compare_explain(struct strbuf *out)
{
  strbuf_addf(
    out,
    "\n\"base\" and \"new\" are geometric means of the runs, \"change\" is "
    "their ratio. The table of\na sweep has medians. \"smallest visible\" is "
    "the change that would have been noticed in\n4 of 5 cases. Without "
    "--repeat, runs are assumed to differ by %.0f %% (standard deviation).\nA "
    "figure with fewer than %d intervals needs %d repeats.\n",
    100 * BOOT_RUN_SPREAD, BOOT_SAMPLES_MIN, BOOT_RUNS_MIN);
}

static const char *compare_print_unit_of(enum compare_kind kind)
{
  if (kind == COMPARE_BANDWIDTH)
    return "bytes_per_s";
  if (kind == COMPARE_RATIO)
    return "ratio";
  if (kind == COMPARE_SERVER)
    return "count";
  return compare_is_rate(kind) ? "per_s" : "ns";
}

static json_t *compare_print_figure_json(const struct comparison *c,
                                         double share)
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
  jobj_text(&o, "unit", compare_print_unit_of(c->kind));
  jobj_text(&o, "verdict", verdict_name(verdict_of(c, share), c->kind));
  if (!c->known)
    jobj_text(&o, "reason", c->reason);
  if (c->kind == COMPARE_CLASS)
    jobj_real(&o, "time_ratio", c->share);
  if (compare_print_has_values(c)) {
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

static json_t *compare_print_difference_json(const struct difference *d)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "what", d->what);
  jobj_text(&o, "base", d->base);
  jobj_text(&o, "new", d->other);
  return jobj_take(&o);
}

static json_t *compare_print_decision_json(const struct comparisons *c,
                                           double share, bool gated)
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
  repeats = bootstrap_repeats(&one->r, share);
  longer = bootstrap_longer(&one->r, share, one->r.runs);
  if (repeats > 0)
    jobj_int(&o, "repeats_needed", repeats);
  if (longer > 0)
    jobj_real(&o, "time_factor_needed", longer);
  return jobj_take(&o);
}

static void compare_print_add_label(struct jobj *o, const char *key,
                                    const struct group *g)
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
    if (!jobj_array_add(figures, compare_print_figure_json(&c->of[i], share)))
      o.failed = true;
  }
  for (size_t i = 0; differences && i < c->n_differences; i++) {
    if (!jobj_array_add(differences,
                        compare_print_difference_json(&c->differences[i])))
      o.failed = true;
  }
  jobj_text(&o, "base", c->base->path);
  jobj_text(&o, "new", c->other->path);
  compare_print_add_label(&o, "base_label", c->base);
  compare_print_add_label(&o, "new_label", c->other);
  jobj_text(&o, "test", c->base->runs[0]->test);
  jobj_add(&o, "values",
           c->base->values ? json_incref((json_t *)(uintptr_t)c->base->values)
                           : json_null());
  jobj_int(&o, "base_runs", c->base->n);
  jobj_int(&o, "new_runs", c->other->n);
  jobj_add(&o, "decision", compare_print_decision_json(c, share, gated));
  jobj_add(&o, "figures", figures);
  jobj_add(&o, "differences", differences);
  return jobj_take(&o);
}
