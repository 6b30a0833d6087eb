/*
 * bandwidth.h - bytes per second of loops over memory.
 *
 * All workers run the same loop at the same time, each over its own block on
 * its own processor: a round.  The loops take turns.  A round lasts from the
 * first worker's start to the last one's end.
 */
#ifndef BENCH_TESTS_MEMORY_BANDWIDTH_H
#define BENCH_TESTS_MEMORY_BANDWIDTH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "tests/memory/loops.h"
#include "tests/memory/meet.h"
#include "tests/memory/place.h"

struct memory_cfg;
struct plan;

enum {
  BANDWIDTH_ROUNDS_MAX = 4096, /* of each loop; later ones replace the first */
  BANDWIDTH_ROUNDS_MIN = 3,    /* fewer have no median to go by */
};

/*
 * Rounds of one loop.  The worker that ends a round writes them; readers use
 * the first `n` (acquire pairs with release).
 */
struct bandwidth_rounds {
  _Atomic uint64_t n; /* rounds so far */
  double bytes_per_s[BANDWIDTH_ROUNDS_MAX];
};

/*
 * One worker in the current round.  Only it writes here; others read after all
 * have met.
 */
struct bandwidth_slot {
  uint64_t begin_ns, end_ns;
  bool counted;
} CACHE_ALIGNED;

struct bandwidth {
  const struct plan *plan;
  const struct memory_cfg *cfg;
  struct place_cpus cpus;
  struct loops loops;           /* they take turns */
  _Atomic uint64_t huge_bytes;  /* sum over all blocks */
  _Atomic uint32_t look_failed; /* 1: the system does not report huge pages */

  /* Written between rounds. */
  struct meet meet;
  uint64_t round;               /* number of the next round; 0: none yet */
  unsigned passes[STREAMS];     /* per round; 0: not known yet */
  struct bandwidth_slot *slots; /* owned; one for each worker */

  struct bandwidth_rounds of[STREAMS];
};

/* The figures of a loop; all 0 with fewer than BANDWIDTH_ROUNDS_MIN rounds. */
struct bandwidth_figures {
  uint64_t rounds;
  double best, median, mad; /* counted bytes per second */
  double owned;             /* median, with the reads that stores cause */
};

void bandwidth_figures(const struct bandwidth *b, enum stream s,
                       struct bandwidth_figures *ret);

#endif
