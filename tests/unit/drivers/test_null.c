/*
 * test_null.c - the null driver: classes of statements, latency, errors.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "db/conn.h"
#include "db/env.h"
#include "db/env_conns.h"
#include "db/stmt.h"
#include "drivers/driver_list.h"
#include "drivers/null/driver.h"
#include "tests/unit/tap.h"

struct bed {
  struct null_cfg cfg;
  struct driver_config config;
  struct db_process *process;
  struct recorders recorders;
  struct db_env env;
  struct conn *con;
};

static void bed_open(struct bed *b, struct null_cfg cfg,
                     const char *const *ignore, size_t n)
{
  struct err err;

  memset(b, 0, sizeof(*b));
  b->cfg = cfg;
  b->config = (struct driver_config){ &driver_null, &b->cfg };
  b->process = calloc(1, sizeof(*b->process));
  b->process->drivers = &b->config;
  b->process->n_drivers = 1;
  b->process->set.ignore_errors = (struct opt_list){ n, ignore };
  if (process_init(b->process, &err) < 0 ||
      recorders_init(&b->recorders, 1, false, &err) < 0)
    abort();
  b->env.process = b->process;
  b->env.recorder = b->recorders.of;
  b->env.under_deadline = true;
  b->con = conn_open(env_driver(&b->env, "null"), NULL);
}

static void bed_close(struct bed *b)
{
  env_done(&b->env);
  process_done(b->process);
  recorders_done(&b->recorders);
  free(b->process);
}

static sql_result *query(struct bed *b, const char *sql)
{
  return conn_query(b->con, sql, strlen(sql));
}

static uint64_t count(const struct bed *b, enum counter c)
{
  return b->recorders.of[0].counter[c];
}

static const struct {
  const char *sql;
  enum counter counter;
} class_case[] = {
  { "SELECT 1", COUNTER_READ },
  { "select 1", COUNTER_READ },
  { " /* x */ SELECT 1", COUNTER_READ },
  { "-- x\nSHOW TABLES", COUNTER_READ },
  { "SELECT(1)", COUNTER_READ },
  { "(SELECT 1)", COUNTER_READ },
  { "WITH a AS (SELECT 1) SELECT 1", COUNTER_READ },
  { "VALUES (1)", COUNTER_READ },
  { "EXPLAIN SELECT 1", COUNTER_READ },
  { "CALL p()", COUNTER_READ },
  { "FETCH c", COUNTER_READ },
  { "INSERT INTO t VALUES (1)", COUNTER_WRITE },
  { "Update t SET a = 1", COUNTER_WRITE },
  { "DELETE FROM t", COUNTER_WRITE },
  { "REPLACE INTO t VALUES (1)", COUNTER_WRITE },
  { "MERGE INTO t", COUNTER_WRITE },
  { "COPY t FROM STDIN", COUNTER_WRITE },
  { "LOAD DATA", COUNTER_WRITE },
  { "BEGIN", COUNTER_OTHER },
  { "COMMIT", COUNTER_OTHER },
  { "SELECTED", COUNTER_OTHER },
  { "SEL", COUNTER_OTHER },
  { "SELECT_1", COUNTER_OTHER },
  { "CREATE TABLE t (a INT)", COUNTER_OTHER },
  { "ROLLBACK", COUNTER_OTHER },
  { "ROLLBACKS", COUNTER_OTHER },
  { "", COUNTER_OTHER },
  { "1", COUNTER_OTHER },
};

static void test_classes(void)
{
  struct bed b;

  bed_open(&b, (struct null_cfg){ .rows = 2, .fields = 3 }, NULL, 0);
  for (size_t i = 0; i < ARRAY_SIZE(class_case); i++) {
    const char *sql = class_case[i].sql;
    const uint64_t before = count(&b, class_case[i].counter);
    struct stmt *st = stmt_prepare(b.con, sql, strlen(sql));

    (void)query(&b, sql);
    (void)stmt_execute(st);
    OK(count(&b, class_case[i].counter) == before + 2, "class of a statement");
    stmt_free(st);
  }
  bed_close(&b);
}

static void test_rows(void)
{
  struct bed b;
  sql_result *rs;
  sql_row *row;
  unsigned rows = 0;

  bed_open(&b, (struct null_cfg){ .rows = 5, .fields = 3 }, NULL, 0);
  rs = query(&b, "SELECT");
  OK(rs && rs->nrows == 5 && rs->nfields == 3, "rows and fields as asked for");
  while ((row = conn_fetch_row(rs))) {
    rows++;
    OK(row->values[2].len == 1 && *row->values[2].ptr == '1', "the text 1");
  }
  OK(rows == 5, "all rows");
  bed_close(&b);
}

static void test_latency(void)
{
  struct bed b;
  uint64_t start = clock_now_ns();

  bed_open(&b, (struct null_cfg){ .latency_us = 20000 }, NULL, 0);
  (void)query(&b, "SET");
  OK(clock_now_ns() - start >= 20 * NS_PER_MS, "a long latency");
  b.cfg.latency_us = 40;
  start = clock_now_ns();
  (void)query(&b, "SET");
  OK(clock_now_ns() - start >= 40 * NS_PER_US, "a short one");
  bed_close(&b);
}

static const struct {
  enum null_error error;
  int code;
  const char *state, *ignore;
} error_case[] = {
  { NULL_DEADLOCK, 1213, "40001", NULL },
  { NULL_DUPLICATE, 1062, "23505", "23505" },
  { NULL_FATAL, 1064, "42000", "1064" },
};

static void test_errors(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(error_case); i++) {
    const char *const ignore[] = { error_case[i].ignore };
    struct bed b;

    bed_open(&b,
             (struct null_cfg){ .error_rate = 1, .error = error_case[i].error },
             ignore, error_case[i].ignore != NULL);
    (void)query(&b, "SET");
    OK(b.con->pub.error == DB_ERROR_IGNORABLE &&
         b.con->pub.sql_errno == error_case[i].code,
       "an ignorable error");
    OK_STR(b.con->pub.sql_state, error_case[i].state, "its state");
    bed_close(&b);
  }
}

static void test_rate(void)
{
  struct bed b;

  bed_open(&b, (struct null_cfg){ .error_rate = 0.25 }, NULL, 0);
  for (int i = 0; i < 10000; i++)
    (void)query(&b, "SET");
  OK(count(&b, COUNTER_ERROR) > 2200 && count(&b, COUNTER_ERROR) < 2800,
     "a quarter fails");
  OK(count(&b, COUNTER_ERROR) + count(&b, COUNTER_OTHER) == 10000,
     "everything is counted once");
  OK(b.process->errors.entry[0].count == count(&b, COUNTER_ERROR),
     "also by code");
  bed_close(&b);
}

static void test_lost(void)
{
  const char *const ignore[] = { "2013" };
  struct bed b;

  bed_open(&b, (struct null_cfg){ .error_rate = 1, .error = NULL_LOST }, ignore,
           1);
  for (int i = 0; i < 100; i++)
    (void)query(&b, "SET");
  OK(count(&b, COUNTER_RECONNECT) == 100 && count(&b, COUNTER_ERROR) == 0,
     "lost and reconnected each time");
  bed_close(&b);
}

static void *hang(void *arg)
{
  struct bed *b = arg;

  (void)query(b, "SET");
  return NULL;
}

static void test_hang(void)
{
  struct bed b;
  pthread_t thread;
  struct err err;

  bed_open(&b, (struct null_cfg){ .error_rate = 1, .error = NULL_HANG }, NULL,
           0);
  (void)pthread_create(&thread, NULL, hang, &b);
  while (atomic_load(&b.con->watched->busy) == 0)
    (void)sched_yield();
  OK(watch_deadline(&b.process->watch, &err) == 0, "the deadline");
  (void)pthread_join(thread, NULL);
  OK(conn_failure(b.con)->abandoned, "wakes what hangs");
  OK(count(&b, COUNTER_ERROR) == 0, "uncounted");
  bed_close(&b);
}

static void test_times(void)
{
  struct report_times t;
  struct bed b;
  sql_result *rs;

  bed_open(&b, (struct null_cfg){ .rows = 2, .fields = 1, .latency_us = 10 },
           NULL, 0);
  b.process->set.debug = true;
  b.env.timed = true;
  for (int i = 0; i < 3; i++)
    (void)query(&b, "SET");
  rs = query(&b, "SELECT");
  (void)conn_fetch_row(rs);
  t = db_times_take(&b.process->execution);
  OK(t.count == 4 && t.min_ns >= 10 * NS_PER_US && t.max_ns >= t.min_ns &&
       t.sum_ns >= 3 * t.min_ns + t.max_ns && t.sum_ns <= 4 * t.max_ns,
     "time of statements");
  t = db_times_take(&b.process->execution);
  OK(t.count == 0 && t.sum_ns == 0 && t.min_ns == 0 && t.max_ns == 0,
     "those taken are gone");
  OK(db_times_take(&b.process->fetching).count == 1, "time of fetching");
  bed_close(&b);
}

int main(void)
{
  test_classes();
  test_rows();
  test_latency();
  test_errors();
  test_rate();
  test_lost();
  test_hang();
  test_times();
  return TAP_EXIT();
}
