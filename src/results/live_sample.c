/*
 * live_sample.c - what a run has done since the last look.
 */
#include "results/live_sample.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "monitor/monitor.h"
#include "report/marks.h"
#include "results/disk.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/shared.h"
#include "stats/class_stats.h"
#include "stats/hist_sum.h"

/* A share of the machine's time from which figures deserve a warning. */
#define STOLEN 0.05
#define BUSY 0.98

int live_sampler_init(struct live_sampler *s,
                      const struct results_shared *shared)
{
  *s = (struct live_sampler){ .shared = shared };
  s->now = hist_sum_new();
  s->before = hist_sum_new();
  s->diff = hist_sum_new();
  s->classes = calloc(CLASS_MAX, sizeof(*s->classes));
  return s->now && s->before && s->diff && s->classes ? 0 : -ENOMEM;
}

void live_sampler_done(struct live_sampler *s)
{
  hist_sum_free(s->now);
  hist_sum_free(s->before);
  hist_sum_free(s->diff);
  free(s->classes);
}

void live_sampler_start(struct live_sampler *s)
{
  s->last_ns = s->shared->start.start_ns;
  system_start(&s->system, "", s->shared->disk->device, s->last_ns);
}

/* What has been done between two looks. */
struct look {
  double period_s;
  uint64_t events, sum_ns, counter[COUNTERS];
};

static void read_counters(struct live_sampler *s, struct look *l)
{
  const struct recorders *rs = s->shared->start.recorders;
  uint64_t events = 0, sum_ns = 0, counter[COUNTERS] = { 0 };

  for (unsigned i = 0; i < rs->n; i++) {
    uint64_t e, ns;

    recorder_peek(&rs->of[i], &e, &ns);
    events += e;
    sum_ns += ns;
    for (unsigned c = 0; c < COUNTERS; c++)
      counter[c] += atomic_load_explicit(&rs->of[i].counter[c],
                                         memory_order_relaxed);
  }
  events += counter[COUNTER_EVENT];
  l->events = events - s->events;
  l->sum_ns = sum_ns - s->sum_ns;
  for (unsigned c = 0; c < COUNTERS; c++)
    l->counter[c] = counter[c] - s->counter[c];
  s->events = events;
  s->sum_ns = sum_ns;
  memcpy(s->counter, counter, sizeof(counter));

  hist_sum_clear(s->now);
  recorders_latencies(rs, s->now);
  hist_sum_sub(s->diff, s->now, s->before);
  hist_sum_copy(s->before, s->now);
}

static double per_second(const struct look *l, uint64_t count)
{
  return l->period_s > 0 ? (double)count / l->period_s : 0;
}

static void add_latency(struct jobj *o, const struct live_sampler *s,
                        const struct look *l)
{
  static const struct {
    const char *name;
    double pct;
  } of[] = { { "p50", 50 },
             { "p95", 95 },
             { "p99", 99 },
             { "p999", 99.9 },
             { "max", 100 } };

  if (l->events > 0)
    jobj_real(o, "mean", (double)l->sum_ns / (double)l->events);
  for (size_t i = 0; s->diff->total > 0 && i < ARRAY_SIZE(of); i++)
    jobj_int(o, of[i].name, hist_percentile(s->diff, of[i].pct));
}

static void add_system(struct jobj *o, const struct system_use *u)
{
  const double period_s = jobj_seconds(u->period_ns);

  if (u->has_cpu) {
    jobj_real(o, "cpu_user", u->user);
    jobj_real(o, "cpu_system", u->system);
    jobj_real(o, "cpu_iowait", u->iowait);
    jobj_real(o, "cpu_steal", u->steal);
  }
  if (u->has_disk && period_s > 0) {
    jobj_real(o, "disk_read", (double)u->read_bytes / period_s);
    jobj_real(o, "disk_written", (double)u->written_bytes / period_s);
  }
  if (u->has_net && period_s > 0) {
    jobj_real(o, "net_received", (double)u->received_bytes / period_s);
    jobj_real(o, "net_sent", (double)u->sent_bytes / period_s);
  }
}

static void add_strain(struct jobj *o, const struct system_use *u)
{
  static const char *const names[STRAIN_PRESSURES] = {
    [STRAIN_CPU_SOME] = "short_cpu",
    [STRAIN_IO_SOME] = "short_io",
    [STRAIN_IO_FULL] = "short_io_full",
    [STRAIN_MEMORY_SOME] = "short_memory",
    [STRAIN_MEMORY_FULL] = "short_memory_full",
  };
  const struct strain_use *s = &u->strain;
  const double period_s = jobj_seconds(u->period_ns);

  for (int i = 0; i < STRAIN_PRESSURES; i++) {
    if (s->has[i])
      jobj_real(o, names[i], s->stopped[i]);
  }
  jobj_real(o, "throttled", s->throttled);
  if (s->has_dirty) {
    jobj_int(o, "dirty", s->dirty_bytes);
    jobj_int(o, "writeback", s->writeback_bytes);
  }
  if (s->has_retransmits && period_s > 0)
    jobj_real(o, "retransmits", (double)s->retransmits / period_s);
  if (s->has_faults && period_s > 0)
    jobj_real(o, "major_faults", (double)s->major_faults / period_s);
}

/* How many sessions waited for what. */
static json_t *waits_part(const struct server_waits *w)
{
  struct jobj o = jobj_new();

  for (unsigned i = 0; i < w->n; i++)
    jobj_named(&o, w->of[i].name,
               jobj_number((double)w->of[i].sessions / (double)w->looks));
  return jobj_take(&o);
}

/* The last reading of a server: what it counts per second, its levels, and its
 * waits.  Without a reading, or without looks, nobody knows who waits. */
static json_t *server_part(struct monitor *m, unsigned server)
{
  struct jobj o = jobj_new(), rates = jobj_new(), levels = jobj_new();
  struct server_interval now;
  struct server_total all;

  monitor_latest(m, server, &now);
  monitor_total(m, server, &all);
  for (int f = 0; now.known && now.period_ns > 0 && f < SERVER_FIGURES; f++) {
    const struct server_figure_info *info = &figures_info[f];
    const double value = now.did.value[f] * info->to_metric;

    if (now.did.has[f] && info->kind == SERVER_COUNT)
      jobj_real(&rates, info->metric, value / jobj_seconds(now.period_ns));
    else if (now.did.has[f])
      jobj_real(&levels, info->metric, value);
  }
  jobj_text(&o, "target", all.target);
  jobj_add(&o, "rates", jobj_take(&rates));
  jobj_add(&o, "levels", jobj_take(&levels));
  if (now.known && now.waits.looks > 0)
    jobj_add(&o, "waits", waits_part(&now.waits));
  return jobj_take(&o);
}

static void add_servers(struct jobj *o, const struct live_sampler *s)
{
  struct monitor *m = s->shared->monitor;
  json_t *list = monitor_servers(m) > 0 ? json_array() : NULL;

  for (unsigned i = 0; list && i < monitor_servers(m); i++)
    o->failed |= !jobj_array_add(list, server_part(m, i));
  if (list)
    jobj_add(o, "servers", list);
}

static void add_left(struct jobj *o, const struct live_sampler *s,
                     double elapsed_s)
{
  const struct results_shared *shared = s->shared;

  if (shared->time_ns != UINT64_MAX) {
    const double all_s = jobj_seconds(shared->time_ns);

    jobj_real(o, "left", elapsed_s < all_s ? all_s - elapsed_s : 0);
    jobj_real(o, "done", elapsed_s > 0 ? elapsed_s / all_s : 0);
  } else if (shared->events != UINT64_MAX) {
    jobj_int(o, "events_left",
             shared->events > s->events ? shared->events - s->events : 0);
    jobj_real(o, "done", (double)s->events / (double)shared->events);
  }
}

static void add_warnings(struct jobj *o, const struct look *l,
                         const struct system_use *u, double late_s)
{
  json_t *list = json_array();
  char text[160];

  if (late_s > 0) {
    (void)snprintf(text, sizeof(text),
                   "the reports of the run are stuck: none has come for %.0f s",
                   late_s);
    o->failed |= !jobj_array_add(list, jobj_string(text));
  }
  if (l->counter[COUNTER_ERROR] > 0) {
    (void)snprintf(text, sizeof(text), "%.0f errors per second",
                   per_second(l, l->counter[COUNTER_ERROR]));
    o->failed |= !jobj_array_add(list, jobj_string(text));
  }
  if (u->has_cpu && u->steal > STOLEN) {
    (void)snprintf(text, sizeof(text),
                   "the hypervisor takes %.0f %% of the processors",
                   100 * u->steal);
    o->failed |= !jobj_array_add(list, jobj_string(text));
  }
  if (u->has_cpu && u->user + u->system > BUSY)
    o->failed |= !jobj_array_add(
      list, jobj_string("all processors of this machine are busy"));
  jobj_add(o, "warnings", list);
}

/* Those since the last look. */
static void add_marks(struct jobj *o, struct live_sampler *s)
{
  const struct marks *m = s->shared->marks;
  const unsigned n = marks_count(m);

  if (n > s->marks)
    jobj_add(o, "marks", json_marks(m, s->marks, n));
  s->marks = n;
}

/* ["name", operations per second, mean latency, errors per second] */
static json_t *class_part(struct live_sampler *s, const struct look *l,
                          unsigned i)
{
  struct class_set *set = s->shared->start.classes;
  struct live_class *c = &s->classes[i];
  struct class_totals t = { 0 };
  json_t *part = json_array();
  uint64_t count;
  bool fine;

  class_read(set, i, &t);
  count = t.count - c->count;
  fine = part && jobj_array_add(part, jobj_string(class_name(set, i))) &&
         jobj_array_add(part, jobj_number(per_second(l, count))) &&
         jobj_array_add(
           part, count > 0
                   ? jobj_number((double)(t.sum_ns - c->sum_ns) / (double)count)
                   : json_null()) &&
         jobj_array_add(part, jobj_number(per_second(l, t.errors - c->errors)));
  *c = (struct live_class){ t.count, t.errors, t.sum_ns };
  if (fine)
    return part;
  json_decref(part);
  return NULL;
}

static void add_line(struct strbuf *out, json_t *value)
{
  char *text = value ? shared_json_line(value) : NULL;

  if (text)
    strbuf_adds(out, text);
  else
    out->failed = true;
  free(text);
  json_decref(value);
}

static void write_classes(struct live_sampler *s, const struct look *l,
                          struct strbuf *out)
{
  struct class_set *set = s->shared->start.classes;
  const unsigned n = set ? class_count(set) : 0;
  json_t *list = json_array();

  for (unsigned i = 0; list && i < n; i++) {
    if (!jobj_array_add(list, class_part(s, l, i))) {
      json_decref(list);
      list = NULL;
    }
  }
  add_line(out, list);
}

/* Before the measured start, during the warm-up, the time is negative. */
static double elapsed(const struct results_shared *shared, uint64_t now_ns)
{
  const uint64_t from = shared->start.measured_ns;

  return now_ns >= from ? jobj_seconds(now_ns - from)
                        : -jobj_seconds(from - now_ns);
}

void live_sampler_next(struct live_sampler *s, uint64_t now_ns,
                       double reports_late_s, struct strbuf *ret,
                       struct strbuf *ret_classes)
{
  const double t = elapsed(s->shared, now_ns);
  struct system_use use = { 0 };
  struct look l = { .period_s = jobj_seconds(now_ns - s->last_ns) };
  struct jobj o = jobj_new();

  read_counters(s, &l);
  system_next(&s->system, now_ns, &use);
  s->last_ns = now_ns;
  jobj_real(&o, "t", t);
  jobj_int(&o, "events", s->events);
  jobj_real(&o, "rate", per_second(&l, l.events));
  jobj_real(&o, "queries",
            per_second(&l, l.counter[COUNTER_READ] + l.counter[COUNTER_WRITE] +
                             l.counter[COUNTER_OTHER]));
  jobj_real(&o, "errors", per_second(&l, l.counter[COUNTER_ERROR]));
  jobj_real(&o, "reconnects", per_second(&l, l.counter[COUNTER_RECONNECT]));
  add_latency(&o, s, &l);
  add_system(&o, &use);
  add_strain(&o, &use);
  add_servers(&o, s);
  add_left(&o, s, t);
  add_warnings(&o, &l, &use, reports_late_s);
  add_marks(&o, s);
  add_line(ret, jobj_take(&o));
  write_classes(s, &l, ret_classes);
}
