/*
 * store_remote.c - memory that is sent to a listener on another machine.
 *
 * A client fills slots, one after another; the queue of its slots has one
 * producer, the client, and one consumer, the sender.  The sender copies what
 * is new into a batch, and keeps the batch until the listener has it: after a
 * break the same batch is sent again.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "ack/link.h"
#include "ack/store.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "base/wait.h"

#define LOOK_NS (10 * NS_PER_MS)   /* between two looks at what is new */
#define RETRY_NS (200 * NS_PER_MS) /* between two attempts to connect */

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
  const char *address;      /* borrowed */
  struct ack_notices notices;
  unsigned n_clients, most;
  struct queue *queues; /* owned; of the clients */

  pthread_mutex_t lock;     /* protects the next six */
  struct slot *unused;      /* owned; slots of zeros */
  unsigned n_slots;         /* all, at most `most` */
  uint32_t next;            /* number of the next chunk */
  uint64_t missed;          /* how often there was no slot */
  struct ack_header latest; /* the header as it has to be sent... */
  bool has_news;            /* ...again */

  pthread_t thread;
  bool runs;                 /* the thread; of the main thread */
  _Atomic uint32_t word;     /* futex: changes with `ending` */
  _Atomic bool ending;       /* no client writes any more; release, acquire */
  _Atomic uint64_t until_ns; /* when a wait of the sender ends; 0: at once */

  /* The sender's; of others, when it has ended. */
  struct ack_link link;
  char *batch;      /* owned; begins with room for a struct ack_batch */
  size_t len;       /* bytes in it */
  size_t frame_at;  /* its last frame; 0: there is none */
  bool is_last;     /* the batch ends the log */
  uint64_t number;  /* of the batch */
  unsigned scan_at; /* the client that is looked at next */
  uint64_t scan_ns; /* when that began with the first one */
  bool last_scan;   /* it has begun after the end of all clients */
  uint64_t covered_ns, delivered_ns; /* by the last whole scan; by the last one
                                      * that the listener has */
  uint64_t sent_ns;                  /* the last batch */
  uint64_t give_up_ns;               /* after `ending`, if nothing is sent */
  bool broken, full;                 /* both were told */
  bool complete;                     /* the listener has all */
  struct ack_totals totals;          /* of records with an outcome */
  struct err why;                    /* the link has broken */
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

static bool has_room(const struct remote *r, size_t n)
{
  return r->len + sizeof(struct ack_frame) + n <=
         sizeof(struct ack_batch) + ACK_WIRE_BATCH;
}

/* Adds bytes of the file; the caller has looked for room. */
static void put(struct remote *r, uint64_t offset, const void *bytes, size_t n)
{
  struct ack_frame f = { 0 };

  if (r->frame_at > 0)
    memcpy(&f, r->batch + r->frame_at, sizeof(f));
  if (r->frame_at == 0 || f.offset + f.bytes != offset) {
    f = (struct ack_frame){ .offset = offset };
    r->frame_at = r->len;
    r->len += sizeof(f);
  }
  f.bytes += (uint32_t)n;
  memcpy(r->batch + r->frame_at, &f, sizeof(f));
  memcpy(r->batch + r->len, bytes, n);
  r->len += n;
}

/* The record as it is now; `state` was loaded before. */
static void put_record(struct remote *r, const struct slot *s, int i,
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
    put(r, at, s->bytes, sizeof(struct ack_chunk));
  put(r, at + (uint64_t)(i + 1) * sizeof(copy), &copy, sizeof(copy));
}

/* False: the batch is full. */
static bool copy_slot(struct remote *r, struct slot *s)
{
  const struct ack_record *of = records_of(s);

  for (int i = s->final; i < ACK_RECORDS; i++) {
    const uint32_t state = atomic_load_explicit(&of[i].state,
                                                memory_order_acquire);

    if (state == ACK_EMPTY)
      break;
    if (i < s->sent && state == ACK_INTENT)
      continue;
    if (!has_room(r, 2 * sizeof(*of)))
      return false;
    put_record(r, s, i, &of[i], state);
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
static bool copy_queue(struct remote *r, struct queue *q)
{
  struct slot *s = atomic_load_explicit(&q->first, memory_order_acquire);

  while (s) {
    struct slot *next;

    if (!copy_slot(r, s))
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

static void put_header(struct remote *r)
{
  (void)pthread_mutex_lock(&r->lock);
  r->latest.covered_ns = r->covered_ns;
  put(r, 0, &r->latest, sizeof(r->latest));
  r->has_news = false;
  (void)pthread_mutex_unlock(&r->lock);
}

static bool has_news(struct remote *r)
{
  bool yes;

  (void)pthread_mutex_lock(&r->lock);
  yes = r->has_news;
  (void)pthread_mutex_unlock(&r->lock);
  return yes;
}

static bool is_empty(const struct remote *r)
{
  return r->len == sizeof(struct ack_batch);
}

/* Looks at the clients from scan_at on.  True: at all of them. */
static bool scan(struct remote *r)
{
  if (r->scan_at == 0)
    r->scan_ns = clock_now_ns();
  while (r->scan_at < r->n_clients) {
    if (!copy_queue(r, &r->queues[r->scan_at]))
      return false;
    r->scan_at++;
  }
  r->scan_at = 0;
  r->covered_ns = r->scan_ns;
  return true;
}

/* How far the log goes, never without the news up to there. */
static void put_covered(struct remote *r)
{
  if (!has_news(r)) {
    put(r, offsetof(struct ack_header, covered_ns), &r->covered_ns,
        sizeof(r->covered_ns));
  } else if (has_room(r, sizeof(r->latest))) {
    put_header(r);
  }
}

/* Fills the batch with what is new, if anything is.  True: there is more. */
static bool fill(struct remote *r, bool ending)
{
  const bool first = !r->last_scan && ending;
  bool whole;

  r->len = sizeof(struct ack_batch);
  r->frame_at = 0;
  if (first)
    r->scan_at = 0;
  r->last_scan = ending;
  if (!ending && has_news(r))
    put_header(r);
  whole = scan(r);
  if (whole && ending && has_room(r, sizeof(r->latest))) {
    put_header(r);
    r->is_last = true;
  } else if (whole && has_room(r, sizeof(r->covered_ns)) &&
             (!is_empty(r) || clock_now_ns() - r->sent_ns >=
                                (uint64_t)ACK_WIRE_HEARTBEAT_MS * NS_PER_MS)) {
    put_covered(r);
  }
  if (!is_empty(r))
    r->number++;
  return !whole || ending;
}

/* ---- the sender: to the listener ---- */

static void note_full(struct remote *r)
{
  bool full;

  (void)pthread_mutex_lock(&r->lock);
  full = r->missed > 0;
  (void)pthread_mutex_unlock(&r->lock);
  if (full && !r->full)
    r->notices.full(r->notices.arg);
  r->full = full;
}

/* Sends the batch; false: it stays. */
static bool deliver(struct remote *r, bool ending)
{
  struct err err = { "" };
  int rc = 0;

  if (!ack_link_is_up(&r->link))
    rc = ack_link_open(&r->link, &err);
  if (rc == 0 && ending && r->give_up_ns > 0) /* it is there: it may be slow */
    atomic_store(&r->until_ns, clock_now_ns() + ACK_WIRE_QUIET_S * NS_PER_S);
  if (rc == 0)
    rc = ack_link_deliver(&r->link, r->batch, r->len, r->number, r->is_last,
                          &err);
  if (rc < 0) {
    if (!r->broken) {
      r->why = err;
      r->notices.lost(r->notices.arg, err.text);
    }
    r->broken = true;
    return false;
  }
  if (r->broken)
    r->notices.back(r->notices.arg);
  r->broken = false;
  r->delivered_ns = r->covered_ns;
  r->sent_ns = clock_now_ns();
  if (ending)
    r->give_up_ns = r->sent_ns + ACK_WIRE_END_S * NS_PER_S;
  return true;
}

static void pause_for(struct remote *r, uint64_t ns)
{
  const uint32_t word = atomic_load(&r->word);

  if (!atomic_load_explicit(&r->ending, memory_order_acquire))
    wait_while(&r->word, word, clock_now_ns() + ns);
}

/* Ends when the log is complete, or when it has to give up. */
static void *send_log(void *arg)
{
  struct remote *r = arg;
  bool waits = false, more = false, was_ending = false;

  thread_set_name("ack log");
  while (!r->complete) {
    const bool ending = atomic_load_explicit(&r->ending, memory_order_acquire);

    if (ending && !was_ending)
      r->give_up_ns = atomic_load(&r->until_ns);
    was_ending = ending;
    if (!waits)
      more = fill(r, ending);
    waits = !is_empty(r) && !deliver(r, ending);
    note_full(r);
    r->complete = !waits && r->is_last;
    if (waits && ending && clock_now_ns() >= r->give_up_ns)
      break;
    if (waits && ending)
      thread_sleep_until(clock_now_ns() + RETRY_NS);
    else if (waits || !more)
      pause_for(r, waits ? RETRY_NS : LOOK_NS);
  }
  return NULL;
}

/* ---- a store ---- */

static int changed(struct ack_store *store, struct err *err)
{
  struct remote *r = remote_of(store);
  int rc = 0;

  store->header->flags |= ACK_REMOTE;
  (void)pthread_mutex_lock(&r->lock);
  take_header(r, store->header);
  r->has_news = true;
  (void)pthread_mutex_unlock(&r->lock);
  if (!r->runs)
    rc = thread_start_masked(&r->thread, send_log, r, err);
  r->runs |= rc == 0;
  return rc;
}

/* The sender ends at that moment at the latest, if nothing is delivered. */
static void end_sender(struct remote *r, uint64_t until_ns)
{
  if (!r->runs)
    return;
  atomic_store(&r->until_ns, until_ns);
  atomic_store_explicit(&r->ending, true, memory_order_release);
  (void)atomic_fetch_add(&r->word, 1);
  wait_wake_all(&r->word);
  (void)pthread_join(r->thread, NULL);
  r->runs = false;
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

static int refuse_end(const struct remote *r, struct err *err)
{
  const uint64_t start = r->header.start_ns;
  const double s = r->delivered_ns > start
                     ? (double)(r->delivered_ns - start) / (double)NS_PER_S
                     : 0;

  return err_set(err, -EPIPE,
                 "--ack-log: the log '%s' at %.200s is not complete, it ends "
                 "at %.3f s of the run: %.400s",
                 r->link.file, r->address, s, r->why.text);
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
  end_sender(r, clock_now_ns() + ACK_WIRE_END_S * NS_PER_S);
  *ret = r->totals;
  count_rest(r, ret);
  if (!r->complete)
    return refuse_end(r, err);
  if (missed > 0)
    return err_set(err, -ENOBUFS,
                   "--ack-log: the log '%s' at %.200s has gaps: the listener "
                   "was too slow",
                   r->link.file, r->address);
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

  end_sender(r, 0);
  ack_link_done(&r->link);
  for (unsigned i = 0; r->queues && i < r->n_clients; i++)
    free_slots(atomic_load(&r->queues[i].first));
  free_slots(r->unused);
  (void)pthread_mutex_destroy(&r->lock);
  free(r->batch);
  free(r->queues);
  free(r);
}

static const struct ack_store_ops ops = {
  .take = take,
  .changed = changed,
  .finish = finish,
  .free = free_remote,
};

static int meet(struct remote *r, struct err *err)
{
  struct timespec now;
  uint64_t run;
  int rc;

  if (getrandom(&run, sizeof(run), 0) != (ssize_t)sizeof(run))
    return err_sys(err, "the system gives no random numbers,");
  (void)clock_gettime(CLOCK_REALTIME, &now);
  rc = ack_link_init(&r->link, r->address, run,
                     (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec,
                     &r->until_ns, err);
  if (rc == 0)
    rc = ack_link_open(&r->link, err);
  if (rc < 0)
    err_prefix(err, "--ack-log: no listener at %.200s", r->address);
  r->store.name = r->link.file;
  return rc;
}

int ack_store_remote(struct ack_store **ret, const char *address,
                     unsigned clients, unsigned most_chunks,
                     const struct ack_notices *notices, struct err *err)
{
  struct remote *r = calloc(1, sizeof(*r));
  int rc = 0;

  if (!r)
    return err_set(err, -ENOMEM, "not enough memory for --ack-log");
  r->store.ops = &ops;
  r->store.header = &r->header;
  r->address = address;
  r->notices = *notices;
  r->n_clients = clients;
  r->most = most_chunks;
  r->next = 1; /* behind the header */
  r->until_ns = WAIT_FOREVER;
  r->link.fd = -1;
  (void)pthread_mutex_init(&r->lock, NULL);
  r->queues = calloc(clients, sizeof(*r->queues));
  r->batch = malloc(sizeof(struct ack_batch) + ACK_WIRE_BATCH);
  if (!r->queues || !r->batch)
    rc = err_set(err, -ENOMEM, "not enough memory for --ack-log");
  if (rc == 0)
    rc = meet(r, err);
  if (rc < 0) {
    free_remote(&r->store);
    return rc;
  }
  *ret = &r->store;
  return 0;
}
