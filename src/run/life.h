/*
 * life.h - the start and the end of a run, for reporters.  Only for src/run.
 *
 * Only the conductor calls, except for life_measure_from(), life_note_slice(),
 * life_worker_left() and life_fail().
 */
#ifndef BENCH_RUN_LIFE_H
#define BENCH_RUN_LIFE_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct report;
struct run;

/* Before the start is fixed: looks at other programs. */
void life_prepare(struct run *run);

/* At the end of a warm-up, without the parts that take long. */
void life_prepare_measured(struct run *run);

void life_note_slice(struct run *run, uint64_t now_ns);

/* Before the gate opens. */
void life_start(struct run *run);

/* The conductor calls it when the run begins, or has ended in its warm-up;
 * the report thread at the end of a warm-up. */
void life_measure_from(struct run *run, uint64_t now_ns);

/* The first message of life_fail(), or NULL.  Valid until
 * life_done(). */
const char *life_error(const struct run *run);

/* The last worker reads the process's usage before connections and reports
 * are closed.  Returns how many have left. */
unsigned life_worker_left(struct run *run);

/* The run ends by force. */
void life_force(struct run *run);

/* The use of the measured part; `forced`: up to life_force(). */
void life_measured(struct run *run, uint64_t end_ns, bool forced);

/* Prints the failure, unless the user has seen it (why->said), and keeps the
 * first. Ignores an empty one.  Any thread. */
void life_fail(struct run *run, const struct err *why);

/* After life_measured(), before the last report: finds warnings about
 * `total`, and prints the certain ones. */
void life_doubt(struct run *run, const struct report *total, uint64_t end_ns);

/* After the last report.  `forced`: workers were still there at the
 * deadline. */
void life_over(struct run *run, bool started, bool forced, int status,
               uint64_t end_ns);

void life_done(struct run *run);

#endif
