/*
 * pgsql_driver.c - what only the pgsql driver does: several statements in one
 * text, COPY, aborted transactions, freed statements, types of parameters,
 * connection strings and lists.
 */
#include <inttypes.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drivers/pgsql/session.h"
#include "tests/db/pgsql_fixture.h"
#include "tests/unit/tap.h"

static bool emulated, unnamed, by_library, raw;

static sql_result *query(struct conn *c, const char *sql)
{
  return conn_query(c, sql, strlen(sql));
}

static bool run(struct conn *c, const char *sql)
{
  (void)query(c, sql);
  if (c->pub.error != DB_ERROR_NONE)
    printf("# %s: %s %s\n", sql, c->pub.sql_state, c->pub.sql_errmsg);
  return c->pub.error == DB_ERROR_NONE;
}

static uint64_t counted(const struct fixture *f, enum counter n)
{
  return f->recorders.of[0].counter[n];
}

static void start(struct fixture *f)
{
  fixture_init(f);
  f->process.set.ps_mode = emulated  ? PS_DISABLE
                           : unnamed ? PS_UNNAMED
                                     : PS_AUTO;
  f->cfg.protocol = by_library ? PGSQL_LIBRARY : PGSQL_AUTO;
  f->env.shares_thread = raw;
  f->one_of_many = raw;
}

/* The fatal message of the last call, taken. */
static const char *message(struct conn *c)
{
  static char text[1024];
  struct conn_message m = conn_take_message(c);

  (void)snprintf(text, sizeof(text), "%s", strbuf_str(&m.lines));
  conn_drop_message(&m);
  return text;
}

static void several(struct fixture *f, struct conn *c)
{
  const uint64_t before = counted(f, COUNTER_WRITE);
  sql_result *rs;

  (void)run(c, "CREATE TEMP TABLE many (n int)");
  rs = query(c, "INSERT INTO many VALUES (1), (2); SELECT n FROM many ORDER BY "
                "n; DELETE FROM many; SELECT 'last', 2");
  OK(rs && rs->nrows == 2, "the first result with columns");
  OK(counted(f, COUNTER_WRITE) == before + 1, "what was before it is counted");
  OK(conn_more_results(c), "more is pending");
  OK(!conn_next_result(c) || c->rs.nfields == 2, "the next one");
  while (conn_more_results(c))
    rs = conn_next_result(c);
  OK_STR(fixture_value(rs), "last", "the last one");
  OK(!conn_next_result(c) && c->pub.error == DB_ERROR_NONE, "and no more");

  rs = query(c, "SELECT 1; SELECT 1/0; SELECT 3");
  OK(rs && rs->nrows == 1 && conn_more_results(c),
     "a text with an error in it");
  OK(!conn_next_result(c) && c->pub.error == DB_ERROR_FATAL,
     "the error is that of the next result");
  OK_STR(c->pub.sql_state, "22012", "its state");
  OK_STR(message(c), "PQexec() failed: 7 division by zero\n", "its message");
  (void)query(c, "SELECT 1; SELECT 2; SELECT 3");
  OK_STR(fixture_ask(c, "SELECT 4"), "4", "pending results are dropped");
  OK(!query(c, "") && c->pub.error == DB_ERROR_NONE, "an empty text");
  OK(!query(c, " -- nothing\n/* at all */ ") && c->pub.error == DB_ERROR_NONE,
     "a comment");
  OK(!query(c, "; ;") && c->pub.error == DB_ERROR_NONE, "two times nothing");
  rs = query(c, "SELECT FROM generate_series(1, 2)");
  OK(rs && rs->nrows == 2 && rs->nfields == 0, "rows without columns");
  OK(conn_fetch_row(rs) && conn_fetch_row(rs) && !conn_fetch_row(rs),
     "are two");
  rs = query(c, "SELECT FROM generate_series(1, 0)");
  OK(rs && rs->nrows == 0, "neither rows nor columns");
}

static void copies(struct fixture *f, struct conn *c)
{
  const uint64_t before = counted(f, COUNTER_OTHER);
  struct stmt *st;

  OK(!query(c, "COPY many FROM STDIN") && c->pub.error == DB_ERROR_FATAL,
     "COPY FROM STDIN is refused");
  OK_STR(c->pub.sql_errmsg, "COPY FROM STDIN is not possible here", "its text");
  (void)message(c);
  OK(run(c, "COPY (SELECT generate_series(1, 100000)) TO STDOUT"),
     "COPY TO STDOUT is dropped");
  OK(counted(f, COUNTER_OTHER) == before + 1, "and counted as other");
  (void)query(c, "SELECT 1; COPY many FROM STDIN; SELECT 2");
  OK(!conn_next_result(c) && c->pub.error == DB_ERROR_FATAL &&
       strcmp(c->pub.sql_errmsg, "COPY FROM STDIN is not possible here") == 0,
     "COPY FROM STDIN among others");
  (void)message(c);
  st = stmt_prepare(c, "COPY many FROM STDIN", 20);
  OK(st && !stmt_execute(st) && c->pub.error == DB_ERROR_FATAL, "prepared");
  OK_STR(c->pub.sql_state, "57014", "its state");
  (void)message(c);
  stmt_free(st);
  OK_STR(fixture_ask(c, "COPY (SELECT 1) TO STDOUT; SELECT 'after'"), "after",
         "a statement behind it");
}

static void copy_rows(struct conn *c)
{
  static const char *const columns[] = { "n", "t" };
  const struct copy_spec copied = { "copied", columns, 2, NULL, COPY_ROWS };
  const struct copy_spec nowhere = { "nowhere", columns, 2, NULL, COPY_ROWS };
  sql_value v[2] = { { 1, "7" }, { 9, "a\tb\\c\nd\re" } };
  const struct driver_copy *copy = c->driver->copy;
  struct outcome out = { 0 };
  char number[16];
  int rc;

  (void)run(c, "CREATE TEMP TABLE copied (n int, t text)");
  rc = copy->begin(c->session, &copied, &out);
  for (int i = 0; i < 50000 && rc == 0; i++) {
    v[0].len = (uint32_t)snprintf(number, sizeof(number), "%d", i);
    v[0].ptr = number;
    v[1].ptr = i % 2 ? NULL : "a\tb\\c\nd\re";
    rc = copy->row(c->session, v, &out);
  }
  OK(rc == 0 && copy->end(c->session, &out) == 0, "rows by COPY");
  OK_STR(fixture_ask(c,
                     "SELECT count(*) || ' ' || sum(n) || ' ' || count(t) FROM "
                     "copied"),
         "50000 1249975000 25000", "all have arrived");
  OK_STR(fixture_ask(c, "SELECT count(*) FROM copied WHERE t = "
                        "E'a\\tb\\\\c\\nd\\re'"),
         "25000", "texts have arrived");
  out = (struct outcome){ 0 };
  rc = copy->begin(c->session, &copied, &out);
  v[0] = (sql_value){ 1, "x" };
  if (rc == 0)
    rc = copy->row(c->session, v, &out);
  OK(rc == 0 && copy->end(c->session, &out) < 0, "a value of the wrong type");
  OK_STR(out.state, "22P02", "its state");
  copy->abort(c->session);
  out = (struct outcome){ 0 };
  rc = copy->begin(c->session, &copied, &out);
  v[0] = (sql_value){ 1, "5" };
  if (rc == 0)
    rc = copy->row(c->session, v, &out);
  copy->abort(c->session);
  OK(rc == 0, "a transfer that is given up");
  OK_STR(fixture_ask(c, "SELECT count(*) FROM copied"), "50000",
         "leaves nothing");
  out = (struct outcome){ 0 };
  OK(copy->begin(c->session, &nowhere, &out) < 0 &&
       strcmp(out.state, "42P01") == 0,
     "a table that is missing");
}

static void transactions(struct conn *c)
{
  (void)run(c, "BEGIN");
  OK(c->session->trx == TRX_OPEN, "a transaction is open");
  OK(!run(c, "SELECT 1/0") && c->session->trx == TRX_ABORTED, "... is aborted");
  (void)message(c);
  OK(!run(c, "SELECT 1"), "a further statement fails");
  OK_STR(c->pub.sql_state, "25P02", "its state");
  OK(strstr(message(c), "an earlier statement of this transaction failed"),
     "a hint follows");
  OK(!run(c, "COMMIT AND CHAIN") && strcmp(c->pub.sql_state, "25P02") == 0,
     "COMMIT of an aborted transaction is an error");
  (void)message(c);
  (void)run(c, "ROLLBACK");
  OK(c->session->trx == TRX_NONE, "none is open");
  (void)run(c, "BEGIN");
  (void)run(c, "SELECT 1/0");
  (void)message(c);
  OK(!run(c, "/* end */ end") && strcmp(c->pub.sql_state, "25P02") == 0 &&
       c->session->trx == TRX_NONE,
     "END as well; the transaction is over");
  (void)message(c);
  (void)run(c, "BEGIN; SAVEPOINT a");
  (void)run(c, "SELECT 1/0");
  (void)message(c);
  OK(run(c, "ROLLBACK TO a") && run(c, "COMMIT"), "a savepoint saves it");
}

static bool bind1(struct stmt *st, sql_bind_type_t type, void *buffer,
                  unsigned long *len, char *null)
{
  sql_bind b = { .type = type,
                 .buffer = buffer,
                 .data_len = len,
                 .max_len = len ? *len : 0,
                 .is_null = null };

  return stmt_bind(st, &b, 1) == 0;
}

static void types(struct conn *c)
{
  int8_t i8 = -128;
  int16_t i16 = INT16_MIN;
  int32_t i32 = INT32_MIN;
  int64_t i64 = INT64_MIN;
  float f4 = 0.1f;
  double f8 = 1e-7;
  char text[] = "it's \\ a \"text\"";
  char null = 0;
  unsigned long len = sizeof(text) - 1;
  static const char sql[] = "SELECT pg_typeof(?)";
  static const char echo[] = "SELECT CAST(? AS text)";
  static const char number[] = "SELECT CAST(? AS float8)";
  struct stmt *st = stmt_prepare(c, echo, sizeof(echo) - 1);
  struct stmt *ty = stmt_prepare(c, sql, sizeof(sql) - 1);

  OK(st && ty, "two statements");
  OK(bind1(st, SQL_TYPE_SMALLINT, &i16, NULL, NULL), "bound as smallint");
  OK_STR(fixture_value(stmt_execute(st)), "-32768", "a smallint");
  OK(bind1(st, SQL_TYPE_INT, &i32, NULL, NULL), "bound again as int");
  OK_STR(fixture_value(stmt_execute(st)), "-2147483648", "an int");
  OK(bind1(st, SQL_TYPE_BIGINT, &i64, NULL, &null), "as bigint");
  OK_STR(fixture_value(stmt_execute(st)), "-9223372036854775808", "a bigint");
  null = 1;
  OK_STR(fixture_value(stmt_execute(st)), "(null)", "NULL");
  null = 0;
  i64 = INT64_MAX;
  OK_STR(fixture_value(stmt_execute(st)), "9223372036854775807",
         "the other end");
  stmt_free(st);
  st = stmt_prepare(c, number, sizeof(number) - 1);
  OK(st && bind1(st, SQL_TYPE_DOUBLE, &f8, NULL, NULL), "a double");
  OK_STR(fixture_value(stmt_execute(st)), "1e-07", "a double");
  f8 = -INFINITY;
  OK_STR(fixture_value(stmt_execute(st)), "-Infinity", "minus infinity");
  f8 = NAN;
  OK_STR(fixture_value(stmt_execute(st)), "NaN", "not a number");
  f8 = -0.0;
  OK_STR(fixture_value(stmt_execute(st)), "-0", "minus zero");
  f8 = 1e300;
  OK_STR(fixture_value(stmt_execute(st)), "1e+300", "a large one");
  stmt_free(st);
  st = stmt_prepare(c, echo, sizeof(echo) - 1);
  OK(st && bind1(st, SQL_TYPE_FLOAT, &f4, NULL, NULL), "as float");
  OK_STR(fixture_value(stmt_execute(st)), "0.1", "a float");
  OK(bind1(st, SQL_TYPE_VARCHAR, text, &len, NULL), "as text");
  OK_STR(fixture_value(stmt_execute(st)), text, "a text");
  len = 0;
  OK_STR(fixture_value(stmt_execute(st)), "", "an empty text");
  len = sizeof(text) - 1;
  OK(bind1(st, SQL_TYPE_CHAR, text, &len, NULL), "as char");
  OK_STR(fixture_value(stmt_execute(st)), text,
         "a char has more than one byte");
  (void)stmt_close(st);
  st = stmt_prepare(c, "SELECT 1 + ?", 12);
  OK(st && bind1(st, SQL_TYPE_TINYINT, &i8, NULL, NULL),
     "a type that the server infers");
  OK_STR(fixture_value(stmt_execute(st)), "-127", "a tinyint");
  (void)stmt_close(st);
  if (!emulated) {
    OK(bind1(ty, SQL_TYPE_VARCHAR, text, &len, NULL) &&
         strcmp(fixture_value(stmt_execute(ty)), "character varying") == 0,
       "the type sent for texts");
  }
  (void)stmt_close(ty);
}

static void question_marks(struct conn *c)
{
  static const char sql[] = "SELECT '{\"a\":1}'::jsonb ?? 'a', '?', ?::int";
  int32_t seven = 7;
  struct stmt *st = stmt_prepare(c, sql, sizeof(sql) - 1);
  sql_row *row;
  sql_result *rs;

  OK(st && bind1(st, SQL_TYPE_INT, &seven, NULL, NULL), "?? and ?");
  rs = stmt_execute(st);
  row = rs ? conn_fetch_row(rs) : NULL;
  OK(row && row->values[0].ptr[0] == 't' && row->values[1].ptr[0] == '?' &&
       row->values[2].ptr[0] == '7',
     "an operator, a literal, a value");
  stmt_free(st);
  OK(run(c, "SET standard_conforming_strings = off"), "the old strings");
  st = stmt_prepare(c, "SELECT 'a\\'?', ?::text", 22);
  OK(st && st->n_params == 1, "backslashes count");
  OK(bind1(st, SQL_TYPE_INT, &seven, NULL, NULL), "bound");
  OK_STR(fixture_value(stmt_execute(st)), "a'?", "a quote behind a backslash");
  stmt_free(st);
  {
    char text[] = "a\\'b";
    unsigned long len = 4;

    st = stmt_prepare(c, "SELECT ?::text", 14);
    OK(st && bind1(st, SQL_TYPE_VARCHAR, text, &len, NULL), "bound");
    OK_STR(fixture_value(stmt_execute(st)), "a\\'b", "a value with both");
    stmt_free(st);
  }
  (void)run(c, "SET standard_conforming_strings = on");
}

static void freed(struct conn *c)
{
  static const char count[] = "SELECT count(*) FROM pg_prepared_statements";
  struct stmt *st[100];
  int64_t n = 0;

  OK_STR(fixture_ask(c, count), "0", "no statement is left by the others");
  for (int i = 0; i < 100; i++) {
    st[i] = stmt_prepare(c, "SELECT ?::int", 13);
    (void)bind1(st[i], SQL_TYPE_BIGINT, &n, NULL, NULL);
  }
  OK_STR(fixture_ask(c, count), emulated || unnamed ? "0" : "100",
         "a hundred of them");
  (void)run(c, "BEGIN");
  for (int i = 0; i < 100; i++)
    stmt_free(st[i]);
  (void)run(c, "COMMIT");
  OK_STR(fixture_ask(c, count), "0", "all are freed");
  st[0] = stmt_prepare(c, "SELECT 1", 8);
  st[1] = stmt_prepare(c, "SELECT 2", 8);
  (void)run(c, "DEALLOCATE ALL");
  st[2] = stmt_prepare(c, "SELECT 3", 8);
  for (int i = 0; i < 3; i++)
    stmt_free(st[i]);
  OK_STR(fixture_ask(c, count), "0", "freed although the script did so before");
  OK(c->pub.error == DB_ERROR_NONE, "which is no error");
}

/* Types may change from one execution to the next, and costs stay the same. */
static void one_exchange(struct conn *c)
{
  struct stmt *st = stmt_prepare(c, "SELECT pg_typeof(?)::text", 25);
  char text[] = "x";
  unsigned long len = 1;
  int64_t n = 7;
  unsigned before;

  for (int i = 0; i < 3; i++) {
    before = pgsql_of(c->session)->wire.requests;
    (void)bind1(st, SQL_TYPE_BIGINT, &n, NULL, NULL);
    OK_STR(fixture_value(stmt_execute(st)), "bigint", "a number");
    (void)bind1(st, SQL_TYPE_VARCHAR, text, &len, NULL);
    OK_STR(fixture_value(stmt_execute(st)), "character varying", "a text");
    OK(by_library || pgsql_of(c->session)->wire.requests == before + 2,
       "one exchange with the server for each");
  }
  stmt_free(st);
}

static void prepare_messages(struct conn *c)
{
  static const char sql[] = "SELECT n FROM nowhere WHERE id = ?";
  struct stmt *st = stmt_prepare(c, sql, sizeof(sql) - 1);
  int64_t n = 0;

  OK(st != NULL, "the server has not seen it");
  if (emulated || unnamed) {
    OK(bind1(st, SQL_TYPE_BIGINT, &n, NULL, NULL), "nor now");
    (void)stmt_execute(st);
    OK_STR(message(c),
           emulated ? "PQexec() failed: 7 relation \"nowhere\" does not exist; "
                      "failed query was: SELECT n FROM nowhere WHERE id = 0\n"
                    : "PQexecPrepared() failed: 7 relation \"nowhere\" does "
                      "not exist\n",
           "but now");
    OK_STR(c->pub.sql_state, "42P01", "its state");
  } else {
    OK(!bind1(st, SQL_TYPE_BIGINT, &n, NULL, NULL), "the error is at bind");
    OK_STR(c->pub.sql_state, "42P01", "its state");
    OK(strncmp(message(c),
               "PQprepare() failed: ERROR:  relation \"nowhere\" does not",
               54) == 0,
       "the library's text");
  }
  stmt_free(st);
  st = stmt_prepare(c, "SELECT 1/?::int", 15);
  (void)bind1(st, SQL_TYPE_BIGINT, &n, NULL, NULL);
  OK(!stmt_execute(st), "an error while it is executed");
  OK(strstr(message(c), emulated
                          ? "PQexec() failed: 7 division by zero; "
                          : "PQexecPrepared() failed: 7 division by zero\n"),
     "its message");
  stmt_free(st);
}

/* In the extended protocol such an error comes behind the result. */
static void late_error(struct conn *c)
{
  struct stmt *st;

  (void)run(c, "DROP TABLE IF EXISTS pgsql_late");
  (void)run(c, "CREATE TABLE pgsql_late (n int UNIQUE DEFERRABLE INITIALLY "
               "DEFERRED)");
  (void)run(c, "INSERT INTO pgsql_late VALUES (1)");
  st = stmt_prepare(c, "INSERT INTO pgsql_late VALUES (1)", 33);
  OK(st && !stmt_execute(st) && c->pub.error == DB_ERROR_IGNORABLE,
     "an error at the commit of a statement");
  OK_STR(c->pub.sql_state, "23505", "its state");
  stmt_free(st);
  (void)run(c, "DROP TABLE pgsql_late");
}

/* What a name stands for may change between two executions. */
static void renamed(struct conn *c)
{
  struct stmt *st;
  sql_result *rs;

  (void)run(c, "PREPARE named AS SELECT 1, 2");
  st = stmt_prepare(c, "EXECUTE named", 13);
  rs = st ? stmt_execute(st) : NULL;
  OK(rs && rs->nfields == 2, "two columns");
  (void)run(c, "DEALLOCATE named; PREPARE named AS SELECT 1, 2, 'x'");
  rs = stmt_execute(st);
  OK(rs && rs->nfields == 3, "then three");
  (void)run(c, "DEALLOCATE named; PREPARE named AS DELETE FROM many");
  OK(!stmt_execute(st) && c->pub.error == DB_ERROR_NONE, "then none");
  stmt_free(st);
  (void)run(c, "DEALLOCATE named");
}

/* A setting that came back with the end of its transaction. */
static void settings(struct conn *c)
{
  static const char sql[] = "SELECT 'a\\'?', ?::text";
  static const char later[] = "SELECT '?\\', ?::text";
  char text[] = "it's \\";
  unsigned long len = sizeof(text) - 1;
  struct stmt *st;

  (void)run(c, "BEGIN; SET standard_conforming_strings = off");
  st = stmt_prepare(c, sql, sizeof(sql) - 1);
  OK(st && st->n_params == 1, "backslashes count");
  stmt_free(st);
  (void)run(c, "ROLLBACK");
  st = stmt_prepare(c, later, sizeof(later) - 1);
  OK(st && st->n_params == 1 && bind1(st, SQL_TYPE_VARCHAR, text, &len, NULL),
     "and do not");
  {
    sql_result *rs = stmt_execute(st);
    sql_row *row = rs ? conn_fetch_row(rs) : NULL;

    OK(row && row->values[0].len == 2 && row->values[1].len == len &&
         memcmp(row->values[1].ptr, text, len) == 0,
       "a value with a backslash");
  }
  stmt_free(st);
}

/* Rows stay while another statement is prepared. */
static void open_rows(struct conn *c)
{
  int64_t n = 1;
  sql_result *rs = query(c, "SELECT generate_series(1, 3)");
  struct stmt *st = stmt_prepare(c, "SELECT ?::int", 13);

  OK(bind1(st, SQL_TYPE_BIGINT, &n, NULL, NULL) && rs && rs->nrows == 3,
     "bound while rows are open");
  OK_STR(fixture_value(rs), "1", "the first row");
  OK_STR(fixture_value(rs), "2", "the second");
  stmt_free(st);
}

/* Notifications that the library has kept. */
static unsigned kept(struct conn *c)
{
  PGnotify *it;
  unsigned n = 0;

  for (; (it = PQnotifies(pgsql_of(c->session)->conn)) != NULL; n++)
    PQfreemem(it);
  return n;
}

static void notifications(struct conn *c)
{
  static const char notify[] = "SELECT pg_notify('pgsql_test', 'x')";
  struct stmt *st = stmt_prepare(c, notify, strlen(notify));

  (void)run(c, "LISTEN pgsql_test");
  for (int i = 0; i < 100; i++)
    (void)stmt_execute(st);
  OK(raw || kept(c) <= 1,
     "a statement drops the notifications of those before");
  stmt_free(st);
  for (int i = 0; i < 100; i++)
    (void)run(c, "NOTIFY pgsql_test, 'x'");
  OK(run(c, "UNLISTEN pgsql_test"), "notifications are dropped");
  OK(run(c, "DO $$ BEGIN RAISE WARNING 'quiet'; END $$"), "notices as well");
}

static void about_line(void *ctx, const char *key, const char *text)
{
  strbuf_addf(ctx, "%s=%s\n", key, text);
}

static void about(struct conn *c)
{
  struct strbuf text = { 0 };

  c->driver->about(c->session, about_line, &text);
  c->driver->server_settings(c->session, about_line, &text);
  OK(strstr(strbuf_str(&text), "transport=unix\n") &&
       strstr(strbuf_str(&text), "tls_protocol=none\n") &&
       strstr(strbuf_str(&text), "server_version=") &&
       strstr(strbuf_str(&text), "\nfsync=") &&
       strstr(strbuf_str(&text), "\nshared_buffers=") &&
       strstr(strbuf_str(&text), "default_transaction_isolation=read com"),
     "what there is to know about the server");
  strbuf_done(&text);
}

static void checks(struct conn *c)
{
  struct run_facts facts = { .threads = 100000 };
  struct strbuf lines = { 0 };

  c->driver->check_before_run(c->session, &facts, &lines);
  OK(strstr(strbuf_str(&lines), "more connections, this run opens at least "
                                "100000 (max_connections = "),
     "too few connections");
  strbuf_clear(&lines);
  facts.threads = 1;
  c->driver->check_before_run(c->session, &facts, &lines);
  OK(lines.len == 0, "enough connections");
  strbuf_done(&lines);
}

static void statements(void)
{
  struct fixture f;
  struct conn *c;
  const char *why;

  start(&f);
  fixture_open(&f);
  c = fixture_conn(&f);
  OK(pgsql_of(c->session)->raw == raw, "with the library, or without it");
  several(&f, c);
  copies(&f, c);
  if (raw)
    OK(!c->driver->copy->possible(c->session, &why), "there is no COPY");
  else
    copy_rows(c);
  transactions(c);
  types(c);
  question_marks(c);
  freed(c);
  if (unnamed)
    one_exchange(c);
  prepare_messages(c);
  late_error(c);
  open_rows(c);
  renamed(c);
  settings(c);
  notifications(c);
  if (!raw) { /* they are for sessions of the library */
    about(c);
    checks(c);
  }
  fixture_done(&f);
}

/* ---- connections ---- */

static void expect(struct fixture *f, const struct conn_params *params,
                   const char *sql, const char *want, const char *what)
{
  struct conn *c;

  fixture_open(f);
  c = conn_open(f->handle, params);
  OK(c != NULL, what);
  if (c)
    OK_STR(fixture_ask(c, sql), want, what);
  fixture_done(f);
}

/* Seconds of silence until the system asks whether the server is still there.
 */
static int idle_before_probe(struct fixture *f)
{
  int seconds = -1;
  socklen_t len = sizeof(seconds);

  fixture_open(f);
  (void)getsockopt(pgsql_of(fixture_conn(f)->session)->link.fd, IPPROTO_TCP,
                   TCP_KEEPIDLE, &seconds, &len);
  fixture_done(f);
  return seconds;
}

static void strings(void)
{
  static const char path[] = "SHOW search_path";
  struct fixture f;
  struct conn_params other = { 0 };
  char text[256];

  start(&f);
  f.cfg.db = "sbtest options=-csearch_path=x";
  expect(&f, NULL, path, "x", "a name, then options");
  start(&f);
  f.cfg.options = "-c search_path=y -c work_mem=8MB";
  expect(&f, NULL, path, "y", "--pgsql-options");
  start(&f);
  (void)snprintf(text, sizeof(text),
                 "postgresql://sbtest@127.0.0.1:%s/sbtest?"
                 "application_name=uri",
                 f.port[0]);
  f.cfg.db = text;
  f.host[0] = "nowhere.invalid";
  f.port[0] = "1";
  expect(&f, NULL, "SHOW application_name", "uri", "a URI wins over options");
  start(&f);
  f.host[0] = "nowhere.invalid";
  other.host = "localhost";
  expect(&f, &other, "SELECT host(inet_client_addr()) IN ('127.0.0.1', '::1')",
         "t", "explicit parameters win");
  start(&f);
  expect(&f, NULL, "SHOW application_name", "bench", "the program's name");
  start(&f);
  f.host[0] = "127.0.0.1";
  OK(idle_before_probe(&f) == 30, "a server that vanishes is noticed");
  start(&f);
  f.host[0] = "127.0.0.1";
  f.cfg.db = "sbtest keepalives_idle=7";
  OK(idle_before_probe(&f) == 7, "as soon as the connection string says");
  start(&f);
  (void)setenv("BENCH_PGSQL_PASSWORD", "secret", 1);
  f.cfg.user = "sbpass";
  f.host[0] = "127.0.0.1";
  expect(&f, NULL, "SELECT current_user", "sbpass", "the password's variable");
  (void)unsetenv("BENCH_PGSQL_PASSWORD");
  start(&f);
  {
    struct err err = { "" };

    f.cfg.db = "x=y";
    OK(driver_pgsql.global_init(&f.cfg, &err) < 0 &&
         strstr(err.text, "'pgsql-db'"),
       "a connection string that is wrong");
  }
}

static void lists(void)
{
  const char *host[] = { "127.0.0.1", "localhost" };
  const char *port[] = { "", "" };
  struct fixture f;
  struct conn *c[4];
  char line[64];
  struct strbuf target = { 0 };

  start(&f);
  port[0] = f.port[0];
  port[1] = f.port[0];
  f.cfg.hosts = (struct opt_list){ 2, host };
  f.cfg.ports = (struct opt_list){ 2, port };
  fixture_open(&f);
  for (int i = 0; i < 4; i++) {
    c[i] = fixture_conn(&f);
    strbuf_clear(&target);
    c[i]->driver->target(c[i]->session, &target);
    (void)snprintf(line, sizeof(line), "host '%s', port %s", host[i / 2],
                   port[i % 2]);
    OK_STR(strbuf_str(&target), line, "all ports of a host, then the next");
  }
  strbuf_done(&target);
  fixture_done(&f);
}

int main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    emulated |= strcmp(argv[i], "emulated") == 0;
    unnamed |= strcmp(argv[i], "unnamed") == 0;
    by_library |= strcmp(argv[i], "library") == 0;
    raw |= strcmp(argv[i], "raw") == 0;
  }
  statements();
  strings();
  lists();
  return TAP_EXIT();
}
