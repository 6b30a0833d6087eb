/*
 * store_remote.c - memory that is sent to a listener on another machine: what
 * is sent when.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ack/sender.h"
#include "ack/slots.h"
#include "ack/store.h"
#include "base/clock.h"
#include "base/err.h"

_Static_assert((int)ACK_CHUNK == (int)ACK_WIRE_CHUNK,
               "the file grows by chunks");

struct remote {
  struct ack_store store;
  struct ack_header header; /* the store's */
  struct slots slots;

  pthread_mutex_t lock;     /* protects the next two */
  struct ack_header latest; /* the header as it has to be sent... */
  bool has_news;            /* ...again */

  /* The sender's thread's; of others, when it has ended. */
  struct ack_sender sender;
  bool has_told;    /* that there was no slot: the run may not end */
  uint64_t begun;   /* chunks before it are in the file */
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

static int take(struct ack_store *store, uint32_t client, char **ret)
{
  struct slot *s = slots_take(&remote_of(store)->slots, client);

  if (!s)
    return -ENOBUFS;
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

/* False: the batch is full.  The last slot stays: the client may use it. */
static bool copy_queue(struct remote *r, uint32_t client, struct ack_bytes *b)
{
  struct slot *s = slots_first(&r->slots, client);

  while (s && s->number < r->begun) { /* else it was taken just now */
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
  r->has_told = slots_missed(&r->slots) > 0;
  if (r->has_told)
    h.flags |= ACK_MISSES;
  if (!final)
    h.chunks = 0, h.end_ns = 0;
  ack_bytes_put(b, 0, &h, sizeof(h));
}

static bool has_news(struct remote *r)
{
  bool yes;

  (void)pthread_mutex_lock(&r->lock);
  yes = r->has_news;
  (void)pthread_mutex_unlock(&r->lock);
  return yes || (!r->has_told && slots_missed(&r->slots) > 0);
}

/* False: the batch is full. */
static bool begin_chunks(struct remote *r, struct ack_bytes *b)
{
  const uint64_t next = slots_next(&r->slots);

  r->begun = ack_bytes_begin(b, r->begun, next);
  return r->begun == next;
}

/* Looks at the clients from scan_at on.  True: at all of them. */
static bool scan(struct remote *r, struct ack_bytes *b)
{
  if (r->scan_at == 0)
    r->scan_ns = clock_now_ns();
  if (!begin_chunks(r, b))
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

  return slots_missed(&r->slots) > 0;
}

/* ---- a store ---- */

static int changed(struct ack_store *store, struct err *err)
{
  struct remote *r = remote_of(store);

  store->header->flags |= ACK_REMOTE;
  (void)pthread_mutex_lock(&r->lock);
  r->latest = *store->header;
  r->has_news = true;
  (void)pthread_mutex_unlock(&r->lock);
  return ack_sender_start(&r->sender, err);
}

/* Records that the sender has not seen with an outcome. */
static void count_rest(const struct remote *r, struct ack_totals *t)
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
  const uint32_t chunks = slots_next(&r->slots) - 1;

  (void)pthread_mutex_lock(&r->lock);
  r->latest = *store->header;
  r->latest.chunks = all_ended ? chunks : 0;
  r->latest.end_ns = all_ended ? clock_now_ns() : 0;
  (void)pthread_mutex_unlock(&r->lock);
  ack_sender_end(&r->sender);
  *ret = r->totals;
  count_rest(r, ret);
  if (!r->sender.complete)
    return refuse_end(r, ret, err);
  if (slots_missed(&r->slots) > 0)
    return err_set(err, -ENOBUFS,
                   "--ack-log: the log '%s' at %.200s has gaps: the listener "
                   "was too slow",
                   r->sender.link.file, r->sender.address);
  return 0;
}

static void free_remote(struct ack_store *store)
{
  struct remote *r = remote_of(store);

  ack_sender_done(&r->sender);
  slots_done(&r->slots);
  (void)pthread_mutex_destroy(&r->lock);
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
    .arg = r,
    .chunks = most_chunks,
    .fill = fill,
    .delivered = note_delivered,
    .has_gaps = has_gaps,
  };
  int rc = 0;

  if (!r)
    return err_set(err, -ENOMEM, "not enough memory for --ack-log");
  r->store.ops = &ops;
  r->store.header = &r->header;
  r->begun = 1; /* behind the header */
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
    free_remote(&r->store);
    return rc;
  }
  r->store.name = r->sender.link.file;
  *ret = &r->store;
  return 0;
}
