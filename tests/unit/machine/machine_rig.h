/*
 * machine_rig.h - for tests that write what the system says of processors.
 */
#ifndef TESTS_UNIT_RUN_MACHINE_RIG_H
#define TESTS_UNIT_RUN_MACHINE_RIG_H

#include <sched.h>

#include "base/thread.h"

/* The first processor on which this test may run. */
static inline int allowed_cpu(void)
{
  cpu_set_t set;

  CPU_ZERO(&set);
  (void)sched_getaffinity(0, sizeof(set), &set);
  for (int i = 0; i < CPUS_MAX; i++) {
    if (CPU_ISSET(i, &set))
      return i;
  }
  return 0;
}

#endif
