/*
 * kind.c - tables of any kind: their keys, and what makes their rows.
 */
#include "load/kind.h"

#include <errno.h>
#include <stdlib.h>

void kind_describe(const struct kind *kind, const struct kind_args *args,
                   uint64_t number, struct kind_table *ret)
{
  *ret = (struct kind_table){ .per_key = 1 };
  kind->describe(args, number, ret);
}

uint64_t kind_keys(const struct kind_table *t)
{
  uint64_t keys = t->keys > 0;

  for (unsigned i = 0; i < t->keys; i++)
    keys *= t->key[i].count;
  return keys;
}

void kind_split(const struct kind_table *t, uint64_t key, uint64_t *to)
{
  uint64_t rest = key - 1;

  for (unsigned i = t->keys; i-- > 0;) {
    to[i] = t->key[i].first + rest % t->key[i].count * kind_step(&t->key[i]);
    rest /= t->key[i].count;
  }
}

int maker_init(struct maker *m, const struct kind *kind,
               const struct kind_args *args, uint64_t number)
{
  *m = (struct maker){ .kind = kind, .args = *args, .number = number };
  kind_describe(kind, args, number, &m->table);
  if (kind->state_size > 0 && !(m->state = calloc(1, kind->state_size)))
    return -ENOMEM;
  if (kind->begin)
    kind->begin(m);
  return 0;
}

void maker_done(struct maker *m)
{
  free(m->state);
  m->state = NULL;
}

uint64_t maker_rows(struct maker *m, uint64_t first, uint64_t last)
{
  uint64_t rows = 0;

  if (!m->table.line)
    return last - first + 1;
  for (uint64_t key = first; key <= last; key++)
    rows += m->kind->lines(m, key);
  return rows;
}
