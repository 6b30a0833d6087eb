/*
 * mutex_kinds.c - the mutex test with --mutex-kind: an event takes one of many
 * locks of a kind, counts while it holds it, and releases it.
 *
 * The work between two locks is not part of the event, so latencies are those
 * of the lock.  The final counts show whether the lock excludes other threads.
 */
#include "tests/mutex_kinds.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "rand/stream.h"
#include "report/life.h"
#include "run/test.h"
#include "run/worker.h"
#include "tests/mutex_locks.h"
#include "tests/ns_form.h"

enum {
  WRITE_EVERY = 10, /* with readers, one use in so many writes */
};

struct kinds_run {
  const struct mutex_cfg *cfg;
  const struct mutex_kind *kind;
  struct ns_form_words words;
  char title[48];
  struct mutex_lock *lock; /* owned; [cfg->num] */
  uint64_t ready;          /* locks that were initialized */
  _Atomic uint64_t writes; /* each worker adds to it when it closes */
};

struct kinds_thread {
  struct mutex_waiter waiter;
  struct kinds_run *run;
  struct mutex_lock *lock; /* lock of the next event */
  bool write;              /* the next event writes */
  uint64_t n, writes;
} CACHE_ALIGNED;

static int kinds_open(const struct plan *plan, const void *arg, void **ret_run,
                      struct err *err)
{
  struct kinds_run *run = calloc(1, sizeof(*run));

  (void)plan;
  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the mutex test");
  run->cfg = arg;
  run->kind = &mutex_kinds[run->cfg->kind];
  (void)snprintf(run->title, sizeof(run->title), "Lock operations (%s)",
                 run->kind->name);
  run->words.title = run->title;
  *ret_run = run;
  return 0;
}

static void kinds_setup(void *arg, struct report_setup *setup)
{
  setup->of_test = &((const struct kinds_run *)arg)->words;
}

static void kinds_describe(void *arg)
{
  const struct kinds_run *run = arg;

  log_msg(LOG_INFO, "Doing mutex performance test");
  log_msg(LOG_NOTICE, "Locks: %llu of kind %s\n\n",
          (unsigned long long)run->cfg->num, run->kind->name);
}

static int kinds_begin(void *arg, struct err *err)
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

static void kinds_close(void *arg)
{
  struct kinds_run *run = arg;

  for (uint64_t i = 0; run->kind->done && i < run->ready; i++)
    run->kind->done(&run->lock[i]);
  free(run->lock);
  free(run);
}

static int kinds_thread_open(void *run, struct worker *w, void **ret_thr,
                             struct err *err)
{
  struct kinds_thread *t = mem_aligned(1, sizeof(*t), CACHE_LINE);

  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  t->run = run;
  t->n = w->tid; /* workers do not write at the same time */
  *ret_thr = t;
  return 0;
}

static void kinds_thread_close(void *thr)
{
  struct kinds_thread *t = thr;

  (void)atomic_fetch_add(&t->run->writes, t->writes);
  free(t);
}

/* The limit is read from memory in each turn, as in the test without kinds. */
static void spin(uint64_t turns)
{
  const volatile uint64_t limit = turns;

  for (uint64_t i = 0; i < limit; i++)
    ;
}

static bool kinds_next(void *thr, struct worker *w)
{
  struct kinds_thread *t = thr;
  const struct kinds_run *run = t->run;

  t->lock =
    &run->lock[dist_uniform(&w->rand->rng, 0, (int64_t)run->cfg->num - 1)];
  t->write = !run->kind->has_readers || t->n++ % WRITE_EVERY == 0;
  spin(run->cfg->loops);
  return true;
}

static int kinds_event(void *thr, struct worker *w, struct err *err)
{
  struct kinds_thread *t = thr;

  (void)w, (void)err;
  t->run->kind->use(t->lock, &t->waiter, t->write);
  t->writes += t->write;
  return 0;
}

/* All workers have closed: checks the counts. */
static int kinds_end(void *arg, struct err *err)
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

static void kinds_details(void *arg, struct test_details *ret)
{
  facts_text(&ret->test, "mutex_kind",
             ((const struct kinds_run *)arg)->kind->name);
}

static const struct test_ops kinds_ops = {
  .open = kinds_open,
  .setup = kinds_setup,
  .describe = kinds_describe,
  .begin = kinds_begin,
  .close = kinds_close,
  .end = kinds_end,
  .thread_open = kinds_thread_open,
  .thread_close = kinds_thread_close,
  .next = kinds_next,
  .event = kinds_event,
  .details = kinds_details,
};

const struct test mutex_kinds_test = {
  .name = "mutex",
  .summary = "Mutex performance test",
  .opts = mutex_opts,
  .cfg_size = sizeof(struct mutex_cfg),
  .ops = &kinds_ops,
  .form = &ns_form,
};
