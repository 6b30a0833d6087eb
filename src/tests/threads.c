/*
 * threads.c - the threads test: one event locks, yields and unlocks a mutex
 * many times.  The mutexes are assigned to events in turn, over all threads.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "run/test.h"
#include "tests/tests.h"
#include "tests/threads_pairs.h"
#include "tests/threads_ways.h"

/* The order is that of threads_ways[]; the last one has no partners. */
static const char *const test_words[] = {
  "handoff", "pipe", "futex", "spawn", NULL,
};

/* The defaults of --thread-yields and --thread-locks. */
enum {
  THREAD_YIELDS = 1000,
  THREAD_LOCKS = 8,
};

const struct opt threads_opts[] = {
  {
    OPT_INT(struct threads_cfg, yields),
    .name = "thread-yields",
    .def = "1000",
    .min = 0,
    .max = INT64_MAX,
    .help = "lock-yield-unlock rounds per event",
    .man = "An event repeats this so many times: it locks its mutex, gives up "
           "the processor and unlocks the mutex.",
  },
  {
    OPT_INT(struct threads_cfg, locks),
    .name = "thread-locks",
    .def = "8",
    .min = 1,
    .max = UINT32_MAX,
    .help = "number of mutexes",
    .man = "Events take the mutexes in turn over all threads. Fewer mutexes "
           "than threads mean that threads wait for each other.",
  },
  {
    OPT_WORD(struct threads_cfg, test),
    .name = "thread-test",
    .flags = OPT_OWN,
    .words = test_words,
    .help = "measure wake-ups, or the start of threads, instead of yields "
            "{handoff,pipe,futex,spawn}",
    .man = "With handoff, pipe and futex each thread has a partner: an event "
           "wakes it, and ends when it has woken the thread in turn, through a "
           "mutex and a condition variable, pipes, or futexes. An event has "
           "two wake-ups; where both threads share a processor (taskset), two "
           "context switches. With spawn, an event starts a thread that does "
           "nothing, and waits for its end. --thread-yields and --thread-locks "
           "are not allowed then.",
  },
  OPT_END,
};

struct threads_run {
  const struct threads_cfg *cfg;
  /*
   * There is no padding: the distance of the locks is part of what is measured.
   */
  pthread_mutex_t *lock;                   /* owned; [cfg->locks] */
  _Atomic uint64_t requests CACHE_ALIGNED; /* sum over all workers */
};

struct threads_thread {
  struct threads_run *run;
  uint64_t lock; /* lock of the next event */
} CACHE_ALIGNED;

static int threads_open(const struct plan *plan, const void *cfg,
                        void **ret_run, struct err *err)
{
  struct threads_run *run = mem_aligned(1, sizeof(*run), CACHE_LINE);

  (void)plan;
  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the threads test");
  run->cfg = cfg;
  *ret_run = run;
  return 0;
}

static void threads_describe(void *arg)
{
  const struct threads_cfg *cfg = ((const struct threads_run *)arg)->cfg;

  log_msg(LOG_INFO, "Doing thread subsystem performance test");
  log_msg(LOG_INFO, "Thread yields per test: %llu Locks used: %llu",
          (unsigned long long)cfg->yields, (unsigned long long)cfg->locks);
}

static int threads_begin(void *arg, struct err *err)
{
  struct threads_run *run = arg;

  run->lock = calloc(run->cfg->locks, sizeof(pthread_mutex_t));
  if (!run->lock)
    return err_set(err, -ENOMEM, "cannot allocate %llu mutexes",
                   (unsigned long long)run->cfg->locks);
  for (uint64_t i = 0; i < run->cfg->locks; i++)
    (void)pthread_mutex_init(&run->lock[i], NULL); /* cannot fail on Linux */
  return 0;
}

static void threads_close(void *arg)
{
  struct threads_run *run = arg;

  for (uint64_t i = 0; run->lock && i < run->cfg->locks; i++)
    (void)pthread_mutex_destroy(&run->lock[i]);
  free(run->lock);
  free(run);
}

static int threads_thread_open(void *run, struct worker *w, void **ret_thr,
                               struct err *err)
{
  struct threads_thread *t = mem_aligned(1, sizeof(*t), CACHE_LINE);

  (void)w;
  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  t->run = run;
  *ret_thr = t;
  return 0;
}

static bool threads_next(void *thr, struct worker *w)
{
  struct threads_thread *t = thr;
  const uint64_t n = atomic_fetch_add_explicit(&t->run->requests, 1,
                                               memory_order_relaxed);

  (void)w;
  t->lock = n % t->run->cfg->locks;
  return true;
}

static int threads_event(void *thr, struct worker *w, struct err *err)
{
  struct threads_thread *t = thr;
  pthread_mutex_t *lock = &t->run->lock[t->lock];

  (void)w, (void)err;
  for (uint64_t i = t->run->cfg->yields; i > 0; i--) {
    (void)pthread_mutex_lock(lock);
    (void)sched_yield();
    (void)pthread_mutex_unlock(lock);
  }
  return 0;
}

static const struct test_ops threads_ops = {
  .open = threads_open,
  .describe = threads_describe,
  .begin = threads_begin,
  .close = threads_close,
  .thread_open = threads_thread_open,
  .thread_close = free,
  .next = threads_next,
  .event = threads_event,
};

static int threads_variant(const void *arg, const struct test **ret,
                           struct err *err)
{
  const struct threads_cfg *cfg = arg;

  if (cfg->test < 0)
    return 0;
  if (cfg->yields != THREAD_YIELDS || cfg->locks != THREAD_LOCKS)
    return err_set(err, -EINVAL,
                   "--thread-%s is for the test without --thread-test: leave "
                   "one of them out",
                   cfg->yields != THREAD_YIELDS ? "yields" : "locks");
  *ret = cfg->test < THREADS_WAYS ? &threads_pairs_test : &threads_spawn_test;
  return 0;
}

const struct test test_threads = {
  .name = "threads",
  .summary = "Threads subsystem performance test",
  .opts = threads_opts,
  .cfg_size = sizeof(struct threads_cfg),
  .ops = &threads_ops,
  .variant = threads_variant,
};
