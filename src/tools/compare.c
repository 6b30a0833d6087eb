/*
 * compare.c - the figures that two groups of runs have in common, and their
 * ratios.
 */
#include "tools/compare.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "tools/classes.h"
#include "tools/compare_series.h"
#include "tools/figure.h"
#include "tools/members.h"

/* The name of the figure that sums up all kernels, or all figures of a test's
 * own. */
#define COMPARE_FIGURES_MEAN "geometric mean"

/* For percentiles: a run must have so many events above it. */
#define BEYOND_RUN 100.0

/* This includes the 100th, the largest value, above which there is none. */
static bool is_percentile(const struct figure *f)
{
  return f->kind == COMPARE_LATENCY && f->key;
}

/* High percentiles depend on a few events, which come in clusters. */
static bool has_tail(const struct group *g, const struct compare_series *s,
                     const struct figure *f)
{
  for (size_t i = 0; i < g->n; i++) {
    if (compare_events(g->runs[i], f) * f->beyond < BEYOND_RUN)
      return false;
    /* There are enough intervals, but each has too few of these events. */
    if (s->runs[i].n < BOOT_SAMPLES_MIN &&
        g->runs[i]->n_intervals > BOOT_SAMPLES_MIN && g->n < BOOT_RUNS_MIN)
      return false;
  }
  return true;
}

static bool stands_still(const struct boot_group *g)
{
  for (size_t i = 0; i < g->n; i++) {
    if (g->runs[i].value == 0)
      return true;
  }
  return false;
}

/* Ratios have logarithms, except this one: the throughput is 0. */
static bool compare_to_nothing(struct comparison *here,
                               const struct boot_group *base,
                               const struct boot_group *other)
{
  if (here->kind != COMPARE_THROUGHPUT || !stands_still(other) ||
      bootstrap_compare(&here->r, base, base) == BOOT_NOTHING)
    return false;
  here->r.other = here->r.ratio = here->r.low = here->r.high = 0;
  here->r.differs = true;
  return true;
}

/* Compare the two, or find the reason why not. */
static void compare_groups(struct comparison *here, const struct boot_group *a,
                           const struct boot_group *b)
{
  static const char *const reasons[] = {
    [BOOT_NOTHING] = "not comparable",
    [BOOT_TOO_FEW] = "too few intervals",
    [BOOT_DISTURBED] = "disturbed run",
    [BOOT_COMPARED] = NULL,
  };

  here->state = bootstrap_compare(&here->r, a, b);
  if (here->state == BOOT_NOTHING && compare_to_nothing(here, a, b))
    here->state = BOOT_COMPARED;
  here->reason = reasons[here->state];
  here->known = here->state == BOOT_COMPARED;
}

static void compare_add(struct comparisons *c, const char *name,
                        const struct figure *f)
{
  struct comparison *more = realloc(c->of, (c->n + 1) * sizeof(*more));
  struct compare_series base = { 0 }, other = { 0 };
  struct comparison *here;

  if (!more) {
    c->failed = true;
    return;
  }
  c->of = more;
  here = &c->of[c->n];
  *here = (struct comparison){ .name = mem_strdup(name),
                               .kind = f->kind,
                               .member = f->member };
  if (!here->name) {
    c->failed = true;
    return;
  }
  c->n++;
  if (!compare_series_init(&base, c->base, f) ||
      !compare_series_init(&other, c->other, f)) {
    c->failed = true;
  } else {
    const struct boot_group a = { base.runs, base.n };
    const struct boot_group b = { other.runs, other.n };

    if (is_percentile(f) &&
        !(has_tail(c->base, &base, f) && has_tail(c->other, &other, f)))
      here->reason = "too few events";
    else
      compare_groups(here, &a, &b);
  }
  compare_series_done(&base);
  compare_series_done(&other);
}

/* ---- the mean of several figures ---- */

/* Figures of kernels cannot be added up: a byte of one is not a step of
 * another. Ratios can be combined: the geometric mean does not depend on which
 * side is the base.  Its interval is that of kernels which are wrong by the
 * same share all at once, as they are if the machine was disturbed. */
/* Add one figure to the mean of `n`.  Of a time, less is better. */
static void mean_add(struct boot_result *mean, const struct comparison *one,
                     bool times, double n)
{
  const struct boot_result *r = &one->r;
  const bool turned = !times && !compare_is_rate(one->kind);

  mean->ratio += (turned ? -log(r->ratio) : log(r->ratio)) / n;
  mean->low += (turned ? -log(r->high) : log(r->low)) / n;
  mean->high += (turned ? -log(r->low) : log(r->high)) / n;
  mean->smallest += r->smallest / n;
  mean->within += r->within / n;
  mean->df = mean->df > 0 ? fmin(mean->df, r->df) : r->df;
  mean->runs = r->runs;
}

/* Of those from number `first` on; `times`: all of them are times. */
static struct boot_result mean_of(const struct comparisons *c, size_t first,
                                  bool times)
{
  struct boot_result mean = { .base = NAN, .other = NAN };

  for (size_t i = first; i < c->n; i++)
    mean_add(&mean, &c->of[i], times, (double)(c->n - first));
  mean.ratio = exp(mean.ratio);
  mean.low = exp(mean.low);
  mean.high = exp(mean.high);
  mean.differs = mean.low > 1 || mean.high < 1;
  return mean;
}

static void compare_add_mean(struct comparisons *c, size_t first)
{
  struct figure none = { COMPARE_THROUGHPUT, "", false, 0 };
  struct boot_result mean = { 0 };
  size_t unknown = c->n; /* compare_add() moves them */
  bool times = true;

  for (size_t i = first; i < c->n; i++) {
    times = times && c->of[i].kind == COMPARE_ACCESS;
    if (unknown == c->n && (!c->of[i].known || !(c->of[i].r.ratio > 0)))
      unknown = i;
  }
  if (times)
    none.kind = COMPARE_ACCESS;
  if (unknown == c->n)
    mean = mean_of(c, first, times);
  compare_add(c, COMPARE_FIGURES_MEAN, &none);
  if (c->failed)
    return;
  c->of[c->n - 1].known = unknown == c->n - 1;
  c->of[c->n - 1].r = mean;
  if (!c->of[c->n - 1].known) {
    c->of[c->n - 1].reason = c->of[unknown].reason;
    c->of[c->n - 1].state = c->of[unknown].state;
  }
}

static size_t compare_add_kernels(struct comparisons *c)
{
  const json_t *base = result_at(c->base->runs[0]->json, "totals.cpu_kernels");
  const json_t *other = result_at(c->other->runs[0]->json,
                                  "totals.cpu_kernels");
  const size_t first = c->n;
  const char *name;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)base, name, value)
  {
    if (json_object_get(other, name))
      compare_add(c, name,
                  &(struct figure){ .kind = COMPARE_THROUGHPUT, .key = name });
  }
  if (c->n == first || c->failed)
    return 0;
  compare_add_mean(c, first);
  return c->n - first;
}

/* ---- all figures of two groups ---- */

/* The name of the figure begins with that of the member, if it is one's. */
static void add_of(struct comparisons *c, const char *name,
                   const struct figure *f)
{
  struct strbuf full = { 0 };

  if (f->member)
    strbuf_addf(&full, "%s: ", f->member);
  strbuf_adds(&full, name);
  c->failed = c->failed || full.failed;
  compare_add(c, strbuf_str(&full), f);
  strbuf_done(&full);
}

/* Does the first run have this percentile? */
static bool has_percentile(const struct group *g, const char *key,
                           const char *member)
{
  const struct result *r = g->runs[0];

  return isfinite(member ? member_percentile(member_find(r->json, member), key)
                         : result_percentile(r, key));
}

/* The percentiles that both groups have, in ascending order. */
static void add_percentiles(struct comparisons *c, const char *member)
{
  const json_t *base = c->base->runs[0]->json;
  const json_t *have = member
                         ? result_at(member_find(base, member),
                                     "latency_ns.percentiles")
                         : result_at(base, "totals.latency_ns.percentiles");
  double last = 0;

  for (;;) {
    const char *key, *next = NULL;
    struct strbuf name = { 0 };
    double lowest = INFINITY;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)have, key, value)
    {
      double pct;

      if (parse_double(key, &pct) == 0 && pct > last && pct < lowest) {
        lowest = pct;
        next = key;
      }
    }
    if (!next)
      return;
    last = lowest;
    if (!has_percentile(c->other, next, member))
      continue;
    strbuf_addf(&name, "p%s", next);
    add_of(c, strbuf_str(&name),
           &(struct figure){ .kind = COMPARE_LATENCY,
                             .key = next,
                             .beyond = 1 - lowest / 100,
                             .member = member });
    strbuf_done(&name);
  }
}

/* The members that both mixes have: matched by their names. */
static void add_members(struct comparisons *c)
{
  const json_t *list = json_object_get(c->base->runs[0]->json, "members");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *name = result_text_at(json_array_get(list, i), "name");

    if (!name || !member_find(c->other->runs[0]->json, name))
      continue;
    add_of(c, "events/s",
           &(struct figure){ .kind = COMPARE_THROUGHPUT, .member = name });
    add_of(c, "mean",
           &(struct figure){ .kind = COMPARE_LATENCY, .member = name });
    add_percentiles(c, name);
  }
}

/* The classes that both groups have, in descending order of their time. */
static void add_classes(struct comparisons *c)
{
  const json_t *base = json_object_get(c->base->runs[0]->json, "classes");
  const json_t *other = json_object_get(c->other->runs[0]->json, "classes");
  struct class_rows rows;

  if (class_rows_init(&rows, base) < 0) {
    c->failed = true;
    return;
  }
  for (size_t i = 0; i < rows.n; i++) {
    const char *name = rows.of[i].name;
    const size_t before = c->n;

    if (name && compare_class_of(other, name))
      compare_add(c, name,
                  &(struct figure){ .kind = COMPARE_CLASS, .key = name });
    if (c->n > before)
      c->of[before].share = rows.of[i].share;
  }
  class_rows_done(&rows);
}

/* What the unit of a figure of the test's own says of it. */
static enum compare_kind kind_of(const json_t *figure)
{
  static const struct {
    const char *unit;
    enum compare_kind kind;
  } kinds[] = {
    { FIGURE_UNIT_BYTES, COMPARE_BANDWIDTH },
    { FIGURE_UNIT_RATE, COMPARE_WORK },
    { FIGURE_UNIT_RATIO, COMPARE_RATIO },
  };
  const char *unit = result_text_at(figure, "unit");

  for (size_t i = 0; unit && i < ARRAY_SIZE(kinds); i++) {
    if (strcmp(unit, kinds[i].unit) == 0)
      return kinds[i].kind;
  }
  return COMPARE_ACCESS;
}

/* The figures of the test's own that both have. */
static void add_own_figures(struct comparisons *c)
{
  const json_t *have = result_at(c->base->runs[0]->json, "test.figures");
  const char *name;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)have, name, value)
  {
    if (compare_own_figure(c->other->runs[0], name))
      compare_add(c, name,
                  &(struct figure){ .kind = kind_of(value), .key = name });
  }
}

/* What both runs know of their servers, and is not 0 in both. */
static void add_server_figures(struct comparisons *c)
{
  static const struct {
    const char *name, *key;
    enum compare_kind kind;
  } of[] = {
    { "server CPU/event", "cpu_ns", COMPARE_SERVER_CPU },
    { "log bytes/event", "log_bytes", COMPARE_SERVER },
    { "fsyncs/event", "fsyncs", COMPARE_SERVER },
    { "pages read/event", "pages_read", COMPARE_SERVER },
    { "pages written/event", "pages_written", COMPARE_SERVER },
  };

  for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
    if (compare_server_figure(c->base->runs[0], of[i].key) > 0 &&
        compare_server_figure(c->other->runs[0], of[i].key) > 0)
      compare_add(c, of[i].name,
                  &(struct figure){ .kind = of[i].kind, .key = of[i].key });
  }
}

static void add_usual_figures(struct comparisons *c)
{
  compare_add(c, "events/s", &(struct figure){ .kind = COMPARE_THROUGHPUT });
  if (isfinite(c->base->runs[0]->queries_per_s) &&
      isfinite(c->other->runs[0]->queries_per_s))
    compare_add(
      c, "queries/s",
      &(struct figure){ .kind = COMPARE_THROUGHPUT, .queries = true });
  compare_add(c, "mean", &(struct figure){ .kind = COMPARE_LATENCY });
  add_percentiles(c, NULL);
  add_members(c);
  compare_add(c, "client CPU/event", &(struct figure){ .kind = COMPARE_CPU });
  add_server_figures(c);
  /* A class there is a kernel, whose time its throughput has already. */
  if (compare_add_kernels(c) == 0)
    add_classes(c);
}

/* Tests of one name that measure different things; `key` is in the document,
 * `option` chooses among them. */
static int check_mode(const struct result *base, const struct result *other,
                      const char *key, const char *option, struct err *err)
{
  const char *a = result_text_at(base->json, key);
  const char *b = result_text_at(other->json, key);

  if (a == b || (a && b && strcmp(a, b) == 0))
    return 0;
  return err_set(err, -EINVAL,
                 "results of different tests: one is of %s%.40s, the other one "
                 "of %s%.40s",
                 option, a ? a : b, a && b ? option : "the test without it",
                 a && b ? b : "");
}

static int check_modes(const struct result *base, const struct result *other,
                       struct err *err)
{
  const int rc = check_mode(base, other, "test.memory_test",
                            "--memory-test=", err);

  return rc < 0 ? rc : check_mode(base, other, "test.cpu_test", "--cpu-", err);
}

int comparisons_init(struct comparisons *ret, const struct group *base,
                     const struct group *other, struct err *err)
{
  struct comparisons c = { .base = base, .other = other };

  if (strcmp(base->runs[0]->test, other->runs[0]->test) != 0)
    return err_set(err, -EINVAL,
                   "results of different tests: '%.200s' is of %.100s, "
                   "'%.200s' is of %.100s",
                   base->path, base->runs[0]->test, other->path,
                   other->runs[0]->test);
  if (check_modes(base->runs[0], other->runs[0], err) < 0)
    return -EINVAL;
  add_own_figures(&c);
  if (c.n == 0)
    add_usual_figures(&c);
  else if (c.n > 1)
    compare_add_mean(&c, 0);
  differences_find(&c);
  if (c.failed) {
    comparisons_done(&c);
    return err_set(err, -ENOMEM, "not enough memory for the comparison");
  }
  *ret = c;
  return 0;
}

/* ---- the figure that decides ---- */

/* Was the load of both the same, so that it fixes the throughput? */
static bool same_load(const struct group *a, const struct group *b)
{
  static const char rate[] = "options.rate.value";
  static const char profile[] = "options.load-profile.value";
  const char *own = result_text_at(a->runs[0]->json, profile);
  const char *other = result_text_at(b->runs[0]->json, profile);
  const double per_s = result_number_at(a->runs[0]->json, rate);

  if (own && *own)
    return other && strcmp(own, other) == 0;
  return per_s > 0 && per_s == result_number_at(b->runs[0]->json, rate);
}

static const struct comparison *find_comparison(const struct comparisons *c,
                                                enum compare_kind kind,
                                                const char *name)
{
  for (size_t i = 0; i < c->n; i++) {
    if (c->of[i].kind == kind && strcmp(c->of[i].name, name) == 0)
      return &c->of[i];
  }
  return NULL; /* not one of the fixed percentiles */
}

const struct comparison *comparisons_decisive(const struct comparisons *c)
{
  const struct comparison *throughput = find_comparison(c, COMPARE_THROUGHPUT,
                                                        "events/s");
  const struct comparison *mean = find_comparison(c, COMPARE_THROUGHPUT,
                                                  COMPARE_FIGURES_MEAN);

  if (!mean)
    mean = find_comparison(c, COMPARE_ACCESS, COMPARE_FIGURES_MEAN);
  if (mean)
    return mean;
  if (!throughput) /* the only figure of the test's own */
    return &c->of[0];
  if (throughput->r.ratio > 0 && same_load(c->base, c->other))
    return find_comparison(c, COMPARE_LATENCY, "mean");
  return throughput;
}

const char *comparisons_untold(const struct comparisons *c)
{
  for (size_t i = 0; i < c->n; i++) {
    if (c->of[i].known)
      return NULL;
  }
  return comparisons_decisive(c)->reason;
}

void comparisons_done(struct comparisons *c)
{
  if (!c)
    return;
  for (size_t i = 0; i < c->n; i++)
    free(c->of[i].name);
  free(c->of);
  for (size_t i = 0; i < c->n_differences; i++) {
    free(c->differences[i].what);
    free(c->differences[i].base);
    free(c->differences[i].other);
  }
  free(c->differences);
  *c = (struct comparisons){ 0 };
}
