/*
 * crew.c - the life of worker threads.
 */
#include "run/crew.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "base/wait.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "loop/overflow.h"
#include "os/os.h"
#include "run/clients.h"
#include "run/idle.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/storm.h"
#include "run/test.h"

/* If no worker leaves in this time, those that have left go on. */
#define LEAVE_PATIENCE_NS (100 * NS_PER_MS)

static void set_phase(struct worker *w, enum worker_phase phase)
{
  atomic_store_explicit(&w->phase, phase, memory_order_release);
}

void crew_never_begun(struct worker *w, struct err *why)
{
  struct run *run = w->run;

  if (why) {
    worker_failed(w, why);
    why->text[0] = '\0';
  }
  atomic_store(&w->phase, WORKER_GONE);
  (void)atomic_fetch_add(&run->ready, 1);
  (void)atomic_fetch_add(&run->gone, 1);
  run_news(run);
}

/* The loop of tests that have none of their own. */
static int loop_events(struct worker *w, void *thr, struct err *err)
{
  const struct test_ops *ops = w->run->test->ops;
  int rc = 0;

  while (rc == 0 && worker_step(w))
    rc = ops->event(thr, w, err);
  worker_abandon(w); /* open only after an error */
  return rc;
}

/* The same where the next request is chosen outside of the event's time. */
static int loop_requests(struct worker *w, void *thr, struct err *err)
{
  const struct test_ops *ops = w->run->test->ops;
  int rc = 0;

  while (rc == 0 && worker_more(w)) {
    if (!ops->next(thr, w)) {
      worker_give_back(w);
      break;
    }
    worker_start(w);
    rc = ops->event(thr, w, err);
    if (rc == 0)
      worker_stop(w);
  }
  worker_abandon(w);
  return rc;
}

static int work(struct worker *w, void *thr, struct err *err)
{
  const struct test_ops *ops = w->run->test->ops;

  if (w->late)
    return storm_loop(w, thr, err);
  if (idle_is(w->plan, w->tid))
    return idle_loop(w, thr, err);
  if (ops->loop)
    return ops->loop(thr, w, err);
  return ops->next ? loop_requests(w, thr, err) : loop_events(w, thr, err);
}

/* No worker finishes before all have drained. */
static void wait_for_drained(struct run *run)
{
  const unsigned all = run->plan->threads;
  uint32_t n = atomic_fetch_add(&run->drained, 1) + 1;

  if (n == all)
    run_wake(run, &run->drained);
  while ((n = atomic_load(&run->drained)) < all)
    loop_wait_while(&run->drained, n, WAIT_FOREVER);
}

static void wind_up(struct worker *w, void *thr, struct err *err)
{
  const struct test_ops *ops = w->run->test->ops;

  if (ops->drain && ops->drain(thr, w, err) < 0)
    worker_failed(w, err);
  if (ops->finish) {
    wait_for_drained(w->run);
    if (ops->finish(thr, w, err) < 0)
      worker_failed(w, err);
    atomic_store(&w->left_ns, clock_now_ns());
    (void)life_worker_left(w->run);
  }
}

static void note_left(struct run *run)
{
  const unsigned all = run->plan->threads, left = life_worker_left(run);

  atomic_store(&run->left_ns, clock_now_ns());
  if (left == all)
    run_end_load(run);
  else if (left + atomic_load(&run->aside) >= all)
    run_news(run);
}

/* A forced end must leave the time to close. */
static uint64_t latest_close_ns(const struct run *run)
{
  const uint64_t grace_ns = run->plan->grace_ns;

  return run->end_ns == PLAN_NO_LIMIT || grace_ns == PLAN_NO_LIMIT
           ? WAIT_FOREVER
           : run->end_ns + grace_ns / 2;
}

/*
 * Closing sessions takes a server's time from the last events of other workers.
 * So those that have left wait for them, unless none of them leaves: perhaps
 * they need what these hold, such as locks.
 */
static void let_others_leave(struct worker *w, void *thr)
{
  struct run *run = w->run;
  const struct test_ops *ops = run->test->ops;
  const uint64_t latest_ns = latest_close_ns(run);

  if (run_is_open(run, clock_now_ns()) || /* it leaves before the others */
      (ops->holds && ops->holds(thr)))
    return;
  while (atomic_load(&run->may_close) == 0) {
    const uint64_t until = min_u64(
      atomic_load(&run->left_ns) + LEAVE_PATIENCE_NS, latest_ns);

    if (clock_now_ns() >= until)
      run_let_close(run);
    loop_wait_while(&run->may_close, 0, until);
  }
}

/* The clients of a thread wait for a processor together: one of them counts. */
static bool counts_queue(const struct worker *w)
{
  const unsigned carriers = w->plan->carriers;

  return carriers == 0 || w->tid < carriers;
}

/*
 * The conductor need not hear of each of ten thousand workers: the last one
 * matters, and each when the run does not end as planned.
 */
static void note_gone(struct run *run)
{
  const uint32_t n = atomic_fetch_add(&run->gone, 1) + 1;

  if (n + atomic_load(&run->aside) >= run->plan->threads ||
      run_stopped(run) != STOP_NO || atomic_load(&run->gate) != GATE_OPEN)
    run_news(run);
}

/* "Worker thread (#3) started"; with clients "Worker client (#3) started". */
static void say_state(const struct worker *w, const char *what)
{
  log_msg(LOG_DEBUG, "Worker %s (#%u) %s", plan_worker_word(w->plan),
          plan_worker_number(w->plan, w->tid), what);
}

/* Makes what the worker needs.  Where there is no memory, one client says so.
 */
static bool open_worker(struct worker *w, void **ret_thr, struct err *err)
{
  const struct run *run = w->run;
  const struct test_ops *ops = run->test->ops;

  if (run->plan->carriers > 0 && clients_lack_memory(w, err))
    return false;
  return !ops->thread_open ||
         ops->thread_open(run->test_run, w, ret_thr, err) == 0;
}

void crew_worker_life(void *arg)
{
  struct worker *w = arg;
  struct run *run = w->run;
  const struct test_ops *ops = run->test->ops;
  void *thr = run->test_run;
  struct err err; /* not cleared, which would cost a page for each stack */
  uint64_t after_ns;
  bool called_off, opened, waits;

  err.text[0] = '\0';
  say_state(w, "started");
  called_off = run_signal(run) != 0; /* thousands of workers take a while */
  opened = !called_off && open_worker(w, &thr, &err);
  w->thr = thr;
  say_state(w, opened ? "initialized" : "failed to initialize!");
  if (run->plan->carriers > 0) { /* opening goes deeper than events do */
    fiber_trim_stack();
    if (idle_is(run->plan, w->tid))
      openings_next(
        &run->carriers[plan_event_thread(run->plan, w->tid)].openings);
  } else {
    thread_trim_stack();
  }
  atomic_store(&w->os_id, (int)os_thread());
  set_phase(w, WORKER_READY);
  if (!opened && run_signal(run) == 0)
    worker_failed(w, &err);
  if (atomic_fetch_add(&run->ready, 1) + 1 == run->plan->threads)
    run_news(run);

  while (atomic_load_explicit(&run->gate, memory_order_acquire) == GATE_CLOSED)
    loop_wait_while(&run->gate, GATE_CLOSED, WAIT_FOREVER);
  if (opened && atomic_load(&run->gate) == GATE_OPEN) {
    waits = counts_queue(w) && thread_queue_ns(&w->queue_before_ns);
    if (work(w, thr, &err) < 0) {
      (void)atomic_fetch_add(&run->broken, 1);
      worker_failed(w, &err);
    }
    if (!ops->finish) /* otherwise wind_up() notes it */
      note_left(run);
    if (waits && w->counted && thread_queue_ns(&after_ns))
      atomic_store(&w->queue_ns, after_ns - w->queue_before_ns);
    set_phase(w, WORKER_ENDING);
    if (atomic_load(&w->left_ns) == 0)
      atomic_store(&w->left_ns, clock_now_ns());
    if (!ops->finish)
      let_others_leave(w, thr);
    if (atomic_load(&run->forced) == 0)
      wind_up(w, thr, &err);
  }
  if (opened && ops->thread_close)
    ops->thread_close(thr);
  set_phase(w, WORKER_GONE);
  note_gone(run);
}

static void *worker_main(void *arg)
{
  struct worker *w = arg;

  overflow_watch();
  crew_worker_life(w);
  crew_thread_ended(w->run);
  return NULL;
}

/* ---- the crew ---- */

int crew_start(struct crew *crew, struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;

  crew->run = run;
  crew->threads = calloc(plan->threads, sizeof(*crew->threads));
  if (!crew->threads)
    return err_set(err, -ENOMEM, "cannot allocate %u %ss", plan->threads,
                   plan_worker_word(plan));
  if (plan->carriers > 0)
    return clients_start(crew, err);
  for (; crew->started < plan->threads; crew->started++) {
    int rc = thread_start(&crew->threads[crew->started], plan->stack_bytes,
                          worker_main, &run->workers[crew->started], err);

    if (rc < 0)
      return rc;
    crew->workers++;
  }
  return 0;
}

void crew_release(struct crew *crew, unsigned gate)
{
  atomic_store_explicit(&crew->run->gate, gate, memory_order_release);
  run_wake(crew->run, &crew->run->gate);
}

void crew_thread_ended(struct run *run)
{
  (void)atomic_fetch_add(&run->ended, 1);
  run_news(run);
}

void crew_join(struct crew *crew)
{
  for (unsigned i = 0; i < crew->started; i++)
    (void)pthread_join(crew->threads[i], NULL);
  free(crew->threads);
  crew->threads = NULL;
  crew->started = 0;
}
