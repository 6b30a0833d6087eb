/*
 * uniq.h - numbers that never repeat, in an order that looks random: a
 * permutation of a counter. Threads share nothing: thread `slot` of `slots`
 * counts slot, slot + slots, ... Threads that start elsewhere get there only
 * when most numbers are used up.
 */
#ifndef BENCH_RAND_UNIQ_H
#define BENCH_RAND_UNIQ_H

#include <stdbool.h>
#include <stdint.h>

/* Ranges that a thread uses in turn. */
enum {
  UNIQ_RANGES = 8
};

enum uniq_from {
  UNIQ_START,
  UNIQ_MIDDLE,
  UNIQ_END, /* backwards */
};

/* A permutation of 0..width, and this thread's position in it. */
struct uniq_range {
  int64_t a;
  uint64_t width; /* b - a; 0: unused */
  uint64_t prime; /* the greatest that fits, at most n; 0: none */
  uint64_t round; /* how often all n values were used up */
  uint64_t pos;   /* the counter, less round * n */
  uint64_t taken;
  uint64_t used; /* the last use, in calls */
};

struct uniq {
  uint32_t next;
  uint32_t step;
  uint32_t offset;
  enum uniq_from from;
  uint64_t slot, slots;
  uint64_t key;       /* of the offsets of the ranges */
  uint64_t calls;     /* of uniq_in_range() */
  uint64_t forgotten; /* most numbers taken from a replaced range */
  struct uniq_range first;
  /* [opt] owned; [UNIQ_RANGES - 1]: few scripts need them */
  struct uniq_range *others;
};

/* slot < slots, the threads that start at the same place. */
void uniq_init(struct uniq *u, uint64_t seed, enum uniq_from from,
               uint64_t slot, uint64_t slots);
void uniq_done(struct uniq *u);

/* Unique among the slots until one has taken 2^32 / slots numbers. */
uint32_t uniq_next(struct uniq *u);

/*
 * Within a..b (b <= a gives a), unique likewise; a used up share starts again
 * in another order. The first call for a range costs some microseconds. With
 * more than UNIQ_RANGES ranges (without memory: one), the least recently used
 * one is forgotten, and starts later when it comes back.
 */
int64_t uniq_in_range(struct uniq *u, int64_t a, int64_t b);

bool uniq_is_prime(uint64_t n);

/* The greatest prime p <= limit with p mod 4 = 3; 0: limit < 3. */
uint64_t uniq_prime_up_to(uint64_t limit);

#endif
