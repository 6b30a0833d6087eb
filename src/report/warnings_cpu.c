/*
 * warnings_cpu.c - warnings about CPUs: which programs used them, and what kept
 * the run from them.
 *
 * Known: how long threads of the run waited for a CPU (exact, from the
 * scheduler), and which programs used CPUs (whole machine, ticks of 10 ms).
 * Other programs cost the run no more than its threads waited and no more than
 * they used, so neither a wrong tick alone nor threads of the run that wait for
 * each other cause a warning.
 */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "report/form.h"
#include "report/warnings.h"
#include "report/warnings_list.h"
#include "stats/report.h"

/* Share of a client that was itself what was measured. */
#define BUSY 0.9
/* Share of p99 or of the mean latency added by the client's machine; for few
 * events, plus this divided by their number (20 events: p99 doubled). */
#define ADDED 0.1
#define FEW_ADD 20
/* Inside of events for this share of time: no pauses. */
#define ALL_TIME 0.9
/* Threads that compute for this share keep clients waiting. */
#define BUSY_LOOPS 0.5
/* Lost CPU time; an idle desktop takes 1 or 2 %. */
#define LOST 0.05
/* Ten ticks; fewer may be rounding. */
#define LOST_MIN_NS (100 * NS_PER_MS)
/* Shorter runs: ticks mean nothing. */
#define RUN_MIN_NS (200 * NS_PER_MS)
/* Of all CPUs: named as a cause. */
#define CAUSE 0.1
/* What is left of the clock in the last quarter of a run; samples differ by
 * some percent. */
#define FADED 0.93
/* Tolerance of guaranteed clocks. */
#define SLOWED 0.9
/* Idle CPUs may be slow. */
#define USED_FOR_SPEED 0.5

/* In CPUs: seconds per second. */
struct cpu_shares {
  double own, others, server, strangers, steal, throttled;
  double waiting; /* of threads, on average */
  double lost;    /* part of `waiting` by other programs */
};

static struct cpu_shares shares_of(const struct warning_input *in)
{
  const struct client_use *c = in->client;
  const struct machine_use *m = &c->machine;
  const double wall = (double)c->wall_ns;
  struct cpu_shares s = {
    .own = (double)(c->user_ns + c->system_ns) / wall,
    .steal = m->known ? (double)m->steal_ns / wall : 0,
    .throttled = (double)m->throttled_ns / wall,
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

static bool counts(const struct warning_input *in, double lost, double got)
{
  return lost * (double)in->client->wall_ns >= (double)LOST_MIN_NS &&
         lost / (got + lost) >= LOST;
}

/* `share` of the CPUs was missing; 0: unknown. */
static const char *effect(const struct warning_input *in, double share,
                          char text[64])
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

/* Do they matter? */
static bool look_at_others(struct warnings *d, const struct warning_input *in,
                           const struct cpu_shares *s)
{
  const struct machine_use *m = &in->client->machine;
  char text[64];

  if (!counts(in, s->lost, s->own))
    return false;
  warnings_add(
    d, true, "other_programs",
    "other programs used %.1f of the %.4g CPUs during the run, so %s; "
    "stop them and repeat the run%s%s%s",
    s->others, in->client->cpus, effect(in, s->lost / (s->own + s->lost), text),
    m->busiest[0] ? " (the busiest was " : "", m->busiest,
    m->busiest[0] ? ")" : "");
  return true;
}

static void look_at_steal(struct warnings *d, const struct warning_input *in,
                          const struct cpu_shares *s)
{
  char text[64];

  if (!counts(in, s->steal, s->own + s->others))
    return;
  warnings_add(
    d, true, "steal",
    "the hypervisor took %.2g of the %.4g CPUs during the run (steal), "
    "so %s; use a virtual machine with CPUs of its own",
    s->steal, in->client->cpus,
    effect(in, s->steal / (s->own + s->others + s->steal), text));
}

/* Used up, and less than the run needed? */
static bool quota_counts(const struct warning_input *in,
                         const struct cpu_shares *s)
{
  const struct client_use *c = in->client;
  const double wanted = fmin(in->threads, c->cpus);

  if (c->quota <= 0)
    return false;
  if (!in->measures_others && c->quota >= wanted)
    return false;
  return s->own > BUSY * c->quota || counts(in, s->throttled, s->own);
}

static void look_at_quota(struct warnings *d, const struct warning_input *in)
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

/* Always busy: measures itself. */
static void look_at_client(struct warnings *d, const struct warning_input *in,
                           const struct cpu_shares *s)
{
  const double cpus = in->client->cpus;

  if (!in->measures_others || in->in_process || cpus <= 0 ||
      s->own <= BUSY * cpus)
    return;
  warnings_add(d, true, "client_cpu",
               "bench used %.0f%% of the %.4g CPUs that it may run on, so the "
               "client may be what was measured; use more CPUs, or several "
               "client machines",
               100.0 * s->own / cpus, cpus);
}

static unsigned threads_of(const struct warning_input *in)
{
  const unsigned carriers = in->client->loops.threads;

  return carriers > 0 ? carriers : in->threads;
}

/* "of 2 CPUs, bench used 0.8, mariadbd 1.1, other programs 0.1" */
static const char *users(const struct warning_input *in,
                         const struct cpu_shares *s, char text[128])
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

/* Cause, code, advice. */
struct culprit {
  const char *code;
  char why[96], remedy[96];
};

/* Of threads that carry clients. */
static bool are_loops_busy(const struct warning_input *in,
                           const struct cpu_shares *s)
{
  const unsigned carriers = in->client->loops.threads;

  return carriers > 0 && s->own >= BUSY_LOOPS * carriers;
}

static void find_culprit(const struct warning_input *in,
                         const struct cpu_shares *s, struct culprit *ret)
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
  } else if (are_loops_busy(in, s)) {
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
  } else if (threads_of(in) > c->cpus) {
    (void)snprintf(ret->why, sizeof(ret->why),
                   ", because %u threads share them", threads_of(in));
    (void)snprintf(ret->remedy, sizeof(ret->remedy),
                   "use no more than %.0f thread%s, or more CPUs", c->cpus,
                   c->cpus == 1 ? "" : "s");
  } else {
    (void)snprintf(ret->remedy, sizeof(ret->remedy),
                   "repeat the run on an idle machine");
  }
}

/* As a share of the mean latency. */
static double raised_mean(const struct warning_input *in)
{
  const struct client_use *c = in->client;
  const struct client_delays *a = &c->delays;
  const double sum = (double)in->report->sum_ns, queue = (double)c->queue_ns;
  const double whole = (double)c->wall_ns * in->threads;

  /* Threads always inside of events waited only there: exact, even with few
   * long delays. */
  if (c->queue_known && c->loops.threads == 0 && sum > ALL_TIME * whole &&
      sum > queue)
    return queue / (sum - queue);
  return a->took_ns > a->added_ns
           ? (double)a->added_ns / (double)(a->took_ns - a->added_ns)
           : 0;
}

/* As a share of the latency of measured events; of few, which may be unusual,
 * only a large share counts. */
static void look_at_delays(struct warnings *d, const struct warning_input *in,
                           const struct cpu_shares *s)
{
  const struct client_delays *a = &in->client->delays;
  const double least = a->events > 0 ? ADDED + FEW_ADD / (double)a->events : 0;
  const double raised = raised_mean(in);
  const uint64_t p99_ns = in->report->hist
                            ? report_percentile(in->report, 99)
                            : a->p99_ns; /* of all events, if kept */
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
  find_culprit(in, s, &by);
  warnings_add(d, true, by.code,
               "waiting for a CPU of this machine %s %s%s (%s); %s",
               in->client->loops.threads > 0 ? "may have raised" : "raised",
               what, by.why, users(in, s, who), by.remedy);
}

static void look_at_speed(struct warnings *d, const struct warning_input *in,
                          const struct cpu_shares *s)
{
  const struct machine_use *m = &in->client->machine;
  char text[64];

  if (m->heat > 0)
    warnings_add(d, true, "frequency",
                 "heat slowed the CPUs down %llu time%s during the run, so %s; "
                 "repeat it on a machine with better cooling",
                 (unsigned long long)m->heat, fmt_plural(m->heat),
                 effect(in, 0, text));
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

void warnings_of_cpu(struct warnings *d, const struct warning_input *in)
{
  struct cpu_shares s;

  if (in->client->wall_ns < RUN_MIN_NS)
    return;
  s = shares_of(in);
  /* A quota makes threads wait: no other reason. */
  if (quota_counts(in, &s)) {
    look_at_quota(d, in);
  } else {
    look_at_client(d, in, &s);
    if (in->measures_others || !look_at_others(d, in, &s))
      look_at_delays(d, in, &s);
  }
  look_at_steal(d, in, &s);
  look_at_speed(d, in, &s);
}
