/*
 * warnings.c - reasons to doubt the figures of a run.
 */
#include "report/warnings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/fmt.h"
#include "base/minmax.h"
#include "report/warnings_list.h"
#include "stats/hist_sum.h"
#include "stats/report.h"
#include "stats/trend.h"

enum {
  FEW_NAMED = 5, /* percentiles; there may be a hundred */
};

/* Waiting arrivals at the end, besides one per thread. */
#define WAITING 0.01
/* Standard deviation of events per client by the mean; chance adds 1 /
 * sqrt(mean). */
#define SPREAD 0.25
/* A share of the run, for clients with this many other events. */
#define WHOLE_RUN 0.9
#define FEW_WAITS 10
/* Share, and a time that is no hiccup. */
#define TAIL 0.02
#define TAIL_MIN_NS (50 * NS_PER_MS)
/* User space: 20 to 60 ns; system calls: some hundred. */
#define SLOW_CLOCK_NS 250.0

void warnings_add(struct warnings *d, bool shown, const char *code,
                  const char *fmt, ...)
{
  struct warning *one = &d->of[d->n];
  va_list ap;

  if (d->n == WARNINGS_MAX)
    return;
  d->n++;
  one->code = code;
  one->shown = shown;
  va_start(ap, fmt);
  (void)vsnprintf(one->text, sizeof(one->text), fmt, ap);
  va_end(ap);
}

/* A percentile needs a sample beyond it. */
static bool is_beyond_samples(uint64_t events, double pct)
{
  return events > 0 && pct < 100.0 &&
         (double)events * (1.0 - pct / 100.0) < 1.0 - 1e-9;
}

struct few {
  unsigned n;
  bool asked;     /* of --percentile */
  double highest; /* highest */
  bool maxima;    /* all equal the maximum */
  char names[128];
};

static void look_at_percentile(struct few *few, uint64_t events, double pct,
                               bool asked)
{
  const size_t len = strlen(few->names);
  char text[FMT_DOUBLE_SIZE];

  if (!is_beyond_samples(events, pct))
    return;
  few->maxima = (few->n == 0 || few->maxima) &&
                hist_rank(events, pct) == events;
  few->n++;
  few->asked |= asked;
  few->highest = pct > few->highest ? pct : few->highest;
  if (few->n <= FEW_NAMED)
    (void)snprintf(few->names + len, sizeof(few->names) - len, "%sp%s",
                   few->n > 1 ? ", " : "", fmt_shortest(text, pct));
}

static bool is_listed(const struct report_setup *setup, double pct)
{
  for (unsigned i = 0; i < setup->n_percentiles; i++) {
    if (setup->percentiles[i] == pct)
      return true;
  }
  return false;
}

void warnings_add_samples(struct warnings *d, const struct report_setup *setup,
                          uint64_t events)
{
  struct few few = { 0 };

  for (unsigned i = 0; i < setup->n_percentiles; i++)
    look_at_percentile(&few, events, setup->percentiles[i], true);
  if (setup->percentile > 0.0 && !is_listed(setup, setup->percentile))
    look_at_percentile(&few, events, setup->percentile,
                       setup->percentile_given);
  if (few.n == 0)
    return;
  warnings_add(d, few.asked, "few_samples",
               "%llu event%s too few for %s%s, %s; at least %.0f are needed",
               (unsigned long long)events, events == 1 ? " is" : "s are",
               few.names, few.n > FEW_NAMED ? " and others" : "",
               few.maxima ? "which is simply the maximum here"
                          : "beyond which there is less than one event",
               ceil(100.0 / (100.0 - few.highest) - 1e-6));
}

/* Growing queue. */
static void look_at_backlog(struct warnings *d, const struct warning_input *in)
{
  const double reached = in->report->period_ns > 0
                           ? (double)in->report->events * (double)NS_PER_S /
                               (double)in->report->period_ns
                           : 0;
  char rate[FMT_DOUBLE_SIZE];

  if (in->backlog <= in->threads ||
      (double)in->backlog <= WAITING * (double)in->arrivals)
    return;
  if (in->members) {
    warnings_add(d, true, "backlog",
                 "the rates of the mix were not sustained, %llu of %llu "
                 "scheduled event%s never started; lower them or give the "
                 "members more clients",
                 (unsigned long long)in->backlog,
                 (unsigned long long)in->arrivals, fmt_plural(in->arrivals));
    return;
  }
  if (!in->profile && reached >= in->rate)
    return; /* chance */
  warnings_add(d, true, "backlog",
               "%s%s was not sustained (about %.*f/s reached), %llu of %llu "
               "scheduled event%s never started; lower %s or use more "
               "--%s",
               in->profile ? "--load-profile" : "--rate=",
               in->profile ? "" : fmt_shortest(rate, in->rate), reached < 10,
               reached, (unsigned long long)in->backlog,
               (unsigned long long)in->arrivals, fmt_plural(in->arrivals),
               in->profile ? "its rates" : "--rate",
               in->clients ? "clients" : "threads");
}

/* After the time limit, most workers idle. */
static void look_at_tail(struct warnings *d, const struct warning_input *in)
{
  const uint64_t elapsed_ns = in->report->elapsed_ns;
  const uint64_t late_ns = grown_u64(elapsed_ns, in->limit_ns);

  if (in->winds_up || in->report->kind == REPORT_FORCED ||
      late_ns < TAIL_MIN_NS || (double)late_ns < TAIL * (double)elapsed_ns)
    return;
  warnings_add(
    d, true, "long_tail",
    "the last event ended %.2f s after the time limit, and rates count "
    "that time, so they are up to %.0f%% too low; use a longer --time",
    (double)late_ns / 1e9, 100 * (double)late_ns / (double)elapsed_ns);
}

/* A client keeps its thread. */
static void look_at_end(struct warnings *d, const struct warning_input *in)
{
  static const char *const why[] = {
    [HOLD_COMPUTES] = "code of a client has kept its thread busy",
    [HOLD_BLOCKS] = "a client has called a function that stops its thread",
    [HOLD_STILL] = "code of a client does not give its thread back",
  };
  const enum client_hold hold = in->client->loops.hold;

  if (hold == HOLD_NONE || in->limit_ns == UINT64_MAX ||
      in->report->elapsed_ns < in->limit_ns + NS_PER_S) {
    look_at_tail(d, in);
    return;
  }
  warnings_add(d, true, "late_end",
               "the run ended %.1f s late, since %s; rates count that time, "
               "--forced-shutdown limits it",
               (double)(in->report->elapsed_ns - in->limit_ns) /
                 (double)NS_PER_S,
               why[hold]);
}

/* Starving clients: few events, invisible in percentiles. */
static void look_at_shares(struct warnings *d, const struct warning_input *in)
{
  const struct report *r = in->report;
  const double spread = r->events_mean > 0 ? r->events_stddev / r->events_mean
                                           : 0;

  if (!in->clients || in->rate > 0 || in->profile || in->members ||
      in->setup->n_members > 0 || r->n_storms > 0)
    return;
  if (spread > SPREAD + 1 / sqrt(fmax(1, r->events_mean)))
    warnings_add(
      d, true, "unfair",
      "clients got unequal shares of the server (events per client "
      "vary by %.0f%% of their mean), so percentiles are those of a "
      "few clients; the longest wait was %.2f s; use more --threads, "
      "or compare with --threads in place of --clients",
      100 * spread, (double)r->max_ns / 1e9);
  else if (r->elapsed_ns >= NS_PER_S && r->events > FEW_WAITS * in->threads &&
           (double)r->max_ns > WHOLE_RUN * (double)r->elapsed_ns)
    warnings_add(
      d, true, "unfair",
      "an event took %.2f s, as long as the run, so a client was not "
      "served, and no percentile shows that; use more --threads, or "
      "compare with --threads in place of --clients",
      (double)r->max_ns / 1e9);
}

static void look_at_trend(struct warnings *d, const struct warning_input *in)
{
  double change;

  if (in->profile) /* changes on purpose */
    return;
  if (trend_find(in->trend, &change))
    warnings_add(d, true, "trend",
                 "throughput was still %s when the run ended (%+.0f%% from the "
                 "third to the last quarter); use a longer --time or "
                 "--warmup-time",
                 change > 0.0 ? "growing" : "falling", 100.0 * change);
}

/* Figures that are wrong even if the process was stopped. */
static void look_at_load(struct warnings *d, const struct warning_input *in)
{
  look_at_backlog(d, in);
  look_at_shares(d, in);
  look_at_trend(d, in);
}

static void look_at_pause(struct warnings *d, const struct warning_input *in)
{
  warnings_add(d, true, "paused",
               "bench stood still for %.1f s during the run, because it was "
               "stopped, or its machine was; the figures include that time, so "
               "repeat the run",
               (double)in->client->paused_ns / 1e9);
}

/* A quota stops the process as well, and has its own warning; other threads may
 * run meanwhile. */
static bool stood_still(const struct client_use *c)
{
  return c->paused_ns / 2 > (c->quota > 0 ? c->machine.throttled_ns : 0);
}

void warnings_find(struct warnings *ret, const struct warning_input *in)
{
  const bool paused = stood_still(in->client);

  ret->n = 0;
  if (paused)
    look_at_pause(ret, in);
  else
    warnings_of_cpu(ret, in);
  if (in->clock_cost_ns > SLOW_CLOCK_NS)
    warnings_add(
      ret, true, "slow_clock",
      "reading the clock takes %.0f ns here, so short events seem "
      "longer than they are; use a machine whose clock source is tsc",
      in->clock_cost_ns);
  if (!in->is_part)
    warnings_add_samples(ret, in->setup, in->report->events);
  if (!paused)
    look_at_load(ret, in);
  look_at_end(ret, in);
}
