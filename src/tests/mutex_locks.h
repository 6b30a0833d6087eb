/*
 * mutex_locks.h - kinds of locks, for the mutex test.
 *
 * Locks that spin yield the processor after some 50 microseconds, which is
 * necessary if there may be more threads than processors.
 */
#ifndef BENCH_TESTS_MUTEX_LOCKS_H
#define BENCH_TESTS_MUTEX_LOCKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/*
 * A thread that waits for a lock of the kind mcs, or holds it: one per thread.
 */
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
  /*
   * The holder of the lock adds to it; with the kind atomic, every thread does.
   */
  uint64_t count CACHE_ALIGNED;
  _Atomic uint64_t shared_count;
} CACHE_ALIGNED;

struct mutex_kind {
  const char *name;
  bool has_readers; /* most holders only read the count, at the same time */

  /* Initializes zeroed memory.  0 or a negative errno value. */
  int (*init)(struct mutex_lock *l);
  void (*done)(struct mutex_lock *l); /* [opt] */

  /*
   * Takes the lock, adds to the count if `write`, otherwise only reads it, and
   * releases the lock.
   */
  void (*use)(struct mutex_lock *l, struct mutex_waiter *w, bool write);
};

/* The order is that of the words of --mutex-kind. */
enum {
  MUTEX_KINDS = 7
};
extern const struct mutex_kind mutex_kinds[MUTEX_KINDS];

#endif
