/*
 * chunks.c - a table as a sequence of chunks.
 */
#include "load/chunks.h"

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

/* Only the last one of the table may have fewer rows than others. */
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
