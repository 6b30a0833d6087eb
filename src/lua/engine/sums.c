/*
 * sums.c - many sums by number.
 */
#include "lua/engine/sums.h"

#include <errno.h>
#include <stdlib.h>

void sums_init(struct sums *s)
{
  (void)pthread_mutex_init(&s->lock, NULL);
}

void sums_done(struct sums *s)
{
  free((void *)s->cell);
  (void)pthread_mutex_destroy(&s->lock);
}

int sums_open(struct sums *s, size_t n)
{
  int rc = 0;

  (void)pthread_mutex_lock(&s->lock);
  if (!s->cell) {
    s->cell = calloc(n, sizeof(*s->cell));
    s->n = s->cell ? n : 0;
    rc = s->cell ? 0 : -ENOMEM;
  } else if (s->n != n) {
    rc = -EINVAL;
  }
  (void)pthread_mutex_unlock(&s->lock);
  return rc;
}

void sums_add(struct sums *s, size_t i, double amount)
{
  double sum;

  if (i >= s->n)
    return;
  sum = atomic_load_explicit(&s->cell[i], memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&s->cell[i], &sum, sum + amount,
                                                memory_order_relaxed,
                                                memory_order_relaxed))
    continue;
}

double sums_value(const struct sums *s, size_t i)
{
  return i < s->n ? atomic_load_explicit(&s->cell[i], memory_order_relaxed) : 0;
}
