/*
 * test_kind.c - tables with several key columns, and keys with several rows:
 * ranges of keys in SQL, the forms of rows, and what a comparison finds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "db/load/check.h"
#include "db/load/kind.h"
#include "db/load/kinds/json.h"
#include "db/load/kinds/kind_list.h"
#include "db/load/kinds/secondary.h"
#include "tests/unit/tap.h"

enum {
  KEYS = 2 * 2 * 3
};

static const char *const columns[] = { "a", "w", "d", "o", "n", "price" };
static const char *const no_params[] = { NULL };

static void describe(const struct kind_args *args, uint64_t number,
                     struct kind_table *ret)
{
  (void)args, (void)number;
  *ret = (struct kind_table){
    .name = "lines",
    .columns = columns,
    .n = 6,
    .types = "tiiiit",
    .key = { { "w", 1, 2 }, { "d", 1, 2 }, { "o", 11, 3 } },
    .keys = 3,
    .line = "n",
    .per_key = 2,
    .bytes_max = 1000,
  };
}

static unsigned lines(struct maker *m, uint64_t key)
{
  (void)m;
  return key % 3; /* some keys have no row */
}

static size_t put(struct maker *m, enum rows_form form, uint64_t key, char *to)
{
  uint64_t value[KIND_KEYS];
  char *at = to;

  kind_split(&m->table, key, value);
  for (unsigned n = 1; n <= lines(m, key); n++) {
    struct row row;

    row_begin(&row, form, 6, at);
    if (n == 1)
      row_null(&row);
    else
      row_text(&row, "text", 4);
    row_int(&row, (int64_t)value[0]);
    row_int(&row, (int64_t)value[1]);
    row_long(&row, (int64_t)value[2]);
    row_int(&row, n);
    row_decimal(&row, -5 * (int64_t)key, 2);
    at = row_end(&row);
  }
  return (size_t)(at - to);
}

static const struct kind kind = {
  .name = "test",
  .params = no_params,
  .tables = 1,
  .describe = describe,
  .lines = lines,
  .put = put,
};

static const struct kind_args no_args;

/* ---- ranges ---- */

static uint64_t value_of(const struct kind_table *t, uint64_t key,
                         const char *column)
{
  uint64_t value[KIND_KEYS];

  kind_split(t, key, value);
  for (unsigned i = 0; i < t->keys; i++) {
    if (strcmp(t->key[i].name, column) == 0)
      return value[i];
  }
  return 0;
}

/* Does the condition, which kind_range() has made, hold for a key? */
static bool holds(const struct kind_table *t, const char *sql, uint64_t key)
{
  while (*sql) {
    uint64_t low, high;
    char column[8];
    int n = 0;

    if (sscanf(sql, "%7s BETWEEN %" SCNu64 " AND %" SCNu64 "%n", column, &low,
               &high, &n) < 3) {
      if (sscanf(sql, "%7s = %" SCNu64 "%n", column, &low, &n) < 2)
        return false;
      high = low;
    }
    if (value_of(t, key, column) < low || value_of(t, key, column) > high)
      return false;
    sql += n;
    sql += strncmp(sql, " AND ", 5) == 0 ? 5 : 0;
  }
  return true;
}

/* Do the parts of first..last have exactly these keys, each once? */
static bool parts_are_exact(const struct kind_table *t, uint64_t first,
                            uint64_t last)
{
  unsigned times[KEYS + 1] = { 0 };

  for (uint64_t at = first; at <= last;) {
    struct strbuf sql = { 0 };

    at = kind_range(t, at, last, &sql) + 1;
    for (uint64_t key = 1; key <= KEYS; key++)
      times[key] += holds(t, strbuf_str(&sql), key);
    strbuf_done(&sql);
  }
  for (uint64_t key = 1; key <= KEYS; key++) {
    if (times[key] != (key >= first && key <= last))
      return false;
  }
  return true;
}

static void ok_text(struct strbuf *text, const char *want, const char *what)
{
  OK_STR(strbuf_str(text), want, what);
  strbuf_clear(text);
}

static void test_ranges(void)
{
  struct kind_table t;
  struct strbuf s = { 0 };
  bool exact = true;

  kind_describe(&kind, &no_args, 1, &t);
  OK(kind_keys(&t) == KEYS, "the number of keys");
  for (uint64_t first = 1; first <= KEYS; first++) {
    for (uint64_t last = first; last <= KEYS; last++)
      exact = exact && parts_are_exact(&t, first, last);
  }
  OK(exact, "the parts of every range have its keys, each once");
  OK(kind_range(&t, 1, KEYS, &s) == KEYS, "all keys are one part");
  ok_text(&s, "w BETWEEN 1 AND 2 AND d BETWEEN 1 AND 2 AND o BETWEEN 11 AND 13",
          "with limits for each column");
  OK(kind_range(&t, 5, 12, &s) == 6, "the rest of a group is another");
  ok_text(&s, "w = 1 AND d = 2 AND o BETWEEN 12 AND 13", "with fixed values");
  kind_key_sql(&t, &s);
  ok_text(&s, "(((w - 1) * 2 + (d - 1)) * 3 + (o - 11))", "a key in SQL");
  kind_outside(&t, &s);
  ok_text(&s, "w < 1 OR w > 2 OR d < 1 OR d > 2 OR o < 11 OR o > 13",
          "other keys");
  kind_row_name(&t, 5, 2, &s);
  ok_text(&s, "row (1, 2, 12, 2)", "the name of a row");
  kind_row_names(&t, 1, KEYS, &s);
  ok_text(&s, "rows (1, 1, 11) to (2, 2, 13)", "the name of a chunk");
  strbuf_done(&s);
}

/* ---- rows ---- */

static void test_forms(void)
{
  static const char binary[] = "\0\6"
                               "\377\377\377\377"
                               "\0\0\0\4\0\0\0\1"
                               "\0\0\0\4\0\0\0\1"
                               "\0\0\0\10\0\0\0\0\0\0\0\13"
                               "\0\0\0\4\0\0\0\1"
                               "\0\0\0\5-0.05";
  char text[1000];
  struct maker m;
  size_t len;

  OK(maker_init(&m, &kind, &no_args, 1) == 0, "a maker");
  len = put(&m, ROWS_PLAIN, 2, text);
  text[len] = '\0';
  OK_STR(text, "\\N\t1\t1\t12\t1\t-0.10\ntext\t1\t1\t12\t2\t-0.10\n", "plain");
  len = put(&m, ROWS_SQL, 1, text);
  text[len] = '\0';
  OK_STR(text, "(NULL,1,1,11,1,'-0.05'),", "SQL");
  len = put(&m, ROWS_BINARY, 1, text);
  OK(len == sizeof(binary) - 1 && memcmp(text, binary, len) == 0, "binary");
  OK(maker_rows(&m, 1, KEYS) == 4 * (1 + 2 + 0), "the rows of all keys");
  maker_done(&m);
}

static void decimal(int64_t units, unsigned decimals, const char *want)
{
  char text[100];
  struct row row;

  row_begin(&row, ROWS_PLAIN, 1, text);
  row_decimal(&row, units, decimals);
  *row_end(&row) = '\0';
  text[strlen(text) - 1] = '\0'; /* the line feed */
  OK_STR(text, want, "a decimal");
}

static void test_decimals(void)
{
  decimal(0, 2, "0.00");
  decimal(7, 2, "0.07");
  decimal(-1000, 2, "-10.00");
  decimal(30000000, 2, "300000.00");
  decimal(1234, 4, "0.1234");
  decimal(-12, 0, "-12");
  decimal(INT64_MIN, 1, "-922337203685477580.8");
}

/* ---- comparing ---- */

static sql_value value(const char *text)
{
  return (sql_value){ .ptr = text, .len = text ? (uint32_t)strlen(text) : 0 };
}

static void test_expect(void)
{
  /* Line 2 of key 2, as a database returns it. */
  sql_value v[6] = { value("text  "), value("1"), value("1"),
                     value("12"),     value("2"), value("-0.10") };
  uint64_t key = 0, line = 0;
  struct expect e;
  struct maker m;

  if (maker_init(&m, &kind, &no_args, 1) < 0 || expect_init(&e, &m) < 0)
    abort();
  OK(expect_place(&e, v, &key, &line) && key == 2 && line == 2, "its place");
  OK(expect_lines(&e, 2) == 2 && expect_lines(&e, 3) == 0, "rows of a key");
  OK(expect_compare(&e, 2, 2, v) == 0, "an equal row, with blanks at an end");
  OK(expect_compare(&e, 2, 1, v) == (1u << 0 | 1u << 4), "another line");
  v[0] = value(NULL);
  v[5] = value("-0.11");
  OK(expect_compare(&e, 2, 2, v) == (1u << 0 | 1u << 5),
     "NULL for a text, and another decimal");
  v[3] = value("14");
  OK(!expect_place(&e, v, &key, &line), "a value that no key has");
  v[3] = value(NULL);
  OK(!expect_place(&e, v, &key, &line), "NULL in a key");
  expect_done(&e);
  maker_done(&m);
}

static void test_list(void)
{
  struct kind_args args = { .value = { 20000 } };
  struct kind_table t;
  struct err err;

  OK(kind_find("tpcb") == &kind_tpcb && !kind_find("tpc"), "kinds by name");
  OK(kind_tpcb.check(&args, &err) == -EINVAL, "tpcb: numbers beyond 32 bits");
  args.value[0] = 0;
  OK(kind_tpcb.check(&args, &err) == -EINVAL, "tpcb: no branch");
  args.value[0] = 19999;
  OK(kind_tpcb.check(&args, &err) == 0, "tpcb: the highest scale");
  kind_describe(&kind_tpcb, &args, 4, &t);
  OK(kind_keys(&t) == 0, "tpcb: the history stays empty");
}

static void ok_row(const struct kind *k, const struct kind_args *args,
                   uint64_t key, const char *want)
{
  char text[KIND_BYTES_MAX];
  struct maker m;

  if (maker_init(&m, k, args, 1) < 0)
    abort();
  text[k->put(&m, ROWS_PLAIN, key, text)] = '\0';
  OK_STR(text, want, k->name);
  maker_done(&m);
}

static void test_numbers(void)
{
  const struct kind_args args = { .value = { 7, 1000 } };
  const struct kind_args none = { .value = { 0, 1000 } };
  const struct kind_args counter = { .value = { 7 } };
  struct err err;

  OK(kind_counter.check(&none, &err) == -EINVAL, "counter: no row");
  OK(kind_bank.check(&none, &err) == -EINVAL, "bank: no account");
  OK(kind_bank.check(&args, &err) == 0, "bank: some accounts");
  ok_row(&kind_counter, &counter, 3, "3\t0\n");
  ok_row(&kind_bank, &args, 3, "3\t1000\t0\t0\n");
}

/* Every value of k has its rows, and they are found from it. */
static void test_secondary(void)
{
  const struct kind_args args = { .value = { 7, 3, 1 } };
  const struct kind_args many = { .value = { 100000000, 11, 1 } };
  const struct kind_args none = { .value = { 7, 0, 1 } };
  struct secondary s;
  unsigned times[7 * 3 + 1] = { 0 };
  bool right = true;
  struct err err;

  OK(kind_secondary.check(&args, &err) == 0, "secondary: some rows");
  OK(kind_secondary.check(&none, &err) == -EINVAL, "secondary: no row");
  OK(kind_secondary.check(&many, &err) == -EINVAL, "secondary: too many");
  secondary_init(&s, args.value);
  for (uint64_t k = 1; k <= 7; k++) {
    for (uint64_t n = 0; n < 3; n++) {
      const uint64_t id = secondary_id(&s, k, n);

      right = right && id >= 1 && id <= 21 && secondary_k(&s, id) == k;
      if (right)
        times[id]++;
    }
  }
  for (unsigned id = 1; id <= 21; id++)
    right = right && times[id] == 1;
  OK(right, "secondary: each id has one value of k");
}

/* A document is what its key and the number of its updates say. */
static void test_json(void)
{
  struct kind_args args = { .value = { 20, 3, 18, 1 } };
  char first[JSON_TEXT_MAX + 1] = "", other[JSON_TEXT_MAX + 1] = "";
  struct err err;

  OK(kind_json.check(&args, &err) == 0, "json: some documents");
  (void)json_write(args.value, 5, 0, first);
  OK(strncmp(first, "{\"k\": 2, \"n\": 0, \"id\": 5, \"body\": \"", 35) == 0,
     "json: the members of a document");
  OK(strspn(first + 35, "0123456789abcdef") == 18, "json: its body");
  (void)json_write(args.value, 5, 2, other);
  OK(strncmp(other, "{\"k\": 1, \"n\": 2, \"id\": 5,", 25) == 0 &&
       strcmp(first + 16, other + 16) == 0,
     "json: two updates later it is in another group");
  (void)json_write(args.value, 6, 0, other);
  OK(strncmp(first + 35, other + 35, 18) != 0, "json: another body");
  args.value[JSON_SEED] = 2;
  (void)json_write(args.value, 5, 0, other);
  OK(strncmp(first + 35, other + 35, 18) != 0, "json: the seed matters");
  args.value[JSON_GROUPS] = 21;
  OK(kind_json.check(&args, &err) == -EINVAL,
     "json: more groups than documents");
}

int main(void)
{
  test_ranges();
  test_forms();
  test_decimals();
  test_expect();
  test_list();
  test_numbers();
  test_secondary();
  test_json();
  return TAP_EXIT();
}
