/*
 * metrics.c - the state of a run for Prometheus.
 *
 * The older format names a family like its samples, has no type `info` and no
 * end mark.
 */
#include "results/metrics.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "machine/disk.h"
#include "monitor/monitor.h"
#include "report/marks.h"
#include "results/figures.h"
#include "results/jobj.h"
#include "results/shared.h"
#include "stats/class_stats.h"
#include "stats/report.h"
#include "stats/service.h"

/* Buckets: 1 us to 100 s, three per decade. */
static const uint64_t limit_ns[] = {
  1000,       2500,        5000,        10000,       25000,
  50000,      100000,      250000,      500000,      1000000,
  2500000,    5000000,     10000000,    25000000,    50000000,
  100000000,  250000000,   500000000,   1000000000,  2500000000,
  5000000000, 10000000000, 25000000000, 50000000000, 100000000000,
};

void metrics_label(struct strbuf *b, const char *name, const char *value)
{
  const bool valid = utf8_is_valid(value);

  strbuf_addf(b, "%s=\"", name);
  for (; *value; value++) {
    if (*value == '\n')
      strbuf_adds(b, "\\n");
    else if (*value == '\\' || *value == '"')
      strbuf_addf(b, "\\%c", *value);
    else if (!valid)
      utf8_add_latin1(b, *value);
    else
      strbuf_add(b, value, 1);
  }
  strbuf_adds(b, "\"");
}

static void metrics_family(const struct metrics_out *o, const char *name,
                           const char *type, const char *help)
{
  const char *suffix = "";

  if (o->format == METRICS_TEXT && strcmp(type, "counter") == 0) {
    suffix = "_total";
  } else if (o->format == METRICS_TEXT && strcmp(type, "info") == 0) {
    suffix = "_info";
    type = "gauge";
  }
  strbuf_addf(o->b, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, suffix, help,
              name, suffix, type);
}

void metrics_histogram(struct strbuf *b, const char *name, const char *label,
                       const struct hist_sum *h, double sum_s)
{
  const char *first = label ? label : "", *comma = label ? "," : "";
  const char *open = label ? "{" : "", *close = label ? "}" : "";
  uint64_t seen = 0;
  unsigned i = hist_sum_next(h, 0);

  for (size_t k = 0; k < ARRAY_SIZE(limit_ns); k++) {
    for (; i + 1 < HIST_BUCKETS && hist_low(i + 1) - 1 <= limit_ns[k];
         i = hist_sum_next(h, i + 1))
      seen += hist_sum_at(h, i);
    strbuf_addf(b, "%s_bucket{%s%sle=\"%.9g\"} %llu\n", name, first, comma,
                jobj_seconds(limit_ns[k]), (unsigned long long)seen);
  }
  strbuf_addf(b,
              "%s_bucket{%s%sle=\"+Inf\"} %llu\n"
              "%s_count%s%s%s %llu\n"
              "%s_sum%s%s%s %.9f\n",
              name, first, comma, (unsigned long long)h->total, name, open,
              first, close, (unsigned long long)h->total, name, open, first,
              close, sum_s);
}

/* After the lines of its family, unless *last has the same. */
static void metrics_sample(const struct metrics_out *o, const char **last,
                           const struct figure *f, double value)
{
  char name[64];

  if (isnan(value))
    return;
  (void)snprintf(name, sizeof(name), "bench_%s", f->metric);
  if (strcmp(*last, f->metric) != 0)
    metrics_family(o, name, f->level ? "gauge" : "counter", f->help);
  *last = f->metric;
  strbuf_addf(o->b, "%s%s", name, f->level ? "" : "_total");
  if (f->labels)
    strbuf_addf(o->b, "{%s}", f->labels);
  if (f->metric_decimals > 0)
    strbuf_addf(o->b, " %.*f\n", f->metric_decimals, value);
  else
    strbuf_addf(o->b, value == floor(value) ? " %.0f\n" : " %.15g\n", value);
}

static void metrics_figures(const struct metrics_out *o, const struct report *r,
                            const struct report_setup *setup)
{
  const char *last = "";

  FOR_EACH_FIGURE(f)
  {
    if (f->metric && f->source == FIGURE_OF_REPORT)
      metrics_sample(o, &last, f, figure_value(f, r, setup, NULL));
  }
}

void metrics_machine(const struct metrics_out *o, const char *root,
                     const char *device)
{
  struct figure_counts c;
  const char *last = "";

  sampler_read(root, device, &c.system);
  pressure_read(root, &c.pressure);
  FOR_EACH_FIGURE(f)
  {
    double value;

    if (!f->metric || f->source != FIGURE_OF_MACHINE)
      continue;
    value = figure_field(&f->count, &c);
    if (!(f->positive && value <= 0))
      metrics_sample(o, &last, f,
                     f->count_unit > 0 ? value / f->count_unit : value);
  }
}

static void metrics_count(const struct metrics_out *o, const char *name,
                          const char *help, uint64_t value)
{
  metrics_family(o, name, "counter", help);
  strbuf_addf(o->b, "%s_total %llu\n", name, (unsigned long long)value);
}

static void metrics_classes(const struct metrics_out *o, struct class_set *set)
{
  const unsigned n = set ? class_count(set) : 0;

  if (n == 0)
    return;
  metrics_family(o, "bench_class_operations", "counter",
                 "Operations of a class, failed ones included.");
  for (unsigned i = 0; i < n; i++) {
    struct class_totals t = { 0 };

    class_read(set, i, &t);
    strbuf_adds(o->b, "bench_class_operations_total{");
    metrics_label(o->b, "class", class_name(set, i));
    strbuf_addf(o->b, "} %llu\n", (unsigned long long)t.count);
  }
}

static const struct member_counter {
  const char *name, *help;
  size_t offset; /* in struct class_totals */
} member_counters[] = {
  { "bench_member_events", "Events of a member of a mix that have ended.",
    offsetof(struct class_totals, count) },
  { "bench_member_errors", "Errors of a member that were ignored.",
    offsetof(struct class_totals, errors) },
  { "bench_member_reconnects", "Connections of a member that were made again.",
    offsetof(struct class_totals, reconnects) },
};

static void metrics_member_counter(const struct metrics_out *o,
                                   struct class_set *set,
                                   const struct member_counter *c)
{
  const unsigned n = class_count(set);

  metrics_family(o, c->name, "counter", c->help);
  for (unsigned i = 0; i < n; i++) {
    struct class_totals t = { 0 };

    class_read(set, i, &t);
    strbuf_addf(o->b, "%s_total{", c->name);
    metrics_label(o->b, "member", class_name(set, i));
    strbuf_addf(
      o->b, "} %llu\n",
      (unsigned long long)*(const uint64_t *)((const char *)&t + c->offset));
  }
}

static void metrics_members(const struct metrics_out *o, struct class_set *set,
                            struct hist_sum *work)
{
  const unsigned n = set ? class_count(set) : 0;

  if (n == 0)
    return;
  for (size_t i = 0; i < ARRAY_SIZE(member_counters); i++)
    metrics_member_counter(o, set, &member_counters[i]);
  metrics_family(o, "bench_member_latency_seconds", "histogram",
                 "Latency of the events of a member.");
  for (unsigned i = 0; i < n; i++) {
    struct class_totals t = { .hist = work };
    struct strbuf label = { 0 };

    class_read(set, i, &t);
    metrics_label(&label, "member", class_name(set, i));
    metrics_histogram(o->b, "bench_member_latency_seconds", strbuf_str(&label),
                      work, jobj_seconds(t.sum_ns));
    strbuf_done(&label);
  }
}

static void metrics_info(const struct metrics_out *o,
                         const struct results_shared *shared)
{
  metrics_family(o, "bench", "info", "The program and its test.");
  strbuf_adds(o->b, "bench_info{");
  metrics_label(o->b, "version", PACKAGE_VERSION);
  strbuf_adds(o->b, ",");
  metrics_label(o->b, "test", shared->test);
  strbuf_adds(o->b, "} 1\n");
}

/* ---- servers ---- */

/* Labelled with the server's name. */
static void metrics_server(const struct metrics_out *o, struct monitor *m,
                           enum server_metric f)
{
  const struct server_metric_info *info = &server_metrics_info[f];
  const bool counts = info->kind == SERVER_COUNT;
  struct strbuf name = { 0 };
  bool begun = false;

  strbuf_addf(&name, "bench_server_%s", info->metric);
  for (unsigned i = 0; i < monitor_servers(m); i++) {
    struct server_interval now;
    struct server_total all;

    monitor_latest(m, i, &now);
    monitor_total(m, i, &all);
    if (!(counts ? all.did.has[f] : now.known && now.did.has[f]))
      continue;
    if (!begun)
      metrics_family(o, strbuf_str(&name), counts ? "counter" : "gauge",
                     info->help);
    begun = true;
    strbuf_addf(o->b, "%s%s{", strbuf_str(&name), counts ? "_total" : "");
    metrics_label(o->b, "server", all.target);
    strbuf_addf(o->b, "} %.15g\n",
                (counts ? all.did : now.did).value[f] * info->to_metric);
  }
  strbuf_done(&name);
}

/* At the last reading. */
static void metrics_waits(const struct metrics_out *o, struct monitor *m)
{
  bool begun = false;

  for (unsigned i = 0; i < monitor_servers(m); i++) {
    struct server_interval now;
    struct server_total all;

    monitor_latest(m, i, &now);
    monitor_total(m, i, &all);
    for (unsigned k = 0; k < now.waits.n; k++) {
      if (!begun)
        metrics_family(o, "bench_server_waiting_sessions", "gauge",
                       "Sessions of the run by what they wait for, on "
                       "average.");
      begun = true;
      strbuf_adds(o->b, "bench_server_waiting_sessions{");
      metrics_label(o->b, "server", all.target);
      strbuf_adds(o->b, ",");
      metrics_label(o->b, "wait", now.waits.of[k].name);
      strbuf_addf(o->b, "} %.15g\n",
                  (double)now.waits.of[k].sessions / (double)now.waits.looks);
    }
  }
}

static void metrics_servers(const struct metrics_out *o, struct monitor *m)
{
  for (int f = 0; f < SERVER_METRICS && monitor_servers(m) > 0; f++)
    metrics_server(o, m, (enum server_metric)f);
  metrics_waits(o, m);
}

/* ---- the text ---- */

void metrics_write(struct strbuf *b, enum metrics_format format,
                   const struct results_shared *shared, struct hist_sum *work)
{
  const struct metrics_out o = { b, format };
  const struct run_start *start = &shared->start;
  const struct report_setup setup = { .rate = start->arrivals != NULL };
  struct report r;

  metrics_info(&o, shared);
  if (shared->started) {
    figures_sums(start, work, &r);
    metrics_family(&o, "bench_start_time_seconds", "gauge",
                   "When the load began, since the epoch.");
    strbuf_addf(b, "bench_start_time_seconds %.3f\n",
                jobj_seconds(start->wall_ns));
    metrics_figures(&o, &r, &setup);
    if (start->outages)
      metrics_count(
        &o, "bench_stalls", "Times without any success that have ended.",
        atomic_load_explicit(&start->outages->count, memory_order_relaxed));
    if (shared->marks)
      metrics_count(&o, "bench_marks", "Marks that the experimenter has put.",
                    marks_count(shared->marks) + marks_lost(shared->marks));
    metrics_classes(&o, start->classes);
    metrics_family(&o, "bench_latency_seconds", "histogram",
                   "Latency of events.");
    metrics_histogram(b, "bench_latency_seconds", NULL, work,
                      jobj_seconds(r.sum_ns));
    metrics_members(&o, start->members, work);
    metrics_servers(&o, shared->monitor);
    metrics_machine(&o, "", shared->disk->device);
  }
  if (format == METRICS_OPENMETRICS)
    strbuf_adds(b, "# EOF\n");
}
