/*
 * cgroup.h - how much of the machine the process may use.
 *
 * `root`, here and in other headers of this folder, comes before paths: ""
 * except in tests.
 */
#ifndef BENCH_MACHINE_CGROUP_H
#define BENCH_MACHINE_CGROUP_H

#include <stdint.h>

struct cgroup_limits {
  double cpus;           /* 0: no limit */
  uint64_t memory_bytes; /* 0: no limit */
  uint64_t throttled_ns; /* so far, summed up over CPUs */
  uint64_t memory_left;
};

/* The smallest limits of the process's groups and their parents, of both
 * versions. An unreadable limit counts as none. */
struct cgroup_limits cgroup_read(const char *root);
/* Of another process: "self" or its number. */
struct cgroup_limits cgroup_read_of(const char *root, const char *process);

/* Bytes: the smallest limit less usage. Droppable pages of files count as
 * unused. UINT64_MAX: no limit. */
uint64_t cgroup_memory_left(const char *root);

/* CPUs on which the process can run now. */
unsigned cgroup_cpus_allowed(void);

/* Threads of the machine that run or want to, without the caller; 0:
 * unknown. */
unsigned cgroup_others_running(const char *root);

#endif
