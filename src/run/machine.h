/*
 * machine.h - what the processors of this machine did while a run used them:
 * time used by anybody, taken away by a hypervisor, withheld by a control
 * group, lost to heat.  Only for src/run.
 *
 * Files are read below `root`, which is "" for the system itself.
 */
#ifndef BENCH_RUN_MACHINE_H
#define BENCH_RUN_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

struct machine_use;

/* Counters that only grow; of the processors that the process may use. */
struct machine_counts {
  bool known; /* the first two */
  uint64_t busy_ns, steal_ns;
  uint64_t throttled_ns;
  uint64_t heat; /* how often processors were slowed down by heat */

  /* Now, not since the start of the machine; 0: not known. */
  double mhz;      /* of the fastest of the processors */
  double base_mhz; /* what it guarantees */
};

/* Takes some ten microseconds per processor. */
void machine_read(const char *root, struct machine_counts *ret);

/* From `before` to `after`, with what was read at the latter; a part of *ret.
 */
void machine_between(const struct machine_counts *before,
                     const struct machine_counts *after,
                     struct machine_use *ret);

#endif
