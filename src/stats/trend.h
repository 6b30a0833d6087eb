/*
 * trend.h - does the throughput still change when a run ends?
 *
 * The caller notes the number of events about once a second, in runs of any
 * length.  When the room is used up, every second moment is forgotten.
 */
#ifndef BENCH_STATS_TREND_H
#define BENCH_STATS_TREND_H

#include <stdbool.h>
#include <stdint.h>

enum {
  TREND_MOMENTS = 129,
  TREND_SPANS_MIN = 8, /* between moments: about eight seconds */
};

struct trend {
  unsigned n;
  unsigned step, skipped; /* every step-th moment is kept */
  uint64_t at_ns[TREND_MOMENTS];
  uint64_t events[TREND_MOMENTS];
};

/* Called when the measured part begins. */
void trend_start(struct trend *t, uint64_t now_ns, uint64_t events);
/* Called by one thread at a time; ignored before trend_start(). */
void trend_note(struct trend *t, uint64_t now_ns, uint64_t events);

/*
 * Returns true if three conditions hold.  The rate of the last quarter differs
 * from that of the quarter before it by a tenth or more, for every pair of
 * their moments.  The change since the second quarter has the same direction.
 * The rates of the last three quarters are in order beyond chance.  Needs
 * TREND_SPANS_MIN. *ret is the change: 0.1 for a rate that is 10 % higher.
 */
bool trend_find(const struct trend *t, double *ret);

#endif
