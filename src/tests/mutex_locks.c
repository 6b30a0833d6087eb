#include "tests/mutex_locks.h"

#include <errno.h>
#include <sched.h>

enum {
  SPINS = 1024, /* before sched_yield() */
};

static inline void mutex_locks_pause_once(unsigned *n)
{
  if (++*n % SPINS == 0) {
    (void)sched_yield();
    return;
  }
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#else
  __asm__ volatile("");
#endif
}

static void mutex_locks_touch(struct mutex_lock *l, bool write)
{
  uint64_t seen = l->count;

  OPAQUE(seen); /* the read stays */
  if (write)
    l->count = seen + 1;
}

static int mutex_locks_no_init(struct mutex_lock *l)
{
  (void)l;
  return 0;
}

static int pthread_init(struct mutex_lock *l)
{
  return -pthread_mutex_init(&l->of.mutex, NULL);
}

#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
static int adaptive_init(struct mutex_lock *l)
{
  pthread_mutexattr_t attr;
  int rc;

  (void)pthread_mutexattr_init(&attr);
  rc = pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
  if (rc == 0)
    rc = pthread_mutex_init(&l->of.mutex, &attr);
  (void)pthread_mutexattr_destroy(&attr);
  return -rc;
}
#else
static int adaptive_init(struct mutex_lock *l)
{
  (void)l;
  return -ENOTSUP;
}
#endif

static void pthread_done(struct mutex_lock *l)
{
  (void)pthread_mutex_destroy(&l->of.mutex);
}

static void pthread_use(struct mutex_lock *l, struct mutex_waiter *w,
                        bool write)
{
  (void)w;
  (void)pthread_mutex_lock(&l->of.mutex);
  mutex_locks_touch(l, write);
  (void)pthread_mutex_unlock(&l->of.mutex);
}

/* Reads until the lock looks free. */
static void spin_use(struct mutex_lock *l, struct mutex_waiter *w, bool write)
{
  unsigned n = 0;

  (void)w;
  while (atomic_exchange_explicit(&l->of.taken, 1, memory_order_acquire) != 0) {
    while (atomic_load_explicit(&l->of.taken, memory_order_relaxed) != 0)
      mutex_locks_pause_once(&n);
  }
  mutex_locks_touch(l, write);
  atomic_store_explicit(&l->of.taken, 0, memory_order_release);
}

/* In the order of arrival. */
static void ticket_use(struct mutex_lock *l, struct mutex_waiter *w, bool write)
{
  struct mutex_ticket *t = &l->of.ticket;
  const uint32_t mine = atomic_fetch_add_explicit(&t->next, 1,
                                                  memory_order_relaxed);
  unsigned n = 0;

  (void)w;
  while (atomic_load_explicit(&t->served, memory_order_acquire) != mine)
    mutex_locks_pause_once(&n);
  mutex_locks_touch(l, write);
  atomic_store_explicit(&t->served, mine + 1, memory_order_release);
}

/* In order; each thread spins on a word of its own. */
static void mcs_use(struct mutex_lock *l, struct mutex_waiter *w, bool write)
{
  struct mutex_waiter *before, *next, *self = w;
  unsigned n = 0;

  atomic_store_explicit(&w->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&w->waits, 1, memory_order_relaxed);
  before = atomic_exchange_explicit(&l->of.last, w, memory_order_acq_rel);
  if (before) {
    atomic_store_explicit(&before->next, w, memory_order_release);
    while (atomic_load_explicit(&w->waits, memory_order_acquire) != 0)
      mutex_locks_pause_once(&n);
  }
  mutex_locks_touch(l, write);
  next = atomic_load_explicit(&w->next, memory_order_acquire);
  if (!next && atomic_compare_exchange_strong_explicit(&l->of.last, &self, NULL,
                                                       memory_order_release,
                                                       memory_order_relaxed))
    return;
  while (!next) { /* a new thread is about to set `next` */
    mutex_locks_pause_once(&n);
    next = atomic_load_explicit(&w->next, memory_order_acquire);
  }
  atomic_store_explicit(&next->waits, 0, memory_order_release);
}

static int rwlock_init(struct mutex_lock *l)
{
  return -pthread_rwlock_init(&l->of.rwlock, NULL);
}

static void rwlock_done(struct mutex_lock *l)
{
  (void)pthread_rwlock_destroy(&l->of.rwlock);
}

static void rwlock_use(struct mutex_lock *l, struct mutex_waiter *w, bool write)
{
  (void)w;
  if (write)
    (void)pthread_rwlock_wrlock(&l->of.rwlock);
  else
    (void)pthread_rwlock_rdlock(&l->of.rwlock);
  mutex_locks_touch(l, write);
  (void)pthread_rwlock_unlock(&l->of.rwlock);
}

static void mutex_locks_atomic_use(struct mutex_lock *l, struct mutex_waiter *w,
                                   bool write)
{
  (void)w, (void)write;
  (void)atomic_fetch_add_explicit(&l->shared_count, 1, memory_order_seq_cst);
}

const struct mutex_kind mutex_kinds[MUTEX_KINDS] = {
  { "pthread", false, pthread_init, pthread_done, pthread_use },
  { "adaptive", false, adaptive_init, pthread_done, pthread_use },
  { "spin", false, mutex_locks_no_init, NULL, spin_use },
  { "ticket", false, mutex_locks_no_init, NULL, ticket_use },
  { "mcs", false, mutex_locks_no_init, NULL, mcs_use },
  { "rwlock", true, rwlock_init, rwlock_done, rwlock_use },
  { "atomic", false, mutex_locks_no_init, NULL, mutex_locks_atomic_use },
};
