/*
 * variants.c - the memory test: the tests that --memory-test chooses.
 */
#include "run/test.h"
#include "tests/memory/classic.h"
#include "tests/memory/memory.h"
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
  .about = "An event reads or writes a block of memory. --memory-test measures "
           "bandwidth, latency and more.",
  .example = "--memory-test=bandwidth run",
  .opts = memory_opts,
  .cfg_size = sizeof(struct memory_cfg),
  .ops = &memory_classic_ops,
  .form = &memory_form,
  .loads_cpu = true,
  .own_limit = true,
  .variant = memory_variant,
};
