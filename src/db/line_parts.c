/*
 * line_parts.c - the memory of lines, and their figures.
 */
#include "db/line_parts.h"

#include <stdlib.h>

#include "base/mem.h"

/* Clients of one thread. */
static unsigned clients_of(unsigned carriers, unsigned clients,
                           unsigned carrier)
{
  return clients / carriers + (carrier < clients % carriers);
}

static unsigned divide_up(unsigned n, unsigned by)
{
  return n / by + (n % by > 0);
}

unsigned lines_count(unsigned carriers, unsigned clients, unsigned depth)
{
  unsigned n = 0;

  for (unsigned i = 0; i < carriers; i++)
    n += divide_up(clients_of(carriers, clients, i), depth);
  return n;
}

bool lines_init(struct lines *l, unsigned carriers, unsigned clients,
                unsigned depth)
{
  *l = (struct lines){ .carriers = carriers,
                       .clients = clients,
                       .depth = depth,
                       .each = divide_up(divide_up(clients, carriers), depth),
                       .n = lines_count(carriers, clients, depth) };
  l->of = mem_aligned((size_t)l->carriers * l->each, sizeof(*l->of),
                      CACHE_LINE);
  if (!l->of)
    return false;
  for (size_t i = 0; i < (size_t)l->carriers * l->each; i++)
    (void)pthread_mutex_init(&l->of[i].lock, NULL);
  return true;
}

static void free_closing(struct line *l)
{
  struct line_closing *c;

  while ((c = l->closing) != NULL) {
    l->closing = c->next;
    free(c->prepared);
    free(c);
  }
}

void lines_done(struct lines *l)
{
  for (size_t i = 0; l->of && i < (size_t)l->carriers * l->each; i++) {
    (void)pthread_mutex_destroy(&l->of[i].lock);
    free_closing(&l->of[i]);
    session_free(l->of[i].session);
  }
  free(l->of);
  l->of = NULL;
}

struct line_sum lines_sum(const struct lines *l)
{
  struct line_sum sum = { 0 };

  for (size_t i = 0; l->of && i < (size_t)l->carriers * l->each; i++) {
    const struct line_figures *f = &l->of[i].figures;

    sum.statements += atomic_load_explicit(&f->statements,
                                           memory_order_relaxed);
    sum.sends += atomic_load_explicit(&f->sends, memory_order_relaxed);
  }
  return sum;
}
