#include "db/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "base/mem.h"
#include "base/minmax.h"

struct pool *pools_new(unsigned n, unsigned sessions)
{
  struct pool *pools = mem_aligned(n, sizeof(*pools), CACHE_LINE);

  for (unsigned i = 0; pools && i < n; i++) {
    struct pool *p = &pools[i];

    *p = (struct pool){ .size = sessions / n + (i < sessions % n) };
    p->free_end = &p->free;
    p->waits_end = &p->waits;
    p->of = mem_new(p->size, sizeof(*p->of));
    if (!p->of) {
      pools_free(pools, i);
      return NULL;
    }
  }
  return pools;
}

void pools_free(struct pool *pools, unsigned n)
{
  for (unsigned i = 0; pools && i < n; i++) {
    free(pools[i].nobody);
    free(pools[i].of);
  }
  free(pools);
}

static uint64_t pool_get(const _Atomic uint64_t *n)
{
  return atomic_load_explicit(n, memory_order_relaxed);
}

struct pool_sum pools_sum(const struct pool *pools, unsigned n)
{
  struct pool_sum sum = { 0 };

  for (unsigned i = 0; i < n; i++) {
    const struct pool_figures *f = &pools[i].figures;

    sum.leases += pool_get(&f->leases);
    sum.waits += pool_get(&f->waits);
    sum.wait_ns += pool_get(&f->wait_ns);
    sum.rolled_back += pool_get(&f->rolled_back);
    sum.longest_ns = max_u64(sum.longest_ns, pool_get(&f->longest_ns));
  }
  return sum;
}

enum {
  FIRST_ROOM = 32
};

static uint64_t pool_hash_of(const char *text, size_t len)
{
  const uint64_t h = fnv_hash(text, len);

  return h ? h : 1;
}

static struct pool_stmt **pool_place_of(const struct pool_stmts *s,
                                        uint64_t hash)
{
  return &s->table[hash & (s->room - 1)];
}

static bool pool_grow(struct pool_stmts *s)
{
  struct pool_stmts more = *s;

  more.room = s->room ? 2 * s->room : FIRST_ROOM;
  more.table = mem_new(more.room, sizeof(struct pool_stmt *));
  if (!more.table)
    return s->room > 0; /* the chains get longer */
  for (size_t i = 0; i < s->room; i++) {
    struct pool_stmt *st, *next;

    for (st = s->table[i]; st; st = next) {
      struct pool_stmt **to = pool_place_of(&more, st->hash);

      next = st->next;
      st->next = *to;
      *to = st;
    }
  }
  free(s->table);
  *s = more;
  return true;
}

static struct pool_stmt *pool_find(const struct pool_stmts *s, uint64_t hash,
                                   const char *sql, size_t len)
{
  struct pool_stmt *st = s->room > 0 ? *pool_place_of(s, hash) : NULL;

  while (st && (st->user || st->hash != hash || st->len != len ||
                memcmp(st->sql, sql, len) != 0))
    st = st->next;
  return st;
}

static struct pool_stmt *pool_add(struct pool_stmts *s, uint64_t hash,
                                  const char *sql, size_t len,
                                  size_t prepared_size)
{
  struct pool_stmt *st, **place;

  if (s->n >= s->room && !pool_grow(s))
    return NULL;
  st = calloc(1, sizeof(*st) + len + 1);
  if (!st)
    return NULL;
  st->prepared = mem_new(1, prepared_size);
  if (!st->prepared) {
    free(st);
    return NULL;
  }
  st->hash = hash;
  st->len = len;
  memcpy(st->sql, sql, len);
  place = pool_place_of(s, hash);
  st->next = *place;
  *place = st;
  s->n++;
  return st;
}

struct pool_stmt *pool_stmts_get(struct pool_stmts *s, struct conn_stmt *user,
                                 const char *sql, size_t len,
                                 size_t prepared_size)
{
  struct pool_stmt *st = user->shared;

  if (st)
    return st;
  if (user->hash == 0)
    user->hash = pool_hash_of(sql, len);
  st = pool_find(s, user->hash, sql, len);
  if (!st)
    st = pool_add(s, user->hash, sql, len, prepared_size);
  if (!st)
    return NULL;
  st->user = user;
  user->shared = st;
  user->prepared = st->prepared;
  st->last = s->lease;
  st->prepared->binds = NULL; /* of the last user */
  st->prepared->n_binds = 0;
  if (!st->used) {
    st->used = true;
    st->next_used = s->used;
    s->used = st;
  }
  return st;
}

static void pool_leave(struct pool_stmt *st)
{
  struct conn_stmt *user = st->user;

  if (!user)
    return;
  user->prepared = NULL;
  user->shared = NULL;
  user->ready = false;
  st->user = NULL;
}

void pool_stmts_remove(struct pool_stmts *s, struct pool_stmt *st)
{
  struct pool_stmt **at = pool_place_of(s, st->hash), **used = &s->used;

  pool_leave(st);
  while (*at != st)
    at = &(*at)->next;
  *at = st->next;
  while (st->used && *used != st)
    used = &(*used)->next_used;
  if (st->used)
    *used = st->next_used;
  s->n--;
  free(st->prepared);
  free(st);
}

void pool_stmts_release(struct pool_stmts *s)
{
  struct pool_stmt *st, *next;

  for (st = s->used; st; st = next) {
    next = st->next_used;
    pool_leave(st);
    st->used = false;
    st->next_used = NULL;
  }
  s->used = NULL;
  s->lease++;
}

struct pool_stmt *pool_stmts_surplus(const struct pool_stmts *s)
{
  struct pool_stmt *oldest = NULL;

  if (s->n <= POOL_STMTS_KEPT)
    return NULL;
  for (size_t i = 0; i < s->room; i++) {
    for (struct pool_stmt *st = s->table[i]; st; st = st->next) {
      if (!st->user && (!oldest || st->last < oldest->last))
        oldest = st;
    }
  }
  return oldest;
}

void pool_stmts_clear(struct pool_stmts *s, const struct driver *driver)
{
  for (size_t i = 0; i < s->room; i++) {
    struct pool_stmt *st, *next;

    for (st = s->table[i]; st; st = next) {
      next = st->next;
      if (st->ready)
        driver->unprepare(st->prepared, true);
      pool_leave(st);
      free(st->prepared);
      free(st);
    }
  }
  free(s->table);
  *s = (struct pool_stmts){ 0 };
}
