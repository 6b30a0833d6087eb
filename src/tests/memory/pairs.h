/*
 * pairs.h - the time in which a cache line moves from one processor to another.
 *
 * For each pair of processors, two threads take turns in changing a word by
 * compare and exchange.  A sample is a hundred round trips, and counts half the
 * time of a round trip.
 */
#ifndef BENCH_TESTS_MEMORY_PAIRS_H
#define BENCH_TESTS_MEMORY_PAIRS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/memory/place.h"

struct err;
struct memory_cfg;
struct plan;
struct worker;

enum {
  PAIRS_SAMPLES_MAX = 400, /* of a pair */
};

struct pair_sample {
  double ns;      /* one way */
  bool preempted; /* one of the threads lost its processor meanwhile */
};

struct pair {
  double ns, mad; /* median of the samples that count, and its spread; NAN:
                     there are none */
  unsigned kept, dropped;
};

struct pairs {
  const struct plan *plan;
  const struct memory_cfg *cfg;
  struct place_cpus cpus;
  size_t n_pairs;

  /*
   * The worker writes; readers use the first `n` (acquire pairs with release).
   * The order is that of pairs_index().
   */
  _Atomic size_t n;
  struct pair *of; /* owned */
};

/* The index of the pair i < j. */
size_t pairs_index(unsigned i, unsigned j);

/*
 * Summarize samples.  Those during which a thread was preempted are dropped,
 * and so are those that took more than three times the median: something else,
 * such as the hypervisor or an interrupt, used a processor.
 */
void pairs_summarize(const struct pair_sample *of, size_t n, struct pair *ret);

/*
 * Take samples of a pair for a time; the calling thread is pinned to `cpu`.
 * -EINTR: the run is over, and `err` is not set.
 */
int pairs_play(struct worker *w, int cpu, int other, uint64_t for_ns,
               struct pair *ret, struct err *err);

#endif
