/*
 * test_pool_left.c - the clients of a thread share sessions: what is left in
 * one that comes back, and what becomes of one that is lost.
 */
#include "db/copy.h"
#include "tests/unit/db/pool_rig.h"

static const char *const connection[] = { "connection" };
static const char *const deadlock[] = { "1213" };

/* ---- what is left in a session ---- */

static void test_transaction(void)
{
  struct scene *s = scene_new(1, NULL);

  connect_all(s);
  (void)said(s);
  begin(&s->client[0]);
  ask(&s->client[0], "BEGIN");
  ask(&s->client[0], "A");
  end(&s->client[0]);
  begin(&s->client[1]);
  ask(&s->client[1], "B");
  end(&s->client[1]);
  OK_STR(said(s), "BEGIN;A;ROLLBACK;B;", "an open transaction is rolled back");
  OK(pools_sum(s->process.pools, 1).rolled_back == 1, "and counted");
  begin(&s->client[0]);
  ask(&s->client[0], "BEGIN");
  env_undo_event(&s->client[0].env);
  OK_STR(said(s), "BEGIN;ROLLBACK;", "that of an event that is given up");
  OK(pools_sum(s->process.pools, 1).rolled_back == 1,
     "is no fault of the script");
  scene_free(s);
}

/* What is done between events does not do it again. */
static void test_once(void)
{
  struct scene *s = scene_new(1, deadlock);
  struct client *c = &s->client[0];

  connect_all(s);
  (void)said(s);
  begin(c);
  ask(c, "BEGIN");
  s->fake.answer[s->fake.next] = (struct fake_answer){ .code = 1213 };
  ask(c, "A");
  OK(c->con->pub.error == DB_ERROR_IGNORABLE, "an event fails");
  env_between(&c->env);
  c->event_open = false;
  OK_STR(said(s), "BEGIN;A;ROLLBACK;", "one rollback between two events");
  OK(pools_sum(s->process.pools, 1).rolled_back == 0,
     "and no fault of the script");
  scene_free(s);
}

static void test_rest(void)
{
  struct scene *s = scene_new(1, NULL);
  sql_result *rs;

  connect_all(s);
  s->fake.answer[s->fake.next] = (struct fake_answer){ .nfields = 1,
                                                       .nrows = 1 };
  (void)said(s);
  rs = conn_query(s->client[0].con, "A", 1);
  OK(rs && rs->nrows == 1, "a result set");
  env_work_ended(&s->client[0].env, true);
  OK(rs->nrows == 0 && conn_fetch_row(rs) == NULL, "ends with the lease");
  ask(&s->client[1], "B");
  OK_STR(said(s), "A;end;B;", "and nobody else meets its rest");
  scene_free(s);
}

static int copy_begin_here(struct session *s, const struct copy_spec *spec,
                           struct outcome *out)
{
  (void)out;
  fake_log(fake_of(s), "copy %s;", spec->table);
  return 0;
}

static int copy_end_here(struct session *s, struct outcome *out)
{
  (void)out;
  fake_log(fake_of(s), "copied;");
  return 0;
}

static void test_copy(void)
{
  static const struct driver_copy copy = { .begin = copy_begin_here,
                                           .end = copy_end_here };
  static const struct copy_spec spec = { .table = "t" };
  struct scene *s = scene_new(1, NULL);
  uint64_t rows;

  s->driver.copy = &copy;
  connect_all(s);
  (void)said(s);
  begin(&s->client[0]);
  MUST(copy_begin(s->client[0].con, &spec) == 0);
  MUST(copy_end(s->client[0].con, &rows) == 0);
  end(&s->client[0]);
  OK_STR(said(s), "copy t;copied;", "a copy ends, and the session stays");
  begin(&s->client[0]);
  MUST(copy_begin(s->client[0].con, &spec) == 0);
  end(&s->client[0]);
  begin(&s->client[1]);
  ask(&s->client[1], "A");
  end(&s->client[1]);
  OK_STR(said(s), "copy t;disconnect;connect;A;",
         "nobody gets a session in which one is open");
  scene_free(s);
}

/* ---- what becomes of one that is lost ---- */

static void test_lost(void)
{
  struct scene *s = scene_new(1, connection);

  connect_all(s);
  s->client[1].stmt = stmt_prepare(s->client[1].con, "P", 1);
  env_work_ended(&s->client[1].env, true);
  (void)said(s);
  s->fake.answer[s->fake.next] = (struct fake_answer){ .code = 2013,
                                                       .lost = true };
  begin(&s->client[0]);
  ask(&s->client[0], "A");
  OK(s->client[0].con->pub.error == DB_ERROR_IGNORABLE, "lost and replaced");
  ask(&s->client[0], "A");
  end(&s->client[0]);
  begin(&s->client[1]);
  OK(stmt_run(s->client[1].stmt), "a statement of another client");
  end(&s->client[1]);
  OK_STR(said(s), "A;forget;disconnect;connect;A;prepare P;P=0;",
         "is prepared again there");
  scene_free(s);
}

static void test_lost_for_good(void)
{
  struct scene *s = scene_new(1, NULL);

  connect_all(s);
  (void)said(s);
  s->fake.answer[s->fake.next] = (struct fake_answer){ .code = 2013,
                                                       .lost = true };
  begin(&s->client[0]);
  ask(&s->client[0], "A");
  OK(s->client[0].con->pub.error == DB_ERROR_FATAL, "a loss is an error");
  conn_say(s->client[0].con);
  end(&s->client[0]);
  begin(&s->client[1]);
  ask(&s->client[1], "B");
  end(&s->client[1]);
  OK_STR(said(s), "A;disconnect;connect;B;", "of the one who has met it");
  OK(conn_reconnect(s->client[2].con) == 0, "a client may ask for a new one");
  OK_STR(said(s), "disconnect;connect;", "which replaces the session");
  OK(conn_close(s->client[2].con) == 0 && !s->client[2].env.leased,
     "who closes it gives it back");
  ask(&s->client[0], "C");
  OK_STR(said(s), "C;", "and it stays open for the others");
  scene_free(s);
}

/* A client meets a session that another one has lost. */
static void test_reopened(void)
{
  struct scene *s = scene_new(1, NULL);
  struct client *c = &s->client[1];
  struct conn_message m;

  connect_all(s);
  s->fake.answer[s->fake.next] = (struct fake_answer){ .code = 2013,
                                                       .lost = true };
  begin(&s->client[0]);
  ask(&s->client[0], "A");
  conn_say(s->client[0].con);
  end(&s->client[0]);
  begin(c);
  ask(c, "B");
  OK(c->con->pub.error == DB_ERROR_NONE &&
       outage_times(&s->process.outage, clock_now_ns()).reconnects == 1,
     "the way back is that of an outage");
  s->fake.answer[s->fake.next] = (struct fake_answer){ .code = 2013,
                                                       .lost = true };
  ask(c, "C");
  conn_say(c->con);
  end(c);
  s->fake.connect_permanent = true;
  begin(&s->client[2]);
  ask(&s->client[2], "D");
  m = conn_take_message(s->client[2].con);
  OK_STR(strbuf_str(&m.lines), "error 1045: no", "or ends with its message");
  conn_drop_message(&m);
  OK(s->client[2].con->pub.error == DB_ERROR_FATAL &&
       s->process.outage.down == 0,
     "as an error");
  end(&s->client[2]);
  scene_free(s);
}

static void test_patient(void)
{
  struct scene *s = scene_new(1, connection);

  connect_all(s);
  s->process.set.connect_timeout_s = 0.001;
  begin(&s->client[0]);
  ask(&s->client[0], "BEGIN");
  s->fake.answer[s->fake.next] = (struct fake_answer){ .code = 1234 };
  (void)said(s);
  end(&s->client[0]);
  OK_STR(said(s), "ROLLBACK;disconnect;", "a session that cannot be cleaned");
  s->fake.connect_fails = 2;
  begin(&s->client[1]);
  ask(&s->client[1], "A");
  end(&s->client[1]);
  OK_STR(said(s), "connect;connect;connect;A;",
         "is awaited as long as the run goes on, if losses are ignored");
  scene_free(s);
}

static void test_left(void)
{
  static const char *const failover[] = { "failover" };
  struct scene *s = scene_new(1, failover);

  connect_all(s);
  begin(&s->client[0]);
  ask(&s->client[0], "BEGIN");
  s->fake.answer[s->fake.next] = (struct fake_answer){ .code = 1290 };
  s->fake.numbered = true;
  (void)said(s);
  end(&s->client[0]);
  OK_STR(said(s), "ROLLBACK;disconnect;connect 1;",
         "a server that refuses the rollback is left");
  begin(&s->client[1]);
  ask(&s->client[1], "A");
  end(&s->client[1]);
  OK_STR(said(s), "A;", "and the session is there for the next client");
  scene_free(s);
}

int main(void)
{
  log_set_level(LOG_FATAL);
  test_transaction();
  test_once();
  test_rest();
  test_copy();
  test_lost();
  test_lost_for_good();
  test_reopened();
  test_patient();
  test_left();
  return TAP_EXIT();
}
