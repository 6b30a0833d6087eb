/*
 * slots.c - see slots.h.
 */
#include "ack/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int slots_init(struct slots *s, unsigned clients, unsigned most)
{
  *s = (struct slots){
    .n_clients = clients,
    .most = most,
    .queues = calloc(clients, sizeof(*s->queues)),
    .next = 1, /* behind the header */
  };
  (void)pthread_mutex_init(&s->lock, NULL);
  return s->queues ? 0 : -ENOMEM;
}

static void free_all(struct slot *slot)
{
  while (slot) {
    struct slot *next = atomic_load(&slot->next);

    free(slot);
    slot = next;
  }
}

void slots_done(struct slots *s)
{
  for (unsigned i = 0; s->queues && i < s->n_clients; i++)
    free_all(atomic_load(&s->queues[i].first));
  free_all(s->unused);
  (void)pthread_mutex_destroy(&s->lock);
  free(s->queues);
}

static struct slot *take_any(struct slots *s)
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
    slot->number = s->next++;
  else
    s->missed++;
  (void)pthread_mutex_unlock(&s->lock);
  return slot;
}

struct slot *slots_take(struct slots *s, uint32_t client)
{
  struct slot_queue *q = &s->queues[client];
  struct slot *slot = take_any(s);

  if (!slot)
    return NULL;
  if (q->last)
    atomic_store_explicit(&q->last->next, slot, memory_order_release);
  else
    atomic_store_explicit(&q->first, slot, memory_order_release);
  q->last = slot;
  return slot;
}

void slots_give_back(struct slots *s, uint32_t client)
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

struct slot *slots_first(const struct slots *s, uint32_t client)
{
  return atomic_load_explicit(&s->queues[client].first, memory_order_acquire);
}

struct slot *slots_after(const struct slot *slot)
{
  return atomic_load_explicit(&slot->next, memory_order_acquire);
}

uint32_t slots_next(struct slots *s)
{
  uint32_t next;

  (void)pthread_mutex_lock(&s->lock);
  next = s->next;
  (void)pthread_mutex_unlock(&s->lock);
  return next;
}

uint64_t slots_missed(struct slots *s)
{
  uint64_t missed;

  (void)pthread_mutex_lock(&s->lock);
  missed = s->missed;
  (void)pthread_mutex_unlock(&s->lock);
  return missed;
}
