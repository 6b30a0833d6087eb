/*
 * latency.h - the time of a dependent access, by the size of the memory that is
 * used.
 *
 * One worker, on its own processor, follows a random cycle of lines that grows
 * from 4 KiB on.  Each point begins with a whole pass that is not measured:
 * without it, lines that were touched to make the cycle longer would still be
 * in the caches.  If the time is too short for all passes, some sizes are left
 * out.  A point of the staircase consists of many short samples, so that few of
 * them are disturbed.  Samples during which the worker lost its
 * processor are dropped.  Disturbances only ever add time, so the point is the
 * lower quartile of the others.
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
#include "tests/memory/place.h"

struct memory_cfg;
struct plan;
struct worker;

enum {
  LATENCY_MIN_BYTES = 4096,
  LATENCY_PER_DOUBLING = 8,
  LATENCY_SAMPLES_MAX = 64, /* of a point */
};

struct latency_point {
  uint64_t bytes;
  double ns;     /* the lower quartile of the samples that count; NAN: this
                    size was left out */
  double median; /* median of the same samples */
  unsigned kept, dropped;
};

enum latency_kind {
  LATENCY_HUGE,
  LATENCY_SMALL,
  LATENCY_KINDS,
};

/*
 * With one kind of pages.  The worker writes; readers use the first `n` points,
 * the last of which counts, and `pages` if n > 0 (acquire pairs with release).
 */
struct latency_stairs {
  bool wanted;
  _Atomic size_t n;
  struct latency_point point[LEVELS_POINTS_MAX];
  struct pages pages; /* a copy: the memory has been unmapped */
};

struct latency {
  const struct plan *plan;
  const struct memory_cfg *cfg;
  struct place_cpus cpus;
  struct place_caches caches; /* as the system reports them */
  uint64_t bytes;             /* size of the last point */
  size_t n_points;            /* points of each staircase */
  struct latency_stairs of[LATENCY_KINDS];
};

/* Bytes of point number i, in whole lines. */
uint64_t latency_size_at(size_t i, unsigned line_bytes);
/* How many points there are up to that size; the last one is at or below it. */
size_t latency_points_to(uint64_t bytes);

static inline bool latency_counts(const struct latency_point *p)
{
  return isfinite(p->ns);
}

/*
 * Which of the points from `i` to `n_points` - 1 is next, if an access of a
 * pass takes that long?  `i` itself if passes for all fit in the time that is
 * left, otherwise the next one of every second, fourth or eighth.  The sizes
 * that are powers of two are never left out here.
 */
size_t latency_next_point(size_t i, size_t n_points, double access_ns,
                          uint64_t left_ns);

/* ---- samples, also for other tests ---- */

struct latency_samples {
  double ns[LATENCY_SAMPLES_MAX];
  unsigned n;         /* samples kept */
  unsigned dropped;   /* the worker lost its processor meanwhile */
  size_t steps;       /* length of the next sample */
  uint64_t sample_ns; /* how long one should take */
};

/* Take one sample, which is one event of the worker; false: the run is over. */
bool latency_sample(struct latency_samples *s, struct chase *c,
                    struct worker *w);

/*
 * Take samples for that long: at least seven, and fewer than usual if they
 * agree.  The size in `ret` is not set.  False: the run is over.
 */
bool latency_measure(struct chase *c, struct worker *w, uint64_t for_ns,
                     struct latency_point *ret);

/*
 * Make accesses that are not measured: a whole pass over the lines, but for at
 * most `for_ns`.  False: the time was too short, so what is measured next may
 * still be in the caches.
 */
bool latency_warm(struct chase *c, uint64_t for_ns);

/*
 * Execute events without a sample until the measured part begins.  False: the
 * run is over.
 */
bool latency_await_measured(struct worker *w);

/* ---- results at the end of the run ---- */

/*
 * Find the plateaus of a staircase; returns how many there are.  Sizes that
 * were left out lie on the line between their neighbours.
 */
size_t latency_levels(const struct latency *l, enum latency_kind kind,
                      struct level ret[LEVELS_MAX]);

/*
 * Does a plateau end near that size?  `points` are those of the levels.  A
 * third of the size is near enough: the caches of virtual machines are not
 * sharp.
 */
bool latency_has_edge(const struct latency_point *points,
                      const struct level *levels, size_t n, uint64_t bytes);

#endif
