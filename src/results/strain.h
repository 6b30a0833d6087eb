/*
 * strain.h - what the machine was short of in an interval: pressure, pages that
 * wait for the disk, packets that were sent again, processor time that a quota
 * withheld, the clock of processors.
 *
 * Files are read below `root`, "" for the system itself.
 */
#ifndef BENCH_RESULTS_STRAIN_H
#define BENCH_RESULTS_STRAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Shares of the time in which tasks were stopped, because something was
 * short. */
enum strain_pressure {
  STRAIN_CPU_SOME,
  STRAIN_IO_SOME, /* some tasks */
  STRAIN_IO_FULL, /* all that had work to do */
  STRAIN_MEMORY_SOME,
  STRAIN_MEMORY_FULL,
  STRAIN_PRESSURES
};

/* Counters since the machine was started, and levels. */
struct strain_counts {
  bool has[STRAIN_PRESSURES];
  uint64_t stopped_us[STRAIN_PRESSURES];
  bool has_faults, has_retransmits, has_dirty;
  uint64_t major_faults, retransmits;
  uint64_t dirty_bytes, writeback_bytes;
  uint64_t throttled_ns; /* by the quota of the control group */
  double mhz;            /* of the fastest of a few processors; 0: unknown */
};

struct strain_use {
  bool has[STRAIN_PRESSURES];
  double stopped[STRAIN_PRESSURES]; /* 0 to 1 */
  bool has_faults, has_retransmits, has_dirty;
  uint64_t major_faults, retransmits;    /* in the interval */
  uint64_t dirty_bytes, writeback_bytes; /* at its end */
  double throttled; /* processors' time that was withheld, per time */
  double mhz;       /* 0: unknown */
};

/* "io_full_ratio" and the like. */
extern const char *const strain_pressure_names[STRAIN_PRESSURES];

void strain_read(const char *root, struct strain_counts *ret);
void strain_between(const struct strain_counts *before,
                    const struct strain_counts *after, uint64_t period_ns,
                    struct strain_use *ret);

#endif
