#include "stats/report.h"

#include <math.h>

#include "base/clock.h"
#include "base/minmax.h"

const double report_usual[REPORT_USUAL] = { 50, 95, 99, 99.9 };

/* Mean and population standard deviation, in one pass. */
struct spread {
  double mean, squares;
  unsigned n;
};

static void spread_add(struct spread *s, double value)
{
  const double off = value - s->mean;

  s->n++;
  s->mean += off / s->n;
  s->squares += off * (value - s->mean);
}

static double spread_stddev(const struct spread *s)
{
  return s->n ? sqrt(s->squares / s->n) : 0.0;
}

static void report_fill_fairness(struct report *r,
                                 const struct snapshot *before,
                                 const struct snapshot *now)
{
  struct spread events = { 0 }, time_s = { 0 };

  for (unsigned i = 0; i < now->n; i++) {
    const struct worker_totals *a = &before->worker[i], *b = &now->worker[i];

    if (b->aside)
      continue;
    spread_add(&events, (double)(b->events - a->events));
    spread_add(&time_s, (double)(b->sum_ns - a->sum_ns) / (double)NS_PER_S);
  }
  r->events_mean = events.mean;
  r->events_stddev = spread_stddev(&events);
  r->time_mean_s = time_s.mean;
  r->time_stddev_s = spread_stddev(&time_s);
}

uint64_t report_percentile(const struct report *r, double pct)
{
  if (!r->hist || r->events == 0)
    return 0;
  /* The histogram can lack an event: keep the limits. */
  return max_u64(r->min_ns, min_u64(hist_percentile(r->hist, pct), r->max_ns));
}

void report_fill(struct report *r, const struct report_setup *setup,
                 const struct snapshot *before, const struct snapshot *now,
                 uint64_t min_ns, uint64_t max_ns, struct hist_sum *diff)
{
  r->period_ns = now->at_ns > before->at_ns ? now->at_ns - before->at_ns : 0;
  r->end_ns = now->at_ns;
  for (unsigned c = 0; c < COUNTERS; c++)
    r->counter[c] = now->counter[c] - before->counter[c];
  r->events = r->counter[COUNTER_EVENT];
  r->sum_ns = now->sum_ns - before->sum_ns;
  r->min_ns = min_ns == UINT64_MAX ? 0 : min_ns;
  r->max_ns = max_ns;
  r->hist = NULL;
  if (now->hist && diff) {
    hist_sum_sub(diff, now->hist, before->hist);
    r->hist = diff;
  }
  r->percentile_ns = setup->percentile > 0.0
                       ? report_percentile(r, setup->percentile)
                       : 0;
  report_fill_fairness(r, before, now);
}

void report_threads_clear(struct report_thread *t, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    t[i] = (struct report_thread){ .min_ns = UINT64_MAX };
}

void report_threads_merge(struct report_thread *t, const struct snapshot *s)
{
  for (unsigned i = 0; i < s->n; i++) {
    t[i].min_ns = min_u64(t[i].min_ns, s->worker[i].min_ns);
    t[i].max_ns = max_u64(t[i].max_ns, s->worker[i].max_ns);
  }
}

void report_threads_fill(struct report_thread *t, const struct snapshot *before,
                         const struct snapshot *now)
{
  for (unsigned i = 0; i < now->n; i++) {
    const struct worker_totals *a = &before->worker[i], *b = &now->worker[i];

    t[i].events = b->events - a->events;
    t[i].sum_ns = b->sum_ns - a->sum_ns;
    if (t[i].min_ns == UINT64_MAX)
      t[i].min_ns = 0;
  }
}

double report_rate(const struct report *r, uint64_t count)
{
  if (r->period_ns == 0)
    return 0.0;
  return (double)count * (double)NS_PER_S / (double)r->period_ns;
}

double report_offered_rate(const struct report *r)
{
  if (r->period_ns <= r->tail_ns)
    return 0.0;
  return (double)r->arrivals * (double)NS_PER_S /
         (double)(r->period_ns - r->tail_ns);
}

double report_counter_rate(const struct report *r, enum counter c)
{
  return report_rate(r, r->counter[c]);
}

struct slo_sample report_slo_sample(const struct report *r,
                                    const struct report_setup *setup)
{
  return (struct slo_sample){
    .period_ns = r->period_ns,
    .events = r->events,
    .errors = r->counter[COUNTER_ERROR],
    .queries = r->counter[COUNTER_READ] + r->counter[COUNTER_WRITE] +
               r->counter[COUNTER_OTHER],
    .late = r->unfinished +
            (setup->rate ? r->queue_length + r->counter[COUNTER_ERROR] : 0),
    .stuck = r->unfinished,
    .sum_ns = r->sum_ns,
    .min_ns = r->min_ns,
    .max_ns = r->max_ns,
    .hist = r->hist,
  };
}

void report_judge(const struct report *r, const struct report_setup *setup,
                  struct slo_verdict *ret)
{
  const struct slo_sample s = report_slo_sample(r->total ? r->total : r, setup);

  slo_judge(&setup->slo, &s, ret);
}
