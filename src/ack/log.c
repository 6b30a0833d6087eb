/*
 * log.c - the clients of an acknowledgement log.
 */
#include "ack/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ack/link.h"
#include "ack/sender.h"
#include "ack/store.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"

enum {
  REMOTE_CHUNKS = 4096, /* 256 MiB may wait for the listener */
  CLIENT_CHUNKS = 2,    /* chunks that a client fills, in addition */
};

struct place {
  struct ack_client client;
  char unused[CACHE_LINE];
};

struct ack_log {
  struct ack_store *store; /* owned */
  unsigned n_clients, first;
  struct place *places; /* owned */
  struct ack_teller teller;
};

static int log_changed(struct ack_log *log, struct err *err)
{
  const struct ack_store_ops *ops = log->store->ops;

  return ops->changed ? ops->changed(log->store, err) : 0;
}

static void log_fill_header(struct ack_log *log, const char *test)
{
  struct ack_header *h = log->store->header;

  h->order = ACK_ORDER;
  h->chunk_bytes = ACK_CHUNK;
  h->record_bytes = sizeof(struct ack_record);
  h->start_ns = clock_now_ns();
  h->start_real_ns = clock_read_ns(CLOCK_REALTIME);
  h->clients = log->n_clients;
  (void)snprintf(h->test, sizeof(h->test), "%s", test);
  memcpy(h->magic, ACK_MAGIC "\n", sizeof(ACK_MAGIC));
}

int ack_log_open(struct ack_log **ret, const char *where, unsigned clients,
                 unsigned first, const char *test, struct err *err)
{
  const char *address = ack_link_address(where);
  struct ack_log *log = calloc(1, sizeof(*log));
  struct ack_notices notices;
  int rc = 0;

  if (!log)
    return err_set(err, -ENOMEM, "not enough memory for --ack-log");
  log->n_clients = clients;
  log->first = first;
  log->places = calloc(clients, sizeof(*log->places));
  if (!log->places)
    rc = err_set(err, -ENOMEM, "not enough memory for --ack-log");
  for (unsigned i = 0; rc == 0 && i < clients; i++)
    log->places[i].client = (struct ack_client){ .log = log, .number = i };
  log->teller = (struct ack_teller){ "--ack-log", address };
  notices = ack_tell(&log->teller);
  if (rc == 0)
    rc = address ? ack_store_remote(&log->store, address, clients,
                                    REMOTE_CHUNKS + CLIENT_CHUNKS * clients,
                                    &notices, err)
                 : ack_store_file(&log->store, where, err);
  if (rc == 0) {
    log_fill_header(log, test);
    rc = log_changed(log, err);
  }
  if (rc < 0) {
    ack_log_free(log);
    return rc;
  }
  *ret = log;
  return 0;
}

int ack_log_part(struct ack_log *log, uint64_t run, unsigned rank,
                 unsigned ranks, struct err *err)
{
  log->store->header->run = run;
  log->store->header->rank = rank;
  log->store->header->ranks = ranks;
  return log_changed(log, err);
}

const char *ack_log_name(const struct ack_log *log)
{
  return log->store->name;
}

int ack_log_describe(struct ack_log *log, enum ack_kind kind, unsigned flags,
                     double before, const char *query, struct err *err)
{
  struct ack_header *h = log->store->header;

  if (strlen(query) >= sizeof(h->query))
    return err_set(err, -E2BIG,
                   "the query of the acknowledgement log is too long (expected "
                   "less than %zu bytes)",
                   sizeof(h->query));
  if (h->kind != 0 && strcmp(h->query, query) != 0)
    return err_set(err, -EINVAL,
                   "the acknowledgement log has another query already: %.400s",
                   h->query);
  h->kind = kind;
  h->flags |= flags;
  h->before = before;
  memcpy(h->query, query, strlen(query) + 1);
  return log_changed(log, err);
}

int ack_log_finish(struct ack_log *log, bool all_ended, struct ack_totals *ret,
                   struct err *err)
{
  return log->store->ops->finish(log->store, all_ended, ret, err);
}

void ack_log_free(struct ack_log *log)
{
  if (!log)
    return;
  if (log->store)
    log->store->ops->free(log->store);
  free(log->places);
  free(log);
}

struct ack_client *ack_log_client(struct ack_log *log, unsigned number)
{
  const unsigned i = number - log->first;

  return i < log->n_clients ? &log->places[i].client : NULL;
}

static int log_next_chunk(struct ack_client *c)
{
  struct ack_store *store = c->log->store;
  struct ack_chunk *chunk;
  char *bytes;
  const int rc = store->ops->take(store, c->number, &bytes);

  if (rc < 0)
    return rc;
  chunk = (struct ack_chunk *)(void *)bytes;
  chunk->client = c->number;
  chunk->number = c->chunks++;
  chunk->magic = ACK_CHUNK_MAGIC;
  c->at = (struct ack_record *)(void *)chunk + 1;
  c->end = c->at + ACK_RECORDS;
  return 0;
}

static struct ack_record *log_add(struct ack_client *c, uint64_t id,
                                  enum ack_state state)
{
  struct ack_record *r = c->at++;

  r->id = id;
  r->intent_ns = clock_now_ns();
  r->client = c->number;
  r->check = ack_check(r);
  atomic_store_explicit(&r->state, (uint32_t)state, memory_order_release);
  return r;
}

int ack_intent(struct ack_client *c, uint64_t id)
{
  int rc = 0;

  if (UNLIKELY(c->n_pending == ACK_PENDING))
    return -E2BIG;
  if (UNLIKELY(c->at == c->end))
    rc = log_next_chunk(c);
  if (LIKELY(rc == 0))
    c->pending[c->n_pending++] = log_add(c, id, ACK_INTENT);
  return rc == -ENOBUFS ? 0 : rc; /* the store counts what it leaves out */
}

void ack_settle(struct ack_client *c, enum ack_state state)
{
  const uint64_t now = clock_now_ns();

  for (unsigned i = 0; i < c->n_pending; i++) {
    struct ack_record *r = c->pending[i];

    r->done_ns = now;
    atomic_store_explicit(&r->state, (uint32_t)state, memory_order_release);
  }
  c->n_pending = 0;
}

void ack_lost(struct ack_client *c)
{
  if (c->at != c->end || log_next_chunk(c) == 0)
    (void)log_add(c, 0, ACK_LOST);
}
