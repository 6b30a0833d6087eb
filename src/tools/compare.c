#include "tools/compare.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "opt/suggest.h"
#include "results/options.h"
#include "tools/bootstrap.h"
#include "tools/classes.h"
#include "tools/figure.h"
#include "tools/members.h"
#include "tools/sweep_opts.h"

struct figure {
  enum compare_kind kind;
  /* LATENCY: a percentile; NULL: the mean.  CLASS: its name.  THROUGHPUT: a
   * kernel; NULL: events, or queries. */
  const char *key;
  bool queries;
  double beyond;      /* percentiles: share of events above */
  const char *member; /* [opt] a member of a mix */
};

struct group;
struct result;

/* Runs of a group, with samples; all owned. */
struct compare_series {
  struct boot_run *runs;
  double **samples; /* two arrays per run */
  size_t n;
};

enum {
  DEPTH_MAX = 8,
};

/* Facts that change from moment to moment. */
static const char *const ignored_facts[] = {
  "available_bytes", "data_bytes", /* runs write */
  "free_bytes",      "reading_ns", "round_trip_ns",
};

/* Of one part only. */
static const char *const part_places[] = { "file",          "file-dir",
                                           "mysql-db",      "pgsql-db",
                                           "pgsql-options", "sqlite-db" };

static bool differences_is_among(const char *const *list, size_t n,
                                 const char *name)
{
  for (size_t i = 0; i < n; i++) {
    if (strcmp(list[i], name) == 0)
      return true;
  }
  return false;
}

static bool differences_is_place(const struct comparisons *c, const char *name)
{
  return json_object_get(c->base->values, "part") &&
         differences_is_among(part_places, ARRAY_SIZE(part_places), name);
}

static bool differences_is_fact(const struct comparisons *c, const char *name)
{
  return !differences_is_place(c, name) &&
         !differences_is_among(ignored_facts, ARRAY_SIZE(ignored_facts), name);
}

static char *differences_text_of(const json_t *value)
{
  if (!value)
    return mem_strdup("nothing");
  if (json_is_string(value))
    return mem_strdup(json_string_value(value));
  return json_dumps(value,
                    JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
}

static void differences_add(struct comparisons *c, const char *what,
                            const json_t *base, const json_t *other)
{
  struct difference *more = realloc(c->differences,
                                    (c->n_differences + 1) * sizeof(*more));
  struct difference *d;

  if (!more) {
    c->failed = true;
    return;
  }
  c->differences = more;
  d = &c->differences[c->n_differences++];
  d->what = mem_strdup(what);
  d->base = differences_text_of(base);
  d->other = differences_text_of(other);
  if (!d->what || !d->base || !d->other)
    c->failed = true;
}

static void differences_compare_value(struct comparisons *c, const char *what,
                                      const json_t *a, const json_t *b,
                                      int depth);

static void differences_compare_objects(struct comparisons *c, const char *what,
                                        const json_t *a, const json_t *b,
                                        int depth)
{
  struct strbuf name = { 0 };
  const char *key;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)a, key, value)
  {
    strbuf_clear(&name);
    strbuf_addf(&name, "%s %s", what, key);
    if (differences_is_fact(c, key))
      differences_compare_value(c, strbuf_str(&name), value,
                                json_object_get(b, key), depth);
  }
  json_object_foreach((json_t *)(uintptr_t)b, key, value)
  {
    strbuf_clear(&name);
    strbuf_addf(&name, "%s %s", what, key);
    if (!json_object_get(a, key) && differences_is_fact(c, key))
      differences_compare_value(c, strbuf_str(&name), NULL, value, depth);
  }
  strbuf_done(&name);
}

static void differences_compare_value(struct comparisons *c, const char *what,
                                      const json_t *a, const json_t *b,
                                      int depth)
{
  if (a == b || (a && b && json_equal(a, b)))
    return;
  if (depth < DEPTH_MAX && json_is_object(a) && json_is_object(b))
    differences_compare_objects(c, what, a, b, depth + 1);
  else
    differences_add(c, what, a, b);
}

/* Options that only direct results or sweeps. */
static bool differences_is_ignored(const struct comparisons *c,
                                   const char *option)
{
  return differences_is_place(c, option) ||
         opt_rows_have(results_opts, option) ||
         opt_rows_have(sweep_opts, option) || strcmp(option, "test") == 0 ||
         strcmp(option, "label") == 0 || strcmp(option, "config-file") == 0;
}

static void differences_compare_option(struct comparisons *c, const char *name,
                                       const json_t *a, const json_t *b)
{
  struct strbuf what = { 0 };

  a = json_object_get(a, "value");
  b = json_object_get(b, "value");
  if (a == b || (a && b && json_equal(a, b)) || differences_is_ignored(c, name))
    return;
  strbuf_addf(&what, "option %s", name);
  differences_add(c, strbuf_str(&what), a, b);
  strbuf_done(&what);
}

static void differences_compare_options(struct comparisons *c, const json_t *a,
                                        const json_t *b)
{
  const char *name;
  json_t *option;

  json_object_foreach((json_t *)(uintptr_t)a, name, option)
  {
    differences_compare_option(c, name, option, json_object_get(b, name));
  }
  json_object_foreach((json_t *)(uintptr_t)b, name, option)
  {
    if (!json_object_get(a, name))
      differences_compare_option(c, name, NULL, option);
  }
}

/* A run that was cut short has other figures. */
static void differences_compare_ends(struct comparisons *c, const json_t *a,
                                     const json_t *b)
{
  a = result_at(a, "run.end_reason");
  b = result_at(b, "run.end_reason");
  if (a && b && !json_equal(a, b))
    differences_add(c, "end of the run", a, b);
}

static void differences_find(struct comparisons *c)
{
  const json_t *a = c->base->runs[0]->json, *b = c->other->runs[0]->json;
  static const char *const parts[] = { "tool", "environment", "database" };

  differences_compare_options(c, json_object_get(a, "options"),
                              json_object_get(b, "options"));
  for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
    differences_compare_value(c, parts[i], json_object_get(a, parts[i]),
                              json_object_get(b, parts[i]), 0);
  differences_compare_ends(c, a, b);
}

/* ---- a figure of each run ---- */

/* Events that an interval must have above its percentile. */
#define BEYOND_INTERVAL 10.0
/* Waiting for a CPU, for reasons outside of the run, makes figures uncertain
 * by this share of the lost time; the slowest tenth by more. */
#define UNSTEADY_BY_WAITING 0.25
#define UNSTEADY_TAIL_BY_WAITING 1.5
#define TAIL 0.1

static void compare_series_done(struct compare_series *s)
{
  for (size_t i = 0; s->samples && i < 2 * s->n; i++)
    free(s->samples[i]);
  free(s->samples);
  free(s->runs);
}

static const json_t *compare_own_figure(const struct result *r,
                                        const char *name)
{
  return json_object_get(result_at(r->json, "test.figures"), name);
}

/* All servers together; NAN: not known. */
static double compare_server_figure(const struct result *r, const char *name)
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

/* In a document (`part` "totals") or an interval (NULL). */
static const json_t *
compare_series_kernel_of(const json_t *json, const char *part, const char *name)
{
  const json_t *report = part ? json_object_get(json, part) : json;

  return json_object_get(json_object_get(report, "cpu_kernels"), name);
}

/* Operations, and the time of all threads for them. */
static bool compare_series_kernel_sample_of(const struct result_interval *i,
                                            const char *name, double *ret_num,
                                            double *ret_den)
{
  const json_t *kernel = compare_series_kernel_of(i->json, NULL, name);

  *ret_num = result_number_at(kernel, "operations");
  *ret_den = *ret_num / result_number_at(kernel, "operations_per_s");
  return *ret_num > 0 && *ret_den > 0;
}

static double compare_series_member_value(const json_t *json,
                                          const struct figure *f)
{
  const json_t *member = member_find(json, f->member);

  if (f->kind == COMPARE_THROUGHPUT)
    return result_number_at(member, "events_per_s");
  if (f->key)
    return member_percentile(member, f->key);
  return result_number_at(member, "events") > 0
           ? result_number_at(member, "latency_ns.mean")
           : NAN;
}

static bool compare_series_member_sample_of(const struct result_interval *i,
                                            const struct figure *f,
                                            double *ret_num, double *ret_den)
{
  const double events = result_number_at(member_find(i->json, f->member),
                                         "events");
  const double value = compare_series_member_value(i->json, f);

  if (f->kind == COMPARE_THROUGHPUT) {
    *ret_num = events;
    *ret_den = i->period_s;
    return isfinite(events) && i->period_s > 0;
  }
  if (f->key && events * f->beyond < BEYOND_INTERVAL)
    return false;
  *ret_num = value * events;
  *ret_den = events;
  return events > 0 && isfinite(value);
}

static double compare_events(const struct result *r, const struct figure *f)
{
  return f->member ? result_number_at(member_find(r->json, f->member), "events")
                   : r->events;
}

static double compare_series_value_of(const struct result *r,
                                      const struct figure *f)
{
  if (f->member)
    return compare_series_member_value(r->json, f);
  switch (f->kind) {
  case COMPARE_THROUGHPUT:
    if (f->key)
      return result_number_at(
        compare_series_kernel_of(r->json, "totals", f->key),
        "operations_per_s");
    return f->queries ? r->queries_per_s : r->events_per_s;
  case COMPARE_LATENCY:
    return f->key ? result_percentile(r, f->key) : r->mean_ns;
  case COMPARE_CPU:
    return r->cpu_per_event_ns;
  case COMPARE_SERVER_CPU:
  case COMPARE_SERVER:
    return compare_server_figure(r, f->key);
  case COMPARE_CLASS:
    return result_number_at(
      result_named(json_object_get(r->json, "classes"), f->key),
      "latency_ns.mean");
  case COMPARE_BANDWIDTH:
  case COMPARE_ACCESS:
  case COMPARE_WORK:
  case COMPARE_RATIO:
    return result_number_at(compare_own_figure(r, f->key), "value");
  }
  return NAN;
}

/* False: the interval has no sample. */
static bool compare_series_sample_of(const struct result_interval *i,
                                     const struct figure *f, double *ret_num,
                                     double *ret_den)
{
  const json_t *class;
  double weight = i->events, value = NAN;

  if (f->member)
    return compare_series_member_sample_of(i, f, ret_num, ret_den);
  switch (f->kind) {
  case COMPARE_THROUGHPUT:
    if (f->key)
      return compare_series_kernel_sample_of(i, f->key, ret_num, ret_den);
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
    class = result_named(json_object_get(i->json, "classes"), f->key);
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

static bool compare_series_is_scrap(const struct result_interval *list,
                                    size_t i)
{
  return i > 0 && list[i].partial &&
         list[i].period_s < list[i - 1].period_s / 2;
}

/* CPU time that others took: no more than the run's threads waited, and no more
 * than others worked. */
static struct compare_loss compare_loss_of(const struct result *r)
{
  const double delay_s = result_number_at(r->json, "client.run_queue_delay_s");
  const double servers = result_number_at(r->json, "client.local_servers_cpus");
  const double steal = result_number_at(r->json, "client.steal_cpus");
  const double cpus = result_number_at(r->json, "client.cpus_allowed");
  double others = result_number_at(r->json, "client.other_programs_cpus");
  struct compare_loss loss = { .how = "waiting for a CPU",
                               .remedy = "stop the other programs" };
  double lost = delay_s / r->period_s;

  if (isfinite(others) && r->cpus_used > 0) {
    others = fmax(0, others - (isfinite(servers) ? servers : 0));
    lost = isfinite(lost) ? fmin(lost, others) : others;
    loss.how = "to other programs";
    if (steal > lost) {
      loss.how = "to the hypervisor";
      loss.remedy = "use a virtual machine with CPUs of its own";
    }
    lost += isfinite(steal) ? steal : 0;
    loss.share = lost / (r->cpus_used + lost);
    return loss;
  }
  /* Includes waits of threads for each other. */
  lost /= r->threads;
  loss.share = cpus > 0 && r->threads > cpus ? lost - (1 - cpus / r->threads)
                                             : lost;
  return loss;
}

struct compare_loss comparisons_loss(const struct comparisons *c)
{
  const struct group *const groups[] = { c->base, c->other };
  struct compare_loss most = { .share = 0 };

  for (size_t k = 0; k < ARRAY_SIZE(groups); k++) {
    for (size_t i = 0; i < groups[k]->n; i++) {
      struct compare_loss one = compare_loss_of(groups[k]->runs[i]);

      one.path = groups[k]->path;
      if (one.share > most.share)
        most = one;
    }
  }
  return most;
}

static double compare_series_unsteadiness(const struct result *r,
                                          const struct figure *f)
{
  const bool tail = f->beyond > 0 && f->beyond < TAIL * 1.001;
  const double by = tail ? UNSTEADY_TAIL_BY_WAITING : UNSTEADY_BY_WAITING;
  const double lost = compare_loss_of(r).share;

  if (f->kind == COMPARE_ACCESS) /* samples that had to wait were dropped */
    return 0;
  if (!(lost > 0))
    return 0;
  return -by * log1p(-fmin(lost, 0.99));
}

/* Slices have only the totals.  They are used if they outnumber intervals. */
static bool compare_series_has_slices(const struct result *r,
                                      const struct figure *f)
{
  return !f->key && !f->member && r->n_slices > r->n_intervals &&
         (f->kind == COMPARE_THROUGHPUT || f->kind == COMPARE_LATENCY);
}

static bool compare_series_add_run(struct compare_series *s,
                                   const struct result *r,
                                   const struct figure *f)
{
  const bool slices = compare_series_has_slices(r, f);
  const struct result_interval *list = slices ? r->slices : r->intervals;
  const size_t n = slices ? r->n_slices : r->n_intervals;
  double *num = calloc(n + 1, sizeof(*num));
  double *den = calloc(n + 1, sizeof(*den));
  struct boot_run *run = &s->runs[s->n];

  s->samples[2 * s->n] = num;
  s->samples[2 * s->n + 1] = den;
  s->n++;
  if (!num || !den)
    return false;
  *run = (struct boot_run){ .value = compare_series_value_of(r, f),
                            .unsteady = compare_series_unsteadiness(r, f),
                            .num = num,
                            .den = den };
  for (size_t i = 0; i < n; i++) {
    if (!compare_series_is_scrap(list, i) &&
        compare_series_sample_of(&list[i], f, &num[run->n], &den[run->n]))
      run->n++;
  }
  return true;
}

static bool compare_series_init(struct compare_series *s, const struct group *g,
                                const struct figure *f)
{
  *s = (struct compare_series){ 0 };
  s->runs = calloc(g->n + 1, sizeof(*s->runs));
  s->samples = calloc(2 * g->n + 1, sizeof(*s->samples));
  if (!s->runs || !s->samples)
    return false;
  for (size_t i = 0; i < g->n; i++) {
    if (!compare_series_add_run(s, g->runs[i], f))
      return false;
  }
  return true;
}

/* ---- one figure ---- */

#define COMPARE_FIGURES_MEAN "geometric mean"

/* The same for a run. */
#define BEYOND_RUN 100.0

/* Includes the 100th, the largest value. */
static bool compare_is_percentile(const struct figure *f)
{
  return f->kind == COMPARE_LATENCY && f->key;
}

/* High percentiles depend on a few events, which come in clusters. */
static bool compare_has_tail(const struct group *g,
                             const struct compare_series *s,
                             const struct figure *f)
{
  for (size_t i = 0; i < g->n; i++) {
    if (compare_events(g->runs[i], f) * f->beyond < BEYOND_RUN)
      return false;
    /* Enough intervals, each with too few such events. */
    if (s->runs[i].n < BOOT_SAMPLES_MIN &&
        g->runs[i]->n_intervals > BOOT_SAMPLES_MIN && g->n < BOOT_RUNS_MIN)
      return false;
  }
  return true;
}

static bool compare_stands_still(const struct boot_group *g)
{
  for (size_t i = 0; i < g->n; i++) {
    if (g->runs[i].value == 0)
      return true;
  }
  return false;
}

/* A throughput of 0 has no logarithm. */
static bool compare_to_nothing(struct comparison *here,
                               const struct boot_group *base,
                               const struct boot_group *other)
{
  if (here->kind != COMPARE_THROUGHPUT || !compare_stands_still(other) ||
      bootstrap_compare(&here->r, base, base) == BOOT_NOTHING)
    return false;
  here->r.other = here->r.ratio = here->r.low = here->r.high = 0;
  here->r.differs = true;
  return true;
}

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

    if (compare_is_percentile(f) && !(compare_has_tail(c->base, &base, f) &&
                                      compare_has_tail(c->other, &other, f)))
      here->reason = "too few events";
    else
      compare_groups(here, &a, &b);
  }
  compare_series_done(&base);
  compare_series_done(&other);
}

/* ---- the mean of several figures ---- */

/*
 * Kernels cannot be added up, but their ratios have a geometric mean, which
 * does not depend on the side that is the base. The interval assumes that all
 * deviate by the same share, as on a disturbed machine.
 */
/* Times are turned into rates unless all figures are times. */
static void compare_mean_add(struct boot_result *mean,
                             const struct comparison *one, bool times, double n)
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

static struct boot_result compare_mean_of(const struct comparisons *c,
                                          size_t first, bool times)
{
  struct boot_result mean = { .base = NAN, .other = NAN };

  for (size_t i = first; i < c->n; i++)
    compare_mean_add(&mean, &c->of[i], times, (double)(c->n - first));
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
  size_t unknown = c->n; /* compare_add() can move the list */
  bool times = true;

  for (size_t i = first; i < c->n; i++) {
    times = times && c->of[i].kind == COMPARE_ACCESS;
    if (unknown == c->n && (!c->of[i].known || !(c->of[i].r.ratio > 0)))
      unknown = i;
  }
  if (times)
    none.kind = COMPARE_ACCESS;
  if (unknown == c->n)
    mean = compare_mean_of(c, first, times);
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

static void compare_add_of(struct comparisons *c, const char *name,
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

static bool compare_has_percentile(const struct group *g, const char *key,
                                   const char *member)
{
  const struct result *r = g->runs[0];

  return isfinite(member ? member_percentile(member_find(r->json, member), key)
                         : result_percentile(r, key));
}

/* Percentiles of both groups, ascending. */
static void compare_add_percentiles(struct comparisons *c, const char *member)
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
    if (!compare_has_percentile(c->other, next, member))
      continue;
    strbuf_addf(&name, "p%s", next);
    compare_add_of(c, strbuf_str(&name),
                   &(struct figure){ .kind = COMPARE_LATENCY,
                                     .key = next,
                                     .beyond = 1 - lowest / 100,
                                     .member = member });
    strbuf_done(&name);
  }
}

static void compare_add_members(struct comparisons *c)
{
  const json_t *list = json_object_get(c->base->runs[0]->json, "members");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *name = result_text_at(json_array_get(list, i), "name");

    if (!name || !member_find(c->other->runs[0]->json, name))
      continue;
    compare_add_of(
      c, "events/s",
      &(struct figure){ .kind = COMPARE_THROUGHPUT, .member = name });
    compare_add_of(c, "mean",
                   &(struct figure){ .kind = COMPARE_LATENCY, .member = name });
    compare_add_percentiles(c, name);
  }
}

static void compare_add_classes(struct comparisons *c)
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

    if (name && result_named(other, name))
      compare_add(c, name,
                  &(struct figure){ .kind = COMPARE_CLASS, .key = name });
    if (c->n > before)
      c->of[before].share = rows.of[i].share;
  }
  class_rows_done(&rows);
}

static enum compare_kind compare_kind_of(const json_t *figure)
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

static void compare_add_own_figures(struct comparisons *c)
{
  const json_t *have = result_at(c->base->runs[0]->json, "test.figures");
  const char *name;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)have, name, value)
  {
    if (compare_own_figure(c->other->runs[0], name))
      compare_add(
        c, name,
        &(struct figure){ .kind = compare_kind_of(value), .key = name });
  }
}

/* Counters that are above 0 in both. */
static void compare_add_server_figures(struct comparisons *c)
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

static void compare_add_usual_figures(struct comparisons *c)
{
  compare_add(c, "events/s", &(struct figure){ .kind = COMPARE_THROUGHPUT });
  if (isfinite(c->base->runs[0]->queries_per_s) &&
      isfinite(c->other->runs[0]->queries_per_s))
    compare_add(
      c, "queries/s",
      &(struct figure){ .kind = COMPARE_THROUGHPUT, .queries = true });
  compare_add(c, "mean", &(struct figure){ .kind = COMPARE_LATENCY });
  compare_add_percentiles(c, NULL);
  compare_add_members(c);
  compare_add(c, "client CPU/event", &(struct figure){ .kind = COMPARE_CPU });
  compare_add_server_figures(c);
  /* Classes of the cpu test are kernels. */
  if (compare_add_kernels(c) == 0)
    compare_add_classes(c);
}

/* `key`: in the document; `option` chooses the mode. */
static int compare_check_mode(const struct result *base,
                              const struct result *other, const char *key,
                              const char *option, struct err *err)
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

static int compare_check_modes(const struct result *base,
                               const struct result *other, struct err *err)
{
  const int rc = compare_check_mode(base, other, "test.memory_test",
                                    "--memory-test=", err);

  return rc < 0
           ? rc
           : compare_check_mode(base, other, "test.cpu_test", "--cpu-", err);
}

/* A file can be elsewhere now. */
static const char *compare_test_name(const struct group *g)
{
  const char *test = g->runs[0]->test, *slash = strrchr(test, '/');

  return slash ? slash + 1 : test;
}

int comparisons_init(struct comparisons *ret, const struct group *base,
                     const struct group *other, struct err *err)
{
  struct comparisons c = { .base = base, .other = other };

  if (strcmp(compare_test_name(base), compare_test_name(other)) != 0)
    return err_set(err, -EINVAL,
                   "results of different tests: '%.200s' is of %.100s, "
                   "'%.200s' is of %.100s",
                   base->path, base->runs[0]->test, other->path,
                   other->runs[0]->test);
  if (compare_check_modes(base->runs[0], other->runs[0], err) < 0)
    return -EINVAL;
  compare_add_own_figures(&c);
  if (c.n == 0)
    compare_add_usual_figures(&c);
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

/* A rate or profile that both had fixes the throughput. */
static bool compare_same_load(const struct group *a, const struct group *b)
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

static const struct comparison *
compare_find_comparison(const struct comparisons *c, enum compare_kind kind,
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
  const struct comparison *throughput = compare_find_comparison(
    c, COMPARE_THROUGHPUT, "events/s");
  const struct comparison *mean = compare_find_comparison(c, COMPARE_THROUGHPUT,
                                                          COMPARE_FIGURES_MEAN);

  if (!mean)
    mean = compare_find_comparison(c, COMPARE_ACCESS, COMPARE_FIGURES_MEAN);
  if (mean)
    return mean;
  if (!throughput) /* the only figure of the test's own */
    return &c->of[0];
  if (throughput->r.ratio > 0 && compare_same_load(c->base, c->other))
    return compare_find_comparison(c, COMPARE_LATENCY, "mean");
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
