#include "db/counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/minmax.h"
#include "db/driver.h"
#include "db/options.h"
#include "stats/rand/rng.h"

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

static void counts_add_part(uint64_t sum[DB_COUNTS],
                            const struct counts_part *p)
{
  for (int i = 0; i < DB_COUNTS; i++)
    sum[i] += atomic_load_explicit(&p->of[i], memory_order_relaxed);
}

void counts_leave(struct counts *c, struct counts_part *p)
{
  (void)pthread_mutex_lock(&c->lock);
  counts_add_part(c->gone, p);
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
    counts_add_part(ret, p);
  (void)pthread_mutex_unlock(&c->lock);
}

enum {
  ROOM_MIN = 64 /* a power of two */
};

bool backends_are_possible(const struct db_cfg *set, const struct driver *d,
                           const void *cfg)
{
  const bool dry = d->is_dry_run && d->is_dry_run(cfg);

  if (set->backend_sample == 0 || (d->backend_query && !dry))
    return true;
  log_msg(LOG_FATAL,
          "--backend-sample asks servers which of their sessions answers; %s%s "
          "has none",
          dry ? "a dry run" : "--db-driver=", dry ? "" : d->name);
  return false;
}

void backends_init(struct backends *b)
{
  *b = (struct backends){ 0 };
  (void)pthread_mutex_init(&b->lock, NULL);
}

void backends_done(struct backends *b)
{
  free(b->key);
  (void)pthread_mutex_destroy(&b->lock);
}

static uint64_t counts_key_of(const char *target, uint64_t id)
{
  uint64_t key = rng_mix(id);

  for (; *target; target++)
    key = rng_mix(key + (unsigned char)*target);
  return key | 1;
}

/* False: known. */
static bool counts_put(uint64_t *keys, size_t room, uint64_t key)
{
  size_t i = (size_t)(key >> 1) & (room - 1);

  while (keys[i] != 0 && keys[i] != key)
    i = (i + 1) & (room - 1);
  if (keys[i] == key)
    return false;
  keys[i] = key;
  return true;
}

/* Half stays free. */
static bool counts_make_room(struct backends *b)
{
  const size_t room = b->room ? 2 * b->room : ROOM_MIN;
  uint64_t *more;

  if (2 * (b->n + 1) <= b->room)
    return true;
  more = calloc(room, sizeof(*more));
  if (!more)
    return false;
  for (size_t i = 0; i < b->room; i++) {
    if (b->key[i] != 0)
      (void)counts_put(more, room, b->key[i]);
  }
  free(b->key);
  b->key = more;
  b->room = room;
  return true;
}

void backends_add(struct backends *b, const char *target, uint64_t id,
                  bool first)
{
  const uint64_t key = counts_key_of(target, id);

  (void)pthread_mutex_lock(&b->lock);
  b->asked++;
  b->askers += first;
  if (!counts_make_room(b))
    b->incomplete = true;
  else if (counts_put(b->key, b->room, key))
    b->n++;
  (void)pthread_mutex_unlock(&b->lock);
}

void backends_fail(struct backends *b)
{
  (void)pthread_mutex_lock(&b->lock);
  b->failed++;
  (void)pthread_mutex_unlock(&b->lock);
}

struct backends_seen backends_get(struct backends *b)
{
  struct backends_seen seen;

  (void)pthread_mutex_lock(&b->lock);
  seen = (struct backends_seen){ .backends = b->n,
                                 .asked = b->asked,
                                 .failed = b->failed,
                                 .askers = b->askers,
                                 .incomplete = b->incomplete };
  (void)pthread_mutex_unlock(&b->lock);
  return seen;
}

void db_times_add(struct db_times *t, uint64_t ns)
{
  max_atomic_u64(&t->min, UINT64_MAX - ns);
  max_atomic_u64(&t->max_ns, ns);
  atomic_fetch_add_explicit(&t->sum_ns, ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&t->count, 1, memory_order_relaxed);
}

static uint64_t counts_take(_Atomic uint64_t *value)
{
  return atomic_exchange_explicit(value, 0, memory_order_relaxed);
}

struct report_times db_times_take(struct db_times *t)
{
  struct report_times got = { .count = counts_take(&t->count),
                              .sum_ns = counts_take(&t->sum_ns),
                              .max_ns = counts_take(&t->max_ns) };
  const uint64_t min = counts_take(&t->min);

  if (min != 0)
    got.min_ns = UINT64_MAX - min;
  return got;
}
