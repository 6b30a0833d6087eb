/*
 * runner.c - the conductor of a run: its steps in order, from the first thread
 * to the last.
 */
#include "run/runner.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/wait.h"
#include "report/reporter.h"
#include "run/conductor.h"
#include "run/members.h"
#include "run/peers.h"
#include "run/plan.h"
#include "run/reporting.h"
#include "run/schedule.h"
#include "run/stall.h"
#include "run/test.h"
#include "run/writeback.h"

static void signal_arrived(void *arg, int number)
{
  struct run *run = arg;
  uint32_t none = 0;

  if (!atomic_compare_exchange_strong(&run->signal, &none, (uint32_t)number))
    return; /* the signal came to this rank and to another one */
  run_tell_peers(run, number);
  (void)run_stop(run, STOP_SIGNAL);
  run_news(run);
}

/* A signal that arrived at another rank counts as one that arrived here. */
static void peer_stopped(void *arg, int number)
{
  struct run *run = arg;

  if (number != 0) {
    signal_arrived(run, number);
    return;
  }
  (void)run_stop(run, STOP_PEER);
  run_news(run);
}

static void listen_to_peers(struct conductor *c, bool on)
{
  const struct peers *peers = c->run.plan->peers;

  if (!peers)
    return;
  c->listener = (struct peers_listener){ &c->run, peer_stopped };
  peers->listen(peers->ctx, on ? &c->listener : NULL);
}

/* False: other ranks do not start, so neither does this one. */
static bool agree_on_start(struct run *run, bool ready, uint64_t *ret_ns)
{
  const struct peers *peers = run->plan->peers;
  struct err err = { "" };

  *ret_ns = 0;
  if (!peers)
    return ready;
  if (peers->start(peers->ctx, ready, ret_ns, &err) == 0)
    return true;
  if (ready)
    life_fail(run, &err);
  return false;
}

/*
 * After a common start, workers are released a little later.  Otherwise those
 * of the first rank to wake up would keep the others' processor for a time
 * slice.
 */
#define MUSTER_NS (NS_PER_MS / 4)

/* `at_ns`: the common start of all ranks, or 0: now. */
static void open_gate(struct conductor *c, uint64_t at_ns)
{
  struct run *run = &c->run;
  const struct plan *plan = run->plan;
  uint64_t opened_ns;

  log_msg(LOG_NOTICE, "Threads started!\n\n");
  if (plan->warmup_ns > 0)
    log_msg(LOG_NOTICE, "Warming up for %llu seconds...\n\n",
            (unsigned long long)(plan->warmup_ns / NS_PER_S));

  life_prepare(run);
  run->start_ns = at_ns > 0 ? at_ns : clock_now_ns();
  run->measured_ns = run->lines_ns = run->start_ns + plan->warmup_ns;
  run->end_ns = plan->time_ns == PLAN_NO_LIMIT
                  ? PLAN_NO_LIMIT
                  : run->measured_ns + plan->time_ns;
  if (run->schedule)
    schedule_start(run->schedule, run->start_ns, run->end_ns, plan->events);
  members_start(run);
  /* What workers counted while they got ready is not part of the run. */
  periods_restart(run->periods, run->start_ns);
  life_start(run);
  stall_start(run, run->start_ns);
  if (at_ns > 0)
    thread_sleep_until(at_ns);
  opened_ns = clock_now_ns();
  if (at_ns > 0)
    thread_sleep_until(at_ns + MUSTER_NS);
  workers_release(
    &c->workers,
    GATE_OPEN); /* from now on workers may take this thread's processor */
  if (plan->peers)
    plan->peers->started(plan->peers->ctx, opened_ns);
}

/* End the report thread after a run that did not start. */
static void let_reporting_go(struct conductor *c)
{
  if (!reporting_stop(&c->run, c->report_thread,
                      clock_now_ns() + CONDUCTOR_STEP_NS))
    leave_thread(c->run.leave);
}

/* Everything that happens while threads exist. */
static int perform(struct conductor *c)
{
  struct run *run = &c->run;
  struct err err = { "" };
  int status = EXIT_FAILED;
  bool in_time, ready;
  uint64_t at_ns;

  if (signals_start(&c->signals, signal_arrived, run, &err) < 0) {
    life_fail(run, &err);
    return EXIT_FAILED;
  }
  writeback_await(run);
  log_msg(LOG_NOTICE, "Initializing worker threads...\n\n");
  if (reporting_start(run, &c->report_thread, &err) < 0) {
    life_fail(run, &err);
    return EXIT_FAILED;
  }

  listen_to_peers(c, true);
  if (workers_start(&c->workers, run, &err) < 0) {
    life_fail(run, &err);
    conductor_dismiss(c);
    let_reporting_go(c);
  } else {
    in_time = conductor_await_ready(c);
    ready = in_time && atomic_load(&run->failed) == 0 &&
            atomic_load(&run->signal) == 0;
    c->agreed = true;
    if (agree_on_start(run, ready, &at_ns)) {
      open_gate(c, at_ns);
      c->started = true;
      if (run->test->loads_cpu)
        speed_start(&c->speed, run);
      conductor_await_end(c);
      speed_stop(&c->speed);
      status = conductor_conclude(c);
    } else {
      status = conductor_call_off(c, in_time);
      let_reporting_go(c);
    }
  }
  listen_to_peers(c, false);
  if (!leave_any(c->run.leave)) {
    if (conductor_await_code(c, &run->ended, c->workers.started)) {
      workers_join(&c->workers);
    } else {
      log_msg(LOG_FATAL, "a finalizer (__gc) of the script does not end, "
                         "forcing shutdown...");
      status = EXIT_FORCED;
    }
  }
  return conductor_status(c, status);
}

int runner_run(const struct plan *plan, const struct test *test,
               const void *cfg, const struct reporter_use *reporters,
               size_t n_reporters, struct leave *leave)
{
  struct conductor *c = mem_aligned(1, sizeof(*c), CACHE_LINE);
  struct err err = { "" };
  uint64_t ignored;
  int status;

  if (!c) {
    log_msg(LOG_FATAL, "cannot allocate the run");
    return EXIT_FAILED;
  }
  c->run.leave = leave;
  c->run.plan = plan;
  c->run.test = test;
  c->run.reporters = reporters;
  c->run.n_reporters = n_reporters;
  c->run.report_setup = plan->report;
  if (conductor_set_up(c, cfg, &err) < 0) {
    life_fail(&c->run, &err);
    (void)agree_on_start(&c->run, false, &ignored);
    life_over(&c->run, false, false, EXIT_FAILED, 0);
    (void)reporters_end(reporters, n_reporters,
                        &err); /* no report can be lost */
    conductor_done(c);
    free(c);
    return EXIT_FAILED;
  }
  clock_calibrate();
  status = perform(c);
  if (!c->agreed)
    (void)agree_on_start(&c->run, false, &ignored);
  life_over(&c->run, c->started, c->forced, status, c->end_ns);
  if (atomic_load(&c->run.report_lost) > 0 && status == EXIT_OK)
    status = EXIT_FAILED;
  if (reporters_end(reporters, n_reporters, &err) < 0) {
    log_msg(LOG_FATAL, "%s", err.text);
    status = status == EXIT_OK ? EXIT_FAILED : status;
  }
  if (!leave_any(leave)) {
    signals_stop(&c->signals); /* until here, a signal must not damage files */
    conductor_done(c);
    free(c);
  }
  return status;
}
