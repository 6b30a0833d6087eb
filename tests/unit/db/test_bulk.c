/*
 * test_bulk.c - rows are collected into packets and arrive whatever happens.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "tests/unit/fake_driver.h"
#include "tests/unit/tap.h"

static const struct driver plain = FAKE_DRIVER(DRIVER_BY_NUMBER);
static const struct driver with_trx = FAKE_DRIVER(DRIVER_BY_NUMBER |
                                                  DRIVER_BULK_TRX);
static const char *const deadlock[] = { "1213" };

static int init(struct bed *b, const char *sql)
{
  return bulk_init(b->con, sql, strlen(sql));
}

static int next(struct bed *b, const char *row)
{
  return bulk_next(b->con, row, strlen(row));
}

static void test_packets(void)
{
  struct bed b = { 0 };
  char row[101];
  const int n = 20000;
  uint64_t packets = 0;

  bed_open(&b, &plain, NULL, 0);
  OK(next(&b, "(1)") == 1 && b.con->pub.error == DB_ERROR_NONE,
     "not before init");
  OK(bulk_done(b.con) == 0, "done without init does nothing");
  OK(init(&b, "INSERT INTO t VALUES ") == 0 && bulk_done(b.con) == 0,
     "done without rows does nothing");
  OK_STR(bed_log(&b), "", "nothing was sent");
  OK(init(&b, "I ") == 0 && next(&b, "(1)") == 0 && next(&b, "(2)") == 0 &&
       bulk_done(b.con) == 0,
     "two rows");
  OK_STR(bed_log(&b), "I (1),(2);", "one statement");
  OK(init(&b, "I ") == 0 && next(&b, "(1)") == 0 && init(&b, "J ") == 0 &&
       next(&b, "(3)") == 0 && bulk_done(b.con) == 0,
     "begun anew");
  OK_STR(bed_log(&b), "J (3);", "rows not yet sent are dropped");

  memset(row, 'x', 100);
  row[100] = '\0';
  b.fake.longest = 0;
  packets = bed_count(&b, COUNTER_OTHER);
  (void)init(&b, "I ");
  for (int i = 0; i < n; i++)
    (void)next(&b, row);
  (void)bulk_done(b.con);
  OK(b.fake.longest == 2 + 5190 * 101 - 1,
     "a packet is as full as it can be, and no fuller");
  packets = bed_count(&b, COUNTER_OTHER) - packets;
  OK(packets == 4, "the right number of packets");
  bed_close(&b);
}

static void test_long_row(void)
{
  struct bed b = { 0 };
  const size_t len = 1 << 20;
  char *row = malloc(len + 1);

  memset(row, 'x', len);
  row[len] = '\0';
  bed_open(&b, &plain, NULL, 0);
  OK(init(&b, "I ") == 0 && next(&b, "(1)") == 0 && next(&b, row) == 0 &&
       next(&b, "(2)") == 0 && bulk_done(b.con) == 0,
     "a row of one MiB");
  OK(b.fake.longest == len + 2, "is sent alone");
  OK(bed_count(&b, COUNTER_OTHER) == 3, "in three statements");
  OK(bulk_init(b.con, row, len) == 1, "a prefix of that length is refused");
  free(row);
  bed_close(&b);
}

static void test_errors(void)
{
  struct bed b = { 0 };

  bed_open(&b, &plain, deadlock, 1);
  bed_answer(&b, (struct fake_answer){ .code = 1213 });
  OK(init(&b, "I ") == 0 && next(&b, "(1)") == 0 && bulk_done(b.con) == 0,
     "an ignorable error is overcome");
  OK_STR(bed_log(&b), "I (1);I (1);", "the packet is sent again");
  bed_close(&b);

  b = (struct bed){ 0 };
  bed_open(&b, &plain, NULL, 0);
  bed_answer(&b, (struct fake_answer){ .code = 1062 });
  OK(init(&b, "I ") == 0 && next(&b, "(1)") == 0 && bulk_done(b.con) == 1 &&
       b.con->pub.error == DB_ERROR_FATAL && b.con->pub.sql_errno == 1062,
     "a fatal one is reported with its details");
  conn_say(b.con);
  (void)conn_close(b.con);
  OK(init(&b, "I ") == 1 && next(&b, "(1)") == 1 && bulk_done(b.con) == 0,
     "on a closed connection");
  bed_close(&b);
}

/* The packet fails inside a transaction that began with another statement. */
static void open_shared(struct bed *b, struct fake_answer a)
{
  *b = (struct bed){ 0 };
  bed_open(b, &plain, deadlock, 1);
  (void)bed_query(b, "BEGIN");
  (void)bed_log(b);
  bed_answer(b, a);
  (void)init(b, "I ");
  (void)next(b, "(1)");
}

static void test_transaction_of_script(void)
{
  struct bed b;

  open_shared(&b, (struct fake_answer){ .code = 1213 });
  OK(bulk_done(b.con) == 1 && b.con->pub.error == DB_ERROR_IGNORABLE &&
       b.con->pub.sql_errno == 1213,
     "in the script's transaction, an ignorable error is the script's");
  OK_STR(bed_log(&b), "I (1);", "the packet is not sent again");
  OK(conn_restart(b.con) == DB_ERROR_NONE, "the event is started again");
  OK_STR(bed_log(&b), "ROLLBACK;", "after a rollback");
  env_undo_attempt(&b.env);
  OK(bulk_done(b.con) == 0, "done once more");
  OK_STR(bed_log(&b), "", "finds nothing to send");
  bed_close(&b);

  open_shared(&b, (struct fake_answer){ .code = 1213 });
  b.con->bulk.limit = 8;
  OK(next(&b, "(2)") == 1 && b.con->pub.error == DB_ERROR_IGNORABLE,
     "also when a packet is full");
  (void)bed_query(&b, "ROLLBACK");
  OK(next(&b, "(2)") == 0 && bulk_done(b.con) == 0, "the row once more");
  OK_STR(bed_log(&b), "I (1);ROLLBACK;I (1);I (2);",
         "finds the rows of events before");
  bed_close(&b);

  open_shared(&b, (struct fake_answer){ .code = 2013, .lost = true });
  b.process->state[0].ignore.connection = true;
  OK(bulk_done(b.con) == 1 && b.con->pub.error == DB_ERROR_IGNORABLE &&
       conn_failure(b.con)->reconnected,
     "a connection that was replaced");
  OK_STR(bed_log(&b), "I (1);disconnect;connect;", "has no transaction");
  bed_close(&b);
}

/* Rows of earlier events stay; those of the attempt that has failed do not. */
static void test_repeated_event(void)
{
  struct bed b = { 0 };

  bed_open(&b, &plain, deadlock, 1);
  (void)init(&b, "I ");
  (void)next(&b, "(1)");
  (void)next(&b, "(2)");
  b.event_number = 2;
  (void)next(&b, "(3)");
  env_undo_attempt(&b.env);
  OK(next(&b, "(3)") == 0 && next(&b, "(4)") == 0, "an event once more");
  env_undo_attempt(&b.env);
  OK(next(&b, "(5)") == 0 && bulk_done(b.con) == 0, "and again");
  OK_STR(bed_log(&b), "I (1),(2),(5);", "its rows are there once");

  b.event_number = 3;
  (void)init(&b, "I ");
  b.con->bulk.limit = 8;
  (void)next(&b, "(1)");
  (void)next(&b, "(2)");
  env_undo_attempt(&b.env);
  OK(next(&b, "(3)") == 0 && bulk_done(b.con) == 0, "rows were sent meanwhile");
  OK_STR(bed_log(&b), "I (1);I (3);", "the others are dropped");

  (void)init(&b, "I ");
  (void)next(&b, "(1)");
  b.event_number = 4;
  env_undo_attempt(&b.env);
  b.event_open = false;
  (void)next(&b, "(2)");
  env_undo_attempt(&b.env);
  OK(bulk_done(b.con) == 0, "an event without rows, and no event");
  OK_STR(bed_log(&b), "I (1),(2);", "nothing is dropped");
  bed_close(&b);
}

static void fail_always(struct bed *b)
{
  for (size_t i = b->fake.next; i < ARRAY_SIZE(b->fake.answer); i++)
    b->fake.answer[i].code = 1213;
  b->fake.after = 1213;
}

/*
 * Outside events, no event is restarted and no end of a run stops the attempts.
 */
static void test_tries(const struct driver *d, bool in_run, const char *what)
{
  struct bed b = { 0 };
  uint64_t took;

  bed_open(&b, d, deadlock, 1);
  b.process->in_run = in_run;
  b.event_open = false;
  (void)init(&b, "I ");
  (void)next(&b, "(1)");
  fail_always(&b);
  took = clock_now_ns();
  OK(bulk_done(b.con) == 1 && b.con->pub.error == DB_ERROR_IGNORABLE &&
       b.con->pub.sql_errno == 1213 && !conn_failure(b.con)->abandoned,
     what);
  took = clock_now_ns() - took;
  OK(b.fake.queries == 100, "after a hundred tries");
  OK(took > 5 * NS_PER_S, "which leave others time to end");
  bed_close(&b);
}

static void test_run_over(void)
{
  struct bed b = { 0 };
  const uint64_t start = clock_now_ns();

  bed_open(&b, &plain, deadlock, 1);
  b.process->end_ns = start + 20 * NS_PER_MS;
  for (int i = 0; i < 64; i++)
    b.fake.answer[i].code = 1213;
  (void)init(&b, "I ");
  (void)next(&b, "(1)");
  b.con->bulk.limit = 8;
  OK(next(&b, "(2)") == 1 && conn_failure(b.con)->abandoned,
     "tries end with the run");
  b.fake.next = 63; /* one more deadlock */
  b.event_open = false;
  (void)bed_log(&b);
  OK(bulk_done(b.con) == 0, "after the events, in the measured part");
  OK_STR(bed_log(&b), "I (1);I (1);",
         "the rows of events that were counted go");
  bed_close(&b);
}

/* The event that ends a bulk insert is given up: rows of other events stay. */
static void test_done_in_event(void)
{
  struct bed b = { 0 };

  bed_open(&b, &plain, deadlock, 1);
  (void)init(&b, "I ");
  (void)next(&b, "(1)");
  b.event_number = 2;
  (void)next(&b, "(2)");
  bed_answer(&b, (struct fake_answer){ .code = 5, .over = true });
  OK(bulk_done(b.con) == 1 && conn_failure(b.con)->abandoned,
     "done in an event that is given up");
  (void)bed_log(&b);
  env_undo_event(&b.env);
  b.event_open = false;
  OK(bulk_done(b.con) == 0, "done after the events");
  OK_STR(bed_log(&b), "I (1);", "sends the rows of events that were counted");
  OK(bulk_done(b.con) == 0, "and then");
  OK_STR(bed_log(&b), "", "there are none");

  (void)init(&b, "I ");
  (void)next(&b, "(3)");
  b.event_open = true;
  b.event_number = 3;
  (void)bed_query(&b, "BEGIN");
  (void)next(&b, "(4)");
  (void)bed_log(&b);
  bed_answer(&b, (struct fake_answer){ .code = 1213 });
  OK(bulk_done(b.con) == 1 && b.con->pub.error == DB_ERROR_IGNORABLE,
     "done in an event that is started again");
  (void)conn_restart(b.con);
  env_undo_attempt(&b.env);
  (void)next(&b, "(4)");
  OK(bulk_done(b.con) == 0, "is done again");
  OK_STR(bed_log(&b), "I (3),(4);ROLLBACK;I (3),(4);",
         "with the rows of events before it");
  bed_close(&b);
}

static void test_transactions(void)
{
  struct bed b = { 0 };

  bed_open(&b, &with_trx, deadlock, 1);
  b.process->in_run = false;
  (void)init(&b, "I ");
  (void)next(&b, "(1)");
  OK(bulk_done(b.con) == 0, "outside of a run");
  OK_STR(bed_log(&b), "BEGIN IMMEDIATE;I (1);COMMIT;",
         "the layer makes a transaction");
  OK(bed_count(&b, COUNTER_OTHER) == 1, "which is not counted");
  (void)bed_query(&b, "BEGIN");
  (void)init(&b, "I ");
  (void)next(&b, "(1)");
  (void)bulk_done(b.con);
  OK_STR(bed_log(&b), "BEGIN;I (1);", "unless the script has one");
  (void)bed_query(&b, "COMMIT");
  b.process->in_run = true;
  (void)init(&b, "I ");
  (void)next(&b, "(1)");
  (void)bulk_done(b.con);
  OK_STR(bed_log(&b), "COMMIT;I (1);", "or in a run");
  bed_close(&b);
}

/* The layer cannot repeat what its transaction already contained. */
static void test_lost_rows(void)
{
  struct bed b = { 0 };

  bed_open(&b, &with_trx, deadlock, 1);
  b.process->in_run = false;
  b.process->state[0].ignore.connection = true;
  (void)init(&b, "I ");
  (void)next(&b, "(1)");
  b.con->bulk.limit = 8;
  (void)next(&b, "(2)");
  (void)bed_log(&b);
  bed_answer(&b, (struct fake_answer){ .code = 2013, .lost = true });
  OK(bulk_done(b.con) == 1 && b.con->pub.error == DB_ERROR_IGNORABLE &&
       b.con->pub.sql_errno == 2013,
     "rows that were sent before are lost with their transaction");
  OK_STR(bed_log(&b), "I (2);disconnect;connect;", "the others are not sent");
  bed_close(&b);
}

int main(void)
{
  test_packets();
  test_long_row();
  test_errors();
  test_transaction_of_script();
  test_repeated_event();
  test_tries(&with_trx, false, "a command gives up with the error");
  test_tries(&plain, true, "a run outside of its events, too");
  test_run_over();
  test_done_in_event();
  test_transactions();
  test_lost_rows();
  return TAP_EXIT();
}
