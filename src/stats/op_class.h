/*
 * op_class.h - latencies of kinds of operations, kept apart.
 *
 * A test whose events are of several kinds (reads, writes, fsyncs) records
 * each kind beside what the runner records of events.  One recorder per worker
 * and kind, written by its worker alone; anybody may read at any time.
 */
#ifndef BENCH_STATS_OP_CLASS_H
#define BENCH_STATS_OP_CLASS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "stats/hist.h"
#include "stats/recorder.h"

struct err;

struct op_recorder {
  struct hist *hist; /* constant */
  bool hist_shared;  /* constant; with the same kind of other workers */
  _Atomic uint64_t sum_ns;
  _Atomic uint64_t min_ns; /* UINT64_MAX: none */
  _Atomic uint64_t max_ns;
  _Atomic uint64_t bytes;
} CACHE_ALIGNED;

/* What is known about one kind: numbers, for reporters. */
struct op_class {
  const char *name;
  const struct hist_sum *hist; /* borrowed */
  uint64_t count;
  uint64_t sum_ns, min_ns, max_ns; /* all 0 without operations */
  uint64_t bytes;
};

/* A number beside them. */
struct op_value {
  const char *name;
  double value;
};

/* All that a test has to say at the end of a run beyond the report. */
struct op_results {
  unsigned n_classes;
  const struct op_class *classes; /* borrowed from the test */
  unsigned n_values;
  const struct op_value *values; /* borrowed from the test */
};

struct op_recorders {
  unsigned workers, kinds;
  struct op_recorder *of; /* owned; [workers * kinds] */
  unsigned n_hists;       /* per kind */
  struct hist **hists;    /* owned; [n_hists * kinds] */
};

int op_recorders_init(struct op_recorders *rs, unsigned workers, unsigned kinds,
                      struct err *err);
void op_recorders_done(struct op_recorders *rs);

/* The recorders of a worker, one per kind. */
static inline struct op_recorder *op_recorders_of(struct op_recorders *rs,
                                                  unsigned worker)
{
  return &rs->of[(size_t)worker * rs->kinds];
}

/*
 * Sum one kind up over all workers.  `hist` receives the buckets; ret->hist
 * borrows it.
 */
void op_recorders_read(const struct op_recorders *rs, unsigned kind,
                       const char *name, struct hist_sum *hist,
                       struct op_class *ret);

/* One operation of this worker has ended. */
static inline void op_record(struct op_recorder *r, uint64_t took_ns,
                             uint64_t bytes)
{
  recorder_bump(&r->sum_ns, took_ns);
  recorder_bump(&r->bytes, bytes);
  if (took_ns < atomic_load_explicit(&r->min_ns, memory_order_relaxed))
    atomic_store_explicit(&r->min_ns, took_ns, memory_order_relaxed);
  if (took_ns > atomic_load_explicit(&r->max_ns, memory_order_relaxed))
    atomic_store_explicit(&r->max_ns, took_ns, memory_order_relaxed);
  if (UNLIKELY(r->hist_shared))
    hist_record_shared(r->hist, took_ns);
  else
    hist_record(r->hist, took_ns);
}

#endif
