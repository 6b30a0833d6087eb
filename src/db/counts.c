/*
 * counts.c - what the sessions of an embedded database have done.
 */
#include "db/counts.h"

#include <string.h>

void counts_init(struct counts *c)
{
  *c = (struct counts){ 0 };
  (void)pthread_mutex_init(&c->lock, NULL);
}

void counts_done(struct counts *c)
{
  (void)pthread_mutex_destroy(&c->lock);
}

void counts_join(struct counts *c, struct counts_part *p)
{
  (void)pthread_mutex_lock(&c->lock);
  p->prev = NULL;
  p->next = c->first;
  if (p->next)
    p->next->prev = p;
  c->first = p;
  (void)pthread_mutex_unlock(&c->lock);
}

static void add_part(uint64_t sum[DB_COUNTS], const struct counts_part *p)
{
  for (int i = 0; i < DB_COUNTS; i++)
    sum[i] += atomic_load_explicit(&p->of[i], memory_order_relaxed);
}

void counts_leave(struct counts *c, struct counts_part *p)
{
  (void)pthread_mutex_lock(&c->lock);
  add_part(c->gone, p);
  if (p->prev)
    p->prev->next = p->next;
  else
    c->first = p->next;
  if (p->next)
    p->next->prev = p->prev;
  (void)pthread_mutex_unlock(&c->lock);
  p->next = p->prev = NULL;
  for (int i = 0; i < DB_COUNTS; i++)
    atomic_store_explicit(&p->of[i], 0, memory_order_relaxed);
}

void counts_sum(struct counts *c, uint64_t ret[DB_COUNTS])
{
  (void)pthread_mutex_lock(&c->lock);
  memcpy(ret, c->gone, sizeof(c->gone));
  for (const struct counts_part *p = c->first; p; p = p->next)
    add_part(ret, p);
  (void)pthread_mutex_unlock(&c->lock);
}
