#include "db/load/chunks.h"

#include <errno.h>
#include <stdlib.h>

enum {
  CHUNKS_PER_THREAD = 16, /* so that threads end at about the same time */
};

void chunks_init(struct chunks *c, uint64_t size, unsigned threads,
                 uint64_t rows)
{
  const uint64_t parts = (uint64_t)(threads ? threads : 1) * CHUNKS_PER_THREAD;

  *c = (struct chunks){ .size = size, .rows = rows, .step = 1 };
  if (rows == 0) {
    c->rows = size / parts;
    if (c->rows < CHUNK_MIN)
      c->rows = CHUNK_MIN;
    if (c->rows > CHUNK_MAX)
      c->rows = CHUNK_MAX;
  }
  if (size / c->rows >= CHUNKS_MAX)
    c->rows = size / CHUNKS_MAX + 1;
  if (c->rows > CHUNK_LONGEST)
    c->rows = CHUNK_LONGEST;
  c->count = size / c->rows + (size % c->rows != 0);
}

void chunks_share(struct chunks *c, unsigned part, unsigned parts)
{
  c->next = part;
  c->step = parts;
}

void chunks_done(struct chunks *c)
{
  free(c->state);
  c->state = NULL;
}

struct chunk chunks_at(const struct chunks *c, uint64_t n)
{
  const uint64_t first = n * c->rows + 1;
  const uint64_t left = c->size - (first - 1);

  return (struct chunk){
    .n = n,
    .first = first,
    .last = first - 1 + (left < c->rows ? left : c->rows),
    .partial = c->state && c->state[n] == CHUNK_PARTIAL,
  };
}

int chunks_set(struct chunks *c, uint64_t n, enum chunk_state state)
{
  if (!c->state && !(c->state = calloc(c->count, 1)))
    return -ENOMEM;
  c->state[n] = (uint8_t)state;
  return 0;
}

int chunks_found(struct chunks *c, uint64_t first, uint64_t rows)
{
  const uint64_t n = (first - 1) / c->rows;
  struct chunk it;
  uint64_t whole;

  if (first == 0 || (first - 1) % c->rows != 0 || n >= c->count)
    return -EINVAL;
  it = chunks_at(c, n);
  whole = it.last - it.first + 1;
  if (rows > whole)
    return -EINVAL;
  return chunks_set(c, n,
                    rows == whole ? CHUNK_FULL
                    : rows > 0    ? CHUNK_PARTIAL
                                  : CHUNK_EMPTY);
}

bool chunks_left(struct chunks *c)
{
  while (c->next < c->count && c->state && c->state[c->next] == CHUNK_FULL)
    c->next += c->step;
  return c->next < c->count;
}

bool chunks_take(struct chunks *c, struct chunk *ret)
{
  if (!chunks_left(c))
    return false;
  *ret = chunks_at(c, c->next);
  c->next += c->step;
  return true;
}

static uint64_t rows_of(const struct chunks *c, uint64_t n)
{
  const struct chunk it = chunks_at(c, n);

  return it.last - it.first + 1;
}

/* Only the last chunk of the table can be shorter. */
uint64_t chunks_rows(const struct chunks *c)
{
  uint64_t others;

  if (c->next >= c->count)
    return 0;
  others = (c->count - 1 - c->next) / c->step;
  return others * c->rows + rows_of(c, c->next + others * c->step);
}

uint64_t chunks_rows_there(const struct chunks *c)
{
  uint64_t rows = 0;

  for (uint64_t n = c->next; c->state && n < c->count; n += c->step) {
    if (c->state[n] == CHUNK_FULL)
      rows += rows_of(c, n);
  }
  return rows;
}

int steps_init(struct steps *s, uint64_t tables)
{
  s->table = calloc(tables ? tables : 1, sizeof(*s->table));
  if (!s->table)
    return -ENOMEM;
  s->tables = tables;
  (void)pthread_mutex_init(&s->lock, NULL);
  (void)pthread_cond_init(&s->changed, NULL);
  return 0;
}

void steps_done(struct steps *s)
{
  for (uint64_t i = 0; i < s->tables; i++)
    chunks_done(&s->table[i].chunks);
  (void)pthread_cond_destroy(&s->changed);
  (void)pthread_mutex_destroy(&s->lock);
  free(s->table);
}

void steps_stop(struct steps *s)
{
  (void)pthread_mutex_lock(&s->lock);
  s->stopped = true;
  (void)pthread_cond_broadcast(&s->changed);
  (void)pthread_mutex_unlock(&s->lock);
}

bool steps_are_stopped(struct steps *s)
{
  bool stopped;

  (void)pthread_mutex_lock(&s->lock);
  stopped = s->stopped;
  (void)pthread_mutex_unlock(&s->lock);
  return stopped;
}

/* The lock does not protect chunks of a table in creation. */
static unsigned chunks_percent_of(const struct table *t)
{
  if (t->state == TABLE_FINISHING || t->state == TABLE_DONE)
    return 100;
  if (t->state < TABLE_LOADING || t->chunks.count == 0)
    return 0;
  return (unsigned)(t->chunks.next * 100 / t->chunks.count);
}

bool steps_percents(struct steps *s, unsigned *ret)
{
  if (pthread_mutex_trylock(&s->lock) != 0)
    return false;
  for (uint64_t i = 0; i < s->tables; i++)
    ret[i] = chunks_percent_of(&s->table[i]);
  (void)pthread_mutex_unlock(&s->lock);
  return true;
}

bool steps_finished(struct steps *s, uint64_t *ret)
{
  uint64_t n = 0;

  if (pthread_mutex_trylock(&s->lock) != 0)
    return false;
  for (uint64_t i = 0; i < s->tables; i++)
    n += s->table[i].state == TABLE_DONE;
  (void)pthread_mutex_unlock(&s->lock);
  *ret = n;
  return true;
}

/* ---- the next step; all with the lock ---- */

static bool chunks_may_begin(const struct steps *s)
{
  return s->begun < s->tables && !s->broken;
}

static bool chunks_is_all_done(const struct steps *s)
{
  return s->done == s->begun && !chunks_may_begin(s);
}

static bool chunks_has_chunk(struct table *t)
{
  return t->state == TABLE_LOADING && chunks_left(&t->chunks);
}

static bool chunks_is_loaded(struct table *t)
{
  return t->state == TABLE_LOADING && t->busy == 0 && !chunks_left(&t->chunks);
}

static bool chunks_is_over(const struct table *t)
{
  return t->state == TABLE_DONE || t->state == TABLE_FAILED;
}

/* The table with the fewest threads; false: none. */
static bool chunks_pick_chunk(struct steps *s, uint64_t *ret)
{
  bool found = false;

  for (uint64_t i = s->done; i < s->begun; i++) {
    if (chunks_has_chunk(&s->table[i]) &&
        (!found || s->table[i].busy < s->table[*ret].busy)) {
      *ret = i;
      found = true;
    }
  }
  return found;
}

static bool chunks_pick_loaded(struct steps *s, uint64_t *ret)
{
  for (uint64_t i = s->done; i < s->begun; i++) {
    if (chunks_is_loaded(&s->table[i])) {
      *ret = i;
      return true;
    }
  }
  return false;
}

static enum pick chunks_pick_next(struct steps *s, struct turn *t)
{
  while (s->done < s->begun && chunks_is_over(&s->table[s->done]))
    s->done++;
  if (s->stopped)
    return PICK_STOPPED;
  if (t->one_writer && s->writer && s->writer != t)
    return chunks_is_all_done(s) ? PICK_END : PICK_WAIT;
  if (chunks_pick_loaded(s, &t->at))
    return PICK_FINISH;
  if (t->at < s->begun && chunks_has_chunk(&s->table[t->at]))
    return PICK_CHUNK;
  if (chunks_may_begin(s)) {
    t->at = s->begun;
    return PICK_CREATE;
  }
  if (chunks_pick_chunk(s, &t->at))
    return PICK_CHUNK;
  return chunks_is_all_done(s) ? PICK_END : PICK_WAIT;
}

static void take(struct steps *s, struct turn *t, enum pick pick,
                 struct chunk *ret)
{
  struct table *table = &s->table[t->at];

  s->writer = t;
  if (pick == PICK_CHUNK) {
    (void)chunks_take(&table->chunks, ret);
    table->busy++;
  } else if (pick == PICK_CREATE) {
    table->state = TABLE_CREATING;
    s->begun++;
  } else {
    table->state = TABLE_FINISHING;
  }
}

static void chunks_give_up(struct steps *s)
{
  s->broken = true;
  s->writer = NULL;
}

/* ---- taking and ending one ---- */

enum pick steps_take(struct steps *s, struct turn *t, struct chunk *ret)
{
  enum pick pick;

  (void)pthread_mutex_lock(&s->lock);
  while ((pick = chunks_pick_next(s, t)) == PICK_WAIT)
    (void)pthread_cond_wait(&s->changed, &s->lock);
  if (pick >= PICK_CHUNK)
    take(s, t, pick, ret);
  (void)pthread_mutex_unlock(&s->lock);
  return pick;
}

void steps_end(struct steps *s, const struct turn *t, enum table_state state)
{
  (void)pthread_mutex_lock(&s->lock);
  s->table[t->at].state = state;
  if (state == TABLE_FAILED)
    chunks_give_up(s);
  (void)pthread_cond_broadcast(&s->changed);
  (void)pthread_mutex_unlock(&s->lock);
}

void steps_end_chunk(struct steps *s, const struct turn *t, bool loaded)
{
  (void)pthread_mutex_lock(&s->lock);
  s->table[t->at].busy--;
  if (!loaded) {
    s->table[t->at].state = TABLE_FAILED;
    chunks_give_up(s);
  }
  (void)pthread_cond_broadcast(&s->changed);
  (void)pthread_mutex_unlock(&s->lock);
}
