/*
 * mutex_locks.h - kinds of locks. Locks that spin yield after some 50
 * microseconds, because there can be more threads than CPUs.
 */
#ifndef BENCH_TESTS_MUTEX_LOCKS_H
#define BENCH_TESTS_MUTEX_LOCKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* Of a thread, for the kind mcs. */
struct mutex_waiter {
  _Atomic(struct mutex_waiter *) next;
  _Atomic uint32_t waits;
} CACHE_ALIGNED;

struct mutex_ticket {
  _Atomic uint32_t next, served;
};

struct mutex_lock {
  union {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
    _Atomic uint32_t taken;
    struct mutex_ticket ticket;
    _Atomic(struct mutex_waiter *) last;
  } of;
  /* Written by the holder; with the kind atomic by all threads. */
  uint64_t count CACHE_ALIGNED;
  _Atomic uint64_t shared_count;
} CACHE_ALIGNED;

struct mutex_kind {
  const char *name;
  bool has_readers; /* most holders only read */

  /* Zeroed memory; 0 or a negative errno value. */
  int (*init)(struct mutex_lock *l);
  void (*done)(struct mutex_lock *l); /* [opt] */

  /* Takes the lock, adds to the count or (not `write`) reads it, releases the
   * lock. */
  void (*use)(struct mutex_lock *l, struct mutex_waiter *w, bool write);
};

enum {
  MUTEX_KINDS = 7
};
extern const struct mutex_kind mutex_kinds[MUTEX_KINDS];

#endif
