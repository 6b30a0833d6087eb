/*
 * slices.h - the measured part of a run in 32 to 64 slices, for comparisons. A
 * slice lasts SLICES_NS at first. When the room is used up, pairs are merged,
 * and later slices are twice as long. A late call makes a slice longer.
 */
#ifndef BENCH_STATS_SLICES_H
#define BENCH_STATS_SLICES_H

#include <stdint.h>

#include "base/clock.h"

#define SLICES_NS (100 * NS_PER_MS)

enum {
  SLICES_MAX = 64,
};

struct slice_moment {
  uint64_t at_ns;
  uint64_t events, sum_ns, queries;
};

/* Slice i is from moment[i] to moment[i + 1]. n moments; 0: not started. */
struct slices {
  uint64_t length_ns; /* of the next slice */
  unsigned n;
  struct slice_moment moment[SLICES_MAX + 1];
};

void slices_start(struct slices *s, const struct slice_moment *now);

/* Of the next slices_note(); UINT64_MAX before slices_start(). */
uint64_t slices_due(const struct slices *s);

/* At slices_due() or later; ignored before slices_start(). */
void slices_note(struct slices *s, const struct slice_moment *now);

#endif
