/*
 * threads.c - the threads test: one event locks, yields and unlocks a mutex
 * many times. Events of all threads take the mutexes in turn.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/wait.h"
#include "opt/opt.h"
#include "report/life.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "tests/ns_form.h"
#include "tests/tests.h"

struct threads_channel {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool posted;           /* under the mutex */
  _Atomic uint32_t word; /* 1: posted */
  int from, to;
} CACHE_ALIGNED;

struct threads_way {
  const char *name;
  int (*init)(struct threads_channel *c, struct err *err);
  void (*done)(struct threads_channel *c);
  void (*post)(struct threads_channel *c);
  void (*await)(struct threads_channel *c);
};

/* In the order of --thread-test. */
enum {
  THREADS_WAYS = 3
};

struct threads_cfg {
  uint64_t yields;
  uint64_t locks;
  int test; /* of threads_ways[], then spawn; -1: classic */
};

/* As threads_ways[]; spawn has no partners. */
static const char *const test_words[] = {
  "handoff", "pipe", "futex", "spawn", NULL,
};

enum {
  THREAD_YIELDS = 1000,
  THREAD_LOCKS = 8,
};

static const struct opt threads_opts[] = {
  {
    OPT_INT(struct threads_cfg, yields),
    .name = "thread-yields",
    .def = "1000",
    .min = 0,
    .max = INT64_MAX,
    .help = "lock-yield-unlock rounds per event",
    .man = "An event repeats N times: it locks its mutex, yields the CPU and "
           "unlocks the mutex.",
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
           "two wake-ups; where both threads share a CPU (taskset), two "
           "context switches. With spawn, an event starts a thread that does "
           "nothing, and waits for its end. --thread-yields and --thread-locks "
           "are not allowed then.",
  },
  OPT_END,
};

/* ---- ways in which one thread wakes another ---- */

static int threads_handoff_init(struct threads_channel *c, struct err *err)
{
  int rc = pthread_mutex_init(&c->mutex, NULL);

  if (rc == 0)
    rc = pthread_cond_init(&c->changed, NULL);
  return rc == 0 ? 0 : err_set(err, -rc, "cannot make a condition variable");
}

static void threads_handoff_done(struct threads_channel *c)
{
  (void)pthread_cond_destroy(&c->changed);
  (void)pthread_mutex_destroy(&c->mutex);
}

static void threads_handoff_post(struct threads_channel *c)
{
  (void)pthread_mutex_lock(&c->mutex);
  c->posted = true;
  (void)pthread_cond_signal(&c->changed);
  (void)pthread_mutex_unlock(&c->mutex);
}

static void threads_handoff_await(struct threads_channel *c)
{
  (void)pthread_mutex_lock(&c->mutex);
  while (!c->posted)
    (void)pthread_cond_wait(&c->changed, &c->mutex);
  c->posted = false;
  (void)pthread_mutex_unlock(&c->mutex);
}

static int threads_pipe_init(struct threads_channel *c, struct err *err)
{
  int ends[2];

  if (pipe2(ends, O_CLOEXEC) < 0)
    return err_sys(err, "cannot make a pipe for --thread-test=pipe,");
  c->from = ends[0];
  c->to = ends[1];
  return 0;
}

static void threads_pipe_done(struct threads_channel *c)
{
  (void)close(c->from);
  (void)close(c->to);
}

/* Only a signal interrupts a pipe that is open. */
static void threads_pipe_post(struct threads_channel *c)
{
  while (write(c->to, "", 1) < 0 && errno == EINTR)
    ;
}

static void threads_pipe_await(struct threads_channel *c)
{
  char byte;

  while (read(c->from, &byte, 1) < 0 && errno == EINTR)
    ;
}

static int threads_futex_init(struct threads_channel *c, struct err *err)
{
  (void)c, (void)err;
  return 0;
}

static void threads_futex_done(struct threads_channel *c)
{
  (void)c;
}

/* Pairs with the acquire of the waiting thread. */
static void threads_futex_post(struct threads_channel *c)
{
  atomic_store_explicit(&c->word, 1, memory_order_release);
  wait_wake_all(&c->word);
}

static void threads_futex_await(struct threads_channel *c)
{
  while (atomic_exchange_explicit(&c->word, 0, memory_order_acquire) == 0)
    wait_while(&c->word, 0, WAIT_FOREVER);
}

static const struct threads_way threads_ways[THREADS_WAYS] = {
  { "handoff", threads_handoff_init, threads_handoff_done, threads_handoff_post,
    threads_handoff_await },
  { "pipe", threads_pipe_init, threads_pipe_done, threads_pipe_post,
    threads_pipe_await },
  { "futex", threads_futex_init, threads_futex_done, threads_futex_post,
    threads_futex_await },
};

/* ---- --thread-test ---- */

/* An event wakes a partner and waits for the answer, or starts a thread and
 * waits for its end. */

struct pairs_run {
  const struct plan *plan;
  const struct threads_way *way; /* NULL: spawn */
  char title[48];
};

struct pair {
  struct threads_channel to, back;
  struct pairs_run *run;
  pthread_t partner;
  _Atomic bool over; /* leave at the next wake-up */
} CACHE_ALIGNED;

static int threads_pairs_open(const struct plan *plan, const void *arg,
                              void **ret_run, struct err *err)
{
  const struct threads_cfg *cfg = arg;
  struct pairs_run *run = calloc(1, sizeof(*run));

  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the threads test");
  run->plan = plan;
  run->way = cfg->test < THREADS_WAYS ? &threads_ways[cfg->test] : NULL;
  if (run->way)
    (void)snprintf(run->title, sizeof(run->title), "Round trips (%s)",
                   run->way->name);
  else
    (void)snprintf(run->title, sizeof(run->title),
                   "Threads started and ended (spawn)");
  *ret_run = run;
  return 0;
}

static void threads_pairs_setup(void *arg, struct report_setup *setup)
{
  setup->of_test = ((const struct pairs_run *)arg)->title;
}

static void threads_pairs_describe(void *arg)
{
  const struct pairs_run *run = arg;

  log_msg(LOG_INFO, "Doing thread subsystem performance test");
  log_msg(LOG_NOTICE, "Thread test: %s\n\n",
          run->way ? run->way->name : "spawn");
}

static void *threads_pairs_answer(void *arg)
{
  struct pair *p = arg;
  const struct threads_way *way = p->run->way;

  thread_set_name("partner");
  for (;;) {
    way->await(&p->to);
    if (atomic_load(&p->over))
      return NULL;
    way->post(&p->back);
  }
}

static int threads_pairs_open_channels(struct pair *p, struct err *err)
{
  const struct threads_way *way = p->run->way;
  int rc = way->init(&p->to, err);

  if (rc < 0)
    return rc;
  rc = way->init(&p->back, err);
  if (rc < 0)
    way->done(&p->to);
  return rc;
}

static void threads_pairs_close_channels(struct pair *p)
{
  p->run->way->done(&p->back);
  p->run->way->done(&p->to);
}

static int threads_pairs_thread_open(void *arg, struct worker *w,
                                     void **ret_thr, struct err *err)
{
  struct pairs_run *run = arg;
  struct pair *p = mem_aligned(1, sizeof(*p), CACHE_LINE);
  int rc;

  (void)w;
  if (!p)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  p->run = run;
  rc = threads_pairs_open_channels(p, err);
  if (rc == 0) {
    rc = thread_start(&p->partner, run->plan->stack_bytes, threads_pairs_answer,
                      p, err);
    if (rc < 0)
      threads_pairs_close_channels(p);
  }
  if (rc < 0) {
    free(p);
    return rc;
  }
  *ret_thr = p;
  return 0;
}

static void threads_pairs_thread_close(void *thr)
{
  struct pair *p = thr;

  atomic_store(&p->over, true);
  p->run->way->post(&p->to);
  (void)pthread_join(p->partner, NULL);
  threads_pairs_close_channels(p);
  free(p);
}

static int threads_pairs_event(void *thr, struct worker *w, struct err *err)
{
  struct pair *p = thr;

  (void)w, (void)err;
  p->run->way->post(&p->to);
  p->run->way->await(&p->back);
  return 0;
}

static void *threads_pairs_nothing(void *arg)
{
  return arg;
}

static int threads_pairs_spawn_event(void *arg, struct worker *w,
                                     struct err *err)
{
  const struct pairs_run *run = arg;
  pthread_t thread;
  int rc;

  (void)w;
  rc = thread_start(&thread, run->plan->stack_bytes, threads_pairs_nothing,
                    NULL, err);
  if (rc == 0)
    (void)pthread_join(thread, NULL);
  return rc;
}

static void threads_pairs_details(void *arg, struct test_details *ret)
{
  const struct pairs_run *run = arg;

  facts_text(&ret->test, "thread_test", run->way ? run->way->name : "spawn");
}

static const struct test_ops pairs_ops = {
  .open = threads_pairs_open,
  .setup = threads_pairs_setup,
  .describe = threads_pairs_describe,
  .close = free,
  .thread_open = threads_pairs_thread_open,
  .thread_close = threads_pairs_thread_close,
  .event = threads_pairs_event,
  .details = threads_pairs_details,
};

static const struct test_ops spawn_ops = {
  .open = threads_pairs_open,
  .setup = threads_pairs_setup,
  .describe = threads_pairs_describe,
  .close = free,
  .event = threads_pairs_spawn_event,
  .details = threads_pairs_details,
};

static const struct test threads_pairs_test = {
  .name = "threads",
  .summary = "Threads subsystem performance test",
  .opts = threads_opts,
  .cfg_size = sizeof(struct threads_cfg),
  .ops = &pairs_ops,
  .form = &ns_form,
};

static const struct test threads_spawn_test = {
  .name = "threads",
  .summary = "Threads subsystem performance test",
  .opts = threads_opts,
  .cfg_size = sizeof(struct threads_cfg),
  .ops = &spawn_ops,
  .form = &ns_form,
};

/* ---- locks ---- */

struct threads_run {
  const struct threads_cfg *cfg;
  /* No padding: the distance of locks is part of the test. */
  pthread_mutex_t *lock;                   /* owned; [cfg->locks] */
  _Atomic uint64_t requests CACHE_ALIGNED; /* sum over all workers */
};

struct threads_thread {
  struct threads_run *run;
  uint64_t lock;
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
  .about = "The threads compete for a few locks and yield the CPU while they "
           "hold one.",
  .example = "--threads=64 --thread-locks=2 run",
  .opts = threads_opts,
  .cfg_size = sizeof(struct threads_cfg),
  .ops = &threads_ops,
  .variant = threads_variant,
};
