/*
 * cluster.c - joining the other ranks, the plan, and leaving.
 */
#include "cluster/cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "base/wait.h"
#include "cluster/cluster_internal.h"
#include "cluster/pack.h"
#include "cluster/post.h"
#include "stats/hist.h"
#include "stats/recorder.h"

enum {
  VERSION_SIZE = 64,
};

#define HELLO_NS (60 * NS_PER_S)

unsigned cluster_rank(const struct cluster *c)
{
  return c->rank;
}

unsigned cluster_size(const struct cluster *c)
{
  return c->size;
}

const char *cluster_host(const struct cluster *c, unsigned rank)
{
  return c->of[rank].host;
}

const char *cluster_engine(const struct cluster *c)
{
  return post_engine(c->post);
}

struct post *cluster_post(struct cluster *c)
{
  return c->post;
}

unsigned cluster_hosts(const struct cluster *c)
{
  unsigned n = 0;

  for (unsigned i = 0; i < c->size; i++) {
    bool seen = false;

    for (unsigned k = 0; k < i && !seen; k++)
      seen = strcmp(c->of[i].host, c->of[k].host) == 0;
    n += !seen;
  }
  return n;
}

void cluster_mark_lost(struct cluster *c, unsigned rank)
{
  c->of[rank].lost = true;
}

bool cluster_is_lost(const struct cluster *c, unsigned rank)
{
  return c->of[rank].lost;
}

bool cluster_any_lost(const struct cluster *c)
{
  for (unsigned i = 0; i < c->size; i++) {
    if (c->of[i].lost)
      return true;
  }
  return false;
}

/* ---- joining ---- */

int cluster_no_answer(struct cluster *c, unsigned rank, struct err *err)
{
  if (post_leaving(c->post, rank)) {
    if (rank == 0)
      err->text[0] = '\0'; /* it reports the reason itself */
    else
      (void)err_set(err, 0, "process %u on %s has given up", rank,
                    c->of[rank].host);
    return -ECANCELED;
  }
  c->of[rank].lost = true;
  return err_set(err, -ETIMEDOUT, "process %u%s%s does not answer", rank,
                 c->of[rank].host[0] ? " on " : "", c->of[rank].host);
}

static void pack_hello(struct strbuf *b, const char *version)
{
  char host[CLUSTER_HOST_SIZE] = "";

  (void)gethostname(host, sizeof(host) - 1); /* on failure it has no name */
  pack_text(b, version);
  pack_u64(b, HIST_BUCKETS);
  pack_u64(b, COUNTERS);
  pack_text(b, host);
}

static int read_hello(struct cluster *c, const struct post_message *l,
                      const char *version, struct err *err)
{
  struct unpack u = unpack_start(l->bytes, l->len);
  char theirs[VERSION_SIZE];
  uint64_t buckets, counters;

  unpack_text(&u, theirs, sizeof(theirs));
  buckets = unpack_u64(&u);
  counters = unpack_u64(&u);
  unpack_text(&u, c->of[l->peer].host, CLUSTER_HOST_SIZE);
  if (u.failed || strcmp(theirs, version) != 0 || buckets != HIST_BUCKETS ||
      counters != COUNTERS)
    return err_set(err, -EPROTO,
                   "process %u on %s is of version %s, process 0 is of version "
                   "%s: all must be the same",
                   l->peer, c->of[l->peer].host, theirs, version);
  return 0;
}

/* In rank 0: collect all names, then send them to all ranks. */
static int gather_names(struct cluster *c, const struct strbuf *own,
                        const char *version, struct err *err)
{
  struct unpack u = unpack_start(strbuf_str(own), own->len);
  struct strbuf names = { 0 };
  char ignored[VERSION_SIZE];
  int rc = 0;

  unpack_text(&u, ignored, sizeof(ignored));
  (void)unpack_u64(&u);
  (void)unpack_u64(&u);
  unpack_text(&u, c->of[0].host, CLUSTER_HOST_SIZE);
  for (unsigned i = 1; i < c->size && rc == 0; i++) {
    struct post_message *l = post_receive(c->post, POST_HELLO, i,
                                          clock_now_ns() + HELLO_NS);

    rc = l ? read_hello(c, l, version, err) : cluster_no_answer(c, i, err);
    free(l);
  }
  for (unsigned i = 0; i < c->size; i++)
    pack_text(&names, rc == 0 ? c->of[i].host : "");
  (void)post_send_all(c->post, POST_HELLO, strbuf_str(&names), names.len);
  strbuf_done(&names);
  return rc;
}

static int learn_names(struct cluster *c, struct err *err)
{
  struct post_message *l = post_receive(c->post, POST_HELLO, 0, WAIT_FOREVER);
  struct unpack u;

  if (!l)
    return cluster_no_answer(c, 0, err);
  u = unpack_start(l->bytes, l->len);
  for (unsigned i = 0; i < c->size; i++)
    unpack_text(&u, c->of[i].host, CLUSTER_HOST_SIZE);
  free(l);
  if (u.failed || c->of[0].host[0] == '\0') {
    err->text[0] = '\0'; /* rank 0 has reported the reason */
    return -EPROTO;
  }
  return 0;
}

static int meet(struct cluster *c, const char *version, struct err *err)
{
  struct strbuf hello = { 0 };
  int rc;

  pack_hello(&hello, version);
  if (c->rank == 0) {
    rc = gather_names(c, &hello, version, err);
  } else {
    rc = post_send(c->post, 0, POST_HELLO, strbuf_str(&hello), hello.len);
    rc = rc < 0 ? err_set(err, rc, "not enough memory") : learn_names(c, err);
  }
  strbuf_done(&hello);
  return rc;
}

int cluster_join(struct cluster **ret, const struct cluster_link *link,
                 unsigned size, const char *version, struct err *err)
{
  struct cluster *c = calloc(1, sizeof(*c));
  int rc;

  if (!c)
    return err_set(err, -ENOMEM, "not enough memory");
  rc = post_new(&c->post, link, err);
  if (rc < 0) {
    free(c);
    return rc;
  }
  c->rank = post_rank(c->post);
  c->size = post_size(c->post);
  c->of = calloc(c->size, sizeof(*c->of));
  if (!c->of)
    rc = err_set(err, -ENOMEM, "not enough memory");
  else if (c->size != size)
    rc = err_set(err, -EPROTO,
                 "%u processes were launched, but %s finds %u: the plug-in was "
                 "built with another engine than the one that launches",
                 size, post_engine(c->post), c->size);
  else
    rc = meet(c, version, err);
  if (rc < 0) {
    post_free(c->post, c->of && cluster_any_lost(c));
    free(c->of);
    free(c);
    return rc;
  }
  *ret = c;
  return 0;
}

/* ---- leaving ---- */

static int gather_statuses(struct cluster *c, int status)
{
  int first = status;

  (void)post_send_all(c->post, POST_LEAVING, NULL, 0);
  for (unsigned i = 1; i < c->size; i++) {
    struct post_message *l = c->of[i].lost ? NULL
                                           : post_receive(c->post, POST_STATUS,
                                                          i, WAIT_FOREVER);
    struct unpack u;
    int theirs = 1;

    if (l) {
      u = unpack_start(l->bytes, l->len);
      theirs = (int)unpack_u64(&u);
    } else {
      c->of[i].lost = true;
    }
    free(l);
    if (first == 0)
      first = theirs;
  }
  (void)post_send_all(c->post, POST_BYE, NULL, 0);
  return first;
}

int cluster_leave(struct cluster *c, int status)
{
  struct strbuf b = { 0 };
  int worst = status;

  if (c->rank == 0) {
    worst = gather_statuses(c, status);
  } else if (!c->of[0].lost) {
    struct post_message *l;

    pack_u64(&b, (uint64_t)status);
    (void)post_send(c->post, 0, POST_STATUS, strbuf_str(&b), b.len);
    strbuf_done(&b);
    l = post_receive(c->post, POST_BYE, 0, WAIT_FOREVER);
    if (!l)
      c->of[0].lost = true;
    free(l);
  }
  post_free(c->post, cluster_any_lost(c));
  free(c->plan);
  free(c->of);
  free(c);
  return worst;
}

/* ---- the plan ---- */

int cluster_share(struct cluster *c, const void *bytes, size_t len,
                  struct err *err)
{
  if (post_send_all(c->post, POST_PLAN, bytes, len) < 0)
    return err_set(err, -ENOMEM, "not enough memory to share the plan");
  return 0;
}

int cluster_plan(struct cluster *c, const void **ret_bytes, size_t *ret_len,
                 struct err *err)
{
  struct post_message *l = post_receive(c->post, POST_PLAN, 0, WAIT_FOREVER);

  if (!l)
    return cluster_no_answer(c, 0, err);
  free(c->plan);
  c->plan = l;
  *ret_bytes = l->bytes;
  *ret_len = l->len;
  return 0;
}
