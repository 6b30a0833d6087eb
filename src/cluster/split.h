/*
 * split.h - which part of the work a rank has.
 */
#ifndef BENCH_CLUSTER_SPLIT_H
#define BENCH_CLUSTER_SPLIT_H

#include <stdint.h>

/* The size of part number `part` of `parts`.  The parts differ by one at most,
 * and their sum is `whole`. */
uint64_t split_count(uint64_t whole, unsigned part, unsigned parts);

/* The workers of a rank: it has first .. first + threads - 1 of all. */
struct split_threads {
  unsigned first, all;
};

/* Returns -ERANGE if there are too many in all. */
int split_threads(unsigned threads, unsigned rank, unsigned ranks,
                  struct split_threads *ret);

#endif
