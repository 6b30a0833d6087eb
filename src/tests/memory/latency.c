/*
 * latency.c - the staircase of latencies: the run.
 */
#include "tests/memory/latency.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "tests/memory/latency_report.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"

enum {
  CACHES_TIMES = 4,         /* last point by size of the last cache */
  UNKNOWN_CACHE = 32 << 20, /* size of the last cache if it is not known */
};

/* The time without a time limit. */
#define USUAL_NS (10 * NS_PER_S)
/* Share of the time for the points; the rest is for making the cycle. */
#define SHARE 0.7
#define WARM_SHARE 0.5 /* share of a point's time */

struct latency_thread {
  struct latency *run;
  unsigned line_bytes;
};

uint64_t latency_size_at(size_t i, unsigned line_bytes)
{
  const double bytes = LATENCY_MIN_BYTES *
                       exp2((double)i / LATENCY_PER_DOUBLING);

  return (uint64_t)(bytes / line_bytes + 1e-6) * line_bytes;
}

size_t latency_points_to(uint64_t bytes)
{
  size_t n = 0;

  while (n < LEVELS_POINTS_MAX && latency_size_at(n, 1) <= bytes)
    n++;
  return n;
}

static int choose_size(struct latency *l, struct err *err)
{
  const struct place_caches *c = &l->caches;
  const uint64_t last = c->n > 0 ? c->of[c->n - 1].bytes : UNKNOWN_CACHE;
  char size[FMT_SIZE_SIZE];
  int rc = pages_budget("", l->cfg->size_bytes, last * CACHES_TIMES, &l->bytes,
                        err);

  if (rc < 0)
    return rc;
  l->n_points = latency_points_to(l->bytes);
  if (l->n_points > 0)
    return 0;
  return err_set(err, -EINVAL,
                 "Invalid value for --memory-size: %s (--memory-test=latency "
                 "needs at least 4 KiB)",
                 fmt_size(size, l->bytes));
}

static int latency_open(const struct plan *plan, const void *arg,
                        void **ret_run, struct err *err)
{
  const struct memory_cfg *cfg = arg;
  struct latency *l = calloc(1, sizeof(*l));
  int rc;

  if (!l)
    return err_set(err, -ENOMEM, "cannot allocate the memory test");
  l->plan = plan;
  l->cfg = cfg;
  place_find_cpus(&l->cpus);
  place_find_caches("", l->cpus.of[0], &l->caches);
  l->of[LATENCY_HUGE].wanted = cfg->pages != PAGES_SMALL;
  l->of[LATENCY_SMALL].wanted = cfg->pages != PAGES_HUGE;
  rc = choose_size(l, err);
  if (rc < 0)
    free(l);
  else
    *ret_run = l;
  return rc;
}

static void latency_describe(void *arg)
{
  const struct latency *l = arg;
  char size[FMT_SIZE_SIZE];

  log_msg(LOG_NOTICE,
          "Running memory latency test with the following options:\n"
          "  memory: 4 KiB to %s, lines of %u bytes\n"
          "  processor: %d\n\n",
          fmt_size(size, latency_size_at(l->n_points - 1, 1)),
          l->caches.line_bytes, l->cpus.of[0]);
}

static void latency_setup(void *run, struct report_setup *setup)
{
  setup->of_test = run;
}

static int latency_thread_open(void *arg, struct worker *w, void **ret_thr,
                               struct err *err)
{
  struct latency *l = arg;
  struct latency_thread *t;
  int rc = place_pin(l->cpus.of[0], err);

  (void)w;
  if (rc < 0)
    return rc;
  t = calloc(1, sizeof(*t));
  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  t->run = l;
  t->line_bytes = l->caches.line_bytes;
  *ret_thr = t;
  return 0;
}

/* Returns the time that a point may take. */
static uint64_t point_ns(const struct latency *l)
{
  const uint64_t all_ns = l->plan->time_ns == PLAN_NO_LIMIT ? USUAL_NS
                                                            : l->plan->time_ns;
  const unsigned kinds = l->of[LATENCY_HUGE].wanted +
                         l->of[LATENCY_SMALL].wanted;

  return (uint64_t)((double)all_ns * SHARE / (double)(l->n_points * kinds));
}

static bool climb(struct latency_thread *t, struct latency_stairs *stairs,
                  struct worker *w)
{
  const struct latency *l = t->run;
  const uint64_t each_ns = point_ns(l);
  struct chase c;

  chase_init(&c, stairs->pages.at, t->line_bytes, l->plan->seed);
  for (size_t i = 0; i < l->n_points; i++) {
    struct latency_point p = { .bytes = latency_size_at(i, t->line_bytes) };

    if (worker_is_over(w))
      return false;
    chase_grow(&c, p.bytes / t->line_bytes);
    latency_warm(&c, (uint64_t)((double)each_ns * WARM_SHARE));
    if (!latency_measure(&c, w, (uint64_t)((double)each_ns * (1 - WARM_SHARE)),
                         &p))
      return false;
    stairs->point[i] = p;
    atomic_store_explicit(&stairs->n, i + 1, memory_order_release);
  }
  return true;
}

static int latency_loop(void *thr, struct worker *w, struct err *err)
{
  struct latency_thread *t = thr;
  struct latency *l = t->run;
  bool more = latency_await_measured(w);

  for (int kind = 0; more && kind < LATENCY_KINDS; kind++) {
    struct latency_stairs *stairs = &l->of[kind];
    int rc;

    if (!stairs->wanted)
      continue;
    rc = pages_map(&stairs->pages, l->bytes, kind == LATENCY_HUGE, -1, err);
    if (rc < 0)
      return rc;
    pages_touch(&stairs->pages);
    more = climb(t, stairs, w);
    pages_unmap(&stairs->pages);
  }
  return 0;
}

const struct test_ops memory_latency_ops = {
  .open = latency_open,
  .setup = latency_setup,
  .describe = latency_describe,
  .close = free,
  .thread_open = latency_thread_open,
  .thread_close = free,
  .loop = latency_loop,
  .details = latency_report_details,
  .doubts = latency_report_doubts,
};
