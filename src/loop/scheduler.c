/*
 * scheduler.c - runs the fibers of a thread in turns.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/thread.h"
#include "base/wait.h"
#include "loop/task.h"

/* How often the CPU time is read. */
#define CPU_EVERY_NS (100 * NS_PER_MS)

/* A sanitizer needs more stack. */
#ifdef BENCH_SANITIZED
enum {
  STACK_FACTOR = 4
};
#else
enum {
  STACK_FACTOR = 1
};
#endif

static struct task *task_of_timer(struct timer *t)
{
  return (struct task *)(void *)((char *)t - offsetof(struct task, timer));
}

static int loop_open_engine(struct loop *l, enum loop_engine wish,
                            struct err *err)
{
  int rc = -ENOSYS;

  if (wish != LOOP_EPOLL) {
    l->engine = &loop_engine_uring;
    rc = l->engine->open(l);
  }
  if (rc < 0 && wish != LOOP_URING) {
    l->engine = &loop_engine_epoll;
    rc = l->engine->open(l);
  }
  return rc == 0
           ? 0
           : err_set(err, rc, "cannot wait for many sockets with %s: %s%s",
                     l->engine->name, strerror(-rc), err_limit(-rc));
}

static struct loop *loops;
static pthread_mutex_t loops_lock = PTHREAD_MUTEX_INITIALIZER;

static void loop_join(struct loop *l)
{
  (void)pthread_mutex_lock(&loops_lock);
  l->next = loops;
  loops = l;
  (void)pthread_mutex_unlock(&loops_lock);
}

static void loop_leave(const struct loop *l)
{
  struct loop **at = &loops;

  (void)pthread_mutex_lock(&loops_lock);
  while (*at && *at != l)
    at = &(*at)->next;
  if (*at)
    *at = l->next;
  (void)pthread_mutex_unlock(&loops_lock);
}

void loop_wake_all(_Atomic uint32_t *word)
{
  wait_wake_all(word);
  (void)pthread_mutex_lock(&loops_lock);
  for (struct loop *l = loops; l; l = l->next)
    loop_wake(l);
  (void)pthread_mutex_unlock(&loops_lock);
}

int loop_new(struct loop **ret, const struct loop_setup *setup, struct err *err)
{
  struct loop *l = calloc(1, sizeof(*l));
  int rc;

  if (!l)
    return err_set(err, -ENOMEM, "not enough memory for clients");
  l->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (l->wake_fd < 0) {
    rc = err_set(err, -errno, "cannot wait for clients: %s%s", strerror(errno),
                 err_limit(errno));
    free(l);
    return rc;
  }
  context_init(&l->thread);
  task_queue_clear(&l->ready);
  task_queue_clear(&l->connects_wait);
  l->connects_max = LOOP_CONNECTS;
  stacks_init(&l->stacks, setup->stack_bytes * STACK_FACTOR);
  rc = loop_open_engine(l, setup->engine, err);
  if (rc < 0) {
    l->engine = NULL;
    loop_free(l);
    return rc;
  }
  loop_join(l);
  *ret = l;
  return 0;
}

static void task_free(struct loop *l, struct task *t)
{
  char *stack;

  if (!t)
    return;
  stack = t->context.stack;
  context_free(&t->context);
  stacks_give_back(&l->stacks, stack);
  free(t);
}

void loop_free(struct loop *l)
{
  struct task *t, *next;

  if (!l)
    return;
  loop_leave(l);
  for (t = l->ready.first; t; t = next) { /* these never ran */
    next = t->next;
    task_free(l, t);
  }
  task_free(l, l->ended);
  loop_offload_stop(l);
  if (l->engine)
    l->engine->close(l);
  (void)close(l->wake_fd);
  timers_done(&l->timers);
  context_free(&l->thread);
  stacks_done(&l->stacks);
  free(l->fds);
  free(l->block);
  free(l);
}

void loop_on_lag(struct loop *l, void (*lag)(void *ctx, uint64_t ns), void *ctx)
{
  l->lag = lag;
  l->lag_ctx = ctx;
}

const struct loop_counts *loop_counts(const struct loop *l)
{
  return &l->counts;
}

const char *loop_engine_name(const struct loop *l)
{
  return l->engine->name;
}

static void task_main(void *arg)
{
  struct task *t = arg;
  struct loop *l = t->fiber.loop;

  t->fn(t->arg);
  l->alive--;
  l->ended = t;
  context_switch(&t->context, &l->thread, 1);
}

int loop_add(struct loop *l, void (*fn)(void *arg), void *arg, struct err *err)
{
  struct task *t = calloc(1, sizeof(*t));
  char *stack = NULL;
  int rc;

  if (!t || !timers_reserve(&l->timers, (size_t)l->alive + 1)) {
    free(t);
    return err_set(err, -ENOMEM, "not enough memory for a client");
  }
  t->fn = fn;
  t->arg = arg;
  t->fiber.loop = l;
  t->fiber.may_park = true;
  rc = stacks_take(&l->stacks, &stack, err);
  if (rc < 0) {
    free(t);
    return rc;
  }
  if (context_make(&t->context, stack, l->stacks.bytes, task_main, t) < 0) {
    task_free(l, t);
    return err_set(err, -ENOMEM, "not enough memory for a client");
  }
  l->alive++;
  loop_make_ready(l, t);
  return 0;
}

static void loop_run_task(struct loop *l, struct task *t)
{
  extern _Thread_local struct fiber *fiber_of_thread;

  t->queued = false;
  l->running = t;
  fiber_of_thread = &t->fiber;
  context_switch(&l->thread, &t->context, 0);
  while (l->deep) {
    l->deep(l->deep_arg);
    l->deep = NULL;
    context_switch(&l->thread, &t->context, 0);
  }
  fiber_of_thread = NULL;
  l->running = NULL;
  if (UNLIKELY(l->ended != NULL)) {
    task_free(l, l->ended);
    l->ended = NULL;
  }
}

/* Tasks that become ready now run in the next turn. */
static void loop_run_ready(struct loop *l)
{
  struct task *t, *next;

  t = l->ready.first;
  task_queue_clear(&l->ready);
  for (; t; t = next) {
    next = t->next;
    loop_run_task(l, t);
  }
}

static void loop_expire_timers(struct loop *l)
{
  struct timer *next;

  while ((next = timers_next(&l->timers)) != NULL && next->at_ns <= l->now_ns) {
    timers_remove(&l->timers, next);
    loop_make_ready(l, task_of_timer(next));
  }
}

static void loop_put(_Atomic uint64_t *to, uint64_t value)
{
  atomic_store_explicit(to, value, memory_order_relaxed);
}

static uint64_t loop_thread_cpu_ns(void)
{
  return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void loop_note_turn(struct loop *l)
{
  const uint64_t last_ns = atomic_load_explicit(&l->counts.looked_ns,
                                                memory_order_relaxed);
  const uint64_t length_ns = l->now_ns - last_ns;

  if (UNLIKELY(l->now_ns - l->cpu_at_ns > CPU_EVERY_NS)) {
    const uint64_t cpu_ns = loop_thread_cpu_ns();

    if (last_ns > 0 && length_ns > LOOP_HELD_NS) {
      loop_put(&l->counts.held_ns, length_ns);
      loop_put(&l->counts.held_cpu_ns, cpu_ns - l->cpu_ns);
      loop_put(&l->counts.held_until_ns, l->now_ns);
    }
    l->cpu_ns = cpu_ns;
    l->cpu_at_ns = l->now_ns;
  }
  loop_put(&l->counts.looked_ns, l->now_ns);
  loop_put(&l->counts.alive, l->alive);
}

static void loop_sleep(struct loop *l, uint64_t until_ns)
{
  loop_bump(&l->counts.slept, 1);
  (void)loop_queue_grown(l, &l->late_ns); /* later waits belong to this sleep */
  l->late_ns = LATE_UNKNOWN;
  l->asleep_ns = l->now_ns;
  l->since_ns = 0;
  loop_put(&l->counts.looked_ns, 0);
  l->engine->look(l, until_ns);
  loop_put(&l->counts.looked_ns, l->now_ns);
}

/* WAITS until an arrival, or `until_ns`. */
static void loop_look(struct loop *l, uint64_t until_ns)
{
  loop_bump(&l->counts.turns, 1);
  l->since_ns = l->now_ns;
  l->engine->look(l, 0);
  loop_note_turn(l);
  if (l->ready.first || until_ns <= l->now_ns)
    return;
  loop_sleep(l, until_ns);
}

void loop_run(struct loop *l)
{
  l->now_ns = clock_now_ns();
  l->queue_fd = l->lag ? thread_queue_open() : -1;
  loop_put(&l->counts.looked_ns, l->now_ns);
  while (l->alive > 0) {
    const struct timer *next;
    uint64_t until = WAIT_FOREVER;

    loop_run_ready(l);
    if (l->alive == 0)
      break;
    next = timers_next(&l->timers);
    if (next)
      until = next->at_ns;
    if (l->ready.first)
      until = 0;
    loop_look(l, until);
    loop_expire_timers(l);
  }
  loop_put(&l->counts.alive, 0);
  if (l->queue_fd >= 0)
    (void)close(l->queue_fd);
}
