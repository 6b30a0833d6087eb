/*
 * latency.h - the time of a dependent access by the size of the memory.
 *
 * One worker follows a random cycle of lines that grows from 4 KiB on. Each
 * point begins with an unmeasured pass: otherwise the lines touched last would
 * still be in the caches. Without time for all passes, sizes are left out. A
 * point is the lower quartile of many short samples, because disturbances only
 * add time. Samples during which the worker lost its CPU are dropped.
 */
#ifndef BENCH_TESTS_MEMORY_LATENCY_H
#define BENCH_TESTS_MEMORY_LATENCY_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/memory/chase.h"
#include "tests/memory/levels.h"
#include "tests/memory/pages.h"
#include "tests/place.h"

struct memory_cfg;
struct plan;
struct worker;

enum {
  LATENCY_MIN_BYTES = 4096,
  LATENCY_PER_DOUBLING = 8,
  LATENCY_SAMPLES_MAX = 64,
};

struct latency_point {
  uint64_t bytes;
  double ns; /* lower quartile; NAN: left out */
  double median;
  unsigned kept, dropped;
};

enum latency_kind {
  LATENCY_HUGE,
  LATENCY_SMALL,
  LATENCY_KINDS,
};

/* With one kind of pages. The worker writes. Readers use the first `n` points,
 * the last of which counts, and `pages` if n > 0 (acquire, release). */
struct latency_stairs {
  bool wanted;
  _Atomic size_t n;
  struct latency_point point[LEVELS_POINTS_MAX];
  struct pages pages; /* a copy, without memory */
};

struct latency {
  const struct plan *plan;
  const struct memory_cfg *cfg;
  struct place_cpus cpus;
  struct place_caches caches;
  uint64_t bytes;
  size_t n_points;
  struct latency_stairs of[LATENCY_KINDS];
};

/* In whole lines. */
uint64_t latency_size_at(size_t i, unsigned line_bytes);

size_t latency_points_to(uint64_t bytes);

static inline bool latency_counts(const struct latency_point *p)
{
  return isfinite(p->ns);
}

/*
 * The next point of `i` to `n_points` - 1: `i` if passes for all fit in
 * `left_ns`, otherwise the next of every second, fourth or eighth. Powers of
 * two are never left out.
 */
size_t latency_next_point(size_t i, size_t n_points, double access_ns,
                          uint64_t left_ns);

/* Takes samples for that long: at least seven, fewer than usual if they agree.
 * `ret->bytes` stays. False: the run is over. */
bool latency_measure(struct chase *c, struct worker *w, uint64_t for_ns,
                     struct latency_point *ret);

/* A pass over the lines, for at most `for_ns`. False: too little time, so the
 * next accesses can find lines in the caches. */
bool latency_warm(struct chase *c, uint64_t for_ns);

/* False: the run is over. */
bool latency_await_measured(struct worker *w);

/* Returns the number of plateaus. A size that was left out lies on the line
 * between its neighbours. */
size_t latency_levels(const struct latency *l, enum latency_kind kind,
                      struct level ret[LEVELS_MAX]);

/* Does a plateau end within a third of that size? The caches of virtual
 * machines are not sharp. */
bool latency_has_edge(const struct latency_point *points,
                      const struct level *levels, size_t n, uint64_t bytes);

#endif
