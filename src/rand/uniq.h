/*
 * uniq.h - numbers none of which comes twice, in an order that looks random,
 * without anything shared between threads.
 *
 * A permutation is applied to a counter.  The counters of the threads are
 * interleaved, so that no two threads ever hold the same one: thread `slot` of
 * `slots` counts slot, slot + slots, slot + 2 slots, ...  Those who count
 * from another place of the same order meet them when most numbers are used up.
 * With the same seed and the same slots a thread's numbers are the same in
 * every run.
 */
#ifndef BENCH_RAND_UNIQ_H
#define BENCH_RAND_UNIQ_H

#include <stdint.h>

/* How many ranges one thread may take unique numbers from alternately. */
enum {
  UNIQ_RANGES = 8
};

enum uniq_from {
  UNIQ_START,
  UNIQ_MIDDLE,
  UNIQ_END, /* and backwards */
};

/* A permutation of 0..width, and where this thread is in it. */
struct uniq_range {
  int64_t a;
  uint64_t width; /* b - a; 0: unused */
  uint64_t prime; /* the greatest that suits, at most n; 0: none does */
  uint64_t round; /* how often all n values were used up */
  uint64_t pos;   /* the counter, less round * n */
  uint64_t taken; /* numbers taken so far */
  uint64_t used;  /* when it was used last, in calls */
};

struct uniq {
  uint32_t next; /* the counter of uniq_next() */
  uint32_t step;
  uint32_t offset;
  enum uniq_from from;
  uint64_t slot, slots;
  uint64_t key;       /* from which the ranges take their offsets */
  uint64_t calls;     /* of uniq_in_range() */
  uint64_t forgotten; /* most numbers taken of a range that was replaced */
  struct uniq_range range[UNIQ_RANGES];
};

/* slot < slots, of those who count from the same place. */
void uniq_init(struct uniq *u, uint64_t seed, enum uniq_from from,
               uint64_t slot, uint64_t slots);

/*
 * A 32-bit number that none of the slots has had before, until one of them has
 * taken 2^32 / slots numbers.
 */
uint32_t uniq_next(struct uniq *u);

/*
 * The same within a..b (any 64-bit range; b <= a gives a).  When its share of
 * the values is used up, the slot begins again in another order.  The first
 * call for a range costs some microseconds.  Of more than UNIQ_RANGES ranges
 * in use alternately, those in use longest ago are forgotten; one that comes
 * back starts behind everything that was taken before, and is used up earlier.
 */
int64_t uniq_in_range(struct uniq *u, int64_t a, int64_t b);

#endif
