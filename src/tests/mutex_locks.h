/*
 * mutex_locks.h - kinds of locks, for the mutex test.
 *
 * Those that spin give the processor away after some 50 microseconds, as they
 * have to where threads may be more than processors.
 */
#ifndef BENCH_TESTS_MUTEX_LOCKS_H
#define BENCH_TESTS_MUTEX_LOCKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* A thread that waits for a lock of the kind mcs, or holds it: one per thread.
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
  /* Who holds the lock adds to it; with the kind atomic, everybody does. */
  uint64_t count CACHE_ALIGNED;
  _Atomic uint64_t shared_count;
} CACHE_ALIGNED;

struct mutex_kind {
  const char *name;
  bool has_readers; /* most holders only look at the count, all at once */

  /* Of zeroed memory.  0 or a negative errno value. */
  int (*init)(struct mutex_lock *l);
  void (*done)(struct mutex_lock *l); /* [opt] */

  /* Take the lock, do `write` what is to be done under it, or only look, and
   * let it go. */
  void (*use)(struct mutex_lock *l, struct mutex_waiter *w, bool write);
};

/* In the order of the words of --mutex-kind. */
enum {
  MUTEX_KINDS = 7
};
extern const struct mutex_kind mutex_kinds[MUTEX_KINDS];

#endif
