/*
 * periods.h - makes reports from snapshots: intervals, the period since the
 * last checkpoint, and the whole measured part.  One thread at a time uses it.
 */
#ifndef BENCH_RUN_PERIODS_H
#define BENCH_RUN_PERIODS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/report.h"

struct class_set;
struct err;
struct recorders;

/* A test that counts something of its own; tell is NULL without one. */
struct tally_source {
  void (*tell)(void *ctx, struct tally *to);
  void *ctx;
};

/* The snapshot at the start of a period, and the smallest and largest latency
 * since then. */
struct period {
  struct snapshot base;
  uint64_t min_ns, max_ns;
};

struct periods {
  struct recorders *recorders;
  struct snapshot now;
  struct period interval, cumulative;
  struct hist_sum *diff; /* NULL without percentiles */

  /* Threads in the period since the last checkpoint, for --debug; else NULL. */
  struct report_thread *threads;
  /* Smallest and largest latency were reported, and start afresh. */
  bool reported;

  /* The whole measured part; only with details. */
  bool details;
  struct period total;
  struct hist_sum *total_diff;
  struct report_thread *total_threads;
  struct class_periods classes, rated, members;
  struct tally_source source;
  struct tally *tally; /* owned; NULL: there is no source, or it is not asked */
};

/* What is reported in addition to the usual figures. */
struct periods_want {
  bool per_thread;           /* figures of threads in cumulative reports */
  bool details;              /* periods_total() will be called */
  struct class_set *classes; /* [opt] classes of operations */
  struct class_set *rated;   /* [opt] classes for r->rated */
  struct class_set *members; /* [opt] classes for r->members */
  struct tally_source tally; /* with details or sums: for r->tally */
  bool sums;                 /* periods_sums() will be called */
};

int periods_init(struct periods *p, struct recorders *recorders,
                 const struct periods_want *want, struct err *err);
void periods_done(struct periods *p);

/* Forget everything before this moment. */
void periods_restart(struct periods *p, uint64_t now_ns);

/*
 * Make the report of the period that ends at `now_ns`, and start the next one.
 * The caller fills in kind, form, times since the start, threads and queue.
 * r->hist and r->thread are borrowed until the next call.
 */
void periods_interval(struct periods *p, const struct report_setup *setup,
                      uint64_t now_ns, struct report *r);
void periods_cumulative(struct periods *p, const struct report_setup *setup,
                        uint64_t now_ns, struct report *r);

/* Make the report of the whole measured part, up to the last report. */
void periods_total(struct periods *p, const struct report_setup *setup,
                   struct report *r);

/* Fill in r->tally of the whole measured part, as of now. */
void periods_sums(struct periods *p, struct report *r);

/* The classes of the whole measured part, if they are kept; the members of a
 * mix in the same way. */
struct class_list periods_classes(struct periods *p);
struct class_list periods_members(struct periods *p);

#endif
