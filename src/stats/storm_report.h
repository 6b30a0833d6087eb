/*
 * storm_report.h - what became of clients that came all at once.
 */
#ifndef BENCH_STATS_STORM_REPORT_H
#define BENCH_STATS_STORM_REPORT_H

#include <stdint.h>

/* Of those that got so far: time since the storm began. */
struct storm_times {
  unsigned count;
  uint64_t p50_ns, p99_ns, max_ns; /* 0 without any */
};

enum {
  STORM_REASON = 256 /* bytes */
};

/* The clients of one storm: served + failed + others. */
struct storm_report {
  uint64_t at_ns; /* since the measured start */
  unsigned clients;
  unsigned failed;              /* did not connect */
  struct storm_times connected; /* ready for their event */
  struct storm_times served;    /* event ended */
  char reason[STORM_REASON];    /* the first failure; "": none */
};

#endif
