#include "db/load/kind.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

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

/* Keys of one value of column `i`. */
static uint64_t kind_block_of(const struct kind_table *t, unsigned i)
{
  uint64_t keys = 1;

  while (++i < t->keys)
    keys *= t->key[i].count;
  return keys;
}

static void kind_add_and(struct strbuf *sql, unsigned i)
{
  if (i > 0)
    strbuf_adds(sql, " AND ");
}

/* SQL; words if `mark` is "". */
static void kind_add_value(struct strbuf *to, const struct kind_key *k,
                           uint64_t value, const char *mark)
{
  if (k->prefix)
    strbuf_addf(to, "%s%s%0*" PRIu64 "%s", mark, k->prefix, KIND_DIGITS, value,
                mark);
  else
    strbuf_addf(to, "%" PRIu64, value);
}

/* `n` values. */
static void kind_add_between(struct strbuf *sql, const struct kind_key *k,
                             uint64_t first, uint64_t n)
{
  strbuf_addf(sql, "%s BETWEEN ", k->name);
  kind_add_value(sql, k, first, "'");
  strbuf_adds(sql, " AND ");
  kind_add_value(sql, k, first + (n - 1) * kind_step(k), "'");
}

/* A cast that all databases have. */
static void kind_add_number(struct strbuf *sql, const struct kind_key *k)
{
  if (k->prefix)
    strbuf_addf(sql, "CAST(SUBSTR(%s, %zu) AS DECIMAL(%d, 0))", k->name,
                strlen(k->prefix) + 1, KIND_DIGITS);
  else
    strbuf_adds(sql, k->name);
}

void kind_select(const struct kind_table *t, struct strbuf *sql)
{
  for (unsigned i = 0; i < t->n; i++)
    strbuf_addf(sql, "%s%s", i ? ", " : "SELECT ", t->columns[i]);
  strbuf_addf(sql, " FROM %s", t->name);
}

uint64_t kind_range(const struct kind_table *t, uint64_t first, uint64_t last,
                    struct strbuf *sql)
{
  const uint64_t wanted = last - first + 1;
  uint64_t value[KIND_KEYS] = { 0 }, block = kind_block_of(t, 0), n, left;
  unsigned at = 0;

  while ((first - 1) % block != 0 || wanted < block)
    block = kind_block_of(t,
                          ++at); /* the block of the last column is one key */
  kind_split(t, first, value);
  left = t->key[at].count -
         (value[at] - t->key[at].first) / kind_step(&t->key[at]);
  n = wanted / block < left ? wanted / block : left;
  for (unsigned i = 0; i < t->keys; i++) {
    const struct kind_key *k = &t->key[i];

    kind_add_and(sql, i);
    if (i < at)
      strbuf_addf(sql, "%s = %" PRIu64, k->name, value[i]);
    else if (i == at)
      kind_add_between(sql, k, value[i], n);
    else
      kind_add_between(sql, k, k->first, k->count);
  }
  return first + n * block - 1;
}

void kind_outside(const struct kind_table *t, struct strbuf *sql)
{
  for (unsigned i = 0; i < t->keys; i++) {
    const struct kind_key *k = &t->key[i];

    strbuf_addf(sql, "%s%s < ", i ? " OR " : "", k->name);
    kind_add_value(sql, k, k->first, "'");
    strbuf_addf(sql, " OR %s > ", k->name);
    kind_add_value(sql, k, k->first + (k->count - 1) * kind_step(k), "'");
    if (kind_step(k) > 1) {
      strbuf_adds(sql, " OR (");
      kind_add_number(sql, k);
      strbuf_addf(sql, " - %" PRIu64 ") %% %" PRIu64 " <> 0", k->first,
                  kind_step(k));
    }
  }
}

void kind_key_sql(const struct kind_table *t, struct strbuf *sql)
{
  for (unsigned i = 1; i < t->keys; i++)
    strbuf_adds(sql, "(");
  for (unsigned i = 0; i < t->keys; i++) {
    const struct kind_key *k = &t->key[i];

    if (i > 0)
      strbuf_addf(sql, " * %" PRIu64 " + ", k->count);
    strbuf_adds(sql, "(");
    kind_add_number(sql, k);
    strbuf_addf(sql, " - %" PRIu64 ")%s", k->first, i ? ")" : "");
  }
}

uint64_t kind_key_step(const struct kind_table *t)
{
  return t->keys == 1 ? kind_step(&t->key[0]) : 1;
}

void kind_order(const struct kind_table *t, struct strbuf *sql)
{
  for (unsigned i = 0; i < t->keys; i++)
    strbuf_addf(sql, "%s%s", i ? ", " : "", t->key[i].name);
  if (t->line)
    strbuf_addf(sql, ", %s", t->line);
}

/* "17" or "(1, 3, 17)". */
static void kind_add_place(const struct kind_table *t, uint64_t key,
                           uint64_t line, struct strbuf *to)
{
  const bool lines = t->line && line > 0;
  const bool several = t->keys > 1 || lines;
  uint64_t value[KIND_KEYS];

  kind_split(t, key, value);
  if (several)
    strbuf_adds(to, "(");
  kind_add_value(to, &t->key[0], value[0], "");
  for (unsigned i = 1; i < t->keys; i++)
    strbuf_addf(to, ", %" PRIu64, value[i]);
  if (lines)
    strbuf_addf(to, ", %" PRIu64, line);
  if (several)
    strbuf_adds(to, ")");
}

void kind_row_name(const struct kind_table *t, uint64_t key, uint64_t line,
                   struct strbuf *to)
{
  strbuf_adds(to, "row ");
  kind_add_place(t, key, line, to);
}

void kind_row_names(const struct kind_table *t, uint64_t first, uint64_t last,
                    struct strbuf *to)
{
  strbuf_adds(to, "rows ");
  kind_add_place(t, first, 0, to);
  strbuf_adds(to, " to ");
  kind_add_place(t, last, 0, to);
}
