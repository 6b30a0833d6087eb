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
  POINT_LINES = 20000, /* a point's share of the time without its size */
  USUAL_LINE = 64,
  CACHES_TIMES = 4,         /* last point by size of the last cache */
  UNKNOWN_CACHE = 32 << 20, /* size of the last cache if it is not known */
};

/* The time without a time limit. */
#define USUAL_NS (10 * NS_PER_S)
/* Share of the time for the points; pages are touched in the rest. */
#define SHARE 0.7
/* What a pass may take compared with the last one, whose memory was smaller. */
#define MARGIN 1.5

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

/* Accesses of the passes for every `step`th point from `i` on. */
static double lines_to_come(size_t i, size_t n_points, size_t step)
{
  double lines = 0;

  for (i = (i + step - 1) / step * step; i < n_points; i += step)
    lines += (double)(latency_size_at(i, 1) / USUAL_LINE);
  return lines;
}

size_t latency_next_point(size_t i, size_t n_points, double access_ns,
                          uint64_t left_ns)
{
  size_t step = 1;

  while (step < LATENCY_PER_DOUBLING &&
         MARGIN * access_ns * lines_to_come(i, n_points, step) >
           (double)left_ns)
    step *= 2;
  return (i + step - 1) / step * step;
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

/*
 * How much of the time a point gets, compared with others: large ones need it
 * for their pass.
 */
static double weight(size_t i)
{
  return (double)(POINT_LINES + latency_size_at(i, 1) / USUAL_LINE);
}

/* A part of the time from now to that moment; 0: it has come. */
static uint64_t left_of(uint64_t until_ns, double part)
{
  const uint64_t now_ns = clock_now_ns();

  return now_ns < until_ns ? (uint64_t)(part * (double)(until_ns - now_ns)) : 0;
}

/*
 * Makes a point: a whole pass, which may take longer than the point's share of
 * the time, and samples.  `access_ns` becomes the time of an access in the
 * pass.  False: there was no time for that.
 */
static bool make_point(struct chase *c, struct worker *w, uint64_t until_ns,
                       double share, struct latency_point *p, double *access_ns)
{
  const uint64_t begin_ns = clock_now_ns();
  const uint64_t end_ns = begin_ns + left_of(until_ns, share);

  if (worker_is_over(w) || !latency_warm(c, left_of(until_ns, 1)))
    return false;
  *access_ns = (double)(clock_now_ns() - begin_ns) / (double)c->lines;
  return latency_measure(c, w, left_of(end_ns, 1), p);
}

static void climb(struct latency_thread *t, struct latency_stairs *stairs,
                  struct worker *w, uint64_t until_ns)
{
  const struct latency *l = t->run;
  double weights = 0, access_ns = 0;
  struct chase c;

  for (size_t i = 0; i < l->n_points; i++) {
    weights += weight(i);
    stairs->point[i] = (struct latency_point){
      .bytes = latency_size_at(i, t->line_bytes), .ns = NAN, .median = NAN
    };
  }
  chase_init(&c, stairs->pages.at, t->line_bytes, l->plan->seed);
  for (size_t i = 0; i < l->n_points; i++) {
    const size_t next = latency_next_point(i, l->n_points, access_ns,
                                           left_of(until_ns, 1));

    for (; i < next && i + 1 < l->n_points; i++)
      weights -= weight(i);
    chase_grow(&c, stairs->point[i].bytes / t->line_bytes);
    if (!make_point(&c, w, until_ns, weight(i) / weights, &stairs->point[i],
                    &access_ns))
      return;
    weights -= weight(i);
    atomic_store_explicit(&stairs->n, i + 1, memory_order_release);
  }
}

static int latency_loop(void *thr, struct worker *w, struct err *err)
{
  struct latency_thread *t = thr;
  struct latency *l = t->run;
  const bool more = latency_await_measured(w);
  const uint64_t all_ns = l->plan->time_ns == PLAN_NO_LIMIT ? USUAL_NS
                                                            : l->plan->time_ns;
  const uint64_t end_ns = clock_now_ns() + (uint64_t)((double)all_ns * SHARE);
  unsigned to_come = l->of[LATENCY_HUGE].wanted + l->of[LATENCY_SMALL].wanted;

  for (int kind = 0; more && kind < LATENCY_KINDS && !worker_is_over(w);
       kind++) {
    struct latency_stairs *stairs = &l->of[kind];
    int rc;

    if (!stairs->wanted)
      continue;
    rc = pages_map(&stairs->pages, l->bytes, kind == LATENCY_HUGE, -1, err);
    if (rc < 0)
      return rc;
    pages_touch(&stairs->pages);
    climb(t, stairs, w, clock_now_ns() + left_of(end_ns, 1.0 / to_come--));
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
  .warnings = latency_report_doubts,
};
