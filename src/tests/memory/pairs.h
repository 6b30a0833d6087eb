/*
 * pairs.h - the time in which a cache line moves between CPUs. Two threads take
 * turns in changing a word by compare and exchange. A sample is half of a round
 * trip, over a hundred.
 */
#ifndef BENCH_TESTS_MEMORY_PAIRS_H
#define BENCH_TESTS_MEMORY_PAIRS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "tests/place.h"

struct memory_cfg;
struct plan;

enum {
  PAIRS_SAMPLES_MAX = 400,
};

struct pair_sample {
  double ns;      /* one way */
  bool preempted; /* a thread lost its CPU */
};

struct pair {
  double ns, mad; /* NAN: no sample counts */
  unsigned kept, dropped;
};

struct pairs {
  const struct plan *plan;
  const struct memory_cfg *cfg;
  struct place_cpus cpus;
  size_t n_pairs;

  /* In the order of pairs_index(). The worker writes; readers use the first `n`
   * (acquire, release). */
  _Atomic size_t n;
  struct pair *of; /* owned */
};

size_t pairs_index(unsigned i, unsigned j);

/* Drops samples during which a thread was preempted, or of more than three
 * times the median: the hypervisor or an interrupt used a CPU. */
void pairs_summarize(const struct pair_sample *of, size_t n, struct pair *ret);

#endif
