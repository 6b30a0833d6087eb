/*
 * compare_summary.c - one line per step with its verdict.
 */
#include "tools/compare_summary.h"

#include <math.h>
#include <stdio.h>

#include "tools/bootstrap.h"
#include "tools/compare.h"
#include "tools/groups.h"
#include "tools/settle.h"
#include "tools/units.h"
#include "tools/verdict.h"

void compare_summary_done(struct compare_summary *s)
{
  table_done(&s->table);
  strbuf_done(&s->lines);
}

/* "5 %", "99.5 %", "905 %". */
static const char *percent(char buf[UNIT_SIZE], double share)
{
  (void)snprintf(buf, UNIT_SIZE, "%.*g %%", share < 1 ? 3 : 6,
                 share < 1 ? 100 * share : round(100 * share));
  return buf;
}

static void add_heads(struct compare_summary *s)
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

static void value_cell(struct compare_summary *s, const struct comparison *one,
                       double value)
{
  if (!isfinite(value)) /* a mean of ratios has none */
    table_cell(&s->table, "-");
  else if (compare_is_rate(one->kind))
    table_count(&s->table, value);
  else
    table_time(&s->table, value);
}

static void add_row(struct compare_summary *s, const struct group *base,
                    const char *path, enum verdict verdict,
                    const struct comparison *one)
{
  char change[UNIT_SIZE], low[UNIT_SIZE], high[UNIT_SIZE];
  struct strbuf step = { 0 };

  group_describe(base, &step);
  if (s->table.n == 0) {
    s->steps = step.len > 0;
    add_heads(s);
  }
  table_cell(&s->table, one ? verdict_name(verdict, one->kind)
                            : verdict_name(verdict, COMPARE_THROUGHPUT));
  if (s->files)
    table_cell(&s->table, path);
  if (s->steps)
    table_cell(&s->table, strbuf_str(&step));
  table_cell(&s->table, one ? one->name : "-");
  if (one && (one->known || one->r.ratio > 0)) {
    value_cell(s, one, one->r.base);
    value_cell(s, one, one->r.other);
    table_cell(&s->table, unit_change(change, one->r.ratio));
  }
  if (one && one->known) {
    table_cellf(&s->table, "%s to %s", unit_change(low, one->r.low),
                unit_change(high, one->r.high));
  }
  table_end_row(&s->table);
  strbuf_done(&step);
}

/* Begin "CANNOT TELL (n=2): ", as a list item in Markdown. */
static void start_line(struct compare_summary *s, const char *what,
                       const struct group *base, const char *path)
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

static void add_longer(double times, struct strbuf *out)
{
  strbuf_addf(out, "a longer --time (about %.*f times)", times < 10, times);
}

void compare_summary_advice(const struct boot_result *r, double share,
                            struct strbuf *out)
{
  const unsigned repeats = settle_repeats(r, share);
  const double longer = settle_longer(r, share, r->runs);
  const double both = r->runs < SETTLE_REPEATS_FEW
                        ? settle_longer(r, share, SETTLE_REPEATS_FEW)
                        : 0;

  if (repeats == 0 && longer <= 0 && both <= 0) {
    strbuf_addf(out,
                "even --repeat=%d would not settle it, use a quieter machine",
                SETTLE_REPEATS_MAX);
    return;
  }
  strbuf_adds(out, "repeat with ");
  if (repeats > 0)
    strbuf_addf(out, "--repeat=%u", repeats);
  if (longer > 0) {
    strbuf_adds(out, repeats > 0 ? " or " : "");
    add_longer(longer, out);
  } else if (both > 0) {
    strbuf_addf(out, "%s--repeat=%d and ", repeats > 0 ? ", or with " : "",
                SETTLE_REPEATS_FEW);
    add_longer(both, out);
  }
}

static void add_open(struct compare_summary *s, const struct comparisons *c,
                     enum verdict verdict)
{
  const double slowdown = verdict_unnoticed(comparisons_decisive(c));
  char text[UNIT_SIZE];

  start_line(s, s->gated ? "CANNOT TELL" : "inconclusive", c->base,
             c->other->path);
  if (verdict == VERDICT_SLOWER)
    strbuf_addf(&s->lines, "it is slower, by up to %s; ",
                percent(text, slowdown));
  else if (slowdown > s->share)
    strbuf_addf(&s->lines, "a slowdown of up to %s would have gone unnoticed; ",
                percent(text, slowdown));
  else
    strbuf_addf(&s->lines,
                "it is not slower by more than %s, but may be faster; ",
                percent(text, s->share));
  if (json_object_get(c->base->values, "part")) /* of `bench machine` */
    strbuf_adds(&s->lines, "measure again, with a longer --time");
  else
    compare_summary_advice(&comparisons_decisive(c)->r, s->share, &s->lines);
  strbuf_adds(&s->lines, "\n");
}

static void add_slower(struct compare_summary *s, const struct comparisons *c)
{
  const struct comparison *one = comparisons_decisive(c);
  char change[UNIT_SIZE], share[UNIT_SIZE];

  start_line(s, "SLOWER", c->base, c->other->path);
  strbuf_addf(&s->lines, "%s %s, which is more than %s\n", one->name,
              unit_change(change, one->r.ratio), percent(share, s->share));
}

/* Why the figure that decides cannot be compared, and what to do. */
static void add_reason(struct compare_summary *s, const struct comparisons *c)
{
  const struct comparison *one = comparisons_decisive(c);
  const bool machine = json_object_get(c->base->values, "part");

  if (one->state == BOOT_NOTHING) {
    strbuf_addf(&s->lines, "'%s' and '%s' cannot be compared\n", c->base->path,
                c->other->path);
    return;
  }
  strbuf_addf(&s->lines, "%s; ", one->reason);
  if (machine)
    strbuf_adds(&s->lines, "measure again, with a longer --time\n");
  else if (one->state == BOOT_DISTURBED)
    strbuf_addf(&s->lines,
                "stop the other programs, or repeat with --repeat=%d\n",
                SETTLE_REPEATS_FEW);
  else
    strbuf_addf(&s->lines, "use a longer --time, or repeat with --repeat=%d\n",
                BOOT_RUNS_MIN);
}

static void add_line(struct compare_summary *s, const struct comparisons *c,
                     enum verdict verdict, enum gate gate)
{
  if (!comparisons_decisive(c)->known) {
    start_line(s, s->gated ? "CANNOT TELL" : "inconclusive", c->base,
               c->other->path);
    add_reason(s, c);
  } else if (s->gated && gate == GATE_SLOWER) {
    add_slower(s, c);
  } else if (s->gated ? gate == GATE_UNKNOWN
                      : verdict == VERDICT_INCONCLUSIVE) {
    add_open(s, c, verdict);
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
  add_row(s, c->base, c->other->path, verdict, one);
  add_line(s, c, verdict, gate);
}

void compare_summary_add_missing(struct compare_summary *s,
                                 const struct group *base, const char *path)
{
  s->all++;
  s->missing += s->gated;
  add_row(s, base, path, VERDICT_INCONCLUSIVE, NULL);
  start_line(s, s->gated ? "CANNOT TELL" : "inconclusive", base, path);
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
    "all of the\ninterval is within %s. \"slower\" and \"faster\": it does not "
    "contain 0.\n\"inconclusive\": neither.\n",
    percent(share, s->share));
}
