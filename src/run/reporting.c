#include "run/reporting.h"

#include <sched.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "base/wait.h"
#include "loop/loop.h"
#include "report/form.h"
#include "report/reporter.h"
#include "run/arrivals.h"
#include "run/life.h"
#include "run/members.h"
#include "run/periods.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/slo_stop.h"
#include "run/stall.h"
#include "run/test.h"

enum {
  WAITING_MAX = 131072, /* arrivals, with --rate-overload=abort */
};

#define LOOK_AT_QUEUE_NS (100 * NS_PER_MS)
/* To end by itself after a signal. */
#define SIGNAL_PATIENCE_NS NS_PER_S
/* To notice that it is the last. */
#define STEP_PATIENCE_NS (100 * NS_PER_MS)
#define TICK_NS (200 * NS_PER_MS)
/* If later, the thread or its machine was stopped. */
#define PAUSE_NS (500 * NS_PER_MS)
#define NEVER UINT64_MAX

/* NEVER: no more. */
struct agenda {
  uint64_t warm_ns;
  uint64_t interval_ns;
  uint64_t checkpoint_ns; /* next checkpoint */
  uint64_t queue_ns;      /* look at the backlog */
  uint64_t clock_ns;      /* correct the clock */
  uint64_t slo_stop_ns;
  uint64_t slice_ns;
  unsigned checkpoint; /* index */
  uint64_t queued_ns;  /* on the run queue, at the last sleep */
};

static const struct report_form *form_of(const struct run *run)
{
  if (run->test->ops->form)
    return run->test->ops->form(run->test_run);
  return run->test->form ? run->test->form : &form_events;
}

/* --db-debug. */
static void reporting_take_statement_times(const struct run *run,
                                           struct report *r)
{
  if (run->plan->report.statement_times && run->test->ops->statement_times)
    run->test->ops->statement_times(run->test_run, r);
}

void reporting_restart(const struct run *run, uint64_t now_ns)
{
  struct report of_before = { 0 };

  periods_restart(run->periods, now_ns);
  reporting_take_statement_times(run, &of_before);
}

/* After a stop, workers begin no later arrivals: the report thread must not
 * pass the moment at which they left. */
static uint64_t arrivals_until(const struct run *run, const struct report *r,
                               uint64_t now_ns)
{
  const bool last = r->partial || r->kind == REPORT_FINAL ||
                    r->kind == REPORT_FORCED;

  return last || run_stopped(run) == STOP_NO ? now_ns : run->start_ns;
}

/* The measured start; for the last report the cut of the warm-up. */
static uint64_t reporting_measured_since(const struct run *run,
                                         enum report_kind kind)
{
  const bool last = kind == REPORT_FINAL || kind == REPORT_FORCED;

  return last ? run->life.measured_ns : run->lines_ns;
}

static uint64_t reporting_new_arrivals(struct run *run, enum report_kind kind)
{
  uint64_t *before = kind == REPORT_INTERVAL ? &run->arrived
                                             : &run->arrived_cumulative;
  const uint64_t now = arrivals_count(run);
  const uint64_t since = now - *before;

  *before = now;
  return since;
}

/* Since the last interval. */
static uint64_t reporting_new_stalls(struct run *run, uint64_t now_ns)
{
  const uint64_t before = run->stalled_ns;

  run->stalled_ns = max_u64(before, stall_sum_ns(run, now_ns));
  return run->stalled_ns - before;
}

void reporting_fill(struct run *run, struct report *r, enum report_kind kind,
                    uint64_t now_ns)
{
  const uint64_t since_ns = reporting_measured_since(run, kind);

  r->kind = kind;
  r->form = form_of(run);
  r->elapsed_ns = now_ns > since_ns ? now_ns - since_ns : 0;
  r->threads = plan_clients(run->plan);
  if (arrivals_any(run)) {
    r->queue_length = arrivals_waiting(run, arrivals_until(run, r, now_ns));
    r->concurrency = run_count_phase(run, WORKER_EVENT);
    r->arrivals = reporting_new_arrivals(run, kind);
    r->tail_ns = grown_u64(now_ns, arrivals_end(run));
  }
  r->has_stalled = kind == REPORT_INTERVAL;
  if (r->has_stalled)
    r->stalled_ns = reporting_new_stalls(run, now_ns);
  else
    reporting_take_statement_times(run, r);
}

void reporting_send(struct run *run, const struct report *r)
{
  struct err err = { "" };

  if (reporters_report(run->reporters, run->n_reporters, &run->report_setup, r,
                       &err) < 0) {
    log_msg(LOG_ALERT, "%s", err.text);
    atomic_store(&run->report_lost, 1);
  }
}

static uint64_t reporting_tick_ns(const struct plan *plan)
{
  return plan->interval_ns > 0 ? plan->interval_ns : plan->sample_ns;
}

/* The planned moment, if the line is only a little late. */
static uint64_t reporting_label_ns(const struct run *run, uint64_t due,
                                   uint64_t now)
{
  uint64_t little = reporting_tick_ns(run->plan) / 2;

  if (little > NS_PER_S / 2)
    little = NS_PER_S / 2;
  return (now - due < little ? due : now) - run->lines_ns;
}

/* False, here and below: left behind; see base/leave.h. */
static bool reporting_do_interval(struct run *run, struct agenda *a,
                                  uint64_t now)
{
  const struct plan *plan = run->plan;
  struct report r = { .leave = run->leave };

  periods_interval(run->periods, &run->report_setup, now, &r);
  reporting_fill(run, &r, REPORT_INTERVAL, now);
  r.elapsed_ns = reporting_label_ns(run, a->interval_ns, now);
  r.unprinted = plan->interval_ns == 0;
  r.threads_running = run_count_running(run, a->interval_ns);
  reporting_send(run, &r);
  while (a->interval_ns <= now)
    a->interval_ns += reporting_tick_ns(plan);
  return leave_step(run->leave);
}

void reporting_partial(struct run *run, uint64_t now_ns)
{
  struct report r = { 0 };

  r.unprinted = r.partial = true;
  reporting_fill(run, &r, REPORT_INTERVAL, now_ns);
  r.threads_running = run_count_running(run, now_ns);
  periods_interval(run->periods, &run->report_setup, now_ns, &r);
  if (r.period_ns > 0 || r.events > 0)
    reporting_send(run, &r);
}

/* NEVER: the final report comes. */
static uint64_t reporting_checkpoint_due(const struct run *run, unsigned index)
{
  const struct plan *plan = run->plan;
  uint64_t due;

  if (index >= plan->n_checkpoints)
    return NEVER;
  due = run->lines_ns + plan->checkpoint_ns[index];
  return due < run->end_ns ? due : NEVER;
}

static bool reporting_do_checkpoint(struct run *run, struct agenda *a,
                                    uint64_t now)
{
  struct report r = { .leave = run->leave };

  periods_cumulative(run->periods, &run->report_setup, now, &r);
  reporting_fill(run, &r, REPORT_CHECKPOINT, now);
  r.threads_running = run_count_running(run, now);
  reporting_send(run, &r);
  while (a->checkpoint_ns <= now)
    a->checkpoint_ns = reporting_checkpoint_due(run, ++a->checkpoint);
  return leave_step(run->leave);
}

static void reporting_end_decided(struct run *run, uint64_t now)
{
  if (atomic_load(&run->decided_ns) == UINT64_MAX)
    atomic_store(&run->decided_ns, now);
  if (run_stop(run, STOP_DECIDED))
    run_news(run);
}

/* So that no report has to catch up. */
static void look_at_queue(struct run *run, uint64_t now)
{
  char rate[FMT_DOUBLE_SIZE];
  uint64_t waiting;

  if (run_stopped(run) != STOP_NO) /* see arrivals_until() */
    return;
  waiting = arrivals_waiting(run, now);
  atomic_store_explicit(&run->arrivals, arrivals_count(run),
                        memory_order_relaxed); /* for show */
  if (run->plan->cfg.rate_overload != RATE_OVERLOAD_ABORT ||
      now < run->measured_ns || !run_is_open(run, now) ||
      waiting < WAITING_MAX || !run_stop(run, STOP_OVERLOAD))
    return;
  log_msg(LOG_FATAL,
          "The event queue is full: %d events are waiting, the worker %ss "
          "cannot keep up with %s%s",
          WAITING_MAX, plan_worker_word(run->plan),
          run_members_rated(run->test->members) ? "the rates of the mix"
          : run->plan->curve                    ? "--load-profile"
                                                : "--rate=",
          run_members_rated(run->test->members) || run->plan->curve
            ? ""
            : fmt_shortest(rate, run->plan->cfg.rate));
  run_news(run);
}

/* 0: not known. */
static uint64_t reporting_queued_ns(void)
{
  uint64_t ns;

  return thread_queue_ns(&ns) ? ns : 0;
}

static void agenda_measure(struct agenda *a, const struct run *run)
{
  const uint64_t tick = reporting_tick_ns(run->plan);

  a->interval_ns = tick > 0 ? run->lines_ns + tick : NEVER;
  a->checkpoint = 0;
  a->checkpoint_ns = reporting_checkpoint_due(run, 0);
}

static void agenda_init(struct agenda *a, const struct run *run)
{
  const struct plan *plan = run->plan;

  a->warm_ns = plan->warmup_ns > 0 ? run->measured_ns : NEVER;
  agenda_measure(a, run);
  a->queued_ns = reporting_queued_ns();
  a->queue_ns = arrivals_any(run) ? run->start_ns : NEVER;
  a->clock_ns = run->start_ns + NS_PER_S / 4;
  a->slo_stop_ns = NEVER;
  a->slice_ns = slices_due(&run->life.slices);
  if (run->slo_stop) {
    a->slo_stop_ns = run->start_ns + slo_stop_interval_ns(run->slo_stop);
    if (plan->warmup_ns == 0)
      slo_stop_measure_from(run->slo_stop, run->start_ns);
  }
}

/* Arrivals, storms and other ranks keep to the plan. */
static void reporting_move_measured(struct run *run, uint64_t now_ns)
{
  const uint64_t late_ns = grown_u64(now_ns, run->measured_ns);

  if (arrivals_any(run) || run->storms || run->plan->parts > 1)
    return;
  run->lines_ns = now_ns;
  if (run->end_ns != PLAN_NO_LIMIT)
    run->end_ns += late_ns;
}

/* Events of the warm-up do not count: see step_end_cold_event(). */
static void reporting_cut_warmup(struct run *run, struct agenda *a)
{
  uint64_t now;

  if (arrivals_any(run)) /* not while workers are held */
    (void)arrivals_waiting(run, run->measured_ns);
  life_prepare_measured(run);
  /* Sequentially consistent, like the store to `recording`. */
  atomic_store(&run->warm, WARM_ENDING);
  for (unsigned i = 0; i < run->plan->threads; i++) {
    while (atomic_load(&run->workers[i].recording) != 0)
      (void)sched_yield();
  }
  now = clock_now_ns();
  reporting_move_measured(run, now);
  agenda_measure(a, run);
  reporting_restart(run, now);
  life_measure_from(run, now);
  if (run->slo_stop)
    slo_stop_measure_from(run->slo_stop, now);
  atomic_store(&run->warm, WARM_DONE);
  loop_wake_all(&run->warm);
}

static void reporting_note_events(struct run *run, uint64_t now)
{
  const uint64_t events = recorders_events(&run->recorders);
  const bool rated = arrivals_any(run);

  trend_note(&run->life.trend, now, events);
  if (run->outages.limit_ns > 0 && now >= run->measured_ns)
    brownouts_note(&run->brownouts, now, events, stall_sum_ns(run, now), rated,
                   rated ? arrivals_waiting(run, now) : 0);
}

/* A hook or a late rank can delay a report. */
static bool agenda_do(struct run *run, struct agenda *a, uint64_t now)
{
  if (!leave_step(run->leave))
    return false;
  if (now >= a->warm_ns) {
    reporting_cut_warmup(run, a);
    a->warm_ns = NEVER;
    a->slice_ns = slices_due(&run->life.slices);
  }
  if (now >= a->interval_ns && !reporting_do_interval(run, a, now))
    return false;
  if (now >= a->checkpoint_ns &&
      !reporting_do_checkpoint(run, a, clock_now_ns()))
    return false;
  now = clock_now_ns();
  if (now >= a->queue_ns) {
    look_at_queue(run, now);
    a->queue_ns = now + LOOK_AT_QUEUE_NS;
  }
  if (now >= a->slo_stop_ns) {
    if (slo_stop_look(run->slo_stop, now))
      reporting_end_decided(run, now);
    a->slo_stop_ns += slo_stop_interval_ns(run->slo_stop);
    if (a->slo_stop_ns <= now) /* a missed look is none */
      a->slo_stop_ns = now + slo_stop_interval_ns(run->slo_stop);
  }
  if (now >= a->slice_ns) {
    life_note_slice(run, now);
    a->slice_ns = run_is_open(run, now) ? slices_due(&run->life.slices) : NEVER;
  }
  if (now >= a->clock_ns) {
    clock_discipline();
    if (run_is_open(run, now))
      reporting_note_events(run, now);
    a->clock_ns = now + NS_PER_S;
  }
  return true;
}

static uint64_t agenda_next(const struct agenda *a)
{
  uint64_t next = min_u64(a->warm_ns, a->interval_ns);

  next = min_u64(next, a->checkpoint_ns);
  next = min_u64(next, a->queue_ns);
  next = min_u64(next, a->slo_stop_ns);
  next = min_u64(next, a->slice_ns);
  return min_u64(next, a->clock_ns);
}

/* False: the run does not take place. */
static bool reporting_gate_opens(struct run *run)
{
  while (atomic_load(&run->gate) == GATE_CLOSED)
    wait_while(&run->gate, GATE_CLOSED, WAIT_FOREVER);
  return atomic_load(&run->gate) == GATE_OPEN;
}

/* Lines about other ranks continue. */
static bool reporting_is_over(const struct run *run, uint64_t now)
{
  if (run->plan->peers)
    return false;
  if (run->test->ops->finish) /* finish() is measured */
    return atomic_load(&run->gone) == run->plan->threads;
  return run_count_running(run, now) == 0;
}

/* Notes how long the process stood still, without its time on the run queue. */
static void reporting_sleep_until(struct run *run, struct agenda *a,
                                  uint64_t due_ns)
{
  const uint64_t before = a->queued_ns;
  uint64_t now, from, waited;

  due_ns = min_u64(due_ns, clock_now_ns() + TICK_NS);
  wait_while(&run->report_stop, 0, due_ns);
  now = clock_now_ns();
  a->queued_ns = reporting_queued_ns();
  if (now < due_ns + PAUSE_NS)
    return;
  waited = grown_u64(a->queued_ns, before);
  from = max_u64(due_ns, run->measured_ns) + waited;
  if (now >= due_ns + waited + PAUSE_NS && now > from)
    (void)atomic_fetch_add(&run->paused_ns, now - from);
}

static void report_lines(struct run *run)
{
  struct agenda a;
  uint64_t now;

  agenda_init(&a, run);
  while (atomic_load(&run->report_stop) == 0) {
    if (atomic_load(&run->forced) != 0)
      return;
    now = clock_now_ns();
    if (reporting_is_over(run, now)) {
      wait_while(&run->report_stop, 0, WAIT_FOREVER);
      continue;
    }
    if (!agenda_do(run, &a, now))
      return;
    reporting_sleep_until(run, &a, agenda_next(&a));
  }
  /* A line due at the time limit is still printed. */
  now = clock_now_ns();
  if (atomic_load(&run->forced) == 0 && leave_step(run->leave) &&
      a.interval_ns <= run->end_ns && now >= a.interval_ns &&
      run_last_left(run, 0) >= a.interval_ns) /* with a rate, just then */
    (void)reporting_do_interval(run, &a, run_last_left(run, a.interval_ns));
}

static void *report_main(void *arg)
{
  struct run *run = arg;

  thread_set_name("reports");
  log_msg(LOG_DEBUG, "Reporting thread started");
  if (reporting_gate_opens(run))
    report_lines(run);
  atomic_store(&run->report_ended, 1);
  run_news(run);
  return NULL;
}

int reporting_start(struct run *run, pthread_t *ret, struct err *err)
{
  /* Scripts' hooks need the system's stack size. */
  return thread_start(ret, 0, report_main, run, err);
}

static bool reporting_await_end(struct run *run, uint64_t until_ns)
{
  for (;;) {
    const uint32_t news = atomic_load(&run->news);
    const uint64_t now = clock_now_ns();

    if (atomic_load(&run->report_ended) != 0)
      return true;
    if (atomic_load(&run->signal) != 0)
      until_ns = min_u64(until_ns, now + SIGNAL_PATIENCE_NS);
    if (now >= until_ns)
      return false;
    wait_while(&run->news, news, until_ns);
  }
}

bool reporting_stop(struct run *run, pthread_t thread, uint64_t until_ns)
{
  atomic_store(&run->report_stop, 1);
  wait_wake_all(&run->report_stop);
  if (!reporting_await_end(run, until_ns)) {
    leave_end_steps(run->leave);
    if (!reporting_await_end(run, clock_now_ns() + STEP_PATIENCE_NS))
      return false;
  }
  (void)pthread_join(thread, NULL);
  return true;
}
