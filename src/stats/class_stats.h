/*
 * class_stats.h - counts and latencies of classes of operations: a read, an
 * fsync, one SQL statement. A recorder belongs to one thread; any thread can
 * read it. Numbers only grow; a period is the difference of two readings.
 * Recorders exist only if the results show classes. Threads share histograms if
 * there are many classes.
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
  CLASS_MAX = 256, /* further classes count as "(other)" */
};

struct class_cell {
  /* Written by the recorder's thread alone. */
  _Atomic uint64_t count; /* includes failures */
  _Atomic uint64_t errors;
  _Atomic uint64_t rows;
  _Atomic uint64_t bytes;
  _Atomic uint64_t reconnects;
  _Atomic uint64_t sum_ns;

  struct hist *hist; /* borrowed from the set, like `slow` */
  struct slow_hist *slow;
  bool hist_shared;
} CACHE_ALIGNED;

struct class_set;

struct class_recorder {
  struct class_set *set;
  unsigned thread;
  struct class_memo *memos;
  /* Made at the first record. Release pairs with the acquire of readers. */
  _Atomic(struct class_cell *) cell[CLASS_MAX];
};

struct class_set {
  unsigned n_threads;
  struct class_recorder *of; /* owned; [n_threads] */

  pthread_mutex_t lock;  /* protects the creation of names and histograms */
  char *name[CLASS_MAX]; /* owned; constant below `n` */
  _Atomic unsigned n;    /* release pairs with acquire of readers */
  unsigned n_hists;      /* of each of the first classes */
  struct hist **hist[CLASS_MAX];     /* owned; under the lock */
  struct slow_hist *slow[CLASS_MAX]; /* like `hist` */
};

struct class_outcome {
  bool failed;
  uint64_t rows, bytes; /* 0: unknown */
};

int class_set_new(struct class_set **ret, unsigned n_threads, struct err *err);
void class_set_free(struct class_set *set);

static inline struct class_recorder *class_recorder_of(struct class_set *set,
                                                       unsigned thread)
{
  return &set->of[thread];
}

/* The class of this name, which ends at a zero byte or after `len`. Takes a
 * lock and searches: keep the number. */
unsigned class_id(struct class_set *set, const char *name, size_t len);

/* Borrowed from the set. */
const char *class_name(const struct class_set *set, unsigned id);
unsigned class_count(const struct class_set *set);

/* `size` bytes, zeroed at first, for the recorder's thread: how `key` names its
 * classes. NULL: no memory. */
void *class_recorder_memo(struct class_recorder *r, const void *key,
                          size_t size);

struct class_cell *class_cell_new(struct class_recorder *r, unsigned id);

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

/* Errors and reconnects of no single operation. */
void class_add_trouble(struct class_recorder *r, unsigned id, uint64_t errors,
                       uint64_t reconnects);

/* Over all threads, since the start. */
struct class_totals {
  uint64_t count, errors, rows, bytes, reconnects, sum_ns;
  /* [opt] owned by the caller */
  struct hist_sum *hist;
};

/* The histogram has `count` values. Other numbers can lack an operation that
 * ends now. */
void class_read(struct class_set *set, unsigned id, struct class_totals *ret);

/* For the one thread that makes reports. */

/* min and max are those of the bucket, at most 0.1 % off; 0 without
 * operations. */
struct class_report {
  const char *name;
  uint64_t count, errors, rows, bytes;
  uint64_t sum_ns, min_ns, max_ns;
  const struct hist_sum *hist;
  uint64_t reconnects;
};

/* Within [min, max]; 0: no values. */
uint64_t class_percentile(const struct class_report *c, double pct);

struct class_list {
  unsigned n;
  const struct class_report *of;
};

struct class_track;

struct class_periods {
  struct class_set *set;
  struct class_track **track; /* owned; [CLASS_MAX], made below n */
  unsigned n;
  struct class_report *report; /* owned; [CLASS_MAX] */
  struct class_totals now;
};

int class_periods_init(struct class_periods *p, struct class_set *set);
void class_periods_done(struct class_periods *p);

void class_periods_restart(struct class_periods *p);

/* Since the last call or restart, and since the last restart, with idle
 * classes. Valid until the next call of either. */
struct class_list class_periods_interval(struct class_periods *p);
struct class_list class_periods_total(struct class_periods *p);

#endif
