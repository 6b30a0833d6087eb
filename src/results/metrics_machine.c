/*
 * metrics_machine.c - the machine's own counters, beside those of a run.
 *
 * Counts are those of the kernel, since the machine was started: they need no
 * state here, and readers take differences anyway.
 */
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/strbuf.h"
#include "results/jobj.h"
#include "results/metrics_parts.h"
#include "results/strain.h"
#include "results/system.h"

static void add_count(const struct metrics_out *o, const char *name,
                      const char *help, double value)
{
  metrics_family(o, name, "counter", help);
  strbuf_addf(o->b, "%s_total %.15g\n", name, value);
}

static void add_level(const struct metrics_out *o, const char *name,
                      const char *help, double value)
{
  metrics_family(o, name, "gauge", help);
  strbuf_addf(o->b, "%s %.15g\n", name, value);
}

static void add_cpu(const struct metrics_out *o, const struct system_counts *c)
{
  const double ticks_per_s = (double)sysconf(_SC_CLK_TCK);
  const struct {
    const char *mode;
    uint64_t ticks;
  } of[] = { { "user", c->user },
             { "system", c->system },
             { "iowait", c->iowait },
             { "idle", c->idle },
             { "steal", c->steal } };

  if (!c->has_cpu)
    return;
  metrics_family(o, "bench_machine_cpu_seconds", "counter",
                 "Time of all processors of the machine.");
  for (size_t i = 0; i < ARRAY_SIZE(of); i++)
    strbuf_addf(o->b, "bench_machine_cpu_seconds_total{mode=\"%s\"} %.2f\n",
                of[i].mode, (double)of[i].ticks / ticks_per_s);
  add_count(o, "bench_machine_context_switches",
            "Context switches of all programs.", (double)c->switches);
}

static void add_disk(const struct metrics_out *o, const struct system_counts *c)
{
  if (!c->has_disk)
    return;
  add_count(o, "bench_machine_disk_reads", "Reads of the disk of the test.",
            (double)c->reads);
  add_count(o, "bench_machine_disk_writes", "Writes of the disk of the test.",
            (double)c->writes);
  add_count(o, "bench_machine_disk_read_bytes",
            "Bytes read from the disk of the test.",
            SYSTEM_SECTOR * (double)c->read_sectors);
  add_count(o, "bench_machine_disk_written_bytes",
            "Bytes written to the disk of the test.",
            SYSTEM_SECTOR * (double)c->written_sectors);
  add_count(o, "bench_machine_disk_busy_seconds",
            "Time in which that disk had a request.",
            (double)c->busy_ms / 1000);
}

static void add_network(const struct metrics_out *o,
                        const struct system_counts *c,
                        const struct strain_counts *s)
{
  if (c->has_net) {
    add_count(o, "bench_machine_network_received_bytes",
              "Bytes received, without loopback.", (double)c->received);
    add_count(o, "bench_machine_network_sent_bytes",
              "Bytes sent, without loopback.", (double)c->sent);
  }
  if (s->has_retransmits)
    add_count(o, "bench_machine_network_retransmits",
              "TCP segments that were sent again.", (double)s->retransmits);
}

static void add_pressure(const struct metrics_out *o,
                         const struct strain_counts *s)
{
  static const char *const labels[STRAIN_PRESSURES] = {
    [STRAIN_CPU_SOME] = "resource=\"cpu\",tasks=\"some\"",
    [STRAIN_IO_SOME] = "resource=\"io\",tasks=\"some\"",
    [STRAIN_IO_FULL] = "resource=\"io\",tasks=\"full\"",
    [STRAIN_MEMORY_SOME] = "resource=\"memory\",tasks=\"some\"",
    [STRAIN_MEMORY_FULL] = "resource=\"memory\",tasks=\"full\"",
  };
  bool begun = false;

  for (int i = 0; i < STRAIN_PRESSURES; i++) {
    if (!s->has[i])
      continue;
    if (!begun)
      metrics_family(o, "bench_machine_pressure_seconds", "counter",
                     "Time in which tasks were stopped for lack of something.");
    begun = true;
    strbuf_addf(o->b, "bench_machine_pressure_seconds_total{%s} %.6f\n",
                labels[i], (double)s->stopped_us[i] / 1e6);
  }
}

void metrics_machine(const struct metrics_out *o, const char *root,
                     const char *device)
{
  struct system_counts c;
  struct strain_counts s;

  system_read(root, device, &c);
  strain_read(root, &s);
  add_cpu(o, &c);
  add_disk(o, &c);
  add_network(o, &c, &s);
  add_pressure(o, &s);
  add_count(o, "bench_machine_throttled_seconds",
            "Time that the quota of the control group has withheld.",
            jobj_seconds(s.throttled_ns));
  if (s.has_faults)
    add_count(o, "bench_machine_major_faults",
              "Pages that had to be read from a disk.", (double)s.major_faults);
  if (s.has_dirty) {
    add_level(o, "bench_machine_dirty_bytes",
              "Pages that wait to be written to disks.", (double)s.dirty_bytes);
    add_level(o, "bench_machine_writeback_bytes",
              "Pages that are being written to disks.",
              (double)s.writeback_bytes);
  }
  if (s.mhz > 0)
    add_level(o, "bench_machine_clock_hertz",
              "Clock of the fastest of a few processors.", 1e6 * s.mhz);
}
