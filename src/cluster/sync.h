/*
 * sync.h - the difference between the clocks of two machines, and a common
 * start.
 */
#ifndef BENCH_CLUSTER_SYNC_H
#define BENCH_CLUSTER_SYNC_H

#include <stddef.h>
#include <stdint.h>

struct post;

/* A question and its answer: the asker's clock before and after, and the other
 * clock in between. */
struct sync_sample {
  uint64_t sent_ns, there_ns, back_ns;
};

/* there = here + offset_ns, with an uncertainty of error_ns. */
struct sync_offset {
  int64_t offset_ns;
  uint64_t error_ns; /* half of the shortest round trip */
};

/* Uses the sample with the shortest round trip; needs at least one. */
struct sync_offset sync_estimate(const struct sync_sample *s, size_t n);

/* In rank 0: ask `rank` some dozen times; -ETIMEDOUT: no answer. */
int sync_measure(struct post *p, unsigned rank, struct sync_offset *ret);

/* A moment of this clock, converted to the other one. */
uint64_t sync_there(const struct sync_offset *o, uint64_t here_ns);
uint64_t sync_here(const struct sync_offset *o, uint64_t there_ns);

/* The time between the first and the last of `n` moments. */
uint64_t sync_skew(const uint64_t *moments_ns, size_t n);

#endif
