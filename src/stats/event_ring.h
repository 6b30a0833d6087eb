/*
 * event_ring.h - passes events from workers to a thread that writes a file, in
 * a ring per worker. A full ring drops the record and counts it: a worker never
 * waits.
 */
#ifndef BENCH_STATS_EVENT_RING_H
#define BENCH_STATS_EVENT_RING_H

#include <ck_ring.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;

enum {
  EVENT_NO_CLASS = UINT16_MAX
};

struct event_record {
  uint64_t start_ns;
  uint64_t latency_ns; /* since the start, or the arrival */
  uint16_t class_id;
  uint16_t failed;
};

struct event_ring {
  struct ck_ring ring
    CACHE_ALIGNED; /* producer: the worker; consumer: the reader */
  struct event_record *buffer CACHE_ALIGNED;
  _Atomic uint64_t dropped;
};

struct event_rings {
  unsigned n;
  struct event_ring *of;       /* owned; [n] */
  struct event_record *memory; /* owned */
};

/* The more workers, the smaller the rings. */
int event_rings_init(struct event_rings *rs, unsigned n, struct err *err);
void event_rings_done(struct event_rings *rs);

CK_RING_PROTOTYPE(event_record, event_record)

static inline void event_ring_put(struct event_ring *r,
                                  struct event_record *record)
{
  if (UNLIKELY(
        !CK_RING_ENQUEUE_SPSC(event_record, &r->ring, r->buffer, record)))
    atomic_store_explicit(
      &r->dropped, atomic_load_explicit(&r->dropped, memory_order_relaxed) + 1,
      memory_order_relaxed);
}

/* By the reader: up to `max` records in order; returns how many. Each call
 * moves a cache line between CPUs: take many. */
size_t event_ring_take(struct event_ring *r, struct event_record *ret,
                       size_t max);

uint64_t event_rings_dropped(const struct event_rings *rs);

#endif
