/*
 * reporting.h - the report thread: interval lines, checkpoints and the end of
 * the warm-up, each at its moment.
 *
 * Line k belongs to start + k * interval.  A moment that was missed is reported
 * once, late, with its true time.  The next ones stay on the grid.
 */
#ifndef BENCH_RUN_REPORTING_H
#define BENCH_RUN_REPORTING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "stats/report.h"

struct err;
struct run;

/* Start the thread, which then waits for the gate. */
int reporting_start(struct run *run, pthread_t *ret, struct err *err);

/*
 * Stop the thread.  The gate is open or given up, and all workers have left.
 * If a line was due at the time limit, it is still reported.  False: the thread
 * is stuck in a reporter; it was given up at `until_ns`, or a second after a
 * signal. If it comes back, it touches nothing.
 */
bool reporting_stop(struct run *run, pthread_t thread, uint64_t until_ns);

/* Reports count from this moment on: the end of the warm-up. */
void reporting_restart(const struct run *run, uint64_t now_ns);

/* Fill in the numbers that are not a difference of snapshots.  r->partial is
 * already set. */
void reporting_fill(struct run *run, struct report *r, enum report_kind kind,
                    uint64_t now_ns);

/*
 * Report the interval that ends at `now_ns`, which is shorter than the others.
 * For files; called after the report thread has ended.
 */
void reporting_partial(struct run *run, uint64_t now_ns);

/* Hand a report to all reporters.  If one fails to write, the exit status of
 * the run is 1. */
void reporting_send(struct run *run, const struct report *r);

#endif
