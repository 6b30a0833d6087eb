/*
 * threads_pairs.c - the threads test with --thread-test: an event wakes a
 * partner and waits for its answer, or starts a thread and waits for its end.
 */
#include "tests/threads_pairs.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/thread.h"
#include "report/life.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "tests/ns_form.h"
#include "tests/threads_ways.h"

struct pairs_run {
  const struct plan *plan;
  const struct threads_way *way; /* NULL: spawn */
  struct ns_form_words words;
  char title[48];
};

/* A worker and its partner. */
struct pair {
  struct threads_channel to, back;
  struct pairs_run *run;
  pthread_t partner;
  _Atomic bool over; /* the partner leaves at the next wake-up */
} CACHE_ALIGNED;

static int pairs_open(const struct plan *plan, const void *arg, void **ret_run,
                      struct err *err)
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
  run->words.title = run->title;
  *ret_run = run;
  return 0;
}

static void pairs_setup(void *arg, struct report_setup *setup)
{
  setup->of_test = &((const struct pairs_run *)arg)->words;
}

static void pairs_describe(void *arg)
{
  const struct pairs_run *run = arg;

  log_msg(LOG_INFO, "Doing thread subsystem performance test");
  log_msg(LOG_NOTICE, "Thread test: %s\n\n",
          run->way ? run->way->name : "spawn");
}

static void *answer(void *arg)
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

static int open_channels(struct pair *p, struct err *err)
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

static void close_channels(struct pair *p)
{
  p->run->way->done(&p->back);
  p->run->way->done(&p->to);
}

static int pairs_thread_open(void *arg, struct worker *w, void **ret_thr,
                             struct err *err)
{
  struct pairs_run *run = arg;
  struct pair *p = mem_aligned(1, sizeof(*p), CACHE_LINE);
  int rc;

  (void)w;
  if (!p)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  p->run = run;
  rc = open_channels(p, err);
  if (rc == 0) {
    rc = thread_start(&p->partner, run->plan->stack_bytes, answer, p, err);
    if (rc < 0)
      close_channels(p);
  }
  if (rc < 0) {
    free(p);
    return rc;
  }
  *ret_thr = p;
  return 0;
}

static void pairs_thread_close(void *thr)
{
  struct pair *p = thr;

  atomic_store(&p->over, true);
  p->run->way->post(&p->to);
  (void)pthread_join(p->partner, NULL);
  close_channels(p);
  free(p);
}

static int pairs_event(void *thr, struct worker *w, struct err *err)
{
  struct pair *p = thr;

  (void)w, (void)err;
  p->run->way->post(&p->to);
  p->run->way->await(&p->back);
  return 0;
}

static void *nothing(void *arg)
{
  return arg;
}

static int spawn_event(void *arg, struct worker *w, struct err *err)
{
  const struct pairs_run *run = arg;
  pthread_t thread;
  int rc;

  (void)w;
  rc = thread_start(&thread, run->plan->stack_bytes, nothing, NULL, err);
  if (rc == 0)
    (void)pthread_join(thread, NULL);
  return rc;
}

static void pairs_details(void *arg, struct test_details *ret)
{
  const struct pairs_run *run = arg;

  facts_text(&ret->test, "thread_test", run->way ? run->way->name : "spawn");
}

static const struct test_ops pairs_ops = {
  .open = pairs_open,
  .setup = pairs_setup,
  .describe = pairs_describe,
  .close = free,
  .thread_open = pairs_thread_open,
  .thread_close = pairs_thread_close,
  .event = pairs_event,
  .details = pairs_details,
};

static const struct test_ops spawn_ops = {
  .open = pairs_open,
  .setup = pairs_setup,
  .describe = pairs_describe,
  .close = free,
  .event = spawn_event,
  .details = pairs_details,
};

const struct test threads_pairs_test = {
  .name = "threads",
  .summary = "Threads subsystem performance test",
  .opts = threads_opts,
  .cfg_size = sizeof(struct threads_cfg),
  .ops = &pairs_ops,
  .form = &ns_form,
};

const struct test threads_spawn_test = {
  .name = "threads",
  .summary = "Threads subsystem performance test",
  .opts = threads_opts,
  .cfg_size = sizeof(struct threads_cfg),
  .ops = &spawn_ops,
  .form = &ns_form,
};
