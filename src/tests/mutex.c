/*
 * mutex.c - the mutex test: one event per thread, which takes random mutexes
 * again and again, and counts while it holds them. With --mutex-kind, an event
 * is one lock.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "opt/opt.h"
#include "report/life.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/rand/stream.h"
#include "tests/mutex_locks.h"
#include "tests/ns_form.h"
#include "tests/tests.h"

struct mutex_cfg {
  uint64_t num;
  uint64_t locks;
  uint64_t loops;
  int kind; /* of mutex_kinds[]; -1: classic */
};

/* As mutex_kinds[]. */
static const char *const kind_words[] = {
  "pthread", "adaptive", "spin", "ticket", "mcs", "rwlock", "atomic", NULL,
};

enum {
  MUTEX_LOCKS = 50000,
};

static const struct opt mutex_opts[] = {
  {
    OPT_INT(struct mutex_cfg, num),
    .name = "mutex-num",
    .def = "4096",
    .min = 1,
    .max = UINT32_MAX,
    .help = "number of mutexes",
    .man = "Threads choose among this number of mutexes. The fewer there are, "
           "the more often threads meet.",
  },
  {
    OPT_INT(struct mutex_cfg, locks),
    .name = "mutex-locks",
    .def = "50000",
    .min = 1,
    .max = INT64_MAX,
    .help = "lock operations per thread",
    .man = "Each thread executes one event of N lock operations, after those "
           "of the warm-up.",
  },
  {
    OPT_INT(struct mutex_cfg, loops),
    .name = "mutex-loops",
    .def = "10000",
    .min = 0,
    .max = INT64_MAX,
    .help = "empty loop rounds before each lock",
    .man = "The work outside of the lock is an empty loop.",
  },
  {
    OPT_WORD(struct mutex_cfg, kind),
    .name = "mutex-kind",
    .flags = OPT_OWN,
    .words = kind_words,
    .help = "measure a kind of lock, an event for each lock operation "
            "{pthread,adaptive,spin,ticket,mcs,rwlock,atomic}",
    .man = "Without it, each thread has one event, as in sysbench. With it, an "
           "event takes one lock, adds to a number and lets the lock go, and "
           "latencies are those of that alone: the work of --mutex-loops comes "
           "in between. The test runs for --time or --events, and "
           "--mutex-locks is not allowed. Threads meet with --mutex-num=1. Of "
           "rwlock, nine in ten only read; atomic adds without a lock.",
  },
  OPT_END,
};

/* ---- --mutex-kind ---- */

/* The work between locks is not part of the event. The final counts show
 * whether the lock excludes other threads. */

enum {
  WRITE_EVERY = 10,
};

struct kinds_run {
  const struct mutex_cfg *cfg;
  const struct mutex_kind *kind;
  char title[48];
  struct mutex_lock *lock; /* owned; [cfg->num] */
  uint64_t ready;          /* initialized locks */
  _Atomic uint64_t writes; /* of workers that have closed */
};

struct kinds_thread {
  struct mutex_waiter waiter;
  struct kinds_run *run;
  struct mutex_lock *lock;
  bool write;
  uint64_t n, writes;
} CACHE_ALIGNED;

static int mutex_kinds_open(const struct plan *plan, const void *arg,
                            void **ret_run, struct err *err)
{
  struct kinds_run *run = calloc(1, sizeof(*run));

  (void)plan;
  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the mutex test");
  run->cfg = arg;
  run->kind = &mutex_kinds[run->cfg->kind];
  (void)snprintf(run->title, sizeof(run->title), "Lock operations (%s)",
                 run->kind->name);
  *ret_run = run;
  return 0;
}

static void mutex_kinds_setup(void *arg, struct report_setup *setup)
{
  setup->of_test = ((const struct kinds_run *)arg)->title;
}

static void mutex_kinds_describe(void *arg)
{
  const struct kinds_run *run = arg;

  log_msg(LOG_INFO, "Doing mutex performance test");
  log_msg(LOG_NOTICE, "Locks: %llu of kind %s\n\n",
          (unsigned long long)run->cfg->num, run->kind->name);
}

static int mutex_kinds_begin(void *arg, struct err *err)
{
  struct kinds_run *run = arg;

  run->lock = mem_aligned(run->cfg->num, sizeof(*run->lock), CACHE_LINE);
  if (!run->lock)
    return err_set(err, -ENOMEM, "cannot allocate %llu locks",
                   (unsigned long long)run->cfg->num);
  for (; run->ready < run->cfg->num; run->ready++) {
    const int rc = run->kind->init(&run->lock[run->ready]);

    if (rc == -ENOTSUP)
      return err_set(err, rc,
                     "--mutex-kind=%s: the C library of this program has no "
                     "such lock; choose another kind",
                     run->kind->name);
    if (rc < 0)
      return err_set(err, rc, "cannot make a lock for --mutex-kind=%s: %s",
                     run->kind->name, strerror(-rc));
  }
  return 0;
}

static void mutex_kinds_close(void *arg)
{
  struct kinds_run *run = arg;

  for (uint64_t i = 0; run->kind->done && i < run->ready; i++)
    run->kind->done(&run->lock[i]);
  free(run->lock);
  free(run);
}

static int mutex_kinds_thread_open(void *run, struct worker *w, void **ret_thr,
                                   struct err *err)
{
  struct kinds_thread *t = mem_aligned(1, sizeof(*t), CACHE_LINE);

  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  t->run = run;
  t->n = w->tid; /* workers write at different times */
  *ret_thr = t;
  return 0;
}

static void mutex_kinds_thread_close(void *thr)
{
  struct kinds_thread *t = thr;

  (void)atomic_fetch_add(&t->run->writes, t->writes);
  free(t);
}

/* One increment, comparison and branch per turn: no compiler removes or unrolls
 * the loop, because the limit is read from memory. */
static void mutex_spin(uint64_t turns)
{
  const volatile uint64_t limit = turns;

  for (uint64_t i = 0; i < limit; i++)
    ;
}

static bool mutex_kinds_next(void *thr, struct worker *w)
{
  struct kinds_thread *t = thr;
  const struct kinds_run *run = t->run;

  t->lock =
    &run->lock[dist_uniform(&w->rand->rng, 0, (int64_t)run->cfg->num - 1)];
  t->write = !run->kind->has_readers || t->n++ % WRITE_EVERY == 0;
  mutex_spin(run->cfg->loops);
  return true;
}

static int mutex_kinds_event(void *thr, struct worker *w, struct err *err)
{
  struct kinds_thread *t = thr;

  (void)w, (void)err;
  t->run->kind->use(t->lock, &t->waiter, t->write);
  t->writes += t->write;
  return 0;
}

static int mutex_kinds_end(void *arg, struct err *err)
{
  const struct kinds_run *run = arg;
  const uint64_t writes = atomic_load(&run->writes);
  uint64_t counted = 0;

  for (uint64_t i = 0; i < run->cfg->num; i++)
    counted += run->lock[i].count + atomic_load(&run->lock[i].shared_count);
  if (counted == writes)
    return 0;
  return err_set(err, -EIO,
                 "locks of kind %s let threads in at the same time: %llu "
                 "additions were made, and %llu counted",
                 run->kind->name, (unsigned long long)writes,
                 (unsigned long long)counted);
}

static void mutex_kinds_details(void *arg, struct test_details *ret)
{
  facts_text(&ret->test, "mutex_kind",
             ((const struct kinds_run *)arg)->kind->name);
}

static const struct test_ops kinds_ops = {
  .open = mutex_kinds_open,
  .setup = mutex_kinds_setup,
  .describe = mutex_kinds_describe,
  .begin = mutex_kinds_begin,
  .close = mutex_kinds_close,
  .end = mutex_kinds_end,
  .thread_open = mutex_kinds_thread_open,
  .thread_close = mutex_kinds_thread_close,
  .next = mutex_kinds_next,
  .event = mutex_kinds_event,
  .details = mutex_kinds_details,
};

static const struct test mutex_kinds_test = {
  .name = "mutex",
  .summary = "Mutex performance test",
  .opts = mutex_opts,
  .cfg_size = sizeof(struct mutex_cfg),
  .ops = &kinds_ops,
  .form = &ns_form,
};

/* ---- one event per thread ---- */

/* Two mutexes never share a cache line. */
struct mutex_slot {
  pthread_mutex_t mutex;
  char padding[256];
};

struct mutex_run {
  const struct mutex_cfg *cfg;
  struct mutex_slot *slot;                /* owned; [cfg->num] */
  volatile uint64_t shared CACHE_ALIGNED; /* by any thread with a mutex */
};

static int mutex_open(const struct plan *plan, const void *cfg, void **ret_run,
                      struct err *err)
{
  struct mutex_run *run = mem_aligned(1, sizeof(*run), CACHE_LINE);

  (void)plan;
  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the mutex test");
  run->cfg = cfg;
  *ret_run = run;
  return 0;
}

static void mutex_describe(void *run)
{
  (void)run;
  log_msg(LOG_INFO, "Doing mutex performance test");
}

static int mutex_begin(void *arg, struct err *err)
{
  struct mutex_run *run = arg;

  run->slot = calloc(run->cfg->num, sizeof(*run->slot));
  if (!run->slot)
    return err_set(err, -ENOMEM, "cannot allocate %llu mutexes",
                   (unsigned long long)run->cfg->num);
  for (uint64_t i = 0; i < run->cfg->num; i++)
    (void)pthread_mutex_init(&run->slot[i].mutex, NULL);
  return 0;
}

static void mutex_close(void *arg)
{
  struct mutex_run *run = arg;

  for (uint64_t i = 0; run->slot && i < run->cfg->num; i++)
    (void)pthread_mutex_destroy(&run->slot[i].mutex);
  free(run->slot);
  free(run);
}

/* On purpose, holders of different mutexes write at once, and the sum is not
 * used. */
RACES_ON_PURPOSE static void mutex_count(struct mutex_run *run)
{
  run->shared++;
}

static void mutex_take_mutexes(struct mutex_run *run, struct worker *w)
{
  const int64_t last = (int64_t)run->cfg->num - 1;
  const uint64_t loops = run->cfg->loops;

  for (uint64_t i = run->cfg->locks; i > 0; i--) {
    struct mutex_slot *slot = &run->slot[dist_uniform(&w->rand->rng, 0, last)];

    mutex_spin(loops);
    (void)pthread_mutex_lock(&slot->mutex);
    mutex_count(run);
    (void)pthread_mutex_unlock(&slot->mutex);
  }
}

/* The first event after the warm-up is the last: with --rate, another step
 * would wait for an arrival. */
static int mutex_loop(void *thr, struct worker *w, struct err *err)
{
  bool done = false;

  (void)err;
  while (!done && worker_step(w)) {
    done = w->counted;
    mutex_take_mutexes(thr, w);
  }
  worker_stop(w);
  return 0;
}

static const struct test_ops mutex_ops = {
  .open = mutex_open,
  .describe = mutex_describe,
  .begin = mutex_begin,
  .close = mutex_close,
  .loop = mutex_loop,
};

static int mutex_variant(const void *arg, const struct test **ret,
                         struct err *err)
{
  const struct mutex_cfg *cfg = arg;

  if (cfg->kind < 0)
    return 0;
  if (cfg->locks != MUTEX_LOCKS)
    return err_set(err, -EINVAL,
                   "--mutex-locks and --mutex-kind cannot be combined: leave "
                   "one out, and limit the run with --events or --time");
  *ret = &mutex_kinds_test;
  return 0;
}

const struct test test_mutex = {
  .name = "mutex",
  .summary = "Mutex performance test",
  .about = "The threads lock and unlock mutexes, with a short loop in between.",
  .example = "--threads=8 --mutex-num=16 run",
  .opts = mutex_opts,
  .cfg_size = sizeof(struct mutex_cfg),
  .ops = &mutex_ops,
  .no_deadline = true,
  .variant = mutex_variant,
};
