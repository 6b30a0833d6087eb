/*
 * suite_values.c - values come back as they were sent, and to the right
 * places.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "suite.h"

enum {
  TEXT_MAX = 70000 /* bytes of a string's buffer */
};

static bool make_table(struct rig *r)
{
  char sql[256];

  (void)snprintf(sql, sizeof(sql),
                 "CREATE TABLE suite_val (id %s PRIMARY KEY, i %s, d %s, s %s)",
                 r->is->int_type, r->is->int_type, r->is->double_type,
                 r->is->text_type);
  return run_sql(r->con, "DROP TABLE IF EXISTS suite_val") &&
         run_sql(r->con, sql);
}

/* One row through a prepared INSERT and a prepared SELECT. */
struct trip {
  struct rig *r;
  struct stmt *insert, *select;
  int64_t id, i;
  double d;
  char *s;
  unsigned long s_len;
  char null_i, null_d, null_s;
};

static bool prepare_trip(struct trip *t)
{
  static const char insert[] = "INSERT INTO suite_val (id, i, d, s) "
                               "VALUES (?, ?, ?, ?)";
  static const char select[] = "SELECT i, d, s FROM suite_val WHERE id = ?";
  const sql_bind id = { .type = SQL_TYPE_BIGINT, .buffer = &t->id };
  const sql_bind all[] = {
    id,
    { .type = SQL_TYPE_BIGINT, .buffer = &t->i, .is_null = &t->null_i },
    { .type = SQL_TYPE_DOUBLE, .buffer = &t->d, .is_null = &t->null_d },
    { .type = SQL_TYPE_VARCHAR,
      .buffer = t->s,
      .data_len = &t->s_len,
      .max_len = TEXT_MAX,
      .is_null = &t->null_s },
  };

  t->insert = stmt_prepare(t->r->con, insert, strlen(insert));
  t->select = stmt_prepare(t->r->con, select, strlen(select));
  return t->insert && t->select && stmt_bind(t->insert, all, 4) == 0 &&
         stmt_bind(t->select, &id, 1) == 0;
}

static bool same_text(const sql_value *v, const char *s, size_t len)
{
  return v->ptr && v->len == len && memcmp(v->ptr, s, len) == 0;
}

static bool same_double(const struct trip *t, const sql_value *v)
{
  char text[64], want[64];
  double got;

  (void)snprintf(text, sizeof(text), "%.*s", (int)v->len, v->ptr);
  got = strtod(text, NULL);
  if (t->r->is->digits_15) {
    (void)snprintf(text, sizeof(text), "%.15g", got);
    (void)snprintf(want, sizeof(want), "%.15g", t->d + 0.0); /* no -0 */
    return strcmp(text, want) == 0;
  }
  return got == t->d &&
         (!t->r->is->minus_zero || !signbit(got) == !signbit(t->d));
}

/* The row that was just fetched is the one that was sent. */
static bool same_row(const struct trip *t, const sql_value *v)
{
  const size_t len = t->s_len < TEXT_MAX ? t->s_len : TEXT_MAX;
  char text[32];

  (void)snprintf(text, sizeof(text), "%lld", (long long)t->i);
  if (t->null_i ? v[0].ptr != NULL : !same_text(&v[0], text, strlen(text)))
    return false;
  if (t->null_d ? v[1].ptr != NULL : !same_double(t, &v[1]))
    return false;
  return t->null_s ? v[2].ptr == NULL : same_text(&v[2], t->s, len);
}

static bool send_and_get(struct trip *t)
{
  char sql[80];
  sql_result *rs;
  sql_row *row;
  bool good;

  t->id++;
  (void)stmt_execute(t->insert);
  if (t->r->con->pub.error != DB_ERROR_NONE) {
    printf("# %s\n", conn_failure(t->r->con)->text);
    return false;
  }
  if (!t->r->is->stores)
    return true;
  rs = stmt_execute(t->select);
  row = rs && rs->nrows == 1 && rs->nfields == 3 ? conn_fetch_row(rs) : NULL;
  good = row && same_row(t, row->values) && !conn_fetch_row(rs);
  (void)snprintf(sql, sizeof(sql),
                 "SELECT i, d, s FROM suite_val WHERE id = %d", (int)t->id);
  rs = conn_query(t->r->con, sql, strlen(sql));
  row = rs ? conn_fetch_row(rs) : NULL;
  return good && row && same_row(t, row->values);
}

static const size_t lengths[] = { 0, 1, 255, 256, 257, 65536 };
static const int64_t integers[] = {
  0, 1, -1, INT64_MAX, INT64_MIN, 3000000000
};
static const double doubles[] = {
  0.1, 1e-7, 1e300, -0.0, -2.5, 5, 1234567.891234567
};

static void strings(struct trip *t)
{
  static const char pattern[] = "it's \"a\\b\" ?%_`$1 --#/*\n\r\t{}x";

  for (size_t k = 0; k < ARRAY_SIZE(lengths); k++) {
    t->s_len = lengths[k];
    for (size_t i = 0; i < lengths[k]; i++)
      t->s[i] = pattern[i % (sizeof(pattern) - 1)];
    ok(send_and_get(t), "a string of %zu bytes", lengths[k]);
  }
  memset(t->s, 'x', TEXT_MAX);
  t->s_len = TEXT_MAX + 1;
  ok(send_and_get(t), "a string that is longer than its buffer is cut");
  t->s_len = 4;
  memcpy(t->s, "a'\\b", 4);
  ok(send_and_get(t), "quotes and backslashes");
  memcpy(t->s, "\\", 1);
  t->s_len = 1;
  ok(send_and_get(t), "one backslash");
  memcpy(t->s, "a\0b'", 4);
  t->s_len = 4;
  if (t->r->is->nul_in_text)
    ok(send_and_get(t), "a NUL byte");
  t->s_len = 1;
}

static void round_trips(struct rig *r)
{
  struct trip t = { .r = r, .s = malloc(TEXT_MAX + 1), .s_len = 1 };

  t.s[0] = 'x';
  ok(make_table(r), "a table");
  ok(prepare_trip(&t), "prepared statements");
  t.null_i = t.null_d = t.null_s = 1;
  ok(send_and_get(&t), "NULL");
  t.null_i = t.null_d = t.null_s = 0;
  strings(&t);
  for (size_t k = 0; k < ARRAY_SIZE(integers); k++) {
    t.i = integers[k];
    ok(send_and_get(&t), "the integer %lld", (long long)t.i);
  }
  for (size_t k = 0; k < ARRAY_SIZE(doubles); k++) {
    t.d = doubles[k];
    ok(send_and_get(&t), "the double %g", t.d);
  }
  t.null_s = 1;
  ok(send_and_get(&t), "NULL after a value");
  ok(stmt_close(t.insert) == 0 && stmt_close(t.select) == 0, "closed");
  stmt_free(t.insert);
  stmt_free(t.select);
  free(t.s);
}

static void regions(struct rig *r)
{
  const char *sql = r->is->regions;
  int64_t v[] = { 11, 22, 33 };
  sql_bind b[3];
  struct stmt *st;
  sql_result *rs;
  sql_row *row;

  if (!sql)
    return;
  for (int i = 0; i < 3; i++)
    b[i] = (sql_bind){ .type = SQL_TYPE_BIGINT, .buffer = &v[i] };
  st = stmt_prepare(r->con, sql, strlen(sql));
  ok(st && st->n_params == 3, "placeholders, and `?` that are none");
  ok(st && stmt_bind(st, b, 2) == 1, "too few values are refused");
  ok(st && stmt_bind(st, b, 3) == 0, "the right number is not");
  rs = st ? stmt_execute(st) : NULL;
  row = rs ? conn_fetch_row(rs) : NULL;
  ok(row && same_text(&row->values[0], "a?", 2) &&
       same_text(&row->values[1], "11", 2) &&
       same_text(&row->values[2], "22", 2) &&
       same_text(&row->values[3], "33", 2),
     "each value hits its placeholder");
  stmt_free(st);
}

void suite_values(const struct rig_settings *set)
{
  struct rig r;

  if (!rig_open(&r, set)) {
    ok(false, "cannot connect");
    return;
  }
  round_trips(&r);
  regions(&r);
  (void)run_sql(r.con, "DROP TABLE suite_val");
  rig_close(&r);
}
