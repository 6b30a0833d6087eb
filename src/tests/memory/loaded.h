/*
 * loaded.h - latency while other threads use bandwidth.
 *
 * Worker 0 follows a random cycle.  The others copy their own memory, piece by
 * piece, with a delay after each piece.  The first point is without load; then
 * the delays become shorter, so that the load grows.
 */
#ifndef BENCH_TESTS_MEMORY_LOADED_H
#define BENCH_TESTS_MEMORY_LOADED_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "tests/memory/place.h"

struct memory_cfg;
struct plan;
struct streams;

enum {
  LOADED_POINTS = 20,      /* without load, and one for each delay */
  LOADED_SLICES_MAX = 128, /* of a point */
};

/* Turns of an empty loop after each piece; UINT32_MAX: no load at all. */
extern const uint32_t loaded_delays[LOADED_POINTS];

struct loaded_point {
  double bytes_per_s; /* of the loads, as counted */
  double ns;          /* NAN: the loads never ran meanwhile */
  unsigned kept, dropped;
};

/* A part of the time of a point: both sides measured at once. */
struct loaded_slice {
  double bytes_per_s, ns;
};

static inline bool loaded_counts(const struct loaded_point *p)
{
  return isfinite(p->ns);
}

/*
 * Set bandwidth and latency of a point to the medians of its slices.  With
 * load, slices in which nothing was copied do not count: the loads had lost
 * their processors.
 */
void loaded_summarize(const struct loaded_slice *of, size_t n, bool with_load,
                      struct loaded_point *ret);

/* What a load has copied so far; only its worker writes here. */
struct loaded_count {
  _Atomic uint64_t bytes;
} CACHE_ALIGNED;

struct loaded {
  const struct plan *plan;
  const struct memory_cfg *cfg;
  const struct streams *streams;
  struct place_cpus cpus;
  unsigned line_bytes;
  uint64_t chase_bytes, load_bytes; /* of worker 0, and of each other */
  struct loaded_count *counts;      /* owned; one for each worker */
  _Atomic uint64_t huge_bytes;      /* sum over all memory */

  /* The current point; LOADED_POINTS: all are done.  Written by worker 0. */
  _Atomic uint32_t step CACHE_ALIGNED;

  /* Worker 0 writes; readers use the first `n` (acquire pairs with release). */
  _Atomic size_t n;
  struct loaded_point point[LOADED_POINTS];
};

/*
 * Find the point with the most bandwidth among those whose latency is at most
 * 1.5 times that of the first point, which is without load; 0: there is none.
 */
size_t loaded_knee(const struct loaded_point *of, size_t n);

#endif
