/*
 * compare.c - the figures of two groups of runs, and their ratios.
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
#include "tools/compare_internal.h"
#include "tools/figure.h"
#include "tools/verdict.h"

/* For percentiles: an interval, or a run, must have so many events above it. */
#define BEYOND_INTERVAL 10.0
#define BEYOND_RUN 100.0
/* For percentiles without usable intervals: a group must have so many runs. */
#define RUNS_FOR_TAILS 3
/* The time that a run has waited for a processor, for reasons outside of it,
 * makes its figures uncertain by this share.  The factor for its slowest tenth
 * is larger, because it consists of events that had to wait. */
#define UNSTEADY_BY_WAITING 0.25
#define UNSTEADY_TAIL_BY_WAITING 1.5
#define TAIL 0.1

/* The figures of the runs of a group, with samples; all owned. */
struct series {
  struct boot_run *runs;
  double **samples; /* two arrays per run */
  size_t n;
};

static void series_done(struct series *s)
{
  for (size_t i = 0; s->samples && i < 2 * s->n; i++)
    free(s->samples[i]);
  free(s->samples);
  free(s->runs);
}

static const json_t *class_of(const json_t *list, const char *name)
{
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *class = json_array_get(list, i);
    const char *here = result_text_at(class, "name");

    if (here && strcmp(here, name) == 0)
      return class;
  }
  return NULL;
}

/* A figure that the test has named; NULL: there is none of that name. */
static const json_t *own_figure(const struct result *r, const char *name)
{
  return json_object_get(result_at(r->json, "test.figures"), name);
}

/* What a document, or an interval, says of a kernel of the cpu test. */
static const json_t *kernel_of(const json_t *json, const char *part,
                               const char *name)
{
  const json_t *report = part ? json_object_get(json, part) : json;

  return json_object_get(json_object_get(report, "cpu_kernels"), name);
}

/* Operations, and the time that was spent with them by all threads. */
static bool kernel_sample_of(const struct result_interval *i, const char *name,
                             double *ret_num, double *ret_den)
{
  const json_t *kernel = kernel_of(i->json, NULL, name);

  *ret_num = result_number_at(kernel, "operations");
  *ret_den = *ret_num / result_number_at(kernel, "operations_per_s");
  return *ret_num > 0 && *ret_den > 0;
}

/* What all servers together count per event; NAN: not known. */
static double server_figure(const struct result *r, const char *name)
{
  const json_t *list = json_object_get(r->json, "servers");
  double sum = NAN;

  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *of = json_object_get(json_array_get(list, i), "per_event");
    const double value = result_number_at(of, name);

    if (isfinite(value))
      sum = isfinite(sum) ? sum + value : value;
  }
  return sum;
}

static double value_of(const struct result *r, const struct figure *f)
{
  switch (f->kind) {
  case COMPARE_THROUGHPUT:
    if (f->key)
      return result_number_at(kernel_of(r->json, "totals", f->key),
                              "operations_per_s");
    return f->queries ? r->queries_per_s : r->events_per_s;
  case COMPARE_LATENCY:
    return f->key ? result_percentile(r, f->key) : r->mean_ns;
  case COMPARE_CPU:
    return r->cpu_per_event_ns;
  case COMPARE_SERVER_CPU:
  case COMPARE_SERVER:
    return server_figure(r, f->key);
  case COMPARE_CLASS:
    return result_number_at(
      class_of(json_object_get(r->json, "classes"), f->key), "latency_ns.mean");
  case COMPARE_BANDWIDTH:
  case COMPARE_ACCESS:
  case COMPARE_WORK:
  case COMPARE_RATIO:
    return result_number_at(own_figure(r, f->key), "value");
  }
  return NAN;
}

/* One interval as a sample; false: it has no meaning. */
static bool sample_of(const struct result_interval *i, const struct figure *f,
                      double *ret_num, double *ret_den)
{
  const json_t *class;
  double weight = i->events, value = NAN;

  switch (f->kind) {
  case COMPARE_THROUGHPUT:
    if (f->key)
      return kernel_sample_of(i, f->key, ret_num, ret_den);
    *ret_num = f->queries ? i->queries : i->events;
    *ret_den = i->period_s;
    return isfinite(*ret_num) && i->period_s > 0;
  case COMPARE_LATENCY:
    if (f->key && i->events * f->beyond < BEYOND_INTERVAL)
      return false;
    value = f->key ? result_interval_percentile(i, f->key) : i->mean_ns;
    break;
  case COMPARE_CPU:
  case COMPARE_SERVER_CPU:
  case COMPARE_SERVER:
  case COMPARE_BANDWIDTH:
  case COMPARE_ACCESS:
  case COMPARE_WORK:
  case COMPARE_RATIO:
    return false;
  case COMPARE_CLASS:
    class = class_of(json_object_get(i->json, "classes"), f->key);
    weight = result_number_at(class, "count");
    value = result_number_at(class, "latency_ns.mean");
    break;
  }
  if (!(weight > 0) || !isfinite(value))
    return false;
  *ret_num = value * weight;
  *ret_den = weight;
  return true;
}

/* The last interval may be too short to have a meaning. */
static bool is_scrap(const struct result *r, size_t i)
{
  return i > 0 && r->intervals[i].partial &&
         r->intervals[i].period_s < r->intervals[i - 1].period_s / 2;
}

/* How much the figure may have changed because the run waited for a processor,
 * apart from threads that waited for each other. */
static double unsteadiness(const struct result *r, const struct figure *f)
{
  const bool tail = f->beyond > 0 && f->beyond < TAIL * 1.001;
  const double by = tail ? UNSTEADY_TAIL_BY_WAITING : UNSTEADY_BY_WAITING;
  const double delay_s = result_number_at(r->json, "client.run_queue_delay_s");
  const double cpus = result_number_at(r->json, "client.cpus_allowed");
  double waited = delay_s / (r->threads * r->period_s);

  if (f->kind == COMPARE_ACCESS) /* samples that had to wait were dropped */
    return 0;
  if (cpus > 0 && r->threads > cpus)
    waited -= 1 - cpus / r->threads;
  if (!(waited > 0))
    return 0;
  /* The throughput has lost the logarithm of the time that remained. */
  return -by * log1p(-fmin(waited, 0.99));
}

static bool add_run(struct series *s, const struct result *r,
                    const struct figure *f)
{
  double *num = calloc(r->n_intervals + 1, sizeof(*num));
  double *den = calloc(r->n_intervals + 1, sizeof(*den));
  struct boot_run *run = &s->runs[s->n];

  s->samples[2 * s->n] = num;
  s->samples[2 * s->n + 1] = den;
  s->n++;
  if (!num || !den)
    return false;
  *run = (struct boot_run){ .value = value_of(r, f),
                            .unsteady = unsteadiness(r, f),
                            .num = num,
                            .den = den };
  for (size_t i = 0; i < r->n_intervals; i++) {
    if (!is_scrap(r, i) &&
        sample_of(&r->intervals[i], f, &num[run->n], &den[run->n]))
      run->n++;
  }
  return true;
}

static bool series_init(struct series *s, const struct group *g,
                        const struct figure *f)
{
  *s = (struct series){ 0 };
  s->runs = calloc(g->n + 1, sizeof(*s->runs));
  s->samples = calloc(2 * g->n + 1, sizeof(*s->samples));
  if (!s->runs || !s->samples)
    return false;
  for (size_t i = 0; i < g->n; i++) {
    if (!add_run(s, g->runs[i], f))
      return false;
  }
  return true;
}

/* This includes the 100th, the largest value, above which there is none. */
static bool is_percentile(const struct figure *f)
{
  return f->kind == COMPARE_LATENCY && f->key;
}

/* High percentiles depend on a few events, which come in clusters. */
static bool has_tail(const struct group *g, const struct series *s,
                     const struct figure *f)
{
  for (size_t i = 0; i < g->n; i++) {
    if (g->runs[i]->events * f->beyond < BEYOND_RUN)
      return false;
    /* There are enough intervals, but each has too few of these events. */
    if (s->runs[i].n < 4 && g->runs[i]->n_intervals > 4 &&
        g->n < RUNS_FOR_TAILS)
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
      !bootstrap_compare(&here->r, base, base))
    return false;
  here->r.other = here->r.ratio = here->r.low = here->r.high = 0;
  here->r.differs = true;
  return true;
}

void compare_add(struct comparisons *c, const char *name,
                 const struct figure *f)
{
  struct comparison *more = realloc(c->of, (c->n + 1) * sizeof(*more));
  struct series base = { 0 }, other = { 0 };
  struct comparison *here;

  if (!more) {
    c->failed = true;
    return;
  }
  c->of = more;
  here = &c->of[c->n];
  *here = (struct comparison){ .name = mem_strdup(name), .kind = f->kind };
  if (!here->name) {
    c->failed = true;
    return;
  }
  c->n++;
  if (!series_init(&base, c->base, f) || !series_init(&other, c->other, f)) {
    c->failed = true;
  } else {
    const struct boot_group a = { base.runs, base.n };
    const struct boot_group b = { other.runs, other.n };

    here->too_few = is_percentile(f) && !(has_tail(c->base, &base, f) &&
                                          has_tail(c->other, &other, f));
    here->known = !here->too_few && (bootstrap_compare(&here->r, &a, &b) ||
                                     compare_to_nothing(here, &a, &b));
  }
  series_done(&base);
  series_done(&other);
}

/* The percentiles that both groups have, in ascending order. */
static void add_percentiles(struct comparisons *c)
{
  const json_t *have = result_at(c->base->runs[0]->json,
                                 "totals.latency_ns.percentiles");
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
    if (!isfinite(result_percentile(c->other->runs[0], next)))
      continue;
    strbuf_addf(&name, "p%s", next);
    compare_add(
      c, strbuf_str(&name),
      &(struct figure){ COMPARE_LATENCY, next, false, 1 - lowest / 100 });
    strbuf_done(&name);
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

    if (name && class_of(other, name))
      compare_add(c, name, &(struct figure){ COMPARE_CLASS, name, false, 0 });
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
    if (own_figure(c->other->runs[0], name))
      compare_add(c, name, &(struct figure){ kind_of(value), name, false, 0 });
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
    if (server_figure(c->base->runs[0], of[i].key) > 0 &&
        server_figure(c->other->runs[0], of[i].key) > 0)
      compare_add(c, of[i].name,
                  &(struct figure){ of[i].kind, of[i].key, false, 0 });
  }
}

static void add_usual_figures(struct comparisons *c)
{
  compare_add(c, "events/s",
              &(struct figure){ COMPARE_THROUGHPUT, NULL, false, 0 });
  if (isfinite(c->base->runs[0]->queries_per_s) &&
      isfinite(c->other->runs[0]->queries_per_s))
    compare_add(c, "queries/s",
                &(struct figure){ COMPARE_THROUGHPUT, NULL, true, 0 });
  compare_add(c, "mean", &(struct figure){ COMPARE_LATENCY, NULL, false, 0 });
  add_percentiles(c);
  compare_add(c, "client CPU/event",
              &(struct figure){ COMPARE_CPU, NULL, false, 0 });
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
  differences_find(&c);
  if (c.failed) {
    comparisons_done(&c);
    return err_set(err, -ENOMEM, "not enough memory for the comparison");
  }
  *ret = c;
  return 0;
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

static const struct comparison *find(const struct comparisons *c,
                                     enum compare_kind kind, const char *name)
{
  for (size_t i = 0; i < c->n; i++) {
    if (c->of[i].kind == kind && strcmp(c->of[i].name, name) == 0)
      return &c->of[i];
  }
  return NULL; /* not one of the fixed percentiles */
}

/* Of the test's own: the one that may have become worse by most. */
static const struct comparison *worst(const struct comparisons *c)
{
  const struct comparison *worst = &c->of[0];

  for (size_t i = 1; i < c->n; i++) {
    const struct comparison *one = &c->of[i];

    if (one->known &&
        (!worst->known || verdict_unnoticed(one) > verdict_unnoticed(worst)))
      worst = one;
  }
  return worst;
}

const struct comparison *comparisons_decisive(const struct comparisons *c)
{
  const struct comparison *throughput = find(c, COMPARE_THROUGHPUT, "events/s");
  const struct comparison *kernels = find(c, COMPARE_THROUGHPUT,
                                          COMPARE_KERNELS_MEAN);

  if (kernels)
    return kernels;
  if (!throughput)
    return worst(c);
  if (throughput->r.ratio > 0 && same_load(c->base, c->other))
    return find(c, COMPARE_LATENCY, "mean");
  return throughput;
}
