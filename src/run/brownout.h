/*
 * brownout.h - times with less than half of the usual throughput.
 *
 * The report thread notes events about once a second.  Usual is the median of
 * the minute before, of at least ten seconds without an outage.  With arrivals,
 * events must also wait.
 */
#ifndef BENCH_RUN_BROWNOUT_H
#define BENCH_RUN_BROWNOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/outage_report.h"

enum {
  BROWNOUT_MINUTE = 60 /* for the usual throughput */
};

/* {0} is ready for use. */
struct brownouts {
  uint64_t at_ns, events, stalled_ns; /* of the last note */
  double per_s[BROWNOUT_MINUTE];      /* of the last seconds, a ring */
  unsigned n;                         /* seconds so far */
  struct brownout of[BROWNOUTS_MAX];
  unsigned kept;
  uint64_t count, sum_ns;
};

/* Totals so far; `waiting` arrivals: 0 without `rated`. */
void brownouts_note(struct brownouts *b, uint64_t now_ns, uint64_t events,
                    uint64_t stalled_ns, bool rated, uint64_t waiting);

void brownouts_report(const struct brownouts *b, struct outage_report *ret);

#endif
