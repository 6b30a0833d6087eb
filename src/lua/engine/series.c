/*
 * series.c - named sums of a script for each second of a run.
 */
#include "lua/engine/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

void series_set_init(struct series_set *set)
{
  (void)pthread_mutex_init(&set->lock, NULL);
}

void series_set_done(struct series_set *set)
{
  for (size_t i = 0; i < set->n; i++)
    free((void *)set->of[i].sum);
  (void)pthread_mutex_destroy(&set->lock);
}

/* Call it under the lock. */
static struct series *find(struct series_set *set, const char *name)
{
  struct series *s = set->of;

  while (s < set->of + set->n && strcmp(s->name, name) != 0)
    s++;
  if (s < set->of + set->n)
    return s;
  if (set->n == SERIES_MAX)
    return NULL;
  s->sum = calloc(SERIES_SECONDS, sizeof(*s->sum));
  if (!s->sum)
    return NULL;
  (void)snprintf(s->name, sizeof(s->name), "%s", name);
  s->begin_ns = &set->begin_ns;
  set->n++;
  return s;
}

struct series *series_open(struct series_set *set, const char *name)
{
  struct series *s;

  (void)pthread_mutex_lock(&set->lock);
  s = find(set, name);
  (void)pthread_mutex_unlock(&set->lock);
  return s;
}

/* ---- adding ---- */

static uint64_t get(const _Atomic uint64_t *from)
{
  return atomic_load_explicit(from, memory_order_relaxed);
}

static void note_gap(struct series *s, uint64_t from_ns, uint64_t to_ns)
{
  uint64_t longest = get(&s->gap_ns);

  while (to_ns > from_ns && to_ns - from_ns > longest) {
    if (!atomic_compare_exchange_weak_explicit(
          &s->gap_ns, &longest, to_ns - from_ns, memory_order_relaxed,
          memory_order_relaxed))
      continue;
    atomic_store_explicit(&s->gap_at_ns, from_ns, memory_order_relaxed);
    return;
  }
}

static void add(_Atomic double *to, double n)
{
  double sum = atomic_load_explicit(to, memory_order_relaxed);

  while (!atomic_compare_exchange_weak_explicit(
    to, &sum, sum + n, memory_order_relaxed, memory_order_relaxed))
    continue;
}

/* Threads read the clock before they come here, so `now_ns` can be a little
 * before that of another thread. */
void series_add(struct series *s, double n, uint64_t now_ns)
{
  uint64_t begin = 0, before, second;

  if (atomic_compare_exchange_strong_explicit(s->begin_ns, &begin, now_ns,
                                              memory_order_relaxed,
                                              memory_order_relaxed))
    begin = now_ns;
  second = now_ns > begin ? (now_ns - begin) / NS_PER_S : 0;
  add(&s->sum[second < SERIES_SECONDS ? second : SERIES_SECONDS - 1], n);
  before = get(&s->last_ns);
  while (now_ns > before && !atomic_compare_exchange_weak_explicit(
                              &s->last_ns, &before, now_ns,
                              memory_order_relaxed, memory_order_relaxed))
    continue;
  if (before > 0)
    note_gap(s, before, now_ns);
}

/* ---- reading ---- */

double series_sum(const struct series *s, size_t second)
{
  return second < SERIES_SECONDS
           ? atomic_load_explicit(&s->sum[second], memory_order_relaxed)
           : 0;
}

size_t series_seconds(const struct series *s)
{
  const uint64_t last = get(&s->last_ns), begin = get(s->begin_ns);
  const uint64_t seconds = last >= begin && last > 0
                             ? (last - begin) / NS_PER_S + 1
                             : 0;

  return seconds < SERIES_SECONDS ? (size_t)seconds : SERIES_SECONDS;
}

uint64_t series_gap_ns(const struct series *s, uint64_t *ret_at_ns)
{
  const uint64_t at = get(&s->gap_at_ns), begin = get(s->begin_ns);

  *ret_at_ns = at > begin ? at - begin : 0;
  return get(&s->gap_ns);
}
