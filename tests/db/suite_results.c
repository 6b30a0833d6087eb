/*
 * suite_results.c - result sets, counters, lifetimes, bulk inserts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static sql_result *query(struct rig *r, const char *sql)
{
  return conn_query(r->con, sql, strlen(sql));
}

static void fill(struct rig *r)
{
  char sql[160];

  (void)snprintf(sql, sizeof(sql),
                 "CREATE TABLE suite_res (id %s PRIMARY KEY, n %s)",
                 r->is->int_type, r->is->int_type);
  ok(
    run_sql(r->con, "DROP TABLE IF EXISTS suite_res") && run_sql(r->con, sql) &&
      run_sql(r->con, "INSERT INTO suite_res VALUES (1, 10), (2, 20), (3, 30)"),
    "a table with three rows");
}

static void rows(struct rig *r)
{
  sql_result *rs = query(r, "SELECT id, n FROM suite_res ORDER BY id");
  int n = 0;

  ok(rs && rs->nfields == (r->is->stores ? 2u : 1u) &&
       rs->nrows == (r->is->stores ? 3u : 1u),
     "rows and columns");
  while (rs && conn_fetch_row(rs))
    n++;
  ok(rs && n == (int)rs->nrows, "as many rows as it says");
  ok(rs && conn_free_results(rs) == 0 && rs->nrows == 0, "freed");
  ok(conn_free_results(rs) == 1 && !conn_fetch_row(rs), "it has ended");
  rs = query(r, "SELECT id FROM suite_res");
  ok(rs && query(r, "SELECT n FROM suite_res WHERE id = 2") == rs,
     "unread rows do not hinder; one result object per connection");
  if (r->is->stores) {
    rs = query(r, "SELECT id FROM suite_res WHERE id = 99");
    ok(rs && rs->nrows == 0 && rs->nfields == 1 && !conn_fetch_row(rs),
       "an empty set is a set");
  }
  ok(!query(r, "UPDATE suite_res SET n = 11 WHERE id = 1") &&
       r->con->pub.error == DB_ERROR_NONE,
     "no result set");
}

/* A known sequence: which counter each statement adds to. */
static void counts(struct rig *r)
{
  const uint64_t read = counted(r, COUNTER_READ);
  const uint64_t write = counted(r, COUNTER_WRITE);
  const uint64_t other = counted(r, COUNTER_OTHER);
  const bool stores = r->is->stores;
  struct stmt *st;

  (void)query(r, "BEGIN");
  (void)query(r, "SELECT id FROM suite_res");
  (void)query(r, "SELECT id FROM suite_res WHERE id = 99");
  (void)query(r, "UPDATE suite_res SET n = n + 1 WHERE id = 1");
  (void)query(r, "UPDATE suite_res SET n = n + 1 WHERE id = 99");
  (void)query(r, "DELETE FROM suite_res WHERE id = 3");
  (void)query(r, "ROLLBACK");
  st = stmt_prepare(r->con, "SELECT n FROM suite_res", 23);
  (void)stmt_execute(st);
  stmt_free(st);
  ok(counted(r, COUNTER_READ) - read == 3, "reads");
  ok(counted(r, COUNTER_WRITE) - write == (stores ? 2 : 3), "writes");
  ok(counted(r, COUNTER_OTHER) - other == (stores ? 3 : 2), "others");
  ok(counted(r, COUNTER_ERROR) == 0, "no errors");
  if (stores)
    ok_str(ask_sql(r->con, "SELECT COUNT(*) FROM suite_res"), "3",
           "rolled back");
}

static void unread_error(struct rig *r)
{
  static const char bad[] =
    "SELECT 1; SELECT 2; INSERT INTO suite_res VALUES (1, 1)";
  struct conn_message m;

  (void)query(r, bad);
  ok(!query(r, "UPDATE suite_res SET n = 1 WHERE id = 2") &&
       r->con->pub.error != DB_ERROR_NONE && conn_failure(r->con)->earlier,
     "an error in what was not read");
  ok_str(r->con->pub.sql_state, r->is->duplicate_state, "is told");
  m = conn_take_message(r->con);
  conn_drop_message(&m);
  ok_str(ask_sql(r->con, "SELECT n FROM suite_res WHERE id = 2"), "78",
         "by the next statement, which is not sent");
  (void)query(r, bad);
  ok(env_settle(&r->env) == r->con && r->con->pub.error != DB_ERROR_NONE &&
       !env_settle(&r->env),
     "or at the end of the event");
  m = conn_take_message(r->con);
  conn_drop_message(&m);
  ok(counted(r, COUNTER_ERROR) == 2, "counted");
  if (r->con->session->trx != TRX_NONE)
    (void)run_sql(r->con, "ROLLBACK");
}

static void several(struct rig *r)
{
  sql_result *rs;

  if (!r->is->stores)
    return;
  rs = query(r, "SELECT 1; SELECT 2; UPDATE suite_res SET n = 77 WHERE id = 2");
  ok(rs && rs->nrows == 1 && conn_more_results(r->con), "the first of three");
  rs = conn_next_result(r->con);
  ok(rs && *conn_fetch_row(rs)->values[0].ptr == '2', "the second");
  rs = conn_next_result(r->con);
  ok(!rs && r->con->pub.error == DB_ERROR_NONE && !conn_more_results(r->con),
     "the third has no rows");
  ok(!conn_next_result(r->con), "then nothing is left");
  rs = query(r, "SELECT 1; UPDATE suite_res SET n = 78 WHERE id = 2");
  ok_str(ask_sql(r->con, "SELECT n FROM suite_res WHERE id = 2"), "78",
         "what was not read is executed and dropped");
  unread_error(r);
  if (r->is->skips_empty) {
    rs = query(r, "UPDATE suite_res SET n = 79 WHERE id = 2; SELECT 5");
    ok(rs && *conn_fetch_row(rs)->values[0].ptr == '5',
       "results without columns are passed over");
    ok(!query(r, "  -- nothing\n ") && r->con->pub.error == DB_ERROR_NONE,
       "an empty statement");
  }
}

static void lifetimes(struct rig *r)
{
  struct conn *c = conn_open(r->handle ? r->handle : r->con->handle, NULL);
  int64_t id = 1;
  const sql_bind b = { .type = SQL_TYPE_BIGINT, .buffer = &id };
  struct stmt *st, *closed;
  sql_result *rs;

  st = stmt_prepare(c, "SELECT n FROM suite_res WHERE id = ?", 36);
  closed = stmt_prepare(c, "SELECT 1", 8);
  ok(st && !stmt_execute(st) && conn_failure(c)->api_error,
     "parameters that are not bound");
  ok(stmt_bind(st, &b, 1) == 0 && (rs = stmt_execute(st)) && rs->nrows == 1,
     "bound");
  ok(stmt_close(closed) == 0 && stmt_close(closed) == 0, "closed twice");
  ok(!stmt_execute(closed) && c->pub.error == DB_ERROR_FATAL,
     "a closed statement fails");
  ok(conn_reconnect(c) == 0, "reconnect");
  ok((rs = stmt_execute(st)) && rs->nrows == 1,
     "a statement lives through a reconnect");
  ok(conn_close(c) == 0 && !stmt_execute(st) &&
       c->pub.error == DB_ERROR_FATAL && conn_close(c) == 0,
     "a closed connection fails");
  ok(conn_reconnect(c) == 0 && (rs = stmt_execute(st)) && rs->nrows == 1,
     "until it is opened again");
  conn_free(c);
  ok(!stmt_execute(st), "a statement keeps its connection's memory");
  stmt_free(st);
  stmt_free(closed);
}

static void bulk(struct rig *r)
{
  static const char insert[] = "INSERT INTO suite_res (id, n) VALUES ";
  uint64_t write = counted(r, COUNTER_WRITE);
  bool good = bulk_init(r->con, insert, strlen(insert)) == 0;
  char row[64];

  for (int i = 1000; i < 61000; i++) {
    const int len = snprintf(row, sizeof(row), "(%d,%d)", i, i % 7);

    good &= bulk_next(r->con, row, (size_t)len) == 0;
  }
  good &= bulk_done(r->con) == 0;
  ok(good, "60,000 rows");
  write = counted(r, COUNTER_WRITE) - write;
  ok(write == 2, "in two packets");
  if (r->is->stores)
    ok_str(ask_sql(r->con, "SELECT COUNT(*) FROM suite_res WHERE id >= 1000"),
           "60000", "have arrived");
}

static void long_row(struct rig *r)
{
  static const char insert[] = "INSERT INTO suite_long (s) VALUES ";
  const size_t len = 600000;
  char sql[128], *row = malloc(len + 8);

  (void)snprintf(sql, sizeof(sql), "CREATE TABLE suite_long (s %s)",
                 r->is->text_type);
  memset(row, 'x', len + 8);
  memcpy(row, "('", 2);
  memcpy(row + len, "')", 3);
  ok(run_sql(r->con, "DROP TABLE IF EXISTS suite_long") &&
       run_sql(r->con, sql) && bulk_init(r->con, insert, strlen(insert)) == 0 &&
       bulk_next(r->con, "('a')", 5) == 0 &&
       bulk_next(r->con, row, len + 2) == 0 && bulk_done(r->con) == 0,
     "a row longer than a packet");
  if (r->is->stores)
    ok_str(ask_sql(r->con, "SELECT MAX(LENGTH(s)) FROM suite_long"), "599998",
           "has arrived whole");
  (void)run_sql(r->con, "DROP TABLE suite_long");
  free(row);
}

void suite_results(const struct rig_settings *set)
{
  struct rig r;

  if (!rig_open(&r, set)) {
    ok(false, "cannot connect");
    return;
  }
  fill(&r);
  rows(&r);
  counts(&r);
  several(&r);
  lifetimes(&r);
  bulk(&r);
  r.process->in_run = false;
  long_row(&r);
  (void)run_sql(r.con, "DROP TABLE suite_res");
  rig_close(&r);
}
