/*
 * store_remote.c - memory that is sent to a listener.  Clients fill slots.
 * Each client has a queue of slots, which the sender's thread empties.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ack/format.h"
#include "ack/sender.h"
#include "ack/store.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"

struct slot {
  struct slot *_Atomic next; /* release, acquire */
  uint32_t number;
  int sent;  /* sender: records sent, also mere intents */
  int final; /* sender: leading records sent with outcome */
  _Alignas(CACHE_LINE) char bytes[ACK_CHUNK];
};

struct slot_queue {
  struct slot *_Atomic first; /* the sender takes it; release, acquire */
  struct slot *last;
  char unused[CACHE_LINE];
};

struct slots {
  unsigned n_clients, most;
  struct slot_queue *queues; /* owned; one per client */

  pthread_mutex_t lock; /* protects the next two */
  struct slot *unused;  /* owned; zeroed */
  unsigned n_slots;
  _Atomic uint32_t next;
  _Atomic uint64_t missed; /* requests without a slot */
};

static inline struct ack_record *slot_records(struct slot *s)
{
  return (struct ack_record *)(void *)s->bytes + 1;
}

/* -ENOMEM; call slots_done() even then. */
static int slots_init(struct slots *s, unsigned clients, unsigned most)
{
  *s = (struct slots){
    .n_clients = clients,
    .most = most,
    .queues = calloc(clients, sizeof(*s->queues)),
    .next = 1,
  };
  (void)pthread_mutex_init(&s->lock, NULL);
  return s->queues ? 0 : -ENOMEM;
}

static void store_remote_free_all(struct slot *slot)
{
  while (slot) {
    struct slot *next = atomic_load(&slot->next);

    free(slot);
    slot = next;
  }
}

static void slots_done(struct slots *s)
{
  for (unsigned i = 0; s->queues && i < s->n_clients; i++)
    store_remote_free_all(atomic_load(&s->queues[i].first));
  store_remote_free_all(s->unused);
  (void)pthread_mutex_destroy(&s->lock);
  free(s->queues);
}

static struct slot *store_remote_take_any(struct slots *s)
{
  struct slot *slot;

  (void)pthread_mutex_lock(&s->lock);
  slot = s->unused;
  if (slot) {
    s->unused = atomic_load_explicit(&slot->next, memory_order_relaxed);
    atomic_store_explicit(&slot->next, NULL, memory_order_relaxed);
  } else if (s->n_slots < s->most) {
    slot = mem_aligned(1, sizeof(*slot), CACHE_LINE);
    s->n_slots += slot != NULL;
  }
  if (slot)
    slot->number = atomic_fetch_add(&s->next, 1);
  else
    atomic_fetch_add(&s->missed, 1);
  (void)pthread_mutex_unlock(&s->lock);
  return slot;
}

/* By a client.  NULL: no slot is free. */
static struct slot *slots_take(struct slots *s, uint32_t client)
{
  struct slot_queue *q = &s->queues[client];
  struct slot *slot = store_remote_take_any(s);

  if (!slot)
    return NULL;
  if (q->last)
    atomic_store_explicit(&q->last->next, slot, memory_order_release);
  else
    atomic_store_explicit(&q->first, slot, memory_order_release);
  q->last = slot;
  return slot;
}

static struct slot *slots_after(const struct slot *slot)
{
  return atomic_load_explicit(&slot->next, memory_order_acquire);
}

/* By the sender: the first slot was sent, and the client has a later one. */
static void slots_give_back(struct slots *s, uint32_t client)
{
  struct slot_queue *q = &s->queues[client];
  struct slot *slot = atomic_load_explicit(&q->first, memory_order_relaxed);

  atomic_store_explicit(&q->first, slots_after(slot), memory_order_relaxed);
  memset(slot->bytes, 0, sizeof(slot->bytes));
  slot->sent = slot->final = 0;
  (void)pthread_mutex_lock(&s->lock);
  atomic_store_explicit(&slot->next, s->unused, memory_order_relaxed);
  s->unused = slot;
  (void)pthread_mutex_unlock(&s->lock);
}

/* By the sender, or after the end of all clients. */
static struct slot *slots_first(const struct slots *s, uint32_t client)
{
  return atomic_load_explicit(&s->queues[client].first, memory_order_acquire);
}

_Static_assert((int)ACK_CHUNK == (int)ACK_WIRE_CHUNK,
               "the file grows by chunks");

struct remote {
  struct ack_store store;
  struct ack_header header;
  struct slots slots;

  pthread_mutex_t lock;     /* protects the next two */
  struct ack_header latest; /* the header to send */
  bool has_news;            /* `latest` has changed */

  /* Owned by the sender's thread; after its end, by others. */
  struct ack_sender sender;
  bool has_told;  /* the header mentions a lack of slots */
  uint64_t begun; /* chunks before it are in the file */
  unsigned scan_at;
  uint64_t scan_ns; /* start of the scan */
  bool last_scan;   /* the scan began after the end of all clients */
  uint64_t covered_ns, delivered_ns; /* time of the last whole scan; of the last
                                      * one at the listener */
  struct ack_totals totals, delivered; /* records with an outcome */
};

static struct remote *remote_of(struct ack_store *store)
{
  return (struct remote *)(void *)store;
}

static int store_remote_take(struct ack_store *store, uint32_t client,
                             char **ret)
{
  struct slot *s = slots_take(&remote_of(store)->slots, client);

  if (!s)
    return -ENOBUFS;
  *ret = s->bytes;
  return 0;
}

/* `state` was loaded before. */
static void store_remote_put_record(struct ack_bytes *b, const struct slot *s,
                                    int i, const struct ack_record *from,
                                    uint32_t state)
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
  const struct ack_record *of = slot_records(s);

  for (int i = s->final; i < ACK_RECORDS; i++) {
    const uint32_t state = atomic_load_explicit(&of[i].state,
                                                memory_order_acquire);

    if (state == ACK_EMPTY)
      break;
    if (i < s->sent && state == ACK_INTENT)
      continue;
    if (!ack_bytes_have_room(b, 2 * sizeof(*of)))
      return false;
    store_remote_put_record(b, s, i, &of[i], state);
    if (i >= s->sent)
      s->sent = i + 1;
    if (i == s->final && state != ACK_INTENT) {
      ack_totals_add(&r->totals, state);
      s->final++;
    }
  }
  return true;
}

/* False: the batch is full.  Keeps the last slot: the client can use it. */
static bool copy_queue(struct remote *r, uint32_t client, struct ack_bytes *b)
{
  struct slot *s = slots_first(&r->slots, client);

  while (s && s->number < r->begun) { /* a higher number was taken just now */
    struct slot *next;

    if (!copy_slot(r, s, b))
      return false;
    next = slots_after(s);
    if (next && s->final == ACK_RECORDS && s == slots_first(&r->slots, client))
      slots_give_back(&r->slots, client);
    s = next;
  }
  return true;
}

/* `final`: the file and this batch have all records.  Before that the log has
 * no end, even if the run has ended. */
static void store_remote_put_header(struct remote *r, struct ack_bytes *b,
                                    bool final)
{
  struct ack_header h;

  (void)pthread_mutex_lock(&r->lock);
  r->latest.covered_ns = r->covered_ns;
  h = r->latest;
  r->has_news = false;
  (void)pthread_mutex_unlock(&r->lock);
  r->has_told = atomic_load(&r->slots.missed) > 0;
  if (r->has_told)
    h.flags |= ACK_MISSES;
  if (!final)
    h.chunks = 0, h.end_ns = 0;
  ack_bytes_put(b, 0, &h, sizeof(h));
}

static bool store_remote_has_news(struct remote *r)
{
  bool yes;

  (void)pthread_mutex_lock(&r->lock);
  yes = r->has_news;
  (void)pthread_mutex_unlock(&r->lock);
  return yes || (!r->has_told && atomic_load(&r->slots.missed) > 0);
}

/* False: the batch is full. */
static bool store_remote_begin_chunks(struct remote *r, struct ack_bytes *b)
{
  const uint64_t next = atomic_load(&r->slots.next);

  r->begun = ack_bytes_begin(b, r->begun, next);
  return r->begun == next;
}

/* True: after the last client. */
static bool store_remote_scan(struct remote *r, struct ack_bytes *b)
{
  if (r->scan_at == 0)
    r->scan_ns = clock_now_ns();
  if (!store_remote_begin_chunks(r, b))
    return false;
  while (r->scan_at < r->slots.n_clients) {
    if (!copy_queue(r, r->scan_at, b))
      return false;
    r->scan_at++;
  }
  r->scan_at = 0;
  r->covered_ns = r->scan_ns;
  return true;
}

/* `covered_ns` never arrives before the news up to that time. */
static void store_remote_put_covered(struct remote *r, struct ack_bytes *b)
{
  if (!store_remote_has_news(r)) {
    ack_bytes_put(b, offsetof(struct ack_header, covered_ns), &r->covered_ns,
                  sizeof(r->covered_ns));
  } else if (ack_bytes_have_room(b, sizeof(r->latest))) {
    store_remote_put_header(r, b, false);
  }
}

static bool store_remote_fill(void *arg, struct ack_bytes *b, bool beat,
                              bool ending)
{
  struct remote *r = arg;
  const size_t empty = b->len;
  bool whole;

  if (!r->last_scan && ending)
    r->scan_at = 0;
  r->last_scan = ending;
  if (store_remote_has_news(r))
    store_remote_put_header(r, b, false);
  whole = store_remote_scan(r, b);
  if (whole && ending && ack_bytes_have_room(b, sizeof(r->latest))) {
    store_remote_put_header(r, b, true);
    b->last = true;
  } else if (whole && ack_bytes_have_room(b, sizeof(r->covered_ns)) &&
             (beat || b->len > empty)) {
    store_remote_put_covered(r, b);
  }
  return !whole || ending;
}

static void store_remote_note_delivered(void *arg)
{
  struct remote *r = arg;

  r->delivered_ns = r->covered_ns;
  r->delivered = r->totals;
}

static bool store_remote_has_gaps(void *arg)
{
  struct remote *r = arg;

  return atomic_load(&r->slots.missed) > 0;
}

static int store_remote_changed(struct ack_store *store, struct err *err)
{
  struct remote *r = remote_of(store);

  store->header->flags |= ACK_REMOTE;
  (void)pthread_mutex_lock(&r->lock);
  r->latest = *store->header;
  r->has_news = true;
  (void)pthread_mutex_unlock(&r->lock);
  return ack_sender_start(&r->sender, err);
}

/* Adds records whose outcome was not sent. */
static void store_remote_count_rest(const struct remote *r,
                                    struct ack_totals *t)
{
  for (unsigned i = 0; i < r->slots.n_clients; i++) {
    struct slot *s = slots_first(&r->slots, i);

    for (; s; s = slots_after(s)) {
      for (int k = s->final; k < ACK_RECORDS; k++)
        ack_totals_add(t, atomic_load_explicit(&slot_records(s)[k].state,
                                               memory_order_acquire));
    }
  }
}

static int store_remote_refuse_end(const struct remote *r,
                                   const struct ack_totals *all,
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

static int store_remote_finish(struct ack_store *store, bool all_ended,
                               struct ack_totals *ret, struct err *err)
{
  struct remote *r = remote_of(store);
  const uint32_t chunks = atomic_load(&r->slots.next) - 1;

  (void)pthread_mutex_lock(&r->lock);
  r->latest = *store->header;
  r->latest.chunks = all_ended ? chunks : 0;
  r->latest.end_ns = all_ended ? clock_now_ns() : 0;
  (void)pthread_mutex_unlock(&r->lock);
  ack_sender_end(&r->sender);
  *ret = r->totals;
  store_remote_count_rest(r, ret);
  if (!r->sender.complete)
    return store_remote_refuse_end(r, ret, err);
  if (atomic_load(&r->slots.missed) > 0)
    return err_set(err, -ENOBUFS,
                   "--ack-log: the log '%s' at %.200s has gaps: the listener "
                   "was too slow",
                   r->sender.link.file, r->sender.address);
  return 0;
}

static void store_remote_free_remote(struct ack_store *store)
{
  struct remote *r = remote_of(store);

  ack_sender_done(&r->sender);
  slots_done(&r->slots);
  (void)pthread_mutex_destroy(&r->lock);
  free(r);
}

static const struct ack_store_ops ops = {
  .take = store_remote_take,
  .changed = store_remote_changed,
  .finish = store_remote_finish,
  .free = store_remote_free_remote,
};

int ack_store_remote(struct ack_store **ret, const char *address,
                     unsigned clients, unsigned most_chunks,
                     const struct ack_notices *notices, struct err *err)
{
  struct remote *r = calloc(1, sizeof(*r));
  const struct ack_source source = {
    .arg = r,
    .chunks = most_chunks,
    .fill = store_remote_fill,
    .delivered = store_remote_note_delivered,
    .has_gaps = store_remote_has_gaps,
  };
  int rc = 0;

  if (!r)
    return err_set(err, -ENOMEM, "not enough memory for --ack-log");
  r->store.ops = &ops;
  r->store.header = &r->header;
  r->begun = 1;
  (void)pthread_mutex_init(&r->lock, NULL);
  r->sender.link.fd = -1;
  if (slots_init(&r->slots, clients, most_chunks) < 0)
    rc = err_set(err, -ENOMEM, "not enough memory for --ack-log");
  if (rc == 0) {
    rc = ack_sender_init(&r->sender, address, &source, notices, err);
    if (rc < 0)
      err_prefix(err, "--ack-log: no listener at %.200s", address);
  }
  if (rc < 0) {
    store_remote_free_remote(&r->store);
    return rc;
  }
  r->store.name = r->sender.link.file;
  *ret = &r->store;
  return 0;
}
