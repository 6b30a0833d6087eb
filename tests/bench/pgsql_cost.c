/*
 * pgsql_cost.c - statements of the bundled workloads through the SQL layer and
 * the pgsql driver, for counting instructions.
 *
 *     pgsql_cost STATEMENT COUNT [direct|prepared|emulated]
 *
 * Count the instructions of two runs with different COUNT; their difference
 * divided by that of the counts is the cost of one statement.  The server is
 * described by the environment as for the tests in tests/db; the table sbtest1
 * is made if it is not there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/db/pgsql_fixture.h"

enum {
  TABLE_ROWS = 1000,
  RANGE_ROWS = 100,
  PARAMS_MAX = 2
};

static const struct {
  const char *name, *sql;
  unsigned n_params;
} statement[] = {
  { "point", "SELECT c FROM sbtest1 WHERE id=?", 1 },
  { "range", "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?", 2 },
  { "sum", "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?", 2 },
  { "update", "UPDATE sbtest1 SET k=k+1 WHERE id=?", 1 },
  { "begin", "BEGIN", 0 },
  { "pad", "SELECT id, k, c, pad FROM sbtest1 WHERE id=?", 1 },
};

static void run(struct conn *c, const char *sql)
{
  (void)conn_query(c, sql, strlen(sql));
  if (c->pub.error != DB_ERROR_NONE) {
    conn_say(c);
    exit(1);
  }
}

static void make_table(struct conn *c)
{
  static const char insert[] =
    "INSERT INTO sbtest1 SELECT i, i, repeat('0123456789-', 11), "
    "repeat('0123456789-', 5) FROM generate_series(1, 1000) i "
    "WHERE NOT EXISTS (SELECT FROM sbtest1)";

  run(c, "CREATE TABLE IF NOT EXISTS sbtest1 (id int PRIMARY KEY, k int, "
         "c varchar(121), pad varchar(60))");
  (void)conn_query(c, insert, sizeof(insert) - 1);
  run(c, "ALTER TABLE sbtest1 ALTER c TYPE char(120) USING left(c, 119)");
}

static int64_t values[PARAMS_MAX];

static void execute(struct conn *c, struct stmt *st)
{
  (void)stmt_execute(st);
  if (c->pub.error != DB_ERROR_NONE) {
    conn_say(c);
    exit(1);
  }
}

int main(int argc, char **argv)
{
  struct fixture f;
  struct conn *c;
  struct stmt *st;
  sql_bind bind[PARAMS_MAX] = { 0 };
  size_t which = 0;
  uint64_t count;
  bool direct;
  char text[256];

  if (argc < 3) {
    fprintf(stderr, "usage: pgsql_cost STATEMENT COUNT [MODE]\n");
    return 1;
  }
  while (strcmp(statement[which].name, argv[1]) != 0) {
    if (++which == ARRAY_SIZE(statement)) {
      fprintf(stderr, "unknown statement '%s'\n", argv[1]);
      return 1;
    }
  }
  count = strtoull(argv[2], NULL, 10);
  direct = argc > 3 && strcmp(argv[3], "direct") == 0;
  fixture_init(&f);
  if (argc > 3 && strcmp(argv[3], "emulated") == 0)
    f.process.set.ps_mode = PS_DISABLE;
  fixture_open(&f);
  c = fixture_conn(&f);
  if (count == 0) { /* only make the table */
    make_table(c);
    fixture_done(&f);
    return 0;
  }
  for (unsigned i = 0; i < PARAMS_MAX; i++)
    bind[i] = (sql_bind){ .type = SQL_TYPE_BIGINT, .buffer = &values[i] };
  st = stmt_prepare(c, statement[which].sql, strlen(statement[which].sql));
  if (!st || (statement[which].n_params &&
              stmt_bind(st, bind, statement[which].n_params) != 0)) {
    conn_say(c);
    return 1;
  }
  for (uint64_t i = 0; i < count; i++) {
    values[0] = 1 + (int64_t)(i * 37 % (TABLE_ROWS - RANGE_ROWS));
    values[1] = values[0] + RANGE_ROWS - 1;
    if (direct) {
      (void)snprintf(text, sizeof(text),
                     "SELECT c FROM sbtest1 WHERE id=%" PRId64, values[0]);
      run(c, text);
    } else {
      execute(c, st);
    }
  }
  fixture_done(&f);
  return 0;
}
