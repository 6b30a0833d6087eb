#include "nodes/cluster.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "base/wait.h"
#include "nodes/pack.h"
#include "nodes/post.h"
#include "stats/hist.h"
#include "stats/recorder.h"

enum {
  CLUSTER_HOST_SIZE = 256,
};

struct member {
  char host[CLUSTER_HOST_SIZE];
  struct sync_offset clock; /* on rank 0 only */
  bool started;
  int64_t start_error_ns;
  bool lost;
};

struct cluster {
  struct post *post;
  unsigned rank, size;
  struct member *of;         /* owned; [size] */
  struct post_message *plan; /* owned: from rank 0 */
  uint64_t start_ns;
};

/* The fastest answer counts: slow ones can be slower in one direction. */

enum {
  SAMPLES = 32
};

#define ANSWER_NS (5 * NS_PER_S)
#define ENOUGH_NS (NS_PER_S / 2)

struct sync_offset cluster_sync_estimate(const struct sync_sample *s, size_t n)
{
  size_t best = 0;
  uint64_t trip = UINT64_MAX, middle;

  for (size_t i = 0; i < n; i++) {
    if (s[i].back_ns - s[i].sent_ns < trip) {
      trip = s[i].back_ns - s[i].sent_ns;
      best = i;
    }
  }
  middle = s[best].sent_ns + trip / 2;
  return (struct sync_offset){ (int64_t)(s[best].there_ns - middle),
                               (trip + 1) / 2 };
}

static int cluster_sync_ask(struct post *p, unsigned rank,
                            struct sync_sample *ret)
{
  const uint64_t place = 0; /* filled in by the post */
  struct post_message *l;
  int rc = post_send(p, rank, POST_PING, &place, sizeof(place));

  if (rc < 0)
    return rc;
  l = post_receive(p, POST_PONG, rank, clock_now_ns() + ANSWER_NS);
  if (!l)
    return -ETIMEDOUT;
  if (l->len < 2 * sizeof(uint64_t)) {
    free(l);
    return -EBADMSG;
  }
  memcpy(&ret->sent_ns, l->bytes, sizeof(uint64_t));
  memcpy(&ret->there_ns, l->bytes + sizeof(uint64_t), sizeof(uint64_t));
  ret->back_ns = l->moment_ns;
  free(l);
  return 0;
}

static void cluster_sync_tell_pace(struct post *p, unsigned rank,
                                   enum post_pace pace)
{
  const unsigned char byte = (unsigned char)pace;

  (void)post_send(p, rank, POST_PACE, &byte, 1); /* a failure costs accuracy */
}

int cluster_sync_measure(struct post *p, unsigned rank, struct sync_offset *ret)
{
  const uint64_t enough = clock_now_ns() + ENOUGH_NS;
  struct sync_sample s[SAMPLES];
  size_t n = 0;
  int rc = 0;

  cluster_sync_tell_pace(p, rank, PACE_EAGER);
  post_set_pace(p, PACE_EAGER);
  while (n < SAMPLES && (n < 4 || clock_now_ns() < enough)) {
    rc = cluster_sync_ask(p, rank, &s[n]);
    if (rc < 0)
      break;
    n++;
  }
  post_set_pace(p, PACE_NORMAL);
  cluster_sync_tell_pace(p, rank, PACE_NORMAL);
  if (n == 0)
    return rc;
  *ret = cluster_sync_estimate(s, n);
  return 0;
}

uint64_t cluster_sync_there(const struct sync_offset *o, uint64_t here_ns)
{
  return here_ns + (uint64_t)o->offset_ns;
}

uint64_t cluster_sync_skew(const uint64_t *moments_ns, size_t n)
{
  uint64_t first = UINT64_MAX, last = 0;

  for (size_t i = 0; i < n; i++) {
    if (moments_ns[i] < first)
      first = moments_ns[i];
    if (moments_ns[i] > last)
      last = moments_ns[i];
  }
  return n > 0 ? last - first : 0;
}

#define LOOK_NS (20 * NS_PER_MS)

static void cluster_meet_gather_votes(struct cluster *c, unsigned char *all)
{
  for (unsigned i = 1; i < c->size; i++) {
    struct post_message *l = post_receive(c->post, POST_MEET, i, WAIT_FOREVER);

    all[i] = l && l->len == 1 ? l->bytes[0] : CLUSTER_GONE;
    free(l);
  }
  (void)post_send_all(c->post, POST_MEET, all, c->size);
}

void cluster_vote(struct cluster *c, unsigned char own, unsigned char *all)
{
  struct post_message *l;

  memset(all, CLUSTER_GONE, c->size);
  all[c->rank] = own;
  if (c->rank == 0) {
    cluster_meet_gather_votes(c, all);
    return;
  }
  (void)post_send(c->post, 0, POST_MEET, &own, 1);
  l = post_receive(c->post, POST_MEET, 0, WAIT_FOREVER);
  if (l && l->len == c->size)
    memcpy(all, l->bytes, c->size);
  free(l);
}

void cluster_meet(struct cluster *c)
{
  unsigned char *all = malloc(c->size);

  if (all)
    cluster_vote(c, 0, all);
  free(all);
}

void cluster_tell_stop(struct cluster *c, int why)
{
  const int32_t number = why;

  if (c->rank == 0)
    (void)post_send_all(c->post, POST_STOP, &number, sizeof(number));
  else
    (void)post_send(c->post, 0, POST_STOP, &number, sizeof(number));
}

/* Until a message, the loss of the rank, or a signal. */
static void cluster_meet_await_word(struct cluster *c, enum post_kind kind,
                                    unsigned from)
{
  struct post_message *l = NULL;

  while (!l && !post_hurried(c->post) && !post_lost(c->post, from) &&
         !post_leaving(c->post, from))
    l = post_receive(c->post, kind, from, clock_now_ns() + LOOK_NS);
  free(l);
}

void cluster_finish(struct cluster *c)
{
  if (c->rank == 0) {
    for (unsigned i = 1; i < c->size; i++)
      cluster_meet_await_word(c, POST_IDLE, i);
    (void)post_send_all(c->post, POST_ALL_IDLE, NULL, 0);
  } else {
    (void)post_send(c->post, 0, POST_IDLE, NULL, 0);
    cluster_meet_await_word(c, POST_ALL_IDLE, 0);
  }
  post_set_pace(c->post, PACE_NORMAL);
}

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

/* The rank has given up (-ECANCELED; rank 0 reports why, so `err` is empty), or
 * is silent and lost (-ETIMEDOUT). */
static int cluster_no_answer(struct cluster *c, unsigned rank, struct err *err)
{
  if (post_leaving(c->post, rank)) {
    if (rank == 0)
      err->text[0] = '\0';
    else
      (void)err_set(err, 0, "process %u on %s has given up", rank,
                    c->of[rank].host);
    return -ECANCELED;
  }
  c->of[rank].lost = true;
  return err_set(err, -ETIMEDOUT, "process %u%s%s does not answer", rank,
                 c->of[rank].host[0] ? " on " : "", c->of[rank].host);
}

static void cluster_pack_hello(struct strbuf *b, const char *version)
{
  char host[CLUSTER_HOST_SIZE] = "";

  (void)gethostname(host, sizeof(host) - 1); /* a failure leaves no name */
  pack_text(b, version);
  pack_u64(b, HIST_BUCKETS);
  pack_u64(b, COUNTERS);
  pack_text(b, host);
}

static int cluster_read_hello(struct cluster *c, const struct post_message *l,
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

static int cluster_gather_names(struct cluster *c, const struct strbuf *own,
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

    rc = l ? cluster_read_hello(c, l, version, err)
           : cluster_no_answer(c, i, err);
    free(l);
  }
  for (unsigned i = 0; i < c->size; i++)
    pack_text(&names, rc == 0 ? c->of[i].host : "");
  (void)post_send_all(c->post, POST_HELLO, strbuf_str(&names), names.len);
  strbuf_done(&names);
  return rc;
}

static int cluster_learn_names(struct cluster *c, struct err *err)
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

static int cluster_meet_others(struct cluster *c, const char *version,
                               struct err *err)
{
  struct strbuf hello = { 0 };
  int rc;

  cluster_pack_hello(&hello, version);
  if (c->rank == 0) {
    rc = cluster_gather_names(c, &hello, version, err);
  } else {
    rc = post_send(c->post, 0, POST_HELLO, strbuf_str(&hello), hello.len);
    rc = rc < 0 ? err_set(err, rc, "not enough memory")
                : cluster_learn_names(c, err);
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
    rc = cluster_meet_others(c, version, err);
  if (rc < 0) {
    post_free(c->post, c->of && cluster_any_lost(c));
    free(c->of);
    free(c);
    return rc;
  }
  *ret = c;
  return 0;
}

static int cluster_gather_statuses(struct cluster *c, int status)
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
    worst = cluster_gather_statuses(c, status);
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

/* ---- the common start ---- */

#define START_NS (20 * NS_PER_MS)

/* On rank 0. Returns 0 or a negative errno value. */
static int cluster_start_agree_on(struct cluster *c, bool ready,
                                  struct err *err)
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
    if (cluster_sync_measure(c->post, i, &c->of[i].clock) < 0)
      rc = cluster_no_answer(c, i, err);
    else if (c->of[i].clock.error_ns > error_ns)
      error_ns = c->of[i].clock.error_ns;
  }
  if (rc == 0)
    c->start_ns = clock_now_ns() + START_NS + 8 * error_ns;
  return rc;
}

static void cluster_start_tell(struct cluster *c, bool go)
{
  for (unsigned i = 1; i < c->size; i++) {
    struct strbuf b = { 0 };

    pack_u64(&b, go);
    if (go)
      pack_u64(&b, cluster_sync_there(&c->of[i].clock, c->start_ns));
    (void)post_send(c->post, i, POST_START, strbuf_str(&b), b.len);
    strbuf_done(&b);
  }
}

static int cluster_start_await(struct cluster *c, bool ready, struct err *err)
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
    rc = cluster_start_agree_on(c, ready, err);
    cluster_start_tell(c, rc == 0);
  } else {
    rc = cluster_start_await(c, ready, err);
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

static void cluster_start_read_started(struct cluster *c)
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
  cluster_start_read_started(c);
  if (c->of[rank].started)
    *ret_ns = c->of[rank].start_error_ns;
  return c->of[rank].started;
}

uint64_t cluster_skew(struct cluster *c)
{
  uint64_t *moment = calloc(c->size, sizeof(*moment));
  uint64_t skew = 0;
  size_t n = 0;

  cluster_start_read_started(c);
  for (unsigned i = 0; moment && i < c->size; i++) {
    if (c->of[i].started)
      moment[n++] = c->start_ns + (uint64_t)c->of[i].start_error_ns;
  }
  if (moment)
    skew = cluster_sync_skew(moment, n);
  free(moment);
  return skew;
}

uint64_t cluster_clock_error(const struct cluster *c, unsigned rank)
{
  return c->of[rank].clock.error_ns;
}
