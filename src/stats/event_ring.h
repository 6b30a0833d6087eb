/*
 * event_ring.h - single events on their way from workers to a file.
 *
 * Each worker has a ring into which it alone puts records, and one other
 * thread takes them out.  A worker never waits: when its ring is full the
 * record is dropped and counted.
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

/* Rings for n workers; the more there are, the smaller each of them. */
int event_rings_init(struct event_rings *rs, unsigned n, struct err *err);
void event_rings_done(struct event_rings *rs);

CK_RING_PROTOTYPE(event_record, event_record)

/* By the worker. */
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
 * By the reader: up to `max` records, in order; returns how many, 0: there is
 * nothing at this moment.  Taking many at a time is what makes putting cheap:
 * the line in which a worker sees how far the reader is then moves between
 * processors once per call, and not with every record.
 */
size_t event_ring_take(struct event_ring *r, struct event_record *ret,
                       size_t max);

/* Of all workers. */
uint64_t event_rings_dropped(const struct event_rings *rs);

#endif
