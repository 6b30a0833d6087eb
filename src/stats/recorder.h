/*
 * recorder.h - counts the work of one worker, the only writer; any thread can
 * read.
 *
 * Counters and buckets only grow; a period is the difference of two snapshots.
 * Minimum and maximum are kept per *epoch*, which a snapshot starts. At the end
 * of its next event, a worker saves its counters, and restarts minimum and
 * maximum. So the numbers of a worker in a snapshot belong together.
 *
 * A worker can read the epoch just before a snapshot and add its event just
 * after. The next snapshot counts this *late* event: the difference between the
 * snapshot and the worker's counters at the end of the epoch.
 */
#ifndef BENCH_STATS_RECORDER_H
#define BENCH_STATS_RECORDER_H

#include <ck_sequence.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "stats/hist_sum.h"
#include "stats/service.h"

struct err;

/* In the order of the script ABI, up to BYTES_WRITTEN. */
enum counter {
  COUNTER_OTHER,
  COUNTER_READ,
  COUNTER_WRITE,
  COUNTER_EVENT,
  COUNTER_ERROR,
  COUNTER_RECONNECT,
  COUNTER_BYTES_READ,
  COUNTER_BYTES_WRITTEN,
  COUNTER_READ_EMPTY, /* the part of COUNTER_READ without a row */
  COUNTER_TRIM,       /* blocks given back by fileio */
  COUNTERS,
};

/* Totals since the start, at the begin of an epoch and now or at its end;
 * limits of the epoch. */
struct epoch_data {
  _Atomic uint64_t first_events;
  _Atomic uint64_t first_sum_ns;
  _Atomic uint64_t events;
  _Atomic uint64_t sum_ns;
  _Atomic uint64_t min_ns; /* UINT64_MAX: no event */
  _Atomic uint64_t max_ns;
};

struct recorder {
  /* Only the worker writes these. */
  ck_sequence_t seq; /* protects `epoch` and `data` */
  _Atomic uint32_t
    epoch; /* data[epoch & 1] is current, the other the previous */
  struct epoch_data data[2];
  _Atomic uint64_t counter[COUNTERS]; /* EVENT: only those of scripts */
  _Atomic bool aside;                 /* runs no events: worker_linger() */

  /* Constant after recorders_init(). */
  struct hist *hist; /* NULL: no percentiles */
  struct slow_hist *slow;
  bool hist_shared;

  struct service service;
} CACHE_ALIGNED;

struct worker_totals {
  uint64_t events;
  uint64_t sum_ns;
  uint64_t min_ns,
    max_ns; /* since the previous snapshot; UINT64_MAX, 0: no event */
  bool aside;
};

struct recorders {
  /* Read after every event; written by snapshots. */
  _Atomic uint32_t epoch CACHE_ALIGNED;

  unsigned n CACHE_ALIGNED;
  struct recorder *of;
  unsigned n_hists;
  struct hist **hists;    /* owned; shared when n > n_hists */
  struct slow_hist *slow; /* owned */

  /* owned; [n]; the last snapshot, of the thread that takes them */
  struct worker_totals *seen;
};

int recorders_init(struct recorders *rs, unsigned n, bool percentiles,
                   struct err *err);
void recorders_done(struct recorders *rs);

/* sum += all latencies so far. Any thread. */
void recorders_latencies(const struct recorders *rs, struct hist_sum *sum);

/* A snapshot was taken. */
void recorder_new_epoch(struct recorder *r, uint32_t epoch);

static inline uint64_t recorder_load(const _Atomic uint64_t *p)
{
  return atomic_load_explicit(p, memory_order_relaxed);
}

static inline void recorder_bump(_Atomic uint64_t *p, uint64_t n)
{
  atomic_store_explicit(p, recorder_load(p) + n, memory_order_relaxed);
}

static inline void recorder_count(struct recorder *r, enum counter c,
                                  uint64_t n)
{
  recorder_bump(&r->counter[c], n);
}

/* `now`: the epoch that the worker has just read. */
static ALWAYS_INLINE void recorder_event_in(struct recorder *r, uint32_t now,
                                            uint64_t latency_ns)
{
  struct epoch_data *d;

  if (UNLIKELY(now != atomic_load_explicit(&r->epoch, memory_order_relaxed)))
    recorder_new_epoch(r, now);
  d = &r->data[now & 1];

  ck_sequence_write_begin(&r->seq);
  recorder_bump(&d->events, 1);
  recorder_bump(&d->sum_ns, latency_ns);
  if (latency_ns < atomic_load_explicit(&d->min_ns, memory_order_relaxed))
    atomic_store_explicit(&d->min_ns, latency_ns, memory_order_relaxed);
  if (latency_ns > atomic_load_explicit(&d->max_ns, memory_order_relaxed))
    atomic_store_explicit(&d->max_ns, latency_ns, memory_order_relaxed);
  ck_sequence_write_end(&r->seq);

  if (r->hist)
    latency_record(r->hist, r->hist_shared, r->slow, latency_ns);
}

static ALWAYS_INLINE void recorder_event(const struct recorders *rs,
                                         struct recorder *r,
                                         uint64_t latency_ns)
{
  const uint32_t now = atomic_load_explicit(&rs->epoch, memory_order_relaxed);

  recorder_event_in(r, now, latency_ns);
}

/* For scripts. */
uint64_t recorder_events(const struct recorder *r);

/* Since the start; approximate while workers run. */
uint64_t recorders_events(const struct recorders *rs);

/* Consistent; without the events of scripts. Any thread. */
void recorder_peek(const struct recorder *r, uint64_t *ret_events,
                   uint64_t *ret_sum_ns);

/* Totals since the start, except min and max. */
struct snapshot {
  uint64_t at_ns;
  uint64_t events, sum_ns;
  uint64_t min_ns,
    max_ns; /* since the previous snapshot; UINT64_MAX, 0: no event */
  uint64_t counter[COUNTERS]; /* EVENT with those of scripts */
  unsigned n;
  struct worker_totals *worker;
  struct hist_sum *hist; /* owned; NULL: no percentiles */
};

int snapshot_init(struct snapshot *s, const struct recorders *rs,
                  struct err *err);
void snapshot_done(struct snapshot *s);

/*
 * Starts an epoch and reads all workers. Always by the same thread. min_ns and
 * max_ns are exact, unless a worker has several late events, of which only the
 * mean is known.
 */
void snapshot_take(struct snapshot *s, struct recorders *rs, uint64_t now_ns);

/* Both made for the same recorders. */
void snapshot_copy(struct snapshot *to, const struct snapshot *from);

#endif
