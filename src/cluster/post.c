/*
 * post.c - the thread that carries letters.
 */
#include "cluster/post.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/thread.h"
#include "base/wait.h"
#include "cluster/link.h"

#define BEAT_NS NS_PER_S
#define LOST_NS (15 * NS_PER_S)
#define NORMAL_NS (NS_PER_MS / 2)
#define CALM_NS (4 * NS_PER_MS)
/* Who sleeps for an instant is woken at once, even on a busy machine; who spins
 * is made to wait for others. */
#define EAGER_NS (10 * NS_PER_US)

enum state {
  STATE_JOINING,
  STATE_JOINED,
  STATE_FAILED,
};

/* On the wire: this, then the bytes. */
struct header {
  uint32_t kind;
  uint32_t zero;
};

/* A letter on its way out; the wire's bytes follow. */
struct parcel {
  struct parcel *next;
  unsigned to;
  enum post_kind kind;
  void *request; /* NULL: not given to the link yet */
  size_t len;
  unsigned char bytes[];
};

/* Letters that arrived, oldest first. */
struct box {
  struct letter *first, **last;
};

/* What the thread knows about another process. */
struct peer {
  _Atomic uint64_t heard_ns;
  _Atomic bool unreachable;
  _Atomic bool leaving;
};

struct post {
  const struct cluster_link *link;
  void *ctx; /* the link's; the thread's */
  unsigned rank, size;
  const char *engine;
  struct peer *peer; /* owned; [size] */

  pthread_t thread;
  _Atomic uint32_t state;   /* enum state; waited for */
  struct err why;           /* written before the state says failed */
  _Atomic uint32_t pace;    /* enum post_pace */
  _Atomic uint32_t work;    /* something to do; waited for by the thread */
  _Atomic uint32_t news;    /* something arrived; waited for by others */
  _Atomic uint32_t closing; /* 1: deliver and leave, 2: leave at once */
  _Atomic uint64_t hurry_ns;

  pthread_mutex_t lock; /* protects what follows */
  struct parcel *out_first, **out_last;
  struct box in[POST_KINDS];

  pthread_mutex_t listening; /* held while somebody is told; protects this */
  const struct post_events *events;

  /* The thread's own. */
  struct parcel *way_first, **way_last; /* given to the link */
  uint64_t beat_ns;
};

static void wake_readers(struct post *p)
{
  (void)atomic_fetch_add(&p->news, 1);
  wait_wake_all(&p->news);
}

static void wake_thread(struct post *p)
{
  (void)atomic_fetch_add(&p->work, 1);
  wait_wake_all(&p->work);
}

/* ---- out ---- */

static struct parcel *parcel_new(unsigned to, enum post_kind kind,
                                 const void *bytes, size_t len)
{
  const struct header h = { .kind = (uint32_t)kind };
  struct parcel *out = malloc(sizeof(*out) + sizeof(h) + len);

  if (!out)
    return NULL;
  *out = (struct parcel){ .to = to, .kind = kind, .len = sizeof(h) + len };
  memcpy(out->bytes, &h, sizeof(h));
  if (len > 0)
    memcpy(out->bytes + sizeof(h), bytes, len);
  return out;
}

/* By the thread: give it to the link. */
static void dispatch(struct post *p, struct parcel *out)
{
  int rc;

  if (out->kind == POST_PING) {
    const uint64_t now = clock_now_ns();

    memcpy(out->bytes + sizeof(struct header), &now, sizeof(now));
  }
  rc = p->link->send(p->ctx, out->to, out->bytes, out->len, &out->request);
  if (rc < 0) {
    atomic_store(&p->peer[out->to].unreachable, true);
    free(out);
    wake_readers(p);
    return;
  }
  out->next = NULL;
  *p->way_last = out;
  p->way_last = &out->next;
}

/* Everything that waits; returns whether there was anything. */
static bool send_all_waiting(struct post *p)
{
  struct parcel *out, *next;

  (void)pthread_mutex_lock(&p->lock);
  out = p->out_first;
  p->out_first = NULL;
  p->out_last = &p->out_first;
  (void)pthread_mutex_unlock(&p->lock);
  if (!out)
    return false;
  for (; out; out = next) {
    next = out->next;
    dispatch(p, out);
  }
  return true;
}

/* Forget what was delivered. */
static void settle(struct post *p)
{
  struct parcel **at = &p->way_first;

  while (*at) {
    struct parcel *out = *at;
    const int rc = p->link->sent(p->ctx, out->request);

    if (rc == 0) {
      at = &out->next;
      continue;
    }
    if (rc < 0)
      atomic_store(&p->peer[out->to].unreachable, true);
    *at = out->next;
    free(out);
  }
  p->way_last = at;
}

static void send_now(struct post *p, unsigned to, enum post_kind kind,
                     const void *bytes, size_t len)
{
  struct parcel *out = parcel_new(to, kind, bytes, len);

  if (out) /* else it is as if it had been lost on the way */
    dispatch(p, out);
}

static void beat(struct post *p, uint64_t now)
{
  if (now < p->beat_ns)
    return;
  p->beat_ns = now + BEAT_NS;
  for (unsigned i = 0; i < p->size; i++) {
    if (i != p->rank && (p->rank == 0 || i == 0))
      send_now(p, i, POST_BEAT, NULL, 0);
  }
}

/* ---- in ---- */

static void keep(struct post *p, struct letter *l)
{
  struct box *box = &p->in[l->kind];

  (void)pthread_mutex_lock(&p->lock);
  l->next = NULL;
  *box->last = l;
  box->last = &l->next;
  (void)pthread_mutex_unlock(&p->lock);
  wake_readers(p);
}

static void tell_stop(struct post *p, struct letter *l)
{
  bool told;

  (void)pthread_mutex_lock(&p->listening);
  told = p->events != NULL;
  if (told)
    p->events->stop(p->events->arg, l);
  else
    keep(p, l);
  (void)pthread_mutex_unlock(&p->listening);
  if (told)
    free(l);
}

static void answer_ping(struct post *p, const struct letter *l)
{
  uint64_t times[2] = { 0, l->moment_ns };

  if (l->len >= sizeof(times[0]))
    memcpy(&times[0], l->bytes, sizeof(times[0]));
  send_now(p, l->peer, POST_PONG, times, sizeof(times));
}

static void arrived(struct post *p, struct letter *l)
{
  atomic_store(&p->peer[l->peer].heard_ns, l->moment_ns);
  switch (l->kind) {
  case POST_PING:
    answer_ping(p, l);
    free(l);
    break;
  case POST_PACE:
    if (l->len > 0)
      atomic_store(&p->pace, (uint32_t)l->bytes[0]);
    free(l);
    break;
  case POST_BEAT:
    free(l);
    break;
  case POST_STOP:
    tell_stop(p, l);
    break;
  case POST_LEAVING:
    atomic_store(&p->peer[l->peer].leaving, true);
    free(l);
    wake_readers(p);
    break;
  case POST_STATUS:
    atomic_store(&p->peer[l->peer].leaving, true);
    keep(p, l);
    break;
  default:
    keep(p, l);
  }
}

/* One message of the link as a letter; NULL: it makes no sense. */
static struct letter *letter_of(const struct post *p, unsigned from,
                                const void *bytes, size_t len, uint64_t now)
{
  struct header h;
  struct letter *l;

  if (from >= p->size || len < sizeof(h))
    return NULL;
  memcpy(&h, bytes, sizeof(h));
  if (h.kind >= POST_KINDS)
    return NULL;
  len -= sizeof(h);
  l = malloc(sizeof(*l) + len);
  if (!l)
    return NULL;
  *l = (struct letter){
    .kind = (enum post_kind)h.kind, .peer = from, .moment_ns = now, .len = len
  };
  memcpy(l->bytes, (const char *)bytes + sizeof(h), len);
  return l;
}

static bool receive_all(struct post *p)
{
  struct letter *l;
  unsigned from;
  void *bytes;
  size_t len;
  bool any = false;

  while (p->link->receive(p->ctx, &from, &bytes, &len) > 0) {
    l = letter_of(p, from, bytes, len, clock_now_ns());
    free(bytes);
    if (l)
      arrived(p, l);
    any = true;
  }
  return any;
}

/* ---- the thread ---- */

static uint64_t pause_ns(const struct post *p)
{
  switch (atomic_load(&p->pace)) {
  case PACE_EAGER:
    return EAGER_NS;
  case PACE_CALM:
    return CALM_NS;
  default:
    return NORMAL_NS;
  }
}

static void carry(struct post *p)
{
  for (;;) {
    const uint32_t work = atomic_load(&p->work);
    const uint32_t closing = atomic_load(&p->closing);
    const uint64_t now = clock_now_ns();
    bool busy;

    busy = receive_all(p);
    busy |= send_all_waiting(p);
    beat(p, now);
    settle(p);
    if (closing == 2 || (closing == 1 && !busy && !p->way_first))
      return;
    if (!busy)
      wait_while(&p->work, work, now + pause_ns(p));
  }
}

static void set_state(struct post *p, enum state state)
{
  atomic_store(&p->state, (uint32_t)state);
  wait_wake_all(&p->state);
}

static void *post_main(void *arg)
{
  struct post *p = arg;
  char why[512] = "";
  uint64_t now;

  thread_exact_timers(true);
  if (p->link->open(&p->ctx, &p->rank, &p->size, why, sizeof(why)) < 0) {
    (void)err_set(&p->why, -EIO, "%s", why);
    set_state(p, STATE_FAILED);
    return NULL;
  }
  p->engine = p->link->describe(p->ctx);
  p->peer = calloc(p->size, sizeof(*p->peer));
  if (!p->peer) {
    (void)err_set(&p->why, -ENOMEM, "not enough memory");
    set_state(p, STATE_FAILED);
    return NULL;
  }
  now = clock_now_ns();
  for (unsigned i = 0; i < p->size; i++)
    atomic_store(&p->peer[i].heard_ns, now);
  p->beat_ns = now + BEAT_NS;
  set_state(p, STATE_JOINED);
  carry(p);
  if (atomic_load(&p->closing) == 1)
    p->link->close(p->ctx);
  return NULL;
}

/* Signals are the business of other threads; those that the engine's library
 * starts inherit that. */
static int start_thread(struct post *p, struct err *err)
{
  sigset_t all, old;
  int rc;

  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &old);
  rc = thread_start(&p->thread, 0, post_main, p, err);
  (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
  return rc;
}

/* `lost`: the link was not closed, and may still read what is on its way. */
static void release(struct post *p, bool lost)
{
  struct parcel *lists[] = { p->out_first, lost ? NULL : p->way_first };

  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
    while (lists[i]) {
      struct parcel *out = lists[i];

      lists[i] = out->next;
      free(out);
    }
  }
  for (int k = 0; k < POST_KINDS; k++) {
    while (p->in[k].first) {
      struct letter *l = p->in[k].first;

      p->in[k].first = l->next;
      free(l);
    }
  }
  (void)pthread_mutex_destroy(&p->lock);
  (void)pthread_mutex_destroy(&p->listening);
  free(p->peer);
  free(p);
}

int post_new(struct post **ret, const struct cluster_link *link,
             struct err *err)
{
  struct post *p = calloc(1, sizeof(*p));
  int rc;

  if (!p)
    return err_set(err, -ENOMEM, "not enough memory");
  p->link = link;
  p->out_last = &p->out_first;
  p->way_last = &p->way_first;
  for (int k = 0; k < POST_KINDS; k++)
    p->in[k].last = &p->in[k].first;
  atomic_store(&p->hurry_ns, UINT64_MAX);
  (void)pthread_mutex_init(&p->lock, NULL);      /* cannot fail, */
  (void)pthread_mutex_init(&p->listening, NULL); /* and neither can this */
  rc = start_thread(p, err);
  if (rc < 0) {
    release(p, false);
    return rc;
  }
  while (atomic_load(&p->state) == STATE_JOINING)
    wait_while(&p->state, STATE_JOINING, WAIT_FOREVER);
  if (atomic_load(&p->state) == STATE_FAILED) {
    (void)pthread_join(p->thread, NULL);
    *err = p->why;
    release(p, false);
    return -EIO;
  }
  *ret = p;
  return 0;
}

void post_free(struct post *p, bool lost)
{
  if (!p)
    return;
  atomic_store(&p->closing, lost ? 2u : 1u);
  wake_thread(p);
  (void)pthread_join(p->thread, NULL);
  release(p, lost);
}

/* ---- for everybody ---- */

unsigned post_rank(const struct post *p)
{
  return p->rank;
}

unsigned post_size(const struct post *p)
{
  return p->size;
}

const char *post_engine(const struct post *p)
{
  return p->engine;
}

static struct letter *take(struct post *p, enum post_kind kind, unsigned from)
{
  struct box *box = &p->in[kind];
  struct letter **at, *l;

  (void)pthread_mutex_lock(&p->lock);
  at = &box->first;
  while (*at && from != POST_ANYBODY && (*at)->peer != from)
    at = &(*at)->next;
  l = *at;
  if (l) {
    *at = l->next;
    if (!*at)
      box->last = at;
  }
  (void)pthread_mutex_unlock(&p->lock);
  return l;
}

void post_listen(struct post *p, const struct post_events *events)
{
  struct letter *early;

  (void)pthread_mutex_lock(&p->listening);
  p->events = events;
  while (events && (early = take(p, POST_STOP, POST_ANYBODY)) != NULL) {
    events->stop(events->arg, early);
    free(early);
  }
  (void)pthread_mutex_unlock(&p->listening);
}

void post_set_pace(struct post *p, enum post_pace pace)
{
  atomic_store(&p->pace, (uint32_t)pace);
  wake_thread(p);
}

int post_send(struct post *p, unsigned to, enum post_kind kind,
              const void *bytes, size_t len)
{
  struct parcel *out = parcel_new(to, kind, bytes, len);

  if (!out)
    return -ENOMEM;
  (void)pthread_mutex_lock(&p->lock);
  *p->out_last = out;
  p->out_last = &out->next;
  (void)pthread_mutex_unlock(&p->lock);
  wake_thread(p);
  return 0;
}

int post_send_all(struct post *p, enum post_kind kind, const void *bytes,
                  size_t len)
{
  int rc = 0;

  for (unsigned i = 0; i < p->size && rc == 0; i++) {
    if (i != p->rank)
      rc = post_send(p, i, kind, bytes, len);
  }
  return rc;
}

static uint64_t least(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* Looked at before the box: what came earlier is in there. */
static bool will_not_come(const struct post *p, enum post_kind kind,
                          unsigned from)
{
  return from != POST_ANYBODY && kind != POST_BYE && post_leaving(p, from);
}

bool post_leaving(const struct post *p, unsigned rank)
{
  return atomic_load(&p->peer[rank].leaving);
}

struct letter *post_receive(struct post *p, enum post_kind kind, unsigned from,
                            uint64_t until_ns)
{
  for (;;) {
    const uint32_t news = atomic_load(&p->news);
    const uint64_t now = clock_now_ns();
    const bool last = will_not_come(p, kind, from);
    struct letter *l = take(p, kind, from);
    uint64_t until;

    if (l || last)
      return l;
    until = least(until_ns, atomic_load(&p->hurry_ns));
    if (now >= until || (from != POST_ANYBODY && post_lost(p, from)))
      return NULL;
    wait_while(&p->news, news, least(until, now + BEAT_NS));
  }
}

bool post_lost(struct post *p, unsigned rank)
{
  const struct peer *peer = &p->peer[rank];
  const uint64_t heard = atomic_load(&peer->heard_ns);
  const uint64_t now = clock_now_ns();

  if (rank == p->rank || (p->rank != 0 && rank != 0))
    return false; /* only the first process hears of all */
  return atomic_load(&peer->unreachable) ||
         (now > heard && now - heard > LOST_NS);
}

void post_hurry(struct post *p, uint64_t until_ns)
{
  atomic_store(&p->hurry_ns, until_ns);
  wake_readers(p);
}

bool post_hurried(const struct post *p)
{
  return atomic_load(&p->hurry_ns) != UINT64_MAX;
}
