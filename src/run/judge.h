/*
 * judge.h - decides about the objective of a run while it goes on, so that the
 * run can end as soon as that is certain.
 *
 * The report thread looks at the counts in short intervals; after it has ended
 * or was left behind, the conductor has the last look.  Intervals count from
 * the moment at which throughput and latency are steady, which is the end of
 * the warm-up, or up to twice its length later.
 */
#ifndef BENCH_RUN_JUDGE_H
#define BENCH_RUN_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

struct decision_result;
struct err;
struct judge;
struct run;

/* run->plan has an objective.  The judge borrows the run. */
int judge_new(struct judge **ret, struct run *run, struct err *err);
void judge_free(struct judge *j);

/* The time from one look to the next. */
uint64_t judge_interval_ns(const struct judge *j);

/* The measured part begins; before that, looks only see whether the run is
 * steady. */
void judge_measure_from(struct judge *j, uint64_t now_ns);

/* True: it is decided, and the run may end.  The time between looks is the
 * interval. */
bool judge_look(struct judge *j, uint64_t now_ns);

/* The run has ended, with so many workers still inside of events. */
void judge_end(struct judge *j, uint64_t now_ns, uint64_t unfinished);

/* After judge_end(). */
const struct decision_result *judge_result(const struct judge *j);

#endif
