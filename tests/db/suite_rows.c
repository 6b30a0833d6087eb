/*
 * suite_rows.c - rows belong to whoever asked for them: what else happens in
 * the meantime changes none of them.
 */
#include <stdio.h>
#include <string.h>

#include "suite.h"

static const char all[] = "SELECT id, s FROM suite_rows ORDER BY id";
static const char one[] = "SELECT s FROM suite_rows WHERE id = ?";

static bool fill(struct rig *r)
{
  char sql[160];

  (void)snprintf(sql, sizeof(sql),
                 "CREATE TABLE suite_rows (id %s PRIMARY KEY, s VARCHAR(40))",
                 r->is->int_type);
  return run_sql(r->con, "DROP TABLE IF EXISTS suite_rows") &&
         run_sql(r->con, sql) &&
         run_sql(r->con, "INSERT INTO suite_rows VALUES (1, 'one'), (2, ''), "
                         "(3, NULL), (4, 'four')");
}

/* The next row is (id, s); s NULL: a null value. */
static bool next_is(sql_result *rs, const char *id, const char *s)
{
  const sql_row *row = rs ? conn_fetch_row(rs) : NULL;
  const sql_value *v = row ? row->values : NULL;

  if (!v || v[0].len != strlen(id) || memcmp(v[0].ptr, id, v[0].len) != 0)
    return false;
  if (!s)
    return !v[1].ptr;
  return v[1].ptr && v[1].len == strlen(s) &&
         memcmp(v[1].ptr, s, v[1].len) == 0;
}

static bool value_is(sql_result *rs, const char *s)
{
  const sql_row *row = rs && rs->nrows == 1 ? conn_fetch_row(rs) : NULL;

  return row && row->values[0].ptr && row->values[0].len == strlen(s) &&
         memcmp(row->values[0].ptr, s, row->values[0].len) == 0;
}

static bool all_rows(sql_result *rs)
{
  return rs && rs->nrows == 4 && next_is(rs, "1", "one") &&
         next_is(rs, "2", "") && next_is(rs, "3", NULL) &&
         next_is(rs, "4", "four") && !conn_fetch_row(rs);
}

/* Two statements of one connection take turns. */
static void turns(struct conn *c)
{
  int64_t id = 1;
  const sql_bind b = { .type = SQL_TYPE_BIGINT, .buffer = &id };
  struct stmt *many = stmt_prepare(c, all, strlen(all));
  struct stmt *single;
  sql_result *rs = stmt_execute(many);

  ok(next_is(rs, "1", "one"), "the first row");
  single = stmt_prepare(c, one, strlen(one));
  ok(stmt_bind(single, &b, 1) == 0 && next_is(rs, "2", "") &&
       next_is(rs, "3", NULL),
     "the next ones, after another statement was prepared");
  ok(value_is(stmt_execute(single), "one") && !conn_fetch_row(rs),
     "the rows of the other one, and then no more");
  id = 4;
  ok(value_is(stmt_execute(single), "four"), "again with another value");
  ok(all_rows(stmt_execute(many)), "from the beginning");
  rs = stmt_execute(many);
  ok(next_is(rs, "1", "one") &&
       value_is(conn_query(c, "SELECT 'x'", 10), "x") && !conn_fetch_row(rs),
     "a direct statement in between");
  rs = stmt_execute(many);
  ok(next_is(rs, "1", "one"), "and once more");
  stmt_free(single);
  ok(next_is(rs, "2", ""), "another statement is gone, the rows are not");
  ok(stmt_close(many) == 0 && rs->nrows == 0 && !conn_fetch_row(rs),
     "with its own statement they go");
  stmt_free(many);
}

/* Somebody else changes, empties and drops the table. */
static void changed(struct conn *c, struct conn *other)
{
  struct stmt *many = stmt_prepare(c, all, strlen(all));
  sql_result *rs = stmt_execute(many);

  ok(run_sql(other, "UPDATE suite_rows SET s = 'new'") && all_rows(rs),
     "rows that were changed before they were fetched");
  rs = stmt_execute(many);
  ok(next_is(rs, "1", "new") && run_sql(other, "DELETE FROM suite_rows") &&
       next_is(rs, "2", "new"),
     "rows that were deleted");
  rs = stmt_execute(many);
  ok(rs && rs->nrows == 0 && !conn_fetch_row(rs), "now there is none");
  (void)run_sql(other, "INSERT INTO suite_rows VALUES (7, 'last')");
  rs = conn_query(c, all, strlen(all));
  ok(run_sql(other, "DROP TABLE suite_rows") && next_is(rs, "7", "last"),
     "a table that was dropped");
  stmt_free(many);
}

static void closed(struct conn *c)
{
  struct stmt *many = stmt_prepare(c, all, strlen(all));
  sql_result *rs = stmt_execute(many);

  ok(rs && rs->nrows == 4 && conn_close(c) == 0 && rs->nrows == 0 &&
       !conn_fetch_row(rs),
     "a connection that was closed before");
  ok(conn_reconnect(c) == 0 && all_rows(stmt_execute(many)),
     "and opened again");
  stmt_free(many);
}

/* Whoever wants no rows gets none; all else is the same. */
static void unread(struct rig *r)
{
  const uint64_t before = counted(r, COUNTER_READ);
  struct stmt *many = stmt_prepare(r->con, all, strlen(all));
  sql_result *rs = stmt_execute(many);

  ok(stmt_run(many) && r->con->pub.error == DB_ERROR_NONE && rs->nrows == 0 &&
       !conn_fetch_row(rs),
     "a statement without its rows");
  ok(stmt_run(many) && counted(r, COUNTER_READ) - before == 3,
     "is counted like others");
  rs = stmt_execute(many);
  ok(rs && (r->is->stores ? all_rows(rs) : conn_fetch_row(rs) != NULL),
     "and the next time with them");
  ok(stmt_close(many) == 0 && !stmt_run(many) &&
       r->con->pub.error == DB_ERROR_FATAL,
     "a closed statement fails");
  stmt_free(many);
}

void suite_rows(const struct rig_settings *set)
{
  struct conn *other;
  struct rig r;

  if (!rig_open(&r, set) || !(other = conn_open(r.con->handle, NULL))) {
    ok(false, "cannot connect");
    return;
  }
  ok(fill(&r), "a table with four rows");
  unread(&r);
  if (r.is->stores) {
    turns(r.con);
    closed(other);
    changed(r.con, other);
  }
  rig_close(&r);
}
