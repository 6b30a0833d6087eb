/*
 * class_stats.h - classes of operations: how many of each there were, and how
 * long they took.
 *
 * A class is a kind of operation that a test distinguishes: a read, a write, an
 * fsync; one SQL statement.  Each thread that runs events has a recorder, which
 * it alone writes to; the clients of a thread share it.  Any thread may read at
 * any time.  The numbers only grow, and periods are differences, as with
 * events.
 *
 * Operations are recorded only in runs whose results show classes: in others,
 * workers have no class recorder.  A class costs nothing in a thread that never
 * records it.  Its histograms take pages when they are touched.  Many threads
 * share histograms; and they share more when there are many classes, as with
 * the statements of many tables, each of which is rare.
 */
#ifndef BENCH_STATS_CLASS_STATS_H
#define BENCH_STATS_CLASS_STATS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "stats/hist_sum.h"
#include "stats/recorder.h"

struct err;

enum {
  CLASS_MAX = 256, /* further classes are counted as "(other)" */
};

/* One thread and one class. */
struct class_cell {
  /* Only the thread writes these. */
  _Atomic uint64_t count; /* includes those that failed */
  _Atomic uint64_t errors;
  _Atomic uint64_t rows;
  _Atomic uint64_t bytes;
  _Atomic uint64_t reconnects; /* see class_add_trouble() */
  _Atomic uint64_t sum_ns;

  /* Constant. */
  struct hist *hist;      /* borrowed from the set */
  struct slow_hist *slow; /* borrowed; of all threads: the slow latencies */
  bool hist_shared;       /* `hist` is shared with other threads */
} CACHE_ALIGNED;

struct class_set;

/* The classes of one thread. */
struct class_recorder {
  struct class_set *set;
  unsigned thread;
  struct class_memo *memos; /* owned; only the thread uses them */
  /* Made by the thread when it first records the class.  Release pairs with the
   * acquire of readers. */
  _Atomic(struct class_cell *) cell[CLASS_MAX];
};

struct class_set {
  unsigned n_threads;
  struct class_recorder *of; /* owned; [n_threads] */

  pthread_mutex_t lock;  /* protects the creation of names and histograms */
  char *name[CLASS_MAX]; /* owned; constant below `n` */
  _Atomic unsigned n;    /* pairs release with the acquire of readers */
  unsigned n_hists; /* of each of the first classes; later ones have fewer */
  struct hist **hist[CLASS_MAX];     /* owned; under the lock */
  struct slow_hist *slow[CLASS_MAX]; /* like `hist` */
};

/* The outcome of one operation, apart from its time. */
struct class_outcome {
  bool failed;
  uint64_t rows, bytes; /* 0 if unknown */
};

int class_set_new(struct class_set **ret, unsigned n_threads, struct err *err);
void class_set_free(struct class_set *set);

static inline struct class_recorder *class_recorder_of(struct class_set *set,
                                                       unsigned thread)
{
  return &set->of[thread];
}

/*
 * The number of the class with this name, for example the text of a statement,
 * or "read".  A new class is made if needed.  The name ends at a zero byte, or
 * after `len`.  Any thread may call.  This takes a lock and searches, so keep
 * the number.
 */
unsigned class_id(struct class_set *set, const char *name, size_t len);

/* Borrowed from the set. */
const char *class_name(const struct class_set *set, unsigned id);
unsigned class_count(const struct class_set *set);

/*
 * Memory in which a thread remembers how `key` names its classes: `size` bytes,
 * zeroed by the first call with this key.  The set owns the memory.  Only the
 * recorder's thread may call.  Returns NULL when out of memory.
 */
void *class_recorder_memo(struct class_recorder *r, const void *key,
                          size_t size);

/* The slow path of class_record().  Returns NULL when out of memory. */
struct class_cell *class_cell_new(struct class_recorder *r, unsigned id);

/* Record that one operation of this thread has ended. */
static inline void class_record(struct class_recorder *r, unsigned id,
                                uint64_t took_ns,
                                const struct class_outcome *outcome)
{
  struct class_cell *c = atomic_load_explicit(&r->cell[id],
                                              memory_order_relaxed);

  if (UNLIKELY(!c)) {
    c = class_cell_new(r, id);
    if (!c)
      return;
  }
  recorder_bump(&c->count, 1);
  recorder_bump(&c->sum_ns, took_ns);
  if (outcome->failed)
    recorder_bump(&c->errors, 1);
  if (outcome->rows > 0)
    recorder_bump(&c->rows, outcome->rows);
  if (outcome->bytes > 0)
    recorder_bump(&c->bytes, outcome->bytes);
  latency_record(c->hist, c->hist_shared, c->slow, took_ns);
}

/* Add errors and reconnects that belong to no single operation. */
void class_add_trouble(struct class_recorder *r, unsigned id, uint64_t errors,
                       uint64_t reconnects);

/* The numbers of a class over all threads, since the start of the program. */
struct class_totals {
  uint64_t count, errors, rows, bytes, reconnects, sum_ns;
  /* [opt] owned by the caller, which has made it; NULL: not wanted. */
  struct hist_sum *hist;
};

/* Set the numbers, and the histogram if there is one, which has `count` values
 * then.  The other numbers may lack an operation that ends at this moment. */
void class_read(struct class_set *set, unsigned id, struct class_totals *ret);

/* ---- periods ---- */

/*
 * classes of operations in a period of a run.  One thread at a
 * time uses it: the one that makes reports.
 */

/*
 * A class in a period, as plain numbers.  min and max are those of the bucket,
 * at most 0.1 % from the true value.  All times are 0 if nothing happened.
 */
struct class_report {
  const char *name; /* borrowed */
  uint64_t count, errors, rows, bytes;
  uint64_t sum_ns, min_ns, max_ns;
  const struct hist_sum *hist; /* borrowed */
  uint64_t reconnects;         /* see class_add_trouble() */
};

/* A percentile of its times, within [min, max]; 0: there are none. */
uint64_t class_percentile(const struct class_report *c, double pct);

struct class_list {
  unsigned n;
  const struct class_report *of; /* borrowed */
};

struct class_track;

struct class_periods {
  struct class_set *set;      /* borrowed; NULL: there never are classes */
  struct class_track **track; /* owned; [CLASS_MAX], those below n are made */
  unsigned n;
  struct class_report *report; /* owned; [CLASS_MAX]: the latest result */
  struct class_totals now;     /* owns its histogram; the numbers just read */
};

/* Returns 0 or -ENOMEM. */
int class_periods_init(struct class_periods *p, struct class_set *set);
void class_periods_done(struct class_periods *p);

/* Forget everything before this moment. */
void class_periods_restart(struct class_periods *p);

/*
 * The classes of the interval since the last call or restart, and those of the
 * time since the last restart.  The result is valid until the next call of
 * either. Classes in which nothing happened are there, too.
 */
struct class_list class_periods_interval(struct class_periods *p);
struct class_list class_periods_total(struct class_periods *p);

#endif
