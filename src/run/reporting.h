/*
 * reporting.h - the report thread: interval lines, checkpoints and the end of
 * the warm-up, each at its moment.
 *
 * Line k belongs to start + k * interval.  A moment that was missed is reported
 * once, late, with its true time; the next ones stay on the grid.
 */
#ifndef BENCH_RUN_REPORTING_H
#define BENCH_RUN_REPORTING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "stats/report.h"

struct err;
struct run;

/* Start the thread, which waits for the gate. */
int reporting_start(struct run *run, pthread_t *ret, struct err *err);

/*
 * The gate is open or given up, and all workers have left: report a moment that
 * coincides with the time limit if that is still owed, and end.  False: the
 * thread is stuck in a reporter and was left behind, at `until_ns` or a second
 * after a signal; should it come back, it touches nothing.
 */
bool reporting_stop(struct run *run, pthread_t thread, uint64_t until_ns);

/* Whatever is reported counts from here on: the end of the warm-up. */
void reporting_restart(const struct run *run, uint64_t now_ns);

/* The numbers that are not a difference of snapshots.  r->partial is as it
 * shall be. */
void reporting_fill(const struct run *run, struct report *r,
                    enum report_kind kind, uint64_t now_ns);

/*
 * The interval that ends at `now_ns`, shorter than the others, for files; after
 * the report thread has ended.
 */
void reporting_partial(struct run *run, uint64_t now_ns);

/* Hand a report to all reporters; what they fail to write makes the exit
 * status of the run 1. */
void reporting_send(struct run *run, const struct report *r);

#endif
