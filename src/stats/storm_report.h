/*
 * storm_report.h - what became of clients that came all at once, as plain
 * numbers.
 */
#ifndef BENCH_STATS_STORM_REPORT_H
#define BENCH_STATS_STORM_REPORT_H

#include <stdint.h>

/* Of those that got so far: the time since the storm broke loose. */
struct storm_times {
  unsigned count;
  uint64_t p50_ns, p99_ns, max_ns; /* 0 without any */
};

enum {
  STORM_REASON = 256 /* bytes, with the terminator */
};

/* The clients of one storm: served + failed + others = clients. */
struct storm_report {
  uint64_t at_ns; /* after the start of the measured part */
  unsigned clients;
  unsigned failed;              /* could not connect */
  struct storm_times connected; /* are ready for their event */
  struct storm_times served;    /* their event has ended */
  char reason[STORM_REASON];    /* the first failure; "": none */
};

#endif
