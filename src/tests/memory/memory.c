/*
 * memory.c - the memory test: the tests that --memory-test chooses.
 */
#include "tests/memory/memory.h"

#include <errno.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "run/plan.h"
#include "run/test.h"
#include "tests/memory/classic.h"
#include "tests/memory/options.h"
#include "tests/scaling.h"
#include "tests/tests.h"

#define MEMORY_VARIANT(of, test_form)                                   \
  {                                                                     \
    .name = "memory", .summary = "Memory functions speed test",         \
    .opts = memory_opts, .cfg_size = sizeof(struct memory_cfg),         \
    .ops = &memory_##of##_ops, .form = &(test_form), .loads_cpu = true, \
    .own_limit = true                                                   \
  }

static const struct test memory_variants[MEMORY_TESTS] = {
  [MEMORY_BANDWIDTH] = MEMORY_VARIANT(bandwidth, memory_bandwidth_form),
  [MEMORY_LATENCY] = MEMORY_VARIANT(latency, memory_latency_form),
  [MEMORY_LOADED] = MEMORY_VARIANT(loaded, memory_loaded_form),
  [MEMORY_PAIRS] = MEMORY_VARIANT(pairs, memory_pairs_form),
  [MEMORY_NUMA] = MEMORY_VARIANT(numa, memory_numa_form),
  [MEMORY_SCALING] = MEMORY_VARIANT(scaling, scaling_form),
};

static int memory_check_plan(const struct plan *plan,
                             const struct memory_cfg *cfg, struct err *err)
{
  const char *word = memory_test_words[cfg->test];

  if (plan_rated_by(plan))
    return err_set(err, -EINVAL,
                   "--%s makes no sense with --memory-test=%s: it measures "
                   "as fast as it can",
                   plan_rated_by(plan), word);
  if (plan->parts > 1)
    return err_set(err, -EINVAL, "--memory-test=%s is for a run of one process",
                   word);
  if (cfg->test == MEMORY_BANDWIDTH)
    return 0;
  if (cfg->test != MEMORY_LOADED && plan->threads > 1)
    return err_set(err, -EINVAL,
                   "--memory-test=%s takes --threads=1, and starts more "
                   "threads itself if it needs them",
                   word);
  if (cfg->test == MEMORY_LOADED && plan->threads < 2)
    return err_set(err, -EINVAL,
                   "--memory-test=%s needs at least --threads=2: one thread "
                   "measures, the others load the memory",
                   word);
  return 0;
}

void *memory_new(const struct plan *plan, const struct memory_cfg *cfg,
                 size_t bytes, int *ret_rc, struct err *err)
{
  void *run;

  *ret_rc = memory_check_plan(plan, cfg, err);
  if (*ret_rc < 0)
    return NULL;
  run = mem_aligned(1, bytes, CACHE_LINE);
  if (!run)
    *ret_rc = err_set(err, -ENOMEM, "cannot allocate the memory test");
  return run;
}

static int memory_variant(const void *arg, const struct test **ret,
                          struct err *err)
{
  const struct memory_cfg *cfg = arg;
  const int rc = memory_options_check(cfg, err);

  if (rc == 0 && cfg->test >= 0)
    *ret = &memory_variants[cfg->test];
  return rc;
}

const struct test test_memory = {
  .name = "memory",
  .summary = "Memory functions speed test",
  .opts = memory_opts,
  .cfg_size = sizeof(struct memory_cfg),
  .ops = &memory_classic_ops,
  .form = &memory_form,
  .loads_cpu = true,
  .own_limit = true,
  .variant = memory_variant,
};
