#include "run/runner.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/thread.h"
#include "loop/overflow.h"
#include "report/form.h"
#include "report/reporter.h"
#include "run/arrivals.h"
#include "run/conductor.h"
#include "run/delay.h"
#include "run/life.h"
#include "run/members.h"
#include "run/peers.h"
#include "run/plan.h"
#include "run/reporting.h"
#include "run/signals.h"
#include "run/slo_stop.h"
#include "run/stall.h"
#include "run/storm.h"
#include "run/test.h"
#include "run/workers.h"
#include "run/writeback.h"
#include "stats/class_stats.h"
#include "stats/event_ring.h"
#include "stats/rand/rng.h"
#include "stats/rand/stream.h"

/* ---- set-up ---- */

static int runner_make_classes(struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;
  int rc = 0;

  if (plan->classes)
    rc = class_set_new(&run->classes, plan_event_threads(plan), err);
  if (rc == 0 && plan->report.details &&
      (plan_rated_by(plan) || run_members_rated(run->test->members))) {
    rc = class_set_new(&run->rated, plan_event_threads(plan), err);
    if (rc == 0) {
      (void)class_id(run->rated, "service_time", strlen("service_time"));
      (void)class_id(run->rated, "lag", strlen("lag"));
    }
  }
  return rc;
}

static int runner_make_workers(struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;
  int rc;

  rc = recorders_init(&run->recorders, plan->threads, plan->percentiles, err);
  if (rc == 0)
    rc = stall_init(run, err);
  if (rc == 0)
    rc = delay_init(run, err);
  if (rc == 0)
    rc = runner_make_classes(run, err);
  if (rc == 0)
    rc = arrivals_make(run, err);
  if (rc < 0)
    return rc;
  run->workers = mem_aligned(plan->threads, sizeof(*run->workers), CACHE_LINE);
  run->streams = mem_aligned(plan->threads, sizeof(*run->streams), CACHE_LINE);
  if (!run->workers || !run->streams)
    return err_set(err, -ENOMEM, "cannot allocate %u %ss", plan->threads,
                   plan_worker_word(plan));
  for (unsigned i = 0; i < plan->threads; i++) {
    struct worker *w = &run->workers[i];

    rand_stream_init(&run->streams[i], plan->rand, plan->seed, RNG_WORKLOAD,
                     plan->first_thread + i,
                     plan->all_threads + plan->storm.clients);
    rng_seed(&w->think, plan->seed, RNG_THINK, plan->first_thread + i);
    w->tid = i;
    w->rand = &run->streams[i];
    w->recorder = &run->recorders.of[i];
    w->recorders = &run->recorders;
    w->plan = plan;
    w->run = run;
    w->event_class = EVENT_NO_CLASS;
    atomic_init(&w->queue_ns, UINT64_MAX);
    if (plan->event_rings)
      w->events = &plan->event_rings->of[i];
    if (run->classes)
      w->classes = class_recorder_of(run->classes, plan_event_thread(plan, i));
    if (run->rated)
      w->rated = class_recorder_of(run->rated, plan_event_thread(plan, i));
    w->sample_at = w->sample_ns = UINT64_MAX;
    w->watched = w->events || w->rated || plan->warmup_ns > 0;
    w->late = i >= plan_clients(plan);
    /* else due with its storm */
    w->schedule = w->late ? NULL : arrivals_of_worker(run, i);
  }
  if (plan->storm.n > 0)
    rc = storms_new(&run->storms, plan, err);
  if (rc == 0)
    rc = workers_make_clients(run, err);
  if (rc < 0)
    return rc;
  atomic_store(&run->tickets, plan->events);
  atomic_store(&run->decided_ns, UINT64_MAX);
  return members_make(run, err);
}

static void conductor_done(struct conductor *c)
{
  struct run *run = &c->run;

  if (c->opened && run->test->ops->close)
    run->test->ops->close(run->test_run);
  periods_done(&c->periods);
  slo_stop_free(run->slo_stop);
  arrivals_free(run);
  recorders_done(&run->recorders);
  outages_done(&run->outages);
  class_set_free(run->classes);
  class_set_free(run->rated);
  class_set_free(run->members);
  delay_done(run);
  life_done(run);
  storms_free(run->storms);
  free(run->workers);
  for (unsigned i = 0; run->streams && i < run->plan->threads; i++)
    rand_stream_done(&run->streams[i]);
  free(run->streams);
  workers_drop_clients(run);
}

static int conductor_set_up(struct conductor *c, const void *cfg,
                            struct err *err)
{
  struct run *run = &c->run;
  const struct test_ops *ops = run->test->ops;
  struct strbuf mode = { 0 }, extra = { 0 };
  int rc;

  rc = ops->open(run->plan, cfg, &run->test_run, err);
  if (rc < 0)
    return rc;
  c->opened = true;
  run->report_setup.form = run->test->form;
  if (run->test->members) {
    run->report_setup.n_members = run->test->members->n;
    run->report_setup.members = run->test->members->of;
  }
  if (run_members_rated(run->test->members))
    run->report_setup.rate = true;
  if (ops->setup)
    ops->setup(run->test_run, &run->report_setup);
  rc = reporters_begin(run->reporters, run->n_reporters, &run->report_setup,
                       err);
  if (rc < 0)
    return rc;
  if (ops->mode_line)
    ops->mode_line(run->test_run, &extra);
  plan_describe(run->plan, strbuf_str(&extra), &mode);
  log_msg(LOG_NOTICE, "%s", strbuf_str(&mode));
  strbuf_done(&mode);
  strbuf_done(&extra);
  if (ops->describe)
    ops->describe(run->test_run);
  if (ops->stop_word)
    ops->stop_word(run->test_run, &run->stop);
  if (ops->begin) {
    rc = ops->begin(run->test_run, err);
    if (rc < 0)
      return rc;
  }
  rc = runner_make_workers(run, err);
  if (rc == 0)
    rc = periods_init(&c->periods, &run->recorders,
                      &(struct periods_want){
                        .per_thread = run->plan->cfg.debug,
                        .details = run->plan->report.details,
                        .classes = run->classes,
                        .rated = run->rated,
                        .members = run->members,
                        .tally = { run->test->ops->tally, run->test_run },
                        .sums = run->report_setup.sums,
                      },
                      err);
  run->periods = &c->periods;
  if (rc == 0 && run->plan->cfg.until_decided && run->plan->report.slo.n > 0 &&
      !run->plan->peers)
    rc = slo_stop_new(&run->slo_stop, run, err);
  return rc;
}

/* ---- the end ---- */

static bool runner_has_only_warmed_up(const struct run *run)
{
  return run->plan->warmup_ns > 0 && atomic_load(&run->warm) != WARM_DONE;
}

static uint64_t runner_end_of(const struct run *run)
{
  return run_last_left(run, runner_has_only_warmed_up(run) ? run->start_ns
                                                           : run->measured_ns);
}

static void runner_final_report(struct conductor *c)
{
  struct run *run = &c->run;
  const struct report_setup *setup = &run->report_setup;
  struct report r = { 0 }, total;
  const uint64_t end_ns = c->end_ns;

  if (runner_has_only_warmed_up(run)) {
    reporting_restart(run, end_ns);
    life_measure_from(run, end_ns);
  }
  life_measured(run, end_ns, c->forced);
  speed_between(&c->speed, run->life.measured_ns, end_ns,
                &run->life.client.machine);
  if (run->plan->kept)
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
    periods_sums(run->periods, &r);
  }
  reporting_send(run, &r);
  if (run->slo_stop)
    slo_stop_end(run->slo_stop, end_ns, c->unfinished);
  life_doubt(run, r.total ? r.total : &r, end_ns);
}

static int conductor_status(struct conductor *c, int status)
{
  const int asked = (int)atomic_load(&c->run.asked);
  int number;

  run_no_more_signals(&c->run);
  number = run_signal(&c->run);
  if (number == 0 && status == EXIT_FAILED && asked == WORKER_EXITED)
    return EXIT_ASKED;
  if (number == 0 && status == EXIT_FAILED && asked > 0)
    return asked & ~WORKER_EXITED;
  if (number == 0)
    return status;
  if (c->run.plan->part == 0) /* one rank reports it for all */
    log_msg(LOG_WARNING, "stopped by %s", signals_name(number));
  return EXIT_SIGNAL + number;
}

static bool runner_tell_if_late(struct run *run)
{
  if (run_stopped(run) != STOP_FORCED)
    return false;
  log_msg(LOG_FATAL, "The --max-time limit has expired, forcing shutdown...");
  return true;
}

static void *runner_end_main(void *arg)
{
  struct conductor *c = arg;

  overflow_watch();
  c->end_rc = c->run.test->ops->end(c->run.test_run, &c->end_why);
  atomic_store(&c->end_over, 1);
  run_news(&c->run);
  return NULL;
}

/* done() of a script can last for ever.  With peers, only this thread can
 * talk to other processes. */
static bool runner_end_in_thread(struct conductor *c, int *ret_rc,
                                 struct err *err)
{
  pthread_t thread;

  if (!c->run.test->ops->end_is_code || c->run.plan->peers ||
      thread_start(&thread, 0, runner_end_main, c, err) < 0) {
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

/* False: left behind. */
static bool runner_end_test(struct conductor *c, int *ret_rc, struct err *err)
{
  const struct test_ops *ops = c->run.test->ops;

  *ret_rc = 0;
  if (!c->forced && !leave_any(c->run.leave))
    return !ops->end || runner_end_in_thread(c, ret_rc, err);
  if (ops->end_forced)
    *ret_rc = ops->end_forced(c->run.test_run, err);
  return true;
}

static int conductor_conclude(struct conductor *c)
{
  struct run *run = &c->run;
  bool late = runner_tell_if_late(run);
  struct err err = { "" };
  int rc, status = EXIT_OK;

  /* Intervals go on until all ranks have left. */
  if (run->plan->peers)
    run->plan->peers->finish(run->plan->peers->ctx);
  if (!reporting_stop(run, c->report_thread, conductor_deadline(c))) {
    leave_thread(run->leave);
    if (!late && run_stop(run, STOP_FORCED))
      late = runner_tell_if_late(run);
  }
  if (!c->forced)
    log_msg(LOG_INFO, "Done.\n");
  c->end_ns = c->forced ? c->forced_ns : runner_end_of(run);
  runner_final_report(c);

  if (!runner_end_test(c, &rc, &err)) {
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

static void conductor_dismiss(struct conductor *c)
{
  workers_release(&c->workers, GATE_ABORT);
  if (!conductor_await_gone(c, clock_now_ns() + CONDUCTOR_STEP_NS))
    conductor_wake_blocked(c);
}

static int conductor_call_off(struct conductor *c, bool in_time)
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

/* ---- the steps ---- */

static void runner_signal_arrived(void *arg, int number)
{
  struct run *run = arg;
  uint32_t none = 0;

  if (!atomic_compare_exchange_strong(&run->signal, &none, (uint32_t)number))
    return; /* of this and another rank */
  run_tell_peers(run, number);
  (void)run_stop(run, STOP_SIGNAL);
  run_news(run);
}

/* Counts as a signal here. */
static void runner_peer_stopped(void *arg, int number)
{
  struct run *run = arg;

  if (number != 0) {
    runner_signal_arrived(run, number);
    return;
  }
  (void)run_stop(run, STOP_PEER);
  run_news(run);
}

static void runner_listen_to_peers(struct conductor *c, bool on)
{
  const struct peers *peers = c->run.plan->peers;

  if (!peers)
    return;
  c->listener = (struct peers_listener){ &c->run, runner_peer_stopped };
  peers->listen(peers->ctx, on ? &c->listener : NULL);
}

/* False: another rank does not start. */
static bool runner_agree_on_start(struct run *run, bool ready, uint64_t *ret_ns)
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

/* Otherwise workers of the first rank to wake up would keep the others' CPU
 * for a time slice. */
#define MUSTER_NS (NS_PER_MS / 4)

/* `at_ns`: the common start, or 0: now. */
static void runner_open_gate(struct conductor *c, uint64_t at_ns)
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
  arrivals_start(run);
  /* Getting ready does not count. */
  periods_restart(run->periods, run->start_ns);
  life_start(run);
  stall_start(run, run->start_ns);
  if (at_ns > 0)
    thread_sleep_until(at_ns);
  opened_ns = clock_now_ns();
  if (at_ns > 0)
    thread_sleep_until(at_ns + MUSTER_NS);
  workers_release(&c->workers, GATE_OPEN); /* workers can take this CPU */
  if (plan->peers)
    plan->peers->started(plan->peers->ctx, opened_ns);
}

static void runner_let_reporting_go(struct conductor *c)
{
  if (!reporting_stop(&c->run, c->report_thread,
                      clock_now_ns() + CONDUCTOR_STEP_NS))
    leave_thread(c->run.leave);
}

/* While threads exist. */
static int runner_perform(struct conductor *c)
{
  struct run *run = &c->run;
  struct err err = { "" };
  int status = EXIT_FAILED;
  bool in_time, ready;
  uint64_t at_ns;

  if (signals_start(&c->signals, runner_signal_arrived, run, &err) < 0) {
    life_fail(run, &err);
    return EXIT_FAILED;
  }
  writeback_await(run);
  log_msg(LOG_NOTICE, "Initializing worker threads...\n\n");
  if (reporting_start(run, &c->report_thread, &err) < 0) {
    life_fail(run, &err);
    return EXIT_FAILED;
  }

  runner_listen_to_peers(c, true);
  if (workers_start(&c->workers, run, &err) < 0) {
    life_fail(run, &err);
    conductor_dismiss(c);
    runner_let_reporting_go(c);
  } else {
    in_time = conductor_await_ready(c);
    ready = in_time && atomic_load(&run->failed) == 0 &&
            atomic_load(&run->signal) == 0;
    c->agreed = true;
    if (runner_agree_on_start(run, ready, &at_ns)) {
      runner_open_gate(c, at_ns);
      c->started = true;
      if (run->test->loads_cpu)
        speed_start(&c->speed, run);
      conductor_await_end(c);
      speed_stop(&c->speed);
      status = conductor_conclude(c);
    } else {
      status = conductor_call_off(c, in_time);
      runner_let_reporting_go(c);
    }
  }
  runner_listen_to_peers(c, false);
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
    (void)runner_agree_on_start(&c->run, false, &ignored);
    life_over(&c->run, false, false, EXIT_FAILED, 0);
    (void)reporters_end(reporters, n_reporters,
                        &err); /* no report can be lost */
    conductor_done(c);
    free(c);
    return EXIT_FAILED;
  }
  clock_calibrate();
  status = runner_perform(c);
  if (!c->agreed)
    (void)runner_agree_on_start(&c->run, false, &ignored);
  life_over(&c->run, c->started, c->forced, status, c->end_ns);
  if (atomic_load(&c->run.report_lost) > 0 && status == EXIT_OK)
    status = EXIT_FAILED;
  if (reporters_end(reporters, n_reporters, &err) < 0) {
    log_msg(LOG_FATAL, "%s", err.text);
    status = status == EXIT_OK ? EXIT_FAILED : status;
  }
  if (!leave_any(leave)) {
    signals_stop(&c->signals); /* before, a signal must not damage files */
    conductor_done(c);
    free(c);
  }
  return status;
}
