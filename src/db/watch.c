/*
 * watch.c - wakes connections that are blocked in a call.
 */
#include "db/watch.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/wait.h"
#include "db/conn.h"
#include "db/env.h"

enum {
  BREAK_AFTER_MS = 1000, /* from a cancel to the shutdown of the socket */
  SCAN_MS = 10,          /* at the deadline */
  SCAN_MAX_MS = 100,     /* with a limit for statements */
  STOP_MS = 2000,        /* how long the end waits for cancel requests */
  HELPERS_MAX = 256,     /* threads that cancel at the same time */
  THREAD_STACK = 256 * 1024,
};

/* Cancel requests that helpers take one by one. */
struct batch {
  struct watch *watch;
  _Atomic unsigned users; /* the last one frees it */
  uint64_t until_ns;      /* then the sockets of all are shut down */
  _Atomic size_t next;
  size_t n;
  struct canceller *job[];
};

void watch_init(struct watch *w)
{
  memset(w, 0, sizeof(*w));
  (void)pthread_mutex_init(&w->lock, NULL); /* cannot fail on Linux */
}

void watch_done(struct watch *w)
{
  (void)pthread_mutex_destroy(&w->lock);
}

/* ---- the list ---- */

void watch_add(struct watch *w, struct watched *c)
{
  (void)pthread_mutex_init(&c->lock, NULL);
  (void)pthread_mutex_lock(&w->lock);
  c->next = w->first;
  c->prev = NULL;
  if (c->next)
    c->next->prev = c;
  w->first = c;
  (void)pthread_mutex_unlock(&w->lock);
}

void watch_remove(struct watch *w, struct watched *c)
{
  (void)pthread_mutex_lock(&w->lock);
  if (c->prev)
    c->prev->next = c->next;
  else
    w->first = c->next;
  if (c->next)
    c->next->prev = c->prev;
  (void)pthread_mutex_unlock(&w->lock);
  (void)pthread_mutex_destroy(&c->lock);
}

static void unref(struct canceller *c)
{
  if (c && atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) == 1) {
    c->driver->cancel_free(c->token);
    free(c);
  }
}

/* NULL where there is nothing to send, or no memory: wake() has to do. */
static struct canceller *make_canceller(struct conn *c)
{
  struct canceller *k;
  void *token;

  if (!c->driver->cancel_token)
    return NULL;
  token = c->driver->cancel_token(c->session);
  if (!token)
    return NULL;
  k = mem_new(1, sizeof(*k));
  if (!k) {
    c->driver->cancel_free(token);
    return NULL;
  }
  k->driver = c->driver;
  k->token = token;
  atomic_init(&k->refs, 1);
  atomic_init(&k->under_way, 0);
  return k;
}

void watch_opened(struct conn *c)
{
  struct canceller *k = make_canceller(c);

  (void)pthread_mutex_lock(&c->watched.lock);
  c->watched.canceller = k;
  c->watched.open = true;
  (void)pthread_mutex_unlock(&c->watched.lock);
}

void watch_closing(struct conn *c)
{
  struct canceller *k;

  (void)pthread_mutex_lock(&c->watched.lock);
  k = c->watched.canceller;
  c->watched.canceller = NULL;
  c->watched.open = false;
  (void)pthread_mutex_unlock(&c->watched.lock);
  unref(k);
}

bool watch_await(struct conn *c)
{
  const uint64_t until_ns = clock_now_ns() + BREAK_AFTER_MS * NS_PER_MS;
  struct canceller *k;
  uint32_t n;

  /* Whoever disturbs the connection has the lock. */
  (void)pthread_mutex_lock(&c->watched.lock);
  k = c->watched.canceller;
  (void)pthread_mutex_unlock(&c->watched.lock);
  while (k && clock_now_ns() < until_ns &&
         (n = atomic_load_explicit(&k->under_way, memory_order_acquire)) > 0)
    wait_while(&k->under_way, n, until_ns);
  return k != NULL;
}

/* ---- cancelling ---- */

static void end_request(struct canceller *k)
{
  (void)atomic_fetch_sub_explicit(&k->under_way, 1, memory_order_release);
  wait_wake_all(&k->under_way);
  unref(k);
}

/*
 * Jobs until none is left.  There may be more than helpers, and a frozen server
 * takes a second for each: what begins too late to be of use is left out, as
 * the end of the process waits for it.
 */
static void work(struct batch *b)
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

/* Release: what this thread did is seen by the one who waits for 0. */
static void leave(struct watch *w)
{
  (void)atomic_fetch_sub_explicit(&w->threads, 1, memory_order_release);
  wait_wake_all(&w->threads);
}

/* A thread that nobody joins: it may have to be left behind.  0 or an error
 * number. */
static int start_thread(struct watch *w, void *(*body)(void *arg), void *arg)
{
  pthread_attr_t attr;
  pthread_t thread;
  int rc = pthread_attr_init(&attr);

  if (rc != 0)
    return rc;
  (void)pthread_attr_setstacksize(&attr, THREAD_STACK);
  (void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  (void)atomic_fetch_add_explicit(&w->threads, 1, memory_order_relaxed);
  rc = pthread_create(&thread, &attr, body, arg);
  if (rc != 0)
    (void)atomic_fetch_sub_explicit(&w->threads, 1, memory_order_relaxed);
  (void)pthread_attr_destroy(&attr);
  return rc;
}

static void *helper(void *arg)
{
  struct batch *b = arg;
  struct watch *w = b->watch;

  work(b);
  leave(w);
  return NULL;
}

static bool start_helper(struct batch *b)
{
  (void)atomic_fetch_add_explicit(&b->users, 1, memory_order_relaxed);
  if (start_thread(b->watch, helper, b) == 0)
    return true;
  (void)atomic_fetch_sub_explicit(&b->users, 1, memory_order_relaxed);
  return false;
}

/* Each job gets a helper, as far as they go, so that none holds the others. */
static void run_batch(struct batch *b)
{
  size_t started = 0;

  atomic_init(&b->users, 1);
  while (started < b->n && started < HELPERS_MAX && start_helper(b))
    started++;
  if (started == 0 && b->n > 0) { /* no threads to be had */
    work(b);
    return;
  }
  if (atomic_fetch_sub_explicit(&b->users, 1, memory_order_acq_rel) == 1)
    free(b);
}

static struct conn *conn_watched(struct watched *w)
{
  return (struct conn *)(void *)((char *)w - offsetof(struct conn, watched));
}

static struct canceller *add_request(struct canceller *k)
{
  if (k) {
    (void)atomic_fetch_add_explicit(&k->refs, 1, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&k->under_way, 1, memory_order_relaxed);
  }
  return k;
}

/*
 * The call that began at `busy` is marked as cancelled; false: it has ended.
 * With the lock held, its owner goes no further than to its end.
 */
static bool mark(struct watched *w, uint64_t busy)
{
  const uint64_t marked = busy | WATCH_CANCELLED;
  uint64_t now = busy;

  return atomic_compare_exchange_strong_explicit(&w->busy, &now, marked,
                                                 memory_order_release,
                                                 memory_order_relaxed) ||
         now == marked;
}

/* Wake it or break it, if it is open and still in the call that began at
 * `busy`.  Returns a job for a helper. */
static struct canceller *disturb(struct watched *w, uint64_t busy, bool first,
                                 bool break_it)
{
  struct conn *c = conn_watched(w);
  struct canceller *k = NULL;

  (void)pthread_mutex_lock(&w->lock);
  if (w->open && mark(w, busy)) {
    if (c->driver->wake)
      c->driver->wake(c->session);
    if (break_it && c->driver->shutdown)
      c->driver->shutdown(c->session);
    if (first)
      k = add_request(w->canceller);
  }
  (void)pthread_mutex_unlock(&w->lock);
  return k;
}

/* The call that began at `busy` has to end. */
static bool is_due(const struct db_process *p, const struct watched *w,
                   uint64_t busy, uint64_t now)
{
  const uint64_t limit = (uint64_t)(p->set.query_timeout_s * (double)NS_PER_S);

  if (w->under_deadline &&
      atomic_load_explicit(&p->watch.deadline_at_ns, memory_order_relaxed))
    return true;
  return limit > 0 && busy > WATCH_BUSY && now > busy && now - busy >= limit;
}

static struct canceller *look_at(const struct db_process *p, struct watched *w,
                                 uint64_t now)
{
  const uint64_t busy = atomic_load_explicit(&w->busy, memory_order_relaxed) &
                        ~(uint64_t)WATCH_CANCELLED;
  bool first, break_it;

  if (busy == 0) {
    w->cancelled = 0;
    return NULL;
  }
  if (!is_due(p, w, busy, now))
    return NULL;
  first = w->cancelled != busy;
  if (first) {
    w->cancelled = busy;
    w->cancelled_ns = now;
    w->broken = false;
  }
  break_it = !w->broken && now - w->cancelled_ns >= BREAK_AFTER_MS * NS_PER_MS;
  w->broken |= break_it;
  /* wake() is repeated: the first one may have come just before the statement
   * that it was meant for. */
  return disturb(w, busy, first, break_it);
}

static size_t list_length(const struct watched *w)
{
  size_t n = 0;

  for (; w; w = w->next)
    n++;
  return n;
}

static void scan(struct db_process *p)
{
  const uint64_t now = clock_now_ns();
  struct batch *b;

  (void)pthread_mutex_lock(&p->watch.lock);
  b = calloc(1, sizeof(*b) +
                  list_length(p->watch.first) * sizeof(struct canceller *));
  for (struct watched *w = p->watch.first; w && b; w = w->next) {
    struct canceller *k = look_at(p, w, now);

    if (k)
      b->job[b->n++] = k;
  }
  (void)pthread_mutex_unlock(&p->watch.lock);
  if (b) {
    b->watch = &p->watch;
    b->until_ns = now + BREAK_AFTER_MS * NS_PER_MS;
    run_batch(b);
  }
}

/* ---- the thread ---- */

static uint64_t next_scan(const struct db_process *p, uint64_t now)
{
  const double limit_ms = p->set.query_timeout_s * 1e3;
  uint64_t ms = SCAN_MAX_MS;

  if (atomic_load_explicit(&p->watch.deadline_at_ns, memory_order_relaxed))
    return now + SCAN_MS * NS_PER_MS;
  if (limit_ms <= 0)
    return WAIT_FOREVER;
  if (limit_ms < 10 * SCAN_MAX_MS)
    ms = (uint64_t)(limit_ms / 10) + 1;
  return now + ms * NS_PER_MS;
}

static void *watch_thread(void *arg)
{
  struct db_process *p = arg;
  struct watch *w = &p->watch;

  while (!atomic_load_explicit(&w->quit, memory_order_relaxed)) {
    const uint32_t word = atomic_load_explicit(&w->word, memory_order_acquire);

    scan(p);
    if (atomic_load_explicit(&w->quit, memory_order_relaxed))
      break;
    wait_while(&w->word, word, next_scan(p, clock_now_ns()));
  }
  leave(w);
  return NULL;
}

int watch_start(struct db_process *p, struct err *err)
{
  struct watch *w = &p->watch;
  int rc = 0;

  (void)pthread_mutex_lock(&w->lock);
  if (!w->running) {
    rc = start_thread(w, watch_thread, p);
    w->running = rc == 0;
  }
  (void)pthread_mutex_unlock(&w->lock);
  if (rc != 0) {
    errno = rc;
    return err_sys(err, "cannot start the thread that watches statements:");
  }
  return 0;
}

static void notify(struct watch *w)
{
  /* Release: pairs with the thread's acquire of the word. */
  (void)atomic_fetch_add_explicit(&w->word, 1, memory_order_release);
  wait_wake_all(&w->word);
}

int watch_deadline(struct db_process *p, struct err *err)
{
  const int rc = watch_start(p, err);

  atomic_store_explicit(&p->watch.deadline_at_ns, clock_now_ns(),
                        memory_order_relaxed);
  notify(&p->watch);
  return rc;
}

bool watch_stop(struct db_process *p)
{
  const uint64_t until_ns = clock_now_ns() + STOP_MS * NS_PER_MS;
  struct watch *w = &p->watch;
  uint32_t n;

  (void)pthread_mutex_lock(&w->lock);
  w->running = false;
  (void)pthread_mutex_unlock(&w->lock);
  atomic_store_explicit(&w->quit, true, memory_order_relaxed);
  notify(w);
  while ((n = atomic_load_explicit(&w->threads, memory_order_acquire)) > 0 &&
         clock_now_ns() < until_ns)
    wait_while(&w->threads, n, until_ns);
  return n == 0;
}
