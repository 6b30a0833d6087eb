/*
 * expect.c - the rows that a table should have, compared with those that it
 * has.
 *
 * The rows of a key are made in plain form, whose values have tabs between
 * them, so one function compares the columns of all kinds.
 */
#include "load/expect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static unsigned column_of(const struct kind_table *t, const char *name)
{
  unsigned i = 0;

  while (i + 1 < t->n && strcmp(t->columns[i], name) != 0)
    i++;
  return i;
}

int expect_init(struct expect *e, struct maker *m)
{
  const struct kind_table *t = &m->table;

  *e = (struct expect){ .maker = m, .text = malloc(t->bytes_max + 1) };
  if (!e->text)
    return -ENOMEM;
  for (unsigned i = 0; i < t->keys; i++)
    e->key_at[i] = column_of(t, t->key[i].name);
  if (t->line)
    e->line_at = column_of(t, t->line);
  return 0;
}

void expect_done(struct expect *e)
{
  free(e->text);
  e->text = NULL;
}

/* The value as a whole number; 0 if it is not one. */
static int64_t number(const sql_value *v)
{
  char text[24] = "";

  if (v->ptr && v->len < sizeof(text))
    memcpy(text, v->ptr, v->len);
  return strtoll(text, NULL, 10);
}

/* The value of a key column as a number; false: it has no number. */
static bool key_number(const struct kind_key *k, const sql_value *v,
                       uint64_t *ret)
{
  const size_t len = k->prefix ? strlen(k->prefix) : 0;
  sql_value digits;

  if (!v->ptr || v->len < len || (len > 0 && memcmp(v->ptr, k->prefix, len)))
    return false;
  digits = (sql_value){ .len = v->len - (uint32_t)len, .ptr = v->ptr + len };
  *ret = (uint64_t)number(&digits);
  return true;
}

bool expect_place(const struct expect *e, const sql_value *values,
                  uint64_t *ret_key, uint64_t *ret_line)
{
  const struct kind_table *t = &e->maker->table;
  uint64_t key = 0;

  for (unsigned i = 0; i < t->keys; i++) {
    const struct kind_key *k = &t->key[i];
    uint64_t value;

    if (!key_number(k, &values[e->key_at[i]], &value))
      return false;
    value -= k->first;
    if (value % kind_step(k) != 0 || value / kind_step(k) >= k->count)
      return false;
    key = key * k->count + value / kind_step(k);
  }
  *ret_key = key + 1;
  *ret_line = t->line ? (uint64_t)number(&values[e->line_at]) : 1;
  return true;
}

uint64_t expect_lines(struct expect *e, uint64_t key)
{
  struct maker *m = e->maker;

  if (e->key == key)
    return e->lines;
  e->key = key;
  e->lines = maker_rows(m, key, key);
  e->text[m->kind->put(m, ROWS_PLAIN, key, e->text)] = '\0';
  return e->lines;
}

/* CHAR columns may have blanks at their end. */
static bool is_text(const sql_value *v, const char *text, size_t len)
{
  size_t n = v->len;

  while (n > len && v->ptr[n - 1] == ' ')
    n--;
  return n == len && memcmp(v->ptr, text, len) == 0;
}

static bool is_equal(const sql_value *v, char type, const char *text,
                     size_t len)
{
  if (len == 2 && memcmp(text, "\\N", 2) == 0)
    return v->ptr == NULL;
  if (!v->ptr)
    return false;
  if (type == 'i')
    return number(v) == strtoll(text, NULL, 10);
  return is_text(v, text, len);
}

uint32_t expect_compare(struct expect *e, uint64_t key, uint64_t line,
                        const sql_value *values)
{
  const struct kind_table *t = &e->maker->table;
  const char *text;
  uint32_t differ = 0;

  (void)expect_lines(e, key); /* makes the text */
  text = e->text;
  while (line-- > 1)
    text = strchr(text, '\n') + 1;
  for (unsigned i = 0; i < t->n; i++) {
    const size_t len = strcspn(text, "\t\n");

    if (!is_equal(&values[i], t->types[i], text, len))
      differ |= UINT32_C(1) << i;
    text += len + 1;
  }
  return differ;
}
