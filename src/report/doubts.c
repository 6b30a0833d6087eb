/*
 * doubts.c - what makes the figures of a run doubtful.
 */
#include "report/doubts.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "stats/hist_sum.h"
#include "stats/report.h"
#include "stats/trend.h"

/* The client's share from which it is likely to be what was measured. */
#define BUSY 0.9
/* Workers' share of time on run queues that shows in latencies. */
#define QUEUED 0.1
/* Share of arrivals that may wait at the end, beside one per thread. */
#define WAITING 0.01
/* A shorter run has other problems. */
#define LEAST_NS (3 * NS_PER_S)
/* Readings from user space take 20 to 60 ns, system calls some hundreds. */
#define SLOW_CLOCK_NS 250.0

void doubts_add(struct doubts *d, bool shown, const char *code, const char *fmt,
                ...)
{
  struct doubt *one = &d->of[d->n];
  va_list ap;

  if (d->n == DOUBTS_MAX)
    return;
  d->n++;
  one->code = code;
  one->shown = shown;
  va_start(ap, fmt);
  (void)vsnprintf(one->text, sizeof(one->text), fmt, ap);
  va_end(ap);
}

/* A client that is busy all the time measures itself. */
static void look_at_cpu(struct doubts *d, const struct doubt_input *in)
{
  const struct client_use *c = in->client;
  const double used = (double)(c->user_ns + c->system_ns) / (double)c->wall_ns;

  if (c->quota > 0.0 && used > BUSY * c->quota)
    doubts_add(
      d, true, "client_quota",
      "bench used %.0f%% of the %.4g CPUs that its control group may use: "
      "the client may be what was measured",
      100.0 * used / c->quota, c->quota);
  else if (c->cpus > 0.0 && used > BUSY * c->cpus)
    doubts_add(
      d, true, "client_cpu",
      "bench used %.0f%% of the %.4g CPUs that it may run on: the client may "
      "be what was measured",
      100.0 * used / c->cpus, c->cpus);
}

static void look_at_queue(struct doubts *d, const struct doubt_input *in)
{
  const struct client_use *c = in->client;
  const double share = (double)c->queue_ns /
                       ((double)c->wall_ns * (double)in->threads);

  if (c->queue_known && share > QUEUED)
    doubts_add(
      d, true, "run_queue",
      "worker threads waited for a CPU %.0f%% of the time: latencies include "
      "that",
      100.0 * share);
}

/* One sample beyond the percentile is the least that says anything. */
static void look_at_percentile(struct doubts *d, uint64_t events, double pct,
                               bool asked)
{
  const double beyond = (double)events * (1.0 - pct / 100.0);
  char text[FMT_DOUBLE_SIZE];

  if (events == 0 || pct >= 100.0 || beyond >= 1.0 - 1e-9)
    return;
  doubts_add(
    d, asked, "few_samples", "%llu events are too few for percentile %s: %s",
    (unsigned long long)events, fmt_shortest(text, pct),
    hist_rank(events, pct) == events ? "it is the largest latency"
                                     : "fewer than one event is beyond it");
}

void doubts_add_samples(struct doubts *d, const struct report_setup *setup,
                        uint64_t events)
{
  if (setup->percentile > 0.0)
    look_at_percentile(d, events, setup->percentile, setup->percentile_given);
  for (unsigned i = 0; i < setup->n_percentiles; i++)
    look_at_percentile(d, events, setup->percentiles[i], true);
}

/* Workers that cannot keep up: latencies grow as long as the run lasts. */
static void look_at_backlog(struct doubts *d, const struct doubt_input *in)
{
  if (in->backlog <= in->threads ||
      (double)in->backlog <= WAITING * (double)in->arrivals)
    return;
  doubts_add(
    d, true, "backlog",
    "%llu of %llu events that were due under --rate had not begun when the "
    "run ended: the threads could not keep up, and latencies include waiting",
    (unsigned long long)in->backlog, (unsigned long long)in->arrivals);
}

static void look_at_trend(struct doubts *d, const struct doubt_input *in)
{
  double change;

  if (trend_find(in->trend, &change))
    doubts_add(
      d, true, "trend",
      "throughput was still %s when the run ended (%+.0f%% from the third "
      "to the last quarter): a longer run or a warm-up would show another",
      change > 0.0 ? "growing" : "falling", 100.0 * change);
}

void doubts_find(struct doubts *ret, const struct doubt_input *in)
{
  ret->n = 0;
  if (in->measures_others && in->client->wall_ns >= LEAST_NS) {
    look_at_cpu(ret, in);
    look_at_queue(ret, in);
  }
  if (in->clock_cost_ns > SLOW_CLOCK_NS)
    doubts_add(
      ret, true, "slow_clock",
      "reading the clock takes %.0f ns here: short events seem longer than "
      "they are",
      in->clock_cost_ns);
  if (!in->is_part)
    doubts_add_samples(ret, in->setup, in->report->events);
  look_at_backlog(ret, in);
  look_at_trend(ret, in);
}
