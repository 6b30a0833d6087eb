/*
 * periods.h - from snapshots to reports: intervals, and what is cumulated since
 * the last checkpoint.
 *
 * One thread at a time uses it.
 */
#ifndef BENCH_RUN_PERIODS_H
#define BENCH_RUN_PERIODS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/report.h"

struct err;
struct recorders;

/* Since when, and the smallest and largest latency since then. */
struct period {
  struct snapshot base;
  uint64_t min_ns, max_ns;
};

struct periods {
  struct recorders *recorders;
  struct snapshot now;
  struct period interval, cumulative;
  struct hist_sum *diff; /* NULL without percentiles */

  /* Of the cumulated period, for --debug; NULL without. */
  struct report_thread *threads;
  bool reported; /* they were shown, and start afresh */
};

int periods_init(struct periods *p, struct recorders *recorders,
                 bool per_thread, struct err *err);
void periods_done(struct periods *p);

/* Forget all that was before this moment. */
void periods_restart(struct periods *p, uint64_t now_ns);

/*
 * The report of the period that ends at `now_ns`, and the start of the next
 * one.  The caller fills in kind, style, times since the start, threads and
 * queue.  r->hist and r->thread are borrowed until the next call.
 */
void periods_interval(struct periods *p, const struct report_setup *setup,
                      uint64_t now_ns, struct report *r);
void periods_cumulative(struct periods *p, const struct report_setup *setup,
                        uint64_t now_ns, struct report *r);

#endif
