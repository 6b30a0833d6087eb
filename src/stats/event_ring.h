/*
 * event_ring.h - carries single events from workers to a file.
 *
 * Each worker has a ring into which it alone puts records, and one other thread
 * takes them out.  A worker never waits: when its ring is full, the record is
 * dropped and counted.
 */
#ifndef BENCH_STATS_EVENT_RING_H
#define BENCH_STATS_EVENT_RING_H

#include <ck_ring.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;

enum {
  EVENT_NO_CLASS = UINT16_MAX
};

struct event_record {
  uint64_t start_ns;   /* on the clock of the program */
  uint64_t latency_ns; /* from the start, or from the arrival */
  uint16_t class_id;   /* of the run's classes, or EVENT_NO_CLASS */
  uint16_t failed;     /* 1: there was an error */
};

struct event_ring {
  struct ck_ring ring CACHE_ALIGNED; /* from the worker to the reader */
  struct event_record *buffer CACHE_ALIGNED;
  _Atomic uint64_t dropped; /* written by the worker */
};

struct event_rings {
  unsigned n;
  struct event_ring *of;       /* owned; [n] */
  struct event_record *memory; /* owned */
};

/* Make rings for n workers; the more workers, the smaller the rings. */
int event_rings_init(struct event_rings *rs, unsigned n, struct err *err);
void event_rings_done(struct event_rings *rs);

CK_RING_PROTOTYPE(event_record, event_record)

/* Called by the worker. */
static inline void event_ring_put(struct event_ring *r,
                                  struct event_record *record)
{
  if (UNLIKELY(
        !CK_RING_ENQUEUE_SPSC(event_record, &r->ring, r->buffer, record)))
    atomic_store_explicit(
      &r->dropped, atomic_load_explicit(&r->dropped, memory_order_relaxed) + 1,
      memory_order_relaxed);
}

/*
 * Called by the reader: takes up to `max` records, in order, and returns their
 * number; 0: there are none at present.  Taking many at once makes it cheap to
 * put a record.  The cache line that tells a worker how far the reader is then
 * moves between processors once per call, and not with every record.
 */
size_t event_ring_take(struct event_ring *r, struct event_record *ret,
                       size_t max);

/* The sum over all workers. */
uint64_t event_rings_dropped(const struct event_rings *rs);

#endif
