/*
 * chase.h - a chain of accesses, each of which depends on the previous one.
 *
 * Each line holds the address of another one, and all together are one cycle in
 * random order.  Thus neither prefetchers nor the processor's look-ahead can
 * know the next access.  All cycles are equally likely.
 */
#ifndef BENCH_TESTS_MEMORY_CHASE_H
#define BENCH_TESTS_MEMORY_CHASE_H

#include <stddef.h>
#include <stdint.h>

#include "rand/rng.h"

struct chase {
  char *base;
  size_t stride; /* bytes of a line */
  size_t lines;  /* in the cycle, at least 1 */
  void **at;     /* the place of the last access */
  struct rng rng;
};

/* Make a cycle of one line. */
void chase_init(struct chase *c, void *base, size_t stride, uint64_t seed);

/*
 * Make the cycle larger, up to `lines` lines.  Each new line is inserted after
 * one of the existing lines, which keeps the cycle single and uniformly random.
 */
void chase_grow(struct chase *c, size_t lines);

/* Make `steps` accesses, rounded up to a multiple of 16; returns how many.  All
 * of them have ended then, also for the clock. */
size_t chase_run(struct chase *c, size_t steps);

#endif
