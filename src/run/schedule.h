/*
 * schedule.h - arrivals under --rate and --load-profile: the due time of every
 * event of a run.
 *
 * Gaps are exponential, drawn from a random stream of their own, so the times
 * depend only on the seed and the rate.  Workers take the times one by one.  A
 * worker that is late gets a time in the past, and measures from there.
 */
#ifndef BENCH_RUN_SCHEDULE_H
#define BENCH_RUN_SCHEDULE_H

#include <stdint.h>

struct err;
struct load_curve;
struct schedule;

/* Schedules with the same seed and different parts are independent.  Together
 * they are one schedule with the sum of their rates. */
int schedule_new(struct schedule **ret, double rate, uint64_t seed,
                 unsigned part, struct err *err);

/*
 * The share of one of `parts` processes of a load that changes.  The curve
 * begins `lead_ns` after the start.  One whose rate never changes gives the
 * same times as schedule_new() with that rate.
 */
int schedule_new_curve(struct schedule **ret, const struct load_curve *curve,
                       uint64_t lead_ns, uint64_t seed, unsigned part,
                       unsigned parts, struct err *err);
void schedule_free(struct schedule *s);

/*
 * Arrivals count from `start_ns` on.  None is due after `end_ns`, and no more
 * than `events` of the measured part count, because no worker begins more;
 * UINT64_MAX: no limit.
 */
void schedule_start(struct schedule *s, uint64_t start_ns, uint64_t end_ns,
                    uint64_t events);

/*
 * The measured part begins at `from_ns`: arrivals that were due before and were
 * not taken are dropped.  The functions below belong to the thread that calls
 * this one.  They move along the arrivals and never back: a question about an
 * earlier moment gets the answer for the latest one.
 */
void schedule_measure(struct schedule *s, uint64_t from_ns);

/*
 * Take the next due time that is not before `from_ns`.  Earlier ones are
 * dropped, because the backlog of a warm-up is not measured.  Any worker may
 * call.
 */
uint64_t schedule_take(struct schedule *s, uint64_t from_ns);

/* An arrival that was taken and is due is not begun, because the run is over:
 * it waits from now on.  Any worker may call. */
void schedule_leave(struct schedule *s);

/* The number of arrivals that are due at `now_ns` and were not taken, or were
 * left. */
uint64_t schedule_waiting(struct schedule *s, uint64_t now_ns);

/* The number of arrivals of the measured part that were due at the latest
 * moment that was asked about. */
uint64_t schedule_arrivals(const struct schedule *s);

#endif
