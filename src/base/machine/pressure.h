/*
 * pressure.h - which resources the machine lacked in an interval.
 */
#ifndef BENCH_MACHINE_PRESSURE_H
#define BENCH_MACHINE_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

/* Shares of the time in which tasks were stopped. */
enum pressure {
  PRESSURE_CPU_SOME,
  PRESSURE_IO_SOME, /* some tasks */
  PRESSURE_IO_FULL, /* all tasks with work */
  PRESSURE_MEMORY_SOME,
  PRESSURE_MEMORY_FULL,
  PRESSURES
};

/* Counters since the start of the machine, and levels. */
struct pressure_counts {
  bool has[PRESSURES];
  uint64_t stopped_us[PRESSURES];
  bool has_faults, has_retransmits, has_dirty;
  uint64_t major_faults, retransmits;
  uint64_t dirty_bytes, writeback_bytes;
  uint64_t throttled_ns; /* by the quota */
  double mhz;            /* of the fastest of a few CPUs; 0: unknown */
};

struct pressure_use {
  bool has[PRESSURES];
  double stopped[PRESSURES]; /* 0 to 1 */
  bool has_faults, has_retransmits, has_dirty;
  uint64_t major_faults, retransmits;    /* in the interval */
  uint64_t dirty_bytes, writeback_bytes; /* at the end */
  double throttled;                      /* CPU time withheld, per time */
  double mhz;                            /* 0: unknown */
};

void pressure_read(const char *root, struct pressure_counts *ret);
void pressure_between(const struct pressure_counts *before,
                      const struct pressure_counts *after, uint64_t period_ns,
                      struct pressure_use *ret);

#endif
