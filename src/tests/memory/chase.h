/*
 * chase.h - a chain of dependent accesses. Each line holds the address of
 * another one. All are one random cycle; all cycles are equally likely. So
 * neither prefetchers nor the CPU's look-ahead find the next access.
 */
#ifndef BENCH_TESTS_MEMORY_CHASE_H
#define BENCH_TESTS_MEMORY_CHASE_H

#include <stddef.h>
#include <stdint.h>

#include "stats/rand/rng.h"

struct chase {
  char *base;
  size_t stride; /* bytes */
  size_t lines;  /* at least 1 */
  void **at;
  struct rng rng;
};

void chase_init(struct chase *c, void *base, size_t stride, uint64_t seed);

/* Inserts lines at random places until there are `lines`: the cycle stays
 * single and uniformly random. */
void chase_grow(struct chase *c, size_t lines);

/* Makes `steps` accesses, rounded up to a multiple of 16; returns their number.
 * All have ended, also for the clock. */
size_t chase_run(struct chase *c, size_t steps);

#endif
