/*
 * arrivals.h - all arrivals of a run: those of --rate or --load-profile, and
 * those of members of a mix that have a rate of their own.
 *
 * Only the thread that reports may call the functions that count.
 */
#ifndef BENCH_RUN_ARRIVALS_H
#define BENCH_RUN_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct run;
struct schedule;
struct stall;

/* Make the schedules, from the plan and the test; and free them. */
int arrivals_make(struct run *run, struct err *err);
void arrivals_free(struct run *run);

/* The schedule of worker `tid`; NULL: its events are not due at moments of
 * their own. */
struct schedule *arrivals_of_worker(const struct run *run, unsigned tid);

/* The gate opens: run->start_ns and run->end_ns are set. */
void arrivals_start(struct run *run);

/* Has the run schedules?  False before arrivals_make(). */
bool arrivals_any(const struct run *run);

/* The measured part begins at `from_ns`; see schedule_measure(). */
void arrivals_measure(struct run *run, uint64_t from_ns);

/* The last moment at which an arrival counts: the end of the time, or that at
 * which the objective was decided.  No worker begins those that come later. */
uint64_t arrivals_end(const struct run *run);

/* Sums of what schedule_waiting() and schedule_arrivals() count. */
uint64_t arrivals_waiting(struct run *run, uint64_t now_ns);
uint64_t arrivals_count(const struct run *run);

/* See schedule_in_stalls(). */
void arrivals_in_stalls(const struct run *run, struct stall *of, unsigned n);

/* The part of arrivals_count() that is due to members' rates of their own. */
uint64_t arrivals_of_members(const struct run *run);

#endif
