/*
 * engine_wal.h - group commit: many threads hand in records, and one thread at
 * a time writes and synchronises the records that have arrived so far.
 *
 * Records have numbers from 0, in the order in which they were handed in.  A
 * thread waits until its record is durable.  When no thread has the lead, a
 * waiting thread takes it, makes a part of the records durable, and publishes
 * that.  The others sleep meanwhile.
 */
#ifndef BENCH_TESTS_FILEIO_ENGINE_WAL_H
#define BENCH_TESTS_FILEIO_ENGINE_WAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* Starts zeroed. */
struct group {
  _Atomic uint64_t handed_in CACHE_ALIGNED;
  _Atomic uint64_t durable CACHE_ALIGNED; /* written by the leader */
  _Atomic bool led;
  _Atomic uint32_t news; /* changes whenever the lead becomes free */
};

/* The records that a leader has to make durable. */
struct group_part {
  uint64_t first, n; /* n > 0 */
};

/* Hand in a record; returns its number. */
static inline uint64_t group_hand_in(struct group *g)
{
  return atomic_fetch_add_explicit(&g->handed_in, 1, memory_order_relaxed);
}

/*
 * Wait until the record is durable (false), or this thread has the lead (true).
 * With the lead, make some of the records durable, from the first one, and call
 * group_publish().
 */
bool group_await(struct group *g, uint64_t record, struct group_part *ret);

/*
 * Publish that the first `n` records of the part are durable; 0 after a
 * failure.  The lead becomes free again.
 */
void group_publish(struct group *g, uint64_t n);

#endif
