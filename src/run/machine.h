/*
 * machine.h - what the processors of this machine did during a run: time that
 * any program used, that a hypervisor took away, that a control group withheld,
 * that heat cost.  Only for src/run.
 *
 * Files are read below `root`, which is "" for the system itself.
 */
#ifndef BENCH_RUN_MACHINE_H
#define BENCH_RUN_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

struct machine_use;

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
