/*
 * loop.c - runs the fibers of a thread in turns.
 */
#include "loop/loop.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/minmax.h"
#include "base/sock.h"
#include "base/thread.h"
#include "base/wait.h"
#include "loop/aside.h"
#include "loop/inside.h"

/* A system call, so it is not made in each turn. */
#define CPU_EVERY_NS (100 * NS_PER_MS)
#define QUEUE_EVERY_NS (250 * NS_PER_US)

_Thread_local struct fiber *fiber_of_thread;

/* A sanitizer puts more on the stack. */
#ifdef BENCH_SANITIZED
enum {
  STACK_FACTOR = 4
};
#else
enum {
  STACK_FACTOR = 1
};
#endif

static struct task *task_of(struct fiber *f)
{
  return (struct task *)(void *)f;
}

static struct task *task_of_timer(struct timer *t)
{
  return (struct task *)(void *)((char *)t - offsetof(struct task, timer));
}

/* ---- the queue of tasks that can go on ---- */

void loop_make_ready(struct loop *l, struct task *t)
{
  if (t->queued)
    return;
  t->queued = true;
  task_queue_add(&l->ready, t);
}

/* How long the thread has waited for a CPU since it was asked last.  That
 * takes most of a microsecond, so it is not asked again at once: false. */
static bool queue_grown(struct loop *l, uint64_t *ret)
{
  const uint64_t before = l->queue_ns;

  if (l->queue_fd < 0 || l->now_ns - l->queue_at_ns < QUEUE_EVERY_NS ||
      !thread_queue_read(l->queue_fd, &l->queue_ns))
    return false;
  l->queue_at_ns = l->now_ns;
  *ret = grown_u64(l->queue_ns, before);
  return true;
}

/* An arrival has ended the sleep: how long did the thread wait for a CPU? */
static uint64_t woke_late(struct loop *l)
{
  if (l->late_ns == LATE_UNKNOWN && !queue_grown(l, &l->late_ns))
    l->late_ns = 0;
  return l->late_ns;
}

/* What this look finds can have been there since then. */
static uint64_t came_since(struct loop *l)
{
  if (l->since_ns > 0)
    return l->since_ns;
  return max_u64(grown_u64(l->now_ns, woke_late(l)), l->asleep_ns);
}

void loop_make_arrived(struct loop *l, struct task *t)
{
  t->seen_ns = max_u64(came_since(l), t->parked_ns);
  loop_make_ready(l, t);
}

void loop_park(struct loop *l)
{
  struct task *t = l->running;

  t->fiber.switches++;
  context_switch(&t->context, &l->thread, 0);
  if (t->seen_ns != 0) {
    if (l->lag)
      fiber_note_lag(grown_u64(clock_now_ns(), t->seen_ns));
    t->fiber.came_ns = t->seen_ns;
    t->seen_ns = 0;
  }
}

bool loop_park_for_arrival(struct loop *l)
{
  struct task *t = l->running;
  bool limited = t->limit_ns != 0, late = false;

  l->waiting++;
  if (l->lag)
    t->parked_ns = clock_now_ns();
  if (UNLIKELY(limited)) {
    t->timer.at_ns = t->limit_ns;
    timers_add(&l->timers, &t->timer);
  }
  loop_park(l);
  if (UNLIKELY(limited)) {
    late = t->timer.place == 0;
    timers_remove(&l->timers, &t->timer);
  }
  l->waiting--;
  return !late;
}

void fiber_note_lag(uint64_t ns)
{
  struct fiber *f = fiber_here();

  if (!f || !f->loop->lag)
    return;
  f->lag_ns += ns;
  f->loop->lag(f->loop->lag_ctx, ns);
}

void fiber_yield(void)
{
  struct fiber *f = fiber_parkable();

  if (!f)
    return;
  loop_make_ready(f->loop, task_of(f));
  loop_park(f->loop);
}

bool fiber_is_alone(void)
{
  const struct fiber *f = fiber_here();

  return f && f->loop->alive == 1;
}

void fiber_sleep(void)
{
  loop_park(fiber_here()->loop);
}

void fiber_wake(struct fiber *f)
{
  loop_make_ready(f->loop, task_of(f));
}

void fiber_trim_stack(void)
{
  const struct fiber *f = fiber_here();

  if (f)
    thread_trim(f->loop->running->context.stack,
                f->loop->running->context.bytes);
}

/* ---- the loop ---- */

static int open_engine(struct loop *l, enum loop_engine wish, struct err *err)
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
  stacks_init(&l->stacks, setup->stack_bytes * STACK_FACTOR);
  rc = open_engine(l, setup->engine, err);
  if (rc < 0) {
    l->engine = NULL;
    loop_free(l);
    return rc;
  }
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
  for (t = l->ready.first; t; t = next) { /* those that were never run */
    next = t->next;
    task_free(l, t);
  }
  task_free(l, l->ended);
  aside_stop(l);
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

/* The first function on the stack of a task. */
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

static void run_task(struct loop *l, struct task *t)
{
  t->queued = false;
  l->running = t;
  fiber_of_thread = &t->fiber;
  context_switch(&l->thread, &t->context, 0);
  fiber_of_thread = NULL;
  l->running = NULL;
  if (UNLIKELY(l->ended != NULL)) {
    task_free(l, l->ended);
    l->ended = NULL;
  }
}

/* Those that are ready when a turn begins; what they make ready is for the
 * next one. */
static void run_ready(struct loop *l)
{
  struct task *t, *next;

  t = l->ready.first;
  task_queue_clear(&l->ready);
  for (; t; t = next) {
    next = t->next;
    run_task(l, t);
  }
}

static void expire_timers(struct loop *l)
{
  struct timer *next;

  while ((next = timers_next(&l->timers)) != NULL && next->at_ns <= l->now_ns) {
    timers_remove(&l->timers, next);
    loop_make_ready(l, task_of_timer(next));
  }
}

/* What is there now, and was not when the loop looked before. */
static void look_once(struct loop *l)
{
  l->since_ns = l->now_ns;
  l->engine->look(l, 0);
}

static void put(_Atomic uint64_t *to, uint64_t value)
{
  atomic_store_explicit(to, value, memory_order_relaxed);
}

static uint64_t thread_cpu_ns(void)
{
  return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* A turn of the fibers has ended, and the look after it. */
static void note_turn(struct loop *l)
{
  const uint64_t length_ns = l->now_ns - l->since_ns;

  if (UNLIKELY(l->now_ns - l->cpu_at_ns > CPU_EVERY_NS)) {
    const uint64_t cpu_ns = thread_cpu_ns();

    if (l->since_ns > 0 && length_ns > LOOP_HELD_NS) {
      put(&l->counts.held_ns, length_ns);
      put(&l->counts.held_cpu_ns, cpu_ns - l->cpu_ns);
      put(&l->counts.held_until_ns, l->now_ns);
    }
    l->cpu_ns = cpu_ns;
    l->cpu_at_ns = l->now_ns;
  }
  put(&l->counts.looked_ns, l->now_ns);
  put(&l->counts.alive, l->alive);
}

static void sleep_until(struct loop *l, uint64_t until_ns)
{
  loop_bump(&l->counts.slept, 1);
  (void)queue_grown(l, &l->late_ns); /* what comes now is of this sleep */
  l->late_ns = LATE_UNKNOWN;
  l->asleep_ns = l->now_ns;
  l->since_ns = 0;
  put(&l->counts.looked_ns, 0);
  l->engine->look(l, until_ns);
  put(&l->counts.looked_ns, l->now_ns);
}

/*
 * Look for arrivals until there is one, or `until_ns` comes.
 *
 * A wake-up is dear, so it should bring many answers.  If nothing has come yet
 * and more than one answer is due, the loop lends its processor to whoever
 * wants it, mostly servers on the same machine that have work to do, and looks
 * again before it sleeps.  That takes no time if nobody wants the processor,
 * and holds no answer back.
 */
static void look(struct loop *l, uint64_t until_ns)
{
  loop_bump(&l->counts.turns, 1);
  look_once(l);
  note_turn(l);
  if (l->ready.first || until_ns <= l->now_ns)
    return;
  if (l->waiting > 1) {
    (void)sched_yield();
    look_once(l);
    if (l->ready.first)
      return;
  }
  sleep_until(l, until_ns);
}

void loop_run(struct loop *l)
{
  l->now_ns = clock_now_ns();
  l->queue_fd = l->lag ? thread_queue_open() : -1;
  put(&l->counts.looked_ns, l->now_ns);
  while (l->alive > 0) {
    const struct timer *next;
    uint64_t until = WAIT_FOREVER;

    run_ready(l);
    if (l->alive == 0)
      break;
    next = timers_next(&l->timers);
    if (next)
      until = next->at_ns;
    if (l->ready.first)
      until = 0;
    look(l, until);
    expire_timers(l);
  }
  put(&l->counts.alive, 0);
  if (l->queue_fd >= 0)
    (void)close(l->queue_fd);
}

/* ---- words ---- */

static void words_add(struct loop *l, struct task *t, _Atomic uint32_t *word,
                      uint32_t value)
{
  t->word = word;
  t->value = value;
  t->word_before = NULL;
  t->word_after = l->words;
  if (l->words)
    l->words->word_before = t;
  l->words = t;
}

static void words_remove(struct loop *l, struct task *t)
{
  if (t->word_before)
    t->word_before->word_after = t->word_after;
  else
    l->words = t->word_after;
  if (t->word_after)
    t->word_after->word_before = t->word_before;
  t->word = NULL;
}

void loop_wait_while(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns)
{
  struct fiber *f = fiber_parkable();
  struct task *t;
  struct loop *l;

  if (!f) {
    if (fiber_here())
      loop_flush(fiber_here()->loop);
    wait_while(word, value, until_ns);
    return;
  }
  if (atomic_load(word) != value || until_ns <= clock_now_ns())
    return;
  t = task_of(f);
  l = f->loop;
  words_add(l, t, word, value);
  if (until_ns != WAIT_FOREVER) {
    t->timer.at_ns = until_ns;
    timers_add(&l->timers, &t->timer);
  }
  loop_park(l);
  timers_remove(&l->timers, &t->timer);
  words_remove(l, t);
}

void loop_wake(struct loop *l)
{
  const uint64_t one = 1;

  (void)!write(l->wake_fd, &one, sizeof(one)); /* full: it wakes, too */
}

static void look_at_words(struct loop *l)
{
  for (struct task *t = l->words; t; t = t->word_after) {
    if (atomic_load(t->word) == t->value)
      continue;
    timers_remove(&l->timers, &t->timer);
    loop_make_ready(l, t);
  }
}

void loop_woken(struct loop *l)
{
  uint64_t n;

  (void)!read(l->wake_fd, &n, sizeof(n));
  look_at_words(l);
  aside_collect(l);
}

/* ---- sockets ---- */

struct loop_fd *loop_fd(struct loop *l, int fd)
{
  const size_t i = (size_t)fd;

  if (UNLIKELY(i >= l->n_fds)) {
    const size_t n = i < 512 ? 1024 : 2 * i;
    struct loop_fd *fds = reallocarray(l->fds, n, sizeof(*fds));

    if (!fds)
      return NULL;
    memset(fds + l->n_fds, 0, (n - l->n_fds) * sizeof(*fds));
    l->fds = fds;
    l->n_fds = n;
  }
  return &l->fds[i];
}

/* The loop in which the wait may take place; NULL: the thread has to block. */
static struct loop *loop_here(void)
{
  const struct fiber *f = fiber_here();

  if (!f)
    return NULL;
  if (LIKELY(f->may_park))
    return f->loop;
  loop_bump(&f->loop->counts.blocked, 1);
  loop_flush(f->loop);
  return NULL;
}

ssize_t loop_send(int fd, const void *p, size_t n, int flags)
{
  struct loop *l = loop_here();

  return l ? l->engine->send(l, fd, p, n, flags) : sock_send(fd, p, n, flags);
}

ssize_t loop_recv(int fd, void *p, size_t n)
{
  struct loop *l = loop_here();

  if (l) {
    l->running->fiber.came_ns = l->now_ns; /* unless it has to wait for them */
    return l->engine->recv(l, fd, p, n);
  }
  return sock_wait(fd, POLLIN) ? sock_recv(fd, p, n) : -1;
}

void loop_limit(uint64_t until_ns)
{
  const struct fiber *f = fiber_here();

  if (f)
    f->loop->running->limit_ns = until_ns;
}

void loop_settle(int fd)
{
  struct loop *l = loop_here();

  if (!l)
    return;
  if (l->engine->settle && (size_t)fd < l->n_fds)
    l->engine->settle(l, fd);
}

bool loop_wait_fd(int fd, short events)
{
  struct loop *l = loop_here();

  return l ? l->engine->wait_fd(l, fd, events) : sock_wait(fd, events);
}

/* ---- the block that is used in turn ---- */

void *loop_take_block(size_t need, size_t *ret_room)
{
  const struct fiber *f = fiber_here();
  void *block = NULL;

  if (f && f->loop->block && f->loop->block_room >= need) {
    block = f->loop->block;
    *ret_room = f->loop->block_room;
    f->loop->block = NULL;
  }
  return block;
}

void loop_give_block(void *block, size_t room)
{
  const struct fiber *f = fiber_here();
  struct loop *l = f ? f->loop : NULL;

  if (!l || (l->block && l->block_room >= room)) {
    free(block);
    return;
  }
  free(l->block);
  l->block = block;
  l->block_room = room;
}

void loop_forget(int fd)
{
  const struct fiber *f = fiber_here();
  struct loop *l = f ? f->loop : NULL;

  if (!l || fd < 0 || (size_t)fd >= l->n_fds)
    return;
  if (l->fds[fd].known)
    l->engine->forget(l, fd);
  l->fds[fd] = (struct loop_fd){ 0 };
}
