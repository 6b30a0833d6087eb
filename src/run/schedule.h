/*
 * schedule.h - arrivals under --rate: the due time of every event of a run.
 *
 * Gaps are exponential, drawn from a stream of their own, so that the times
 * depend on the seed and the rate only.  Workers take the times one by one;
 * a worker that comes late finds a time in the past and measures from there.
 */
#ifndef BENCH_RUN_SCHEDULE_H
#define BENCH_RUN_SCHEDULE_H

#include <stdint.h>

struct err;
struct schedule;

/* Schedules of the same seed and of different parts have nothing in common;
 * together they are one of the sum of their rates. */
int schedule_new(struct schedule **ret, double rate, uint64_t seed,
                 unsigned part, struct err *err);
void schedule_free(struct schedule *s);

/*
 * Arrivals count from `start_ns` on.  None is due after `end_ns`, and no more
 * than `events` of the measured part count, since nobody may begin any others;
 * UINT64_MAX for no limit.
 */
void schedule_start(struct schedule *s, uint64_t start_ns, uint64_t end_ns,
                    uint64_t events);

/*
 * The measured part begins at `from_ns`: what was due before and was not taken
 * is dropped.  The functions below belong to the thread that calls this.  They
 * go through all arrivals since the moment that was asked about last, and do
 * not go back: an earlier moment is answered like that one.
 */
void schedule_measure(struct schedule *s, uint64_t from_ns);

/*
 * The next due time that is not before `from_ns`; those that are, are dropped:
 * what a warm-up left behind is no part of what is measured.  Any worker.
 */
uint64_t schedule_take(struct schedule *s, uint64_t from_ns);

/* How many arrivals are due at `now_ns` and were not taken. */
uint64_t schedule_waiting(struct schedule *s, uint64_t now_ns);

/* Arrivals of the measured part that were due at the last moment that was asked
 * about. */
uint64_t schedule_arrivals(const struct schedule *s);

#endif
