#include "run/workers.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/machine/proc.h"
#include "base/machine/space.h"
#include "base/minmax.h"
#include "base/os/os.h"
#include "base/thread.h"
#include "base/wait.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "loop/overflow.h"
#include "run/life.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/storm.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/hist.h"
#include "stats/hist_sum.h"

static void workers_life(void *arg);

/* Counts as ready and gone.  The first one reports why, and clears the text.
 * NULL: the run ends anyway. */
static void workers_never_begun(struct worker *w, struct err *why)
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

static void workers_thread_ended(struct run *run)
{
  (void)atomic_fetch_add(&run->ended, 1);
  run_news(run);
}

/* ---- idle clients begin ---- */

enum {
  PLACES = 32, /* clients that open at a time */
};

/* Then as many begin again: servers can be far away, or clients wait for
 * each other. */
#define PATIENCE_NS (100 * NS_PER_MS)

/* NULL: all have begun. */
static struct worker *idle_take(struct carrier *c)
{
  const struct plan *plan = c->run->plan;

  while (c->next_idle < plan->threads) {
    const unsigned i = c->next_idle;

    c->next_idle += plan->carriers;
    if (plan_is_idle(plan, i))
      return &c->run->workers[i];
  }
  return NULL;
}

/* Neither `w` nor a later one begins. */
static void idle_give_up(struct carrier *c, struct worker *w, struct err *why)
{
  for (; w; w = idle_take(c))
    workers_never_begun(w, why);
}

static bool idle_begin_one(struct carrier *c)
{
  struct worker *w = idle_take(c);
  struct err err = { "" };

  if (!w)
    return false;
  if (run_stopped(c->run) != STOP_NO) {
    idle_give_up(c, w, NULL);
    return false;
  }
  if (loop_add(c->loop, workers_life, w, &err) < 0) {
    idle_give_up(c, w, &err);
    return false;
  }
  c->opening++;
  return true;
}

static void idle_opened(struct carrier *c)
{
  c->opening--;
  c->opened++;
  if (c->opening < PLACES)
    (void)idle_begin_one(c);
}

/* In a fiber: slow openings do not keep others waiting. */
static void idle_begin(void *arg)
{
  struct carrier *c = arg;
  uint64_t opened;

  do {
    for (unsigned i = 0; i < PLACES && idle_begin_one(c); i++)
      continue;
    do {
      opened = c->opened;
      loop_sleep_until(clock_now_ns() + PATIENCE_NS);
    } while (c->opened != opened);
  } while (c->next_idle < c->run->plan->threads);
}

/* ---- threads that carry the clients of a run ---- */

enum {
  CLIENT_STACK = 256 * 1024, /* only used pages take memory */
  CLIENT_LEAST = 16 * 1024,  /* bytes */
  MAPS_SPARE = 2048,         /* for the rest of the program */
  LOOK_EVERY = 256,          /* clients */
  MEMORY_SPARE = 64 << 20,   /* bytes, for other programs */
};

/* If stacks use up the maps, nothing else gets memory. */
static int check_maps(unsigned clients, struct err *err)
{
  const uint64_t needed = loop_maps_of_fiber() * (uint64_t)clients + MAPS_SPARE;
  uint64_t allowed;

  if (!proc_number(&allowed, "", "/proc/sys/vm/max_map_count") ||
      needed <= allowed)
    return 0;
  return err_set(err, -ENOMEM,
                 "%u clients need about %llu maps of memory, and a process may "
                 "have %llu; use fewer --clients, or raise vm.max_map_count",
                 clients, (unsigned long long)needed,
                 (unsigned long long)allowed);
}

static int check_memory(unsigned clients, struct err *err)
{
  const uint64_t needed = (uint64_t)clients * CLIENT_LEAST;
  struct space space = { .disk = SPACE_UNKNOWN, .block = 1 };

  space_look_memory("", &space);
  if (needed <= space_free(&space))
    return 0;
  return err_set(err, -ENOMEM,
                 "%u clients need more than %llu MiB of memory, and %llu MiB "
                 "are left; use fewer --clients",
                 clients, (unsigned long long)(needed >> 20),
                 (unsigned long long)(space_free(&space) >> 20));
}

/* The script decides how much a client takes.  Without memory the system
 * kills this or another process. */
static bool workers_clients_lack_memory(const struct worker *w, struct err *err)
{
  struct run *run = w->run;
  struct space space = { .disk = SPACE_UNKNOWN, .block = 1 };

  if (atomic_load_explicit(&run->memory_gone, memory_order_relaxed) != 0)
    return true;
  if (w->tid % LOOK_EVERY != LOOK_EVERY - 1)
    return false;
  space_look_memory("", &space);
  if (space_free(&space) >= MEMORY_SPARE)
    return false;
  if (atomic_exchange(&run->memory_gone, 1) == 0)
    (void)err_set(err, -ENOMEM,
                  "%u of %u clients are ready, and only %llu MiB of memory are "
                  "left; use fewer --clients",
                  (unsigned)atomic_load(&run->ready), run->plan->threads,
                  (unsigned long long)(space_free(&space) >> 20));
  return true;
}

int workers_make_clients(struct run *run, struct err *err)
{
  const unsigned n = run->plan->carriers;
  int rc;

  if (n == 0)
    return 0;
  rc = check_maps(run->plan->threads, err);
  if (rc == 0)
    rc = check_memory(run->plan->threads, err);
  if (rc < 0)
    return rc;
  run->carriers = calloc(n, sizeof(*run->carriers));
  for (unsigned i = 0; run->carriers && i < n; i++) {
    struct carrier *c = &run->carriers[i];

    c->run = run;
    c->number = i;
    c->lag = hist_new();
    if (!c->lag)
      break;
    if (i + 1 == n)
      return 0;
  }
  return err_set(err, -ENOMEM, "cannot allocate %u threads", n);
}

void workers_drop_clients(struct run *run)
{
  for (unsigned i = 0; run->carriers && i < run->plan->carriers; i++) {
    loop_free(atomic_load(&run->carriers[i].loop));
    hist_free(run->carriers[i].lag);
  }
  free(run->carriers);
}

/* An answer has come, and its client goes on only now. */
static void workers_record_lag(void *ctx, uint64_t ns)
{
  const struct carrier *c = ctx;
  const struct run *run = c->run;

  if (atomic_load_explicit(&run->gate, memory_order_relaxed) == GATE_OPEN &&
      (run->plan->warmup_ns == 0 ||
       atomic_load_explicit(&run->warm, memory_order_relaxed) == WARM_DONE))
    hist_record(c->lag, ns);
}

/* Every carriers-th worker; none without memory for all. */
static int workers_carry(struct carrier *c, struct loop *l, void *group,
                         struct err *err)
{
  struct run *run = c->run;
  const unsigned step = run->plan->carriers;
  int rc = run->plan->idle > 0 ? loop_add(l, idle_begin, c, err) : 0;

  c->next_idle = c->number;
  for (unsigned i = c->number; rc == 0 && i < run->plan->threads; i += step) {
    struct worker *w = &run->workers[i];

    w->group = group;
    if (!plan_is_idle(run->plan, i))
      rc = loop_add(l, workers_life, w, err);
  }
  if (rc == 0)
    loop_run(l);
  return rc;
}

static size_t client_stack(const struct plan *plan)
{
  return plan->stack_bytes > CLIENT_STACK ? plan->stack_bytes : CLIENT_STACK;
}

/* Clients can use up the file descriptors that loops need. */
static void workers_await_loops(struct run *run)
{
  uint32_t n;

  while ((n = atomic_load(&run->loops)) < run->plan->carriers)
    wait_while(&run->loops, n, WAIT_FOREVER);
}

static void workers_count_loops(struct run *run, unsigned n)
{
  (void)atomic_fetch_add(&run->loops, n);
  wait_wake_all(&run->loops);
}

static void workers_carry_all(struct carrier *c)
{
  struct run *run = c->run;
  const struct test_ops *ops = run->test->ops;
  const struct loop_setup setup = {
    .stack_bytes = client_stack(run->plan),
    .engine = (enum loop_engine)run->plan->cfg.client_engine,
  };
  struct err err = { "" };
  void *group = NULL;
  struct loop *l = NULL;
  int rc = loop_new(&l, &setup, &err);

  overflow_watch();
  workers_count_loops(run, 1);
  workers_await_loops(run);
  if (rc == 0) {
    loop_on_lag(l, workers_record_lag, c);
    atomic_store(&c->loop, l);
    rc = ops->group_open(run->test_run, &group, &err);
  }
  if (rc == 0) {
    rc = workers_carry(c, l, group, &err);
    ops->group_close(group);
  }
  if (rc == 0)
    return;
  for (unsigned i = c->number; i < run->plan->threads; i += run->plan->carriers)
    workers_never_begun(&run->workers[i], &err);
}

static void *workers_carrier_main(void *arg)
{
  struct carrier *c = arg;

  workers_carry_all(c);
  workers_thread_ended(c->run);
  return NULL;
}

/* ---- the life of a worker ---- */

/* Then workers outside of their loops go on. */
#define LEAVE_PATIENCE_NS (100 * NS_PER_MS)

static void workers_set_phase(struct worker *w, enum worker_phase phase)
{
  atomic_store_explicit(&w->phase, phase, memory_order_release);
}

static int loop_events(struct worker *w, void *thr, struct err *err)
{
  const struct test_ops *ops = w->run->test->ops;
  int rc = 0;

  while (rc == 0 && worker_step(w))
    rc = ops->event(thr, w, err);
  worker_abandon(w); /* open only after an error */
  return rc;
}

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

/* Longer than any run. */
#define NEVER_NS (UINT64_C(366) * 24 * 60 * 60 * NS_PER_S)

/* Pings are spread over the period. */
static uint64_t workers_first_pause(const struct worker *w)
{
  const struct plan *plan = w->plan;

  return (uint64_t)((double)plan->idle_ping_ns * (double)(w->tid + 1) /
                    (double)plan_clients(plan));
}

static int idle_loop(struct worker *w, void *thr, struct err *err)
{
  const struct test_ops *ops = w->run->test->ops;
  const uint64_t every = w->plan->idle_ping_ns;
  uint64_t pause_ns = every > 0 ? workers_first_pause(w) : NEVER_NS;
  int rc = 0;

  while (rc == 0 && worker_linger(w, pause_ns)) {
    if (every > 0)
      rc = ops->ping(thr, w, err);
    pause_ns = every > 0 ? every : NEVER_NS;
  }
  return rc;
}

static int workers_work(struct worker *w, void *thr, struct err *err)
{
  const struct test_ops *ops = w->run->test->ops;

  if (w->late)
    return storm_loop(w, thr, err);
  if (plan_is_idle(w->plan, w->tid))
    return idle_loop(w, thr, err);
  if (ops->loop)
    return ops->loop(thr, w, err);
  return ops->next ? loop_requests(w, thr, err) : loop_events(w, thr, err);
}

static void wait_for_drained(struct run *run)
{
  const unsigned all = run->plan->threads;
  uint32_t n = atomic_fetch_add(&run->drained, 1) + 1;

  if (n == all)
    loop_wake_all(&run->drained);
  while ((n = atomic_load(&run->drained)) < all)
    loop_wait_while(&run->drained, n, WAIT_FOREVER);
}

static void workers_wind_up(struct worker *w, void *thr, struct err *err)
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

static void workers_note_left(struct run *run)
{
  const unsigned all = run->plan->threads, left = life_worker_left(run);

  atomic_store(&run->left_ns, clock_now_ns());
  if (left == all)
    run_end_load(run);
  else if (left + atomic_load(&run->aside) >= all)
    run_news(run);
}

/* Before a forced end. */
static uint64_t workers_latest_close_ns(const struct run *run)
{
  const uint64_t grace_ns = run->plan->grace_ns;

  return run->end_ns == PLAN_NO_LIMIT || grace_ns == PLAN_NO_LIMIT
           ? WAIT_FOREVER
           : run->end_ns + grace_ns / 2;
}

/* Closing sessions takes a server's time from others' last events.  But
 * others can need something from this worker, such as locks: if none leaves
 * for some time, it goes on. */
static void workers_let_others_leave(struct worker *w, void *thr)
{
  struct run *run = w->run;
  const struct test_ops *ops = run->test->ops;
  const uint64_t latest_ns = workers_latest_close_ns(run);

  if (run_is_open(run, clock_now_ns()) || /* leaves before the others */
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

/* Clients of a thread wait together: only one counts. */
static bool counts_queue(const struct worker *w)
{
  const unsigned carriers = w->plan->carriers;

  return carriers == 0 || w->tid < carriers;
}

/* Wakes the conductor for the last worker; if the run does not end as
 * planned, for each. */
static void workers_note_gone(struct run *run)
{
  const uint32_t n = atomic_fetch_add(&run->gone, 1) + 1;

  if (n + atomic_load(&run->aside) >= run->plan->threads ||
      run_stopped(run) != STOP_NO || atomic_load(&run->gate) != GATE_OPEN)
    run_news(run);
}

static void workers_say_state(const struct worker *w, const char *what)
{
  log_msg(LOG_DEBUG, "Worker %s (#%u) %s", plan_worker_word(w->plan),
          plan_worker_number(w->plan, w->tid), what);
}

static bool workers_open_worker(struct worker *w, void **ret_thr,
                                struct err *err)
{
  const struct run *run = w->run;
  const struct test_ops *ops = run->test->ops;

  if (run->plan->carriers > 0 && workers_clients_lack_memory(w, err))
    return false;
  return !ops->thread_open ||
         ops->thread_open(run->test_run, w, ret_thr, err) == 0;
}

/* In a thread or fiber. */
static void workers_life(void *arg)
{
  struct worker *w = arg;
  struct run *run = w->run;
  const struct test_ops *ops = run->test->ops;
  void *thr = run->test_run;
  struct err err; /* not cleared: another page of each stack */
  uint64_t after_ns;
  bool called_off, opened, waits;

  err.text[0] = '\0';
  workers_say_state(w, "started");
  called_off = run_signal(run) != 0; /* starting thousands takes time */
  opened = !called_off && workers_open_worker(w, &thr, &err);
  w->thr = thr;
  workers_say_state(w, opened ? "initialized" : "failed to initialize!");
  if (run->plan->carriers > 0) { /* opening goes deeper than events */
    fiber_trim_stack();
    if (plan_is_idle(run->plan, w->tid))
      idle_opened(&run->carriers[plan_event_thread(run->plan, w->tid)]);
  } else {
    thread_trim_stack();
  }
  atomic_store(&w->os_id, (int)os_thread());
  workers_set_phase(w, WORKER_READY);
  if (!opened && run_signal(run) == 0)
    worker_failed(w, &err);
  if (atomic_fetch_add(&run->ready, 1) + 1 == run->plan->threads)
    run_news(run);

  while (atomic_load_explicit(&run->gate, memory_order_acquire) == GATE_CLOSED)
    loop_wait_while(&run->gate, GATE_CLOSED, WAIT_FOREVER);
  if (opened && atomic_load(&run->gate) == GATE_OPEN) {
    waits = counts_queue(w) && thread_queue_ns(&w->queue_before_ns);
    if (workers_work(w, thr, &err) < 0) {
      (void)atomic_fetch_add(&run->broken, 1);
      worker_failed(w, &err);
    }
    if (!ops->finish) /* else workers_wind_up() notes it */
      workers_note_left(run);
    if (waits && w->counted && thread_queue_ns(&after_ns))
      atomic_store(&w->queue_ns, after_ns - w->queue_before_ns);
    workers_set_phase(w, WORKER_ENDING);
    if (atomic_load(&w->left_ns) == 0)
      atomic_store(&w->left_ns, clock_now_ns());
    if (!ops->finish)
      workers_let_others_leave(w, thr);
    if (atomic_load(&run->forced) == 0)
      workers_wind_up(w, thr, &err);
  }
  if (opened && ops->thread_close)
    ops->thread_close(thr);
  workers_set_phase(w, WORKER_GONE);
  workers_note_gone(run);
}

static void *worker_main(void *arg)
{
  struct worker *w = arg;

  overflow_watch();
  workers_life(w);
  workers_thread_ended(w->run);
  return NULL;
}

int workers_start(struct workers *workers, struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;
  const bool carry = plan->carriers > 0;
  const unsigned n = plan_event_threads(plan);

  workers->run = run;
  workers->threads = calloc(n, sizeof(*workers->threads));
  if (!workers->threads)
    return err_set(err, -ENOMEM, "cannot allocate %u %ss", plan->threads,
                   plan_worker_word(plan));
  for (; workers->started < n; workers->started++) {
    const unsigned i = workers->started;
    const int rc = thread_start(
      &workers->threads[i], plan->stack_bytes,
      carry ? workers_carrier_main : worker_main,
      carry ? (void *)&run->carriers[i] : (void *)&run->workers[i], err);

    if (rc < 0) {
      if (carry)
        workers_count_loops(run, n - i);
      return rc;
    }
    workers->n += (plan->threads - i + n - 1) / n;
  }
  return 0;
}

void workers_release(struct workers *workers, unsigned gate)
{
  atomic_store_explicit(&workers->run->gate, gate, memory_order_release);
  loop_wake_all(&workers->run->gate);
}

void workers_join(struct workers *workers)
{
  for (unsigned i = 0; i < workers->started; i++)
    (void)pthread_join(workers->threads[i], NULL);
  free(workers->threads);
  workers->threads = NULL;
  workers->started = 0;
}
