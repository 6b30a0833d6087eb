/*
 * runner.c - the conductor of a run: starts everybody, keeps the deadlines,
 * prints the final report.
 */
#include "run/runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/thread.h"
#include "base/wait.h"
#include "rand/stream.h"
#include "report/reporter.h"
#include "run/crew.h"
#include "run/peers.h"
#include "run/periods.h"
#include "run/plan.h"
#include "run/reporting.h"
#include "run/run.h"
#include "run/schedule.h"
#include "run/signals.h"
#include "run/test.h"
#include "stats/class_stats.h"
#include "stats/event_ring.h"

/* At a forced shutdown: from one step of interrupting to the next. */
#define STEP_NS NS_PER_S
/* The same after a signal in one of several processes: their engine waits a
 * second only before it kills them. */
#define STEP_SHORT_NS (100 * NS_PER_MS)
/* After a signal, events get this long to end by themselves. */
#define SIGNAL_PATIENCE_NS (200 * NS_PER_MS)

/* What runner_run() needs besides what the threads share. */
struct conductor {
  struct run run;
  struct crew crew;
  struct periods periods;
  struct signals signals;
  struct peers_listener listener;
  pthread_t report_thread;
  bool reporting;
  bool opened; /* the test was */
  bool forced; /* at the deadline workers were still there */
  bool abandoned;
  bool agreed;         /* other processes were told whether there is a start */
  bool started;        /* the gate was opened */
  uint64_t end_ns;     /* of the measured part */
  uint64_t forced_ns;  /* when that was */
  uint64_t unfinished; /* workers that were inside an event then */
};

static void tell_peers(struct run *run, int signal)
{
  const struct peers *peers = run->plan->peers;

  if (peers)
    peers->stop(peers->ctx, signal);
}

bool run_stop(struct run *run, enum stop_reason why)
{
  uint32_t none = STOP_NO;
  const bool first = atomic_compare_exchange_strong(&run->stop, &none,
                                                    (uint32_t)why);

  if (first) {
    wait_wake_all(&run->stop);
    wait_wake_all(&run->warm);
  }
  /* Process 0 passes on what others tell it. */
  if (first && (why == STOP_ERROR || why == STOP_OVERLOAD || why == STOP_PEER))
    tell_peers(run, 0);
  return first;
}

void run_news(struct run *run)
{
  (void)atomic_fetch_add(&run->news, 1);
  wait_wake_all(&run->news);
}

unsigned run_count_running(const struct run *run, uint64_t when_ns)
{
  unsigned n = 0;

  for (unsigned i = 0; i < run->plan->threads; i++) {
    const uint64_t left = atomic_load(&run->workers[i].left_ns);

    n += left == 0 || left > when_ns;
  }
  return n;
}

unsigned run_count_phase(const struct run *run, enum worker_phase phase)
{
  unsigned n = 0;

  for (unsigned i = 0; i < run->plan->threads; i++)
    n += atomic_load(&run->workers[i].phase) == (uint32_t)phase;
  return n;
}

/* Where classes of operations are counted, if anybody wants to know. */
static int make_classes(struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;
  int rc = 0;

  if (plan->classes)
    rc = class_set_new(&run->classes, plan->threads, err);
  if (rc == 0 && plan->report.details && plan->rate > 0.0) {
    rc = class_set_new(&run->pace, plan->threads, err);
    if (rc == 0) {
      (void)class_id(run->pace, "service_time", strlen("service_time"));
      (void)class_id(run->pace, "lag", strlen("lag"));
    }
  }
  return rc;
}

static int make_workers(struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;
  int rc;

  rc = recorders_init(&run->recorders, plan->threads, plan->percentiles, err);
  if (rc == 0)
    rc = make_classes(run, err);
  if (rc < 0)
    return rc;
  run->workers = mem_aligned(plan->threads, sizeof(*run->workers), CACHE_LINE);
  run->streams = mem_aligned(plan->threads, sizeof(*run->streams), CACHE_LINE);
  if (!run->workers || !run->streams)
    return err_set(err, -ENOMEM, "cannot allocate %u threads", plan->threads);
  for (unsigned i = 0; i < plan->threads; i++) {
    struct worker *w = &run->workers[i];

    rand_stream_init(&run->streams[i], plan->rand, plan->seed, RNG_WORKLOAD,
                     plan->first_thread + i, plan->all_threads);
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
      w->classes = class_recorder_of(run->classes, i);
    if (run->pace)
      w->pace = class_recorder_of(run->pace, i);
    w->watched = w->events || w->pace;
  }
  atomic_store(&run->tickets, plan->events);
  if (plan->rate > 0.0)
    return schedule_new(&run->schedule, plan->rate, plan->seed, plan->part,
                        err);
  return 0;
}

static void free_run(struct conductor *c)
{
  struct run *run = &c->run;

  if (c->opened && run->test->ops->close)
    run->test->ops->close(run->test_run);
  periods_done(&c->periods);
  schedule_free(run->schedule);
  recorders_done(&run->recorders);
  class_set_free(run->classes);
  class_set_free(run->pace);
  ending_done(run);
  free(run->workers);
  free(run->streams);
}

/* Everything before the first thread. */
static int set_up(struct conductor *c, const void *cfg, struct err *err)
{
  struct run *run = &c->run;
  const struct test_ops *ops = run->test->ops;
  struct strbuf mode = { 0 }, extra = { 0 };
  int rc;

  rc = ops->open(run->plan, cfg, &run->test_run, err);
  if (rc < 0)
    return rc;
  c->opened = true;
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
  if (ops->begin) {
    rc = ops->begin(run->test_run, err);
    if (rc < 0)
      return rc;
  }
  rc = make_workers(run, err);
  if (rc == 0)
    rc = periods_init(&c->periods, &run->recorders,
                      &(struct periods_want){
                        .per_thread = run->plan->debug,
                        .details = run->plan->report.details,
                        .classes = run->classes,
                        .pace = run->pace,
                      },
                      err);
  run->periods = &c->periods;
  return rc;
}

/* Until all workers are ready, or one has failed to get so; false: not in time,
 * or interrupted. */
static bool wait_until_ready(struct run *run)
{
  const struct plan *plan = run->plan;
  const uint64_t until = plan->init_timeout_ns == PLAN_NO_LIMIT
                           ? WAIT_FOREVER
                           : clock_now_ns() + plan->init_timeout_ns;

  for (;;) {
    const uint32_t news = atomic_load(&run->news);

    if (atomic_load(&run->ready) == plan->threads ||
        atomic_load(&run->failed) > 0)
      return true;
    if (clock_now_ns() >= until || atomic_load(&run->signal) != 0)
      return false;
    wait_while(&run->news, news, until);
  }
}

/* False: other processes do not start, so neither does this one. */
static bool agree_on_start(struct run *run, bool ready, uint64_t *ret_ns)
{
  const struct peers *peers = run->plan->peers;
  struct err err = { "" };

  *ret_ns = 0;
  if (!peers)
    return ready;
  if (peers->start(peers->ctx, ready, ret_ns, &err) == 0)
    return true;
  if (ready && err.text[0] != '\0') {
    log_msg(LOG_FATAL, "%s", err.text);
    ending_keep_error(run, &err);
  }
  return false;
}

/* `at_ns`: the common start of all processes, or 0: now. */
static void open_gate(struct conductor *c, uint64_t at_ns)
{
  struct run *run = &c->run;
  const struct plan *plan = run->plan;
  uint64_t opened_ns;

  log_msg(LOG_NOTICE, "Threads started!\n\n");
  if (plan->warmup_ns > 0)
    log_msg(LOG_NOTICE, "Warming up for %llu seconds...\n\n",
            (unsigned long long)(plan->warmup_ns / NS_PER_S));

  run->start_ns = at_ns > 0 ? at_ns : clock_now_ns();
  run->measured_ns = run->start_ns + plan->warmup_ns;
  run->end_ns = plan->time_ns == PLAN_NO_LIMIT
                  ? PLAN_NO_LIMIT
                  : run->measured_ns + plan->time_ns;
  if (run->schedule)
    schedule_start(run->schedule, run->start_ns);
  /* Whatever workers counted while they got ready does not belong to it. */
  periods_restart(run->periods, run->start_ns);
  ending_begin(run);
  if (at_ns > 0)
    thread_sleep_until(at_ns);
  opened_ns = clock_now_ns();
  crew_release(&c->crew, GATE_OPEN); /* and now workers may push this aside */
  if (plan->peers)
    plan->peers->started(plan->peers->ctx, opened_ns);
}

static bool all_gone(const struct run *run)
{
  return atomic_load(&run->gone) == run->plan->threads;
}

/* Until all workers are gone or `until_ns`; false: some are left. */
static bool wait_until_gone(struct run *run, uint64_t until_ns)
{
  while (!all_gone(run)) {
    const uint32_t news = atomic_load(&run->news);

    if (all_gone(run))
      break;
    if (clock_now_ns() >= until_ns)
      return false;
    wait_while(&run->news, news, until_ns);
  }
  return true;
}

static uint64_t later(uint64_t when_ns, uint64_t by_ns)
{
  return by_ns > UINT64_MAX - when_ns ? WAIT_FOREVER : when_ns + by_ns;
}

/* Wake what is blocked, harder after a second, and then go on without those
 * that are still there. */
static void wake_blocked(struct conductor *c, uint64_t now)
{
  struct run *run = &c->run;
  const struct test_ops *ops = run->test->ops;
  const uint64_t step = run->plan->peers && atomic_load(&run->signal) != 0
                          ? STEP_SHORT_NS
                          : STEP_NS;

  if (ops->interrupt) {
    ops->interrupt(run->test_run, INTERRUPT_CANCEL);
    if (wait_until_gone(run, now + step))
      return;
    ops->interrupt(run->test_run, INTERRUPT_CUT);
    if (wait_until_gone(run, now + 2 * step))
      return;
  }
  c->abandoned = !all_gone(run);
}

/* The time is over and workers are still there. */
static void force(struct conductor *c)
{
  struct run *run = &c->run;
  const uint64_t now = clock_now_ns();

  c->forced = true;
  atomic_store(&run->forced, 1);
  c->forced_ns = now;
  c->unfinished = run_count_phase(run, WORKER_EVENT);
  (void)run_stop(run, STOP_FORCED);
  wake_blocked(c, now);
}

/* From the opening of the gate until all workers are gone, or given up. */
static void conduct(struct conductor *c)
{
  struct run *run = &c->run;
  const struct plan *plan = run->plan;
  uint64_t deadline = WAIT_FOREVER;

  if (run->end_ns != PLAN_NO_LIMIT)
    deadline = later(run->end_ns, plan->grace_ns);
  while (!all_gone(run)) {
    const uint32_t news = atomic_load(&run->news);
    const uint64_t now = clock_now_ns();
    uint64_t early = WAIT_FOREVER;

    if (all_gone(run))
      break;
    switch (run_stopped(run)) {
    case STOP_SIGNAL:
      early = now + SIGNAL_PATIENCE_NS;
      break;
    case STOP_ERROR:
    case STOP_OVERLOAD:
    case STOP_PEER:
      early = later(now, plan->grace_ns);
      break;
    default:
      break;
    }
    if (early < deadline)
      deadline = early;
    if (now >= deadline) {
      force(c);
      return;
    }
    wait_while(&run->news, news, deadline);
  }
}

/* The moment at which the last worker left. */
static uint64_t last_left(const struct run *run)
{
  uint64_t last = run->measured_ns;

  for (unsigned i = 0; i < run->plan->threads; i++) {
    const uint64_t left = atomic_load(&run->workers[i].left_ns);

    if (left > last)
      last = left;
  }
  return last;
}

static void final_report(struct conductor *c)
{
  struct run *run = &c->run;
  const struct report_setup *setup = &run->report_setup;
  struct report r = { 0 }, total;
  const uint64_t end_ns = c->end_ns;

  /* Nothing was measured in a run that ended while it was warming up. */
  if (run->plan->warmup_ns > 0 && atomic_load(&run->warm) == 0)
    periods_restart(run->periods, end_ns);
  if (setup->details)
    reporting_partial(run, end_ns);
  reporting_fill(run, &r, c->forced ? REPORT_FORCED : REPORT_FINAL, end_ns);
  r.unfinished = c->unfinished;
  r.threads_running = c->forced ? run_count_running(run, end_ns) : 0;
  total = r;
  periods_cumulative(run->periods, setup, end_ns, &r);
  if (setup->details) {
    periods_total(run->periods, setup, &total);
    r.total = &total;
    r.classes = total.classes;
  } else if (run->plan->classes) {
    r.classes = periods_classes(run->periods);
  }
  reporting_send(run, &r);
  ending_doubt(run, r.total ? r.total : &r, end_ns);
}

static void signal_arrived(void *arg, int number)
{
  struct run *run = arg;

  uint32_t none = 0;

  if (!atomic_compare_exchange_strong(&run->signal, &none, (uint32_t)number))
    return; /* it has come here and from elsewhere */
  tell_peers(run, number);
  (void)run_stop(run, STOP_SIGNAL);
  run_news(run);
}

/* A signal that arrived elsewhere counts as one that arrived here. */
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

/* One of several processes says it for all. */
static void say_signal(const struct plan *plan, int number)
{
  if (plan->part == 0)
    log_msg(LOG_WARNING, "stopped by %s",
            number == SIGINT ? "SIGINT" : "SIGTERM");
}

/* After conduct(): what is printed and what the exit status is. */
static int conclude(struct conductor *c)
{
  struct run *run = &c->run;
  const int number = (int)atomic_load(&run->signal);
  /* Else there is another reason to end, and force was only needed for it. */
  const bool late = run_stopped(run) == STOP_FORCED;
  struct err err = { "" };
  int status = EXIT_OK;

  if (late)
    log_msg(LOG_FATAL, "The --max-time limit has expired, forcing shutdown...");
  /* Intervals go on until the last worker of all processes has left. */
  if (run->plan->peers)
    run->plan->peers->finish(run->plan->peers->ctx);
  if (!reporting_stop(run, c->report_thread,
                      c->forced ? STEP_NS : PLAN_NO_LIMIT))
    c->abandoned = true;
  if (!c->forced)
    log_msg(LOG_INFO, "Done.\n");
  c->end_ns = c->forced ? c->forced_ns : last_left(run);
  final_report(c);

  if (!c->forced && !c->abandoned && run->test->ops->end &&
      run->test->ops->end(run->test_run, &err) < 0) {
    log_msg(LOG_FATAL, "%s", err.text);
    status = EXIT_FAILED;
  }
  if (atomic_load(&run->failed) > 0 || atomic_load(&run->report_lost) > 0 ||
      run_stopped(run) == STOP_OVERLOAD || run_stopped(run) == STOP_PEER)
    status = EXIT_FAILED;
  if (late)
    status = EXIT_FORCED;
  if (number != 0) {
    say_signal(run->plan, number);
    status = EXIT_SIGNAL + number;
  }
  return status;
}

/* The workers do not get to run: say why, and let them go. */
static int call_off(struct conductor *c, bool in_time)
{
  struct run *run = &c->run;
  const int number = (int)atomic_load(&run->signal);
  const bool here = atomic_load(&run->failed) > 0;

  crew_release(&c->crew, GATE_ABORT);
  if (number == 0 && in_time) {
    /* The others may still be busy, or blocked. */
    if (!wait_until_gone(run, clock_now_ns() + STEP_NS))
      wake_blocked(c, clock_now_ns());
    if (here || !run->plan->peers)
      log_msg(LOG_FATAL, "Thread%s initialization failed!",
              run->plan->compat == COMPAT_1_1 ? "s" : "");
    return EXIT_FAILED;
  }
  if (run->test->ops->interrupt)
    run->test->ops->interrupt(run->test_run, INTERRUPT_CANCEL);
  c->abandoned = !wait_until_gone(run, clock_now_ns());
  if (number != 0) {
    say_signal(run->plan, number);
    return EXIT_SIGNAL + number;
  }
  log_msg(LOG_FATAL, "Worker threads failed to initialize within %u seconds!",
          run->plan->init_timeout_s);
  return EXIT_FORCED;
}

/* All that happens while threads exist. */
static int perform(struct conductor *c)
{
  struct run *run = &c->run;
  struct err err = { "" };
  int status = EXIT_FAILED;
  bool in_time, ready;
  uint64_t at_ns;

  if (signals_start(&c->signals, signal_arrived, run, &err) < 0) {
    log_msg(LOG_FATAL, "%s", err.text);
    return EXIT_FAILED;
  }
  log_msg(LOG_NOTICE, "Initializing worker threads...\n\n");
  if (reporting_start(run, &c->report_thread, &err) < 0) {
    log_msg(LOG_FATAL, "%s", err.text);
    signals_stop(&c->signals);
    return EXIT_FAILED;
  }

  listen_to_peers(c, true);
  if (crew_start(&c->crew, run, &err) < 0) {
    log_msg(LOG_FATAL, "%s", err.text);
    crew_release(&c->crew, GATE_ABORT);
    (void)reporting_stop(run, c->report_thread, PLAN_NO_LIMIT);
  } else {
    in_time = wait_until_ready(run);
    ready = in_time && atomic_load(&run->failed) == 0 &&
            atomic_load(&run->signal) == 0;
    c->agreed = true;
    if (agree_on_start(run, ready, &at_ns)) {
      open_gate(c, at_ns);
      c->started = true;
      conduct(c);
      status = conclude(c);
    } else {
      status = call_off(c, in_time);
      (void)reporting_stop(run, c->report_thread, STEP_NS);
    }
  }
  listen_to_peers(c, false);
  if (c->abandoned)
    return status;
  crew_join(&c->crew);
  signals_stop(&c->signals);
  return status;
}

int runner_run(const struct plan *plan, const struct test *test,
               const void *cfg, const struct reporter_use *reporters,
               size_t n_reporters, bool *ret_abandoned)
{
  struct conductor *c = mem_aligned(1, sizeof(*c), CACHE_LINE);
  struct err err = { "" };
  uint64_t ignored;
  int status;

  *ret_abandoned = false;
  if (!c) {
    log_msg(LOG_FATAL, "cannot allocate the run");
    return EXIT_FAILED;
  }
  c->run.plan = plan;
  c->run.test = test;
  c->run.reporters = reporters;
  c->run.n_reporters = n_reporters;
  c->run.report_setup = plan->report;
  if (set_up(c, cfg, &err) < 0) {
    if (err.text[0] != '\0')
      log_msg(LOG_FATAL, "%s", err.text);
    ending_keep_error(&c->run, &err);
    (void)agree_on_start(&c->run, false, &ignored);
    ending_tell(&c->run, false, false, EXIT_FAILED, 0);
    (void)reporters_end(reporters, n_reporters, &err); /* nothing to lose */
    free_run(c);
    free(c);
    return EXIT_FAILED;
  }
  clock_calibrate();
  status = perform(c);
  if (!c->agreed)
    (void)agree_on_start(&c->run, false, &ignored);
  ending_tell(&c->run, c->started, c->forced, status, c->end_ns);
  if (atomic_load(&c->run.report_lost) > 0 && status == EXIT_OK)
    status = EXIT_FAILED;
  if (reporters_end(reporters, n_reporters, &err) < 0) {
    log_msg(LOG_FATAL, "%s", err.text);
    status = status == EXIT_OK ? EXIT_FAILED : status;
  }
  *ret_abandoned = c->abandoned;
  if (!c->abandoned) {
    free_run(c);
    free(c);
  }
  return status;
}
