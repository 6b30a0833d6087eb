/*
 * live_sample.c - samples of a run.
 */
#include "results/live_sample.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "machine/disk.h"
#include "monitor/monitor.h"
#include "report/marks.h"
#include "results/figures.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/shared.h"
#include "stats/class_stats.h"
#include "stats/hist_sum.h"
#include "stats/report.h"

/* Share of the machine's time that deserves a warning. */
#define LIVE_STOLEN 0.05
#define LIVE_BUSY 0.98

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
  sampler_start(&s->system, "", s->shared->disk->device, s->last_ns);
}

/* Since the last sample. */
static void live_report(struct live_sampler *s, uint64_t now_ns,
                        struct report *r)
{
  struct report all;

  figures_sums(&s->shared->start, s->now, &all);
  *r = (struct report){ .period_ns = now_ns - s->last_ns,
                        .events = all.events - s->events,
                        .sum_ns = all.sum_ns - s->sum_ns,
                        .hist = s->diff };
  for (unsigned c = 0; c < COUNTERS; c++)
    r->counter[c] = all.counter[c] - s->counter[c];
  s->last_ns = now_ns;
  s->events = all.events;
  s->sum_ns = all.sum_ns;
  memcpy(s->counter, all.counter, sizeof(s->counter));
  hist_sum_sub(s->diff, s->now, s->before);
  hist_sum_copy(s->before, s->now);
}

static void live_add_figures(struct jobj *o, const struct report *r,
                             const struct system_use *u)
{
  static const struct report_setup setup = { .rate = false };

  FOR_EACH_FIGURE(f)
  {
    const double value = f->live ? figure_value(f, r, &setup, u) : NAN;

    if (isnan(value))
      continue;
    if (!f->live_per_s)
      json_add_figure(o, f->live, f, value);
    else if (u->period_ns > 0)
      jobj_real(o, f->live, value / jobj_seconds(u->period_ns));
  }
}

static void live_add_latency(struct jobj *o, const struct report *r)
{
  static const struct {
    const char *name;
    double pct;
  } of[] = { { "p50", 50 },
             { "p95", 95 },
             { "p99", 99 },
             { "p999", 99.9 },
             { "max", 100 } };

  if (r->events > 0)
    jobj_real(o, "mean", (double)r->sum_ns / (double)r->events);
  for (size_t i = 0; r->hist->total > 0 && i < ARRAY_SIZE(of); i++)
    jobj_int(o, of[i].name, hist_percentile(r->hist, of[i].pct));
}

/* Counts of sessions per wait. */
static json_t *live_waits(const struct server_waits *w)
{
  struct jobj o = jobj_new();

  for (unsigned i = 0; i < w->n; i++)
    jobj_named(&o, w->of[i].name,
               jobj_number((double)w->of[i].sessions / (double)w->looks));
  return jobj_take(&o);
}

/* Of the last reading; waits are null without readings of them. */
static json_t *live_server(struct monitor *m, unsigned server)
{
  struct jobj o = jobj_new(), rates = jobj_new(), levels = jobj_new();
  struct server_interval now;
  struct server_total all;

  monitor_latest(m, server, &now);
  monitor_total(m, server, &all);
  for (int f = 0; now.known && now.period_ns > 0 && f < SERVER_METRICS; f++) {
    const struct server_metric_info *info = &server_metrics_info[f];
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
    jobj_add(&o, "waits", live_waits(&now.waits));
  return jobj_take(&o);
}

static void live_add_servers(struct jobj *o, struct monitor *m)
{
  struct jobj list = jobj_list();

  for (unsigned i = 0; i < monitor_servers(m); i++)
    jobj_push(&list, live_server(m, i));
  jobj_add(o, "servers", jobj_take(&list));
}

static void live_add_left(struct jobj *o, const struct live_sampler *s,
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

static void live_add_warnings(struct jobj *o, const struct report *r,
                              const struct system_use *u, double late_s)
{
  struct jobj list = jobj_list();
  char text[160];

  if (late_s > 0) {
    (void)snprintf(text, sizeof(text),
                   "the reports of the run are stuck: none has come for %.0f s",
                   late_s);
    jobj_push(&list, jobj_string(text));
  }
  if (r->counter[COUNTER_ERROR] > 0) {
    (void)snprintf(text, sizeof(text), "%.0f errors per second",
                   report_counter_rate(r, COUNTER_ERROR));
    jobj_push(&list, jobj_string(text));
  }
  if (u->has_cpu && u->steal > LIVE_STOLEN) {
    (void)snprintf(text, sizeof(text),
                   "the hypervisor takes %.0f %% of the processors",
                   100 * u->steal);
    jobj_push(&list, jobj_string(text));
  }
  if (u->has_cpu && u->user + u->system > LIVE_BUSY)
    jobj_push(&list, jobj_string("all processors of this machine are busy"));
  jobj_add(o, "warnings", jobj_take(&list));
}

/* ["name", operations per second, mean latency, errors per second] */
static json_t *live_class(struct live_sampler *s, const struct report *r,
                          unsigned i)
{
  struct class_set *set = s->shared->start.classes;
  struct live_class *c = &s->classes[i];
  struct class_totals t = { 0 };
  struct jobj part = jobj_list();
  uint64_t count;

  class_read(set, i, &t);
  count = t.count - c->count;
  jobj_push(&part, jobj_string(class_name(set, i)));
  jobj_push(&part, jobj_number(report_rate(r, count)));
  jobj_push(&part, count > 0 ? jobj_number((double)(t.sum_ns - c->sum_ns) /
                                           (double)count)
                             : json_null());
  jobj_push(&part, jobj_number(report_rate(r, t.errors - c->errors)));
  *c = (struct live_class){ t.count, t.errors, t.sum_ns };
  return jobj_take(&part);
}

static void live_add_line(struct strbuf *out, json_t *value)
{
  char *text = value ? jobj_line(value) : NULL;

  if (text)
    strbuf_adds(out, text);
  else
    out->failed = true;
  free(text);
  json_decref(value);
}

void live_sampler_next(struct live_sampler *s, uint64_t now_ns,
                       double reports_late_s, struct strbuf *ret,
                       struct strbuf *ret_classes)
{
  const struct results_shared *shared = s->shared;
  const uint64_t from = shared->start.measured_ns;
  /* Negative during the warm-up. */
  const double t = now_ns >= from ? jobj_seconds(now_ns - from)
                                  : -jobj_seconds(from - now_ns);
  struct class_set *set = shared->start.classes;
  const unsigned n_classes = set ? class_count(set) : 0;
  const unsigned marks = marks_count(shared->marks);
  struct jobj o = jobj_new(), classes = jobj_list();
  struct system_use use = { 0 };
  struct report r;

  live_report(s, now_ns, &r);
  sampler_next(&s->system, now_ns, &use);
  jobj_real(&o, "t", t);
  jobj_int(&o, "events", s->events);
  live_add_figures(&o, &r, &use);
  live_add_latency(&o, &r);
  if (monitor_servers(shared->monitor) > 0)
    live_add_servers(&o, shared->monitor);
  live_add_left(&o, s, t);
  live_add_warnings(&o, &r, &use, reports_late_s);
  if (marks > s->marks)
    jobj_add(&o, "marks", json_marks(shared->marks, s->marks, marks));
  s->marks = marks;
  live_add_line(ret, jobj_take(&o));
  for (unsigned i = 0; i < n_classes; i++)
    jobj_push(&classes, live_class(s, &r, i));
  live_add_line(ret_classes, jobj_take(&classes));
}
