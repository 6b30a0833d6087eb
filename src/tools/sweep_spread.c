/*
 * sweep_spread.c - how much of the spread of a combination's throughput is
 * between its repeats, and how much within them.
 */
#include <math.h>
#include <stdlib.h>

#include "tools/sweep_internal.h"
#include "tools/variance.h"

/* The throughput of whole intervals; returns how many there are. */
static size_t samples_of(const struct result *r, double *to)
{
  size_t n = 0;

  for (size_t i = 0; i < r->n_intervals; i++) {
    const struct result_interval *at = &r->intervals[i];

    if (!at->partial && at->period_s > 0)
      to[n++] = at->events / at->period_s;
  }
  return n;
}

static bool is_repeat(const struct sweep_outcome *o, size_t combination)
{
  return o->combination == combination && sweep_outcome_good(o);
}

struct variance sweep_spread(const struct sweep *s, size_t combination)
{
  struct variance_run *runs = calloc(s->plan.repeats + 1, sizeof(*runs));
  struct variance v = { NAN, NAN, NAN };
  double *samples, *next;
  size_t all = 0, n = 0;

  for (size_t i = 0; i < s->n_outcomes; i++)
    all += is_repeat(&s->outcomes[i], combination)
             ? s->outcomes[i].result.run.n_intervals
             : 0;
  samples = next = calloc(all + 1, sizeof(*samples));
  for (size_t i = 0; runs && samples && i < s->n_outcomes; i++) {
    const struct result *r = &s->outcomes[i].result.run;

    if (!is_repeat(&s->outcomes[i], combination))
      continue;
    runs[n] = (struct variance_run){ .value = r->events_per_s,
                                     .samples = next,
                                     .n = samples_of(r, next) };
    next += runs[n++].n;
  }
  if (runs && samples)
    v = variance_of(runs, n);
  free(samples);
  free(runs);
  return v;
}
