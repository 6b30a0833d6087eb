/*
 * trend.h - does the throughput still change when a run ends? Moments are noted
 * about once a second. When the room is used up, every second one is forgotten.
 */
#ifndef BENCH_STATS_TREND_H
#define BENCH_STATS_TREND_H

#include <stdbool.h>
#include <stdint.h>

enum {
  TREND_MOMENTS = 129,
  TREND_SPANS_MIN = 8, /* about eight seconds */
};

struct trend {
  unsigned n;
  unsigned step, skipped;
  uint64_t at_ns[TREND_MOMENTS];
  uint64_t events[TREND_MOMENTS];
};

/* When the measured part begins. */
void trend_start(struct trend *t, uint64_t now_ns, uint64_t events);
/* By one thread at a time; ignored before trend_start(). */
void trend_note(struct trend *t, uint64_t now_ns, uint64_t events);

/*
 * True: the last quarter differs from the one before by a tenth or more for
 * every pair of moments; the change since the second quarter has the same
 * direction; the three are in order beyond chance. *ret: 0.1 for 10 % higher.
 */
bool trend_find(const struct trend *t, double *ret);

/*
 * True: all rates of the beginning are beyond all of the second half, by a
 * tenth on average and by its range. The beginning is a quarter, of at least
 * three rates. *ret: -0.1 if the mean rate of the whole is 10 % below that of
 * the second half.
 */
bool trend_begins_apart(const struct trend *t, double *ret);

#endif
