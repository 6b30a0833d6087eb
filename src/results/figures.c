#include "results/figures.h"

#include <math.h>
#include <stdatomic.h>

#include "report/life.h"
#include "stats/report.h"
#include "stats/service.h"

#define TICKS 100 /* USER_HZ, per CPU second */

/* Source of the value. */
#define REPORT(field) .of = FIGURE_FIELD(struct report, field, FIGURE_KNOWN)
#define MACHINE(field, has)                    \
  .source = FIGURE_OF_MACHINE,                 \
  .of = FIGURE_FIELD(struct system_use, field, \
                     offsetof(struct system_use, has))

#define COLUMN(name, n) .column = (name), .decimals = (n)
#define NAME(name, n) .key = (name), COLUMN(name, n)
#define SYSTEM(in, name) .group = (in), .key = (name)
#define LIVE(name) .live = (name)
#define LIVE_RATE(name) .live = (name), .live_per_s = true
#define METRIC(name, text) .metric = (name), .help = (text)
#define LEVEL(name, text) METRIC(name, text), .level = true

/* Source of the metric, unless the report. */
#define COUNTED(field, per)                                         \
  .count = FIGURE_FIELD(struct figure_counts, field, FIGURE_KNOWN), \
  .count_unit = (per)
#define COUNT(field, has, per)                                \
  .count = FIGURE_FIELD(struct figure_counts, field,          \
                        offsetof(struct figure_counts, has)), \
  .count_unit = (per)

#define OPERATIONS(kind)                                          \
  METRIC("operations", "Queries or file operations of workers."), \
    .labels = "kind=\"" kind "\""
#define CPU_SECONDS(which)                                           \
  METRIC("machine_cpu_seconds", "Time of all CPUs of the machine."), \
    .labels = "mode=\"" #which "\"", .metric_decimals = 2,           \
    COUNT(system.cpu.which, system.cpu.known, TICKS), MACHINE(which, has_cpu)
#define PRESSURE(name, which, resource, tasks, live)                   \
  SYSTEM("pressure", name), LIVE(live),                                \
    METRIC("machine_pressure_seconds",                                 \
           "Time in which tasks were stopped for lack of something."), \
    .labels = "resource=\"" resource "\",tasks=\"" tasks "\"",         \
    .metric_decimals = 6,                                              \
    COUNT(pressure.stopped_us[which], pressure.has[which], 1e6),       \
    MACHINE(pressure.stopped[which], pressure.has[which])

static double figures_events_per_s(const struct report *r)
{
  return report_rate(r, r->events);
}

static double figures_queries_per_s(const struct report *r)
{
  return report_rate(r, r->counter[COUNTER_READ] + r->counter[COUNTER_WRITE] +
                          r->counter[COUNTER_OTHER]);
}

static double figures_errors_per_s(const struct report *r)
{
  return report_counter_rate(r, COUNTER_ERROR);
}

static double figures_reconnects_per_s(const struct report *r)
{
  return report_counter_rate(r, COUNTER_RECONNECT);
}

static double figures_mean_ns(const struct report *r)
{
  return r->events > 0 ? (double)r->sum_ns / (double)r->events : 0.0;
}

const struct figure figures[] = {
  { NAME("elapsed_s", 3), REPORT(elapsed_ns), .unit = 1e9 },
  { NAME("period_s", 6), REPORT(period_ns), .unit = 1e9 },
  { NAME("partial", 0), REPORT(partial), .when = FIGURE_INTERVAL },
  { .key = "unfinished_events", REPORT(unfinished), .when = FIGURE_FORCED },
  { NAME("threads_running", 0), REPORT(threads_running) },
  { LEVEL("threads", "Worker threads."), REPORT(threads) },
  { NAME("events", 0), METRIC("events", "Events that have ended."),
    REPORT(events) },
  { NAME("events_per_s", 4), LIVE("rate"), .value = figures_events_per_s },
  { .source = FIGURE_OWN },
  { COLUMN("reads", 0), OPERATIONS("read"), REPORT(counter[COUNTER_READ]) },
  { COLUMN("writes", 0), OPERATIONS("write"), REPORT(counter[COUNTER_WRITE]) },
  { COLUMN("others", 0), OPERATIONS("other"), REPORT(counter[COUNTER_OTHER]) },
  { LIVE("queries"), .value = figures_queries_per_s },
  { COLUMN("read_bytes", 0), METRIC("read_bytes", "Bytes read by the test."),
    REPORT(counter[COUNTER_BYTES_READ]) },
  { COLUMN("written_bytes", 0),
    METRIC("written_bytes", "Bytes written by the test."),
    REPORT(counter[COUNTER_BYTES_WRITTEN]) },
  { NAME("errors", 0), METRIC("errors", "Errors that were ignored."),
    REPORT(counter[COUNTER_ERROR]) },
  { .key = "errors_per_s", LIVE("errors"), .value = figures_errors_per_s },
  { NAME("reconnects", 0),
    METRIC("reconnects", "Connections that were made again."),
    REPORT(counter[COUNTER_RECONNECT]) },
  { LIVE("reconnects"), .value = figures_reconnects_per_s },
  { .source = FIGURE_LATENCIES },
  { NAME("queue_length", 0), REPORT(queue_length), .when = FIGURE_RATED },
  { NAME("concurrency", 0), REPORT(concurrency), .when = FIGURE_RATED },
  { COLUMN("latency_min_ns", 0), REPORT(min_ns) },
  { COLUMN("latency_mean_ns", 1), .value = figures_mean_ns },
  { COLUMN("latency_max_ns", 0), REPORT(max_ns) },
  { .source = FIGURE_PERCENTILES },

  { SYSTEM("cpu", "user_ratio"), COLUMN("cpu_user_ratio", 4), LIVE("cpu_user"),
    CPU_SECONDS(user) },
  { SYSTEM("cpu", "system_ratio"), COLUMN("cpu_system_ratio", 4),
    LIVE("cpu_system"), CPU_SECONDS(system) },
  { SYSTEM("cpu", "iowait_ratio"), COLUMN("cpu_iowait_ratio", 4),
    LIVE("cpu_iowait"), CPU_SECONDS(iowait) },
  { SYSTEM("cpu", "idle_ratio"), COLUMN("cpu_idle_ratio", 4),
    CPU_SECONDS(idle) },
  { SYSTEM("cpu", "steal_ratio"), LIVE("cpu_steal"), CPU_SECONDS(steal) },
  { SYSTEM("cpu", "context_switches_per_s"),
    COLUMN("context_switches_per_s", 1), MACHINE(switches_per_s, has_cpu),
    METRIC("machine_context_switches", "Context switches of all programs."),
    COUNT(system.cpu.switches, system.cpu.known, 0) },
  { SYSTEM("cpu", "throttled_ratio"), LIVE("throttled"),
    MACHINE(pressure.throttled, has_cpu),
    METRIC("machine_throttled_seconds",
           "Time that the quota of the control group has withheld."),
    COUNTED(pressure.throttled_ns, 1e9) },
  { SYSTEM("cpu", "clock_mhz"), MACHINE(pressure.mhz, has_cpu),
    .positive = true,
    LEVEL("machine_clock_hertz", "Clock of the fastest of a few CPUs."),
    COUNTED(pressure.mhz, 1e-6) },
  { SYSTEM("disk", "reads"), COLUMN("disk_reads", 0), MACHINE(reads, has_disk),
    METRIC("machine_disk_reads", "Reads of the disk of the test."),
    COUNT(system.reads, system.has_disk, 0) },
  { SYSTEM("disk", "writes"), COLUMN("disk_writes", 0),
    MACHINE(writes, has_disk),
    METRIC("machine_disk_writes", "Writes of the disk of the test."),
    COUNT(system.writes, system.has_disk, 0) },
  { SYSTEM("disk", "read_bytes"), COLUMN("disk_read_bytes", 0),
    LIVE_RATE("disk_read"), MACHINE(read_bytes, has_disk),
    METRIC("machine_disk_read_bytes", "Bytes read from the disk of the test."),
    COUNT(system.read_sectors, system.has_disk, 1.0 / SYSTEM_SECTOR) },
  { SYSTEM("disk", "written_bytes"), COLUMN("disk_written_bytes", 0),
    LIVE_RATE("disk_written"), MACHINE(written_bytes, has_disk),
    METRIC("machine_disk_written_bytes",
           "Bytes written to the disk of the test."),
    COUNT(system.written_sectors, system.has_disk, 1.0 / SYSTEM_SECTOR) },
  { SYSTEM("disk", "utilisation_ratio"), COLUMN("disk_utilisation_ratio", 4),
    MACHINE(busy, has_disk),
    METRIC("machine_disk_busy_seconds",
           "Time in which that disk had a request."),
    COUNT(system.busy_ms, system.has_disk, 1000) },
  { SYSTEM("network", "received_bytes"), COLUMN("network_received_bytes", 0),
    LIVE_RATE("net_received"), MACHINE(received_bytes, has_net),
    METRIC("machine_network_received_bytes",
           "Bytes received, without loopback."),
    COUNT(system.received, system.has_net, 0) },
  { SYSTEM("network", "sent_bytes"), COLUMN("network_sent_bytes", 0),
    LIVE_RATE("net_sent"), MACHINE(sent_bytes, has_net),
    METRIC("machine_network_sent_bytes", "Bytes sent, without loopback."),
    COUNT(system.sent, system.has_net, 0) },
  { SYSTEM("network", "loopback_bytes"), MACHINE(loopback_bytes, has_net) },
  { SYSTEM("network", "retransmits"), LIVE_RATE("retransmits"),
    MACHINE(pressure.retransmits, pressure.has_retransmits),
    METRIC("machine_network_retransmits", "TCP segments that were sent again."),
    COUNT(pressure.retransmits, pressure.has_retransmits, 0) },
  { SYSTEM("memory", "dirty_bytes"), LIVE("dirty"),
    MACHINE(pressure.dirty_bytes, pressure.has_dirty),
    LEVEL("machine_dirty_bytes", "Pages that wait to be written to disks."),
    COUNT(pressure.dirty_bytes, pressure.has_dirty, 0) },
  { SYSTEM("memory", "writeback_bytes"), LIVE("writeback"),
    MACHINE(pressure.writeback_bytes, pressure.has_dirty),
    LEVEL("machine_writeback_bytes", "Pages that are being written to disks."),
    COUNT(pressure.writeback_bytes, pressure.has_dirty, 0) },
  { SYSTEM("memory", "major_faults"), LIVE_RATE("major_faults"),
    MACHINE(pressure.major_faults, pressure.has_faults),
    METRIC("machine_major_faults", "Pages that had to be read from a disk."),
    COUNT(pressure.major_faults, pressure.has_faults, 0) },
  { PRESSURE("cpu_some_ratio", PRESSURE_CPU_SOME, "cpu", "some", "short_cpu") },
  { PRESSURE("io_some_ratio", PRESSURE_IO_SOME, "io", "some", "short_io") },
  { PRESSURE("io_full_ratio", PRESSURE_IO_FULL, "io", "full",
             "short_io_full") },
  { PRESSURE("memory_some_ratio", PRESSURE_MEMORY_SOME, "memory", "some",
             "short_memory") },
  { PRESSURE("memory_full_ratio", PRESSURE_MEMORY_FULL, "memory", "full",
             "short_memory_full") },

  { NAME("arrivals", 0), METRIC("arrivals", "Events that have become due."),
    REPORT(arrivals), .when = FIGURE_RATED },
  { NAME("offered_per_s", 4), .value = report_offered_rate,
    .when = FIGURE_RATED },
  { NAME("stalled_s", 6),
    .of = FIGURE_FIELD(struct report, stalled_ns,
                       offsetof(struct report, has_stalled)),
    .unit = 1e9, METRIC("stalled_seconds", "Their sum."),
    .metric_decimals = 6 },
  { .source = FIGURE_END },
};

const double figures_usual[FIGURES_USUAL] = { 50, 75, 90, 95, 99, 99.9, 99.99 };

size_t figures_percentile_count(const struct report_setup *setup)
{
  return FIGURES_USUAL + (setup->percentile > 0.0) + setup->n_percentiles;
}

double figures_percentile(const struct report_setup *setup, size_t i)
{
  if (i < FIGURES_USUAL)
    return figures_usual[i];
  i -= FIGURES_USUAL;
  return i < setup->n_percentiles ? setup->percentiles[i] : setup->percentile;
}

double figure_field(const struct figure_field *f, const void *of)
{
  const char *at = (const char *)of + f->at;

  if (f->known != FIGURE_KNOWN && !*(const bool *)((const char *)of + f->known))
    return NAN;
  switch ((enum figure_type)f->type) {
  case FIGURE_BOOL:
    return *(const bool *)at;
  case FIGURE_UNSIGNED:
    return *(const unsigned *)(const void *)at;
  case FIGURE_U64:
    return (double)*(const uint64_t *)(const void *)at;
  case FIGURE_DOUBLE:
    return *(const double *)(const void *)at;
  case FIGURE_NONE:
    break;
  }
  return NAN;
}

double figure_value(const struct figure *f, const struct report *r,
                    const struct report_setup *setup,
                    const struct system_use *sys)
{
  const void *of = f->source == FIGURE_OF_MACHINE ? (const void *)sys : r;
  double value;

  if (!of || (f->when == FIGURE_RATED && !setup->rate) ||
      (f->when == FIGURE_INTERVAL && r->kind != REPORT_INTERVAL) ||
      (f->when == FIGURE_FORCED && r->kind != REPORT_FORCED))
    return NAN;
  value = f->value ? f->value(r) : figure_field(&f->of, of);
  if (f->positive && value <= 0)
    return NAN;
  return f->unit > 0 ? value / f->unit : value;
}

bool figure_is_whole(const struct figure *f)
{
  return !f->value && f->of.type != FIGURE_DOUBLE && !(f->unit > 0);
}

void figures_sums(const struct run_start *start, struct hist_sum *hist,
                  struct report *ret)
{
  const struct recorders *rs = start->recorders;
  const struct outages *outages = start->outages;

  *ret = (struct report){ .threads = start->threads, .hist = hist };
  for (unsigned i = 0; i < rs->n; i++) {
    uint64_t events, sum_ns;

    recorder_peek(&rs->of[i], &events, &sum_ns);
    ret->events += events;
    ret->sum_ns += sum_ns;
    for (unsigned c = 0; c < COUNTERS; c++)
      ret->counter[c] += atomic_load_explicit(&rs->of[i].counter[c],
                                              memory_order_relaxed);
  }
  ret->events += ret->counter[COUNTER_EVENT];
  hist_sum_clear(hist);
  recorders_latencies(rs, hist);
  if (start->arrivals)
    ret->arrivals = atomic_load_explicit(start->arrivals, memory_order_relaxed);
  ret->has_stalled = outages != NULL;
  if (outages)
    ret->stalled_ns = atomic_load_explicit(&outages->sum_ns,
                                           memory_order_relaxed);
}
