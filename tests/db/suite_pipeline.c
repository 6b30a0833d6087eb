/*
 * suite_pipeline.c - several statements in flight, and many rows for one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/pipeline.h"
#include "suite.h"

static bool add(struct rig *r, const char *sql)
{
  return !pipeline_query(r->con, sql, strlen(sql), NULL);
}

static enum pipe_end end_of(const struct rig *r, size_t i)
{
  return pipeline_result(r->con, i).end;
}

static void drop_message(struct rig *r)
{
  struct conn_message m = conn_take_message(r->con);

  conn_drop_message(&m);
}

static void table(struct rig *r)
{
  char sql[160];

  (void)snprintf(sql, sizeof(sql),
                 "CREATE TABLE suite_pipe (id %s PRIMARY KEY, s %s)",
                 r->is->int_type, r->is->text_type);
  ok(run_sql(r->con, "DROP TABLE IF EXISTS suite_pipe") && run_sql(r->con, sql),
     "a table");
}

/* Executions that set other values each time, and texts between them. */
static void in_order(struct rig *r)
{
  static const char insert[] = "INSERT INTO suite_pipe VALUES (?, ?)";
  static const char find[] = "SELECT s, id FROM suite_pipe WHERE id = ?";
  struct stmt *to = stmt_prepare(r->con, insert, strlen(insert));
  struct stmt *from = stmt_prepare(r->con, find, strlen(find));
  const uint64_t writes = counted(r, COUNTER_WRITE);
  int64_t id = 0;
  char text[16], null = 0;
  unsigned long len = 0;
  const sql_bind b[2] = { { .type = SQL_TYPE_BIGINT, .buffer = &id },
                          { .type = SQL_TYPE_VARCHAR,
                            .buffer = text,
                            .data_len = &len,
                            .max_len = sizeof(text),
                            .is_null = &null } };
  bool good = to && from && stmt_bind(to, b, 2) == 0 &&
              stmt_bind(from, b, 1) == 0 && pipeline_open(r->con) != 0;
  unsigned right = 0;

  for (id = 0; id < 300; id++) {
    null = id % 3 == 0;
    len = (unsigned long)snprintf(text, sizeof(text), "text %d", (int)id);
    good = good && !pipeline_execute(r->con, to);
  }
  for (id = 0; id < 300; id++)
    good = good && !pipeline_execute(r->con, from);
  good = good && add(r, "SELECT id FROM suite_pipe WHERE id = 1000");
  id = 4711;
  null = 1;
  good = good && pipeline_run(r->con, true);
  ok(good, "a pipeline of 601 statements");
  ok(id == 4711 && null == 1, "the script's values are left alone");
  ok(counted(r, COUNTER_WRITE) - writes == 300, "writes are counted");
  for (unsigned i = 0; good && r->is->stores && i < 300; i++) {
    const sql_value *v;

    (void)snprintf(text, sizeof(text), "text %u", i);
    v = pipeline_fetch(r->con, 300 + i);
    right += v && v[1].len > 0 && strtoul(v[1].ptr, NULL, 10) == i &&
             (i % 3 == 0 ? v[0].ptr == NULL
                         : v[0].len == strlen(text) &&
                             memcmp(v[0].ptr, text, v[0].len) == 0) &&
             !pipeline_fetch(r->con, 300 + i);
  }
  if (r->is->stores)
    ok(right == 300 && pipeline_result(r->con, 600).nrows == 0 &&
         end_of(r, 600) == PIPE_DONE,
       "each has its own result");
  stmt_free(to);
  stmt_free(from);
}

/* More than sockets hold, in both directions. */
static void much(struct rig *r)
{
  enum {
    PAD = 20000,
    TIMES = 200
  };
  char *sql = malloc(PAD + 128);
  bool good = sql && pipeline_open(r->con) != 0;
  int at;

  if (!sql)
    return;
  at = sprintf(sql, "SELECT a.s FROM suite_pipe a, suite_pipe b "
                    "WHERE b.id < 10 /* ");
  memset(sql + at, 'x', PAD);
  (void)strcpy(sql + at + PAD, " */");
  for (int i = 0; i < TIMES; i++)
    good = good && add(r, sql);
  good = good && pipeline_run(r->con, false);
  for (size_t i = 0; i < TIMES; i++)
    good = good && end_of(r, i) == PIPE_DONE &&
           pipeline_result(r->con, i).nrows ==
             (r->is->stores ? 3000 : pipeline_result(r->con, 0).nrows);
  ok(good, "much to send and much to receive at the same time");
  free(sql);
}

static void misuse(struct rig *r)
{
  struct stmt *st = stmt_prepare(r->con, "SELECT 1", 8);

  ok(pipeline_open(r->con) != 0 && pipeline_open(r->con) == 0, "one at a time");
  ok(st && !pipeline_execute(r->con, st) && stmt_close(st) == 0 &&
       !pipeline_run(r->con, true) && conn_failure(r->con)->api_error &&
       end_of(r, 0) == PIPE_SKIPPED,
     "a statement that was closed meanwhile");
  ok(pipeline_open(r->con) != 0 && pipeline_execute(r->con, st) != NULL,
     "one that is closed");
  pipeline_drop(r->con);
  ok(pipeline_open(r->con) != 0 && pipeline_run(r->con, true) &&
       run_sql(r->con, "SELECT 1"),
     "an empty pipeline");
  stmt_free(st);
}

static void many_rows(struct rig *r)
{
  static const char insert[] = "INSERT INTO suite_pipe VALUES (?, ?)";
  struct stmt *to = stmt_prepare(r->con, insert, strlen(insert));
  int64_t id = 0;
  char text[400], null = 0;
  unsigned long len = sizeof(text);
  const sql_bind b[2] = { { .type = SQL_TYPE_BIGINT, .buffer = &id },
                          { .type = SQL_TYPE_VARCHAR,
                            .buffer = text,
                            .data_len = &len,
                            .max_len = sizeof(text),
                            .is_null = &null } };
  bool good = to && stmt_bind(to, b, 2) == 0 && pipeline_open(r->con) != 0;
  double changed;

  memset(text, 'r', sizeof(text));
  for (id = 5000; id < 9000; id++) {
    null = id % 2 == 0;
    good = good && !pipeline_execute(r->con, to);
  }
  changed = good ? pipeline_run_bulk(r->con) : -1;
  ok(r->is->stores ? changed == 4000 : changed >= 0, "4,000 rows");
  if (r->is->stores) {
    ok_str(ask_sql(r->con, "SELECT COUNT(*) FROM suite_pipe WHERE id >= 5000"),
           "4000", "have arrived");
    ok_str(ask_sql(r->con, "SELECT SUM(LENGTH(s)) FROM suite_pipe "
                           "WHERE id >= 5000"),
           "800000", "with their values");
    id = 5000;
    ok(pipeline_open(r->con) != 0 && !pipeline_execute(r->con, to) &&
         pipeline_run_bulk(r->con) == -1 && r->con->pub.error != DB_ERROR_NONE,
       "a row that is there already");
    ok_str(r->con->pub.sql_state, r->is->duplicate_state, "its state");
    drop_message(r);
  }
  stmt_free(to);
}

/* What follows a failure: see DRIVER_GOES_ON. */
static void failing(const struct rig_settings *base)
{
  struct rig_settings set = *base;
  const char *ignore[] = { "23" };
  struct rig r;
  bool goes_on;

  set.ignore = ignore;
  set.n_ignore = 1;
  if (!rig_open(&r, &set))
    return;
  goes_on = r.con->driver->caps & DRIVER_GOES_ON;
  (void)run_sql(r.con, "BEGIN");
  ok(pipeline_open(r.con) != 0 &&
       add(&r, "INSERT INTO suite_pipe VALUES (2001, 'a')") &&
       add(&r, "INSERT INTO suite_pipe VALUES (2001, 'b')") &&
       add(&r, "SELECT * FROM suite_nowhere") && add(&r, "SELECT 1") &&
       !pipeline_run(r.con, true) && r.con->pub.error == DB_ERROR_IGNORABLE,
     "the first failure decides");
  ok_str(r.con->pub.sql_state, r.is->duplicate_state, "its state");
  ok(end_of(&r, 0) == PIPE_DONE && end_of(&r, 1) == PIPE_FAILED &&
       pipeline_result(r.con, 1).text &&
       end_of(&r, 2) == (goes_on ? PIPE_FAILED : PIPE_SKIPPED) &&
       end_of(&r, 3) == (goes_on ? PIPE_DONE : PIPE_SKIPPED),
     "what follows it");
  ok(counted(&r, COUNTER_ERROR) == (goes_on ? 2u : 1u), "errors");
  ok(pipeline_open(r.con) != 0 && add(&r, "SELECT 2") && add(&r, "BEGIN") &&
       add(&r, "COMMIT") && pipeline_run(r.con, true) &&
       conn_restart(r.con) == DB_ERROR_NONE,
     "a pipeline that begins a transaction somewhere rolls back first");
  ok_str(ask_sql(r.con, "SELECT COUNT(*) FROM suite_pipe WHERE id = 2001"), "0",
         "nothing of the first attempt is left");
  rig_close(&r);
}

static void lost(const struct rig_settings *base)
{
  static const char find[] = "SELECT s FROM suite_pipe WHERE id = ?";
  struct rig_settings set = *base;
  const char *ignore[] = { "connection" };
  int64_t id = 1;
  const sql_bind b = { .type = SQL_TYPE_BIGINT, .buffer = &id };
  struct rig r;
  struct stmt *st;
  bool good = true;

  set.ignore = ignore;
  set.n_ignore = 1;
  if (!rig_open(&r, &set))
    return;
  st = stmt_prepare(r.con, find, strlen(find));
  (void)stmt_bind(st, &b, 1);
  for (int i = 0; i < 10 && good; i++) {
    good = pipeline_open(r.con) != 0 && !pipeline_execute(r.con, st) &&
           add(&r, r.is->kill_self) && !pipeline_execute(r.con, st) &&
           add(&r, "SELECT 1") && !pipeline_run(r.con, true) &&
           r.con->pub.error == DB_ERROR_IGNORABLE &&
           conn_failure(r.con)->reconnected && end_of(&r, 0) == PIPE_DONE &&
           end_of(&r, 3) != PIPE_DONE;
  }
  ok(good, "connections that break in the middle are replaced");
  ok(pipeline_open(r.con) != 0 && !pipeline_execute(r.con, st) &&
       pipeline_run(r.con, true) && pipeline_result(r.con, 0).nrows == 1,
     "and used");
  stmt_free(st);
  rig_close(&r);
}

static void too_long(const struct rig_settings *base)
{
  struct rig_settings set = *base;
  struct rig r;
  bool goes_on;

  set.query_timeout_s = 2;
  if (!rig_open(&r, &set))
    return;
  goes_on = r.con->driver->caps & DRIVER_GOES_ON;
  ok(pipeline_open(r.con) != 0 && add(&r, "SELECT 1") && add(&r, r.is->slow) &&
       add(&r, "SELECT 1") && !pipeline_run(r.con, true) &&
       r.con->pub.error == DB_ERROR_FATAL && end_of(&r, 0) == PIPE_DONE &&
       end_of(&r, 1) == PIPE_FAILED &&
       (goes_on ? end_of(&r, 2) != PIPE_SKIPPED /* the cancel may come late */
                : end_of(&r, 2) == PIPE_SKIPPED),
     "a statement that takes too long is interrupted");
  drop_message(&r);
  ok(run_sql(r.con, "SELECT 1"), "the connection can be used");
  rig_close(&r);
}

void suite_pipeline(const struct rig_settings *set)
{
  struct rig r;
  bool stores, server;

  if (!rig_open(&r, set)) {
    ok(false, "cannot connect");
    return;
  }
  stores = r.is->stores;
  server = r.is->kill_self != NULL;
  table(&r);
  in_order(&r);
  much(&r);
  misuse(&r);
  many_rows(&r);
  rig_close(&r);
  if (stores)
    failing(set);
  if (server) {
    lost(set);
    too_long(set);
  }
  if (rig_open(&r, set)) {
    (void)run_sql(r.con, "DROP TABLE suite_pipe");
    rig_close(&r);
  }
}
