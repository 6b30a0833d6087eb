/*
 * test_openings.c - idle clients of a thread begin a few at a time, and none of
 * them waits for one that does not come forward.
 */
#include <errno.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/wait.h"
#include "loop/loop.h"
#include "run/plan.h"
#include "run/runner.h"
#include "run/worker.h"
#include "tests/unit/run_probe.h"
#include "tests/unit/tap.h"

enum {
  CLIENTS = 400,
  WORKING = 3,
  FEW = 32, /* as src/run/workers.c says */
};

/* Only the thread that carries the clients uses these. */
static struct {
  unsigned inside, most, idle;
} seen;

static int group_open(void *run, void **ret, struct err *err)
{
  (void)run, (void)err;
  *ret = NULL;
  return 0;
}

static void group_close(void *group)
{
  (void)group;
}

static int nothing(struct probe *p, struct worker *w, struct err *err)
{
  (void)p, (void)w, (void)err;
  return 0;
}

static void begin(struct probe *p, int (*open)(struct probe *, struct worker *))
{
  seen.inside = seen.most = seen.idle = 0;
  probe_init(p);
  p->plan.threads = CLIENTS;
  p->plan.carriers = 1;
  p->plan.idle = CLIENTS - WORKING;
  p->plan.events = 10;
  p->ops.group_open = group_open;
  p->ops.group_close = group_close;
  p->ops.finish = NULL; /* those who are done would wait for the idle ones */
  p->on_thread_open = open;
  p->on_event = nothing;
}

static void enter(const struct worker *w)
{
  if (!plan_is_idle(w->plan, w->tid))
    return;
  seen.idle++;
  seen.inside++;
  seen.most = seen.inside > seen.most ? seen.inside : seen.most;
}

/* Lets all others of the thread go on, a few times. */
static int quick(struct probe *p, struct worker *w)
{
  _Atomic uint32_t never = 0;

  (void)p;
  enter(w);
  for (int i = 0; i < 3; i++)
    loop_wait_while(&never, 0, clock_now_ns() + 1000);
  seen.inside -= plan_is_idle(w->plan, w->tid);
  return 0;
}

static void test_few(void)
{
  struct probe p;

  begin(&p, quick);
  probe_run(&p);
  OK(p.status == EXIT_OK && p.thread_opens == CLIENTS &&
       p.thread_closes == CLIENTS && seen.idle == CLIENTS - WORKING,
     "all clients are opened, and closed");
  OK(seen.most >= FEW / 2 && seen.most <= FEW,
     "a few are opened at a time, and not many");
  probe_done(&p);
}

/* Each waits until all have come. */
static int together(struct probe *p, struct worker *w)
{
  uint32_t n;

  enter(w);
  if (atomic_load(&p->thread_opens) == CLIENTS)
    probe_say(p, 1);
  while ((n = atomic_load(&p->word)) == 0)
    loop_wait_while(&p->word, n, clock_now_ns() + NS_PER_MS);
  return 0;
}

static void test_together(void)
{
  struct probe p;

  begin(&p, together);
  probe_run(&p);
  OK(p.status == EXIT_OK && p.thread_closes == CLIENTS,
     "clients that wait for each other all begin");
  OK(seen.most == CLIENTS - WORKING, "they were there together");
  probe_done(&p);
}

/* The first idle one fails, and the others then have no reason to begin. */
static int fails(struct probe *p, struct worker *w)
{
  (void)quick(p, w);
  return plan_is_idle(w->plan, w->tid) ? -EIO : 0;
}

static void test_failure(void)
{
  struct probe p;

  begin(&p, fails);
  probe_run(&p);
  OK(p.status == EXIT_FAILED, "the run fails");
  OK(seen.idle >= 1 && seen.idle <= FEW + 1,
     "those that have not begun do not begin any more");
  probe_done(&p);
}

int main(void)
{
  test_few();
  test_together();
  test_failure();
  return TAP_EXIT();
}
