/*
 * slow.c - counts of rare latencies, under a lock.
 */
#include "stats/slow.h"

#include <pthread.h>

#include "base/mem.h"

/* Lies in pages of its own, most of which are never touched. */
struct slow_hist {
  pthread_mutex_t lock; /* protects `sum` */
  struct hist_sum sum;
};

struct slow_hist *slow_new(void)
{
  struct slow_hist *h = mem_pages(sizeof(*h));

  if (h)
    (void)pthread_mutex_init(&h->lock, NULL); /* cannot fail */
  return h;
}

void slow_free(struct slow_hist *h)
{
  if (h)
    (void)pthread_mutex_destroy(&h->lock);
  mem_pages_free(h, sizeof(*h));
}

void slow_record(struct slow_hist *h, uint64_t ns)
{
  (void)pthread_mutex_lock(&h->lock);
  hist_sum_put(&h->sum, hist_index(ns), 1);
  (void)pthread_mutex_unlock(&h->lock);
}

void slow_add(struct hist_sum *sum, struct slow_hist *h)
{
  (void)pthread_mutex_lock(&h->lock);
  if (h->sum.total > 0)
    hist_sum_merge(sum, &h->sum);
  (void)pthread_mutex_unlock(&h->lock);
}
