/*
 * store_remote.c - memory that is sent to a listener on another machine.
 *
 * A client fills slots, one after another; the queue of its slots has one
 * producer, the client, and one consumer, the sender's thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ack/sender.h"
#include "ack/store.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"

struct slot {
  struct slot *_Atomic next; /* of the same client, later; release, acquire */
  uint32_t number;           /* of the chunk in the file */
  int sent;                  /* sender: records that were, if only as intents */
  int final;                 /* sender: those before it have their outcome */
  _Alignas(CACHE_LINE) char bytes[ACK_CHUNK];
};

struct queue {
  struct slot *_Atomic first; /* the sender takes it; release, acquire */
  struct slot *last;          /* of the client */
  char unused[CACHE_LINE];
};

struct remote {
  struct ack_store store;
  struct ack_header header; /* the store's */
  unsigned n_clients, most;
  struct queue *queues; /* owned; of the clients */

  pthread_mutex_t lock;     /* protects the next six */
  struct slot *unused;      /* owned; slots of zeros */
  unsigned n_slots;         /* all, at most `most` */
  uint32_t next;            /* number of the next chunk */
  uint64_t missed;          /* how often there was no slot */
  struct ack_header latest; /* the header as it has to be sent... */
  bool has_news;            /* ...again */

  /* The sender's thread's; of others, when it has ended. */
  struct ack_sender sender;
  unsigned scan_at; /* the client that is looked at next */
  uint64_t scan_ns; /* when that began with the first one */
  bool last_scan;   /* it has begun after the end of all clients */
  uint64_t covered_ns, delivered_ns; /* by the last whole scan; by the last one
                                      * that the listener has */
  struct ack_totals totals, delivered; /* of records with an outcome: sent; of
                                        * them, those that the listener has */
};

static struct remote *remote_of(struct ack_store *store)
{
  return (struct remote *)(void *)store;
}

static struct ack_record *records_of(struct slot *s)
{
  return (struct ack_record *)(void *)s->bytes + 1;
}

/* ---- for clients ---- */

static struct slot *take_slot(struct remote *r)
{
  struct slot *s;

  (void)pthread_mutex_lock(&r->lock);
  s = r->unused;
  if (s) {
    r->unused = atomic_load_explicit(&s->next, memory_order_relaxed);
    atomic_store_explicit(&s->next, NULL, memory_order_relaxed);
  } else if (r->n_slots < r->most) {
    s = mem_aligned(1, sizeof(*s), CACHE_LINE);
    r->n_slots += s != NULL;
  }
  if (s) {
    s->number = r->next++;
  } else if (r->missed++ == 0) {
    r->latest.flags |= ACK_MISSES; /* said at once: the run may not end */
    r->has_news = true;
  }
  (void)pthread_mutex_unlock(&r->lock);
  return s;
}

static int take(struct ack_store *store, uint32_t client, char **ret)
{
  struct remote *r = remote_of(store);
  struct queue *q = &r->queues[client];
  struct slot *s = take_slot(r);

  if (!s)
    return -ENOBUFS;
  if (q->last)
    atomic_store_explicit(&q->last->next, s, memory_order_release);
  else
    atomic_store_explicit(&q->first, s, memory_order_release);
  q->last = s;
  *ret = s->bytes;
  return 0;
}

/* ---- the sender: what is new ---- */

/* The record as it is now; `state` was loaded before. */
static void put_record(struct ack_bytes *b, const struct slot *s, int i,
                       const struct ack_record *from, uint32_t state)
{
  const uint64_t at = (uint64_t)s->number * ACK_CHUNK;
  struct ack_record copy = {
    .id = from->id,
    .intent_ns = from->intent_ns,
    .done_ns = state == ACK_INTENT ? 0 : from->done_ns,
    .check = from->check,
    .state = state,
    .client = from->client,
  };

  if (s->sent == 0)
    ack_bytes_put(b, at, s->bytes, sizeof(struct ack_chunk));
  ack_bytes_put(b, at + (uint64_t)(i + 1) * sizeof(copy), &copy, sizeof(copy));
}

/* False: the batch is full. */
static bool copy_slot(struct remote *r, struct slot *s, struct ack_bytes *b)
{
  const struct ack_record *of = records_of(s);

  for (int i = s->final; i < ACK_RECORDS; i++) {
    const uint32_t state = atomic_load_explicit(&of[i].state,
                                                memory_order_acquire);

    if (state == ACK_EMPTY)
      break;
    if (i < s->sent && state == ACK_INTENT)
      continue;
    if (!ack_bytes_have_room(b, 2 * sizeof(*of)))
      return false;
    put_record(b, s, i, &of[i], state);
    if (i >= s->sent)
      s->sent = i + 1;
    if (i == s->final && state != ACK_INTENT) {
      ack_totals_add(&r->totals, state);
      s->final++;
    }
  }
  return true;
}

/* A slot is used again, without what is in it. */
static void give_back(struct remote *r, struct slot *s)
{
  memset(s->bytes, 0, sizeof(s->bytes));
  s->sent = s->final = 0;
  (void)pthread_mutex_lock(&r->lock);
  atomic_store_explicit(&s->next, r->unused, memory_order_relaxed);
  r->unused = s;
  (void)pthread_mutex_unlock(&r->lock);
}

/* False: the batch is full.  The last slot stays: the client may use it. */
static bool copy_queue(struct remote *r, struct queue *q, struct ack_bytes *b)
{
  struct slot *s = atomic_load_explicit(&q->first, memory_order_acquire);

  while (s) {
    struct slot *next;

    if (!copy_slot(r, s, b))
      return false;
    next = atomic_load_explicit(&s->next, memory_order_acquire);
    if (next && s->final == ACK_RECORDS &&
        s == atomic_load_explicit(&q->first, memory_order_relaxed)) {
      atomic_store_explicit(&q->first, next, memory_order_relaxed);
      give_back(r, s);
    }
    s = next;
  }
  return true;
}

/* With the lock held. */
static void take_header(struct remote *r, const struct ack_header *h)
{
  r->latest = *h;
  if (r->missed > 0)
    r->latest.flags |= ACK_MISSES;
}

/* `final`: all records are there, or in this batch.  Before that the log has no
 * end, even if the run has. */
static void put_header(struct remote *r, struct ack_bytes *b, bool final)
{
  struct ack_header h;

  (void)pthread_mutex_lock(&r->lock);
  r->latest.covered_ns = r->covered_ns;
  h = r->latest;
  r->has_news = false;
  (void)pthread_mutex_unlock(&r->lock);
  if (!final)
    h.chunks = h.end_ns = 0;
  ack_bytes_put(b, 0, &h, sizeof(h));
}

static bool has_news(struct remote *r)
{
  bool yes;

  (void)pthread_mutex_lock(&r->lock);
  yes = r->has_news;
  (void)pthread_mutex_unlock(&r->lock);
  return yes;
}

/* Looks at the clients from scan_at on.  True: at all of them. */
static bool scan(struct remote *r, struct ack_bytes *b)
{
  if (r->scan_at == 0)
    r->scan_ns = clock_now_ns();
  while (r->scan_at < r->n_clients) {
    if (!copy_queue(r, &r->queues[r->scan_at], b))
      return false;
    r->scan_at++;
  }
  r->scan_at = 0;
  r->covered_ns = r->scan_ns;
  return true;
}

/* How far the log goes, never without the news up to there. */
static void put_covered(struct remote *r, struct ack_bytes *b)
{
  if (!has_news(r)) {
    ack_bytes_put(b, offsetof(struct ack_header, covered_ns), &r->covered_ns,
                  sizeof(r->covered_ns));
  } else if (ack_bytes_have_room(b, sizeof(r->latest))) {
    put_header(r, b, false);
  }
}

static bool fill(void *arg, struct ack_bytes *b, bool beat, bool ending)
{
  struct remote *r = arg;
  const size_t empty = b->len;
  bool whole;

  if (!r->last_scan && ending)
    r->scan_at = 0;
  r->last_scan = ending;
  if (has_news(r))
    put_header(r, b, false);
  whole = scan(r, b);
  if (whole && ending && ack_bytes_have_room(b, sizeof(r->latest))) {
    put_header(r, b, true);
    b->last = true;
  } else if (whole && ack_bytes_have_room(b, sizeof(r->covered_ns)) &&
             (beat || b->len > empty)) {
    put_covered(r, b);
  }
  return !whole || ending;
}

static void note_delivered(void *arg)
{
  struct remote *r = arg;

  r->delivered_ns = r->covered_ns;
  r->delivered = r->totals;
}

static bool has_gaps(void *arg)
{
  struct remote *r = arg;
  bool yes;

  (void)pthread_mutex_lock(&r->lock);
  yes = r->missed > 0;
  (void)pthread_mutex_unlock(&r->lock);
  return yes;
}

/* ---- a store ---- */

static int changed(struct ack_store *store, struct err *err)
{
  struct remote *r = remote_of(store);

  store->header->flags |= ACK_REMOTE;
  (void)pthread_mutex_lock(&r->lock);
  take_header(r, store->header);
  r->has_news = true;
  (void)pthread_mutex_unlock(&r->lock);
  return ack_sender_start(&r->sender, err);
}

/* Records that the sender has not seen with an outcome. */
static void count_rest(struct remote *r, struct ack_totals *t)
{
  for (unsigned i = 0; i < r->n_clients; i++) {
    struct slot *s = atomic_load(&r->queues[i].first);

    for (; s; s = atomic_load_explicit(&s->next, memory_order_acquire)) {
      for (int k = s->final; k < ACK_RECORDS; k++)
        ack_totals_add(t, atomic_load_explicit(&records_of(s)[k].state,
                                               memory_order_acquire));
    }
  }
}

static int refuse_end(const struct remote *r, const struct ack_totals *all,
                      struct err *err)
{
  const uint64_t start = r->header.start_ns;
  const uint64_t known = all->acked + all->aborted;
  const double s = r->delivered_ns > start
                     ? (double)(r->delivered_ns - start) / (double)NS_PER_S
                     : 0;

  return err_set(err, -EPIPE,
                 "--ack-log: the log '%s' at %.200s is not complete, it ends "
                 "at %.3f s of the run, and %" PRIu64 " of %" PRIu64
                 " answers of the server are not there: %.400s",
                 r->sender.link.file, r->sender.address, s,
                 known - r->delivered.acked - r->delivered.aborted, known,
                 r->sender.why.text);
}

static int finish(struct ack_store *store, bool all_ended,
                  struct ack_totals *ret, struct err *err)
{
  struct remote *r = remote_of(store);
  uint64_t missed;

  (void)pthread_mutex_lock(&r->lock);
  missed = r->missed;
  take_header(r, store->header);
  r->latest.chunks = all_ended ? r->next - 1 : 0;
  r->latest.end_ns = all_ended ? clock_now_ns() : 0;
  (void)pthread_mutex_unlock(&r->lock);
  ack_sender_end(&r->sender);
  *ret = r->totals;
  count_rest(r, ret);
  if (!r->sender.complete)
    return refuse_end(r, ret, err);
  if (missed > 0)
    return err_set(err, -ENOBUFS,
                   "--ack-log: the log '%s' at %.200s has gaps: the listener "
                   "was too slow",
                   r->sender.link.file, r->sender.address);
  return 0;
}

static void free_slots(struct slot *s)
{
  while (s) {
    struct slot *next = atomic_load(&s->next);

    free(s);
    s = next;
  }
}

static void free_remote(struct ack_store *store)
{
  struct remote *r = remote_of(store);

  ack_sender_done(&r->sender);
  for (unsigned i = 0; r->queues && i < r->n_clients; i++)
    free_slots(atomic_load(&r->queues[i].first));
  free_slots(r->unused);
  (void)pthread_mutex_destroy(&r->lock);
  free(r->queues);
  free(r);
}

static const struct ack_store_ops ops = {
  .take = take,
  .changed = changed,
  .finish = finish,
  .free = free_remote,
};

int ack_store_remote(struct ack_store **ret, const char *address,
                     unsigned clients, unsigned most_chunks,
                     const struct ack_notices *notices, struct err *err)
{
  struct remote *r = calloc(1, sizeof(*r));
  const struct ack_source source = {
    .arg = r, .fill = fill, .delivered = note_delivered, .has_gaps = has_gaps
  };
  int rc = 0;

  if (!r)
    return err_set(err, -ENOMEM, "not enough memory for --ack-log");
  r->store.ops = &ops;
  r->store.header = &r->header;
  r->n_clients = clients;
  r->most = most_chunks;
  r->next = 1; /* behind the header */
  (void)pthread_mutex_init(&r->lock, NULL);
  r->queues = calloc(clients, sizeof(*r->queues));
  r->sender.link.fd = -1;
  if (!r->queues)
    rc = err_set(err, -ENOMEM, "not enough memory for --ack-log");
  if (rc == 0) {
    rc = ack_sender_init(&r->sender, address, &source, notices, err);
    if (rc < 0)
      err_prefix(err, "--ack-log: no listener at %.200s", address);
  }
  if (rc < 0) {
    free_remote(&r->store);
    return rc;
  }
  r->store.name = r->sender.link.file;
  *ret = &r->store;
  return 0;
}
