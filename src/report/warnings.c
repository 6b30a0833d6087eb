#include "report/warnings.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/fmt.h"
#include "base/minmax.h"
#include "report/form.h"
#include "stats/hist_sum.h"
#include "stats/report.h"
#include "stats/trend.h"

enum {
  FEW_NAMED = 5, /* of up to a hundred percentiles */
};

/* Share of arrivals that wait at the end, besides one per thread. */
#define WAITING 0.01
/* Standard deviation of events per client, divided by the mean; chance adds 1 /
 * sqrt(mean). */
#define SPREAD 0.25
/* A wait of this share of the run, if clients have more events than
 * FEW_WAITS. */
#define WHOLE_RUN 0.9
#define FEW_WAITS 10
/* Share, and a time longer than a hiccup. */
#define TAIL 0.02
#define TAIL_MIN_NS (50 * NS_PER_MS)
/* A user-space clock takes 20 to 60 ns, a system call some hundred. */
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

/* ---- CPUs ---- */

/*
 * Known: how long threads of the run waited for a CPU (exact, from the
 * scheduler), and which programs used CPUs (whole machine, ticks of 10 ms).
 * Other programs cost the run at most what its threads waited, and at most what
 * they used.  So one wrong tick causes no warning, nor do threads of the run
 * that wait for each other.
 */

/* Share of its CPUs at which the client limits the run. */
#define BUSY 0.9
/* The client's machine adds this share to p99 or to the mean latency; few
 * events need FEW_ADD / events more (20 events: p99 doubled). */
#define ADDED 0.1
#define FEW_ADD 20
/* Inside of events for this share of time: no pauses. */
#define ALL_TIME 0.9
/* Threads that compute for this share keep clients waiting. */
#define BUSY_LOOPS 0.5
/* Lost CPU time; an idle desktop takes 1 or 2 %. */
#define LOST 0.05
/* Ten ticks; fewer can be rounding. */
#define LOST_MIN_NS (100 * NS_PER_MS)
/* Ticks mean nothing in shorter runs. */
#define RUN_MIN_NS (200 * NS_PER_MS)
/* Share of all CPUs: named as a cause. */
#define CAUSE 0.1
/* Shares of all CPUs: none was idle; others used them. */
#define FULL 0.95
#define CROWD 0.2
/* Clock speed left in the last quarter of a run; samples differ by some
 * percent. */
#define FADED 0.93
/* Tolerance of guaranteed clocks. */
#define SLOWED 0.9
/* Idle CPUs can be slow. */
#define USED_FOR_SPEED 0.5

/* In CPUs: seconds per second. */
struct cpu_shares {
  double own, others, server, strangers, steal, throttled;
  double interrupts; /* part of `strangers` */
  double waiting;    /* of threads, on average */
  double lost;       /* part of `waiting` by other programs */
};

static struct cpu_shares warnings_cpu_shares_of(const struct warning_input *in)
{
  const struct client_use *c = in->client;
  const struct machine_use *m = &c->machine;
  const double wall = (double)c->wall_ns;
  struct cpu_shares s = {
    .own = (double)(c->user_ns + c->system_ns) / wall,
    .steal = m->known ? (double)m->steal_ns / wall : 0,
    .throttled = (double)m->throttled_ns / wall,
    .interrupts = (double)m->interrupts_ns / wall,
    .waiting = c->queue_known ? (double)c->queue_ns / wall : 0,
  };

  if (m->known)
    s.others = fmax(0, (double)m->busy_ns / wall - s.own);
  if (in->is_part) /* ranks are not other programs */
    s.others = fmax(0, s.others - (double)m->sibling_ns / wall);
  if (in->measures_others)
    s.server = in->in_process ? 0 : fmin(s.others, (double)m->server_ns / wall);
  s.strangers = s.others - s.server;
  s.lost = fmin(s.waiting, fmin(s.others, fmax(0, c->cpus - s.own)));
  return s;
}

static bool warnings_cpu_counts(const struct warning_input *in, double lost,
                                double got)
{
  return lost * (double)in->client->wall_ns >= (double)LOST_MIN_NS &&
         lost / (got + lost) >= LOST;
}

/* `share` of the CPUs was missing; 0: unknown. */
static const char *warnings_cpu_effect(const struct warning_input *in,
                                       double share, char text[64])
{
  const struct report_form *form = in->report->form;
  const char *outcome = form && form->outcome ? form->outcome
                                              : "events per second are";

  /* The load fixes the throughput. */
  if (in->measures_others || in->rate > 0 || in->profile)
    return "latencies are inflated";
  if (form && form->measures_times)
    return "times may be too long";
  if (share > 0)
    (void)snprintf(text, 64, "%s about %.0f %% too low", outcome, 100 * share);
  else
    (void)snprintf(text, 64, "%s too low", outcome);
  return text;
}

static bool warnings_cpu_look_at_others(struct warnings *d,
                                        const struct warning_input *in,
                                        const struct cpu_shares *s)
{
  const struct machine_use *m = &in->client->machine;
  char text[64];

  if (!warnings_cpu_counts(in, s->lost, s->own))
    return false;
  warnings_add(
    d, true, "other_programs",
    "other programs used %.1f of the %.4g CPUs during the run, so %s; "
    "stop them and repeat the run%s%s%s",
    s->others, in->client->cpus,
    warnings_cpu_effect(in, s->lost / (s->own + s->lost), text),
    m->busiest[0] ? " (the busiest was " : "", m->busiest,
    m->busiest[0] ? ")" : "");
  return true;
}

static void warnings_cpu_look_at_steal(struct warnings *d,
                                       const struct warning_input *in,
                                       const struct cpu_shares *s)
{
  char text[64];

  if (!warnings_cpu_counts(in, s->steal, s->own + s->others))
    return;
  warnings_add(
    d, true, "steal",
    "the hypervisor took %.2g of the %.4g CPUs during the run (steal), "
    "so %s; use a virtual machine with CPUs of its own",
    s->steal, in->client->cpus,
    warnings_cpu_effect(in, s->steal / (s->own + s->others + s->steal), text));
}

static bool warnings_cpu_quota_counts(const struct warning_input *in,
                                      const struct cpu_shares *s)
{
  const struct client_use *c = in->client;
  const double wanted = fmin(in->threads, c->cpus);

  if (c->quota <= 0)
    return false;
  if (!in->measures_others && c->quota >= wanted)
    return false;
  return s->own > BUSY * c->quota ||
         warnings_cpu_counts(in, s->throttled, s->own);
}

static void warnings_cpu_look_at_quota(struct warnings *d,
                                       const struct warning_input *in)
{
  const struct client_use *c = in->client;

  warnings_add(
    d, true, "client_quota",
    "the control group of bench may use %.4g of the %.4g CPUs and was "
    "stopped for %.1f s to keep to that, so %s; raise its quota "
    "(cpu.max)",
    c->quota, c->cpus, (double)c->machine.throttled_ns / 1e9,
    in->measures_others ? "the client may be what was measured"
    : in->rate > 0 || in->profile
      ? "latencies are inflated"
      : "the figures are those of the quota, not of the machine");
}

enum {
  MANY_PER_CPU = 8,
};

static const char *warnings_cpu_carry(const struct warning_input *in,
                                      char text[96])
{
  const double cpus = fmax(in->client->cpus, 1);

  text[0] = '\0';
  if (in->may_carry && in->measures_others && !in->in_process &&
      in->threads > MANY_PER_CPU * cpus)
    (void)snprintf(text, 96,
                   "--threads=%.0f --clients=%u carries %u clients on %.0f "
                   "thread%s",
                   cpus, in->threads, in->threads, cpus, cpus == 1 ? "" : "s");
  return text;
}

static void warnings_cpu_look_at_client(struct warnings *d,
                                        const struct warning_input *in,
                                        const struct cpu_shares *s)
{
  const double cpus = in->client->cpus;
  char carry[96];

  if (!in->measures_others || in->in_process || cpus <= 0 ||
      s->own <= BUSY * cpus)
    return;
  warnings_add(d, true, "client_cpu",
               "bench used %.0f%% of the %.4g CPUs that it may run on, so the "
               "client may be what was measured; use more CPUs, or several "
               "client machines%s%s",
               100.0 * s->own / cpus, cpus,
               *warnings_cpu_carry(in, carry) ? "; " : "", carry);
}

static unsigned warnings_cpu_threads_of(const struct warning_input *in)
{
  const unsigned carriers = in->client->loops.threads;

  return carriers > 0 ? carriers : in->threads;
}

/* "of 2 CPUs, bench used 0.8, mariadbd 1.1, other programs 0.1" */
static const char *warnings_cpu_users(const struct warning_input *in,
                                      const struct cpu_shares *s,
                                      char text[128])
{
  const struct machine_use *m = &in->client->machine;
  int n = snprintf(text, 128, "of %.4g CPUs, bench used %.1f", in->client->cpus,
                   s->own);

  if (s->server > 0 && m->server[0])
    n += snprintf(text + n, 128 - (size_t)n, ", %s %.1f", m->server, s->server);
  if (m->known)
    (void)snprintf(text + n, 128 - (size_t)n, ", other programs %.1f",
                   s->strangers);
  return text;
}

struct culprit {
  const char *code;
  char why[96], remedy[96];
};

static bool warnings_cpu_are_loops_busy(const struct warning_input *in,
                                        const struct cpu_shares *s)
{
  const unsigned carriers = in->client->loops.threads;

  return carriers > 0 && s->own >= BUSY_LOOPS * carriers;
}

static void warnings_cpu_find_culprit(const struct warning_input *in,
                                      const struct cpu_shares *s,
                                      struct culprit *ret)
{
  const struct client_use *c = in->client;
  const struct machine_use *m = &c->machine;
  const double named = CAUSE * c->cpus;

  ret->code = "run_queue";
  if (s->strangers >= named && s->strangers >= s->server) {
    ret->code = "other_programs";
    (void)snprintf(ret->why, sizeof(ret->why),
                   ", because other programs used the CPUs");
    (void)snprintf(ret->remedy, sizeof(ret->remedy),
                   "stop the other programs%s%s%s",
                   m->busiest[0] ? " (the busiest was " : "", m->busiest,
                   m->busiest[0] ? ")" : "");
  } else if (s->server >= named) {
    (void)snprintf(ret->why, sizeof(ret->why),
                   ", because %s uses the same CPUs", m->server);
    (void)snprintf(ret->remedy, sizeof(ret->remedy),
                   "run %s on another machine or use fewer %s", m->server,
                   in->clients ? "clients" : "threads");
  } else if (warnings_cpu_are_loops_busy(in, s)) {
    ret->code = "client_loop";
    (void)snprintf(ret->why, sizeof(ret->why),
                   ", because %u thread%s carried all clients",
                   c->loops.threads, fmt_plural(c->loops.threads));
    (void)snprintf(ret->remedy, sizeof(ret->remedy),
                   "use more --threads, or more CPUs");
  } else if (2 * c->delays.timer_ns > c->delays.added_ns) {
    ret->code = "late_wakeups";
    (void)snprintf(ret->why, sizeof(ret->why),
                   ", because threads that slept until an event was due woke "
                   "up late");
    (void)snprintf(ret->remedy, sizeof(ret->remedy),
                   "bench doctor looks at governor, idle states and "
                   "interrupts");
  } else if (warnings_cpu_threads_of(in) > c->cpus) {
    (void)snprintf(ret->why, sizeof(ret->why),
                   ", because %u threads share them",
                   warnings_cpu_threads_of(in));
    if (!*warnings_cpu_carry(in, ret->remedy))
      (void)snprintf(ret->remedy, sizeof(ret->remedy),
                     "use no more than %.0f thread%s, or more CPUs", c->cpus,
                     c->cpus == 1 ? "" : "s");
  } else {
    (void)snprintf(ret->remedy, sizeof(ret->remedy),
                   "repeat the run on an idle machine");
  }
}

/* As a share of the mean latency. */
static double warnings_cpu_raised_mean(const struct warning_input *in)
{
  const struct client_use *c = in->client;
  const struct client_delays *a = &c->delays;
  const double sum = (double)in->report->sum_ns, queue = (double)c->queue_ns;
  const double whole = (double)c->wall_ns * in->threads;

  /* Threads always inside of events wait only there: exact, even with few long
   * delays. */
  if (c->queue_known && c->loops.threads == 0 && sum > ALL_TIME * whole &&
      sum > queue)
    return queue / (sum - queue);
  return a->took_ns > a->added_ns
           ? (double)a->added_ns / (double)(a->took_ns - a->added_ns)
           : 0;
}

/* As a share of the latency of measured events.  A few events can be unusual,
 * so only a large share counts. */
static void warnings_cpu_look_at_delays(struct warnings *d,
                                        const struct warning_input *in,
                                        const struct cpu_shares *s)
{
  const struct client_delays *a = &in->client->delays;
  const double least = a->events > 0 ? ADDED + FEW_ADD / (double)a->events : 0;
  const double raised = warnings_cpu_raised_mean(in);
  const uint64_t p99_ns = in->report->hist
                            ? report_percentile(in->report, 99)
                            : a->p99_ns; /* of all events, if recorded */
  struct culprit by = { .code = NULL };
  char what[96], who[128];

  if (a->events == 0)
    return;
  if ((double)p99_ns > (1 + least) * (double)a->rest_p99_ns)
    (void)snprintf(what, sizeof(what), "p99 from %.3g to %.3g ms",
                   (double)a->rest_p99_ns / 1e6, (double)p99_ns / 1e6);
  else if (raised > least)
    (void)snprintf(what, sizeof(what), "the mean latency by %.0f%%",
                   100.0 * raised);
  else
    return;
  warnings_cpu_find_culprit(in, s, &by);
  warnings_add(d, true, by.code,
               "waiting for a CPU of this machine %s %s%s (%s); %s",
               in->client->loops.threads > 0 ? "may have raised" : "raised",
               what, by.why, warnings_cpu_users(in, s, who), by.remedy);
}

/* The run cannot see how long a server waits.  A server that alone keeps all
 * CPUs busy needs no warning. */
static void warnings_cpu_look_at_server(struct warnings *d,
                                        const struct warning_input *in,
                                        const struct cpu_shares *s)
{
  const struct machine_use *m = &in->client->machine;
  const double cpus = in->client->cpus, crowd = s->strangers - s->interrupts;

  if (d->n > 0 && strcmp(d->of[d->n - 1].code, "other_programs") == 0)
    return;
  if (s->server <= 0 || s->own + s->others < FULL * cpus ||
      crowd < CROWD * cpus)
    return;
  warnings_add(
    d, true, "other_programs",
    "other programs used %.1f of the %.4g CPUs and none was idle, so %s had to "
    "share them, which inflates latencies; stop them and repeat the run%s%s%s",
    crowd, cpus, m->server, m->busiest[0] ? " (the busiest was " : "",
    m->busiest, m->busiest[0] ? ")" : "");
}

static void warnings_cpu_look_at_speed(struct warnings *d,
                                       const struct warning_input *in,
                                       const struct cpu_shares *s)
{
  const struct machine_use *m = &in->client->machine;
  char text[64];

  if (m->heat > 0)
    warnings_add(d, true, "frequency",
                 "heat slowed the CPUs down %llu time%s during the run, so %s; "
                 "repeat it on a machine with better cooling",
                 (unsigned long long)m->heat, fmt_plural(m->heat),
                 warnings_cpu_effect(in, 0, text));
  else if (!in->measures_others && m->last_ghz < FADED * m->first_ghz)
    warnings_add(
      d, true, "frequency",
      "the CPUs slowed down from %.2f to %.2f GHz during the run, so "
      "the figures are those of neither; measure what lasts with "
      "--warmup-time (CPUs get hot, or may run fast for a short time "
      "only)",
      m->first_ghz, m->last_ghz);
  else if (m->mhz > 0 && m->mhz < SLOWED * m->base_mhz &&
           s->own >= USED_FOR_SPEED)
    warnings_add(d, true, "frequency",
                 "the CPUs ran at %.2f GHz at the end of the run, their base "
                 "frequency is %.2f GHz; look at the governor and at power "
                 "limits",
                 m->mhz / 1000, m->base_mhz / 1000);
}

static void warnings_of_cpu(struct warnings *d, const struct warning_input *in)
{
  struct cpu_shares s;

  if (in->client->wall_ns < RUN_MIN_NS)
    return;
  s = warnings_cpu_shares_of(in);
  /* A quota makes threads wait, and hides other reasons. */
  if (warnings_cpu_quota_counts(in, &s)) {
    warnings_cpu_look_at_quota(d, in);
  } else {
    warnings_cpu_look_at_client(d, in, &s);
    if (in->measures_others || !warnings_cpu_look_at_others(d, in, &s))
      warnings_cpu_look_at_delays(d, in, &s);
    warnings_cpu_look_at_server(d, in, &s);
  }
  warnings_cpu_look_at_steal(d, in, &s);
  warnings_cpu_look_at_speed(d, in, &s);
}

/* ---- other warnings ---- */

struct few {
  unsigned n;
  bool asked; /* by --percentile */
  double highest;
  bool maxima; /* all equal the maximum */
  char names[128];
};

static void warnings_look_at_percentile(struct few *few, uint64_t events,
                                        double pct, bool asked)
{
  const size_t len = strlen(few->names);
  char text[FMT_DOUBLE_SIZE];

  if (events == 0 || !hist_is_beyond(events, pct))
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

static bool warnings_is_listed(const struct report_setup *setup, double pct)
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
    warnings_look_at_percentile(&few, events, setup->percentiles[i], true);
  if (setup->percentile > 0.0 && !warnings_is_listed(setup, setup->percentile))
    warnings_look_at_percentile(&few, events, setup->percentile,
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

static void warnings_look_at_backlog(struct warnings *d,
                                     const struct warning_input *in)
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

/* After the time limit, most workers are idle. */
static void warnings_look_at_tail(struct warnings *d,
                                  const struct warning_input *in)
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

/* - 35 - 28 - */
static void warnings_look_at_end(struct warnings *d,
                                 const struct warning_input *in)
{
  static const char *const why[] = {
    [HOLD_COMPUTES] = "code of a client has kept its thread busy",
    [HOLD_BLOCKS] = "a client has called a function that stops its thread",
    [HOLD_STILL] = "code of a client does not give its thread back",
  };
  const enum client_hold hold = in->client->loops.hold;

  if (hold == HOLD_NONE || in->limit_ns == UINT64_MAX ||
      in->report->elapsed_ns < in->limit_ns + NS_PER_S) {
    warnings_look_at_tail(d, in);
    return;
  }
  warnings_add(d, true, "late_end",
               "the run ended %.1f s late, since %s; rates count that time, "
               "--forced-shutdown limits it",
               (double)(in->report->elapsed_ns - in->limit_ns) /
                 (double)NS_PER_S,
               why[hold]);
}

/* Starving clients have few events, which percentiles do not show. */
static void warnings_look_at_shares(struct warnings *d,
                                    const struct warning_input *in)
{
  const struct report *r = in->report;
  const double spread = r->events_mean > 0 ? r->events_stddev / r->events_mean
                                           : 0;
  const unsigned carriers = warnings_cpu_threads_of(in);
  const char *advice = carriers < in->threads && carriers < in->client->cpus
                         ? "use more --threads, or compare with --threads in "
                           "place of --clients"
                         : "use a longer --time";

  if (!in->clients || in->rate > 0 || in->profile || in->members ||
      in->setup->n_members > 0 || r->n_storms > 0)
    return;
  if (spread > SPREAD + 1 / sqrt(fmax(1, r->events_mean)))
    warnings_add(d, true, "unfair",
                 "clients got unequal shares of the server (events per client "
                 "vary by %.0f%% of their mean), so percentiles are those of a "
                 "few clients; the longest wait was %.2f s; %s",
                 100 * spread, (double)r->max_ns / 1e9, advice);
  else if (r->elapsed_ns >= NS_PER_S && r->events > FEW_WAITS * in->threads &&
           (double)r->max_ns > WHOLE_RUN * (double)r->elapsed_ns)
    warnings_add(
      d, true, "unfair",
      "an event took %.2f s, as long as the run, so a client was not "
      "served, and no percentile shows that; %s",
      (double)r->max_ns / 1e9, advice);
}

static void warnings_look_at_trend(struct warnings *d,
                                   const struct warning_input *in)
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

/* A cold cache, or a fast time that does not last. */
static void warnings_look_at_begin(struct warnings *d,
                                   const struct warning_input *in)
{
  double change;

  if (in->profile || in->warms_up || trend_find(in->trend, &change) ||
      !trend_begins_apart(in->trend, &change))
    return;
  warnings_add(
    d, true, "no_warmup",
    "throughput was %s at the beginning, so that of the whole run is "
    "%.0f%% %s than that of its second half; use --warmup-time",
    change < 0 ? "lower" : "higher", 100 * fabs(change),
    change < 0 ? "lower" : "higher");
}

/* Wrong even if the process was stopped. */
static void warnings_look_at_load(struct warnings *d,
                                  const struct warning_input *in)
{
  warnings_look_at_backlog(d, in);
  warnings_look_at_shares(d, in);
  warnings_look_at_trend(d, in);
  warnings_look_at_begin(d, in);
}

static void warnings_look_at_pause(struct warnings *d,
                                   const struct warning_input *in)
{
  warnings_add(
    d, true, "paused",
    "bench was suspended for %.1f s during the run (Ctrl-Z, or a paused "
    "container or VM); the results include that time, so repeat the run",
    (double)in->client->paused_ns / 1e9);
}

/* A quota also stops the process, and has its own warning.  Other threads can
 * run meanwhile. */
static bool warnings_stood_still(const struct client_use *c)
{
  return c->paused_ns / 2 > (c->quota > 0 ? c->machine.throttled_ns : 0);
}

void warnings_find(struct warnings *ret, const struct warning_input *in)
{
  const bool paused = warnings_stood_still(in->client);

  ret->n = 0;
  if (paused)
    warnings_look_at_pause(ret, in);
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
    warnings_look_at_load(ret, in);
  warnings_look_at_end(ret, in);
}
