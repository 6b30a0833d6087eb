/*
 * cancel.c - cancel requests, and the threads that send them.
 */
#include "db/cancel.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/wait.h"
#include "db/driver.h"

enum {
  HELPERS_MAX = 256, /* threads that send at the same time */
  THREAD_STACK = 256 * 1024,
};

/* Helpers take the requests one by one. */
struct cancel_batch {
  _Atomic uint32_t *threads;
  _Atomic unsigned users; /* the last one frees it */
  uint64_t until_ns;      /* then the sockets of all are shut down */
  _Atomic size_t next;
  size_t n;
  struct canceller *job[];
};

/* ---- one canceller ---- */

struct canceller *canceller_new(const struct driver *driver, struct session *s)
{
  struct canceller *k;
  void *token;

  if (!driver->cancel_token)
    return NULL;
  token = driver->cancel_token(s);
  if (!token)
    return NULL;
  k = mem_new(1, sizeof(*k));
  if (!k) {
    driver->cancel_free(token);
    return NULL;
  }
  k->driver = driver;
  k->token = token;
  atomic_init(&k->refs, 1);
  atomic_init(&k->under_way, 0);
  return k;
}

void canceller_unref(struct canceller *k)
{
  if (k && atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) == 1) {
    k->driver->cancel_free(k->token);
    free(k);
  }
}

struct canceller *canceller_request(struct canceller *k)
{
  if (k) {
    (void)atomic_fetch_add_explicit(&k->refs, 1, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&k->under_way, 1, memory_order_relaxed);
  }
  return k;
}

void canceller_await(struct canceller *k, uint64_t until_ns)
{
  uint32_t n;

  while (k && clock_now_ns() < until_ns &&
         (n = atomic_load_explicit(&k->under_way, memory_order_acquire)) > 0)
    wait_while(&k->under_way, n, until_ns);
}

static void end_request(struct canceller *k)
{
  (void)atomic_fetch_sub_explicit(&k->under_way, 1, memory_order_release);
  wait_wake_all(&k->under_way);
  canceller_unref(k);
}

/* ---- threads ---- */

int cancel_start_thread(_Atomic uint32_t *threads, void *(*body)(void *arg),
                        void *arg)
{
  int rc;

  (void)atomic_fetch_add_explicit(threads, 1, memory_order_relaxed);
  rc = thread_start_detached(THREAD_STACK, body, arg);
  if (rc < 0)
    (void)atomic_fetch_sub_explicit(threads, 1, memory_order_relaxed);
  return rc;
}

/* Release: what this thread did is seen by the one that waits for 0. */
void cancel_leave_thread(_Atomic uint32_t *threads)
{
  (void)atomic_fetch_sub_explicit(threads, 1, memory_order_release);
  wait_wake_all(threads);
}

/* ---- batches ---- */

struct cancel_batch *cancel_batch_new(size_t room)
{
  return calloc(1, sizeof(struct cancel_batch) +
                     room * sizeof(struct canceller *));
}

void cancel_batch_add(struct cancel_batch *b, struct canceller *k)
{
  if (k)
    b->job[b->n++] = k;
}

/*
 * Sends requests until none is left.  There may be more than helpers, and a
 * frozen server takes a second for each: what begins too late to be of use is
 * left out, as the end of the process waits for it.
 */
static void work(struct cancel_batch *b)
{
  size_t i;

  while ((i = atomic_fetch_add_explicit(&b->next, 1, memory_order_relaxed)) <
         b->n) {
    if (clock_now_ns() < b->until_ns)
      b->job[i]->driver->cancel(b->job[i]->token);
    end_request(b->job[i]);
  }
  if (atomic_fetch_sub_explicit(&b->users, 1, memory_order_acq_rel) == 1)
    free(b);
}

static void *helper(void *arg)
{
  struct cancel_batch *b = arg;
  _Atomic uint32_t *threads = b->threads;

  work(b);
  cancel_leave_thread(threads);
  return NULL;
}

static bool start_helper(struct cancel_batch *b)
{
  (void)atomic_fetch_add_explicit(&b->users, 1, memory_order_relaxed);
  if (cancel_start_thread(b->threads, helper, b) == 0)
    return true;
  (void)atomic_fetch_sub_explicit(&b->users, 1, memory_order_relaxed);
  return false;
}

/* Each request gets a helper if possible, so that none holds up the others. */
void cancel_batch_send(struct cancel_batch *b, uint64_t until_ns,
                       _Atomic uint32_t *threads)
{
  size_t started = 0;

  b->until_ns = until_ns;
  b->threads = threads;
  atomic_init(&b->users, 1);
  while (started < b->n && started < HELPERS_MAX && start_helper(b))
    started++;
  if (started == 0 && b->n > 0) { /* no threads can be had */
    work(b);
    return;
  }
  if (atomic_fetch_sub_explicit(&b->users, 1, memory_order_acq_rel) == 1)
    free(b);
}
