/*
 * group.h - group commit: threads hand in records, numbered from 0, and one
 * thread at a time makes all arrived records durable. A thread sleeps until its
 * record is durable, or takes the lead if that is free.
 */
#ifndef BENCH_TESTS_FILEIO_GROUP_H
#define BENCH_TESTS_FILEIO_GROUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* Zeroed at first. */
struct group {
  _Atomic uint64_t handed_in CACHE_ALIGNED;
  _Atomic uint64_t durable CACHE_ALIGNED; /* by the leader */
  _Atomic bool led;
  _Atomic uint32_t news; /* changes when the lead becomes free */
};

struct group_part {
  uint64_t first, n; /* n > 0 */
};

static inline uint64_t group_hand_in(struct group *g)
{
  return atomic_fetch_add_explicit(&g->handed_in, 1, memory_order_relaxed);
}

/* False: the record is durable. True: this thread leads: it must make some
 * records durable, from the first one, and call group_publish(). */
bool group_await(struct group *g, uint64_t record, struct group_part *ret);

/* Frees the lead. The first `n` records of the part are durable (0: a
 * failure). */
void group_publish(struct group *g, uint64_t n);

#endif
