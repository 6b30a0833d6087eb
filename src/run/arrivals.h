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

struct run;

/* Do events of some workers become due, whether a worker is free or not?  True
 * from the moment on at which the schedules were made. */
bool arrivals_any(const struct run *run);

/* The measured part begins at `from_ns`; see schedule_measure(). */
void arrivals_measure(struct run *run, uint64_t from_ns);

/* Sums of what schedule_waiting() and schedule_arrivals() count. */
uint64_t arrivals_waiting(struct run *run, uint64_t now_ns);
uint64_t arrivals_count(const struct run *run);

/* The part of arrivals_count() that is due to members' rates of their own. */
uint64_t arrivals_of_members(const struct run *run);

#endif
