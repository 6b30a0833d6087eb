/*
 * slots.h - the chunks of a log in memory, until they are sent (for src/ack
 * only).
 *
 * A client fills slots, one after another; the queue of its slots has one
 * producer, the client, and one consumer, the sender's thread.
 */
#ifndef BENCH_ACK_SLOTS_H
#define BENCH_ACK_SLOTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "ack/format.h"
#include "base/compiler.h"

struct slot {
  struct slot *_Atomic next; /* of the same client, later; release, acquire */
  uint32_t number;           /* of the chunk in the file */
  int sent;                  /* sender: records that were, if only as intents */
  int final;                 /* sender: those before it have their outcome */
  _Alignas(CACHE_LINE) char bytes[ACK_CHUNK];
};

struct slot_queue {
  struct slot *_Atomic first; /* the sender takes it; release, acquire */
  struct slot *last;          /* of the client */
  char unused[CACHE_LINE];
};

struct slots {
  unsigned n_clients, most;
  struct slot_queue *queues; /* owned; of the clients */

  pthread_mutex_t lock; /* protects the rest */
  struct slot *unused;  /* owned; slots of zeros */
  unsigned n_slots;     /* all, at most `most` */
  uint32_t next;        /* number of the next chunk */
  uint64_t missed;      /* how often there was no slot */
};

/* At most `most` slots.  -ENOMEM; slots_done() is needed also then. */
int slots_init(struct slots *s, unsigned clients, unsigned most);
void slots_done(struct slots *s);

/* By a client: one more slot of zeros.  NULL: there is none now. */
struct slot *slots_take(struct slots *s, uint32_t client);

/* By the sender: the first slot of the client is sent, and others follow it. */
void slots_give_back(struct slots *s, uint32_t client);

/* By the sender, or when all have ended: the first slot of a client, and the
 * one after it; NULL: there is none. */
struct slot *slots_first(const struct slots *s, uint32_t client);
struct slot *slots_after(const struct slot *slot);

/* Chunks with lower numbers were taken. */
uint32_t slots_next(struct slots *s);
uint64_t slots_missed(struct slots *s);

static inline struct ack_record *slot_records(struct slot *s)
{
  return (struct ack_record *)(void *)s->bytes + 1;
}

#endif
