/*
 * suite_errors.c - classes of errors, and what is left behind by them.
 */
#include <stdio.h>
#include <string.h>

#include "suite.h"

static sql_error_t failed(struct rig *r, const char *sql)
{
  struct conn_message m;

  (void)conn_query(r->con, sql, strlen(sql));
  m = conn_take_message(r->con);
  if (r->con->pub.error == DB_ERROR_FATAL)
    ok(m.lines.len > 0 &&
         strstr(strbuf_str(&m.lines), r->con->pub.sql_errmsg) != NULL,
       "the message has the server's text");
  else
    ok(m.lines.len == 0, "no message");
  conn_drop_message(&m);
  return r->con->pub.error;
}

static void table(struct rig *r)
{
  char sql[160];

  (void)snprintf(sql, sizeof(sql),
                 "CREATE TABLE suite_err (id %s PRIMARY KEY, n %s)",
                 r->is->int_type, r->is->int_type);
  ok(run_sql(r->con, "DROP TABLE IF EXISTS suite_err") &&
       run_sql(r->con, sql) &&
       run_sql(r->con, "INSERT INTO suite_err VALUES (1, 1)"),
     "a table");
}

static void fatal(const struct rig_settings *set)
{
  struct rig r;

  if (!rig_open(&r, set))
    return;
  table(&r);
  if (strcmp(r.is->driver, "pgsql") != 0) { /* has it in its own list */
    ok(failed(&r, "INSERT INTO suite_err VALUES (1, 2)") == DB_ERROR_FATAL,
       "a duplicate key is fatal");
    ok_str(r.con->pub.sql_state, r.is->duplicate_state, "its state");
  }
  ok(failed(&r, "SELECT * FROM suite_nowhere") == DB_ERROR_FATAL,
     "a missing table");
  ok_str(r.con->pub.sql_state, r.is->missing_state, "its state");
  ok(failed(&r, "SELEKT 1") == DB_ERROR_FATAL, "a wrong word");
  ok_str(r.con->pub.sql_state, r.is->syntax_state, "its state");
  ok(failed(&r, "SELECT 1 +") == DB_ERROR_FATAL &&
       counted(&r, COUNTER_ERROR) >= 3,
     "all are counted");
  ok(run_sql(r.con, "SELECT 1") && r.con->pub.sql_state == NULL &&
       r.con->pub.sql_errmsg == NULL && r.con->pub.sql_errno == 0,
     "the next statement works and forgets");
  rig_close(&r);
}

static void prepare_errors(const struct rig_settings *set)
{
  static const char bad[] = "SELECT n FROM suite_nowhere";
  struct rig r;
  struct stmt *st;
  struct conn_message m;

  if (!rig_open(&r, set))
    return;
  st = stmt_prepare(r.con, bad, strlen(bad));
  if (st) /* emulated: the server hears of it later */
    (void)stmt_execute(st);
  ok(r.con->pub.error == DB_ERROR_FATAL && counted(&r, COUNTER_ERROR) == 1,
     "a statement that cannot be prepared");
  ok_str(r.con->pub.sql_state, r.is->missing_state, "its state");
  m = conn_take_message(r.con);
  conn_drop_message(&m);
  stmt_free(st);
  rig_close(&r);
}

/* The attempt that failed leaves nothing. */
static void ignorable(const struct rig_settings *base)
{
  struct rig_settings set = *base;
  const char *ignore[] = { "23" };
  struct rig r;

  set.ignore = ignore;
  set.n_ignore = 1;
  if (!rig_open(&r, &set))
    return;
  table(&r);
  (void)run_sql(r.con, "BEGIN");
  (void)run_sql(r.con, "INSERT INTO suite_err VALUES (2, 2)");
  ok(failed(&r, "INSERT INTO suite_err VALUES (1, 2)") == DB_ERROR_IGNORABLE,
     "a duplicate key that is in the list");
  ok(conn_restart(r.con) == DB_ERROR_NONE, "the event is restarted");
  ok(run_sql(r.con, "BEGIN") && run_sql(r.con, "COMMIT"), "begins anew");
  ok_str(ask_sql(r.con, "SELECT COUNT(*) FROM suite_err"), "1",
         "nothing of the first attempt is left");
  (void)run_sql(r.con, "BEGIN");
  (void)run_sql(r.con, "INSERT INTO suite_err VALUES (2, 2)");
  (void)failed(&r, "INSERT INTO suite_err VALUES (1, 2)");
  ok(run_sql(r.con, "BEGIN") && run_sql(r.con, "COMMIT"),
     "a script that begins again by itself");
  ok_str(ask_sql(r.con, "SELECT COUNT(*) FROM suite_err"), "1",
         "commits nothing of it either");
  ok(counted(&r, COUNTER_ERROR) == 2, "two errors");
  (void)run_sql(r.con, "DROP TABLE suite_err");
  rig_close(&r);
}

static void killed(const struct rig_settings *base)
{
  struct rig_settings set = *base;
  const char *ignore[] = { "connection" };
  struct rig r;
  struct stmt *st;

  set.ignore = ignore;
  set.n_ignore = 1;
  if (!rig_open(&r, &set))
    return;
  st = stmt_prepare(r.con, "SELECT 1", 8);
  for (int i = 0; i < 20; i++) {
    (void)conn_query(r.con, r.is->kill_self, strlen(r.is->kill_self));
    if (r.con->pub.error == DB_ERROR_NONE) /* noticed by the next one */
      (void)conn_query(r.con, "SELECT 1", 8);
    if (r.con->pub.error != DB_ERROR_IGNORABLE ||
        !conn_failure(r.con)->reconnected || !stmt_execute(st))
      break;
  }
  ok(counted(&r, COUNTER_RECONNECT) == 20, "twenty killed connections");
  ok(counted(&r, COUNTER_ERROR) == 0, "are no errors");
  stmt_free(st);
  rig_close(&r);
}

/* Executed on a new connection, while its table is missing and after that. */
static void prepared_anew(const struct rig_settings *base)
{
  struct rig_settings set = *base;
  const char *ignore[] = { "all" };
  static const char sql[] = "SELECT n FROM suite_err WHERE id = ?";
  int64_t id = 1;
  sql_bind b = { .type = SQL_TYPE_BIGINT, .buffer = &id };
  struct rig r;
  struct stmt *st;
  sql_result *rs;

  set.ignore = ignore;
  set.n_ignore = 1;
  if (!rig_open(&r, &set))
    return;
  table(&r);
  (void)run_sql(r.con, "DROP TABLE IF EXISTS suite_away");
  st = stmt_prepare(r.con, sql, strlen(sql));
  ok(st && stmt_bind(st, &b, 1) == 0 && stmt_execute(st), "a statement");
  (void)run_sql(r.con, "ALTER TABLE suite_err RENAME TO suite_away");
  (void)conn_query(r.con, r.is->kill_self, strlen(r.is->kill_self));
  if (r.con->pub.error == DB_ERROR_NONE) /* noticed by the next one */
    (void)conn_query(r.con, "SELECT 1", 8);
  ok(conn_failure(r.con)->reconnected, "its connection is replaced");
  for (int i = 0; i < 3; i++) {
    ok(!stmt_execute(st) && r.con->pub.error == DB_ERROR_IGNORABLE,
       "its table is missing");
    ok_str(r.con->pub.sql_state, r.is->missing_state, "as often as it is");
  }
  (void)run_sql(r.con, "ALTER TABLE suite_away RENAME TO suite_err");
  rs = stmt_execute(st);
  ok(rs && rs->nrows == 1, "when the table is back, it works again");
  stmt_free(st);
  (void)run_sql(r.con, "DROP TABLE suite_err");
  rig_close(&r);
}

void suite_errors(const struct rig_settings *set)
{
  struct rig r;
  bool stores, kills;

  if (!rig_open(&r, set)) {
    ok(false, "cannot connect");
    return;
  }
  stores = r.is->stores;
  kills = r.is->kill_self;
  rig_close(&r);
  if (!stores)
    return;
  fatal(set);
  prepare_errors(set);
  ignorable(set);
  if (!kills)
    return;
  killed(set);
  prepared_anew(set);
}
