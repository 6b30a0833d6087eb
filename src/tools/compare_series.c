/*
 * compare_series.c - a figure of each run of a group.
 */
#include "tools/compare_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/figure.h"
#include "tools/members.h"

/* For percentiles: an interval must have so many events above it. */
#define BEYOND_INTERVAL 10.0
/* The time that a run has waited for a processor, for reasons outside of it,
 * makes its figures uncertain by this share.  The factor for its slowest tenth
 * is larger, because it consists of events that had to wait. */
#define UNSTEADY_BY_WAITING 0.25
#define UNSTEADY_TAIL_BY_WAITING 1.5
#define TAIL 0.1

void compare_series_done(struct compare_series *s)
{
  for (size_t i = 0; s->samples && i < 2 * s->n; i++)
    free(s->samples[i]);
  free(s->samples);
  free(s->runs);
}

const json_t *compare_class_of(const json_t *list, const char *name)
{
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *class = json_array_get(list, i);
    const char *here = result_text_at(class, "name");

    if (here && strcmp(here, name) == 0)
      return class;
  }
  return NULL;
}

const json_t *compare_own_figure(const struct result *r, const char *name)
{
  return json_object_get(result_at(r->json, "test.figures"), name);
}

double compare_server_figure(const struct result *r, const char *name)
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

/* A figure of a member of a mix: throughput or latency. */
static double member_value(const json_t *json, const struct figure *f)
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

static bool member_sample_of(const struct result_interval *i,
                             const struct figure *f, double *ret_num,
                             double *ret_den)
{
  const double events = result_number_at(member_find(i->json, f->member),
                                         "events");
  const double value = member_value(i->json, f);

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

double compare_events(const struct result *r, const struct figure *f)
{
  return f->member ? result_number_at(member_find(r->json, f->member), "events")
                   : r->events;
}

static double value_of(const struct result *r, const struct figure *f)
{
  if (f->member)
    return member_value(r->json, f);
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
    return compare_server_figure(r, f->key);
  case COMPARE_CLASS:
    return result_number_at(
      compare_class_of(json_object_get(r->json, "classes"), f->key),
      "latency_ns.mean");
  case COMPARE_BANDWIDTH:
  case COMPARE_ACCESS:
  case COMPARE_WORK:
  case COMPARE_RATIO:
    return result_number_at(compare_own_figure(r, f->key), "value");
  }
  return NAN;
}

/* One interval as a sample; false: it has no meaning. */
static bool sample_of(const struct result_interval *i, const struct figure *f,
                      double *ret_num, double *ret_den)
{
  const json_t *class;
  double weight = i->events, value = NAN;

  if (f->member)
    return member_sample_of(i, f, ret_num, ret_den);
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
    class = compare_class_of(json_object_get(i->json, "classes"), f->key);
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
static bool is_scrap(const struct result_interval *list, size_t i)
{
  return i > 0 && list[i].partial &&
         list[i].period_s < list[i - 1].period_s / 2;
}

/* The share of processor time that others have taken from the run.  Threads of
 * the run have waited for others no longer than they have waited at all, and
 * no longer than others have worked. */
static double time_lost(const struct result *r)
{
  const double delay_s = result_number_at(r->json, "client.run_queue_delay_s");
  const double servers = result_number_at(r->json, "client.local_servers_cpus");
  const double steal = result_number_at(r->json, "client.steal_cpus");
  const double cpus = result_number_at(r->json, "client.cpus_allowed");
  double others = result_number_at(r->json, "client.other_programs_cpus");
  double lost = delay_s / r->period_s;

  if (isfinite(others) && r->cpus_used > 0) {
    others = fmax(0, others - (isfinite(servers) ? servers : 0));
    lost = isfinite(lost) ? fmin(lost, others) : others;
    lost += isfinite(steal) ? steal : 0;
    return lost / (r->cpus_used + lost);
  }
  /* Threads that waited for each other cannot be told apart any better. */
  lost /= r->threads;
  return cpus > 0 && r->threads > cpus ? lost - (1 - cpus / r->threads) : lost;
}

/* How much the figure may have changed because the run waited for a processor,
 * apart from threads that waited for each other. */
static double unsteadiness(const struct result *r, const struct figure *f)
{
  const bool tail = f->beyond > 0 && f->beyond < TAIL * 1.001;
  const double by = tail ? UNSTEADY_TAIL_BY_WAITING : UNSTEADY_BY_WAITING;
  const double lost = time_lost(r);

  if (f->kind == COMPARE_ACCESS) /* samples that had to wait were dropped */
    return 0;
  if (!(lost > 0))
    return 0;
  /* The throughput has lost the logarithm of the time that remained. */
  return -by * log1p(-fmin(lost, 0.99));
}

/* Slices have the totals alone.  They are used if there are more of them than
 * of intervals, which may be long. */
static bool has_slices(const struct result *r, const struct figure *f)
{
  return !f->key && !f->member && r->n_slices > r->n_intervals &&
         (f->kind == COMPARE_THROUGHPUT || f->kind == COMPARE_LATENCY);
}

static bool add_run(struct compare_series *s, const struct result *r,
                    const struct figure *f)
{
  const bool slices = has_slices(r, f);
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
  *run = (struct boot_run){ .value = value_of(r, f),
                            .unsteady = unsteadiness(r, f),
                            .num = num,
                            .den = den };
  for (size_t i = 0; i < n; i++) {
    if (!is_scrap(list, i) &&
        sample_of(&list[i], f, &num[run->n], &den[run->n]))
      run->n++;
  }
  return true;
}

bool compare_series_init(struct compare_series *s, const struct group *g,
                         const struct figure *f)
{
  *s = (struct compare_series){ 0 };
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
