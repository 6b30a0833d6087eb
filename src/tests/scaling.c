/*
 * scaling.c - how the speed of a work grows with the number of threads: the
 * run.
 */
#include "tests/scaling.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/minmax.h"
#include "machine/cgroup.h"
#include "run/plan.h"
#include "run/worker.h"
#include "stats/report.h"
#include "tests/scaling_hands.h"

/* The time without a time limit. */
#define USUAL_NS (10 * NS_PER_S)
#define SAMPLE_MIN_NS (2 * NS_PER_MS)
#define SAMPLE_MAX_NS (100 * NS_PER_MS)

enum {
  SAMPLES_WANTED = 8, /* of each cell */
};

static int check_plan(const char *option, const struct plan *plan,
                      struct err *err)
{
  if (plan->threads > 1)
    return err_set(err, -EINVAL,
                   "%s takes --threads=1, and starts more threads itself",
                   option);
  if (plan_rated_by(plan))
    return err_set(err, -EINVAL,
                   "--%s makes no sense with %s: it measures as fast as it can",
                   plan_rated_by(plan), option);
  if (plan->parts > 1)
    return err_set(err, -EINVAL, "%s is for a run of one process", option);
  return 0;
}

int scaling_init(struct scaling *s, const struct scaling_kind *kind,
                 const void *arg, const struct plan *plan, struct err *err)
{
  s->kind = kind;
  s->arg = arg;
  s->plan = plan;
  s->quota_cpus = cgroup_read("").cpus;
  topology_find(&s->topology);
  s->level[SCALING_ONE] = true;
  s->level[SCALING_CORES] = s->topology.cores > 1;
  s->level[SCALING_ALL] = s->topology.cpus > s->topology.cores;
  return check_plan(kind->option, plan, err);
}

void scaling_describe_machine(const struct scaling *s, char *ret, int size)
{
  const struct topology *t = &s->topology;

  (void)snprintf(ret, (size_t)size, "%u core%s with %u hardware thread%s",
                 t->cores, t->cores == 1 ? "" : "s", t->cpus,
                 t->cpus == 1 ? "" : "s");
}

void scaling_setup(void *run, struct report_setup *setup)
{
  setup->of_test = run;
}

/* The only worker uses the data of the run. */
int scaling_thread_open(void *run, struct worker *w, void **ret_thr,
                        struct err *err)
{
  (void)w, (void)err;
  *ret_thr = run;
  return 0;
}

void scaling_thread_close(void *thr)
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
      double per_s = 0;
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

int scaling_loop(void *thr, struct worker *w, struct err *err)
{
  struct scaling *s = thr;
  struct scaling_hands *hands = NULL;
  const uint64_t for_ns = sample_ns(s);
  struct err ignored = { 0 }; /* there is a first error */
  int rc = scaling_hands_new(&hands, s, err);
  int ended;

  while (rc == 0)
    rc = do_turn(s, hands, w, for_ns, err);
  ended = scaling_hands_free(hands, rc < 0 ? &ignored : err);
  return rc < 0 ? rc : ended;
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
