/*
 * post.c - boxes of messages, between the thread that carries them and the
 * threads that write and read them.
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
#include "base/minmax.h"
#include "base/thread.h"
#include "base/wait.h"
#include "cluster/post_internal.h"

void post_wake_readers(struct post *p)
{
  (void)atomic_fetch_add(&p->news, 1);
  wait_wake_all(&p->news);
}

static void wake_thread(struct post *p)
{
  (void)atomic_fetch_add(&p->work, 1);
  wait_wake_all(&p->work);
}

struct post_outgoing *post_outgoing_new(unsigned to, enum post_kind kind,
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

/* ---- begin and end ---- */

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
  (void)pthread_mutex_init(&p->lock, NULL);      /* cannot fail, */
  (void)pthread_mutex_init(&p->listening, NULL); /* and neither can this */
  return p;
}

/* `lost`: the link was not closed, and may still read messages on their way. */
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
  wake_thread(p);
  (void)pthread_join(p->thread, NULL);
  post_release(p, lost);
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

static struct post_message *take(struct post *p, enum post_kind kind,
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
  struct post_outgoing *out = post_outgoing_new(to, kind, bytes, len);

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

/* Call it before looking into the box: messages that came earlier are there. */
static bool will_not_come(const struct post *p, enum post_kind kind,
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
    const bool last = will_not_come(p, kind, from);
    struct post_message *l = take(p, kind, from);
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

    if (l || *left_s == 0 ||
        clock_now_ns() < until) /* otherwise it will not come */
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
