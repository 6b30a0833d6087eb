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
#include "run/runner.h"
#include "run/worker.h"
#include "tests/unit/run_probe.h"
#include "tests/unit/tap.h"

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
  (void)w, (void)err;
  probe_say(p, 1);
  probe_hear(p, 2);
  return 0;
}

static void wake_at_cancel(struct probe *p, enum interrupt_step step)
{
  if (step == INTERRUPT_CANCEL)
    probe_say(p, 2);
}

static void wake_at_cut(struct probe *p, enum interrupt_step step)
{
  if (step == INTERRUPT_CUT)
    probe_say(p, 2);
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
  (void)err;
  if (w->tid == 1)
    probe_hear(thr, 2);
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

/* Worker 0 fails while worker 1 is blocked. */
static int fail_beside(struct probe *p, struct worker *w, struct err *err)
{
  if (w->tid == 1) {
    probe_say(p, 1);
    probe_hear(p, 2);
    return 0;
  }
  if (w->tid == 0) {
    probe_hear(p, 1);
    return err_set(err, -EIO, "worker 0 fails");
  }
  return 0;
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

static const struct {
  const char *what;
  int (*on_event)(struct probe *p, struct worker *w, struct err *err);
  void (*on_interrupt)(struct probe *p, enum interrupt_step step);
  bool (*judge)(const struct probe *p);
  bool timed;
  bool automatic; /* the deadline is, and the test has a finish() */
  int (*drain)(void *thr, struct worker *w, struct err *err); /* [opt] */
} cases[] = {
  { "the polite step is enough", block, wake_at_cancel, judge_cancel, true },
  { "the second step follows", block, wake_at_cut, judge_cut, true },
  { "a worker that never returns is left behind", block, never_wake,
    judge_never, true },
  { "an automatic deadline, while others wait to finish", block, never_wake,
    judge_never, true, true },
  { "an automatic deadline, while others wait to drain", short_event,
    never_wake, judge_drain, true, true, hang_in_drain },
  { "a test that cannot interrupt", block, NULL, judge_alone, true },
  { "after an error it counts as failed, not as late", fail_beside,
    wake_at_cancel, judge_error, false },
  { "a signal wakes what is blocked", signal_beside, wake_at_cancel,
    judge_signal, false },
  { "a second signal", signal_twice, NULL, judge_too_late, false },
};

static int start(size_t i)
{
  static struct probe p; /* each child has its own */
  int child;

  probe_init(&p);
  p.plan.threads = 3;
  p.plan.grace_ns = NS_PER_S; /* for others to leave, on a busy machine too */
  if (cases[i].timed) {
    p.plan.time_ns = 200 * NS_PER_MS;
    p.on_next = only_1;
  }
  p.on_event = cases[i].on_event;
  p.on_interrupt = cases[i].on_interrupt;
  if (!p.on_interrupt)
    p.ops.interrupt = NULL;
  if (cases[i].drain)
    p.ops.drain = cases[i].drain;
  p.plan.grace_auto = cases[i].automatic;
  if (!cases[i].automatic)
    p.ops.finish = NULL; /* it would wait for the worker that is blocked */
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

  probe_say((struct probe *)(uintptr_t)p, 2);
  while (threads_here() == before)
    (void)sched_yield();
  return p->status == EXIT_FORCED && strcmp(p->said, time_limit) == 0 &&
         p->left && p->finals == 1 && p->intervals == 1 &&
         p->checkpoints == 0 && p->final.events > 0;
}

static int start_reporter(void)
{
  static const uint64_t checkpoint[] = { 150 * NS_PER_MS };
  static struct probe p;
  int child;

  probe_init(&p);
  p.plan.time_ns = 300 * NS_PER_MS;
  p.plan.grace_ns = 0;
  p.plan.interval_ns = 100 * NS_PER_MS;
  p.plan.checkpoint_ns = checkpoint;
  p.plan.n_checkpoints = 1;
  p.on_interval = stay;
  child = probe_fork(&p, judge_reporter);
  probe_done(&p);
  return child;
}

int main(void)
{
  const int reporter = start_reporter();
  int child[ARRAY_SIZE(cases)];

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
    child[i] = start(i);
  for (size_t i = 0; i + 1 < ARRAY_SIZE(cases); i++)
    OK(probe_await(child[i]), cases[i].what);
  OK(probe_killed(child[ARRAY_SIZE(cases) - 1], SIGINT),
     "a second signal ends the process by that signal");
  OK(
    probe_await(reporter),
    "a reporter that does not return is left behind, and then touches nothing");
  return TAP_EXIT();
}
