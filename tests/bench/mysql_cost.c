/*
 * mysql_cost.c - statements through the SQL layer and the mysql driver, to be
 * counted: instructions per statement are the difference of two runs of
 * different length, divided by the difference.
 *
 *   make tests/bench/mysql_cost
 *   for n in 2000 12000; do
 *     valgrind --tool=callgrind tests/bench/mysql_cost point $n OPTIONS
 *   done
 *
 * Kinds: point (prepared, one row), range (prepared, 100 rows), read (the same
 * and every row is fetched), update (prepared), text (direct, one row).
 * OPTIONS are those of the driver, such as --mysql-socket=PATH.  The table
 * cost_t is made if it is missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/driver_list.h"
#include "tests/db/suite.h"

enum {
  ROWS = 1000,
  RANGE = 100,
};

static struct conn *connection(struct db_process *p, struct db_env *env,
                               struct recorders *rec, char **argv, int argc)
{
  static struct driver_config config;
  struct err err = { "" };
  struct driver_handle *h;

  config.driver = driver_list[0];
  config.cfg = cfg_make(config.driver, argc, argv, NULL);
  p->drivers = &config;
  p->n_drivers = 1;
  if (process_init(p, &err) < 0 || recorders_init(rec, 1, false, &err) < 0) {
    (void)fprintf(stderr, "%s\n", err.text);
    exit(1);
  }
  *env = (struct db_env){ .process = p,
                          .recorder = &rec->of[0],
                          .under_deadline = true };
  h = env_driver(env, NULL);
  return h ? conn_open(h, NULL) : NULL;
}

static void must(struct conn *c, const char *sql)
{
  (void)conn_query(c, sql, strlen(sql));
  if (c->pub.error == DB_ERROR_NONE)
    return;
  (void)fprintf(stderr, "%s: %s\n", sql, c->pub.sql_errmsg);
  exit(1);
}

static void make_table(struct conn *c)
{
  char sql[256];

  must(c, "CREATE TABLE IF NOT EXISTS cost_t (id INT PRIMARY KEY, "
          "k INT NOT NULL, c CHAR(120) NOT NULL)");
  for (int i = 1; i <= ROWS; i++) {
    (void)snprintf(sql, sizeof(sql),
                   "INSERT IGNORE INTO cost_t VALUES (%d, 0, REPEAT('x', 119))",
                   i);
    must(c, sql);
  }
}

static uint64_t read_rows(sql_result *rs)
{
  uint64_t sum = 0;
  sql_row *row;

  while ((row = conn_fetch_row(rs)))
    sum += row->values[0].len;
  return sum;
}

static const struct {
  const char *name, *sql;
  bool range, rows;
} kinds[] = {
  { "point", "SELECT c FROM cost_t WHERE id = ?", false, false },
  { "range", "SELECT c FROM cost_t WHERE id BETWEEN ? AND ?", true, false },
  { "read", "SELECT c FROM cost_t WHERE id BETWEEN ? AND ?", true, true },
  { "update", "UPDATE cost_t SET k = k + 1 WHERE id = ?", false, false },
};

static uint64_t prepared(struct conn *c, size_t kind, long n)
{
  struct stmt *st = stmt_prepare(c, kinds[kind].sql, strlen(kinds[kind].sql));
  int64_t from = 1, to = RANGE;
  const sql_bind binds[] = { { .type = SQL_TYPE_BIGINT, .buffer = &from },
                             { .type = SQL_TYPE_BIGINT, .buffer = &to } };
  uint64_t sum = 0;

  if (!st || stmt_bind(st, binds, kinds[kind].range ? 2 : 1) != 0)
    exit(1);
  for (long i = 0; i < n; i++) {
    sql_result *rs;

    from = 1 + i % (ROWS - RANGE);
    to = from + RANGE - 1;
    rs = stmt_execute(st);
    if (c->pub.error != DB_ERROR_NONE)
      exit(1);
    if (rs && kinds[kind].rows)
      sum += read_rows(rs);
    else if (rs)
      sum += rs->nrows;
  }
  stmt_free(st);
  return sum;
}

static uint64_t direct(struct conn *c, long n)
{
  static const char sql[] = "SELECT c FROM cost_t WHERE id = 7";
  uint64_t sum = 0;

  for (long i = 0; i < n; i++) {
    sql_result *rs = conn_query(c, sql, sizeof(sql) - 1);

    if (!rs)
      exit(1);
    sum += rs->nrows;
  }
  return sum;
}

int main(int argc, char **argv)
{
  static struct db_process process;
  struct recorders recorders;
  struct db_env env;
  struct conn *c = connection(&process, &env, &recorders, argv, argc);
  const char *kind = argc > 2 ? argv[1] : "";
  const long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
  uint64_t sum = 0;
  size_t i = 0;

  if (!c)
    return 1;
  make_table(c);
  while (i < ARRAY_SIZE(kinds) && strcmp(kinds[i].name, kind) != 0)
    i++;
  sum = i < ARRAY_SIZE(kinds) ? prepared(c, i, n) : direct(c, n);
  printf("%s %ld %llu\n", kind, n, (unsigned long long)sum);
  env_done(&env);
  process_done(&process);
  recorders_done(&recorders);
  return 0;
}
