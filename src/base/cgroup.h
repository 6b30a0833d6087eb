/*
 * cgroup.h - how much of the machine the process may use.
 *
 * Files are read below `root`, which is "" for the system itself.
 */
#ifndef BENCH_BASE_CGROUP_H
#define BENCH_BASE_CGROUP_H

#include <stdint.h>

struct cgroup_limits {
  double cpus;           /* processors' time; 0: no limit */
  uint64_t memory_bytes; /* 0: no limit */
  uint64_t throttled_ns; /* so far: how long the limit of `cpus` has stopped
                            the group, summed up over its processors */
  uint64_t memory_left;  /* see cgroup_memory_left() */
};

/* The least of the limits of the process's groups and their parents, for both
 * versions of the interface.  What cannot be read is no limit. */
struct cgroup_limits cgroup_read(const char *root);

/*
 * Bytes of memory that the groups leave, the least of them: their limit less
 * what they use.  Pages of files that can be dropped count as not used.
 * UINT64_MAX: there is no limit.
 */
uint64_t cgroup_memory_left(const char *root);

/* Processors on which the process may run, as of now. */
unsigned cgroup_cpus_allowed(void);

#endif
