/*
 * arrivals.h - all arrivals of a run: of --rate or --load-profile, and of
 * members of a mix with a rate of their own.
 *
 * Only the report thread counts.
 */
#ifndef BENCH_RUN_ARRIVALS_H
#define BENCH_RUN_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct run;
struct schedule;
struct stall;

/* From the plan and the test. */
int arrivals_make(struct run *run, struct err *err);
void arrivals_free(struct run *run);

/* NULL: events are not due at moments of their own. */
struct schedule *arrivals_of_worker(const struct run *run, unsigned tid);

/* After run->start_ns and run->end_ns are set. */
void arrivals_start(struct run *run);

/* False before arrivals_make(). */
bool arrivals_any(const struct run *run);

/* The measured part begins at `from_ns`; see schedule_measure(). */
void arrivals_measure(struct run *run, uint64_t from_ns);

/* Workers begin no later arrivals: the time is over, or the objective is
 * decided. */
uint64_t arrivals_end(const struct run *run);

/* Sums of schedule_waiting() and schedule_arrivals(). */
uint64_t arrivals_waiting(struct run *run, uint64_t now_ns);
uint64_t arrivals_count(const struct run *run);

/* See schedule_in_stalls(). */
void arrivals_in_stalls(const struct run *run, struct stall *of, unsigned n);

uint64_t arrivals_of_members(const struct run *run);

#endif
