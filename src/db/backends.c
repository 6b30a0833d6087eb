/*
 * backends.c - how many backends of servers the clients of a run have met.
 */
#include "db/backends.h"

#include <stdlib.h>

#include "base/log.h"
#include "db/driver.h"
#include "db/options.h"
#include "rand/rng.h"

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

/* Two servers may have a backend of the same number. */
static uint64_t key_of(const char *target, uint64_t id)
{
  uint64_t key = rng_mix(id);

  for (; *target; target++)
    key = rng_mix(key + (unsigned char)*target);
  return key | 1;
}

/* False: it was there. */
static bool put(uint64_t *keys, size_t room, uint64_t key)
{
  size_t i = (size_t)(key >> 1) & (room - 1);

  while (keys[i] != 0 && keys[i] != key)
    i = (i + 1) & (room - 1);
  if (keys[i] == key)
    return false;
  keys[i] = key;
  return true;
}

/* At least half of the places stay free. */
static bool make_room(struct backends *b)
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
      (void)put(more, room, b->key[i]);
  }
  free(b->key);
  b->key = more;
  b->room = room;
  return true;
}

void backends_add(struct backends *b, const char *target, uint64_t id,
                  bool first)
{
  const uint64_t key = key_of(target, id);

  (void)pthread_mutex_lock(&b->lock);
  b->asked++;
  b->askers += first;
  if (!make_room(b))
    b->incomplete = true;
  else if (put(b->key, b->room, key))
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
