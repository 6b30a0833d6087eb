/*
 * threads_ways.c - ways in which one thread wakes another.
 */
#include "tests/threads_ways.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/wait.h"

static int handoff_init(struct threads_channel *c, struct err *err)
{
  int rc = pthread_mutex_init(&c->mutex, NULL);

  if (rc == 0)
    rc = pthread_cond_init(&c->changed, NULL);
  return rc == 0 ? 0 : err_set(err, -rc, "cannot make a condition variable");
}

static void handoff_done(struct threads_channel *c)
{
  (void)pthread_cond_destroy(&c->changed);
  (void)pthread_mutex_destroy(&c->mutex);
}

static void handoff_post(struct threads_channel *c)
{
  (void)pthread_mutex_lock(&c->mutex);
  c->posted = true;
  (void)pthread_cond_signal(&c->changed);
  (void)pthread_mutex_unlock(&c->mutex);
}

static void handoff_await(struct threads_channel *c)
{
  (void)pthread_mutex_lock(&c->mutex);
  while (!c->posted)
    (void)pthread_cond_wait(&c->changed, &c->mutex);
  c->posted = false;
  (void)pthread_mutex_unlock(&c->mutex);
}

static int pipe_init(struct threads_channel *c, struct err *err)
{
  int ends[2];

  if (pipe2(ends, O_CLOEXEC) < 0)
    return err_sys(err, "cannot make a pipe for --thread-test=pipe,");
  c->from = ends[0];
  c->to = ends[1];
  return 0;
}

static void pipe_done(struct threads_channel *c)
{
  (void)close(c->from);
  (void)close(c->to);
}

/*
 * As long as it is open, a pipe takes a byte and returns it, unless a signal
 * comes first.
 */
static void pipe_post(struct threads_channel *c)
{
  while (write(c->to, "", 1) < 0 && errno == EINTR)
    ;
}

static void pipe_await(struct threads_channel *c)
{
  char byte;

  while (read(c->from, &byte, 1) < 0 && errno == EINTR)
    ;
}

static int futex_init(struct threads_channel *c, struct err *err)
{
  (void)c, (void)err;
  return 0;
}

static void futex_done(struct threads_channel *c)
{
  (void)c;
}

/* The release pairs with the acquire of the waiting thread. */
static void futex_post(struct threads_channel *c)
{
  atomic_store_explicit(&c->word, 1, memory_order_release);
  wait_wake_all(&c->word);
}

static void futex_await(struct threads_channel *c)
{
  while (atomic_exchange_explicit(&c->word, 0, memory_order_acquire) == 0)
    wait_while(&c->word, 0, WAIT_FOREVER);
}

const struct threads_way threads_ways[THREADS_WAYS] = {
  { "handoff", handoff_init, handoff_done, handoff_post, handoff_await },
  { "pipe", pipe_init, pipe_done, pipe_post, pipe_await },
  { "futex", futex_init, futex_done, futex_post, futex_await },
};
