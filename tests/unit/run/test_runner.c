/*
 * test_runner.c - the calls of a run and their order, also if one of them
 * fails.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#include "base/err.h"
#include "base/thread.h"
#include "run/runner.h"
#include "run/worker.h"
#include "tests/unit/run_probe.h"
#include "tests/unit/tap.h"

static void test_order(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.events = 2;
  probe_run(&p);
  OK_STR(p.log,
         "open setup describe begin thread_open event event drain finish "
         "thread_close end close ",
         "all calls in their order");
  OK(p.status == EXIT_OK && !p.left, "success");
  OK(p.finals == 1 && p.ends == 1, "one final report, and the reporter's end");
  OK(p.final.kind == REPORT_FINAL && p.final.events == 2, "it has both events");
  OK(p.final.threads == 1 && p.final.threads_running == 0,
     "one thread, and it has ended");
  OK_STR(p.said, "", "nothing on stderr");
  probe_done(&p);
}

static void test_fewest(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.events = 3;
  p.ops = (struct test_ops){ .open = p.ops.open, .event = p.ops.event };
  probe_run(&p);
  OK_STR(p.log, "open event event event ", "open and event are enough");
  OK(p.status == EXIT_OK, "and the run succeeds");
  probe_done(&p);
}

static const struct {
  const char *fail_at;
  const char *log;
  const char *said;
  unsigned finals;
} failure[] = {
  { "open", "open ", "FATAL: open failed\n", 0 },
  { "begin", "open setup describe begin close ", "FATAL: begin failed\n", 0 },
  { "thread_open", "open setup describe begin thread_open close ",
    "FATAL: thread_open failed\n", 0 },
  { "event",
    "open setup describe begin thread_open event drain finish thread_close end "
    "close ",
    "FATAL: event failed\n", 1 },
  { "drain",
    "open setup describe begin thread_open event event drain finish "
    "thread_close end close ",
    "FATAL: drain failed\n", 1 },
  { "finish",
    "open setup describe begin thread_open event event drain finish "
    "thread_close end close ",
    "FATAL: finish failed\n", 1 },
  { "end",
    "open setup describe begin thread_open event event drain finish "
    "thread_close end close ",
    "FATAL: end failed\n", 1 },
};

static void test_failures(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(failure); i++) {
    struct probe p;

    probe_init(&p);
    p.plan.events = 2;
    p.fail_at = failure[i].fail_at;
    probe_run(&p);
    OK_STR(p.log, failure[i].log, failure[i].fail_at);
    OK_STR(p.said, failure[i].said, "the message");
    OK(p.status == EXIT_FAILED && !p.left, "the exit status");
    OK(p.finals == failure[i].finals, "the final report");
    OK(p.ends == 1, "the reporter's end");
    probe_done(&p);
  }
}

static const struct {
  const char *fails;
  const char *log;
  unsigned finals;
} reporter_failure[] = {
  { "begin", "open setup close ", 0 },
  { "final",
    "open setup describe begin thread_open event drain finish thread_close end "
    "close ",
    1 },
  { "end",
    "open setup describe begin thread_open event drain finish thread_close end "
    "close ",
    1 },
};

static void test_reporter_failures(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(reporter_failure); i++) {
    struct probe p;

    probe_init(&p);
    p.plan.events = 1;
    p.reporter_fails = reporter_failure[i].fails;
    probe_run(&p);
    OK_STR(p.log, reporter_failure[i].log, reporter_failure[i].fails);
    OK(p.status == EXIT_FAILED, "the exit status");
    OK(strstr(p.said, "of the reporter failed") != NULL, "the message");
    OK(p.finals == reporter_failure[i].finals, "the final report");
    probe_done(&p);
  }
}

/* Worker 1 hangs until it is released. */
static int hang_in_1(struct probe *p, struct worker *w)
{
  if (w->tid != 1)
    return 0;
  probe_hear(p, 1);
  return -1;
}

static void let_go(struct probe *p, enum interrupt_step step)
{
  (void)step;
  probe_say(p, 1);
}

/* Like sysbench, the program prints the consequence, too. */
static void test_barrier_as_sysbench(void)
{
  static const struct {
    enum compat compat;
    const char *said;
  } level[] = {
    { COMPAT_1_0,
      "FATAL: thread_open failed\nFATAL: Thread initialization failed!\n" },
    { COMPAT_1_1,
      "FATAL: thread_open failed\nFATAL: Threads initialization failed!\n" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(level); i++) {
    struct probe p;

    probe_init(&p);
    p.fail_at = "thread_open";
    p.plan.identity = IDENTITY_SYSBENCH;
    p.plan.compat = level[i].compat;
    probe_run(&p);
    OK_STR(p.said, level[i].said, "the words of this level");
    probe_done(&p);
  }
}

static void test_barrier(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.threads = 3;
  p.plan.events = 10;
  p.fail_at = "thread_open";
  p.fail_tid = 1;
  probe_run(&p);
  OK(p.status == EXIT_FAILED, "one of three workers failed to open");
  OK(p.thread_opens == 3 && p.thread_closes == 2, "those that did are closed");
  OK(p.events == 0 && p.finals == 0, "no event, no report");
  OK_STR(p.said, "FATAL: thread_open failed\n", "the reason, once");
  probe_done(&p);

  probe_init(&p);
  p.plan.threads = 2;
  p.fail_at = "thread_open";
  p.fail_tid = 0;
  p.on_thread_open = hang_in_1;
  p.on_interrupt = let_go;
  p.plan.compat = COMPAT_1_1;
  probe_run(&p);
  OK(p.status == EXIT_FAILED && !p.left,
     "a failure does not wait for workers that are not ready");
  OK(strstr(p.log, "cancel ") != NULL, "they are interrupted");
  OK(strncmp(p.said, "FATAL: thread_open failed\n", 26) == 0 &&
       !strstr(p.said, "initialization"),
     "the reason says it all");
  probe_done(&p);
  test_barrier_as_sysbench();
}

/* The run leaves threads behind, so it is judged in a separate process. */
static bool not_in_time(const struct probe *p)
{
  return p->status == EXIT_FORCED && p->left && p->events == 0 &&
         p->finals == 0 && p->ends == 1 &&
         strcmp(p->said,
                "FATAL: Worker threads failed to initialize within 0.001 "
                "seconds!\n") == 0;
}

static void test_init_timeout(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.threads = 2;
  p.plan.init_timeout_ns = 1000000;
  p.on_thread_open = hang_in_1;
  OK(probe_await(probe_fork(&p, not_in_time)), "workers not ready in time");
  probe_done(&p);
}

static int loop_twice(void *thr, struct worker *w, struct err *err)
{
  struct probe *p = thr;

  (void)err;
  while (worker_more(w)) {
    worker_start(w);
    p->events++;
    worker_stop(w);
  }
  return 0;
}

static void test_own_loop(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.events = 2;
  p.ops.loop = loop_twice;
  probe_run(&p);
  OK_STR(p.log,
         "open setup describe begin thread_open drain finish thread_close end "
         "close ",
         "a loop instead of events");
  OK(p.events == 2 && p.final.events == 2, "its events count");
  probe_done(&p);
}

static void test_no_threads(void)
{
  struct probe p;

  probe_init(&p);
  p.plan.events = 1;
  p.plan.stack_bytes = SIZE_MAX / 2 + 1;
  probe_run(&p);
  OK(p.status == EXIT_FAILED, "a stack that the system refuses");
  OK(strncmp(p.said, "FATAL: cannot use a thread stack of ", 36) == 0,
     "is named");
  OK_STR(p.log, "open setup describe begin close ", "nothing is left open");
  probe_done(&p);
}

/* Threads with this stack can be started until there are no more. */
enum {
  SCARCE_STACK = 1 << 20,
};
static unsigned scarce;

int __real_thread_start(pthread_t *ret, size_t stack_bytes, void *(*fn)(void *),
                        void *arg, struct err *err);
int __wrap_thread_start(pthread_t *ret, size_t stack_bytes, void *(*fn)(void *),
                        void *arg, struct err *err);

int __wrap_thread_start(pthread_t *ret, size_t stack_bytes, void *(*fn)(void *),
                        void *arg, struct err *err)
{
  if (stack_bytes == SCARCE_STACK && scarce-- == 0)
    return err_set(err, -EAGAIN, "no more threads");
  return __real_thread_start(ret, stack_bytes, fn, arg, err);
}

static bool gave_up(const struct probe *p)
{
  return p->status == EXIT_FAILED && p->finals == 0 && p->events == 0 &&
         p->ends == 1 && strstr(p->said, "FATAL: no more threads\n");
}

static bool woken(const struct probe *p)
{
  return gave_up(p) && !p->left && strstr(p->log, "cancel ") &&
         p->thread_closes == 1;
}

static bool left_behind(const struct probe *p)
{
  return gave_up(p) && p->left && strstr(p->log, "cut ");
}

static void ignore(struct probe *p, enum interrupt_step step)
{
  (void)p, (void)step;
}

/* Two of three threads exist, and the second one is blocked. */
static int start_scarce(void (*on_interrupt)(struct probe *p,
                                             enum interrupt_step step),
                        bool (*judge)(const struct probe *p))
{
  struct probe p;
  int child;

  probe_init(&p);
  scarce = 2;
  p.plan.threads = 3;
  p.plan.stack_bytes = SCARCE_STACK;
  p.on_thread_open = hang_in_1;
  p.on_interrupt = on_interrupt;
  child = probe_fork(&p, judge);
  probe_done(&p);
  return child;
}

static void test_scarce_threads(void)
{
  const int polite = start_scarce(let_go, woken),
            stubborn = start_scarce(ignore, left_behind);

  OK(probe_await(polite), "not all threads can be started: the others go");
  OK(probe_await(stubborn), "or are left behind");
}

int main(void)
{
  (void)alarm(600); /* against a hang; nothing waits for it */
  test_order();
  test_fewest();
  test_failures();
  test_reporter_failures();
  test_barrier();
  test_init_timeout();
  test_own_loop();
  test_no_threads();
  test_scarce_threads();
  return TAP_EXIT();
}
