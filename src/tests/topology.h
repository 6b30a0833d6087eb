/*
 * topology.h - which of the processors that may be used are hardware threads of
 * the same core.
 *
 * Files are read below `root`, which is "" for the real system.
 */
#ifndef BENCH_TESTS_TOPOLOGY_H
#define BENCH_TESTS_TOPOLOGY_H

enum {
  TOPOLOGY_CPUS_MAX = 1024,
};

/* The first processors of all cores come first, then the second ones, and so
 * on: the first `cores` of them are on different cores. */
struct topology {
  unsigned cpus; /* at least 1 */
  unsigned cores;
  int cpu[TOPOLOGY_CPUS_MAX];
};

/* Of these processors, in ascending order.  One about which the system reports
 * nothing counts as a core. */
void topology_of(const char *root, const int *cpu, unsigned n,
                 struct topology *ret);

/* Of the processors on which the process may run. */
void topology_find(struct topology *ret);

#endif
