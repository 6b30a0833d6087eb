/*
 * test_sqlite.c - the parts specific to the sqlite driver: settings, states,
 * waiting for locks, rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "db/conn.h"
#include "db/copy.h"
#include "db/env.h"
#include "db/env_conns.h"
#include "db/stmt.h"
#include "drivers/driver_list.h"
#include "drivers/sqlite/session.h"
#include "tests/unit/tap.h"

static const struct {
  int code;
  const char *msg, *state;
  bool ignorable;
} state_case[] = {
  { 5, "", "40001", true },
  { 261, "", "40001", true },
  { 517, "", "40001", true },
  { 773, "", "40001", true },
  { 6, "", "40001", true },
  { 262, "", "40001", true },
  { 1555, "", "23505", false },
  { 2067, "", "23505", false },
  { 2579, "", "23505", false },
  { 19, "", "23000", false },
  { 1299, "", "23000", false },
  { 787, "", "23000", false },
  { 275, "", "23000", false },
  { 9, "", "57014", false },
  { 13, "", "53100", false },
  { 7, "", "53200", false },
  { 8, "", "25006", false },
  { 1032, "", "25006", false },
  { 14, "", "58030", false },
  { 10, "", "58030", false },
  { 266, "", "58030", false },
  { 11, "", "58030", false },
  { 26, "", "58030", false },
  { 1, "no such table: x", "42P01", false },
  { 1, "table t already exists", "42P07", false },
  { 1, "near x", "42601", false },
  { 18, "", "HY000", false },
};

static void test_states(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(state_case); i++) {
    struct outcome out = { 0 };

    (void)sqlite_failed_with(state_case[i].code, state_case[i].msg, &out);
    OK_STR(out.state, state_case[i].state, "the state of a code");
    OK(sqlite_always_ignorable(&out) == state_case[i].ignorable,
       "ignorable or not");
  }
}

struct bed {
  struct sqlite_cfg cfg;
  struct driver_config config;
  struct db_process *process;
  struct db_env env;
  struct recorder recorder;
  _Atomic uint32_t over;
};

static void bed_open(struct bed *b, const char *file)
{
  struct err err;

  memset(b, 0, sizeof(*b));
  b->cfg.db = file;
  b->cfg.synchronous = 1;
  b->cfg.busy_timeout_ms = 5000;
  b->config = (struct driver_config){ &driver_sqlite, &b->cfg };
  b->process = calloc(1, sizeof(*b->process));
  b->process->drivers = &b->config;
  b->process->n_drivers = 1;
  b->process->over = &b->over;
  if (process_init(b->process, &err) < 0)
    abort();
  b->env.process = b->process;
}

static void bed_close(struct bed *b)
{
  env_done(&b->env);
  process_done(b->process);
  free(b->process);
}

static sql_error_t run(struct conn *c, const char *sql)
{
  (void)conn_query(c, sql, strlen(sql));
  return c->pub.error;
}

static void test_mode_line(const char *file)
{
  struct strbuf line = { 0 };
  char want[512];
  struct bed b;

  bed_open(&b, file);
  b.cfg.cache_size = -3000;
  b.cfg.synchronous = 2;
  conn_mode_line(env_driver(&b.env, NULL), &line);
  (void)snprintf(want, sizeof(want),
                 "SQLite %s, file %s, journal_mode=wal, synchronous=full, "
                 "cache_size=-3000, mmap_size=0, busy_timeout=5000",
                 sqlite3_libversion(), file);
  OK_STR(strbuf_str(&line), want, "the mode line");
  strbuf_done(&line);
  bed_close(&b);
}

static void test_missing_folder(void)
{
  struct strbuf line = { 0 };
  struct bed b;

  bed_open(&b, "/nonexistent/x.sqlite");
  conn_mode_line(env_driver(&b.env, NULL), &line);
  OK(line.len == 0, "no mode line without a database");
  strbuf_done(&line);
  OK(!conn_open(env_driver(&b.env, NULL), NULL), "a folder that is missing");
  OK_STR(b.process->failures.reason[0].text,
         "error 14: unable to open database file: No such file or directory",
         "the reason");
  bed_close(&b);
}

/* One connection writes, and another tries to. */
static void test_waiting(const char *file)
{
  const struct conn_params other = { .db = file };
  const uint64_t number = 1;
  const bool open = true;
  struct driver_handle *h;
  struct conn *a, *c;
  uint64_t start;
  struct bed b;

  bed_open(&b, "/nonexistent/y.sqlite");
  b.cfg.busy_timeout_ms = 50;
  h = env_driver(&b.env, NULL);
  a = conn_open(h, &other);
  c = conn_open(h, &other);
  OK(a && c, "a file of the connection's own");
  OK(run(a, "CREATE TABLE t (a INT)") == DB_ERROR_NONE &&
       run(a, "BEGIN IMMEDIATE") == DB_ERROR_NONE,
     "one writes");
  start = clock_now_ns();
  OK(run(c, "BEGIN IMMEDIATE") == DB_ERROR_IGNORABLE &&
       c->pub.sql_errno == SQLITE_BUSY,
     "the other gets BUSY");
  OK(clock_now_ns() - start >= 50 * NS_PER_MS, "after its patience");
  OK(run(c, "SELECT * FROM t") == DB_ERROR_NONE, "reading is possible");
  b.over = 1;
  OK(run(c, "INSERT INTO t VALUES (1)") == DB_ERROR_IGNORABLE &&
       clock_now_ns() - start >= 100 * NS_PER_MS,
     "also after the run");
  b.cfg.busy_timeout_ms = 60000;
  b.env.recorder = &b.recorder;
  b.env.event_open = &open;
  b.env.event_number = &number;
  start = clock_now_ns();
  OK(run(c, "INSERT INTO t VALUES (1)") == DB_ERROR_FATAL &&
       c->fail.abandoned && clock_now_ns() - start < 10 * NS_PER_S,
     "but in an event it is given up");
  OK(b.recorder.counter[COUNTER_ERROR] == 0 && b.process->errors.n == 0,
     "which is nobody's error");
  OK(run(a, "COMMIT") == DB_ERROR_NONE, "the first commits");
  bed_close(&b);
}

static void test_stale(const char *file)
{
  struct driver_handle *h;
  struct conn *a, *c;
  struct bed b;

  bed_open(&b, file);
  h = env_driver(&b.env, NULL);
  a = conn_open(h, NULL);
  c = conn_open(h, NULL);
  (void)run(a, "BEGIN");
  (void)run(a, "SELECT * FROM t");
  (void)run(c, "INSERT INTO t VALUES (2)");
  OK(run(a, "INSERT INTO t VALUES (3)") == DB_ERROR_IGNORABLE &&
       a->pub.sql_errno == SQLITE_BUSY_SNAPSHOT,
     "a snapshot that became stale");
  OK(a->owed & CONN_OWES_ROLLBACK, "its transaction is marked");
  OK(run(a, "BEGIN IMMEDIATE") == DB_ERROR_NONE, "rolled back before BEGIN");
  OK(run(a, "ROLLBACK") == DB_ERROR_NONE, "in a transaction of its own");
  bed_close(&b);
}

/* ---- rows ---- */

/*
 * SQLite's own allocations.  This many succeed before they fail; -1: all
 * succeed.
 */
static sqlite3_mem_methods memory;
static int given = -1;

static bool refused(void)
{
  if (given <= 0)
    return given == 0;
  given--;
  return false;
}

static void *give(int size)
{
  return refused() ? NULL : memory.xMalloc(size);
}

static void *resize(void *old, int size)
{
  return refused() ? NULL : memory.xRealloc(old, size);
}

static void watch_memory(void)
{
  sqlite3_mem_methods watched;

  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory) != SQLITE_OK)
    abort();
  watched = memory;
  watched.xMalloc = give;
  watched.xRealloc = resize;
  /* Small pieces come from there as well, however SQLite was built. */
  (void)sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &watched) != SQLITE_OK)
    abort();
}

/* Numbers become text, and zeros a blob, when the row is kept. */
static const char kinds[] =
  "SELECT 1234567890123, 2.5, 'text', '', x'00ff', x'', zeroblob(3), NULL";

static bool value_is(const sql_value *v, const void *bytes, size_t len)
{
  return v->len == len && (len == 0 || memcmp(v->ptr, bytes, len) == 0);
}

static bool kinds_are(sql_result *rs)
{
  const sql_row *row = rs && rs->nrows == 1 ? conn_fetch_row(rs) : NULL;
  const sql_value *v = row ? row->values : NULL;

  return v && rs->nfields == 8 && value_is(&v[0], "1234567890123", 13) &&
         value_is(&v[1], "2.5", 3) && value_is(&v[2], "text", 4) &&
         value_is(&v[3], "", 0) && v[3].ptr && value_is(&v[4], "\0\377", 2) &&
         value_is(&v[5], "", 0) && v[5].ptr && value_is(&v[6], "\0\0\0", 3) &&
         !v[7].ptr && !conn_fetch_row(rs);
}

/* Returns how many allocations a success takes; -1: something went wrong. */
static int try_all(struct conn *c, struct stmt *st, bool rows)
{
  for (int n = 0; n < 1000; n++) {
    sql_result *rs = NULL;
    bool done;

    given = n;
    if (rows)
      done = (rs = stmt_execute(st)) != NULL;
    else
      done = stmt_run(st);
    given = -1;
    if (done)
      return !rows || kinds_are(rs) ? n : -1;
    if (c->pub.error != DB_ERROR_FATAL || c->pub.sql_errno != SQLITE_NOMEM ||
        strcmp(c->pub.sql_state, "53200") != 0)
      return -1;
  }
  return -1;
}

static void test_values(const char *file)
{
  struct conn *c;
  struct stmt *st;
  struct bed b;

  bed_open(&b, file);
  c = conn_open(env_driver(&b.env, NULL), NULL);
  OK(kinds_are(conn_query(c, kinds, strlen(kinds))), "values of all kinds");
  OK(sqlite3_memory_used() == 0, "no lock for statistics of memory");
  st = stmt_prepare(c, kinds, strlen(kinds));
  OK(kinds_are(stmt_execute(st)), "of a prepared statement");
  OK(try_all(c, st, true) > 1, "an error when memory runs out, or the row");
  OK(try_all(c, st, false) > 0, "the same without rows");
  OK(kinds_are(stmt_execute(st)), "and afterwards");
  stmt_free(st);
  bed_close(&b);
}

/* The third row is an error: the sum exceeds 64 bits. */
static void test_late_error(const char *file)
{
  static const char sql[] = "SELECT abs(-9223372036854775805 - a) FROM three";
  struct conn *c;
  struct stmt *st;
  struct bed b;

  bed_open(&b, file);
  c = conn_open(env_driver(&b.env, NULL), NULL);
  OK(run(c, "CREATE TABLE three (a INT)") == DB_ERROR_NONE &&
       run(c, "INSERT INTO three VALUES (1), (2), (3)") == DB_ERROR_NONE,
     "three rows");
  st = stmt_prepare(c, sql, strlen(sql));
  for (int i = 0; i < 4; i++) {
    const bool failed = i % 2 ? !stmt_run(st) : !stmt_execute(st);

    OK(failed && c->pub.error == DB_ERROR_FATAL && c->rs.nrows == 0,
       "an error in a later row");
    OK_STR(c->pub.sql_errmsg, "integer overflow", "its text");
  }
  OK(run(c, "UPDATE three SET a = 0") == DB_ERROR_NONE && stmt_run(st) &&
       stmt_execute(st) && c->rs.nrows == 3,
     "no error any more");
  stmt_free(st);
  bed_close(&b);
}

/* NULL in the binary form of a bulk load, in the middle and at the end. */
static void test_copy_null(const char *file)
{
  static const char *const columns[] = { "a", "b", "c" };
  static const char rows[] = "\0\3\0\0\0\4\0\0\0\7\377\377\377\377\0\0\0\2xy"
                             "\0\3\0\0\0\4\0\0\0\10\0\0\0\1z"
                             "\377\377\377\377";
  static const char types[] =
    "SELECT GROUP_CONCAT(a || TYPEOF(b) || TYPEOF(c), ' ') FROM nulls";
  const struct copy_spec spec = {
    .table = "nulls",
    .columns = columns,
    .n = ARRAY_SIZE(columns),
    .kinds = "itt",
    .form = COPY_BINARY,
  };
  const sql_row *row = NULL;
  uint64_t taken = 0;
  sql_result *rs;
  struct conn *c;
  struct bed b;

  bed_open(&b, file);
  c = conn_open(env_driver(&b.env, NULL), NULL);
  if (!c || run(c, "CREATE TABLE nulls (a INT, b TEXT, c TEXT)"))
    abort();
  OK(copy_begin(c, &spec) == 0 && copy_rows(c, rows, sizeof(rows) - 1) == 0 &&
       copy_end(c, &taken) == 0 && taken == 2,
     "rows with NULL are loaded");
  rs = conn_query(c, types, strlen(types));
  row = rs ? conn_fetch_row(rs) : NULL;
  OK(row && row->values[0].len == 19 &&
       memcmp(row->values[0].ptr, "7nulltext 8textnull", 19) == 0,
     "and each value is in its column");
  (void)run(c, "DROP TABLE nulls");
  bed_close(&b);
}

int main(void)
{
  char dir[] = "/tmp/bench-sqlite-XXXXXX";
  char file[64], more[80];

  if (!mkdtemp(dir))
    return 1;
  (void)snprintf(file, sizeof(file), "%s/db", dir);
  watch_memory();
  test_states();
  test_mode_line(file);
  test_missing_folder();
  test_waiting(file);
  test_stale(file);
  test_values(file);
  test_late_error(file);
  test_copy_null(file);
  /* Without usleep(), a client would wait a second for a lock in memory. */
  OK(sqlite3_sleep(1) == 1, "SQLite sleeps for milliseconds");
  (void)unlink(file);
  (void)snprintf(more, sizeof(more), "%s-wal", file);
  (void)unlink(more);
  (void)snprintf(more, sizeof(more), "%s-shm", file);
  (void)unlink(more);
  OK(rmdir(dir) == 0, "nothing is left");
  return TAP_EXIT();
}
