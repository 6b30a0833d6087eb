/*
 * reporting.h - the report thread: interval lines, checkpoints and the end of
 * the warm-up.
 *
 * Line k is due at start + k * interval.  A missed moment is reported once,
 * late, with its true time.
 */
#ifndef BENCH_RUN_REPORTING_H
#define BENCH_RUN_REPORTING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "stats/report.h"

struct err;
struct run;

/* The thread waits for the gate. */
int reporting_start(struct run *run, pthread_t *ret, struct err *err);

/*
 * After the gate is open or given up, and all workers have left.  Reports a
 * line due at the time limit.  False: stuck in a reporter, and given up at
 * `until_ns`, or a second after a signal; the thread touches nothing any more.
 */
bool reporting_stop(struct run *run, pthread_t thread, uint64_t until_ns);

/* Reports count from now on. */
void reporting_restart(const struct run *run, uint64_t now_ns);

/* Sets members other than differences of snapshots.  r->partial is set
 * before. */
void reporting_fill(struct run *run, struct report *r, enum report_kind kind,
                    uint64_t now_ns);

/* For files: the last, shorter interval.  After the report thread. */
void reporting_partial(struct run *run, uint64_t now_ns);

/* To all reporters.  A failure sets the exit status 1. */
void reporting_send(struct run *run, const struct report *r);

#endif
