/*
 * cluster_start.c - a common start, and how exact it was.
 */
#include "cluster/cluster_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "base/wait.h"
#include "cluster/pack.h"
#include "cluster/post.h"

/* The time from the decision to the common start, for the messages and for
 * waking up. */
#define START_NS (20 * NS_PER_MS)

/* The part of rank 0: 0 with the common start, or negative. */
static int agree_on_start(struct cluster *c, bool ready, struct err *err)
{
  uint64_t error_ns = 0;
  int rc = ready ? 0 : -ECANCELED;

  err->text[0] = '\0';
  for (unsigned i = 1; i < c->size && rc == 0; i++) {
    struct post_message *l = post_receive(c->post, POST_READY, i, WAIT_FOREVER);

    if (!l)
      rc = cluster_no_answer(c, i, err);
    else if (l->len < 1 || l->bytes[0] == 0)
      rc = err_set(err, -ECANCELED, "process %u on %s did not get ready", i,
                   c->of[i].host);
    free(l);
  }
  for (unsigned i = 1; i < c->size && rc == 0; i++) {
    if (sync_measure(c->post, i, &c->of[i].clock) < 0)
      rc = cluster_no_answer(c, i, err);
    else if (c->of[i].clock.error_ns > error_ns)
      error_ns = c->of[i].clock.error_ns;
  }
  if (rc == 0)
    c->start_ns = clock_now_ns() + START_NS + 8 * error_ns;
  return rc;
}

static void tell_start(struct cluster *c, bool go)
{
  for (unsigned i = 1; i < c->size; i++) {
    struct strbuf b = { 0 };

    pack_u64(&b, go);
    if (go)
      pack_u64(&b, sync_there(&c->of[i].clock, c->start_ns));
    (void)post_send(c->post, i, POST_START, strbuf_str(&b), b.len);
    strbuf_done(&b);
  }
}

static int await_start(struct cluster *c, bool ready, struct err *err)
{
  const unsigned char byte = ready;
  struct post_message *l = NULL;
  struct unpack u;
  bool go;

  err->text[0] = '\0';
  if (post_send(c->post, 0, POST_READY, &byte, 1) < 0)
    return err_set(err, -ENOMEM, "not enough memory");
  l = post_receive(c->post, POST_START, 0, WAIT_FOREVER);
  if (!l)
    return cluster_no_answer(c, 0, err);
  u = unpack_start(l->bytes, l->len);
  go = unpack_u64(&u) == 1;
  c->start_ns = go ? unpack_u64(&u) : 0;
  free(l);
  return go && !u.failed ? 0 : -ECANCELED;
}

int cluster_start(struct cluster *c, bool ready, uint64_t *ret_start_ns,
                  struct err *err)
{
  int rc;

  post_set_pace(c->post, PACE_NORMAL);
  if (c->rank == 0) {
    rc = agree_on_start(c, ready, err);
    tell_start(c, rc == 0);
  } else {
    rc = await_start(c, ready, err);
  }
  post_set_pace(c->post, PACE_CALM);
  if (rc == 0)
    *ret_start_ns = c->start_ns;
  return rc;
}

void cluster_started(struct cluster *c, uint64_t now_ns)
{
  const int64_t off = (int64_t)(now_ns - c->start_ns);

  if (c->rank == 0) {
    c->of[0].started = true;
    c->of[0].start_error_ns = off;
  } else {
    (void)post_send(c->post, 0, POST_STARTED, &off, sizeof(off));
  }
}

static void read_started(struct cluster *c)
{
  struct post_message *l;

  while ((l = post_receive(c->post, POST_STARTED, POST_ANYBODY, 0)) != NULL) {
    struct member *m = &c->of[l->peer];

    if (l->len == sizeof(m->start_error_ns)) {
      memcpy(&m->start_error_ns, l->bytes, sizeof(m->start_error_ns));
      m->started = true;
    }
    free(l);
  }
}

bool cluster_start_error(struct cluster *c, unsigned rank, int64_t *ret_ns)
{
  read_started(c);
  if (c->of[rank].started)
    *ret_ns = c->of[rank].start_error_ns;
  return c->of[rank].started;
}

uint64_t cluster_skew(struct cluster *c)
{
  uint64_t *moment = calloc(c->size, sizeof(*moment));
  uint64_t skew = 0;
  size_t n = 0;

  read_started(c);
  for (unsigned i = 0; moment && i < c->size; i++) {
    if (c->of[i].started)
      moment[n++] = c->start_ns + (uint64_t)c->of[i].start_error_ns;
  }
  if (moment)
    skew = sync_skew(moment, n);
  free(moment);
  return skew;
}

uint64_t cluster_clock_error(const struct cluster *c, unsigned rank)
{
  return c->of[rank].clock.error_ns;
}
