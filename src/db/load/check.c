#include "db/load/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "db/load/pace.h"
#include "db/load/send.h"

static unsigned check_column_of(const struct kind_table *t, const char *name)
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
    e->key_at[i] = check_column_of(t, t->key[i].name);
  if (t->line)
    e->line_at = check_column_of(t, t->line);
  return 0;
}

void expect_done(struct expect *e)
{
  free(e->text);
  e->text = NULL;
}

/* False: no number. */
static bool check_key_number(const struct kind_key *k, const sql_value *v,
                             uint64_t *ret)
{
  const size_t len = k->prefix ? strlen(k->prefix) : 0;
  sql_value digits;

  if (!v->ptr || v->len < len || (len > 0 && memcmp(v->ptr, k->prefix, len)))
    return false;
  digits = (sql_value){ .len = v->len - (uint32_t)len, .ptr = v->ptr + len };
  *ret = send_number(&digits);
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

    if (!check_key_number(k, &values[e->key_at[i]], &value))
      return false;
    value -= k->first;
    if (value % kind_step(k) != 0 || value / kind_step(k) >= k->count)
      return false;
    key = key * k->count + value / kind_step(k);
  }
  *ret_key = key + 1;
  *ret_line = t->line ? send_number(&values[e->line_at]) : 1;
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

/* CHAR columns can end with blanks. */
static bool check_is_text(const sql_value *v, const char *text, size_t len)
{
  size_t n = v->len;

  while (n > len && v->ptr[n - 1] == ' ')
    n--;
  return n == len && memcmp(v->ptr, text, len) == 0;
}

static bool check_is_equal(const sql_value *v, char type, const char *text,
                           size_t len)
{
  if (len == 2 && memcmp(text, "\\N", 2) == 0)
    return v->ptr == NULL;
  if (!v->ptr)
    return false;
  if (type == 'i')
    return send_number(v) == strtoull(text, NULL, 10);
  return check_is_text(v, text, len);
}

uint32_t expect_compare(struct expect *e, uint64_t key, uint64_t line,
                        const sql_value *values)
{
  const struct kind_table *t = &e->maker->table;
  const char *text;
  uint32_t differ = 0;

  (void)expect_lines(e, key); /* fills e->text */
  text = e->text;
  while (line-- > 1)
    text = strchr(text, '\n') + 1;
  for (unsigned i = 0; i < t->n; i++) {
    const size_t len = strcspn(text, "\t\n");

    if (!check_is_equal(&values[i], t->types[i], text, len))
      differ |= UINT32_C(1) << i;
    text += len + 1;
  }
  return differ;
}

enum {
  AT_A_TIME = 10000
};

struct place {
  uint64_t key, line;
};

struct fault {
  uint64_t count;
  struct place first;
};

struct checking {
  struct conn *conn;
  struct expect expect;
  uint32_t skip;     /* bits of columns */
  struct place next; /* expected */
  struct fault missing, twice, surplus, other[KIND_COLUMNS];
};

static const struct kind_table *table_of(const struct checking *k)
{
  return &k->expect.maker->table;
}

static void check_note(struct fault *f, struct place at, uint64_t n)
{
  if (f->count == 0)
    f->first = at;
  f->count += n;
}

static bool check_is_before(struct place a, struct place b)
{
  return a.key < b.key || (a.key == b.key && a.line < b.line);
}

/* Rows from the expected one up to `at` are missing. */
static void check_skip_to(struct checking *k, struct place at)
{
  uint64_t rows;

  if (!check_is_before(k->next, at))
    return;
  if (at.key == k->next.key)
    rows = at.line - k->next.line;
  else
    rows = maker_rows(k->expect.maker, k->next.key, at.key - 1) -
           (k->next.line - 1) + (at.line - 1);
  if (rows > 0)
    check_note(&k->missing, k->next, rows);
  k->next = at;
}

static void check_compare(struct checking *k, struct place at,
                          const sql_value *values)
{
  const uint32_t differ = expect_compare(&k->expect, at.key, at.line, values);

  for (unsigned i = 0; i < table_of(k)->n; i++) {
    if (differ & ~k->skip & UINT32_C(1) << i)
      check_note(&k->other[i], at, 1);
  }
}

static void check_take_row(struct checking *k, const sql_value *values)
{
  struct place at;

  if (!expect_place(&k->expect, values, &at.key, &at.line))
    return; /* the database has it in the range */
  if (at.line < 1 || at.line > expect_lines(&k->expect, at.key)) {
    check_note(&k->surplus, at, 1);
    return;
  }
  if (check_is_before(at, k->next)) {
    check_note(&k->twice, at, 1);
    return;
  }
  check_skip_to(k, at);
  check_compare(k, at, values);
  k->next.line++;
  if (k->next.line > expect_lines(&k->expect, at.key))
    k->next = (struct place){ at.key + 1, 1 };
}

/* *ret_last: the last key in *ret. */
static int check_ask(struct checking *k, uint64_t first, uint64_t last,
                     uint64_t *ret_last, sql_result **ret, struct err *err)
{
  const struct kind_table *t = table_of(k);
  struct strbuf sql = { 0 };

  kind_select(t, &sql);
  strbuf_adds(&sql, " WHERE ");
  *ret_last = kind_range(t, first, last, &sql);
  strbuf_adds(&sql, " ORDER BY ");
  kind_order(t, &sql);
  return send_query(k->conn, &sql, ret, err);
}

static int check_part(struct checking *k, uint64_t first, uint64_t last,
                      uint64_t *ret_last, struct err *err)
{
  sql_result *rs = NULL;
  const int rc = check_ask(k, first, last, ret_last, &rs, err);

  if (rc < 0)
    return rc;
  for (uint64_t left = rs ? rs->nrows : 0; left > 0; left--) {
    const sql_row *row = send_fetch(rs, table_of(k)->n, err);

    if (!row)
      return -EIO;
    check_take_row(k, row->values);
  }
  check_skip_to(k, (struct place){ *ret_last + 1, 1 });
  return 0;
}

static void check_tell(const struct checking *k, struct strbuf *faults,
                       const struct fault *f, const char *what,
                       const char *column)
{
  if (f->count == 0)
    return;
  strbuf_addf(faults, "%s%" PRIu64 " row%s %s%s, the first is ",
              faults->len ? ", " : "", f->count, f->count == 1 ? "" : "s", what,
              column);
  kind_row_name(table_of(k), f->first.key, f->first.line, faults);
}

static void check_tell_all(const struct checking *k, struct strbuf *faults)
{
  const struct kind_table *t = table_of(k);

  check_tell(k, faults, &k->missing, "missing", "");
  check_tell(k, faults, &k->twice, "there more than once", "");
  check_tell(k, faults, &k->surplus, "beyond the last line of a key", "");
  for (unsigned i = 0; i < t->n; i++)
    check_tell(k, faults, &k->other[i], "with another ", t->columns[i]);
}

static uint32_t columns_in(const struct kind_table *t, const char *list)
{
  uint32_t bits = 0;

  for (const char *word = list; word && *word;) {
    const size_t len = strcspn(word, ",");

    for (unsigned i = 0; i < t->n; i++) {
      if (strlen(t->columns[i]) == len && memcmp(t->columns[i], word, len) == 0)
        bits |= UINT32_C(1) << i;
    }
    word += len + (word[len] == ',');
  }
  return bits;
}

int check_rows(struct conn *c, struct maker *m, const char *skip,
               struct pace *pace, struct strbuf *faults, struct err *err)
{
  const uint64_t keys = kind_keys(&m->table);
  struct checking k = {
    .conn = c,
    .skip = columns_in(&m->table, skip),
    .next = { 1, 1 },
  };
  uint64_t at_a_time = AT_A_TIME / m->table.per_key, last;
  int rc = 0;

  if (expect_init(&k.expect, m) < 0)
    return err_set(err, -ENOMEM, "not enough memory");
  for (uint64_t first = 1; rc == 0 && first <= keys; first = last + 1) {
    const uint64_t left = keys - first + 1;

    last = first + (left < at_a_time ? left : at_a_time) - 1;
    rc = check_part(&k, first, last, &last, err);
    if (rc == 0 && pace)
      pace_add(pace, maker_rows(m, first, last), 0);
  }
  if (rc == 0)
    check_tell_all(&k, faults);
  expect_done(&k.expect);
  return rc;
}

int check_others(struct conn *c, const struct maker *m, struct strbuf *faults,
                 struct err *err)
{
  const struct kind_table *t = &m->table;
  struct strbuf sql = { 0 };
  sql_result *rs = NULL;
  const sql_row *row;
  uint64_t n;
  int rc;

  strbuf_addf(&sql, "SELECT COUNT(*) FROM %s WHERE ", t->name);
  kind_outside(t, &sql);
  for (unsigned i = 0; i < t->keys; i++)
    strbuf_addf(&sql, " OR %s IS NULL", t->key[i].name);
  rc = send_query(c, &sql, &rs, err);
  if (rc < 0)
    return rc;
  row = rs ? send_fetch(rs, 1, err) : NULL;
  if (!row)
    return -EIO;
  n = send_number(&row->values[0]);
  if (n > 0)
    strbuf_addf(faults, "%s%" PRIu64 " row%s with keys that do not belong here",
                faults->len ? ", " : "", n, n == 1 ? "" : "s");
  return 0;
}
