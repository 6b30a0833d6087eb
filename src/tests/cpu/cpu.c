/*
 * cpu.c - the cpu test: one event counts the primes below a limit.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/life.h"
#include "run/plan.h"
#include "run/test.h"
#include "stats/report.h"
#include "tests/cpu/kernels.h"
#include "tests/cpu/options.h"
#include "tests/cpu/primes.h"
#include "tests/cpu/scaling.h"
#include "tests/tests.h"

struct cpu_run {
  const struct cpu_cfg *cfg;
  const struct plan *plan;
  _Atomic uint64_t primes; /* each worker adds to it when it closes */
};

struct cpu_thread {
  struct cpu_run *run;
  uint64_t limit;
  uint64_t first;  /* what the first event counted */
  bool counted;    /* there has been a first event */
  uint64_t primes; /* sum over all events */
} CACHE_ALIGNED;

static int cpu_open(const struct plan *plan, const void *cfg, void **ret_run,
                    struct err *err)
{
  struct cpu_run *run = calloc(1, sizeof(*run));

  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the cpu test");
  run->cfg = cfg;
  run->plan = plan;
  *ret_run = run;
  return 0;
}

static void cpu_describe(void *run)
{
  const struct cpu_cfg *cfg = ((const struct cpu_run *)run)->cfg;

  log_msg(LOG_INFO, "Doing CPU performance benchmark\n");
  log_msg(LOG_NOTICE, "Prime numbers limit: %llu\n\n",
          (unsigned long long)cfg->max_prime);
}

static int cpu_thread_open(void *arg, struct worker *w, void **ret_thr,
                           struct err *err)
{
  struct cpu_run *run = arg;
  struct cpu_thread *t = aligned_alloc(CACHE_LINE, sizeof(*t));

  (void)w;
  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  *t = (struct cpu_thread){ .run = run, .limit = run->cfg->max_prime };
  *ret_thr = t;
  return 0;
}

static void cpu_thread_close(void *thr)
{
  struct cpu_thread *t = thr;

  (void)atomic_fetch_add(&t->run->primes, t->primes);
  free(t);
}

static int cpu_event(void *thr, struct worker *w, struct err *err)
{
  struct cpu_thread *t = thr;
  uint64_t limit = t->limit;
  uint64_t found;

  (void)w;
  OPAQUE(limit); /* otherwise one count could serve all events */
  found = primes_count(limit);
  OPAQUE(found); /* otherwise the count could be left out */
  t->primes += found;
  if (!t->counted) {
    t->counted = true;
    t->first = found;
  }
  if (found != t->first)
    return err_set(err, -EIO,
                   "cpu computed two different results: %llu and %llu primes",
                   (unsigned long long)t->first, (unsigned long long)found);
  return 0;
}

/*
 * The results show that the work was done.  One of several processes does not
 * know the primes of the others.
 */
static void cpu_details(void *arg, struct test_details *ret)
{
  struct cpu_run *run = arg;

  if (run->plan->parts == 1)
    facts_int(&ret->test, "primes", (int64_t)atomic_load(&run->primes));
}

static void cpu_results(struct strbuf *b, const struct report_setup *setup,
                        const struct report *r)
{
  (void)setup;
  strbuf_addf(b,
              "CPU speed:\n"
              "    events per second: %8.2f\n",
              report_rate(r, r->events));
}

const struct report_form tests_cpu_form = {
  .interval = form_interval_events,
  .results = cpu_results,
  .queue_mark = "",
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .outcome = "the score is",
};

static const struct test_ops cpu_ops = {
  .open = cpu_open,
  .describe = cpu_describe,
  .close = free,
  .thread_open = cpu_thread_open,
  .thread_close = cpu_thread_close,
  .event = cpu_event,
  .details = cpu_details,
};

/* The test of prime numbers is chosen if nothing else is. */
static int cpu_variant(const void *arg, const struct test **ret,
                       struct err *err)
{
  const struct cpu_cfg *cfg = arg;

  if (cfg->kernels.n > 0 && cfg->max_prime != CPU_MAX_PRIME)
    return err_set(err, -EINVAL,
                   "--cpu-max-prime is for the test without --cpu-kernel: "
                   "leave one of them out");
  if (cfg->scaling)
    *ret = &cpu_scaling_test;
  else if (cfg->kernels.n > 0)
    *ret = &cpu_kernels_test;
  if (cfg->kernels.n > 0)
    return 0;
  if (cfg->isa >= 0)
    return err_set(err, -EINVAL,
                   "--isa has no effect without --cpu-kernel, which chooses "
                   "what uses it");
  return 0;
}

const struct test test_cpu = {
  .name = "cpu",
  .summary = "CPU performance test",
  .opts = cpu_opts,
  .cfg_size = sizeof(struct cpu_cfg),
  .ops = &cpu_ops,
  .form = &tests_cpu_form,
  .loads_cpu = true,
  .variant = cpu_variant,
};
