/*
 * aside.c - runs what blocks in threads beside that of the loop.
 */
#include "loop/aside.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/thread.h"
#include "loop/inside.h"

enum {
  THREADS_MAX = 32, /* of a loop */
};

struct aside {
  struct loop *loop;
  pthread_mutex_t lock;
  pthread_cond_t work; /* `todo` has a task, or `stop` is set */
  struct task_queue todo, done;
  unsigned n, idle;
  pthread_t threads[THREADS_MAX];
  bool stop;
};

static struct task *queue_take_all(struct task_queue *q)
{
  struct task *first = q->first;

  task_queue_clear(q);
  return first;
}

/* With the lock held. */
static struct task *take(struct aside *a)
{
  struct task *t;

  while (!a->todo.first && !a->stop) {
    a->idle++;
    (void)pthread_cond_wait(&a->work, &a->lock);
    a->idle--;
  }
  t = a->todo.first;
  if (t) {
    a->todo.first = t->next;
    if (!a->todo.first)
      task_queue_clear(&a->todo);
  }
  return t;
}

static void *aside_main(void *arg)
{
  struct aside *a = arg;
  struct task *t;

  (void)pthread_mutex_lock(&a->lock);
  while ((t = take(a)) != NULL) {
    bool first;

    (void)pthread_mutex_unlock(&a->lock);
    t->aside(t->aside_arg);
    (void)pthread_mutex_lock(&a->lock);
    first = a->done.first == NULL;
    task_queue_add(&a->done, t);
    if (first)
      loop_wake(a->loop);
  }
  (void)pthread_mutex_unlock(&a->lock);
  return NULL;
}

static struct aside *aside_of(struct loop *l)
{
  struct aside *a = l->aside;

  if (a)
    return a;
  a = calloc(1, sizeof(*a));
  if (!a)
    return NULL;
  a->loop = l;
  (void)pthread_mutex_init(&a->lock, NULL);
  (void)pthread_cond_init(&a->work, NULL);
  task_queue_clear(&a->todo);
  task_queue_clear(&a->done);
  l->aside = a;
  return a;
}

/* With the lock held: is there a thread for one more task? */
static bool have_thread(struct aside *a)
{
  struct err err;

  if (a->idle == 0 && a->n < THREADS_MAX &&
      thread_start(&a->threads[a->n], 0, aside_main, a, &err) == 0)
    a->n++;
  return a->n > 0;
}

void loop_aside(void (*fn)(void *arg), void *arg)
{
  struct fiber *f = fiber_parkable();
  struct aside *a = f ? aside_of(f->loop) : NULL;
  struct task *t;
  bool taken;

  if (!a) {
    fn(arg);
    return;
  }
  loop_flush(f->loop); /* `fn` may use the same socket */
  t = f->loop->running;
  t->aside = fn;
  t->aside_arg = arg;
  (void)pthread_mutex_lock(&a->lock);
  taken = have_thread(a);
  if (taken) {
    task_queue_add(&a->todo, t);
    (void)pthread_cond_signal(&a->work);
  }
  (void)pthread_mutex_unlock(&a->lock);
  if (taken)
    loop_park(f->loop);
  else
    fn(arg);
}

void aside_collect(struct loop *l)
{
  struct aside *a = l->aside;
  struct task *t, *next;

  if (!a)
    return;
  (void)pthread_mutex_lock(&a->lock);
  t = queue_take_all(&a->done);
  (void)pthread_mutex_unlock(&a->lock);
  for (; t; t = next) {
    next = t->next;
    loop_make_arrived(l, t);
  }
}

void aside_stop(struct loop *l)
{
  struct aside *a = l->aside;

  if (!a)
    return;
  (void)pthread_mutex_lock(&a->lock);
  a->stop = true;
  (void)pthread_cond_broadcast(&a->work);
  (void)pthread_mutex_unlock(&a->lock);
  for (unsigned i = 0; i < a->n; i++)
    (void)pthread_join(a->threads[i], NULL);
  (void)pthread_cond_destroy(&a->work);
  (void)pthread_mutex_destroy(&a->lock);
  free(a);
  l->aside = NULL;
}
