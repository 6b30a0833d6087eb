/*
 * outcome.c - how a run ends: what is printed, and the exit status.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/thread.h"
#include "loop/overflow.h"
#include "report/form.h"
#include "run/arrivals.h"
#include "run/conductor.h"
#include "run/peers.h"
#include "run/plan.h"
#include "run/reporting.h"
#include "run/runner.h"
#include "run/signals.h"
#include "run/slo_stop.h"
#include "run/stall.h"
#include "run/storm.h"
#include "run/test.h"

static bool has_only_warmed_up(const struct run *run)
{
  return run->plan->warmup_ns > 0 && atomic_load(&run->warm) != WARM_DONE;
}

static uint64_t end_of(const struct run *run)
{
  return run_last_left(run, has_only_warmed_up(run) ? run->start_ns
                                                    : run->measured_ns);
}

static void final_report(struct conductor *c)
{
  struct run *run = &c->run;
  const struct report_setup *setup = &run->report_setup;
  struct report r = { 0 }, total;
  const uint64_t end_ns = c->end_ns;

  /* Nothing was measured in a run that ended while it was warming up. */
  if (has_only_warmed_up(run)) {
    reporting_restart(run, end_ns);
    life_measure_from(run, end_ns);
  }
  life_measured(run, end_ns, c->forced);
  speed_between(&c->speed, run->life.measured_ns, end_ns,
                &run->life.client.machine);
  if (setup->details)
    reporting_partial(run, end_ns);
  reporting_fill(run, &r, c->forced ? REPORT_FORCED : REPORT_FINAL, end_ns);
  r.unfinished = c->unfinished;
  r.failure = atomic_load(&run->broken) > 0 ? life_error(run) : NULL;
  r.run_events = recorders_events(&run->recorders);
  r.threads_running = c->forced ? run_count_running(run, end_ns) : 0;
  if (run->outages.limit_ns > 0 && r.form->has_statements) {
    stall_report(run, end_ns, &run->outage_report);
    r.outages = &run->outage_report;
  }
  if (run->storms) {
    r.n_storms = run->plan->storm.n;
    r.storms = storms_report(run->storms);
  }
  total = r;
  periods_cumulative(run->periods, setup, end_ns, &r);
  if (setup->details) {
    periods_total(run->periods, setup, &total);
    if (arrivals_any(run))
      total.arrivals = arrivals_count(run);
    r.total = &total;
    r.classes = total.classes;
    r.members = total.members;
    r.tally = total.tally;
  } else {
    if (run->plan->classes)
      r.classes = periods_classes(run->periods);
    r.members = periods_members(run->periods);
    periods_sums(run->periods, &r);
  }
  reporting_send(run, &r);
  if (run->slo_stop)
    slo_stop_end(run->slo_stop, end_ns, c->unfinished);
  life_doubt(run, r.total ? r.total : &r, end_ns);
}

int conductor_status(struct conductor *c, int status)
{
  int number;

  run_no_more_signals(&c->run);
  number = run_signal(&c->run);
  if (number == 0 && status == EXIT_FAILED && atomic_load(&c->run.asked) > 0)
    return (int)atomic_load(&c->run.asked);
  if (number == 0)
    return status;
  if (c->run.plan->part == 0) /* one of several ranks reports it for all */
    log_msg(LOG_WARNING, "stopped by %s", signals_name(number));
  return EXIT_SIGNAL + number;
}

/* Was force needed, and was there no other reason to end? */
static bool tell_if_late(struct run *run)
{
  if (run_stopped(run) != STOP_FORCED)
    return false;
  log_msg(LOG_FATAL, "The --max-time limit has expired, forcing shutdown...");
  return true;
}

static void *end_main(void *arg)
{
  struct conductor *c = arg;

  overflow_watch();
  c->end_rc = c->run.test->ops->end(c->run.test_run, &c->end_why);
  atomic_store(&c->end_over, 1);
  run_news(&c->run);
  return NULL;
}

/* The done() of a script may never end.  Only this thread speaks to other
 * processes, so it ends the test itself if there are any. */
static bool end_in_thread(struct conductor *c, int *ret_rc, struct err *err)
{
  pthread_t thread;

  if (!c->run.test->ops->end_is_code || c->run.plan->peers ||
      thread_start(&thread, 0, end_main, c, err) < 0) {
    *ret_rc = c->run.test->ops->end(c->run.test_run, err);
    return true;
  }
  if (!conductor_await_code(c, &c->end_over, 1))
    return false;
  (void)pthread_join(thread, NULL);
  *err = c->end_why;
  *ret_rc = c->end_rc;
  return true;
}

/* False: the test does not end, and its thread was left behind. */
static bool end_test(struct conductor *c, int *ret_rc, struct err *err)
{
  const struct test_ops *ops = c->run.test->ops;

  *ret_rc = 0;
  if (!c->forced && !leave_any(c->run.leave))
    return !ops->end || end_in_thread(c, ret_rc, err);
  if (ops->end_forced)
    *ret_rc = ops->end_forced(c->run.test_run, err);
  return true;
}

int conductor_conclude(struct conductor *c)
{
  struct run *run = &c->run;
  bool late = tell_if_late(run);
  struct err err = { "" };
  int rc, status = EXIT_OK;

  /* Intervals go on until the last worker of all ranks has left. */
  if (run->plan->peers)
    run->plan->peers->finish(run->plan->peers->ctx);
  if (!reporting_stop(run, c->report_thread, conductor_deadline(c))) {
    leave_thread(run->leave);
    if (!late && run_stop(run, STOP_FORCED))
      late = tell_if_late(run);
  }
  if (!c->forced)
    log_msg(LOG_INFO, "Done.\n");
  c->end_ns = c->forced ? c->forced_ns : end_of(run);
  final_report(c);

  if (!end_test(c, &rc, &err)) {
    log_msg(LOG_FATAL, "done() does not end, forcing shutdown...");
    late = true;
  } else if (rc != 0) {
    uint32_t none = 0;

    if (rc > 0)
      (void)atomic_compare_exchange_strong(&run->asked, &none, (uint32_t)rc);
    log_msg(LOG_FATAL, "%s", err.text);
    status = EXIT_FAILED;
  }
  if (atomic_load(&run->failed) > 0 || atomic_load(&run->report_lost) > 0 ||
      run_stopped(run) == STOP_OVERLOAD || run_stopped(run) == STOP_PEER)
    status = EXIT_FAILED;
  return late ? EXIT_FORCED : status;
}

void conductor_dismiss(struct conductor *c)
{
  workers_release(&c->workers, GATE_ABORT);
  if (!conductor_await_gone(c, clock_now_ns() + CONDUCTOR_STEP_NS))
    conductor_wake_blocked(c);
}

int conductor_call_off(struct conductor *c, bool in_time)
{
  struct run *run = &c->run;
  const bool signalled = atomic_load(&run->signal) != 0;
  const bool here = atomic_load(&run->failed) > 0;
  const double limit_s = (double)run->plan->init_timeout_ns / (double)NS_PER_S;
  struct err late;

  if (!signalled && in_time) {
    conductor_dismiss(c);
    if (run->plan->identity == IDENTITY_SYSBENCH && (here || !run->plan->peers))
      log_msg(LOG_FATAL, "Thread%s initialization failed!",
              run->plan->compat == COMPAT_1_1 ? "s" : "");
    return EXIT_FAILED;
  }
  workers_release(&c->workers, GATE_ABORT);
  if (run->test->ops->interrupt)
    run->test->ops->interrupt(run->test_run, INTERRUPT_CANCEL);
  if (!conductor_await_gone(c, clock_now_ns()))
    leave_thread(run->leave);
  if (signalled)
    return EXIT_FAILED;
  if (run->plan->clients)
    (void)err_set(&late, -ETIMEDOUT,
                  "%u of %u clients are ready, and no other one within %.10g "
                  "seconds (--thread-init-timeout)",
                  (unsigned)atomic_load(&run->ready), run->plan->threads,
                  limit_s);
  else
    (void)err_set(&late, -ETIMEDOUT,
                  "Worker threads failed to initialize within %.10g seconds!",
                  limit_s);
  life_fail(run, &late);
  return EXIT_FORCED;
}
