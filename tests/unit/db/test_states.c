/*
 * test_states.c - the states of a connection, transition by transition.
 */
#include "base/clock.h"
#include "db/transport.h"
#include "tests/unit/fake_driver.h"
#include "tests/unit/tap.h"

static const struct driver plain = FAKE_DRIVER(DRIVER_BY_NUMBER);

static const char *const deadlock[] = { "1213" };
static const char *const dead_or_lost[] = { "1213", "2013" };

static const struct fake_answer none = { .counter = COUNTER_WRITE };
static const struct fake_answer none_more = { .counter = COUNTER_WRITE,
                                              .more = true };
static const struct fake_answer rows = { .nfields = 1,
                                         .nrows = 1,
                                         .settled = true };
static const struct fake_answer rows_rest = { .nfields = 1, .nrows = 1 };
static const struct fake_answer rows_more = { .nfields = 1,
                                              .nrows = 1,
                                              .more = true };
static const struct fake_answer refused = { .code = 1213 };
static const struct fake_answer lost = { .code = 2013, .lost = true };

static const struct {
  const char *what;
  const struct fake_answer *answer;
  enum conn_state state, freed; /* after the call, and after
                                 * conn_free_results() */
  const char *next; /* calls of the driver when a statement follows */
} answer_row[] = {
  { "no result set", &none, CONN_IDLE, CONN_IDLE, "NEXT;" },
  { "a whole result set", &rows, CONN_ROWS, CONN_IDLE, "NEXT;" },
  { "a part of one", &rows_rest, CONN_ROWS_REST, CONN_IDLE, "end;NEXT;" },
  { "several", &rows_more, CONN_ROWS_MORE, CONN_MORE, "end;NEXT;" },
  { "several, the first without rows", &none_more, CONN_MORE, CONN_MORE,
    "end;NEXT;" },
};

static void test_answers(void)
{
  for (size_t i = 0; i < sizeof(answer_row) / sizeof(answer_row[0]); i++) {
    struct bed b = { 0 };
    sql_result *rs;

    bed_open(&b, &plain, NULL, 0);
    OK(b.con->state == CONN_IDLE, "open");
    bed_answer(&b, *answer_row[i].answer);
    rs = bed_query(&b, "ONE");
    OK(b.con->state == answer_row[i].state, answer_row[i].what);
    (void)bed_log(&b);
    (void)bed_query(&b, "NEXT");
    OK_STR(bed_log(&b), answer_row[i].next, "before the next statement");
    OK(b.con->state == CONN_IDLE, "after it");

    b.fake.answer[b.fake.next] = *answer_row[i].answer;
    rs = bed_query(&b, "ONE");
    if (rs)
      (void)conn_free_results(rs);
    OK(b.con->state == answer_row[i].freed, "the result set is freed");
    bed_close(&b);
  }
}

/* Rows that are open stay where they are; else what they took is given back. */
static void test_prepare(void)
{
  struct bed b = { 0 };
  struct stmt *first, *open, *ended;

  bed_open(&b, &plain, NULL, 0);
  first = stmt_prepare(b.con, "A", 1);
  bed_answer(&b, rows_rest);
  (void)bed_query(&b, "ONE");
  (void)bed_log(&b);
  open = stmt_prepare(b.con, "B", 1);
  OK_STR(bed_log(&b), "prepare B;", "rows are open");
  OK(b.con->state == CONN_ROWS_REST, "and stay so");
  (void)bed_query(&b, "NEXT");
  b.fake.answer[b.fake.next] = rows_rest;
  OK(stmt_run(first) && b.con->state == CONN_REST, "rows that nobody reads");
  (void)bed_log(&b);
  ended = stmt_prepare(b.con, "C", 1);
  OK_STR(bed_log(&b), "end;prepare C;", "end before another statement");
  stmt_free(first);
  stmt_free(open);
  stmt_free(ended);
  bed_close(&b);
}

static void test_next(void)
{
  struct bed b = { 0 };

  bed_open(&b, &plain, NULL, 0);
  bed_answer(&b, rows_more);
  bed_answer(&b, none_more);
  bed_answer(&b, rows);
  (void)bed_query(&b, "MANY");
  (void)conn_next_result(b.con);
  OK(b.con->state == CONN_MORE, "the next result has no rows");
  (void)conn_next_result(b.con);
  OK(b.con->state == CONN_ROWS_REST, "the last one has some");
  (void)conn_next_result(b.con);
  OK(b.con->state == CONN_IDLE, "there is none after it");
  bed_close(&b);
}

static void test_failures(void)
{
  struct bed b = { 0 };

  bed_open(&b, &plain, deadlock, 1);
  bed_answer(&b, refused);
  (void)bed_query(&b, "ONE");
  OK(b.con->state == CONN_IDLE && b.con->owed == 0, "a failure");
  b.fake.answer[b.fake.next] = rows_more;
  b.fake.answer[b.fake.next + 1] = refused;
  b.con->session->trx = TRX_OPEN;
  (void)bed_query(&b, "MANY");
  (void)conn_next_result(b.con);
  OK(b.con->state == CONN_REST && b.con->owed == CONN_OWES_ROLLBACK,
     "a failure among results");
  (void)bed_log(&b);
  (void)bed_query(&b, "BEGIN");
  OK_STR(bed_log(&b), "end;ROLLBACK;BEGIN;", "what is left of it ends first");
  b.fake.answer[b.fake.next] = lost;
  (void)bed_query(&b, "ONE");
  OK(b.con->state == CONN_LOST && b.con->owed == CONN_OWES_MESSAGE,
     "a loss that no list has");
  conn_say(b.con);
  (void)conn_close(b.con);
  OK(b.con->state == CONN_CLOSED && b.con->owed == 0, "closed");
  OK(conn_reconnect(b.con) == 0 && b.con->state == CONN_IDLE, "open again");
  bed_close(&b);
}

static void test_replaced(void)
{
  struct bed b = { 0 };
  struct stmt *st;

  bed_open(&b, &plain, dead_or_lost, 2);
  st = stmt_prepare(b.con, "A", 1);
  bed_answer(&b, lost);
  (void)bed_query(&b, "ONE");
  OK(b.con->state == CONN_IDLE, "a loss that a list has");
  b.fake.answer[b.fake.next] = lost;
  b.fake.connect_permanent = true;
  (void)bed_query(&b, "ONE");
  OK(b.con->state == CONN_LOST, "which cannot be replaced");
  conn_free(b.con);
  OK(b.con->state == CONN_FREED, "a statement keeps the memory");
  conn_free(b.con);
  OK(conn_reconnect(b.con) == 1 && b.con->state == CONN_FREED,
     "it is not opened any more");
  stmt_free(st);
  OK(b.env.first == NULL, "until it is gone");
  bed_close(&b);
}

/* An attempt to replace a session, and the pause after it, are two steps. */
static void test_steps(void)
{
  struct bed b = { 0 };
  struct transport_retry r = { .until_ns = UINT64_MAX };
  uint64_t before;

  bed_open(&b, &plain, NULL, 0);
  transport_drop(b.con);
  b.fake.connect_fails = 2;
  for (unsigned i = 1; i <= 2; i++) {
    before = clock_now_ns();
    OK(transport_try(b.con, &r) == TRANSPORT_AGAIN && r.attempt == i &&
         b.con->state == CONN_LOST,
       "an attempt fails");
    OK(r.next_ns >= before + i * 8 * NS_PER_MS, "the next one has a moment");
  }
  OK(transport_try(b.con, &r) == TRANSPORT_BACK && b.con->state == CONN_IDLE,
     "the last one succeeds");
  transport_drop(b.con);
  b.over = 1;
  OK(transport_try(b.con, &r) == TRANSPORT_OVER && b.con->state == CONN_LOST,
     "there is none when the event has to be left");
  bed_close(&b);
}

int main(void)
{
  test_answers();
  test_prepare();
  test_next();
  test_failures();
  test_replaced();
  test_steps();
  return TAP_EXIT();
}
