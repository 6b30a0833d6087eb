/*
 * periods.h - makes reports from snapshots: intervals, periods since the last
 * checkpoint, and the whole measured part.  One thread at a time.
 */
#ifndef BENCH_RUN_PERIODS_H
#define BENCH_RUN_PERIODS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/report.h"

struct class_set;
struct err;
struct recorders;

/* Counts of the test; `tell` can be NULL. */
struct tally_source {
  void (*tell)(void *ctx, struct tally *to);
  void *ctx;
};

/* Since `base`. */
struct period {
  struct snapshot base;
  uint64_t min_ns, max_ns;
};

struct periods {
  struct recorders *recorders;
  struct snapshot now;
  struct period interval, cumulative;
  struct hist_sum *diff; /* NULL without percentiles */

  /* For --debug: since the last checkpoint; else NULL. */
  struct report_thread *threads;
  /* min and max start afresh */
  bool reported;

  /* Only with details. */
  bool details;
  struct period total;
  struct hist_sum *total_diff;
  struct report_thread *total_threads;
  struct class_periods classes, rated, members;
  struct tally_source source;
  struct tally *tally; /* owned; NULL: nothing to count */
};

struct periods_want {
  bool per_thread;           /* of cumulative reports */
  bool details;              /* for periods_total() */
  struct class_set *classes; /* [opt] */
  struct class_set *rated;   /* [opt] */
  struct class_set *members; /* [opt] */
  struct tally_source tally; /* with details or sums */
  bool sums;                 /* for periods_sums() */
};

int periods_init(struct periods *p, struct recorders *recorders,
                 const struct periods_want *want, struct err *err);
void periods_done(struct periods *p);

/* Forget everything before. */
void periods_restart(struct periods *p, uint64_t now_ns);

/*
 * The report of the period up to `now_ns`.  The caller sets kind, form, times
 * since the start, threads and queue.  r->hist and r->thread are borrowed until
 * the next call.
 */
void periods_interval(struct periods *p, const struct report_setup *setup,
                      uint64_t now_ns, struct report *r);
void periods_cumulative(struct periods *p, const struct report_setup *setup,
                        uint64_t now_ns, struct report *r);

/* Up to the last report. */
void periods_total(struct periods *p, const struct report_setup *setup,
                   struct report *r);

/* r->classes, r->members and r->tally of the measured part, as of now. */
void periods_sums(struct periods *p, struct report *r);

#endif
