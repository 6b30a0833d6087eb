/*
 * recorder.h - counts the work of one worker: only that worker writes, and any
 * thread may read.
 *
 * Counters and histogram buckets only ever grow, and a period is the difference
 * of two snapshots.  The smallest and largest latency of a period cannot be
 * computed by subtraction, so they are kept per *epoch*.  The reader starts a
 * new epoch with every snapshot.  A worker notices it at the end of its next
 * event, saves its counters as they were, and restarts minimum and maximum.  So
 * the numbers of each worker in a snapshot belong together exactly, no matter
 * when the worker notices.
 *
 * A worker may read the epoch just before a snapshot and add its event just
 * after it.  Such a *late* event shows as a difference between what the
 * snapshot saw and what the worker had when it left the epoch.  It belongs to
 * the next snapshot, including minimum and maximum.
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

/* Counters, in the order in which scripts know them, up to BYTES_WRITTEN. */
enum counter {
  COUNTER_OTHER,
  COUNTER_READ,
  COUNTER_WRITE,
  COUNTER_EVENT,
  COUNTER_ERROR,
  COUNTER_RECONNECT,
  COUNTER_BYTES_READ,
  COUNTER_BYTES_WRITTEN,
  COUNTER_READ_EMPTY, /* the part of COUNTER_READ that returned no row */
  COUNTER_TRIM,       /* blocks given back by fileio */
  COUNTERS,
};

/* Totals since the start of the run: at the begin of an epoch, and at present
 * or at its end; and the numbers of the epoch itself. */
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
  ck_sequence_t seq;         /* protects `epoch` and `data` */
  _Atomic uint32_t epoch;    /* of the worker; data[epoch & 1] is current */
  struct epoch_data data[2]; /* the other one is the previous epoch */
  _Atomic uint64_t counter[COUNTERS]; /* EVENT: only what scripts add */
  _Atomic bool aside;                 /* it runs no events: worker_linger() */

  /* Constant after recorders_init(). */
  struct hist *hist;      /* NULL: no percentiles wanted */
  struct slow_hist *slow; /* of all workers: the slow latencies */
  bool hist_shared;       /* `hist` is shared with other workers */

  struct service service; /* of the client that this worker is */
} CACHE_ALIGNED;

/* The work of one worker up to the moment of a snapshot. */
struct worker_totals {
  uint64_t events;
  uint64_t sum_ns;
  uint64_t min_ns,
    max_ns; /* since the previous snapshot; UINT64_MAX, 0: no event */
  bool aside;
};

/* All the recorders of a run. */
struct recorders {
  /* Read by every worker after every event; written only by snapshots. */
  _Atomic uint32_t epoch CACHE_ALIGNED;

  unsigned n CACHE_ALIGNED;
  struct recorder *of; /* owned; [n] */
  unsigned n_hists;
  struct hist **hists;    /* owned; workers share them when n > n_hists */
  struct slow_hist *slow; /* owned; slow latencies are only here */

  /* Belongs to the thread that takes snapshots: the state in the last one. */
  struct worker_totals *seen; /* owned; [n] */
};

int recorders_init(struct recorders *rs, unsigned n, bool percentiles,
                   struct err *err);
void recorders_done(struct recorders *rs);

/* sum += all latencies so far; any thread may call. */
void recorders_latencies(const struct recorders *rs, struct hist_sum *sum);

/* The slow path of recorder_event(): a snapshot was taken since the last
 * event. */
void recorder_new_epoch(struct recorder *r, uint32_t epoch);

static inline void recorder_bump(_Atomic uint64_t *p, uint64_t n)
{
  atomic_store_explicit(p, atomic_load_explicit(p, memory_order_relaxed) + n,
                        memory_order_relaxed);
}

static inline void recorder_count(struct recorder *r, enum counter c,
                                  uint64_t n)
{
  recorder_bump(&r->counter[c], n);
}

/* One event has ended, in the epoch that its worker has just read. */
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

/* One event of this worker has ended. */
static ALWAYS_INLINE void recorder_event(const struct recorders *rs,
                                         struct recorder *r,
                                         uint64_t latency_ns)
{
  const uint32_t now = atomic_load_explicit(&rs->epoch, memory_order_relaxed);

  recorder_event_in(r, now, latency_ns);
}

/* The number of events, for scripts that ask for it. */
uint64_t recorder_events(const struct recorder *r);

/* Events of all workers since the start; approximate while workers run. */
uint64_t recorders_events(const struct recorders *rs);

/* Events that the worker itself has counted, and the sum of their latencies,
 * which belong together.  Any thread may call. */
void recorder_peek(const struct recorder *r, uint64_t *ret_events,
                   uint64_t *ret_sum_ns);

/* One moment: totals since the start of the program, except min and max. */
struct snapshot {
  uint64_t at_ns; /* the moment it was taken */
  uint64_t events, sum_ns;
  uint64_t min_ns,
    max_ns; /* since the previous snapshot; UINT64_MAX, 0: no event */
  uint64_t counter[COUNTERS]; /* EVENT includes those that scripts added */
  unsigned n;
  struct worker_totals *worker; /* owned; [n] */
  struct hist_sum *hist;        /* owned; NULL without percentiles */
};

int snapshot_init(struct snapshot *s, const struct recorders *rs,
                  struct err *err);
void snapshot_done(struct snapshot *s);

/*
 * Start a new epoch, and read all workers.  Always call it from the same
 * thread. min_ns and max_ns are exact, with one exception: of several late
 * events of a worker only the mean is known.  That requires that the worker has
 * ended them in the time in which a store becomes visible to another processor.
 */
void snapshot_take(struct snapshot *s, struct recorders *rs, uint64_t now_ns);

/* to = from; both were made for the same recorders. */
void snapshot_copy(struct snapshot *to, const struct snapshot *from);

#endif
