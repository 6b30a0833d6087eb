/*
 * loaded.h - latency while other threads use bandwidth. Worker 0 follows a
 * random cycle. The others copy their own memory in pieces, with a delay after
 * each. The first point has no load; then the delays shrink.
 */
#ifndef BENCH_TESTS_MEMORY_LOADED_H
#define BENCH_TESTS_MEMORY_LOADED_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "tests/place.h"

struct memory_cfg;
struct plan;
struct streams;

enum {
  LOADED_POINTS = 20,
  LOADED_SLICES_MAX = 128,
};

struct loaded_point {
  double bytes_per_s; /* counted by the loads */
  double ns;          /* NAN: no load ran */
  unsigned kept, dropped;
};

/* Both sides, measured at once. */
struct loaded_slice {
  double bytes_per_s, ns;
};

static inline bool loaded_counts(const struct loaded_point *p)
{
  return isfinite(p->ns);
}

/* Medians of slices. With load, slices in which nothing was copied do not
 * count: the loads had lost their CPUs. */
void loaded_summarize(const struct loaded_slice *of, size_t n, bool with_load,
                      struct loaded_point *ret);

/* Only the worker of the load writes. */
struct loaded_count {
  _Atomic uint64_t bytes;
} CACHE_ALIGNED;

struct loaded {
  const struct plan *plan;
  const struct memory_cfg *cfg;
  const struct streams *streams;
  struct place_cpus cpus;
  unsigned line_bytes;
  uint64_t chase_bytes, load_bytes; /* of worker 0, of each other */
  struct loaded_count *counts;      /* owned; [threads] */
  _Atomic uint64_t huge_bytes;

  /* The current point, set by worker 0; LOADED_POINTS: all are done. */
  _Atomic uint32_t step CACHE_ALIGNED;

  /* Worker 0 writes; readers use the first `n` (acquire, release). */
  _Atomic size_t n;
  struct loaded_point point[LOADED_POINTS];
};

/* The point with the most bandwidth at a latency of at most 1.5 times that of
 * the first; 0: none. */
size_t loaded_knee(const struct loaded_point *of, size_t n);

#endif
