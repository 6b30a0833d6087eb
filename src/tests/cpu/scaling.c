/*
 * scaling.c - the cpu test with --cpu-scaling: how kernels, or the test of
 * prime numbers, scale.
 */
#include "tests/cpu/scaling.h"

#include <errno.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "run/test.h"
#include "tests/cpu/kernels.h"
#include "tests/cpu/kernels_form.h"
#include "tests/cpu/options.h"
#include "tests/cpu/primes.h"
#include "tests/scaling.h"

struct cpu_scaling {
  struct scaling base; /* first: it is the run of functions in scaling.h */
  uint64_t max_prime;
  struct kernels_chosen chosen; /* none: prime numbers */
};

/* What a thread works on. */
struct cpu_hand {
  void *mem[CPU_KERNELS];
  bool counted;    /* a round of prime numbers was done */
  uint64_t primes; /* that it has found */
};

_Static_assert((int)CPU_KERNELS <= (int)SCALING_WORKS_MAX,
               "all kernels can be measured at once");

static bool hand_close(const struct scaling *s, void *arg)
{
  const struct cpu_scaling *run = s->arg;
  struct cpu_hand *h = arg;

  for (unsigned i = 0; i < run->chosen.n; i++) {
    if (h->mem[i] && run->chosen.kernel[i]->done)
      run->chosen.kernel[i]->done(h->mem[i]);
    free(h->mem[i]);
  }
  free(h);
  return true;
}

static int hand_open(const struct scaling *s, void **ret_mem, struct err *err)
{
  const struct cpu_scaling *run = s->arg;
  struct cpu_hand *h = calloc(1, sizeof(*h));
  int rc = 0;

  if (!h)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  for (unsigned i = 0; i < run->chosen.n && rc == 0; i++) {
    const struct cpu_kernel *k = run->chosen.kernel[i];

    h->mem[i] = mem_aligned(1, k->bytes, CACHE_LINE);
    rc = h->mem[i] ? k->prepare(h->mem[i], err)
                   : err_set(err, -ENOMEM,
                             "cannot allocate %zu bytes for the kernel %s",
                             k->bytes, k->name);
  }
  if (rc < 0)
    (void)hand_close(s, h);
  else
    *ret_mem = h;
  return rc;
}

static bool primes_round(struct cpu_hand *h, uint64_t limit)
{
  uint64_t found;

  OPAQUE(limit); /* otherwise one count could serve all rounds */
  found = primes_count(limit);
  OPAQUE(found);
  if (!h->counted) {
    h->counted = true;
    h->primes = found;
  }
  return found == h->primes;
}

static bool hand_round(const struct scaling *s, unsigned work, void *mem)
{
  const struct cpu_scaling *run = s->arg;
  struct cpu_hand *h = mem;

  if (run->chosen.n == 0)
    return primes_round(h, run->max_prime);
  return run->chosen.path[work]->run(h->mem[work]) ==
         run->chosen.kernel[work]->result;
}

/* Whole cores hinder each other little. */
static const struct scaling_kind kind = {
  .option = "--cpu-scaling",
  .key = "cpu_test",
  .title = "Operations per second",
  .unit = 1,
  .figure = "per_s",
  .scales = 0.75,
  .open = hand_open,
  .close = hand_close,
  .round = hand_round,
};

static void add_works(struct cpu_scaling *run, const struct cpu_cfg *cfg)
{
  const struct kernels_chosen *chosen = &run->chosen;
  struct scaling *s = &run->base;

  kernels_choose(&run->chosen, cfg);
  for (s->works = 0; s->works < chosen->n; s->works++)
    s->work[s->works] = (struct scaling_work){
      .name = chosen->kernel[s->works]->name,
      .code = chosen->path[s->works]->name,
      .amount = (double)chosen->kernel[s->works]->operations,
    };
  if (s->works == 0)
    s->work[s->works++] = (struct scaling_work){ .name = "primes",
                                                 .amount = 1 };
}

static int run_open(const struct plan *plan, const void *arg, void **ret_run,
                    struct err *err)
{
  const struct cpu_cfg *cfg = arg;
  struct cpu_scaling *run = calloc(1, sizeof(*run));
  int rc;

  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the cpu test");
  rc = scaling_init(&run->base, &kind, run, plan, err);
  run->max_prime = cfg->max_prime;
  add_works(run, cfg);
  if (rc < 0)
    free(run);
  else
    *ret_run = run;
  return rc;
}

static void run_describe(void *run)
{
  char machine[64];

  scaling_describe_machine(run, machine, sizeof(machine));
  log_msg(LOG_INFO, "Doing CPU performance benchmark\n");
  log_msg(LOG_NOTICE, "Scaling over %s\n\n", machine);
}

static const struct test_ops ops = {
  .open = run_open,
  .setup = scaling_setup,
  .describe = run_describe,
  .close = free,
  .thread_open = scaling_thread_open,
  .thread_close = scaling_thread_close,
  .loop = scaling_loop,
  .details = scaling_details,
  .warnings = scaling_doubts,
};

const struct test cpu_scaling_test = {
  .name = "cpu",
  .summary = "CPU performance test",
  .opts = cpu_opts,
  .cfg_size = sizeof(struct cpu_cfg),
  .ops = &ops,
  .form = &scaling_form,
  .loads_cpu = true,
};
