/*
 * scaling.c - --memory-test=scaling: the bandwidth of loops by threads.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "report/life.h"
#include "report/text_num.h"
#include "run/test.h"
#include "tests/figure.h"
#include "tests/memory/loops.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"
#include "tests/place.h"
#include "tests/scaling.h"
#include "tests/tests.h"

struct memory_scaling {
  struct scaling base; /* first: the run of scaling.h */
  struct place_cpus cpus;
  struct loops loops;
  bool huge;
};

static int hand_open(const struct scaling *s, void **ret_mem, struct err *err)
{
  const struct memory_scaling *run = s->arg;
  struct loops_block *b = calloc(1, sizeof(*b));
  int rc;

  if (!b)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  rc = loops_block_open(b, &run->loops, run->huge, err);
  if (rc < 0)
    free(b);
  else
    *ret_mem = b;
  return rc;
}

static bool hand_close(const struct scaling *s, void *mem)
{
  const bool right = loops_block_is_right(mem);

  (void)s;
  loops_block_close(mem);
  free(mem);
  return right;
}

static double scaling_next_value(const struct loops_block *b)
{
  return b->block.value < 1000 ? b->block.value + 1 : 1;
}

static bool hand_round(const struct scaling *s, unsigned work, void *mem)
{
  const struct memory_scaling *run = s->arg;
  struct loops_block *b = mem;

  return loops_run(b, run->loops.of[work], scaling_next_value(b), 1);
}

/* CPUs share the memory: less of it each is no fault. */
static const struct scaling_kind kind = {
  .option = "--memory-test=scaling",
  .key = "memory_test",
  .title = "MiB per second",
  .unit = TEXT_MIB,
  .figure = FIGURE_BYTES_PER_S,
  .open = hand_open,
  .close = hand_close,
  .round = hand_round,
};

static void scaling_add_works(struct memory_scaling *run)
{
  for (unsigned i = 0; i < run->loops.n; i++)
    run->base.work[i] = (struct scaling_work){
      .name = stream_words[run->loops.of[i]],
      .code = run->loops.streams->name,
      .amount = (double)stream_counted_bytes(run->loops.of[i],
                                             run->loops.words),
    };
  run->base.works = run->loops.n;
}

static int run_open(const struct plan *plan, const void *arg, void **ret_run,
                    struct err *err)
{
  const struct memory_cfg *cfg = arg;
  int rc = 0;
  struct memory_scaling *run = memory_new(plan, cfg, sizeof(*run), &rc, err);

  if (!run)
    return rc;
  run->huge = cfg->pages != PAGES_SMALL;
  place_find_cpus(&run->cpus);
  rc = scaling_init(&run->base, &kind, run, plan, err);
  if (rc == 0)
    rc = loops_choose(&run->loops, cfg, &run->cpus, run->base.topology.cpus,
                      err);
  if (rc < 0) {
    free(run);
    return rc;
  }
  scaling_add_works(run);
  *ret_run = run;
  return 0;
}

static void run_describe(void *arg)
{
  const struct memory_scaling *run = arg;
  char machine[64], size[FMT_SIZE_SIZE];

  scaling_describe_machine(&run->base, machine, sizeof(machine));
  log_msg(LOG_NOTICE,
          "Running memory scaling test with the following options:\n"
          "  memory: %s for each thread\n"
          "  instructions: %s\n"
          "  CPUs: %s\n\n",
          fmt_size(size, run->loops.words * sizeof(double)),
          run->loops.streams->name, machine);
}

static void run_details(void *arg, struct test_details *ret)
{
  const struct memory_scaling *run = arg;

  scaling_details(arg, ret);
  facts_int(&ret->test, "scaling.thread_bytes",
            (int64_t)(run->loops.words * sizeof(double)));
}

const struct test_ops memory_scaling_ops = {
  .open = run_open,
  .setup = test_setup_run,
  .describe = run_describe,
  .close = free,
  .loop = scaling_loop,
  .details = run_details,
  .warnings = scaling_doubts,
};
