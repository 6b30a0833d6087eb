/*
 * memory.c - the memory test: calls the test that --memory-test chooses.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "report/form.h"
#include "report/life.h"
#include "run/plan.h"
#include "run/test.h"
#include "tests/memory/form.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"
#include "tests/scaling.h"
#include "tests/tests.h"

struct memory_choice {
  const struct test_ops *ops;
  const struct report_form *form;
  unsigned threads_min, threads_max; /* 0: any number */
};

static const struct memory_choice classic = { &memory_classic_ops, &memory_form,
                                              0, 0 };

static const struct memory_choice choices[MEMORY_TESTS] = {
  [MEMORY_BANDWIDTH] = { &memory_bandwidth_ops, &memory_bandwidth_form, 0, 0 },
  [MEMORY_LATENCY] = { &memory_latency_ops, &memory_latency_form, 1, 1 },
  [MEMORY_LOADED] = { &memory_loaded_ops, &memory_loaded_form, 2, 0 },
  [MEMORY_PAIRS] = { &memory_pairs_ops, &memory_pairs_form, 1, 1 },
  [MEMORY_NUMA] = { &memory_numa_ops, &memory_numa_form, 1, 1 },
  [MEMORY_SCALING] = { &memory_scaling_ops, &scaling_form, 1, 1 },
};

struct memory_front {
  const struct memory_choice *of;
  void *run; /* data of that test */
};

struct memory_front_thread {
  const struct test_ops *ops;
  void *thr;
};

/* Refuses options that the new tests do not use. */
static int check_plan(const struct plan *plan, const struct memory_cfg *cfg,
                      struct err *err)
{
  const struct memory_choice *of = &choices[cfg->test];
  const char *word = memory_test_words[cfg->test];

  if (plan_rated_by(plan))
    return err_set(err, -EINVAL,
                   "--%s makes no sense with --memory-test=%s: it measures "
                   "as fast as it can",
                   plan_rated_by(plan), word);
  if (plan->parts > 1)
    return err_set(err, -EINVAL, "--memory-test=%s is for a run of one process",
                   word);
  if (plan->threads < of->threads_min)
    return err_set(err, -EINVAL,
                   "--memory-test=%s needs at least --threads=%u: one thread "
                   "measures, the others load the memory",
                   word, of->threads_min);
  if (of->threads_max > 0 && plan->threads > of->threads_max)
    return err_set(err, -EINVAL,
                   "--memory-test=%s takes --threads=%u, and starts more "
                   "threads itself if it needs them",
                   word, of->threads_max);
  return 0;
}

static int front_open(const struct plan *plan, const void *arg, void **ret_run,
                      struct err *err)
{
  const struct memory_cfg *cfg = arg;
  struct memory_front *front;
  int rc = memory_options_check(cfg, err);

  if (rc == 0 && cfg->test >= 0)
    rc = check_plan(plan, cfg, err);
  if (rc < 0)
    return rc;
  front = calloc(1, sizeof(*front));
  if (!front)
    return err_set(err, -ENOMEM, "cannot allocate the memory test");
  front->of = cfg->test < 0 ? &classic : &choices[cfg->test];
  rc = front->of->ops->open(plan, cfg, &front->run, err);
  if (rc < 0)
    free(front);
  else
    *ret_run = front;
  return rc;
}

static void front_describe(void *arg)
{
  const struct memory_front *front = arg;

  front->of->ops->describe(front->run);
}

static int front_begin(void *arg, struct err *err)
{
  const struct memory_front *front = arg;

  return front->of->ops->begin ? front->of->ops->begin(front->run, err) : 0;
}

static void front_close(void *arg)
{
  struct memory_front *front = arg;

  front->of->ops->close(front->run);
  free(front);
}

static int front_thread_open(void *arg, struct worker *w, void **ret_thr,
                             struct err *err)
{
  const struct memory_front *front = arg;
  struct memory_front_thread *t = calloc(1, sizeof(*t));
  int rc;

  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  t->ops = front->of->ops;
  rc = t->ops->thread_open(front->run, w, &t->thr, err);
  if (rc < 0)
    free(t);
  else
    *ret_thr = t;
  return rc;
}

static void front_thread_close(void *thr)
{
  struct memory_front_thread *t = thr;

  t->ops->thread_close(t->thr);
  free(t);
}

static int front_loop(void *thr, struct worker *w, struct err *err)
{
  struct memory_front_thread *t = thr;

  return t->ops->loop(t->thr, w, err);
}

static void front_setup(void *arg, struct report_setup *setup)
{
  const struct memory_front *front = arg;

  setup->form = front->of->form;
  front->of->ops->setup(front->run, setup);
}

static const struct report_form *front_form(void *arg)
{
  const struct memory_front *front = arg;

  return front->of->form;
}

static void front_details(void *arg, struct test_details *ret)
{
  const struct memory_front *front = arg;

  if (front->of->ops->details)
    front->of->ops->details(front->run, ret);
}

static void front_doubts(void *arg, const struct report *total,
                         struct warnings *to)
{
  const struct memory_front *front = arg;

  if (front->of->ops->warnings)
    front->of->ops->warnings(front->run, total, to);
}

static const struct test_ops memory_ops = {
  .open = front_open,
  .setup = front_setup,
  .describe = front_describe,
  .begin = front_begin,
  .close = front_close,
  .thread_open = front_thread_open,
  .thread_close = front_thread_close,
  .loop = front_loop,
  .form = front_form,
  .details = front_details,
  .warnings = front_doubts,
};

const struct test test_memory = {
  .name = "memory",
  .summary = "Memory functions speed test",
  .opts = memory_opts,
  .cfg_size = sizeof(struct memory_cfg),
  .ops = &memory_ops,
  .form = &memory_form,
  .loads_cpu = true,
  .own_limit = true,
};
