/*
 * storm_report.h - how clients fared that came all at once.
 */
#ifndef BENCH_STATS_STORM_REPORT_H
#define BENCH_STATS_STORM_REPORT_H

#include <stdint.h>

/* Times since the storm began, of the clients that got so far. */
struct storm_times {
  unsigned count;
  uint64_t p50_ns, p99_ns, max_ns; /* 0 without any */
};

enum {
  STORM_REASON = 256 /* bytes */
};

/* Of one storm: clients = served + failed + others. */
struct storm_report {
  uint64_t at_ns; /* since the measured start */
  unsigned clients;
  unsigned failed;              /* did not connect */
  struct storm_times connected; /* ready for their event */
  struct storm_times served;    /* event ended */
  char reason[STORM_REASON];    /* the first failure; "": none */
};

#endif
