/*
 * classic.c - the test without --memory-test: one event goes over a block once.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parse.h"
#include "rand/stream.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "tests/memory/buffer.h"
#include "tests/memory/form.h"
#include "tests/memory/kernels.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"

struct memory_run {
  const struct plan *plan;
  const struct memory_cfg *cfg;
  struct memory_buffer global; /* SCOPE_GLOBAL */
  struct memory_moved moved;   /* for reports */
};

struct memory_thread {
  struct memory_block block;
  memory_kernel *kernel;
  uint64_t left; /* events of this thread's share; UINT64_MAX: no limit */
  struct memory_buffer local;
} CACHE_ALIGNED;

/*
 * The total is less than one block for each thread.  If it is the default, the
 * user has set only a large block.
 */
static int refuse_total(const struct plan *plan, const struct memory_cfg *cfg,
                        uint64_t min, struct err *err)
{
  uint64_t usual;

  if (parse_size(memory_default_total, &usual) == 0 &&
      cfg->total_bytes == usual)
    return err_set(err, -EINVAL,
                   "Invalid value for --memory-block-size: '%llu' (with "
                   "--threads=%u more than --memory-total-size, %s by default: "
                   "raise that, or 0 for no limit)",
                   (unsigned long long)cfg->block_bytes, plan->threads,
                   memory_default_total);
  return err_set(err, -EINVAL,
                 "Invalid value for --memory-total-size: '%llu' (expected 0 "
                 "or a size from %llu to %llu, such as 64K, 2M or 1G)",
                 (unsigned long long)cfg->total_bytes, (unsigned long long)min,
                 (unsigned long long)INT64_MAX);
}

static int memory_open(const struct plan *plan, const void *arg, void **ret_run,
                       struct err *err)
{
  const struct memory_cfg *cfg = arg;
  struct memory_run *run;
  uint64_t min;

  /* Each thread must have at least one operation. */
  if (__builtin_mul_overflow(cfg->block_bytes, plan->threads, &min))
    min = UINT64_MAX;
  if (cfg->total_bytes > 0 && cfg->total_bytes < min)
    return refuse_total(plan, cfg, min, err);

  run = calloc(1, sizeof(*run));
  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the memory test");
  run->plan = plan;
  run->cfg = cfg;
  run->moved = (struct memory_moved){
    .block_bytes = cfg->block_bytes,
    .moves = cfg->oper != MEMORY_NONE,
  };
  *ret_run = run;
  return 0;
}

static void memory_setup(void *arg, struct report_setup *setup)
{
  const struct memory_run *run = arg;

  setup->of_test = &run->moved;
}

static void memory_describe(void *arg)
{
  const struct memory_cfg *cfg = ((const struct memory_run *)arg)->cfg;

  log_msg(LOG_NOTICE,
          "Running memory speed test with the following options:\n"
          "  block size: %lluKiB\n"
          "  total size: %lluMiB\n"
          "  operation: %s\n"
          "  scope: %s\n\n",
          (unsigned long long)(cfg->block_bytes / 1024),
          (unsigned long long)(cfg->total_bytes / 1048576),
          memory_oper_words[cfg->oper], memory_scope_words[cfg->scope]);
}

static int memory_begin(void *arg, struct err *err)
{
  struct memory_run *run = arg;

  if (run->cfg->scope == SCOPE_LOCAL)
    return 0;
  return memory_buffer_map(&run->global, run->cfg->block_bytes, run->cfg->huge,
                           err);
}

static void memory_close(void *arg)
{
  struct memory_run *run = arg;

  memory_buffer_unmap(&run->global);
  free(run);
}

/* Spreads the whole number of operations evenly over all workers. */
static uint64_t share(const struct memory_run *run, unsigned tid)
{
  const uint64_t n = run->cfg->total_bytes / run->cfg->block_bytes;
  const unsigned threads = run->plan->all_threads;
  const unsigned number = run->plan->first_thread + tid;

  if (run->cfg->total_bytes == 0)
    return UINT64_MAX;
  return n / threads + (number < n % threads);
}

static int memory_thread_open(void *arg, struct worker *w, void **ret_thr,
                              struct err *err)
{
  struct memory_run *run = arg;
  const struct memory_cfg *cfg = run->cfg;
  struct memory_thread *t = mem_aligned(1, sizeof(*t), CACHE_LINE);
  int rc = 0;

  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  if (cfg->scope == SCOPE_LOCAL)
    rc = memory_buffer_map(&t->local, cfg->block_bytes, cfg->huge, err);
  if (rc < 0) {
    free(t);
    return rc;
  }
  t->left = share(run, w->tid);
  t->kernel = memory_kernels[cfg->oper][cfg->mode];
  t->block = (struct memory_block){
    .words = t->local.words ? t->local.words : run->global.words,
    .n = cfg->block_bytes / sizeof(uint64_t),
    .value = w->tid,
    .rand = w->rand,
    .distributed = run->plan->rand_type_given,
  };
  *ret_thr = t;
  return 0;
}

static void memory_thread_close(void *thr)
{
  struct memory_thread *t = thr;

  memory_buffer_unmap(&t->local);
  free(t);
}

/*
 * Operations of the warm-up do not count for the share.  They have a loop of
 * their own, so that the main loop has nothing more to check.  There is no step
 * after the last operation: with --rate it would wait for another arrival
 * first.
 */
static int memory_loop(void *thr, struct worker *w, struct err *err)
{
  struct memory_thread *t = thr;
  bool more;

  (void)err;
  if (t->left == 0) /* there are more threads than operations */
    return 0;
  while ((more = worker_step(w)) && !w->counted)
    t->kernel(&t->block);
  for (; more; more = worker_step(w)) {
    t->left -= t->left != UINT64_MAX;
    t->kernel(&t->block);
    if (t->left == 0)
      break;
  }
  worker_stop(w);
  return 0;
}

const struct test_ops memory_classic_ops = {
  .open = memory_open,
  .setup = memory_setup,
  .describe = memory_describe,
  .begin = memory_begin,
  .close = memory_close,
  .thread_open = memory_thread_open,
  .thread_close = memory_thread_close,
  .loop = memory_loop,
};
