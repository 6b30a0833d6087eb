#include "nodes/post.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "base/wait.h"
#include "nodes/link.h"

#define NORMAL_NS (NS_PER_MS / 2)
#define CALM_NS (8 * NS_PER_MS)
/* Even on a busy machine, a thread that sleeps for an instant is woken at once;
 * spinning threads wait for others. */
#define EAGER_NS (10 * NS_PER_US)

enum {
  LOST_BEATS = 15, /* lost after this many without a message */
};

/* A message has arrived, or never will. */
static void post_wake_readers(struct post *p)
{
  (void)atomic_fetch_add(&p->news, 1);
  wait_wake_all(&p->news);
}

/* For the link; NULL: no memory. */
static struct post_outgoing *post_outgoing_new(unsigned to, enum post_kind kind,
                                               const void *bytes, size_t len)
{
  const struct post_header h = { .kind = (uint32_t)kind };
  struct post_outgoing *out = malloc(sizeof(*out) + sizeof(h) + len);

  if (!out)
    return NULL;
  *out = (struct post_outgoing){ .to = to,
                                 .kind = kind,
                                 .len = sizeof(h) + len };
  memcpy(out->bytes, &h, sizeof(h));
  if (len > 0)
    memcpy(out->bytes + sizeof(h), bytes, len);
  return out;
}

static void post_carry_dispatch(struct post *p, struct post_outgoing *out)
{
  int rc;

  if (out->kind == POST_PING) {
    const uint64_t now = clock_now_ns();

    memcpy(out->bytes + sizeof(struct post_header), &now, sizeof(now));
  }
  rc = p->link->send(p->ctx, out->to, out->bytes, out->len, &out->request);
  if (rc < 0) {
    atomic_store(&p->peer[out->to].unreachable, true);
    free(out);
    post_wake_readers(p);
    return;
  }
  out->next = NULL;
  *p->way_last = out;
  p->way_last = &out->next;
}

static bool post_carry_send_all_waiting(struct post *p)
{
  struct post_outgoing *out, *next;

  (void)pthread_mutex_lock(&p->lock);
  out = p->out_first;
  p->out_first = NULL;
  p->out_last = &p->out_first;
  (void)pthread_mutex_unlock(&p->lock);
  if (!out)
    return false;
  for (; out; out = next) {
    next = out->next;
    post_carry_dispatch(p, out);
  }
  return true;
}

static void post_carry_settle(struct post *p)
{
  struct post_outgoing **at = &p->way_first;

  while (*at) {
    struct post_outgoing *out = *at;
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

static void post_carry_send_now(struct post *p, unsigned to,
                                enum post_kind kind, const void *bytes,
                                size_t len)
{
  struct post_outgoing *out = post_outgoing_new(to, kind, bytes, len);

  if (out)
    post_carry_dispatch(p, out);
}

static void post_carry_keep(struct post *p, struct post_message *l)
{
  struct post_box *box = &p->in[l->kind];

  (void)pthread_mutex_lock(&p->lock);
  l->next = NULL;
  *box->last = l;
  box->last = &l->next;
  (void)pthread_mutex_unlock(&p->lock);
  post_wake_readers(p);
}

static void post_carry_tell_stop(struct post *p, struct post_message *l)
{
  bool told;

  (void)pthread_mutex_lock(&p->listening);
  told = p->events != NULL;
  if (told)
    p->events->stop(p->events->arg, l);
  else
    post_carry_keep(p, l);
  (void)pthread_mutex_unlock(&p->listening);
  if (told)
    free(l);
}

/* A lost rank ends the work of all: not every engine reports a death. */
static void post_carry_miss(struct post *p, unsigned rank)
{
  struct post_peer *peer = &p->peer[rank];
  struct post_message *l;

  if (!post_lost(p, rank) || post_leaving(p, rank)) {
    peer->missed = false;
    return;
  }
  if (peer->missed)
    return;
  peer->missed = true;
  l = malloc(sizeof(*l));
  if (!l)
    return;
  *l = (struct post_message){ .kind = POST_STOP, .peer = rank };
  post_carry_tell_stop(p, l);
}

/* In beats of this rank, not in seconds: after a standstill, silence means
 * nothing. */
static void post_carry_note_silence(struct post *p, unsigned rank)
{
  struct post_peer *peer = &p->peer[rank];

  if (peer->quiet++ == LOST_BEATS) {
    atomic_store(&peer->silent, true);
    post_wake_readers(p);
  }
  post_carry_miss(p, rank);
}

static void post_carry_answer_ping(struct post *p, const struct post_message *l)
{
  uint64_t times[2] = { 0, l->moment_ns };

  if (l->len >= sizeof(times[0]))
    memcpy(&times[0], l->bytes, sizeof(times[0]));
  post_carry_send_now(p, l->peer, POST_PONG, times, sizeof(times));
}

static void post_carry_arrived(struct post *p, struct post_message *l)
{
  p->peer[l->peer].quiet = 0;
  atomic_store(&p->peer[l->peer].silent, false);
  switch (l->kind) {
  case POST_PING:
    post_carry_answer_ping(p, l);
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
    post_carry_tell_stop(p, l);
    break;
  case POST_LEAVING:
    atomic_store(&p->peer[l->peer].leaving, true);
    free(l);
    post_wake_readers(p);
    break;
  case POST_STATUS:
    atomic_store(&p->peer[l->peer].leaving, true);
    post_carry_keep(p, l);
    break;
  default:
    post_carry_keep(p, l);
  }
}

static struct post_message *post_carry_message_of(const struct post *p,
                                                  unsigned from,
                                                  const void *bytes, size_t len,
                                                  uint64_t now)
{
  struct post_header h;
  struct post_message *l;

  if (from >= p->size || len < sizeof(h))
    return NULL;
  memcpy(&h, bytes, sizeof(h));
  if (h.kind >= POST_KINDS)
    return NULL;
  len -= sizeof(h);
  l = malloc(sizeof(*l) + len);
  if (!l)
    return NULL;
  *l = (struct post_message){
    .kind = (enum post_kind)h.kind, .peer = from, .moment_ns = now, .len = len
  };
  memcpy(l->bytes, (const char *)bytes + sizeof(h), len);
  return l;
}

static bool post_carry_receive_all(struct post *p)
{
  struct post_message *l;
  unsigned from;
  void *bytes;
  size_t len;
  bool any = false;

  while (p->link->receive(p->ctx, &from, &bytes, &len) > 0) {
    l = post_carry_message_of(p, from, bytes, len, clock_now_ns());
    free(bytes);
    if (l)
      post_carry_arrived(p, l);
    any = true;
  }
  return any;
}

static void post_carry_beat(struct post *p, uint64_t now)
{
  if (now < p->beat_ns)
    return;
  p->beat_ns = now + POST_BEAT_NS;
  for (unsigned i = 0; i < p->size; i++) {
    if (i == p->rank || (p->rank != 0 && i != 0))
      continue;
    post_carry_send_now(p, i, POST_BEAT, NULL, 0);
    post_carry_note_silence(p, i);
  }
}

static uint64_t post_carry_pause_ns(const struct post *p)
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

bool post_carry(struct post *p, uint64_t now)
{
  bool busy = post_carry_receive_all(p);

  busy |= post_carry_send_all_waiting(p);
  post_carry_beat(p, now);
  post_carry_settle(p);
  return busy;
}

static void post_carry_carry(struct post *p)
{
  for (;;) {
    const uint32_t work = atomic_load(&p->work);
    const uint32_t closing = atomic_load(&p->closing);
    const uint64_t now = clock_now_ns();
    const bool busy = post_carry(p, now);

    if (closing == 2 || (closing == 1 && !busy && !p->way_first))
      return;
    if (!busy)
      wait_while(&p->work, work, now + post_carry_pause_ns(p));
  }
}

static void post_carry_set_state(struct post *p, enum post_state state)
{
  atomic_store(&p->state, (uint32_t)state);
  wait_wake_all(&p->state);
}

int post_join(struct post *p)
{
  char why[512] = "";

  if (p->link->open(&p->ctx, &p->rank, &p->size, why, sizeof(why)) < 0)
    return err_set(&p->why, -EIO, "%s", why);
  p->engine = p->link->describe(p->ctx);
  p->peer = calloc(p->size, sizeof(*p->peer));
  if (!p->peer)
    return err_set(&p->why, -ENOMEM, "not enough memory");
  p->beat_ns = clock_now_ns() + POST_BEAT_NS;
  return 0;
}

static void *post_carry_main(void *arg)
{
  struct post *p = arg;

  thread_set_name("bench-post");
  thread_exact_timers(true);
  if (post_join(p) < 0) {
    post_carry_set_state(p, POST_FAILED);
    return NULL;
  }
  post_carry_set_state(p, POST_JOINED);
  post_carry_carry(p);
  if (atomic_load(&p->closing) == 1)
    p->link->close(p->ctx);
  return NULL;
}

static void post_wake_thread(struct post *p)
{
  (void)atomic_fetch_add(&p->work, 1);
  wait_wake_all(&p->work);
}

struct post *post_alloc(const struct cluster_link *link)
{
  struct post *p = calloc(1, sizeof(*p));

  if (!p)
    return NULL;
  p->link = link;
  p->out_last = &p->out_first;
  p->way_last = &p->way_first;
  for (int k = 0; k < POST_KINDS; k++)
    p->in[k].last = &p->in[k].first;
  atomic_store(&p->hurry_ns, UINT64_MAX);
  (void)pthread_mutex_init(&p->lock, NULL); /* these cannot fail */
  (void)pthread_mutex_init(&p->listening, NULL);
  return p;
}

/* `lost`: the link is open, and can still read messages. */
void post_release(struct post *p, bool lost)
{
  struct post_outgoing *lists[] = { p->out_first, lost ? NULL : p->way_first };

  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
    while (lists[i]) {
      struct post_outgoing *out = lists[i];

      lists[i] = out->next;
      free(out);
    }
  }
  for (int k = 0; k < POST_KINDS; k++) {
    while (p->in[k].first) {
      struct post_message *l = p->in[k].first;

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
  struct post *p = post_alloc(link);
  int rc;

  if (!p)
    return err_set(err, -ENOMEM, "not enough memory");
  rc = thread_start_masked(&p->thread, post_carry_main, p, err);
  if (rc < 0) {
    post_release(p, false);
    return rc;
  }
  while (atomic_load(&p->state) == POST_JOINING)
    wait_while(&p->state, POST_JOINING, WAIT_FOREVER);
  if (atomic_load(&p->state) == POST_FAILED) {
    (void)pthread_join(p->thread, NULL);
    *err = p->why;
    post_release(p, false);
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
  post_wake_thread(p);
  (void)pthread_join(p->thread, NULL);
  post_release(p, lost);
}

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

static struct post_message *post_take(struct post *p, enum post_kind kind,
                                      unsigned from)
{
  struct post_box *box = &p->in[kind];
  struct post_message **at, *l;

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
  struct post_message *early;

  (void)pthread_mutex_lock(&p->listening);
  p->events = events;
  while (events && (early = post_take(p, POST_STOP, POST_ANYBODY)) != NULL) {
    events->stop(events->arg, early);
    free(early);
  }
  (void)pthread_mutex_unlock(&p->listening);
}

void post_set_pace(struct post *p, enum post_pace pace)
{
  atomic_store(&p->pace, (uint32_t)pace);
  post_wake_thread(p);
}

int post_send(struct post *p, unsigned to, enum post_kind kind,
              const void *bytes, size_t len)
{
  struct post_outgoing *out = post_outgoing_new(to, kind, bytes, len);

  if (!out)
    return -ENOMEM;
  (void)pthread_mutex_lock(&p->lock);
  *p->out_last = out;
  p->out_last = &out->next;
  (void)pthread_mutex_unlock(&p->lock);
  post_wake_thread(p);
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

/* Call before reading the box. */
static bool post_will_not_come(const struct post *p, enum post_kind kind,
                               unsigned from)
{
  return from != POST_ANYBODY && kind != POST_BYE && post_leaving(p, from);
}

bool post_leaving(const struct post *p, unsigned rank)
{
  return atomic_load(&p->peer[rank].leaving);
}

struct post_message *post_receive(struct post *p, enum post_kind kind,
                                  unsigned from, uint64_t until_ns)
{
  for (;;) {
    const uint32_t news = atomic_load(&p->news);
    const uint64_t now = clock_now_ns();
    const bool last = post_will_not_come(p, kind, from);
    struct post_message *l = post_take(p, kind, from);
    uint64_t until;

    if (l || last)
      return l;
    until = min_u64(until_ns, atomic_load(&p->hurry_ns));
    if (now >= until || (from != POST_ANYBODY && post_lost(p, from)))
      return NULL;
    wait_while(&p->news, news, min_u64(until, now + POST_BEAT_NS));
  }
}

struct post_message *post_await(struct post *p, enum post_kind kind,
                                unsigned from, unsigned *left_s)
{
  for (;;) {
    const uint64_t until = *left_s > 0 ? clock_now_ns() + NS_PER_S : 0;
    struct post_message *l = post_receive(p, kind, from, until);

    if (l || *left_s == 0 || clock_now_ns() < until) /* else none comes */
      return l;
    --*left_s;
  }
}

bool post_lost(struct post *p, unsigned rank)
{
  const struct post_peer *peer = &p->peer[rank];

  return atomic_load(&peer->unreachable) || atomic_load(&peer->silent);
}

void post_hurry(struct post *p, uint64_t until_ns)
{
  atomic_store(&p->hurry_ns, until_ns);
  post_wake_readers(p);
}

bool post_hurried(const struct post *p)
{
  return atomic_load(&p->hurry_ns) != UINT64_MAX;
}
