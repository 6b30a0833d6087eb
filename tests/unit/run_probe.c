/*
 * run_probe.c - a test plug-in that logs its calls, and a reporter that keeps
 * what it received.
 */
#include "tests/unit/run_probe.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/wait.h"
#include "report/reporter.h"
#include "run/runner.h"
#include "run/worker.h"
#include "tests/unit/rand_usual.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects all logs */

/* Logs the call; returns whether it fails. */
static int called(struct probe *p, const char *name, const struct worker *w,
                  struct err *err)
{
  (void)pthread_mutex_lock(&lock);
  if (strlen(p->log) + strlen(name) + 2 < sizeof(p->log)) {
    strcat(p->log, name);
    strcat(p->log, " ");
  }
  (void)pthread_mutex_unlock(&lock);
  if (!p->fail_at || strcmp(p->fail_at, name) != 0)
    return 0;
  if (w && p->fail_tid != PROBE_ANY && p->fail_tid != (int)w->tid)
    return 0;
  return err_set(err, -EIO, "%s failed", name);
}

static int probe_open(const struct plan *plan, const void *cfg, void **ret_run,
                      struct err *err)
{
  struct probe *p = (void *)(uintptr_t)cfg;

  (void)plan;
  *ret_run = p;
  return called(p, "open", NULL, err);
}

static void probe_describe(void *run)
{
  (void)called(run, "describe", NULL, NULL);
}

static void probe_setup(void *run, struct report_setup *setup)
{
  (void)setup;
  (void)called(run, "setup", NULL, NULL);
}

static int probe_begin(void *run, struct err *err)
{
  return called(run, "begin", NULL, err);
}

static void probe_close(void *run)
{
  (void)called(run, "close", NULL, NULL);
}

static int probe_end(void *run, struct err *err)
{
  return called(run, "end", NULL, err);
}

static int probe_thread_open(void *run, struct worker *w, void **ret_thr,
                             struct err *err)
{
  struct probe *p = run;

  (void)atomic_fetch_add(&p->thread_opens, 1);
  *ret_thr = p;
  if (p->on_thread_open && p->on_thread_open(p, w) < 0)
    return err_set(err, -EIO, "thread_open was interrupted");
  return called(p, "thread_open", w, err);
}

static void probe_thread_close(void *thr)
{
  struct probe *p = thr;

  (void)called(p, "thread_close", NULL, NULL);
  (void)atomic_fetch_add(&p->thread_closes, 1);
  wait_wake_all(&p->thread_closes);
}

static bool probe_next(void *thr, struct worker *w)
{
  struct probe *p = thr;

  return p->on_next(p, w);
}

static int probe_event(void *thr, struct worker *w, struct err *err)
{
  struct probe *p = thr;

  (void)atomic_fetch_add(&p->events, 1);
  if (p->on_event)
    return p->on_event(p, w, err);
  return called(p, "event", w, err);
}

static int probe_drain(void *thr, struct worker *w, struct err *err)
{
  return called(thr, "drain", w, err);
}

static int probe_finish(void *thr, struct worker *w, struct err *err)
{
  return called(thr, "finish", w, err);
}

static void probe_interrupt(void *run, enum interrupt_step step)
{
  struct probe *p = run;

  (void)called(p, step == INTERRUPT_CANCEL ? "cancel" : "cut", NULL, NULL);
  if (p->on_interrupt)
    p->on_interrupt(p, step);
}

static int reporter_call(const struct probe *p, const char *name,
                         struct err *err)
{
  if (p->reporter_fails && strcmp(p->reporter_fails, name) == 0)
    return err_set(err, -EIO, "%s of the reporter failed", name);
  return 0;
}

static int rep_begin(void *ctx, const struct report_setup *setup,
                     struct err *err)
{
  (void)setup;
  return reporter_call(ctx, "begin", err);
}

static int rep_interval(void *ctx, const struct report_setup *setup,
                        const struct report *r, struct err *err)
{
  struct probe *p = ctx;

  (void)setup;
  p->intervals++;
  if (p->on_interval)
    p->on_interval(p, r);
  return reporter_call(p, "interval", err);
}

static int rep_checkpoint(void *ctx, const struct report_setup *setup,
                          const struct report *r, struct err *err)
{
  struct probe *p = ctx;

  (void)setup;
  p->checkpoints++;
  if (p->on_checkpoint)
    p->on_checkpoint(p, r);
  return reporter_call(p, "checkpoint", err);
}

static int rep_final(void *ctx, const struct report_setup *setup,
                     const struct report *r, struct err *err)
{
  struct probe *p = ctx;

  (void)setup;
  p->finals++;
  p->final = *r;
  return reporter_call(p, "final", err);
}

static int rep_over(void *ctx, const struct run_end *end, struct err *err)
{
  struct probe *p = ctx;

  (void)err;
  p->reason = end->reason;
  p->arrivals = end->arrivals;
  p->backlog = end->backlog;
  p->wall_ns = end->client.wall_ns;
  p->cpu_ns = end->client.user_ns + end->client.system_ns;
  return 0;
}

static int rep_end(void *ctx, struct err *err)
{
  struct probe *p = ctx;

  p->ends++;
  return reporter_call(p, "end", err);
}

static const struct reporter probe_reporter = {
  .name = "probe",
  .begin = rep_begin,
  .interval = rep_interval,
  .checkpoint = rep_checkpoint,
  .final = rep_final,
  .over = rep_over,
  .end = rep_end,
};

void probe_init(struct probe *p)
{
  struct rand_params *rand = malloc(sizeof(*rand));

  if (!rand)
    abort();
  *rand = rand_usual(RAND_UNIFORM);
  memset(p, 0, sizeof(*p));
  p->fail_tid = PROBE_ANY;
  p->plan = (struct plan){
    .threads = 1,
    .init_timeout_ns = PLAN_NO_LIMIT,
    .events = PLAN_NO_LIMIT,
    .time_ns = PLAN_NO_LIMIT,
    .grace_ns = PLAN_NO_LIMIT,
    .report = { .percentile = 95 },
    .percentiles = true,
    .seed = 1,
    .rand = rand,
  };
  p->ops = (struct test_ops){
    .open = probe_open,
    .describe = probe_describe,
    .setup = probe_setup,
    .begin = probe_begin,
    .close = probe_close,
    .end = probe_end,
    .thread_open = probe_thread_open,
    .thread_close = probe_thread_close,
    .event = probe_event,
    .drain = probe_drain,
    .finish = probe_finish,
    .interrupt = probe_interrupt,
  };
}

void probe_done(struct probe *p)
{
  free((void *)(uintptr_t)p->plan.rand);
}

void probe_run(struct probe *p)
{
  const struct reporter_use use = { &probe_reporter, p };
  const int saved = dup(STDERR_FILENO);
  FILE *said = tmpfile(), *nowhere = fopen("/dev/null", "w");
  struct test test = { .name = "probe",
                       .ops = &p->ops,
                       .no_deadline = p->no_deadline };

  if (saved < 0 || !said || !nowhere)
    abort();
  if (p->on_next)
    p->ops.next = probe_next;
  (void)dup2(fileno(said), STDERR_FILENO);
  log_set_advice(LOG_DEBUG); /* this machine may be busy */
  log_set_text(nowhere);
  if (p->plan.all_threads == 0) { /* a run of one process */
    p->plan.all_threads = p->plan.threads;
    p->plan.parts = 1;
  }
  p->status = runner_run(&p->plan, &test, p, &use, 1, &p->leave);
  p->left = leave_any(&p->leave);
  log_flush();
  log_set_text(NULL);
  (void)fclose(nowhere);
  (void)dup2(saved, STDERR_FILENO);
  (void)close(saved);
  rewind(said);
  p->said[fread(p->said, 1, sizeof(p->said) - 1, said)] = '\0';
  (void)fclose(said);
}

/* What the judge refused. */
static void diagnose(const struct probe *p)
{
  char text[sizeof(p->log) + sizeof(p->said) + 512];
  const int n = snprintf(
    text, sizeof(text),
    "# status %d, %u final reports, kind %d, %u unfinished, %u running, "
    "%llu events, %llu ns, left %d\n# calls: %s\n# said: %s\n",
    p->status, p->finals, (int)p->final.kind, (unsigned)p->final.unfinished,
    (unsigned)p->final.threads_running, (unsigned long long)p->final.events,
    (unsigned long long)p->final.elapsed_ns, p->left, p->log, p->said);

  (void)!write(STDOUT_FILENO, text, (size_t)n);
}

int probe_fork(struct probe *p, bool (*judge)(const struct probe *p))
{
  int child;

  (void)fflush(stdout);
  child = fork();
  if (child != 0)
    return child;
  (void)alarm(60); /* against a hang; nothing waits for it */
  probe_run(p);
  if (judge(p))
    _exit(PROBE_GOOD);
  if (p->too_busy && p->too_busy(p))
    _exit(PROBE_RETRY);
  diagnose(p);
  _exit(PROBE_BAD);
}

enum probe_verdict probe_await_verdict(int child)
{
  int status = -1;

  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
    printf("# wait status %#x\n", (unsigned)status);
    return PROBE_BAD;
  }
  return WEXITSTATUS(status) <= PROBE_RETRY
           ? (enum probe_verdict)WEXITSTATUS(status)
           : PROBE_BAD;
}

bool probe_await(int child)
{
  return probe_await_verdict(child) == PROBE_GOOD;
}

bool probe_killed(int child, int number)
{
  int status = 0;

  return waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
         WTERMSIG(status) == number;
}

void probe_say(struct probe *p, uint32_t word)
{
  atomic_store(&p->word, word);
  wait_wake_all(&p->word);
}

void probe_hear(struct probe *p, uint32_t word)
{
  uint32_t now;

  while ((now = atomic_load(&p->word)) < word)
    wait_while(&p->word, now, WAIT_FOREVER);
}
