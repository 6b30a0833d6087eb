/*
 * task.c - parks fibers, and makes them ready again.
 */
#include "loop/task.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/minmax.h"
#include "base/sock.h"
#include "base/thread.h"
#include "base/wait.h"

/* How often the kernel's wait for a CPU is read. */
#define QUEUE_EVERY_NS (250 * NS_PER_US)

_Thread_local struct fiber *fiber_of_thread;

static struct task *task_of(struct fiber *f)
{
  return (struct task *)(void *)f;
}

/* ---- the queue of tasks that can go on ---- */

void loop_make_ready(struct loop *l, struct task *t)
{
  if (t->queued)
    return;
  t->queued = true;
  task_queue_add(&l->ready, t);
}

bool loop_queue_grown(struct loop *l, uint64_t *ret)
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
static uint64_t loop_woke_late(struct loop *l)
{
  if (l->late_ns == LATE_UNKNOWN && !loop_queue_grown(l, &l->late_ns))
    l->late_ns = 0;
  return l->late_ns;
}

/* The earliest time of this look's arrivals. */
static uint64_t loop_came_since(struct loop *l)
{
  if (l->since_ns > 0)
    return l->since_ns;
  return max_u64(grown_u64(l->now_ns, loop_woke_late(l)), l->asleep_ns);
}

void loop_make_arrived(struct loop *l, struct task *t)
{
  t->seen_ns = max_u64(loop_came_since(l), t->parked_ns);
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
    t->seen_ns = 0;
  }
}

bool loop_park_for_arrival(struct loop *l)
{
  struct task *t = l->running;
  bool limited = t->limit_ns != 0, late = false;

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

void loop_call_deep(void (*fn)(void *arg), void *arg)
{
  const struct fiber *f = fiber_here();
  struct loop *l;

  if (!f) {
    fn(arg);
    return;
  }
  l = f->loop;
  l->deep = fn;
  l->deep_arg = arg;
  context_switch(&l->running->context, &l->thread, 0);
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

static void loop_words_add(struct loop *l, struct task *t,
                           _Atomic uint32_t *word, uint32_t value)
{
  t->word = word;
  t->value = value;
  t->word_before = NULL;
  t->word_after = l->words;
  if (l->words)
    l->words->word_before = t;
  l->words = t;
}

static void loop_words_remove(struct loop *l, struct task *t)
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
  loop_words_add(l, t, word, value);
  if (until_ns != WAIT_FOREVER) {
    t->timer.at_ns = until_ns;
    timers_add(&l->timers, &t->timer);
  }
  loop_park(l);
  timers_remove(&l->timers, &t->timer);
  loop_words_remove(l, t);
}

void loop_wake(struct loop *l)
{
  const uint64_t one = 1;

  (void)!write(l->wake_fd, &one, sizeof(one)); /* a full counter wakes, too */
}

bool loop_was_held(uint64_t since_ns)
{
  const struct fiber *f = fiber_here();
  const struct loop *l = f ? f->loop : NULL;

  return l && (atomic_load_explicit(&l->counts.held_until_ns,
                                    memory_order_relaxed) > since_ns ||
               clock_now_ns() > atomic_load_explicit(&l->counts.looked_ns,
                                                     memory_order_relaxed) +
                                  LOOP_HELD_NS);
}

void loop_sleep_until(uint64_t until_ns)
{
  _Atomic uint32_t never = 0;

  while (clock_now_ns() < until_ns)
    loop_wait_while(&never, 0, until_ns);
}

void loop_look_at_words(struct loop *l)
{
  for (struct task *t = l->words; t; t = t->word_after) {
    if (atomic_load(t->word) == t->value)
      continue;
    timers_remove(&l->timers, &t->timer);
    loop_make_ready(l, t);
  }
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

/* NULL: the thread has to block. */
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

  if (l)
    return l->engine->recv(l, fd, p, n);
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
