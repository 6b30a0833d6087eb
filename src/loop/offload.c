/*
 * offload.c - runs blocking work in other threads.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/thread.h"
#include "loop/task.h"

enum {
  KINDS = LOOP_ASIDE_CALL + 1,
};

struct offload_kind {
  struct offload *offload;
  pthread_cond_t work; /* `todo` or `stop` has changed, or n is 0 */
  struct task_queue todo;
  unsigned n, idle, waiting; /* threads, idle threads, tasks in `todo` */
  unsigned max;              /* 0: no limit, and threads stay */
  bool has_ended;
  pthread_t ended; /* the latest; it has joined the one before */
};

struct offload {
  struct loop *loop;
  pthread_mutex_t lock;
  struct task_queue done;
  bool stop;
  struct offload_kind kind[KINDS];
};

/* The caller holds the lock.  NULL: the thread ends.  After a burst of logins
 * one idle thread is enough. */
static struct task *offload_take(struct offload_kind *k)
{
  struct task *t;

  while (!k->todo.first && !k->offload->stop) {
    if (k->max > 0 && k->idle > 0)
      return NULL;
    k->idle++;
    (void)pthread_cond_wait(&k->work, &k->offload->lock);
    k->idle--;
  }
  t = task_queue_take(&k->todo);
  if (t)
    k->waiting--;
  return t;
}

/* Releases the caller's lock. */
static void offload_end(struct offload_kind *k)
{
  const bool has_before = k->has_ended;
  const pthread_t before = k->ended;

  k->has_ended = true;
  k->ended = pthread_self();
  if (--k->n == 0)
    (void)pthread_cond_signal(&k->work);
  (void)pthread_mutex_unlock(&k->offload->lock);
  if (has_before)
    (void)pthread_join(before, NULL);
}

static void *offload_main(void *arg)
{
  struct offload_kind *k = arg;
  struct offload *a = k->offload;
  struct task *t;

  (void)pthread_mutex_lock(&a->lock);
  while ((t = offload_take(k)) != NULL) {
    bool first;

    (void)pthread_mutex_unlock(&a->lock);
    t->aside(t->aside_arg);
    (void)pthread_mutex_lock(&a->lock);
    first = a->done.first == NULL;
    task_queue_add(&a->done, t);
    if (first)
      loop_wake(a->loop);
  }
  offload_end(k);
  return NULL;
}

static struct offload *offload_of(struct loop *l)
{
  struct offload *a = l->offload;

  if (a)
    return a;
  a = calloc(1, sizeof(*a));
  if (!a)
    return NULL;
  a->loop = l;
  (void)pthread_mutex_init(&a->lock, NULL);
  task_queue_clear(&a->done);
  for (int i = 0; i < KINDS; i++) {
    a->kind[i].offload = a;
    (void)pthread_cond_init(&a->kind[i].work, NULL);
    task_queue_clear(&a->kind[i].todo);
  }
  a->kind[LOOP_ASIDE_CONNECT].max = LOOP_CONNECTS;
  l->offload = a;
  return a;
}

/* The caller holds the lock.  Can a thread take one more task, now or later? */
static bool offload_have_thread(struct offload_kind *k)
{
  pthread_t thread;
  struct err err;

  if (k->idle > k->waiting || (k->max > 0 && k->n >= k->max))
    return true;
  if (thread_start(&thread, 0, offload_main, k, &err) == 0)
    k->n++;
  return k->n > 0;
}

void loop_set_connects(unsigned max)
{
  struct fiber *f = fiber_parkable();
  struct offload *a = f ? offload_of(f->loop) : NULL;

  if (!a)
    return;
  f->loop->connects_max = max;
  (void)pthread_mutex_lock(&a->lock);
  a->kind[LOOP_ASIDE_CONNECT].max = max;
  (void)pthread_mutex_unlock(&a->lock);
}

void loop_begin_connect(void)
{
  struct fiber *f = fiber_parkable();
  struct loop *l = f ? f->loop : NULL;

  if (l && l->connects < l->connects_max) {
    l->connects++;
  } else if (l) {
    task_queue_add(&l->connects_wait, l->running);
    loop_park(l);
  }
}

void loop_end_connect(void)
{
  struct fiber *f = fiber_parkable();
  struct loop *l = f ? f->loop : NULL;
  struct task *t = l ? task_queue_take(&l->connects_wait) : NULL;

  if (t)
    loop_make_ready(l, t);
  else if (l)
    l->connects--;
}

void loop_aside(void (*fn)(void *arg), void *arg, enum loop_aside kind)
{
  struct fiber *f = fiber_parkable();
  struct offload *a = f ? offload_of(f->loop) : NULL;
  struct offload_kind *k;
  struct task *t;
  bool taken;

  if (!a) {
    fn(arg);
    return;
  }
  k = &a->kind[kind];
  loop_flush(f->loop); /* `fn` can use the same socket */
  t = f->loop->running;
  t->aside = fn;
  t->aside_arg = arg;
  (void)pthread_mutex_lock(&a->lock);
  taken = offload_have_thread(k);
  if (taken) {
    task_queue_add(&k->todo, t);
    k->waiting++;
    (void)pthread_cond_signal(&k->work);
  }
  (void)pthread_mutex_unlock(&a->lock);
  if (taken)
    loop_park(f->loop);
  else
    fn(arg);
}

static void offload_collect(struct loop *l)
{
  struct offload *a = l->offload;
  struct task *t, *next;

  if (!a)
    return;
  (void)pthread_mutex_lock(&a->lock);
  t = a->done.first;
  task_queue_clear(&a->done);
  (void)pthread_mutex_unlock(&a->lock);
  for (; t; t = next) {
    next = t->next;
    loop_make_arrived(l, t);
  }
}

void loop_woken(struct loop *l)
{
  uint64_t n;

  (void)!read(l->wake_fd, &n, sizeof(n));
  loop_look_at_words(l);
  offload_collect(l);
}

void loop_offload_stop(struct loop *l)
{
  struct offload *a = l->offload;

  if (!a)
    return;
  (void)pthread_mutex_lock(&a->lock);
  a->stop = true;
  for (int i = 0; i < KINDS; i++) {
    (void)pthread_cond_broadcast(&a->kind[i].work);
    while (a->kind[i].n > 0)
      (void)pthread_cond_wait(&a->kind[i].work, &a->lock);
  }
  (void)pthread_mutex_unlock(&a->lock);
  for (int i = 0; i < KINDS; i++) {
    if (a->kind[i].has_ended)
      (void)pthread_join(a->kind[i].ended, NULL);
    (void)pthread_cond_destroy(&a->kind[i].work);
  }
  (void)pthread_mutex_destroy(&a->lock);
  free(a);
  l->offload = NULL;
}
