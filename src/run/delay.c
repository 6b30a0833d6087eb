#include "run/delay.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "loop/fiber.h"
#include "report/form.h"
#include "report/life.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/hist.h"
#include "stats/hist_sum.h"
#include "stats/rand/rng.h"

/* A measured event takes two readings of some 3 us. */
#define DELAY_EVERY_NS (2 * NS_PER_MS)
/* Times the usual distance. */
#define DELAY_LATE 8
/* A distance that follows each slow event misses the next. */
#define DELAY_MEMORY (31.0 / 32)

int delay_init(struct run *run, struct err *err)
{
  const struct report_form *form = run->test->form;
  struct delays *d = &run->delays;

  if (form && form->measures_itself && !plan_rated_by(run->plan))
    return 0;
  d->every_ns = DELAY_EVERY_NS * plan_clients(run->plan);
  d->took = hist_new();
  d->rest = hist_new();
  return d->took && d->rest
           ? 0
           : err_set(err, -ENOMEM, "not enough memory for histograms");
}

void delay_done(struct run *run)
{
  hist_free(run->delays.took);
  hist_free(run->delays.rest);
}

void delay_start(struct worker *w)
{
  if (!w->run->delays.rest)
    return;
  w->chosen_at = w->iteration;
  w->chosen_ns = w->run->measured_ns;
  w->sample_ns = w->chosen_ns + DELAY_EVERY_NS / 2 * w->tid;
}

static uint64_t delay_so_far(void)
{
  const struct fiber *f = fiber_here();
  uint64_t ns = 0;

  if (f)
    return f->lag_ns;
  return thread_queue_ns(&ns) ? ns : 0;
}

/* A fixed distance would keep step with a server whose every n-th event is
 * slow. */
static void delay_draw(struct worker *w, uint64_t from, double gap,
                       uint64_t now)
{
  const double draw = (double)(rng_mix(now + w->tid) >> 11) * 0x1p-53;

  w->sample_at = from + (uint64_t)(draw * (2 * fmax(1, gap) - 1));
  w->sample_ns = now + DELAY_LATE * w->run->delays.every_ns;
  w->chosen_at = w->iteration;
  w->chosen_ns = now;
}

/* Expected events up to the next measured one; `share` of the old pace
 * counts. */
static double delay_pace(struct worker *w, double share, uint64_t now)
{
  const uint64_t every_ns = w->run->delays.every_ns;
  const uint64_t ns = grown_u64(now, w->chosen_ns);

  w->paced_events = share * w->paced_events +
                    (double)(w->iteration - w->chosen_at);
  /* A long stall does not count in full. */
  w->paced_ns = share * w->paced_ns +
                (double)min_u64(ns, DELAY_LATE * every_ns);
  return w->paced_events * (double)every_ns / fmax(1, w->paced_ns);
}

void delay_choose(struct worker *w, uint64_t now)
{
  const uint64_t events = w->iteration - w->chosen_at;
  const bool first = w->sample_at == UINT64_MAX;

  delay_draw(w, w->iteration + 1,
             first ? (double)events : delay_pace(w, 0.5, now), now);
}

uint64_t delay_begin(struct worker *w)
{
  const uint64_t now = clock_now_ns();

  w->late_ns = 0;
  w->waited_ns = delay_so_far();
  if (w->iteration + 1 >= w->sample_at)
    delay_draw(w, w->iteration + 2, delay_pace(w, DELAY_MEMORY, now), now);
  w->sampled = w->watched = true;
  return clock_now_ns();
}

void delay_drop(struct worker *w)
{
  w->sampled = false;
  w->watched = worker_is_watched(w);
}

void delay_end(struct worker *w, uint64_t took_ns)
{
  const uint64_t waited = grown_u64(delay_so_far(), w->waited_ns);
  struct delays *d = &w->run->delays;
  uint64_t added, timer = w->late_ns;

  /* A thread that wakes up late has waited for its CPU in a part of that
   * time; a client's thread was awake. */
  if (fiber_here()) {
    added = waited + timer;
  } else {
    timer = grown_u64(timer, waited);
    added = waited + timer;
  }
  added = min_u64(added, took_ns);
  hist_record_shared(d->took, took_ns);
  hist_record_shared(d->rest, took_ns - added);
  (void)atomic_fetch_add_explicit(&d->took_ns, took_ns, memory_order_relaxed);
  (void)atomic_fetch_add_explicit(&d->added_ns, added, memory_order_relaxed);
  (void)atomic_fetch_add_explicit(&d->timer_ns, timer, memory_order_relaxed);
  delay_drop(w);
}

/* The 99th percentile of all events is at most at this rank (two standard
 * deviations above): where few events are much slower than others, chance
 * decides how many are measured. */
static double delay_surely_99(const struct hist_sum *sum)
{
  return fmin(100, 99 + 200 * sqrt(0.01 * 0.99 / fmax(1, (double)sum->total)));
}

void delay_measured(const struct run *run, struct client_delays *ret)
{
  const struct delays *d = &run->delays;
  struct hist_sum *sum = d->rest ? hist_sum_new() : NULL;

  *ret = (struct client_delays){ 0 };
  if (!sum)
    return;
  hist_sum_add(sum, d->took);
  ret->events = sum->total;
  ret->p99_ns = hist_percentile(sum, 99);
  hist_sum_clear(sum);
  hist_sum_add(sum, d->rest);
  ret->rest_p99_ns = min_u64(ret->p99_ns,
                             hist_percentile(sum, delay_surely_99(sum)));
  hist_sum_free(sum);
  ret->took_ns = atomic_load(&d->took_ns);
  ret->added_ns = atomic_load(&d->added_ns);
  ret->timer_ns = atomic_load(&d->timer_ns);
}
