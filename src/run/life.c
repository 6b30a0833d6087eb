#include "run/life.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/machine/cgroup.h"
#include "base/minmax.h"
#include "loop/loop.h"
#include "report/form.h"
#include "report/reporter.h"
#include "report/warnings.h"
#include "run/arrivals.h"
#include "run/delay.h"
#include "run/members.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/slo_stop.h"
#include "run/test.h"
#include "stats/hist.h"
#include "stats/hist_sum.h"

static uint64_t life_time_ns(const struct timeval *tv)
{
  return (uint64_t)tv->tv_sec * NS_PER_S + (uint64_t)tv->tv_usec * NS_PER_US;
}

static uint64_t life_wall_ns(void)
{
  return clock_read_ns(CLOCK_REALTIME);
}

/* Since the process began. */
static void life_read_usage(struct client_use *u)
{
  struct rusage now;

  memset(u, 0, sizeof(*u));
  if (getrusage(RUSAGE_SELF, &now) < 0)
    return;
  u->user_ns = life_time_ns(&now.ru_utime);
  u->system_ns = life_time_ns(&now.ru_stime);
  u->voluntary = (uint64_t)now.ru_nvcsw;
  u->involuntary = (uint64_t)now.ru_nivcsw;
  u->max_rss_bytes = (uint64_t)now.ru_maxrss * 1024;
}

static void life_tell_failure(struct run *run, const struct err *err)
{
  log_msg(LOG_ALERT, "%s", err->text);
  atomic_store(&run->report_lost, 1);
}

/* ---- loops ---- */

enum {
  HELD_AT_WORK = 10, /* computing code gets this part of a busy CPU */
};

static struct loop_mark life_mark_of(const struct loop *l)
{
  const struct loop_counts *n = loop_counts(l);

  return (struct loop_mark){
    .turns = atomic_load_explicit(&n->turns, memory_order_relaxed),
    .answers = atomic_load_explicit(&n->arrived, memory_order_relaxed),
    .blocked = atomic_load_explicit(&n->blocked, memory_order_relaxed),
  };
}

static void loops_measure_from(struct run *run)
{
  for (unsigned i = 0; i < run->plan->carriers; i++) {
    const struct loop *l = atomic_load(&run->carriers[i].loop);

    if (l)
      run->carriers[i].base = life_mark_of(l);
  }
}

static enum client_hold life_hold_of(const struct loop *l, uint64_t end_ns)
{
  const struct loop_counts *n = loop_counts(l);
  const uint64_t now = clock_now_ns();
  const uint64_t looked = atomic_load_explicit(&n->looked_ns,
                                               memory_order_relaxed);
  const uint64_t held = atomic_load_explicit(&n->held_ns, memory_order_relaxed);

  if (looked != 0 && looked + LOOP_HELD_NS < now &&
      atomic_load_explicit(&n->alive, memory_order_relaxed) > 0)
    return HOLD_STILL;
  if (atomic_load_explicit(&n->held_until_ns, memory_order_relaxed) <= end_ns)
    return HOLD_NONE;
  return atomic_load_explicit(&n->held_cpu_ns, memory_order_relaxed) >
             held / HELD_AT_WORK
           ? HOLD_COMPUTES
           : HOLD_BLOCKS;
}

static void life_add_loop(struct client_loops *to, const struct carrier *c,
                          struct hist_sum *lag)
{
  const struct loop *l = atomic_load(&c->loop);
  struct loop_mark now;

  if (!l)
    return;
  now = life_mark_of(l);
  to->engine = loop_engine_name(l);
  to->turns += now.turns - c->base.turns;
  to->answers += now.answers - c->base.answers;
  to->blocked += now.blocked - c->base.blocked;
  if (to->hold == HOLD_NONE && c->run->end_ns != PLAN_NO_LIMIT)
    to->hold = life_hold_of(l, c->run->end_ns);
  if (lag)
    hist_sum_add(lag, c->lag);
}

static void loops_measured(const struct run *run, struct client_loops *ret)
{
  struct hist_sum *lag;

  *ret = (struct client_loops){ .threads = run->plan->carriers };
  if (ret->threads == 0)
    return;
  lag = hist_sum_new();
  for (unsigned i = 0; i < ret->threads; i++)
    life_add_loop(ret, &run->carriers[i], lag);
  if (lag && lag->total > 0) {
    ret->lag_count = lag->total;
    ret->lag_p50_ns = hist_percentile(lag, 50);
    ret->lag_p99_ns = hist_percentile(lag, 99);
    ret->lag_max_ns = hist_percentile(lag, 100);
  }
  hist_sum_free(lag);
}

void life_prepare_measured(struct run *run)
{
  machine_read("", &run->life.machine_before);
}

void life_prepare(struct run *run)
{
  processes_read(&run->life.processes, "");
  life_prepare_measured(run);
}

static struct slice_moment life_moment(const struct run *run, uint64_t now_ns)
{
  const struct run_totals c = run_totals(run);

  return (struct slice_moment){ now_ns, c.events, c.sum_ns, c.queries };
}

void life_note_slice(struct run *run, uint64_t now_ns)
{
  const struct slice_moment now = life_moment(run, now_ns);

  if (run_is_open(run, now_ns))
    slices_note(&run->life.slices, &now);
}

void life_measure_from(struct run *run, uint64_t now_ns)
{
  struct life *e = &run->life;

  e->measured_ns = now_ns;
  life_read_usage(&e->base);
  loops_measure_from(run);
  arrivals_measure(run, now_ns < run->measured_ns ? now_ns : run->measured_ns);
  run->arrived = run->arrived_cumulative = 0;
  trend_start(&e->trend, now_ns, recorders_events(&run->recorders));
  if (run->plan->kept && !run->plan->peers) {
    const struct slice_moment now = life_moment(run, now_ns);

    slices_start(&e->slices, &now);
  }
}

void life_start(struct run *run)
{
  struct run_start start = {
    .start_ns = run->start_ns,
    .measured_ns = run->measured_ns,
    .interval_ns = run->plan->interval_ns > 0 ? run->plan->interval_ns
                                              : run->plan->sample_ns,
    .seed = run->plan->seed,
    .threads = plan_clients(run->plan),
    .clients = run->plan->clients,
    .carriers = run->plan->carriers,
    .idle = run->plan->idle,
    .recorders = &run->recorders,
    .classes = run->classes,
    .members = run->members,
    .arrivals = arrivals_any(run) ? &run->arrivals : NULL,
    .outages = run->outages.limit_ns > 0 ? &run->outages : NULL,
  };
  struct err err = { "" };

  start.wall_ns = life_wall_ns() - (clock_now_ns() - run->start_ns);
  life_measure_from(run, run->start_ns);
  if (reporters_start(run->reporters, run->n_reporters, &start, &err) < 0)
    life_tell_failure(run, &err);
}

void life_fail(struct run *run, const struct err *why)
{
  struct life *e = &run->life;

  if (why->text[0] == '\0')
    return;
  if (!why->said)
    log_msg(LOG_FATAL, "%s", why->text);
  if (atomic_flag_test_and_set(&e->taken))
    return;
  e->error = *why;
  atomic_store_explicit(&e->kept, true, memory_order_release);
}

const char *life_error(const struct run *run)
{
  const struct life *e = &run->life;

  return atomic_load_explicit(&e->kept, memory_order_acquire) ? e->error.text
                                                              : NULL;
}

unsigned life_worker_left(struct run *run)
{
  struct life *e = &run->life;
  const unsigned left = atomic_fetch_add(&e->left, 1) + 1;

  if (left == run->plan->threads) {
    life_read_usage(&e->last);
    machine_read("", &e->machine_after);
  }
  return left;
}

void life_force(struct run *run)
{
  life_read_usage(&run->life.client);
  machine_read("", &run->life.machine_forced);
}

static void life_sum_queues(const struct run *run, struct client_use *ret)
{
  for (unsigned i = 0; i < plan_clients(run->plan); i++) {
    const uint64_t ns = atomic_load(&run->workers[i].queue_ns);

    if (ns == UINT64_MAX)
      continue;
    ret->queue_known = true;
    ret->queue_ns += ns;
  }
}

/* The system counts in steps of up to 10 ms. */
#define USE_MIN_NS (100 * NS_PER_MS)

/* `lasted`: at least USE_MIN_NS. */
static void find_machine_use(struct run *run, bool forced, bool lasted,
                             struct machine_use *ret)
{
  const struct test_ops *ops = run->test->ops;
  struct life *e = &run->life;
  struct tested_server server = { .here = false };
  struct processes now;

  if (ops->server)
    server.here = ops->server(run->test_run, &server.pid, &server.driver);

  machine_between(&e->machine_before,
                  forced ? &e->machine_forced : &e->machine_after, ret);
  if (!lasted)
    return;
  processes_read(&now, "");
  processes_between(&e->processes, &now, &server, program_invocation_short_name,
                    ret);
  processes_done(&now);
}

void life_measured(struct run *run, uint64_t end_ns, bool forced)
{
  struct life *e = &run->life;
  struct client_use *u = &e->client;

  if (!forced)
    *u = e->last;
  /* In a run that ends in its warm-up, `base` can be later. */
  u->wall_ns = grown_u64(end_ns, e->measured_ns);
  u->user_ns = grown_u64(u->user_ns, e->base.user_ns);
  u->system_ns = grown_u64(u->system_ns, e->base.system_ns);
  u->voluntary = grown_u64(u->voluntary, e->base.voluntary);
  u->involuntary = grown_u64(u->involuntary, e->base.involuntary);
  u->cpus = cgroup_cpus_allowed();
  u->quota = cgroup_read("").cpus;
  life_sum_queues(run, u);
  delay_measured(run, &u->delays);
  loops_measured(run, &u->loops);
  u->paused_ns = atomic_load(&run->paused_ns);
  find_machine_use(run, forced, u->wall_ns >= USE_MIN_NS, &u->machine);
}

/* Due, but not taken. */
static void life_backlog_at(struct run *run, uint64_t end_ns,
                            uint64_t *ret_arrivals, uint64_t *ret_backlog)
{
  *ret_arrivals = *ret_backlog = 0;
  if (!arrivals_any(run))
    return;
  *ret_backlog = arrivals_waiting(run, end_ns);
  *ret_arrivals = arrivals_count(run);
}

/* In which events became due. */
static uint64_t life_offered_until(const struct run *run, uint64_t end_ns)
{
  return grown_u64(min_u64(end_ns, arrivals_end(run)), run->life.measured_ns);
}

void life_doubt(struct run *run, const struct report *total, uint64_t end_ns)
{
  struct life *e = &run->life;
  struct warning_input in = {
    .measures_others = !total->form->measures_itself,
    .in_process = run->test->ops->in_process &&
                  run->test->ops->in_process(run->test_run),
    .threads = plan_clients(run->plan),
    .clients = run->plan->clients,
    .may_carry = run->plan->may_carry,
    .rate = run->plan->cfg.rate,
    .profile = run->plan->curve != NULL,
    .members = run_members_rated(run->test->members),
    .clock_cost_ns = clock_cost_ns(),
    .limit_ns = run->plan->time_ns,
    .client = &e->client,
    .setup = &run->report_setup,
    .report = total,
    .warms_up = run->plan->warmup_ns > 0,
    .winds_up = run->test->ops->finish != NULL,
    .is_part = run->plan->parts > 1,
    .trend = &e->trend,
  };

  life_backlog_at(run, end_ns, &in.arrivals, &in.backlog);
  warnings_find(&e->warnings, &in);
  if (run->test->ops->warnings)
    run->test->ops->warnings(run->test_run, total, &e->warnings);
  for (size_t i = 0; i < e->warnings.n; i++) {
    if (e->warnings.of[i].shown)
      log_advise("%s", e->warnings.of[i].text);
  }
}

/* After all workers. */
static bool life_have_all_begun(const struct run *run)
{
  for (unsigned i = 0; i < run->plan->threads; i++) {
    if (run->workers[i].tickets + run->workers[i].kept > 0)
      return false;
  }
  return atomic_load(&run->tickets) == 0;
}

/* If all events have begun, requests in flight or a final fsync can outlast
 * the limit. */
static enum end_reason limit_of(const struct run *run, uint64_t end_ns)
{
  const bool in_time = atomic_load(&run->timed_out) == 0 &&
                       end_ns < run->end_ns;

  return run->test->no_deadline || in_time || life_have_all_begun(run)
           ? END_EVENTS
           : END_TIME;
}

static enum end_reason life_reason_of(struct run *run, bool started,
                                      bool forced, uint64_t end_ns)
{
  if (run_signal(run) != 0)
    return END_SIGNAL;
  if (atomic_load(&run->failed) > 0 || run_stopped(run) == STOP_PEER)
    return END_ERROR;
  if (!started)
    return END_NOT_STARTED;
  if (run_stopped(run) == STOP_OVERLOAD)
    return END_OVERLOAD;
  if (forced || run_stopped(run) == STOP_FORCED)
    return END_FORCED;
  if (run_stopped(run) == STOP_DECIDED)
    return END_DECIDED;
  return limit_of(run, end_ns);
}

void life_over(struct run *run, bool started, bool forced, int status,
               uint64_t end_ns)
{
  struct life *e = &run->life;
  struct err err = { "" };
  struct run_end end = {
    .reason = life_reason_of(run, started, forced, end_ns),
    .signal = run_signal(run),
    .status = status,
    .started = started,
    .measured_ns = e->measured_ns,
    .end_ns = end_ns,
    .settled = e->settled,
    .warnings = &e->warnings,
  };

  end.error = life_error(run);
  if (started && run->slo_stop)
    end.decision = slo_stop_result(run->slo_stop);
  if (started)
    end.client = e->client;
  if (started && e->slices.n > 0)
    end.slices = &e->slices;
  if (started) {
    life_backlog_at(run, end_ns, &end.arrivals, &end.backlog);
    end.member_arrivals = arrivals_of_members(run);
    end.offered_ns = life_offered_until(run, end_ns);
  }
  if (started && (run->plan->kept || run->plan->peers) &&
      run->test->ops->details) {
    run->test->ops->details(run->test_run, &e->details);
    end.details = &e->details;
  }
  if (reporters_over(run->reporters, run->n_reporters, &end, &err) < 0)
    life_tell_failure(run, &err);
  /* With the facts of all ranks. */
  if (end.details && run->plan->peers && run->plan->part == 0 &&
      run->test->ops->take_whole)
    run->test->ops->take_whole(run->test_run, end.details);
}

void life_done(struct run *run)
{
  facts_done(&run->life.details.database);
  facts_done(&run->life.details.test);
  free(run->life.details.error);
  processes_done(&run->life.processes);
}
