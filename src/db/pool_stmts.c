/*
 * pool_stmts.c - the prepared statements of a session that clients share.
 */
#include "db/pool_stmts.h"

#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "base/mem.h"
#include "db/conn_state.h"

enum {
  FIRST_ROOM = 32
};

/* Never 0. */
static uint64_t hash_of(const char *text, size_t len)
{
  const uint64_t h = fnv_hash(text, len);

  return h ? h : 1;
}

static struct pool_stmt **place_of(const struct pool_stmts *s, uint64_t hash)
{
  return &s->table[hash & (s->room - 1)];
}

static bool grow(struct pool_stmts *s)
{
  struct pool_stmts more = *s;

  more.room = s->room ? 2 * s->room : FIRST_ROOM;
  more.table = mem_new(more.room, sizeof(struct pool_stmt *));
  if (!more.table)
    return s->room > 0; /* it stays as it is */
  for (size_t i = 0; i < s->room; i++) {
    struct pool_stmt *st, *next;

    for (st = s->table[i]; st; st = next) {
      struct pool_stmt **to = place_of(&more, st->hash);

      next = st->next;
      st->next = *to;
      *to = st;
    }
  }
  free(s->table);
  *s = more;
  return true;
}

static struct pool_stmt *find(const struct pool_stmts *s, uint64_t hash,
                              const char *sql, size_t len)
{
  struct pool_stmt *st = s->room > 0 ? *place_of(s, hash) : NULL;

  while (st && (st->user || st->hash != hash || st->len != len ||
                memcmp(st->sql, sql, len) != 0))
    st = st->next;
  return st;
}

static struct pool_stmt *add(struct pool_stmts *s, uint64_t hash,
                             const char *sql, size_t len, size_t prepared_size)
{
  struct pool_stmt *st, **place;

  if (s->n >= s->room && !grow(s))
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
  place = place_of(s, hash);
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
    user->hash = hash_of(sql, len);
  st = find(s, user->hash, sql, len);
  if (!st)
    st = add(s, user->hash, sql, len, prepared_size);
  if (!st)
    return NULL;
  st->user = user;
  user->shared = st;
  user->prepared = st->prepared;
  st->last = s->lease;
  st->prepared->binds = NULL; /* those of the user before */
  st->prepared->n_binds = 0;
  if (!st->used) {
    st->used = true;
    st->next_used = s->used;
    s->used = st;
  }
  return st;
}

static void leave(struct pool_stmt *st)
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
  struct pool_stmt **at = place_of(s, st->hash), **used = &s->used;

  leave(st);
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
    leave(st);
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
      leave(st);
      free(st->prepared);
      free(st);
    }
  }
  free(s->table);
  *s = (struct pool_stmts){ 0 };
}
