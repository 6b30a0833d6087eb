/*
 * mutex.c - the mutex test: one event per thread, which takes one of many
 * mutexes at random, again and again, and counts while it holds it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "rand/stream.h"
#include "run/test.h"
#include "run/worker.h"
#include "tests/mutex_kinds.h"
#include "tests/tests.h"

/* The order is that of mutex_kinds[]. */
static const char *const kind_words[] = {
  "pthread", "adaptive", "spin", "ticket", "mcs", "rwlock", "atomic", NULL,
};

enum {
  MUTEX_LOCKS = 50000, /* the default of --mutex-locks */
};

const struct opt mutex_opts[] = {
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
    .man = "Each thread executes one event of so many lock operations, after "
           "those of the warm-up.",
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

/* The padding keeps two mutexes out of each other's cache lines. */
struct mutex_slot {
  pthread_mutex_t mutex;
  char padding[256];
};

struct mutex_run {
  const struct mutex_cfg *cfg;
  struct mutex_slot *slot; /* owned; [cfg->num] */
  volatile uint64_t shared
    CACHE_ALIGNED; /* written by any thread that holds a mutex */
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

/*
 * Does one increment, comparison and branch per turn.  The compiler can neither
 * remove nor unroll them, because the limit is read from memory in each turn.
 */
static void spin(uint64_t turns)
{
  const volatile uint64_t limit = turns;

  for (uint64_t i = 0; i < limit; i++)
    ;
}

/*
 * Threads that hold different mutexes write here at the same time, and the sum
 * is not used: that is the test.  This race is not reported.
 */
RACES_ON_PURPOSE static void count(struct mutex_run *run)
{
  run->shared++;
}

static void take_mutexes(struct mutex_run *run, struct worker *w)
{
  const int64_t last = (int64_t)run->cfg->num - 1;
  const uint64_t loops = run->cfg->loops;

  for (uint64_t i = run->cfg->locks; i > 0; i--) {
    struct mutex_slot *slot = &run->slot[dist_uniform(&w->rand->rng, 0, last)];

    spin(loops);
    (void)pthread_mutex_lock(&slot->mutex);
    count(run);
    (void)pthread_mutex_unlock(&slot->mutex);
  }
}

/*
 * The event of a thread is the first that begins after the warm-up.  No step
 * follows it: with --rate that would wait for another arrival.
 */
static int mutex_loop(void *thr, struct worker *w, struct err *err)
{
  bool done = false;

  (void)err;
  while (!done && worker_step(w)) {
    done = w->counted;
    take_mutexes(thr, w);
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
                   "--mutex-locks is for the test without --mutex-kind: leave "
                   "one of them out, and use --events or --time");
  *ret = &mutex_kinds_test;
  return 0;
}

const struct test test_mutex = {
  .name = "mutex",
  .summary = "Mutex performance test",
  .opts = mutex_opts,
  .cfg_size = sizeof(struct mutex_cfg),
  .ops = &mutex_ops,
  .no_deadline = true,
  .variant = mutex_variant,
};
