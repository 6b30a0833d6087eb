/*
 * extent.c - how much a load is: the chunks of a table, and numbers of rows.
 */
#include "load/extent.h"

#include <errno.h>

#include "load/chunks.h"
#include "load/load.h"

static unsigned threads_at(const struct load_setup *s)
{
  return share_is_alone(&s->share) ? s->threads : s->threads * s->share.parts;
}

void extent_cut(const struct load_setup *s, const struct kind_table *t,
                bool one_writer, struct chunks *ret)
{
  const uint64_t keys = kind_keys(t);
  /* Longer transactions are better for a single writer. */
  const uint64_t rows = one_writer ? 2 * CHUNK_MAX : 0;

  chunks_init(ret, keys * t->per_key, threads_at(s), rows);
  if (t->per_key > 1)
    chunks_init(ret, keys, threads_at(s), 1 + (ret->rows - 1) / t->per_key);
  if (!share_is_alone(&s->share))
    chunks_share(ret, s->share.part, s->share.parts);
}

/* The number of rows of a table that this rank loads.  Returns -ENOMEM. */
static int rows_of_table(const struct load_setup *s, uint64_t number,
                         uint64_t *ret)
{
  struct chunks chunks;
  struct maker m;

  if (maker_init(&m, s->kind, &s->args, number) < 0)
    return -ENOMEM;
  extent_cut(s, &m.table, false, &chunks);
  *ret = share_is_alone(&s->share) ? maker_rows(&m, 1, kind_keys(&m.table))
                                   : chunks_rows(&chunks);
  maker_done(&m);
  return 0;
}

int extent_rows(const struct load_setup *s, uint64_t *ret)
{
  uint64_t all = 0, rows = 0;
  int rc = 0;

  if (s->kind->tables == 0) { /* they have the same size */
    rc = s->tables > 0 ? rows_of_table(s, s->first_table, &rows) : 0;
    *ret = rows * s->tables;
    return rc;
  }
  for (uint64_t i = 0; rc == 0 && i < s->tables; i++) {
    rc = rows_of_table(s, s->first_table + i, &rows);
    all += rows;
  }
  *ret = all;
  return rc;
}

uint64_t extent_there(struct maker *m, const struct chunks *c, bool all)
{
  uint64_t rows = 0;

  if (!m->table.line)
    return all ? chunks_rows(c) : chunks_rows_there(c);
  for (uint64_t n = 0; n < c->count; n++) {
    const struct chunk chunk = chunks_at(c, n);

    if (all || (c->state && c->state[n] == CHUNK_FULL))
      rows += maker_rows(m, chunk.first, chunk.last);
  }
  return rows;
}
