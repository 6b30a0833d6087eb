/*
 * clients.c - threads that carry the clients of a run.
 */
#include "run/clients.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/space.h"
#include "base/thread.h"
#include "base/wait.h"
#include "loop/loop.h"
#include "loop/overflow.h"
#include "report/life.h"
#include "run/crew.h"
#include "run/idle.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/test.h"
#include "stats/hist.h"
#include "stats/hist_sum.h"

enum {
  CLIENT_STACK = 256 * 1024, /* at least; only what is used takes memory */
  CLIENT_LEAST = 16 * 1024,  /* bytes that the least client takes */
  MAPS_SPARE = 2048,         /* of memory, for all the rest of the program */
  LOOK_EVERY = 256,        /* clients that start between looks at the memory */
  MEMORY_SPARE = 64 << 20, /* bytes that they leave to all other programs */
  HELD_AT_WORK = 10, /* code that computes has this part of the time at least,
                      * though others use the processors, too */
};

/* Where stacks use up the maps that the system allows, nothing else gets memory
 * either. */
static int check_maps(unsigned clients, struct err *err)
{
  const uint64_t needed = loop_maps_of_fiber() * (uint64_t)clients + MAPS_SPARE;
  FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
  unsigned long long allowed = 0;
  const bool known = f && fscanf(f, "%llu", &allowed) == 1;

  if (f)
    (void)fclose(f);
  if (!known || needed <= allowed)
    return 0;
  return err_set(err, -ENOMEM,
                 "%u clients need about %llu maps of memory, and a process may "
                 "have %llu; use fewer --clients, or raise vm.max_map_count",
                 clients, (unsigned long long)needed, allowed);
}

/* Rather no client than a machine without memory. */
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

/*
 * Scripts decide how much a client takes, so this is only known as they start.
 * When nothing is left, the system ends the process, or another one, without a
 * word.
 */
bool clients_lack_memory(const struct worker *w, struct err *err)
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

int clients_make(struct run *run, struct err *err)
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

void clients_done(struct run *run)
{
  for (unsigned i = 0; run->carriers && i < run->plan->carriers; i++) {
    loop_free(atomic_load(&run->carriers[i].loop));
    hist_free(run->carriers[i].lag);
  }
  free(run->carriers);
}

/* An answer has come, and its client goes on only now. */
static void record_lag(void *ctx, uint64_t ns)
{
  const struct carrier *c = ctx;
  const struct run *run = c->run;

  if (atomic_load_explicit(&run->gate, memory_order_relaxed) == GATE_OPEN &&
      (run->plan->warmup_ns == 0 ||
       atomic_load_explicit(&run->warm, memory_order_relaxed) == WARM_DONE))
    hist_record(c->lag, ns);
}

/* The clients of this thread are every carriers-th worker.  If one of them gets
 * no memory, none begins. */
static int carry(struct carrier *c, struct loop *l, void *group,
                 struct err *err)
{
  struct run *run = c->run;
  const unsigned step = run->plan->carriers;
  int rc = openings_begin(&c->openings, run, l, c->number, step, err);

  for (unsigned i = c->number; rc == 0 && i < run->plan->threads; i += step) {
    struct worker *w = &run->workers[i];

    w->group = group;
    if (!idle_is(run->plan, i))
      rc = loop_add(l, crew_worker_life, w, err);
  }
  if (rc == 0)
    loop_run(l);
  return rc;
}

static size_t client_stack(const struct plan *plan)
{
  return plan->stack_bytes > CLIENT_STACK ? plan->stack_bytes : CLIENT_STACK;
}

static struct loop_mark mark_of(const struct loop *l)
{
  const struct loop_counts *n = loop_counts(l);

  return (struct loop_mark){
    .turns = atomic_load_explicit(&n->turns, memory_order_relaxed),
    .answers = atomic_load_explicit(&n->arrived, memory_order_relaxed),
    .blocked = atomic_load_explicit(&n->blocked, memory_order_relaxed),
  };
}

/* Clients may use up all files that can be open, so no thread lets them begin
 * before the others have what a loop needs. */
static void await_loops(struct run *run)
{
  uint32_t n;

  while ((n = atomic_load(&run->loops)) < run->plan->carriers)
    wait_while(&run->loops, n, WAIT_FOREVER);
}

/* So many threads have one, or will have none. */
static void count_loops(struct run *run, unsigned n)
{
  (void)atomic_fetch_add(&run->loops, n);
  wait_wake_all(&run->loops);
}

static void carry_all(struct carrier *c)
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
  count_loops(run, 1);
  await_loops(run);
  if (rc == 0) {
    loop_on_lag(l, record_lag, c);
    atomic_store(&c->loop, l);
    rc = ops->group_open(run->test_run, &group, &err);
  }
  if (rc == 0) {
    rc = carry(c, l, group, &err);
    ops->group_close(group);
  }
  if (rc == 0)
    return;
  for (unsigned i = c->number; i < run->plan->threads; i += run->plan->carriers)
    crew_never_begun(&run->workers[i], &err);
}

static void *carrier_main(void *arg)
{
  struct carrier *c = arg;

  carry_all(c);
  crew_thread_ended(c->run);
  return NULL;
}

int clients_start(struct crew *crew, struct err *err)
{
  struct run *run = crew->run;
  const struct plan *plan = run->plan;

  for (; crew->started < plan->carriers; crew->started++) {
    struct carrier *c = &run->carriers[crew->started];
    int rc = thread_start(&crew->threads[crew->started], plan->stack_bytes,
                          carrier_main, c, err);

    if (rc < 0) {
      count_loops(run, plan->carriers - crew->started);
      return rc;
    }
    crew->workers += (plan->threads - c->number + plan->carriers - 1) /
                     plan->carriers;
  }
  return 0;
}

/* ---- what the loops did ---- */

void clients_measure_from(struct run *run)
{
  for (unsigned i = 0; i < run->plan->carriers; i++) {
    const struct loop *l = atomic_load(&run->carriers[i].loop);

    if (l)
      run->carriers[i].base = mark_of(l);
  }
}

static enum client_hold hold_of(const struct loop *l, uint64_t end_ns)
{
  const struct loop_counts *n = loop_counts(l);
  const uint64_t now = clock_now_ns();
  const uint64_t looked = atomic_load_explicit(&n->looked_ns,
                                               memory_order_relaxed);
  const uint64_t held = atomic_load_explicit(&n->held_ns, memory_order_relaxed);

  if (looked != 0 && looked + LOOP_HELD_NS < now &&
      atomic_load_explicit(&n->alive, memory_order_relaxed) > 0)
    return HOLD_STILL;
  if (atomic_load_explicit(&n->held_until_ns, memory_order_relaxed) <= end_ns)
    return HOLD_NONE;
  return atomic_load_explicit(&n->held_cpu_ns, memory_order_relaxed) >
             held / HELD_AT_WORK
           ? HOLD_COMPUTES
           : HOLD_BLOCKS;
}

static void add_loop(struct client_loops *to, const struct carrier *c,
                     struct hist_sum *lag)
{
  const struct loop *l = atomic_load(&c->loop);
  struct loop_mark now;

  if (!l)
    return;
  now = mark_of(l);
  to->engine = loop_engine_name(l);
  to->turns += now.turns - c->base.turns;
  to->answers += now.answers - c->base.answers;
  to->blocked += now.blocked - c->base.blocked;
  if (to->hold == HOLD_NONE && c->run->end_ns != PLAN_NO_LIMIT)
    to->hold = hold_of(l, c->run->end_ns);
  if (lag)
    hist_sum_add(lag, c->lag);
}

void clients_measured(const struct run *run, struct client_loops *ret)
{
  struct hist_sum *lag;

  *ret = (struct client_loops){ .threads = run->plan->carriers };
  if (ret->threads == 0)
    return;
  lag = hist_sum_new();
  for (unsigned i = 0; i < ret->threads; i++)
    add_loop(ret, &run->carriers[i], lag);
  if (lag && lag->total > 0) {
    ret->lag_count = lag->total;
    ret->lag_p50_ns = hist_percentile(lag, 50);
    ret->lag_p99_ns = hist_percentile(lag, 99);
    ret->lag_max_ns = hist_percentile(lag, 100);
  }
  hist_sum_free(lag);
}
