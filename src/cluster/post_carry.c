/*
 * post_carry.c - the thread of a post: it passes messages to the link and
 * fetches those that arrived.
 */
#include "cluster/post_internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/thread.h"
#include "base/wait.h"
#include "cluster/link.h"

#define NORMAL_NS (NS_PER_MS / 2)
#define CALM_NS (8 * NS_PER_MS)
/* A thread that sleeps for an instant is woken at once, even on a busy
 * machine.  A thread that spins has to wait for others. */
#define EAGER_NS (10 * NS_PER_US)

enum {
  LOST_BEATS = 15, /* beats without a message: the rank is lost */
};

/* ---- out ---- */

/* On the thread: pass a message to the link. */
static void dispatch(struct post *p, struct post_outgoing *out)
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

/* Send everything that waits; returns whether there was anything. */
static bool send_all_waiting(struct post *p)
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
    dispatch(p, out);
  }
  return true;
}

/* Free the messages that were delivered. */
static void settle(struct post *p)
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

static void send_now(struct post *p, unsigned to, enum post_kind kind,
                     const void *bytes, size_t len)
{
  struct post_outgoing *out = post_outgoing_new(to, kind, bytes, len);

  if (out) /* without it, the message counts as lost on its way */
    dispatch(p, out);
}

/* ---- in ---- */

static void keep(struct post *p, struct post_message *l)
{
  struct post_box *box = &p->in[l->kind];

  (void)pthread_mutex_lock(&p->lock);
  l->next = NULL;
  *box->last = l;
  box->last = &l->next;
  (void)pthread_mutex_unlock(&p->lock);
  post_wake_readers(p);
}

static void tell_stop(struct post *p, struct post_message *l)
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

/* A lost rank ends the work of all, as if it had said so: not every engine
 * reports that a process has died. */
static void miss(struct post *p, unsigned rank)
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
  if (!l) /* then it is missed when its results are */
    return;
  *l = (struct post_message){ .kind = POST_STOP, .peer = rank };
  tell_stop(p, l);
}

/*
 * Silence is counted in beats of this rank, not in seconds.  After a standstill
 * of this process, or of all ranks, no message has come for a long time, and
 * that means nothing.
 */
static void note_silence(struct post *p, unsigned rank)
{
  struct post_peer *peer = &p->peer[rank];

  if (peer->quiet++ == LOST_BEATS) {
    atomic_store(&peer->silent, true);
    post_wake_readers(p);
  }
  miss(p, rank);
}

static void answer_ping(struct post *p, const struct post_message *l)
{
  uint64_t times[2] = { 0, l->moment_ns };

  if (l->len >= sizeof(times[0]))
    memcpy(&times[0], l->bytes, sizeof(times[0]));
  send_now(p, l->peer, POST_PONG, times, sizeof(times));
}

static void arrived(struct post *p, struct post_message *l)
{
  p->peer[l->peer].quiet = 0;
  atomic_store(&p->peer[l->peer].silent, false);
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
    post_wake_readers(p);
    break;
  case POST_STATUS:
    atomic_store(&p->peer[l->peer].leaving, true);
    keep(p, l);
    break;
  default:
    keep(p, l);
  }
}

/* Make a message from one of the link; NULL: it makes no sense. */
static struct post_message *message_of(const struct post *p, unsigned from,
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

static bool receive_all(struct post *p)
{
  struct post_message *l;
  unsigned from;
  void *bytes;
  size_t len;
  bool any = false;

  while (p->link->receive(p->ctx, &from, &bytes, &len) > 0) {
    l = message_of(p, from, bytes, len, clock_now_ns());
    free(bytes);
    if (l)
      arrived(p, l);
    any = true;
  }
  return any;
}

/* ---- the thread ---- */

static void beat(struct post *p, uint64_t now)
{
  if (now < p->beat_ns)
    return;
  p->beat_ns = now + POST_BEAT_NS;
  for (unsigned i = 0; i < p->size; i++) {
    if (i == p->rank || (p->rank != 0 && i != 0))
      continue;
    send_now(p, i, POST_BEAT, NULL, 0);
    note_silence(p, i);
  }
}

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

bool post_carry(struct post *p, uint64_t now)
{
  bool busy = receive_all(p);

  busy |= send_all_waiting(p);
  beat(p, now);
  settle(p);
  return busy;
}

static void carry(struct post *p)
{
  for (;;) {
    const uint32_t work = atomic_load(&p->work);
    const uint32_t closing = atomic_load(&p->closing);
    const uint64_t now = clock_now_ns();
    const bool busy = post_carry(p, now);

    if (closing == 2 || (closing == 1 && !busy && !p->way_first))
      return;
    if (!busy)
      wait_while(&p->work, work, now + pause_ns(p));
  }
}

static void set_state(struct post *p, enum post_state state)
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

void *post_carry_main(void *arg)
{
  struct post *p = arg;

  thread_set_name("bench-post");
  thread_exact_timers(true);
  if (post_join(p) < 0) {
    set_state(p, POST_FAILED);
    return NULL;
  }
  set_state(p, POST_JOINED);
  carry(p);
  if (atomic_load(&p->closing) == 1)
    p->link->close(p->ctx);
  return NULL;
}
