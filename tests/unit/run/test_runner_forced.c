/*
 * test_runner_forced.c - runs whose workers do not return by themselves.
 *
 * From one step of interrupting to the next it takes a second; the runs of this
 * file are therefore processes that run side by side.
 */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/wait.h"
#include "run/runner.h"
#include "run/worker.h"
#include "tests/unit/run_probe.h"
#include "tests/unit/tap.h"

enum {
  ATTEMPTS = 5, /* each with three times the time limit of the last one */
};

/* A thread that was woken runs within this time, or the machine is too busy. */
#define WAKE_NS (NS_PER_S / 2)
/* The time limit of the first attempt. */
#define TIME_NS (200 * NS_PER_MS)

/*
 * Each child has its own.  Did the workers take their places before the time
 * limit, and did a blocked one wake up late?  On a machine that is too busy,
 * the run says nothing about the program and is repeated.
 */
static _Atomic bool placed, woke_late;
static _Atomic uint64_t woken_ns; /* when on_interrupt() woke it */

static _Atomic uint32_t out; /* workers that will begin no other event */

static int note_out(void *thr, struct worker *w, struct err *err)
{
  (void)thr, (void)w, (void)err;
  (void)atomic_fetch_add(&out, 1);
  wait_wake_all(&out);
  return 0;
}

static void hear_out(uint32_t n)
{
  uint32_t now;

  while ((now = atomic_load(&out)) < n)
    wait_while(&out, now, WAIT_FOREVER);
}

/* Worker 1 of 3 blocks in its event; the others leave when it does. */
static bool only_1(struct probe *p, struct worker *w)
{
  if (w->tid == 1)
    return true;
  probe_hear(p, 1);
  return false;
}

static int block(struct probe *p, struct worker *w, struct err *err)
{
  (void)err;
  probe_say(p, 1);
  hear_out(2);
  if (clock_now_ns() < worker_end_ns(w))
    atomic_store(&placed, true);
  probe_hear(p, 2);
  if (clock_now_ns() > atomic_load(&woken_ns) + WAKE_NS)
    atomic_store(&woke_late, true);
  return 0;
}

static void wake(struct probe *p)
{
  atomic_store(&woken_ns, clock_now_ns());
  probe_say(p, 2);
}

static void wake_at_cancel(struct probe *p, enum interrupt_step step)
{
  if (step == INTERRUPT_CANCEL)
    wake(p);
}

static void wake_at_cut(struct probe *p, enum interrupt_step step)
{
  if (step == INTERRUPT_CUT)
    wake(p);
}

static void never_wake(struct probe *p, enum interrupt_step step)
{
  (void)p, (void)step;
}

static bool count_is(const char *text, const char *word, unsigned n)
{
  for (; (text = strstr(text, word)); text++)
    n--;
  return n == 0;
}

static const char time_limit[] =
  "FATAL: The --max-time limit has expired, forcing shutdown...\n";

/* What all runs that were forced to end have in common. */
static bool forced(const struct probe *p)
{
  return p->status == EXIT_FORCED && strcmp(p->said, time_limit) == 0 &&
         p->finals == 1 && p->final.kind == REPORT_FORCED &&
         p->final.unfinished == 1 && p->final.threads_running == 1 &&
         p->final.events == 0 && /* what ends later does not count */
         p->final.elapsed_ns >= p->plan.time_ns && count_is(p->log, "end ", 0);
}

static bool judge_cancel(const struct probe *p)
{
  return forced(p) && !p->left && count_is(p->log, "cancel ", 1) &&
         count_is(p->log, "cut ", 0) && count_is(p->log, "thread_close ", 3) &&
         count_is(p->log, " close ", 1);
}

static bool judge_cut(const struct probe *p)
{
  const char *cancel = strstr(p->log, "cancel ");

  return forced(p) && !p->left && cancel && strstr(cancel, "cut ") &&
         count_is(p->log, "cancel ", 1) && count_is(p->log, "cut ", 1) &&
         count_is(p->log, "thread_close ", 3);
}

static bool judge_never(const struct probe *p)
{
  return forced(p) && p->left && count_is(p->log, "cancel ", 1) &&
         count_is(p->log, "cut ", 1) && count_is(p->log, " close ", 0) &&
         p->ends == 1;
}

/* Without a function that wakes anything. */
static bool judge_alone(const struct probe *p)
{
  return forced(p) && p->left && count_is(p->log, "cancel ", 0);
}

/* Requests in flight that nobody answers. */
static int hang_in_drain(void *thr, struct worker *w, struct err *err)
{
  const struct probe *p = thr;

  (void)err;
  if (w->tid == 1) {
    if (clock_now_ns() < worker_end_ns(w) + p->plan.grace_ns)
      atomic_store(&placed, true);
    probe_hear(thr, 2);
  }
  return 0;
}

static int short_event(struct probe *p, struct worker *w, struct err *err)
{
  (void)w, (void)err;
  probe_say(p, 1);
  return 0;
}

static bool judge_drain(const struct probe *p)
{
  return p->status == EXIT_FORCED && strcmp(p->said, time_limit) == 0 &&
         p->finals == 1 && p->final.kind == REPORT_FORCED &&
         p->final.unfinished == 0 && p->left && count_is(p->log, "finish ", 0);
}

/* Worker 0 fails while worker 1 is blocked and worker 2 has left. */
static bool all_but_2(struct probe *p, struct worker *w)
{
  (void)p;
  return w->tid != 2;
}

static int fail_beside(struct probe *p, struct worker *w, struct err *err)
{
  if (w->tid == 1) {
    probe_say(p, 1);
    probe_hear(p, 2);
    return 0;
  }
  probe_hear(p, 1);
  hear_out(1);
  return err_set(err, -EIO, "worker 0 fails");
}

static bool judge_error(const struct probe *p)
{
  return p->status == EXIT_FAILED && !p->left && p->finals == 1 &&
         p->final.unfinished == 1 && count_is(p->log, "cancel ", 1) &&
         strcmp(p->said, "FATAL: worker 0 fails\n") == 0;
}

/* A signal to the process while worker 1 is blocked. */
static int signal_beside(struct probe *p, struct worker *w, struct err *err)
{
  (void)err;
  if (w->tid == 1) {
    probe_say(p, 1);
    probe_hear(p, 2);
  } else if (w->tid == 0 && w->iteration == 1) {
    probe_hear(p, 1);
    (void)kill(getpid(), SIGTERM);
  }
  return 0;
}

static bool judge_signal(const struct probe *p)
{
  return p->status == EXIT_SIGNAL + SIGTERM && !p->left && p->finals == 1 &&
         p->final.unfinished >= 1 && count_is(p->log, "cancel ", 1) &&
         count_is(p->log, "end ", 0) &&
         strcmp(p->said, "WARNING: stopped by SIGTERM\n") == 0;
}

/* The second signal ends the process at once. */
static int signal_twice(struct probe *p, struct worker *w, struct err *err)
{
  (void)err;
  if (w->tid != 0)
    return 0;
  (void)kill(getpid(), SIGTERM);
  while (!worker_is_over(w)) /* the first one has arrived */
    continue;
  (void)kill(getpid(), SIGINT);
  probe_hear(p, 2);
  return 0;
}

static bool judge_too_late(const struct probe *p)
{
  (void)p;
  return false;
}

static bool too_busy(const struct probe *p)
{
  (void)p;
  return !atomic_load(&placed) || atomic_load(&woke_late);
}

static const struct {
  const char *what;
  int (*on_event)(struct probe *p, struct worker *w, struct err *err);
  void (*on_interrupt)(struct probe *p, enum interrupt_step step);
  bool (*judge)(const struct probe *p);
  bool (*on_next)(struct probe *p, struct worker *w); /* [opt] */
  bool automatic; /* the deadline is, and the test has a finish() */
  int (*drain)(void *thr, struct worker *w, struct err *err); /* [opt] */
} cases[] = {
  { "the polite step is enough", block, wake_at_cancel, judge_cancel, only_1 },
  { "the second step follows", block, wake_at_cut, judge_cut, only_1 },
  { "a worker that never returns is left behind", block, never_wake,
    judge_never, only_1 },
  { "an automatic deadline, while others wait to finish", block, never_wake,
    judge_never, only_1, true },
  { "an automatic deadline, while others wait to drain", short_event,
    never_wake, judge_drain, only_1, true, hang_in_drain },
  { "a test that cannot interrupt", block, NULL, judge_alone, only_1 },
  { "after an error it counts as failed, not as late", fail_beside,
    wake_at_cancel, judge_error, all_but_2 },
  { "a signal wakes what is blocked", signal_beside, wake_at_cancel,
    judge_signal },
  { "a second signal", signal_twice, NULL, judge_too_late },
};

static int start_case(size_t i, uint64_t time_ns)
{
  static struct probe p; /* each child has its own */
  int child;

  probe_init(&p);
  p.plan.threads = 3;
  p.plan.grace_ns = NS_PER_S;
  if (cases[i].on_next == only_1)
    p.plan.time_ns = time_ns;
  p.on_next = cases[i].on_next;
  p.on_event = cases[i].on_event;
  p.on_interrupt = cases[i].on_interrupt;
  if (!p.on_interrupt)
    p.ops.interrupt = NULL;
  p.ops.drain = cases[i].drain ? cases[i].drain : note_out;
  p.plan.grace_auto = cases[i].automatic;
  if (!cases[i].automatic)
    p.ops.finish = NULL; /* it would wait for the worker that is blocked */
  p.too_busy = cases[i].on_next == only_1 ? too_busy : NULL;
  child = probe_fork(&p, cases[i].judge);
  probe_done(&p);
  return child;
}

/* ---- a reporter that does not return ---- */

static void stay(struct probe *p, const struct report *r)
{
  (void)r;
  probe_hear(p, 2);
}

static unsigned threads_here(void)
{
  DIR *dir = opendir("/proc/self/task");
  unsigned n = 0;

  if (!dir)
    abort();
  while (readdir(dir))
    n++;
  (void)closedir(dir);
  return n;
}

/* The run is over.  The thread comes back when a checkpoint is long due. */
static bool judge_reporter(const struct probe *p)
{
  const unsigned before = threads_here();

  if (!p->left || p->intervals == 0) /* no thread would come back */
    return false;
  probe_say((struct probe *)(uintptr_t)p, 2);
  while (threads_here() == before)
    (void)sched_yield();
  return p->status == EXIT_FORCED && strcmp(p->said, time_limit) == 0 &&
         p->left && p->finals == 1 && p->intervals == 1 &&
         p->checkpoints == 0 && p->final.events > 0;
}

/* No event, or no line, within the time limit. */
static bool too_late_for_line(const struct probe *p)
{
  return p->final.events == 0 || p->intervals == 0;
}

static int start_reporter(size_t unused, uint64_t time_ns)
{
  const uint64_t checkpoint[] = { time_ns / 2 };
  static struct probe p;
  int child;

  probe_init(&p);
  (void)unused;
  p.plan.time_ns = time_ns;
  p.plan.grace_ns = 0;
  p.plan.interval_ns = time_ns / 3;
  p.plan.checkpoint_ns = checkpoint;
  p.plan.n_checkpoints = 1;
  p.on_interval = stay;
  p.too_busy = too_late_for_line;
  child = probe_fork(&p, judge_reporter);
  probe_done(&p);
  return child;
}

/* Start it again, with more time, as long as the machine is too busy. */
static bool await(int child, int (*start)(size_t i, uint64_t time_ns), size_t i)
{
  enum probe_verdict verdict = probe_await_verdict(child);
  uint64_t time_ns = TIME_NS;

  for (int n = 1; verdict == PROBE_RETRY && n < ATTEMPTS; n++) {
    time_ns *= 3;
    verdict = probe_await_verdict(start(i, time_ns));
  }
  if (verdict == PROBE_RETRY)
    printf("# the machine was too busy %d times\n", ATTEMPTS);
  return verdict == PROBE_GOOD;
}

int main(void)
{
  const int reporter = start_reporter(0, TIME_NS);
  int child[ARRAY_SIZE(cases)];

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
    child[i] = start_case(i, TIME_NS);
  for (size_t i = 0; i + 1 < ARRAY_SIZE(cases); i++)
    OK(await(child[i], start_case, i), cases[i].what);
  OK(probe_killed(child[ARRAY_SIZE(cases) - 1], SIGINT),
     "a second signal ends the process by that signal");
  OK(
    await(reporter, start_reporter, 0),
    "a reporter that does not return is left behind, and then touches nothing");
  return TAP_EXIT();
}
