/*
 * cgroup.h - how much of the machine the process may use.
 *
 * Files are read below `root`, which is "" for the system itself.
 */
#ifndef BENCH_MACHINE_CGROUP_H
#define BENCH_MACHINE_CGROUP_H

#include <stdint.h>

struct cgroup_limits {
  double cpus; /* processors that may be busy all the time; 0: no limit */
  uint64_t memory_bytes; /* 0: no limit */
  uint64_t throttled_ns; /* how long the limit of `cpus` has stopped the group
                            so far, summed up over its processors */
  uint64_t memory_left;  /* see cgroup_memory_left() */
};

/* The smallest of the limits of the process's groups and their parents, for
 * both versions of the interface.  A limit that cannot be read counts as no
 * limit. */
struct cgroup_limits cgroup_read(const char *root);

/*
 * Bytes of memory that the groups leave, the smallest of them: limit less
 * usage.  Pages of files that can be dropped count as unused.  UINT64_MAX:
 * there is no limit.
 */
uint64_t cgroup_memory_left(const char *root);

/* The number of processors on which the process may run at present. */
unsigned cgroup_cpus_allowed(void);

/* How many threads of the whole machine run, or want to, at this moment,
 * without the calling one. 0 also if that is not known. */
unsigned cgroup_others_running(const char *root);

#endif
