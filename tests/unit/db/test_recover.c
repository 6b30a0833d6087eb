/*
 * test_recover.c - what the SQL layer does when statements fail.
 */
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "ack/log.h"
#include "ack/reader.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "db/acknowledge.h"
#include "db/options.h"
#include "db/transport.h"
#include "tests/unit/fake_driver.h"
#include "tests/unit/tap.h"

static const struct driver marking = FAKE_DRIVER(DRIVER_BY_NUMBER);
static const struct driver at_once = FAKE_DRIVER(DRIVER_ROLLBACK_AT_ONCE);
static const struct driver skipping = FAKE_DRIVER(DRIVER_SKIPS_EMPTY);

static const char *const deadlock[] = { "1213" };
static const char *const dead_or_lost[] = { "1213", "2013" };
static const char *const failover[] = { "failover" };
static const char *const killed[] = { "1927" };

static void test_success(void)
{
  struct bed b = { 0 };
  sql_result *rs;
  struct fake_answer rows = { .nfields = 2, .nrows = 3 };

  bed_open(&b, &marking, NULL, 0);
  bed_answer(&b, rows);
  rs = bed_query(&b, "SELECT");
  OK(rs && rs->nrows == 3 && rs->nfields == 2, "a result set");
  OK(conn_fetch_row(rs) == &rs->row && rs->row.values[0].len == 1, "a row");
  OK(bed_query(&b, "SET x") == NULL, "a statement without one");
  OK(rs->nrows == 0 && rs->nfields == 0, "the set ended with the next query");
  OK(conn_fetch_row(rs) == NULL, "no row of an ended set");
  OK(conn_free_results(rs) == 1, "an ended set cannot be freed");
  OK_STR(bed_log(&b), "SELECT;end;SET x;", "what the driver saw");
  b.fake.answer[2].counter = COUNTER_WRITE;
  (void)bed_query(&b, "INSERT");
  OK(bed_count(&b, COUNTER_READ) == 1 && bed_count(&b, COUNTER_OTHER) == 1 &&
       bed_count(&b, COUNTER_WRITE) == 1,
     "counted by class");
  OK(b.con->pub.error == DB_ERROR_NONE && b.con->pub.sql_state == NULL,
     "no error");
  b.fake.answer[3] = (struct fake_answer){ .counter = COUNTER_READ,
                                           .nrows = 2 };
  rs = bed_query(&b, "SELECT nothing");
  OK(rs && rs->nrows == 2 && rs->nfields == 0, "rows without columns");
  bed_close(&b);
}

/* The pause between two attempts does not grow, so an outage does not seem
 * longer for those who have tried for long. */
static void test_pause(void)
{
  struct transport_retry r = { .until_ns = clock_now_ns() + 60 * NS_PER_S };
  uint64_t least = UINT64_MAX, most = 0;
  struct bed b = { 0 };

  bed_open(&b, &marking, dead_or_lost, 2);
  transport_drop(b.con);
  b.fake.connect_fails = 12;
  for (int i = 0; i < 12; i++) {
    const uint64_t before = clock_now_ns();
    uint64_t pause;

    if (transport_try(b.con, &r) != TRANSPORT_AGAIN)
      break;
    pause = r.next_ns - clock_now_ns();
    least = pause < least ? pause : least;
    most = r.next_ns - before > most ? r.next_ns - before : most;
  }
  OK(least < 60 * NS_PER_MS && most >= 40 * NS_PER_MS && r.attempt == 12 &&
       r.next_ns < clock_now_ns() + 61 * NS_PER_MS,
     "50 ms between two attempts, also after twelve");
  b.process->facts.threads = 5000;
  b.fake.connect_fails = 1;
  OK(transport_try(b.con, &r) == TRANSPORT_AGAIN &&
       r.next_ns > clock_now_ns() + 300 * NS_PER_MS,
     "thousands of clients do not all try so often");
  OK(transport_try(b.con, &r) == TRANSPORT_BACK, "and it is back");
  bed_close(&b);
}

static void test_fatal(void)
{
  struct bed b = { 0 };
  struct conn_message m;

  bed_open(&b, &marking, deadlock, 1);
  bed_answer(&b, (struct fake_answer){ .code = 1461, .state = "42000" });
  OK(bed_query(&b, "BAD") == NULL, "no result");
  OK(b.con->pub.error == DB_ERROR_FATAL && b.con->pub.sql_errno == 1461,
     "fatal, with its number");
  OK_STR(b.con->pub.sql_state, "42000", "its state");
  OK_STR(b.con->pub.sql_errmsg, "what happened", "its text");
  OK(bed_count(&b, COUNTER_ERROR) == 1, "one error");
  m = conn_take_message(b.con);
  OK_STR(strbuf_str(&m.lines), "call 0: 1461 what happened [BAD]\na hint\n",
         "the message waits for the hook");
  conn_drop_message(&m);
  m = conn_take_message(b.con);
  OK(m.lines.len == 0, "it is taken once");
  OK(bed_query(&b, "OK") == NULL && b.con->pub.error == DB_ERROR_NONE &&
       b.con->pub.sql_errmsg == NULL,
     "the next statement works");
  OK(b.process->errors.entry[0].count == 1, "in the table of errors");
  bed_close(&b);
}

static void test_mark(void)
{
  struct bed b = { 0 };

  bed_open(&b, &marking, deadlock, 1);
  (void)bed_query(&b, "BEGIN");
  bed_answer(&b, (struct fake_answer){ .code = 1213, .state = "40001" });
  (void)bed_query(&b, "UPDATE");
  OK(b.con->pub.error == DB_ERROR_IGNORABLE, "ignorable");
  (void)bed_query(&b, "SELECT");
  OK_STR(bed_log(&b), "BEGIN;UPDATE;SELECT;", "the script may go on");
  (void)bed_query(&b, " begin");
  OK_STR(bed_log(&b), "ROLLBACK; begin;", "rolled back before BEGIN");
  OK(bed_count(&b, COUNTER_OTHER) == 3, "which is not counted");

  bed_answer(&b, (struct fake_answer){ .code = 1213 });
  b.con->session->trx = TRX_OPEN;
  (void)bed_query(&b, "UPDATE");
  OK(conn_restart(b.con) == DB_ERROR_NONE, "the event is restarted");
  OK_STR(bed_log(&b), "UPDATE;ROLLBACK;", "rolled back at the restart");
  OK(conn_restart(b.con) == DB_ERROR_NONE, "again");
  OK_STR(bed_log(&b), "", "once only");

  b.con->session->trx = TRX_OPEN;
  bed_answer(&b, (struct fake_answer){ .code = 1213 });
  (void)bed_query(&b, "UPDATE");
  (void)bed_query(&b, "COMMIT");
  (void)bed_query(&b, "BEGIN");
  OK_STR(bed_log(&b), "UPDATE;COMMIT;BEGIN;", "COMMIT clears the mark");

  bed_answer(&b, (struct fake_answer){ .code = 1213 });
  (void)bed_query(&b, "UPDATE");
  (void)bed_query(&b, "ROLLBACK TO SAVEPOINT a");
  (void)bed_query(&b, "START TRANSACTION");
  OK_STR(bed_log(&b),
         "UPDATE;ROLLBACK TO SAVEPOINT a;ROLLBACK;"
         "START TRANSACTION;",
         "ROLLBACK TO does not clear it");
  bed_close(&b);
}

static void test_at_once(void)
{
  struct bed b = { 0 };
  bool reconnected;

  bed_open(&b, &at_once, deadlock, 1);
  bed_answer(&b, (struct fake_answer){ .code = 1213 });
  (void)bed_query(&b, "UPDATE");
  OK_STR(bed_log(&b), "UPDATE;", "no transaction: nothing to roll back");
  (void)bed_query(&b, "BEGIN");
  bed_answer(&b, (struct fake_answer){ .code = 1213 });
  (void)bed_query(&b, "UPDATE");
  OK_STR(bed_log(&b), "BEGIN;UPDATE;ROLLBACK;", "rolled back at once");
  OK(b.con->pub.error == DB_ERROR_IGNORABLE && b.con->pub.sql_errno == 1213,
     "the error is that of the statement");
  OK(bed_count(&b, COUNTER_ERROR) == 2, "errors are counted");

  (void)bed_query(&b, "BEGIN");
  bed_answer(&b, (struct fake_answer){ .code = 5 });
  (void)bed_query(&b, "UPDATE");
  OK(b.con->pub.error == DB_ERROR_FATAL, "not in the list: fatal");
  (void)bed_log(&b);
  OK(conn_forgive(b.con, &reconnected) == DB_ERROR_IGNORABLE && !reconnected,
     "the hook says it is ignorable");
  OK_STR(bed_log(&b), "ROLLBACK;", "then it is rolled back");
  {
    struct conn_message m = conn_take_message(b.con);

    conn_drop_message(&m);
  }
  bed_close(&b);
}

/* A server that refuses everything for a while also refuses the ROLLBACK. */
static void test_refused(void)
{
  const struct fake_answer refused = { .code = 1213 };
  const struct driver *const kinds[] = { &marking, &at_once };

  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    struct bed b = { 0 };

    bed_open(&b, kinds[i], deadlock, 1);
    (void)bed_query(&b, "BEGIN");
    bed_answer(&b, refused);
    bed_answer(&b, refused);
    (void)bed_query(&b, "UPDATE");
    OK(b.con->pub.error == DB_ERROR_IGNORABLE &&
         !conn_failure(b.con)->reconnected,
       "ignorable, and the connection is the same");
    if (kinds[i] == &marking)
      OK(conn_restart(b.con) == DB_ERROR_IGNORABLE, "not rolled back yet");
    OK_STR(bed_log(&b), "BEGIN;UPDATE;ROLLBACK;", "refused");
    OK(conn_restart(b.con) == DB_ERROR_NONE, "rolled back in the end");
    OK(conn_restart(b.con) == DB_ERROR_NONE, "which is all");
    OK_STR(bed_log(&b), "ROLLBACK;", "it was repeated");
    OK(bed_count(&b, COUNTER_ERROR) == (kinds[i] == &marking ? 2 : 1),
       "the script had one error, and an attempt that did not come to begin "
       "another");
    bed_close(&b);
  }
}

static void test_lost(void)
{
  struct bed b = { 0 };
  struct stmt *st;
  long long value = 7;
  const sql_bind bind = { .type = SQL_TYPE_BIGINT, .buffer = &value };

  bed_open(&b, &marking, dead_or_lost, 2);
  st = stmt_prepare(b.con, "A ?", 3);
  OK(stmt_bind(st, &bind, 1) == 0, "bound");
  (void)stmt_execute(st);
  OK_STR(bed_log(&b), "prepare A ?;execute;", "prepared once");
  b.fake.connect_fails = 2;
  bed_answer(&b, (struct fake_answer){ .code = 2013, .lost = true });
  (void)bed_query(&b, "UPDATE");
  OK_STR(bed_log(&b), "UPDATE;forget;disconnect;connect;connect;connect;",
         "attempts until one succeeds");
  OK(b.con->pub.error == DB_ERROR_IGNORABLE &&
       conn_failure(b.con)->reconnected && b.con->pub.sql_errno == 2013,
     "ignorable, reconnected");
  OK(bed_count(&b, COUNTER_RECONNECT) == 1 && bed_count(&b, COUNTER_ERROR) == 0,
     "a reconnect, no error");
  (void)stmt_execute(st);
  OK_STR(bed_log(&b), "prepare A ?;execute;", "prepared again at its next use");
  OK(outage_times(&b.process->outage, clock_now_ns()).reconnects == 1,
     "one outage");

  bed_answer(&b, (struct fake_answer){ .code = 2013, .lost = true });
  b.fake.connect_refused = 2;
  b.fake.connect_code = 2026;
  (void)bed_query(&b, "UPDATE");
  OK(b.con->pub.error == DB_ERROR_IGNORABLE &&
       outage_times(&b.process->outage, clock_now_ns()).reconnects == 2,
     "after the first session a strange answer does not end the run");
  b.fake.connect_code = 0;
  (void)stmt_execute(st);
  (void)bed_log(&b);

  bed_answer(&b, (struct fake_answer){ .code = 2013, .lost = true });
  b.fake.connect_permanent = true;
  (void)bed_query(&b, "UPDATE");
  OK(b.con->pub.error == DB_ERROR_FATAL && b.con->pub.sql_errno == 1045,
     "a permanent failure is fatal");
  OK(bed_count(&b, COUNTER_ERROR) == 1, "and an error");
  b.fake.connect_permanent = false;
  OK(conn_reconnect(b.con) == 0 && bed_count(&b, COUNTER_RECONNECT) == 3,
     "an explicit reconnect helps");
  (void)stmt_execute(st);
  OK(b.con->pub.error == DB_ERROR_NONE, "and the statement lives");
  bed_close(&b);
}

static void test_refuses_service(void)
{
  const struct fake_answer refused = { .code = 1290 };
  const struct fake_answer other = { .code = 1291 };
  const struct fake_answer lost = { .code = 2013, .lost = true };
  struct bed b = { 0 };

  bed_open(&b, &marking, failover, 1);
  b.fake.numbered = true;
  (void)bed_query(&b, "BEGIN");
  bed_answer(&b, refused);
  (void)bed_query(&b, "UPDATE");
  OK_STR(bed_log(&b), "BEGIN;UPDATE;disconnect;connect 1;",
         "a server that refuses is left for the next one");
  OK(b.con->pub.error == DB_ERROR_IGNORABLE &&
       conn_failure(b.con)->reconnected && b.con->pub.sql_errno == 1290,
     "ignorable, reconnected");
  OK(bed_count(&b, COUNTER_RECONNECT) == 1 && bed_count(&b, COUNTER_ERROR) == 1,
     "a reconnect, and an error");
  bed_answer(&b, lost);
  b.fake.connect_fails = 1;
  (void)bed_query(&b, "UPDATE");
  OK_STR(bed_log(&b), "UPDATE;disconnect;connect 1;connect 2;",
         "a lost one is asked again, and then the next one");
  bed_answer(&b, refused);
  (void)bed_query(&b, "UPDATE");
  OK_STR(bed_log(&b), "UPDATE;disconnect;connect 3;", "left from there");
  bed_answer(&b, lost);
  (void)bed_query(&b, "UPDATE");
  OK_STR(bed_log(&b), "UPDATE;disconnect;connect 3;", "and that one is kept");
  bed_answer(&b, other);
  (void)bed_query(&b, "UPDATE");
  OK(b.con->pub.error == DB_ERROR_FATAL,
     "the number with another text is none");
  conn_say(b.con);
  bed_close(&b);

  b = (struct bed){ 0 };
  bed_open(&b, &marking, &dead_or_lost[1], 1);
  b.fake.numbered = true;
  bed_answer(&b, lost);
  b.fake.connect_fails = 1;
  (void)bed_query(&b, "UPDATE");
  bed_answer(&b, lost);
  (void)bed_query(&b, "UPDATE");
  OK_STR(bed_log(&b),
         "UPDATE;disconnect;connect 0;connect 1;"
         "UPDATE;disconnect;connect 0;",
         "without it, the first server is always the first");
  bed_answer(&b, refused);
  (void)bed_query(&b, "UPDATE");
  OK(b.con->pub.error == DB_ERROR_FATAL, "... and a refusal is fatal");
  conn_say(b.con);
  bed_close(&b);
}

/* What the log of the only client has, in its order: A acknowledged, a aborted,
 * L a loss. */
static const char *ack_story(const char *path)
{
  static char story[16];
  static struct ack_reader r;
  struct err err = { "" };
  size_t n = 0;
  int got;

  if (ack_reader_open(&r, path, &err) < 0)
    return "no log";
  while ((got = ack_reader_next(&r, &err)) > 0) {
    for (int i = 0; i < got && n < sizeof(story) - 1; i++) {
      switch (atomic_load(&r.records[i].state)) {
      case ACK_ACKED:
        story[n++] = 'A';
        break;
      case ACK_ABORTED:
        story[n++] = 'a';
        break;
      case ACK_LOST:
        story[n++] = 'L';
        break;
      default:
        story[n++] = '?';
        break;
      }
    }
  }
  story[n] = '\0';
  ack_reader_done(&r);
  return story;
}

/* What is lost with a server that is left is its end, and no hole in what the
 * next one has. */
static void test_left_is_logged(void)
{
  const struct fake_answer answers[] = { { .counter = COUNTER_WRITE },
                                         { .code = 1290 },
                                         { .counter = COUNTER_WRITE },
                                         { .code = 2013, .lost = true },
                                         { .code = 1213 } };
  static const char *const both[] = { "failover", "1213" };
  char path[] = "/tmp/test_recover.XXXXXX";
  const int fd = mkstemp(path);
  struct ack_log *log = NULL;
  struct ack_totals totals;
  struct bed b = { 0 };
  struct err err;

  OK(fd >= 0 && ack_log_open(&log, path, 1, 0, "test", &err) == 0, "a log");
  bed_open(&b, &marking, both, 2);
  b.env.ack = ack_log_client(log, 0);
  for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
    bed_answer(&b, answers[i]);
  (void)acknowledge_next(&b.env, 1);
  (void)bed_query(&b, "COMMIT");
  (void)bed_query(&b, "UPDATE"); /* refused */
  (void)acknowledge_next(&b.env, 2);
  (void)bed_query(&b, "COMMIT");
  (void)bed_query(&b, "UPDATE"); /* lost */
  (void)acknowledge_next(&b.env, 3);
  (void)bed_query(&b, "COMMIT"); /* a deadlock: nobody leaves */
  OK(ack_log_finish(log, true, &totals, &err) == 0, "it ends");
  bed_close(&b);
  ack_log_free(log);
  OK_STR(ack_story(path), "ALALa", "a server that is left ends a part");
  (void)unlink(path);
  (void)close(fd);
}

static void ask(struct bed *b, struct fake_answer a)
{
  bed_answer(b, a);
  b->event_open = false;
  env_between(&b->env);
  b->event_open = true;
}

/* The question of --backend-sample between two events. */
static void test_backend(void)
{
  const struct fake_answer lost = { .code = 2013, .lost = true };
  const struct fake_answer cut = { .code = 1317, .over = true };
  const struct fake_answer row = { .nfields = 1, .nrows = 1, .settled = true };
  struct driver asked = marking;
  struct backends_seen seen;
  struct bed b = { 0 };

  asked.backend_query = "WHO";
  bed_open(&b, &asked, &dead_or_lost[1], 1);
  b.process->set.backend_sample = 1;
  OK(env_start_between(&b.env, 0, 0), "something to do between events");
  b.fake.value = "7";
  ask(&b, row);
  OK_STR(bed_log(&b), "WHO;end;", "asked");
  ask(&b, lost);
  OK_STR(bed_log(&b), "WHO;disconnect;connect;", "lost, and replaced");
  OK(bed_count(&b, COUNTER_RECONNECT) == 1 && b.process->outage.reconnects == 1,
     "an outage");
  OK(!bed_query(&b, "UPDATE") && b.con->pub.error == DB_ERROR_IGNORABLE &&
       b.con->pub.sql_errno == 2013 && conn_failure(b.con)->reconnected,
     "the next event starts again");
  OK_STR(bed_log(&b), "", "its first statement was not sent");
  ask(&b, cut);
  ask(&b, row);
  seen = backends_get(&b.process->backends);
  OK(seen.backends == 1 && seen.asked == 2 && seen.failed == 1,
     "an answer that the end of the run has cut counts as nothing");
  b.fake.connect_fails = UINT32_MAX;
  b.process->end_ns = clock_now_ns() + 20 * NS_PER_MS;
  ask(&b, lost);
  OK(conn_failure(b.con)->abandoned && b.process->outage.given_up == 1 &&
       bed_count(&b, COUNTER_ERROR) == 0 && !(b.con->owed & CONN_OWES_MESSAGE),
     "the end of the run ends the wait, which is no error");
  bed_close(&b);

  b = (struct bed){ 0 };
  bed_open(&b, &asked, deadlock, 1);
  b.process->set.backend_sample = 1;
  (void)env_start_between(&b.env, 0, 0);
  ask(&b, lost);
  OK(env_settle(&b.env) == b.con && b.con->pub.error == DB_ERROR_FATAL &&
       b.con->pub.sql_errno == 2013 && b.con->owed & CONN_OWES_MESSAGE,
     "a loss that no list has is fatal");
  OK_STR(bed_log(&b), "WHO;disconnect;", "and stays");
  conn_say(b.con);
  bed_close(&b);
}

static void test_role(void)
{
  const struct fake_answer lost = { .code = 2013, .lost = true };
  const struct fake_answer unknown = { .code = 1193 };
  const struct fake_answer row = { .nfields = 1, .nrows = 1, .settled = true };
  struct driver with_roles = marking;
  struct bed b = { 0 };

  with_roles.role_query = "ROLE";
  bed_open(&b, &with_roles, &dead_or_lost[1], 1);
  b.fake.numbered = true;
  b.process->set.target = ROLE_PRIMARY;
  b.fake.value = "0";
  bed_answer(&b, lost);
  bed_answer(&b, unknown);
  bed_answer(&b, lost);
  bed_answer(&b, row);
  (void)bed_query(&b, "UPDATE");
  OK_STR(bed_log(&b),
         "UPDATE;disconnect;connect 0;ROLE;disconnect;connect 1;ROLE;"
         "disconnect;connect 2;ROLE;end;",
         "servers that do not say what they are, then one with the role");
  OK(b.con->pub.error == DB_ERROR_IGNORABLE &&
       bed_count(&b, COUNTER_RECONNECT) == 1 &&
       bed_count(&b, COUNTER_READ) == 0,
     "reconnected; the question is not counted");
  OK_STR(b.process->outage.text,
         "error 2013: it does not say whether it is read-only: what happened",
         "the words of the server are behind it");

  b.fake.value = "1";
  b.process->end_ns = clock_now_ns() + 50 * NS_PER_MS;
  bed_answer(&b, lost);
  for (int i = 0; i < 40; i++)
    bed_answer(&b, row);
  (void)bed_query(&b, "UPDATE");
  OK(conn_failure(b.con)->abandoned &&
       strcmp(b.process->outage.text,
              "nowhere: it is a replica, and --server-role is primary") == 0,
     "only others, up to the end of the run");
  bed_close(&b);
}

/* A statement whose rows are not wanted meets the loss; those of the question
 * for the role are. */
static void test_role_unread(void)
{
  const struct fake_answer lost = { .code = 2013, .lost = true };
  const struct fake_answer row = { .nfields = 1, .nrows = 1, .settled = true };
  struct driver with_roles = marking;
  struct bed b = { 0 };
  struct stmt *st;

  with_roles.role_query = "ROLE";
  bed_open(&b, &with_roles, &dead_or_lost[1], 1);
  b.process->set.target = ROLE_PRIMARY;
  b.process->end_ns = clock_now_ns() + 10 * NS_PER_S;
  b.fake.value = "0";
  st = stmt_prepare(b.con, "A", 1);
  (void)stmt_bind(st, NULL, 0);
  (void)bed_log(&b);
  bed_answer(&b, lost);
  for (int i = 0; i < 40; i++)
    bed_answer(&b, row);
  OK(!stmt_run(st) && conn_failure(b.con)->reconnected, "replaced");
  OK_STR(bed_log(&b), "execute;forget;disconnect;connect;ROLE;end;",
         "the first answer is heard");
  OK(!b.con->session->unread, "and only for that statement rows are dropped");
  stmt_free(st);
  bed_close(&b);
}

/* A session that is lost while parameters are bound does not take them with
 * it. */
static void test_lost_bind(void)
{
  struct bed b = { 0 };
  struct stmt *st;
  long long value = 7;
  const sql_bind bind = { .type = SQL_TYPE_BIGINT, .buffer = &value };

  bed_open(&b, &marking, dead_or_lost, 2);
  st = stmt_prepare(b.con, "A ?", 3);
  b.fake.bind_lost = 1;
  OK(stmt_bind(st, &bind, 1) == 1 && b.con->pub.error == DB_ERROR_IGNORABLE &&
       conn_failure(b.con)->reconnected,
     "the session is lost while parameters are bound, and replaced");
  (void)bed_log(&b);
  (void)stmt_execute(st);
  OK_STR(bed_log(&b), "prepare A ?;execute;", "the statement has them");
  OK(b.con->pub.error == DB_ERROR_NONE, "and succeeds");

  bed_answer(&b, (struct fake_answer){ .code = 2013, .lost = true });
  (void)bed_query(&b, "UPDATE");
  b.fake.bind_lost = 1;
  OK(stmt_bind(st, &bind, 1) == 1, "lost again, while it is prepared again");
  (void)bed_log(&b);
  (void)stmt_execute(st);
  OK_STR(bed_log(&b), "prepare A ?;execute;", "it has them as well");
  bed_close(&b);
}

static void test_lost_fatal(void)
{
  struct bed b = { 0 };
  bool reconnected;

  bed_open(&b, &marking, deadlock, 1);
  bed_answer(&b, (struct fake_answer){ .code = 2013, .lost = true });
  (void)bed_query(&b, "UPDATE");
  OK(b.con->pub.error == DB_ERROR_FATAL, "lost and not in a list");
  (void)bed_query(&b, "UPDATE");
  OK(b.con->pub.error == DB_ERROR_FATAL && b.con->pub.sql_errno == 2013,
     "and lost it stays");
  OK_STR(bed_log(&b), "UPDATE;disconnect;", "nothing is sent any more");
  OK(conn_forgive(b.con, &reconnected) == DB_ERROR_IGNORABLE && reconnected,
     "unless the hook forgives");
  (void)bed_query(&b, "UPDATE");
  OK(b.con->pub.error == DB_ERROR_NONE, "then it works again");
  bed_close(&b);
}

static void test_run_over(void)
{
  struct bed b = { 0 };
  const uint64_t start = clock_now_ns();

  bed_open(&b, &marking, dead_or_lost, 2);
  b.process->end_ns = start + 50 * NS_PER_MS;
  b.fake.connect_fails = UINT32_MAX;
  bed_answer(&b, (struct fake_answer){ .code = 2013, .lost = true });
  (void)bed_query(&b, "UPDATE");
  OK(clock_now_ns() - start >= 50 * NS_PER_MS, "tries until the end");
  OK(b.con->pub.error == DB_ERROR_FATAL && conn_failure(b.con)->abandoned,
     "then the event is abandoned");
  OK(bed_count(&b, COUNTER_ERROR) == 0 && bed_count(&b, COUNTER_RECONNECT) == 0,
     "nothing is counted");
  OK(b.process->outage.given_up == 1, "one was still reconnecting");
  OK(!(b.con->owed & CONN_OWES_MESSAGE), "nothing to say");
  b.fake.connect_fails = 0;
  b.event_open = false;
  OK(conn_reconnect(b.con) == 0 && !bed_query(&b, "SET") &&
       b.con->pub.error == DB_ERROR_NONE,
     "a script may reconnect after its events");
  bed_close(&b);
}

/* The run is over and the thread has finished its events. */
static void test_lost_after_run(void)
{
  const struct fake_answer lost = { .code = 2013, .lost = true };
  struct bed b = { 0 };

  bed_open(&b, &marking, dead_or_lost, 2);
  b.over = 1;
  b.event_open = false;
  bed_answer(&b, lost);
  (void)bed_query(&b, "INSERT");
  OK_STR(bed_log(&b), "INSERT;disconnect;connect;", "a connection is replaced");
  OK(b.con->pub.error == DB_ERROR_IGNORABLE &&
       conn_failure(b.con)->reconnected && b.con->pub.sql_errno == 2013,
     "the error is that of the statement");

  b.fake.connect_fails = 2;
  bed_answer(&b, lost);
  (void)bed_query(&b, "INSERT");
  OK_STR(bed_log(&b), "INSERT;disconnect;connect;", "or it is tried once");
  OK(b.con->pub.error == DB_ERROR_FATAL && b.con->pub.sql_errno == 2003 &&
       !conn_failure(b.con)->abandoned && b.con->owed & CONN_OWES_MESSAGE,
     "the error is that of the connection");
  OK(b.process->outage.given_up == 0, "no event has waited for it");
  (void)bed_query(&b, "INSERT");
  OK(b.con->pub.error == DB_ERROR_FATAL && b.con->pub.sql_errno == 2003,
     "and again with the next statement");
  bed_close(&b);

  b = (struct bed){ 0 };
  bed_open(&b, &marking, killed, 1);
  b.over = 1;
  bed_answer(&b, (struct fake_answer){ .code = 1927, .lost = true });
  (void)bed_query(&b, "INSERT");
  OK(conn_failure(b.con)->abandoned, "a loss in an event that is given up");
  b.event_open = false;
  (void)bed_log(&b);
  (void)bed_query(&b, "SELECT");
  OK(b.con->pub.error == DB_ERROR_IGNORABLE &&
       conn_failure(b.con)->reconnected && b.con->pub.sql_errno == 1927,
     "is told behind the events");
  OK_STR(bed_log(&b), "connect;", "and the connection replaced");
  bed_close(&b);
}

/*
 * What a script does after its events is not part of an event that was given
 * up.
 */
static void test_given_up(void)
{
  struct bed b = { 0 };
  struct err err;

  bed_open(&b, &marking, deadlock, 1);
  (void)bed_query(&b, "BEGIN");
  bed_answer(&b, (struct fake_answer){ .code = 1213 });
  (void)bed_query(&b, "UPDATE");
  env_undo_event(&b.env);
  env_undo_event(&b.env);
  OK_STR(bed_log(&b), "BEGIN;UPDATE;ROLLBACK;", "rolled back, once");
  (void)bed_query(&b, "BEGIN");
  env_undo_event(&b.env);
  OK_STR(bed_log(&b), "BEGIN;", "unless nothing has failed in it");

  bed_answer(&b, (struct fake_answer){ .code = 5, .over = true });
  (void)bed_query(&b, "UPDATE");
  OK(conn_failure(b.con)->abandoned, "a statement that gave up waiting");
  env_undo_event(&b.env);
  OK_STR(bed_log(&b), "UPDATE;ROLLBACK;", "is a failure, too");

  (void)bed_query(&b, "BEGIN");
  bed_answer(&b, (struct fake_answer){ .code = 1213 });
  (void)bed_query(&b, "UPDATE");
  (void)watch_deadline(&b.process->watch, &err);
  (void)bed_log(&b);
  env_undo_event(&b.env);
  OK_STR(bed_log(&b), "", "nothing is sent after the deadline");
  bed_close(&b);
}

static void test_dead(void)
{
  struct bed b = { 0 };
  struct err err;

  bed_open(&b, &marking, deadlock, 1);
  OK(watch_deadline(&b.process->watch, &err) == 0, "the deadline has come");
  (void)bed_query(&b, "UPDATE");
  OK_STR(bed_log(&b), "", "nothing is sent");
  OK(conn_failure(b.con)->abandoned && bed_count(&b, COUNTER_ERROR) == 0,
     "the call is abandoned");
  OK(stmt_prepare(b.con, "A", 1) == NULL && conn_next_result(b.con) == NULL &&
       conn_reconnect(b.con) == 1,
     "the others, too");
  bed_close(&b);
}

static void test_closed(void)
{
  struct bed b = { 0 };
  struct stmt *st, *other;

  bed_open(&b, &marking, NULL, 0);
  st = stmt_prepare(b.con, "A", 1);
  other = stmt_prepare(b.con, "B ?", 3);
  OK(stmt_execute(other) == NULL, "not bound");
  OK_STR(conn_failure(b.con)->api_error, "parameters are not bound", "says so");
  OK(stmt_bind(other, NULL, 0) == 1, "a wrong number of parameters");
  (void)bed_log(&b);
  OK(stmt_close(st) == 0, "close");
  OK_STR(bed_log(&b), "unprepare;", "frees it");
  OK(stmt_close(st) == 0, "a second close");
  OK(stmt_execute(st) == NULL && b.con->pub.error == DB_ERROR_FATAL,
     "a closed statement");
  OK_STR(conn_failure(b.con)->api_error, "attempt to use a closed statement",
         "says so");
  OK(conn_close(b.con) == 0 && conn_close(b.con) == 0, "closed twice");
  OK_STR(bed_log(&b), "forget;disconnect;", "once on the server");
  OK(bed_query(&b, "X") == NULL && b.con->pub.error == DB_ERROR_FATAL,
     "a closed connection");
  OK_STR(conn_failure(b.con)->api_error, "SQL API error", "says so");
  OK(!conn_more_results(b.con) && stmt_execute(other) == NULL,
     "nothing works on it");
  OK(conn_reconnect(b.con) == 0, "but it can be opened again");
  OK(bed_query(&b, "X") == NULL && b.con->pub.error == DB_ERROR_NONE, "works");
  conn_free(b.con);
  OK(stmt_execute(other) == NULL && stmt_close(other) == 0,
     "a statement keeps the memory of its connection");
  stmt_free(other);
  stmt_free(st);
  OK(b.env.first == NULL, "with the last statement all is gone");
  bed_close(&b);
}

static void test_emulated(void)
{
  struct bed b = { 0 };
  struct stmt *st;
  long long value = 7;
  const sql_bind bind = { .type = SQL_TYPE_BIGINT, .buffer = &value };

  bed_open(&b, &marking, NULL, 0);
  b.fake.refuse_prepare = true;
  st = stmt_prepare(b.con, "A ? '?'", 7);
  OK(st && st->emulated && b.con->pub.error == DB_ERROR_NONE,
     "what cannot be prepared is emulated");
  OK(stmt_bind(st, &bind, 1) == 0, "bound");
  (void)stmt_execute(st);
  value = -8;
  (void)stmt_execute(st);
  OK_STR(bed_log(&b), "prepare A ? '?';unprepare;A 7 '?';A -8 '?';",
         "sent as text");
  OK_STR(process_statement_mode(b.process), "emulated", "known for the report");
  b.fake.refuse_prepare = false;
  b.fake.prepare_code = 1064;
  OK(stmt_prepare(b.con, "B", 1) == NULL &&
       b.con->pub.error == DB_ERROR_FATAL && bed_count(&b, COUNTER_ERROR) == 1,
     "a failed prepare is an error");
  conn_say(b.con);
  bed_close(&b);
}

static void test_results(void)
{
  struct bed b = { 0 };

  bed_open(&b, &skipping, NULL, 0);
  b.fake.answer[0] = (struct fake_answer){ .counter = COUNTER_WRITE,
                                           .more = true };
  b.fake.answer[1] = (struct fake_answer){ .nfields = 1,
                                           .nrows = 1,
                                           .more = true };
  OK(bed_query(&b, "A;B;C") != NULL, "the first with columns");
  OK(bed_count(&b, COUNTER_WRITE) == 1 && bed_count(&b, COUNTER_READ) == 1,
     "each is counted");
  OK(conn_more_results(b.con), "there is more");
  OK(conn_next_result(b.con) == NULL && b.con->pub.error == DB_ERROR_NONE,
     "without rows");
  OK(bed_count(&b, COUNTER_OTHER) == 1 && !conn_more_results(b.con),
     "counted, and the last");
  OK(conn_next_result(b.con) == NULL && bed_count(&b, COUNTER_OTHER) == 1,
     "nothing is left: not counted");
  bed_close(&b);
}

static void test_unread(void)
{
  const struct fake_answer more = { .more = true };
  const struct fake_answer failed = { .code = 1213 };
  const struct fake_answer lost = { .code = 2013, .lost = true };
  struct bed b = { 0 };
  struct stmt *st;

  bed_open(&b, &marking, dead_or_lost, 2);
  bed_answer(&b, more);
  b.fake.unread = failed;
  b.con->session->trx = TRX_OPEN;
  (void)bed_query(&b, "A;B");
  OK(!bed_query(&b, "SELECT") && b.con->pub.error == DB_ERROR_IGNORABLE &&
       b.con->pub.sql_errno == 1213 && conn_failure(b.con)->earlier,
     "an error among results that were not read is the next statement's");
  OK_STR(bed_log(&b), "A;B;end;", "which is not sent");
  OK(bed_count(&b, COUNTER_ERROR) == 1 && b.con->owed & CONN_OWES_ROLLBACK,
     "it is counted, and the transaction marked");
  OK(env_settle(&b.env) == NULL && !b.env.unread, "told once");
  OK(conn_restart(b.con) == DB_ERROR_NONE, "the event is restarted");
  OK_STR(bed_log(&b), "ROLLBACK;", "and rolled back");

  bed_answer(&b, more);
  b.fake.unread = failed;
  (void)bed_query(&b, "A;B");
  OK(env_settle(&b.env) == b.con && b.con->pub.error == DB_ERROR_IGNORABLE &&
       b.con->pub.sql_errno == 1213 && bed_count(&b, COUNTER_ERROR) == 2,
     "the end of the event finds it as well");
  OK(env_settle(&b.env) == NULL && !b.env.unread, "once");
  (void)bed_log(&b);

  st = stmt_prepare(b.con, "S", 1);
  bed_answer(&b, more);
  b.fake.unread = failed;
  (void)bed_query(&b, "A;B");
  stmt_free(st);
  OK(bed_count(&b, COUNTER_ERROR) == 3 && b.con->owed & CONN_OWES_FAILURE,
     "found where nothing can be told");
  (void)bed_log(&b);
  OK(!bed_query(&b, "SELECT") && b.con->pub.error == DB_ERROR_IGNORABLE &&
       b.con->pub.sql_errno == 1213 && bed_count(&b, COUNTER_ERROR) == 3,
     "it is told by the next statement");
  OK_STR(bed_log(&b), "", "which is not sent");

  bed_answer(&b, more);
  b.fake.unread = lost;
  (void)bed_query(&b, "A;B");
  OK(!bed_query(&b, "SELECT") && b.con->pub.error == DB_ERROR_IGNORABLE &&
       conn_failure(b.con)->reconnected,
     "a connection that is lost meanwhile is replaced");
  OK_STR(bed_log(&b), "A;B;end;disconnect;connect;", "as any other");

  bed_answer(&b, more);
  b.fake.unread = (struct fake_answer){ .code = 5 };
  (void)bed_query(&b, "A;B");
  (void)conn_close(b.con);
  OK(env_settle(&b.env) == b.con && b.con->pub.error == DB_ERROR_FATAL &&
       b.con->pub.sql_errno == 5,
     "closing the connection reads them, too");
  OK(conn_reconnect(b.con) == 0, "opened again");

  bed_answer(&b, more);
  b.fake.unread = (struct fake_answer){ .code = 5 };
  (void)bed_query(&b, "A;B");
  OK(!bed_query(&b, "SELECT") && b.con->pub.error == DB_ERROR_FATAL, "fatal");
  {
    struct conn_message m = conn_take_message(b.con);

    OK_STR(strbuf_str(&m.lines),
           "call 3: 5 what happened []\nit is an error among unread results of "
           "the previous statement\n",
           "the message does not name the statement that was not sent");
    conn_drop_message(&m);
  }
  bed_answer(&b, more);
  b.fake.unread = failed;
  (void)bed_query(&b, "A;B");
  env_undo_event(&b.env);
  OK(env_settle(&b.env) == NULL && bed_query(&b, "SELECT") == NULL &&
       b.con->pub.error == DB_ERROR_NONE,
     "an event that is given up takes its errors along");
  bed_close(&b);
}

static int samples, failed_samples;
static void *sample_class;

static void on_statement(void *ctx, void *cls, const char *sql, size_t len,
                         uint64_t took_ns, const struct stmt_sample *s)
{
  (void)ctx, (void)sql, (void)len, (void)took_ns;
  samples++;
  failed_samples += s->failed;
  sample_class = cls;
}

static void test_samples(void)
{
  struct bed b = { 0 };
  int class;

  bed_open(&b, &marking, deadlock, 1);
  b.env.on_statement = on_statement;
  b.env.timed = true;
  conn_set_class(b.con, &class);
  (void)bed_query(&b, "A");
  OK(samples == 1 && sample_class == &class, "a statement with its class");
  bed_answer(&b, (struct fake_answer){ .code = 1213 });
  (void)bed_query(&b, "A");
  OK(samples == 2 && failed_samples == 1 && sample_class == NULL,
     "a failed one, without");
  bed_close(&b);
}

int main(void)
{
  test_success();
  test_pause();
  test_fatal();
  test_mark();
  test_at_once();
  test_refused();
  test_lost();
  test_refuses_service();
  test_left_is_logged();
  test_backend();
  test_role();
  test_role_unread();
  test_lost_bind();
  test_lost_fatal();
  test_run_over();
  test_lost_after_run();
  test_given_up();
  test_dead();
  test_closed();
  test_emulated();
  test_results();
  test_unread();
  test_samples();
  return TAP_EXIT();
}
