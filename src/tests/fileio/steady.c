/*
 * steady.c - detects when the throughput is steady.
 */
#include "tests/fileio/steady.h"

#include <math.h>

#include "base/clock.h"
#include "base/facts.h"
#include "base/log.h"
#include "run/worker.h"
#include "stats/recorder.h"

void steady_init(struct steady *s, double percent, double window_s)
{
  *s = (struct steady){
    .limit = percent / 100,
    .window_ns = (uint64_t)(window_s * (double)NS_PER_S),
  };
}

bool steady_look(const struct steady *s, struct steady_state *ret)
{
  const double middle = (STEADY_WINDOWS - 1) / 2.0;
  double low = INFINITY, high = -INFINITY, sum = 0, product = 0, squares = 0;

  if (s->n < STEADY_WINDOWS)
    return false;
  for (unsigned i = 0; i < STEADY_WINDOWS; i++) {
    const double rate = s->rate[(s->n + i) % STEADY_WINDOWS];

    low = fmin(low, rate);
    high = fmax(high, rate);
    sum += rate;
    product += rate * (i - middle);
    squares += (i - middle) * (i - middle);
  }
  ret->mean = sum / STEADY_WINDOWS;
  ret->range = ret->mean > 0 ? (high - low) / ret->mean : 0;
  ret->slope = ret->mean > 0
                 ? product / squares * (STEADY_WINDOWS - 1) / ret->mean
                 : 0;
  return true;
}

void steady_add(struct steady *s, double rate)
{
  struct steady_state now;

  s->rate[s->n++ % STEADY_WINDOWS] = rate;
  if (steady_look(s, &now) && now.mean > 0 && now.range <= s->limit &&
      fabs(now.slope) <= s->limit)
    atomic_store_explicit(&s->reached, true, memory_order_relaxed);
}

bool steady_goes_on(struct steady *s, const struct worker *w)
{
  uint64_t now, events;

  if (atomic_load_explicit(&s->reached, memory_order_relaxed))
    return false;
  if (w->tid != 0 || !w->counted)
    return true;
  now = clock_now_ns();
  if (s->start_ns != 0 && now - s->start_ns < s->window_ns)
    return true;
  events = recorders_events(w->recorders);
  if (s->start_ns != 0)
    steady_add(s, (double)(events - s->before) * (double)NS_PER_S /
                    (double)(now - s->start_ns));
  s->start_ns = now;
  s->before = events;
  return !atomic_load_explicit(&s->reached, memory_order_relaxed);
}

void steady_tell(const struct steady *s)
{
  const double window_s = (double)s->window_ns / (double)NS_PER_S;
  struct steady_state now;

  if (!steady_look(s, &now))
    log_msg(LOG_WARNING,
            "the run was too short to become steady: --file-steady needs %d "
            "windows of %g s; raise --time or lower --file-steady-window",
            STEADY_WINDOWS, window_s);
  else if (!atomic_load(&s->reached))
    log_msg(LOG_WARNING,
            "the run has not become steady: the last %d windows of %g s have a "
            "range of %.1f%% and a trend of %+.1f%%, and %g%% are allowed; "
            "raise --time or --file-steady",
            STEADY_WINDOWS, window_s, 100 * now.range, 100 * now.slope,
            100 * s->limit);
  else
    log_msg(LOG_NOTICE,
            "\nSteady state (last %d windows of %g s):\n"
            "    events/s:                     %.2f\n"
            "    range:                        %.1f%%\n"
            "    trend:                        %+.1f%%\n",
            STEADY_WINDOWS, window_s, now.mean, 100 * now.range,
            100 * now.slope);
}

void steady_facts(const struct steady *s, struct facts *to)
{
  struct steady_state now;

  if (!steady_look(s, &now))
    return;
  facts_bool(to, "steady.reached", atomic_load(&s->reached));
  facts_real(to, "steady.events_per_s", now.mean);
  facts_real(to, "steady.range", now.range);
  facts_real(to, "steady.trend", now.slope);
}
