/*
 * life.h - the start and the end of a run, for reporters: see report/life.h.
 * Only for src/run.
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

/* Look at other programs, before the start is fixed. */
void life_prepare(struct run *run);

/* The same at the end of a warm-up, without the parts that take long. */
void life_prepare_measured(struct run *run);

void life_note_slice(struct run *run, uint64_t now_ns);

/* Tell the reporters, before the gate opens. */
void life_start(struct run *run);

/* The measured part begins: called by the conductor when the run begins, or has
 * ended in its warm-up; by the report thread at the end of a warm-up. */
void life_measure_from(struct run *run, uint64_t now_ns);

/* The first message of life_fail(), or NULL.  Valid until
 * life_done(). */
const char *life_error(const struct run *run);

/* The last worker reads what the process has used, without closing connections
 * and reports.  Returns how many have left. */
unsigned life_worker_left(struct run *run);

/* The run ends by force now. */
void life_force(struct run *run);

/* The use of the measured part; `forced`: up to life_force(). */
void life_measured(struct run *run, uint64_t end_ns, bool forced);

/* Print the failure, unless the user has seen it (why->said), and keep the
 * first.  An empty one is ignored.  Any thread. */
void life_fail(struct run *run, const struct err *why);

/* After life_measured(), before the last report: find doubts about `total`, the
 * measured part, and print the certain ones. */
void life_doubt(struct run *run, const struct report *total, uint64_t end_ns);

/* Tell the reporters, after the last report.  `forced`: workers were still
 * there at the deadline. */
void life_over(struct run *run, bool started, bool forced, int status,
               uint64_t end_ns);

void life_done(struct run *run);

#endif
