/*
 * cpu.h - what the processors of this machine did during a run: time that
 * any program used, that a hypervisor took away, that a control group withheld,
 * that heat cost.
 *
 * Files are read below `root`, which is "" for the system itself.
 */
#ifndef BENCH_MACHINE_CPU_H
#define BENCH_MACHINE_CPU_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* /proc/stat, in ticks since the start of the machine. */
struct cpu_ticks {
  bool known;
  uint64_t user, system; /* with nice, and with interrupts */
  uint64_t idle, iowait, steal;
  uint64_t switches; /* context switches of the whole machine */
};

/* Read the sum over the CPUs in `set`; NULL: the whole machine, with its
 * context switches. */
void cpu_read_ticks(struct cpu_ticks *ret, const char *root,
                    const cpu_set_t *set);

/* Counters that only grow, over the processors that the process may use. */
struct machine_counts {
  bool known; /* the first three are known */
  uint64_t busy_ns, steal_ns, idle_ns;
  uint64_t throttled_ns;
  uint64_t heat; /* how often processors were slowed down by heat */

  /* At this moment, not since the start of the machine; 0: unknown. */
  double mhz;      /* of the fastest of the processors */
  double base_mhz; /* the frequency that it guarantees */
};

/* The state of the processors that the process may use, over the measured
 * part. */
struct machine_use {
  bool known;       /* the next two are known */
  uint64_t busy_ns; /* used by all programs, summed up over processors */
  uint64_t steal_ns;
  uint64_t throttled_ns;      /* withheld by the control group's quota */
  uint64_t heat;              /* how often heat has slowed them down */
  double mhz, base_mhz;       /* at the end; 0: unknown */
  double first_ghz, last_ghz; /* measured, of the processors at work: in the
                                 first and the last quarter; 0: unknown */

  /* About other processes, as far as they can be seen; since the load began. */
  uint64_t server_ns; /* database servers */
  char server[16];    /* the busiest of them; "": none was seen */
  uint64_t sibling_ns;
  char busiest[16]; /* the busiest of all others; "": unknown */
};

/* Only these three. */
void machine_read_times(const char *root, struct machine_counts *ret);

/* Takes about ten microseconds per processor. */
void machine_read(const char *root, struct machine_counts *ret);

/* What happened from `before` to `after`, and the state at `after`.  Fills a
 * part of *ret. */
void machine_between(const struct machine_counts *before,
                     const struct machine_counts *after,
                     struct machine_use *ret);

#endif
