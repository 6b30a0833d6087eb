/*
 * split.h - which threads a rank has.
 */
#ifndef BENCH_CLUSTER_SPLIT_H
#define BENCH_CLUSTER_SPLIT_H

/* The workers of a rank: it has first .. first + threads - 1 of all. */
struct split_threads {
  unsigned first, all;
};

/* Returns -ERANGE if there are too many in all. */
int split_threads(unsigned threads, unsigned rank, unsigned ranks,
                  struct split_threads *ret);

#endif
