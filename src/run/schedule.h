/*
 * schedule.h - the due times of events under --rate and --load-profile.
 *
 * Gaps are exponential and depend on the seed and the rate only.  A late worker
 * takes a time in the past, and measures from there.
 */
#ifndef BENCH_RUN_SCHEDULE_H
#define BENCH_RUN_SCHEDULE_H

#include <stdint.h>

struct err;
struct load_curve;
struct schedule;
struct stall;

/* Different parts of one seed are independent, and sum up to one schedule. */
int schedule_new(struct schedule **ret, double rate, uint64_t seed,
                 unsigned part, struct err *err);

/* The share of one of `parts` processes.  The curve begins `lead_ns` after
 * the start.  A constant curve equals schedule_new(). */
int schedule_new_curve(struct schedule **ret, const struct load_curve *curve,
                       uint64_t lead_ns, uint64_t seed, unsigned part,
                       unsigned parts, struct err *err);
void schedule_free(struct schedule *s);

/* No arrival is due after `end_ns`, and at most `events` of the measured part
 * count; UINT64_MAX: no limit. */
void schedule_start(struct schedule *s, uint64_t start_ns, uint64_t end_ns,
                    uint64_t events);

/*
 * The measured part begins: drops untaken arrivals from before. The calling
 * thread owns the functions below, which never go back: for an earlier moment,
 * they answer for the latest.
 */
void schedule_measure(struct schedule *s, uint64_t from_ns);

/* The next due time, not before `from_ns`, which drops the backlog of a
 * warm-up. Any worker. */
uint64_t schedule_take(struct schedule *s, uint64_t from_ns);

/* A taken arrival is not begun: it waits again.  Any worker. */
void schedule_leave(struct schedule *s);

/* Due arrivals that were not taken, or were left. */
uint64_t schedule_waiting(struct schedule *s, uint64_t now_ns);

/* Adds to each of `n` stalls, in order of time, the arrivals due in it.
 * Draws the whole sequence again, at the end of a run. */
void schedule_in_stalls(const struct schedule *s, struct stall *of, unsigned n);

/* Arrivals of the measured part up to the latest moment asked about. */
uint64_t schedule_arrivals(const struct schedule *s);

#endif
