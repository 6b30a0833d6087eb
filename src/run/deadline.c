/*
 * deadline.c - how long the conductor waits for workers.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/leave.h"
#include "base/log.h"
#include "base/minmax.h"
#include "base/progress.h"
#include "base/wait.h"
#include "run/conductor.h"
#include "run/life.h"
#include "run/peers.h"
#include "run/plan.h"
#include "run/test.h"

/* Instead of CONDUCTOR_STEP_NS: launchers of ranks kill them a second after
 * a signal. */
#define STEP_SHORT_NS (100 * NS_PER_MS)
/* To end by themselves after a signal. */
#define SIGNAL_PATIENCE_NS (200 * NS_PER_MS)
/* Later events get a line. */
#define LATE_NS (2 * NS_PER_S)
/* To notice the end and leave. */
#define NOTICE_NS (100 * NS_PER_MS)

/* Every second on a terminal, else every ten seconds. */
struct start_lines {
  bool wanted;
  bool shown; /* to be replaced */
  uint64_t next_ns;
};

static void start_lines_init(struct start_lines *l, const struct run *run)
{
  *l = (struct start_lines){ .wanted = run->plan->identity == IDENTITY_BENCH };
  l->next_ns = clock_now_ns() +
               (progress_stderr.columns(NULL) ? 1 : 10) * NS_PER_S;
}

static void deadline_start_line(struct start_lines *l, const struct run *run)
{
  char line[80];
  bool terminal;

  if (!l->wanted || clock_now_ns() < l->next_ns)
    return;
  terminal = progress_stderr.columns(NULL) > 0;
  (void)snprintf(line, sizeof(line), "Started %u of %u %ss",
                 (unsigned)atomic_load(&run->ready), run->plan->threads,
                 plan_worker_word(run->plan));
  progress_stderr.show(NULL, line, !terminal);
  l->shown = terminal;
  l->next_ns += (terminal ? 1 : 10) * NS_PER_S;
}

static uint64_t deadline_init(const struct plan *plan)
{
  return plan->init_timeout_ns == PLAN_NO_LIMIT
           ? WAIT_FOREVER
           : clock_now_ns() + plan->init_timeout_ns;
}

/* Each client that gets ready restarts the time. */
bool conductor_await_ready(struct conductor *c)
{
  struct run *run = &c->run;
  const struct plan *plan = run->plan;
  uint64_t until = deadline_init(plan);
  unsigned before = 0;
  struct start_lines lines;
  bool in_time = true;

  start_lines_init(&lines, run);
  for (;;) {
    const uint32_t news = atomic_load(&run->news);
    const unsigned ready = atomic_load(&run->ready);

    if (ready == plan->threads || atomic_load(&run->failed) > 0)
      break;
    if (plan->clients && ready > before) {
      until = deadline_init(plan);
      before = ready;
    }
    in_time = clock_now_ns() < until && atomic_load(&run->signal) == 0;
    if (!in_time)
      break;
    deadline_start_line(&lines, run);
    wait_while(&run->news, news,
               lines.wanted ? min_u64(until, lines.next_ns) : until);
  }
  if (lines.shown)
    progress_stderr.show(NULL, NULL, false);
  return in_time;
}

/* Perhaps not all workers could be started. */
static bool deadline_all_gone(const struct conductor *c)
{
  return atomic_load(&c->run.gone) == c->workers.n;
}

bool conductor_await_gone(struct conductor *c, uint64_t until_ns)
{
  struct run *run = &c->run;

  while (!deadline_all_gone(c)) {
    const uint32_t news = atomic_load(&run->news);

    if (deadline_all_gone(c))
      break;
    if (clock_now_ns() >= until_ns)
      return false;
    wait_while(&run->news, news, until_ns);
  }
  return true;
}

static uint64_t deadline_after(uint64_t when_ns, uint64_t by_ns)
{
  return by_ns > UINT64_MAX - when_ns ? WAIT_FOREVER : when_ns + by_ns;
}

uint64_t conductor_deadline(const struct conductor *c)
{
  const struct run *run = &c->run;
  const uint64_t now = clock_now_ns(), min = now + PLAN_REPORTS_NS;
  uint64_t until = now;

  if (c->forced)
    return min;
  if (run->end_ns != PLAN_NO_LIMIT && run->end_ns > now)
    until = run->end_ns;
  until = deadline_after(until, run->plan->grace_ns);
  return until > min ? until : min;
}

bool conductor_await_code(struct conductor *c, const _Atomic uint32_t *word,
                          uint32_t n)
{
  struct run *run = &c->run;
  const uint32_t before = atomic_load(&run->signal);
  uint64_t until = run->plan->grace_auto ? WAIT_FOREVER : conductor_deadline(c);
  bool signalled = false;

  for (;;) {
    const uint32_t news = atomic_load(&run->news);

    if (atomic_load(word) == n)
      return true;
    if (!signalled && atomic_load(&run->signal) != before) {
      signalled = true;
      until = min_u64(until, clock_now_ns() + CONDUCTOR_STEP_NS);
    }
    if (clock_now_ns() >= until)
      break;
    wait_while(&run->news, news, until);
  }
  leave_thread(run->leave);
  return false;
}

void conductor_wake_blocked(struct conductor *c)
{
  struct run *run = &c->run;
  const struct test_ops *ops = run->test->ops;
  const uint64_t step = run->plan->peers && atomic_load(&run->signal) != 0
                          ? STEP_SHORT_NS
                          : CONDUCTOR_STEP_NS;
  const uint64_t now = clock_now_ns();

  if (ops->interrupt) {
    ops->interrupt(run->test_run, INTERRUPT_CANCEL);
    if (conductor_await_gone(c, now + step))
      return;
    ops->interrupt(run->test_run, INTERRUPT_CUT);
    if (conductor_await_gone(c, now + 2 * step))
      return;
  }
  if (!deadline_all_gone(c))
    leave_thread(run->leave);
}

static void deadline_force(struct conductor *c)
{
  struct run *run = &c->run;

  c->forced_ns = clock_now_ns();
  c->forced = true;
  life_force(run);
  atomic_store(&run->forced, 1);
  c->unfinished = run_count_phase(run, WORKER_EVENT);
  (void)run_stop(run, STOP_FORCED);
  conductor_wake_blocked(c);
}

/* Writing back is measured, however long it takes; the automatic deadline is
 * for events. */
static bool deadline_is_finishing(struct run *run)
{
  return run->plan->grace_auto && run->test->ops->finish &&
         atomic_load(&run->drained) == run->plan->threads &&
         atomic_load(&run->signal) == 0;
}

/* A default must not throw work away, such as loading tables with
 * --events=8. The deadline holds after an error or a signal. */
static bool deadline_is_patient(struct run *run)
{
  const bool patient = run->plan->patient && run_stopped(run) == STOP_NO &&
                       atomic_load(&run->signal) == 0;

  if (patient && run->plan->identity == IDENTITY_BENCH)
    log_msg(LOG_WARNING,
            "events have not ended %llu s after the default time limit, and "
            "the run waits for them; Ctrl-C ends it with a report, and "
            "--forced-shutdown sets a limit",
            (unsigned long long)(run->plan->grace_ns / NS_PER_S));
  return patient;
}

/* No worker is inside an event: without a grace period, the deadline would
 * race with them. */
static bool leave_by_themselves(struct conductor *c)
{
  return run_count_phase(&c->run, WORKER_EVENT) == 0 &&
         conductor_await_gone(c, clock_now_ns() + NOTICE_NS);
}

/* A worker aside does not notice the end. */
static bool deadline_is_held_up(struct conductor *c)
{
  struct run *run = &c->run;
  unsigned before,
    aside = atomic_load(&run->aside) > 0 ? run_count_aside(run) : 0;

  if (aside == 0 || atomic_load(&run->life.left) + aside < c->workers.n)
    return false;
  run_end_load(run);
  if (atomic_load(&run->gone) + aside < c->workers.n)
    return false;
  do { /* one after the other */
    before = aside;
    if (conductor_await_gone(c, clock_now_ns() + NOTICE_NS))
      return false;
    aside = run_count_aside(run);
  } while (aside < before && atomic_load(&run->signal) == 0);
  return aside > 0;
}

static void deadline_say_late(const struct run *run)
{
  const struct plan *plan = run->plan;
  const unsigned late = run_count_phase(run, WORKER_EVENT);
  char limit[48] = "";

  if (late == 0)
    return; /* the test finishes */
  if (plan->grace_ns != PLAN_NO_LIMIT && !plan->patient)
    (void)snprintf(limit, sizeof(limit), " for %llu s at most",
                   (unsigned long long)(plan->grace_ns / NS_PER_S));
  log_msg(LOG_WARNING,
          "%llu s after the end of the time, %u of %u %ss are still in an "
          "event, and the run waits for them%s (see --forced-shutdown); Ctrl-C "
          "ends it with a report",
          (unsigned long long)(LATE_NS / NS_PER_S), late, plan->threads,
          plan_worker_word(plan), limit);
}

void conductor_await_end(struct conductor *c)
{
  struct run *run = &c->run;
  const struct plan *plan = run->plan;
  uint64_t deadline = WAIT_FOREVER, late = WAIT_FOREVER;

  if (run->end_ns != PLAN_NO_LIMIT) {
    deadline = deadline_after(run->end_ns, plan->grace_ns);
    if (plan->grace_auto && plan->identity == IDENTITY_BENCH)
      late = deadline_after(run->end_ns, LATE_NS);
  }
  while (!deadline_all_gone(c)) {
    const uint32_t news = atomic_load(&run->news);
    const uint64_t now = clock_now_ns();
    uint64_t early = WAIT_FOREVER;

    if (deadline_all_gone(c))
      break;
    if (deadline_is_held_up(c)) {
      conductor_wake_blocked(c);
      return;
    }
    if (atomic_load(&run->signal) != 0)
      early = now + SIGNAL_PATIENCE_NS;
    else if (run_stopped(run) != STOP_NO)
      early = deadline_after(now, plan->grace_ns);
    if (early < deadline)
      deadline = early;
    if (now >= deadline && !deadline_is_finishing(run) &&
        !deadline_is_patient(run)) {
      if (!leave_by_themselves(c))
        deadline_force(c);
      return;
    }
    if (now >= deadline)
      deadline = WAIT_FOREVER; /* a signal or an error wakes the conductor */
    if (now >= late) {
      late = WAIT_FOREVER;
      deadline_say_late(run);
    }
    wait_while(&run->news, news, min_u64(deadline, late));
  }
}
