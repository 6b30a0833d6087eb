/*
 * mysql_types.c - every column type of MySQL: a prepared SELECT gives the same
 * texts as a direct one, byte by byte.
 *
 * Arguments are options of the driver.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static const struct {
  const char *type;
  const char *values; /* of rows, as a list of SQL expressions */
} columns[] = {
  { "TINYINT", "-128, 127, 0, NULL" },
  { "TINYINT UNSIGNED", "255, 0, 128" },
  { "TINYINT(3) ZEROFILL", "7, 255, 0" },
  { "BOOL", "TRUE, FALSE" },
  { "SMALLINT", "-32768, 32767" },
  { "SMALLINT UNSIGNED", "65535, 32768" },
  { "MEDIUMINT", "-8388608, 8388607" },
  { "MEDIUMINT UNSIGNED", "16777215, 8388608" },
  { "MEDIUMINT(8) ZEROFILL", "16777215, 12" },
  { "INT", "-2147483648, 2147483647, NULL" },
  { "INT UNSIGNED", "4294967295, 2147483648" },
  { "INT(10) ZEROFILL", "42, 4294967295" },
  { "BIGINT", "-9223372036854775808, 9223372036854775807" },
  { "BIGINT UNSIGNED", "18446744073709551615, 9223372036854775808" },
  { "BIGINT(20) ZEROFILL", "1, 18446744073709551615" },
  { "YEAR", "1901, 2155, 0, NULL" },
  { "BIT(1)", "b'0', b'1'" },
  { "BIT(17)", "b'10000000000000001', b'11'" },
  { "BIT(64)", "b'1', ~0" },
  { "DECIMAL(10,2)", "-12345678.91, 0, 0.5, NULL" },
  { "DECIMAL(65,30)", "1.5, -99999999999999999999999999999999999.25" },
  { "DECIMAL(8,3) ZEROFILL", "1.5, 12345.678" },
  { "FLOAT", "0.1, -1.5, 16777216, 1234567, 1e10, 1e30, 1e-30, 0, 3.40282e38" },
  { "FLOAT(7,2)", "0.1, -12345.67" },
  { "FLOAT ZEROFILL", "1.5, 100" },
  { "DOUBLE", "0.1, -1.5, 100000, 0.00001, 1e300, 1e-300, 1e15, "
              "123456789012345680, 1e22" },
  { "DOUBLE ZEROFILL", "1, 0.5, 1e300" },
  { "DOUBLE(20,4)", "0.1, 123456789.125, -2" },
  { "DATE", "'2024-02-29', '0001-01-01', '9999-12-31', NULL" },
  { "DATETIME", "'2024-02-29 00:00:00', '1000-01-01 23:59:59'" },
  { "DATETIME(3)", "'2024-02-29 12:34:56.789', '2024-02-29'" },
  { "DATETIME(6)", "'2024-02-29 12:34:56.000001', '2024-02-29 00:00:00'" },
  { "TIMESTAMP NULL", "'2024-02-29 12:34:56', '1980-01-01 00:00:01'" },
  { "TIMESTAMP(6) NULL", "'2024-02-29 12:34:56.5', '1980-01-01 00:00:01'" },
  { "TIME", "'00:00:00', '-838:59:59', '838:59:59', '12:00:01', NULL" },
  { "TIME(2)", "'00:00:00', '-00:00:00.25', '23:59:59.99', '47:00:00'" },
  { "TIME(6)", "'-100:00:00.000001', '1:2:3'" },
  { "CHAR(10)", "'', 'abc', 'it''s', NULL" },
  { "VARCHAR(300)",
    "'', REPEAT('x', 250), REPEAT('y', 251), REPEAT('z', 300)" },
  { "BINARY(4)", "x'00ff', x'41'" },
  { "VARBINARY(300)", "x'00', REPEAT(x'fb', 300)" },
  { "TEXT", "'', REPEAT('t', 65535)" },
  { "LONGTEXT", "REPEAT('u', 70000), NULL" },
  { "LONGBLOB", "REPEAT(x'00fe', 40000), x'ff'" },
  { "ENUM('a','b')", "'a', 'b', NULL" },
  { "SET('x','y')", "'', 'x,y', 'y'" },
  { "JSON", "'{\"a\": [1, null]}', '[]'" },
};

/* Results without a table, where nothing says how many decimals there are. */
static const char *const expressions[] = {
  "SELECT NULL, 1, 1.50, 'x', 1e0",
  "SELECT TIMESTAMP'2024-01-02 03:04:05.678', TIME'10:11:12.1', CURDATE() > 0",
  "SELECT CAST('2024-01-01' AS DATETIME(2)), SEC_TO_TIME(1.5), 7 DIV 2",
  "SELECT COUNT(*), SUM(1), AVG(2), MAX('q') FROM (SELECT 1) t",
  "SELECT ~0, -1, 1 = 1, 0.1 + 0.2, PI() > 3",
  "SELECT 0e0, -1e0, 1e5, 1e-5, 1e14, 1e15, 1e-15, 1e-16, 0.1e0 + 0.2e0, PI()",
};

struct texts {
  size_t n;
  char *text[64]; /* NULL: SQL NULL */
  size_t len[64];
};

static void keep(struct texts *t, sql_result *rs)
{
  sql_row *row;

  while (rs && (row = conn_fetch_row(rs))) {
    for (uint32_t i = 0; i < rs->nfields && t->n < ARRAY_SIZE(t->text); i++) {
      const sql_value *v = &row->values[i];

      t->len[t->n] = v->len;
      t->text[t->n] = v->ptr ? malloc(v->len + 1) : NULL;
      if (v->ptr) {
        memcpy(t->text[t->n], v->ptr, v->len);
        t->text[t->n][v->len] = '\0';
      }
      t->n++;
    }
  }
}

static void drop(struct texts *t)
{
  for (size_t i = 0; i < t->n; i++)
    free(t->text[i]);
  t->n = 0;
}

static bool same(const struct texts *a, const struct texts *b, size_t i)
{
  if (!a->text[i] || !b->text[i])
    return !a->text[i] && !b->text[i];
  return a->len[i] == b->len[i] &&
         memcmp(a->text[i], b->text[i], a->len[i]) == 0;
}

static void compare(struct rig *r, const char *sql, const char *what)
{
  struct stmt *st = stmt_prepare(r->con, sql, strlen(sql));
  struct texts text = { 0 }, binary = { 0 };
  bool good = st != NULL;

  for (int turn = 0; good && turn < 2; turn++) { /* the second is cached */
    keep(&text, conn_query(r->con, sql, strlen(sql)));
    keep(&binary, stmt_execute(st));
    good = text.n > 0 && text.n == binary.n;
    for (size_t i = 0; good && i < text.n; i++) {
      good = same(&text, &binary, i);
      if (!good)
        printf("# direct '%.60s', prepared '%.60s'\n",
               text.text[i] ? text.text[i] : "(null)",
               binary.text[i] ? binary.text[i] : "(null)");
    }
    drop(&text);
    drop(&binary);
  }
  ok(good, "%s", what);
  stmt_free(st);
}

static void compare_column(struct rig *r, size_t k)
{
  char sql[1024];
  const char *from = columns[k].values;
  bool good;

  (void)snprintf(sql, sizeof(sql),
                 "CREATE TABLE mysql_types (n INT AUTO_INCREMENT PRIMARY KEY, "
                 "v %s)",
                 columns[k].type);
  good = run_sql(r->con, "DROP TABLE IF EXISTS mysql_types") &&
         run_sql(r->con, sql);
  while (good && *from) { /* split at commas outside of quotes and brackets */
    const char *end = from;
    int depth = 0;
    bool quoted = false;

    while (*end && (quoted || depth > 0 || *end != ',')) {
      quoted ^= *end == '\'';
      depth += !quoted && *end == '(';
      depth -= !quoted && *end == ')';
      end++;
    }
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO mysql_types (v) VALUES (%.*s)",
                   (int)(end - from), from);
    good = run_sql(r->con, sql);
    from = *end ? end + 1 : end;
  }
  if (good)
    compare(r, "SELECT v FROM mysql_types ORDER BY n", columns[k].type);
  else
    ok(false, "%s: cannot be stored", columns[k].type);
}

/* The server describes the columns anew when the table has changed. */
static void changed_table(struct rig *r)
{
  static const char sql[] = "SELECT * FROM mysql_types";
  struct stmt *st;

  (void)run_sql(r->con, "DROP TABLE IF EXISTS mysql_types");
  ok(run_sql(r->con, "CREATE TABLE mysql_types (a INT)") &&
       run_sql(r->con, "INSERT INTO mysql_types VALUES (5)"),
     "a table of one column");
  st = stmt_prepare(r->con, sql, strlen(sql));
  for (int i = 0; st && i < 4; i++) {
    sql_result *rs = stmt_execute(st);
    sql_row *row = rs ? conn_fetch_row(rs) : NULL;

    if (i < 2)
      ok(row && rs->nfields == 1 && row->values[0].len == 1, "one column");
    else
      ok(row && rs->nfields == 2 && row->values[0].len == 3 &&
           memcmp(row->values[0].ptr, "5.0", 3) == 0,
         "two columns, one of another type");
    if (i == 1)
      ok(run_sql(r->con, "ALTER TABLE mysql_types MODIFY a DECIMAL(5,1), "
                         "ADD b INT"),
         "the table is changed");
  }
  stmt_free(st);
}

/* A row of more than one packet of the protocol. */
static void large_row(struct rig *r)
{
  static const char sql[] = "SELECT 1, REPEAT('w', 17000000), 2";
  struct stmt *st;

  for (int i = 0; i < 2; i++) {
    sql_result *rs;
    sql_row *row;

    st = i == 0 ? NULL : stmt_prepare(r->con, sql, strlen(sql));
    rs = st ? stmt_execute(st) : conn_query(r->con, sql, strlen(sql));
    row = rs && rs->nrows == 1 ? conn_fetch_row(rs) : NULL;
    ok(row && row->values[1].len == 17000000 &&
         row->values[1].ptr[16999999] == 'w' && row->values[2].len == 1 &&
         row->values[2].ptr[0] == '2',
       "a row of 17 MB, %s", st ? "prepared" : "direct");
    stmt_free(st);
  }
}

/* Rows and statements that fill a packet to its last byte, or nearly so: a
 * packet of the largest size has a continuation, which may be empty. */
static void packet_borders(struct rig *r)
{
  enum {
    LARGEST = 0xffffff,
    ROW_OVERHEAD = 7,       /* beside the text, at most */
    STATEMENT_OVERHEAD = 4, /* ... of a statement */
  };
  char *sql = malloc(LARGEST + 64);
  unsigned bad = 0;

  for (int n = LARGEST - ROW_OVERHEAD; n <= LARGEST - 3; n++) {
    const int len = sprintf(sql, "SELECT REPEAT('w', %d)", n);
    struct stmt *st = stmt_prepare(r->con, sql, (size_t)len);

    for (int i = 0; i < 2; i++) {
      sql_result *rs = i == 0 ? conn_query(r->con, sql, (size_t)len)
                              : stmt_execute(st);
      sql_row *row = rs && rs->nrows == 1 ? conn_fetch_row(rs) : NULL;

      bad += !row || row->values[0].len != (uint32_t)n ||
             row->values[0].ptr[n - 1] != 'w';
    }
    stmt_free(st);
  }
  ok(bad == 0, "rows around the size of a packet");
  for (int n = LARGEST - STATEMENT_OVERHEAD; n <= LARGEST; n++) {
    int at = sprintf(sql, "SELECT LENGTH('");
    const int text = n - at - 2;
    char want[16];

    memset(sql + at, 'v', (size_t)text);
    at += text;
    (void)sprintf(sql + at, "')");
    (void)sprintf(want, "%d", text);
    bad += strcmp(ask_sql(r->con, sql), want) != 0;
  }
  ok(bad == 0, "statements around the size of a packet");
  free(sql);
}

/* A statement of more than one packet. */
static void large_statement(struct rig *r)
{
  const unsigned long n = 17000000;
  char *value = malloc(n);
  unsigned long len = n;
  const sql_bind b = {
    .type = SQL_TYPE_VARCHAR, .buffer = value, .data_len = &len, .max_len = n
  };
  static const char sql[] = "SELECT LENGTH(?)";
  struct stmt *st = stmt_prepare(r->con, sql, strlen(sql));
  sql_result *rs;
  sql_row *row;

  memset(value, 'v', n);
  rs = st && stmt_bind(st, &b, 1) == 0 ? stmt_execute(st) : NULL;
  row = rs ? conn_fetch_row(rs) : NULL;
  ok(row && row->values[0].len == 8 &&
       memcmp(row->values[0].ptr, "17000000", 8) == 0,
     "a parameter of 17 MB");
  stmt_free(st);
  free(value);
}

int main(int argc, char **argv)
{
  const struct rig_settings set = { .argc = argc, .argv = argv };
  struct rig r;

  if (!rig_open(&r, &set)) {
    printf("Bail out! cannot connect\n");
    return 1;
  }
  (void)run_sql(r.con, "SET SESSION sql_mode = ''");
  for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
    compare_column(&r, i);
  for (size_t i = 0; i < ARRAY_SIZE(expressions); i++)
    compare(&r, expressions[i], expressions[i]);
  changed_table(&r);
  large_row(&r);
  large_statement(&r);
  packet_borders(&r);
  (void)run_sql(r.con, "DROP TABLE mysql_types");
  rig_close(&r);
  return tap_end();
}
