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
#define OFTEN_NS (10 * NS_PER_MS)
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

static struct task *task_of_errand(struct errand *e)
{
  return (struct task *)(void *)((char *)e - offsetof(struct task, errand));
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

uint64_t loop_since(struct loop *l)
{
  if (l->since_ns > 0)
    return l->since_ns;
  return max_u64(grown_u64(l->now_ns, woke_late(l)), l->asleep_ns);
}

static void make_arrived(struct loop *l, struct task *t, uint64_t since_ns)
{
  t->seen_ns = max_u64(since_ns, t->parked_ns);
  if (t->queued)
    return;
  t->queued = true;
  order_add(&l->arrived, t);
}

void loop_make_arrived(struct loop *l, struct task *t)
{
  make_arrived(l, t, loop_since(l));
}

void loop_errand_done(struct loop *l, struct errand *e)
{
  struct task *t = task_of_errand(e);

  t->result = e->result;
  loop_bump(&l->counts.arrived, 1);
  make_arrived(l, t, e->since_ns);
}

static bool any_ready(const struct loop *l)
{
  return l->ready.first || l->arrived.first;
}

void loop_park(struct loop *l)
{
  struct task *t = l->running;

  loop_let_go(l);
  t->fiber.switches++;
  t->row = 0;
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

bool loop_chases(struct loop *l)
{
  struct task *t = l->running;

  if (!chase_try(&l->chase, t->row))
    return false;
  t->looks = LOOK_CHASE;
  return true;
}

static void took_at_once(struct loop *l, struct task *t)
{
  t->fiber.at_once++;
  t->fiber.came_ns = clock_now_ns();
  loop_bump(&l->counts.at_once, 1);
  if (l->lag)
    l->lag(l->lag_ctx, 0);
}

void loop_looked(struct loop *l, struct loop_fd *s, bool there)
{
  struct task *t = l->running;
  const enum task_look looks = t->looks;

  t->looks = LOOK_LATER;
  if (there)
    took_at_once(l, t);
  if (looks == LOOK_PROBE) {
    home_probed(&s->home, there, errands_count_loops(&l->errands));
  } else if (there) {
    t->row++;
    chase_found(&l->chase, t->fiber.came_ns - l->now_ns);
  } else {
    chase_in_vain(&l->chase);
  }
}

/* Answers that do not come from this machine are at no processor of it. */
bool loop_has_errands(const struct loop *l, const struct loop_fd *s)
{
  return l->errands.mates && l->chase.off && s->placed && !s->far &&
         l->running->limit_ns == 0;
}

void loop_moved(struct loop *l)
{
  chase_hope(&l->chase);
}

void loop_set_way(struct loop *l, enum loop_way way)
{
  if (l->chase.off && way == LOOP_AT_ONCE)
    chase_hope(&l->chase);
  l->chase.off = way != LOOP_AT_ONCE;
  l->gather.allowed = way == LOOP_GATHERED;
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
  l->held.fd = -1;
  context_init(&l->thread);
  task_queue_clear(&l->ready);
  order_init(&l->arrived, setup->turn_max);
  chase_init(&l->chase, setup->row_max, setup->row_turn_ns);
  l->gather.longest_ns = setup->gather_ns;
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
  errands_free(&l->errands);
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

void loop_on_turns(struct loop *l, void (*now_and_then)(void *ctx), void *ctx)
{
  l->now_and_then = now_and_then;
  l->now_and_then_ctx = ctx;
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
  loop_let_go(l);
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

  order_take(&l->arrived, l->waiting, &l->ready);
  t = l->ready.first;
  task_queue_clear(&l->ready);
  for (; t; t = next) {
    next = t->next;
    run_task(l, t);
  }
  errands_post(l);
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
  errands_take(l);
  l->engine->look(l, 0);
  errands_post(l);
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
  if (UNLIKELY(l->now_ns - l->then_ns > OFTEN_NS)) {
    l->then_ns = l->now_ns;
    if (l->now_and_then)
      l->now_and_then(l->now_and_then_ctx);
  }
  put(&l->counts.looked_ns, l->now_ns);
  put(&l->counts.alive, l->alive);
}

static void sleep_until(struct loop *l, uint64_t until_ns)
{
  if (!errands_let_sleep(l))
    return;
  loop_bump(&l->counts.slept, 1);
  (void)queue_grown(l, &l->late_ns); /* what comes now is of this sleep */
  l->late_ns = LATE_UNKNOWN;
  l->asleep_ns = l->now_ns;
  l->since_ns = 0;
  put(&l->counts.looked_ns, 0);
  l->engine->look(l, until_ns);
  put(&l->counts.looked_ns, l->now_ns);
  errands_awake(l);
  errands_post(l);
}

/* How many answers the engine waits for. */
static unsigned due(const struct loop *l)
{
  return l->waiting - l->errands.away + l->errands.here;
}

/* How many answers to sleep for. */
static unsigned wish(struct loop *l)
{
  return l->far > 0 ? 1 : gather_wish(&l->gather, due(l));
}

/* Sleep until `n` answers have come, but not long: see gather.h. */
static void gather(struct loop *l, unsigned n, uint64_t until_ns)
{
  const uint64_t began_ns = l->now_ns;
  const uint64_t end_ns = began_ns + l->gather.longest_ns;
  unsigned got;

  if (!errands_let_sleep(l))
    return;
  loop_bump(&l->counts.slept, 1);
  loop_bump(&l->counts.gathers, 1);
  l->since_ns = began_ns; /* the first of them may have come at once */
  put(&l->counts.looked_ns, 0);
  got = l->engine->gather(l, n, min_u64(end_ns, until_ns));
  put(&l->counts.looked_ns, l->now_ns);
  errands_awake(l);
  errands_post(l);
  gather_ended(&l->gather, n, got, l->now_ns - began_ns);
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
  unsigned n;

  loop_bump(&l->counts.turns, 1);
  look_once(l);
  note_turn(l);
  if (any_ready(l) || until_ns <= l->now_ns)
    return;
  n = wish(l);
  if (n > 1) {
    gather(l, n, until_ns);
    return;
  }
  if (due(l) > 1) {
    (void)sched_yield();
    look_once(l);
    if (any_ready(l))
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
    if (any_ready(l))
      until = 0;
    look(l, until);
    chase_turn(&l->chase);
    expire_timers(l);
  }
  put(&l->counts.alive, 0);
  errands_close(l);
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

void loop_place(struct loop *l, struct loop_fd *s, int fd)
{
  s->placed = true;
  s->far = !sock_is_local(fd);
  l->far += s->far;
  home_init(&s->home, l->errands.number);
}

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
  loop_let_go(l);
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
  loop_let_go(l);
  if (l->fds[fd].known)
    l->engine->forget(l, fd);
  l->far -= l->fds[fd].far;
  l->fds[fd] = (struct loop_fd){ 0 };
}
