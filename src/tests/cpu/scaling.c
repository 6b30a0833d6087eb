/*
 * scaling.c - the cpu test with --cpu-scaling: the run.
 */
#include "tests/cpu/scaling.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cgroup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/minmax.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/report.h"
#include "tests/cpu/kernels.h"
#include "tests/cpu/options.h"
#include "tests/cpu/scaling_hands.h"

/* The time without a time limit. */
#define USUAL_NS (10 * NS_PER_S)
#define SAMPLE_MIN_NS (2 * NS_PER_MS)
#define SAMPLE_MAX_NS (100 * NS_PER_MS)

enum {
  SAMPLES_WANTED = 8, /* of each cell */
};

/* The works, and the levels that differ from each other. */
static void choose(struct scaling *s, const struct cpu_cfg *cfg)
{
  struct kernels_chosen chosen = { 0 };

  kernels_choose(&chosen, cfg);
  for (unsigned i = 0; i < chosen.n; i++)
    s->work[i] = (struct scaling_work){
      .name = chosen.kernel[i]->name,
      .operations = (double)chosen.kernel[i]->operations,
      .kernel = chosen.kernel[i],
      .path = chosen.path[i],
    };
  s->works = chosen.n;
  if (s->works == 0)
    s->work[s->works++] = (struct scaling_work){ .name = "primes",
                                                 .operations = 1 };
  s->level[SCALING_ONE] = true;
  s->level[SCALING_CORES] = s->topology.cores > 1;
  s->level[SCALING_ALL] = s->topology.cpus > s->topology.cores;
}

static int check_plan(const struct plan *plan, struct err *err)
{
  if (plan->threads > 1)
    return err_set(err, -EINVAL,
                   "--cpu-scaling takes --threads=1, and starts more threads "
                   "itself");
  if (plan->rate > 0)
    return err_set(err, -EINVAL,
                   "--rate makes no sense with --cpu-scaling: it measures as "
                   "fast as it can");
  if (plan->parts > 1)
    return err_set(err, -EINVAL, "--cpu-scaling is for a run of one process");
  return 0;
}

static int scaling_open(const struct plan *plan, const void *arg,
                        void **ret_run, struct err *err)
{
  const struct cpu_cfg *cfg = arg;
  int rc = check_plan(plan, err);
  struct scaling *s;

  if (rc < 0)
    return rc;
  s = calloc(1, sizeof(*s));
  if (!s)
    return err_set(err, -ENOMEM, "cannot allocate the cpu test");
  s->plan = plan;
  s->max_prime = cfg->max_prime;
  s->quota_cpus = cgroup_read("").cpus;
  topology_find(&s->topology);
  choose(s, cfg);
  *ret_run = s;
  return 0;
}

static void scaling_describe(void *run)
{
  const struct topology *t = &((const struct scaling *)run)->topology;

  log_msg(LOG_INFO, "Doing CPU performance benchmark\n");
  log_msg(LOG_NOTICE, "Scaling over %u core%s with %u hardware thread%s\n\n",
          t->cores, t->cores == 1 ? "" : "s", t->cpus, t->cpus == 1 ? "" : "s");
}

static void scaling_setup(void *run, struct report_setup *setup)
{
  setup->of_test = run;
}

/* The only worker uses the data of the run. */
static int scaling_thread_open(void *run, struct worker *w, void **ret_thr,
                               struct err *err)
{
  (void)w, (void)err;
  *ret_thr = run;
  return 0;
}

static void scaling_thread_close(void *thr)
{
  (void)thr;
}

unsigned scaling_threads(const struct scaling *s, enum scaling_level level)
{
  return level == SCALING_ONE     ? 1
         : level == SCALING_CORES ? s->topology.cores
                                  : s->topology.cpus;
}

/* The length of a sample. */
static uint64_t sample_ns(const struct scaling *s)
{
  const uint64_t all_ns = s->plan->time_ns == PLAN_NO_LIMIT ? USUAL_NS
                                                            : s->plan->time_ns;
  uint64_t wanted_ns;
  unsigned cells = 0;

  for (int level = 0; level < SCALING_LEVELS; level++)
    cells += s->level[level] ? s->works : 0;
  wanted_ns = min_u64(all_ns / cells / SAMPLES_WANTED, SAMPLE_MAX_NS);
  return wanted_ns < SAMPLE_MIN_NS ? SAMPLE_MIN_NS : wanted_ns;
}

static void keep(struct scaling *s, const struct worker *w, unsigned work,
                 int level, double per_s)
{
  struct scaling_cell *c = &s->cell[work][level];
  const unsigned n = atomic_load_explicit(&c->n, memory_order_relaxed);

  if (!w->counted || n == SCALING_SAMPLES_MAX)
    return; /* of the warm-up, or one too many */
  c->per_s[n] = per_s;
  atomic_store_explicit(&c->n, n + 1, memory_order_release);
}

/* All cells once.  1: the run is over. */
static int do_turn(struct scaling *s, struct scaling_hands *hands,
                   struct worker *w, uint64_t for_ns, struct err *err)
{
  for (unsigned work = 0; work < s->works; work++) {
    for (int level = 0; level < SCALING_LEVELS; level++) {
      double per_s;
      int rc;

      if (!s->level[level])
        continue;
      if (!worker_more(w))
        return 1;
      worker_start(w);
      rc = scaling_hands_play(hands, work,
                              scaling_threads(s, (enum scaling_level)level),
                              for_ns, &per_s, err);
      if (rc < 0) {
        worker_abandon(w);
        return rc;
      }
      worker_stop(w);
      keep(s, w, work, level, per_s);
    }
  }
  return 0;
}

static int scaling_loop(void *thr, struct worker *w, struct err *err)
{
  struct scaling *s = thr;
  struct scaling_hands *hands = NULL;
  const uint64_t for_ns = sample_ns(s);
  int rc = scaling_hands_new(&hands, s, err);

  while (rc == 0) {
    rc = do_turn(s, hands, w, for_ns, err);
    if (rc == 0 && s->plan->time_ns == PLAN_NO_LIMIT && s->plan->events == 0 &&
        atomic_load(&s->cell[0][0].n) >= SAMPLES_WANTED)
      rc = 1;
  }
  scaling_hands_free(hands);
  return rc < 0 ? rc : 0;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

double scaling_rate(const struct scaling *s, unsigned work,
                    enum scaling_level level)
{
  const struct scaling_cell *c = &s->cell[work][level];
  const unsigned n = atomic_load_explicit(&c->n, memory_order_acquire);
  double per_s[SCALING_SAMPLES_MAX];

  if (n == 0)
    return NAN;
  for (unsigned i = 0; i < n; i++)
    per_s[i] = c->per_s[i];
  qsort(per_s, n, sizeof(per_s[0]), ascending);
  return per_s[(3 * n - 1) / 4];
}

double scaling_ratio(const struct scaling *s, unsigned work,
                     enum scaling_level level, enum scaling_level base)
{
  return scaling_rate(s, work, level) / scaling_rate(s, work, base);
}

static const struct test_ops scaling_ops = {
  .open = scaling_open,
  .setup = scaling_setup,
  .describe = scaling_describe,
  .close = free,
  .thread_open = scaling_thread_open,
  .thread_close = scaling_thread_close,
  .loop = scaling_loop,
  .details = scaling_details,
  .doubts = scaling_doubts,
};

const struct test cpu_scaling_test = {
  .name = "cpu",
  .summary = "CPU performance test",
  .opts = cpu_opts,
  .cfg_size = sizeof(struct cpu_cfg),
  .ops = &scaling_ops,
  .form = &scaling_form,
  .loads_cpu = true,
};
