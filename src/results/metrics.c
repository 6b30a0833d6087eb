/*
 * metrics.c - the present state of a run as text for Prometheus.
 *
 * The two formats differ in a few lines.  In the older one, a family has the
 * name of its samples, the type `info` does not exist, and the end is not
 * marked.
 */
#include "results/metrics.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "report/marks.h"
#include "results/disk.h"
#include "results/jobj.h"
#include "results/metrics_parts.h"
#include "results/shared.h"
#include "stats/class_stats.h"
#include "stats/recorder.h"
#include "stats/service.h"

/* Upper limits of the buckets: 1 us to 100 s, three per power of ten. */
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

void metrics_family(const struct metrics_out *o, const char *name,
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

/* The sums over all workers. */
struct sums {
  uint64_t events, sum_ns;
  uint64_t counter[COUNTERS];
};

static void add_up(struct sums *s, const struct recorders *rs,
                   struct hist_sum *hist)
{
  *s = (struct sums){ 0 };
  for (unsigned i = 0; i < rs->n; i++) {
    const struct recorder *r = &rs->of[i];
    uint64_t events, sum_ns;

    recorder_peek(r, &events, &sum_ns);
    s->events += events;
    s->sum_ns += sum_ns;
    for (unsigned c = 0; c < COUNTERS; c++)
      s->counter[c] += atomic_load_explicit(&r->counter[c],
                                            memory_order_relaxed);
  }
  s->events += s->counter[COUNTER_EVENT];
  hist_sum_clear(hist);
  recorders_latencies(rs, hist);
}

static void add_counter(const struct metrics_out *o, const char *name,
                        const char *help, uint64_t value)
{
  metrics_family(o, name, "counter", help);
  strbuf_addf(o->b, "%s_total %llu\n", name, (unsigned long long)value);
}

static void add_operations(const struct metrics_out *o, const struct sums *s)
{
  static const struct {
    enum counter counter;
    const char *kind;
  } of[] = {
    { COUNTER_READ, "read" },
    { COUNTER_WRITE, "write" },
    { COUNTER_OTHER, "other" },
  };

  metrics_family(o, "bench_operations", "counter",
                 "Queries or file operations of workers.");
  for (size_t i = 0; i < ARRAY_SIZE(of); i++)
    strbuf_addf(o->b, "bench_operations_total{kind=\"%s\"} %llu\n", of[i].kind,
                (unsigned long long)s->counter[of[i].counter]);
}

static void add_classes(const struct metrics_out *o, struct class_set *set)
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

/* The counters of members of a mix. */
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

static void add_member_counter(const struct metrics_out *o,
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

static void add_members(const struct metrics_out *o, struct class_set *set,
                        struct hist_sum *work)
{
  const unsigned n = set ? class_count(set) : 0;

  if (n == 0)
    return;
  for (size_t i = 0; i < ARRAY_SIZE(member_counters); i++)
    add_member_counter(o, set, &member_counters[i]);
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

static void add_info(const struct metrics_out *o,
                     const struct results_shared *shared)
{
  metrics_family(o, "bench", "info", "The program and its test.");
  strbuf_adds(o->b, "bench_info{");
  metrics_label(o->b, "version", PACKAGE_VERSION);
  strbuf_adds(o->b, ",");
  metrics_label(o->b, "test", shared->test);
  strbuf_adds(o->b, "} 1\n");
}

static void add_marks(const struct metrics_out *o, const struct marks *m)
{
  if (m)
    add_counter(o, "bench_marks", "Marks that the experimenter has put.",
                marks_count(m) + marks_lost(m));
}

static void add_outages(const struct metrics_out *o,
                        const struct outages *outages)
{
  if (!outages)
    return;
  add_counter(o, "bench_stalls", "Times without any success that have ended.",
              atomic_load_explicit(&outages->count, memory_order_relaxed));
  metrics_family(o, "bench_stalled_seconds", "counter", "Their sum.");
  strbuf_addf(
    o->b, "bench_stalled_seconds_total %.6f\n",
    jobj_seconds(atomic_load_explicit(&outages->sum_ns, memory_order_relaxed)));
}

void metrics_write(struct strbuf *b, enum metrics_format format,
                   const struct results_shared *shared, struct hist_sum *work)
{
  const struct metrics_out o = { b, format };
  const struct run_start *start = &shared->start;
  struct sums s;

  add_info(&o, shared);
  if (shared->started) {
    add_up(&s, start->recorders, work);
    metrics_family(&o, "bench_threads", "gauge", "Worker threads.");
    strbuf_addf(b, "bench_threads %u\n", start->threads);
    metrics_family(&o, "bench_start_time_seconds", "gauge",
                   "When the load began, since the epoch.");
    strbuf_addf(b, "bench_start_time_seconds %.3f\n",
                jobj_seconds(start->wall_ns));
    add_counter(&o, "bench_events", "Events that have ended.", s.events);
    if (start->arrivals)
      add_counter(&o, "bench_arrivals", "Events that have become due.",
                  atomic_load_explicit(start->arrivals, memory_order_relaxed));
    add_operations(&o, &s);
    add_counter(&o, "bench_errors", "Errors that were ignored.",
                s.counter[COUNTER_ERROR]);
    add_counter(&o, "bench_reconnects", "Connections that were made again.",
                s.counter[COUNTER_RECONNECT]);
    add_outages(&o, start->outages);
    add_marks(&o, shared->marks);
    add_counter(&o, "bench_read_bytes", "Bytes read by the test.",
                s.counter[COUNTER_BYTES_READ]);
    add_counter(&o, "bench_written_bytes", "Bytes written by the test.",
                s.counter[COUNTER_BYTES_WRITTEN]);
    add_classes(&o, start->classes);
    metrics_family(&o, "bench_latency_seconds", "histogram",
                   "Latency of events.");
    metrics_histogram(b, "bench_latency_seconds", NULL, work,
                      jobj_seconds(s.sum_ns));
    add_members(&o, start->members, work);
    metrics_servers(&o, shared->monitor);
    metrics_machine(&o, "", shared->disk->device);
  }
  if (format == METRICS_OPENMETRICS)
    strbuf_adds(b, "# EOF\n");
}
