#include "db/watch.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "base/wait.h"
#include "db/driver.h"

/* Shared by a session's owner and helpers. */
struct canceller {
  _Atomic unsigned refs;
  /* futex (release by helpers, acquire by the owner) */
  _Atomic uint32_t under_way;
  const struct driver *driver;
  void *token;
};

/* ---- cancel requests ---- */

enum {
  HELPERS_MAX = 256,
  THREAD_STACK = 256 * 1024,
};

struct cancel_batch {
  _Atomic uint32_t *threads;
  _Atomic unsigned users;
  uint64_t until_ns;
  _Atomic size_t next;
  size_t n;
  struct canceller *job[];
};

/* NULL: not supported, or no memory; use wake(). */
static struct canceller *canceller_new(const struct driver *driver,
                                       struct session *s)
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

static void canceller_unref(struct canceller *k)
{
  if (k && atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) == 1) {
    k->driver->cancel_free(k->token);
    free(k);
  }
}

/* Each request holds a reference.  Returns `k`. */
static struct canceller *canceller_request(struct canceller *k)
{
  if (k) {
    (void)atomic_fetch_add_explicit(&k->refs, 1, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&k->under_way, 1, memory_order_relaxed);
  }
  return k;
}

static void canceller_await(struct canceller *k, uint64_t until_ns)
{
  uint32_t n;

  while (k && clock_now_ns() < until_ns &&
         (n = atomic_load_explicit(&k->under_way, memory_order_acquire)) > 0)
    wait_while(&k->under_way, n, until_ns);
}

/* Nobody joins the thread, which can be left behind.  Its body ends with
 * watch_cancel_leave_thread(). */
static int watch_cancel_start_thread(_Atomic uint32_t *threads,
                                     void *(*body)(void *arg), void *arg)
{
  int rc;

  (void)atomic_fetch_add_explicit(threads, 1, memory_order_relaxed);
  rc = thread_start_detached(THREAD_STACK, body, arg);
  if (rc < 0)
    (void)atomic_fetch_sub_explicit(threads, 1, memory_order_relaxed);
  return rc;
}

/* Release: a thread that waits for 0 sees the work. */
static void watch_cancel_leave_thread(_Atomic uint32_t *threads)
{
  (void)atomic_fetch_sub_explicit(threads, 1, memory_order_release);
  wait_wake_all(threads);
}

/* A frozen server takes a second per request: drops late ones. */
static void watch_work(struct cancel_batch *b)
{
  size_t i;

  while ((i = atomic_fetch_add_explicit(&b->next, 1, memory_order_relaxed)) <
         b->n) {
    if (clock_now_ns() < b->until_ns)
      b->job[i]->driver->cancel(b->job[i]->token);
    (void)atomic_fetch_sub_explicit(&b->job[i]->under_way, 1,
                                    memory_order_release);
    wait_wake_all(&b->job[i]->under_way);
    canceller_unref(b->job[i]);
  }
  if (atomic_fetch_sub_explicit(&b->users, 1, memory_order_acq_rel) == 1)
    free(b);
}

static void *watch_helper(void *arg)
{
  struct cancel_batch *b = arg;
  _Atomic uint32_t *threads = b->threads;

  watch_work(b);
  watch_cancel_leave_thread(threads);
  return NULL;
}

static void cancel_batch_send(struct cancel_batch *b, uint64_t until_ns,
                              _Atomic uint32_t *threads)
{
  size_t started = 0;

  b->until_ns = until_ns;
  b->threads = threads;
  atomic_init(&b->users, 1);
  for (; started < b->n && started < HELPERS_MAX; started++) {
    (void)atomic_fetch_add_explicit(&b->users, 1, memory_order_relaxed);
    if (watch_cancel_start_thread(threads, watch_helper, b) < 0) {
      (void)atomic_fetch_sub_explicit(&b->users, 1, memory_order_relaxed);
      break;
    }
  }
  if (started == 0 && b->n > 0) { /* no thread could start */
    watch_work(b);
    return;
  }
  if (atomic_fetch_sub_explicit(&b->users, 1, memory_order_acq_rel) == 1)
    free(b);
}

/* ---- the watching thread ---- */

enum {
  BREAK_AFTER_MS = 1000,
  SCAN_MS = 10, /* at the deadline */
  SCAN_MAX_MS = 100,
  STOP_MS = 2000,
};

void watch_init(struct watch *w, double limit_s)
{
  memset(w, 0, sizeof(*w));
  w->limit_ns = limit_s > 0 ? (uint64_t)(limit_s * (double)NS_PER_S) : 0;
  (void)pthread_mutex_init(&w->lock, NULL);
}

void watch_done(struct watch *w)
{
  (void)pthread_mutex_destroy(&w->lock);
}

/* ---- the list ---- */

void watch_add(struct watch *w, struct watched *c, struct session *s,
               bool of_worker)
{
  c->driver = s->driver;
  c->session = s;
  s->watched = c;
  c->deadline = watch_deadline_of(w, of_worker);
  c->limited = w->limit_ns > 0;
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

void watch_opened(struct watched *c)
{
  struct canceller *k = canceller_new(c->driver, c->session);

  (void)pthread_mutex_lock(&c->lock);
  c->canceller = k;
  c->open = true;
  (void)pthread_mutex_unlock(&c->lock);
}

void watch_closing(struct watched *c)
{
  struct canceller *k;

  (void)pthread_mutex_lock(&c->lock);
  k = c->canceller;
  c->canceller = NULL;
  c->open = false;
  (void)pthread_mutex_unlock(&c->lock);
  canceller_unref(k);
}

bool watch_await(struct watched *c)
{
  const uint64_t until_ns = clock_now_ns() + BREAK_AFTER_MS * NS_PER_MS;
  struct canceller *k;

  /* Locked while the connection is disturbed. */
  (void)pthread_mutex_lock(&c->lock);
  k = c->canceller;
  (void)pthread_mutex_unlock(&c->lock);
  canceller_await(k, until_ns);
  return k != NULL;
}

/* False: the call has ended. */
static bool watch_mark(struct watched *w, uint64_t busy)
{
  const uint64_t marked = busy | WATCH_CANCELLED;
  uint64_t now = busy;

  return atomic_compare_exchange_strong_explicit(&w->busy, &now, marked,
                                                 memory_order_release,
                                                 memory_order_relaxed) ||
         now == marked;
}

/* In the call that began at `busy`; 0: in any.  Returns a request to send. */
static struct canceller *watch_disturb(struct watched *w, uint64_t busy,
                                       bool first, bool break_it)
{
  struct canceller *k = NULL;

  (void)pthread_mutex_lock(&w->lock);
  if (w->open && (busy == 0 || watch_mark(w, busy))) {
    if (w->driver->wake)
      w->driver->wake(w->session);
    if (break_it && w->driver->shutdown)
      w->driver->shutdown(w->session);
    if (first)
      k = canceller_request(w->canceller);
  }
  (void)pthread_mutex_unlock(&w->lock);
  return k;
}

static bool watch_is_due(const struct watch *watch, const struct watched *w,
                         uint64_t busy, uint64_t now)
{
  const uint64_t limit = watch->limit_ns;

  if (atomic_load_explicit(w->deadline, memory_order_relaxed) != 0)
    return true;
  return limit > 0 && busy > WATCH_BUSY && now > busy && now - busy >= limit;
}

static struct canceller *look_at(const struct watch *watch, struct watched *w,
                                 uint64_t now)
{
  const uint64_t until = atomic_load_explicit(&w->until_ns,
                                              memory_order_acquire);
  const uint64_t busy = atomic_load_explicit(&w->busy, memory_order_relaxed) &
                        ~(uint64_t)WATCH_CANCELLED;
  const bool over = until != 0 && now >= until;
  bool first, break_it;

  if (busy == 0 && !over) {
    w->cancelled = 0;
    return NULL;
  }
  if (!over && !watch_is_due(watch, w, busy, now))
    return NULL;
  first = w->cancelled != busy || busy == 0;
  if (first) {
    w->cancelled = busy;
    w->cancelled_ns = now;
    w->broken = false;
  }
  break_it = !w->broken &&
             (over || now - w->cancelled_ns >= BREAK_AFTER_MS * NS_PER_MS);
  w->broken |= break_it;
  /* The first wake() can have come before its statement. */
  return watch_disturb(w, busy, first && !over, break_it);
}

static size_t list_length(const struct watched *w)
{
  size_t n = 0;

  for (; w; w = w->next)
    n++;
  return n;
}

/* Returns when a call has to be broken, or WAIT_FOREVER. */
static uint64_t watch_scan(struct watch *watch)
{
  const uint64_t now = clock_now_ns();
  uint64_t next = WAIT_FOREVER;
  struct cancel_batch *b;

  (void)pthread_mutex_lock(&watch->lock);
  b = calloc(1, sizeof(*b) + list_length(watch->first) * sizeof(b->job[0]));
  for (struct watched *w = watch->first; w && b; w = w->next) {
    const uint64_t until = atomic_load_explicit(&w->until_ns,
                                                memory_order_relaxed);
    struct canceller *const k = look_at(watch, w, now);

    if (k)
      b->job[b->n++] = k;
    if (until != 0)
      next = min_u64(next, max_u64(until, now + SCAN_MS * NS_PER_MS));
  }
  (void)pthread_mutex_unlock(&watch->lock);
  if (b)
    cancel_batch_send(b, now + BREAK_AFTER_MS * NS_PER_MS, &watch->threads);
  return b ? next : now + SCAN_MS * NS_PER_MS;
}

/* ---- the thread ---- */

static uint64_t watch_next_scan(const struct watch *w, uint64_t now)
{
  const double limit_ms = (double)w->limit_ns / NS_PER_MS;
  uint64_t ms = SCAN_MAX_MS;

  if (atomic_load_explicit(&w->deadline_at_ns, memory_order_relaxed))
    return now + SCAN_MS * NS_PER_MS;
  if (w->limit_ns == 0)
    return WAIT_FOREVER;
  if (limit_ms < 10 * SCAN_MAX_MS)
    ms = (uint64_t)(limit_ms / 10) + 1;
  return now + ms * NS_PER_MS;
}

static void *watch_thread(void *arg)
{
  struct watch *w = arg;

  while (!atomic_load_explicit(&w->quit, memory_order_relaxed)) {
    const uint32_t word = atomic_load_explicit(&w->word, memory_order_acquire);
    const uint64_t next = watch_scan(w);

    if (atomic_load_explicit(&w->quit, memory_order_relaxed))
      break;
    wait_while(&w->word, word,
               min_u64(next, watch_next_scan(w, clock_now_ns())));
  }
  watch_cancel_leave_thread(&w->threads);
  return NULL;
}

int watch_start(struct watch *w, struct err *err)
{
  int rc = 0;

  (void)pthread_mutex_lock(&w->lock);
  if (!w->running) {
    rc = watch_cancel_start_thread(&w->threads, watch_thread, w);
    w->running = rc == 0;
  }
  (void)pthread_mutex_unlock(&w->lock);
  if (rc < 0) {
    errno = -rc;
    return err_sys(err, "cannot start the thread that watches statements:");
  }
  return 0;
}

static void watch_notify(struct watch *w)
{
  /* Pairs with the thread's acquire. */
  (void)atomic_fetch_add_explicit(&w->word, 1, memory_order_release);
  wait_wake_all(&w->word);
}

void watch_until(struct watch *w, struct watched *c, uint64_t until_ns)
{
  struct err err;

  atomic_store_explicit(&c->until_ns, until_ns, memory_order_release);
  if (until_ns == 0)
    return;
  (void)watch_start(w, &err);
  watch_notify(w);
}

int watch_deadline(struct watch *w, struct err *err)
{
  const int rc = watch_start(w, err);

  atomic_store_explicit(&w->deadline_at_ns, clock_now_ns(),
                        memory_order_relaxed);
  watch_notify(w);
  return rc;
}

bool watch_stop(struct watch *w)
{
  const uint64_t until_ns = clock_now_ns() + STOP_MS * NS_PER_MS;
  uint32_t n;

  (void)pthread_mutex_lock(&w->lock);
  w->running = false;
  (void)pthread_mutex_unlock(&w->lock);
  atomic_store_explicit(&w->quit, true, memory_order_relaxed);
  watch_notify(w);
  while ((n = atomic_load_explicit(&w->threads, memory_order_acquire)) > 0 &&
         clock_now_ns() < until_ns)
    wait_while(&w->threads, n, until_ns);
  return n == 0;
}
