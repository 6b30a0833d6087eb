/*
 * test_pool.c - the clients of a thread share sessions: who gets one, what they
 * find prepared in it, and what they do not find.
 */
#include "base/clock.h"
#include "base/log.h"
#include "db/copy.h"
#include "db/pool.h"
#include "db/pool_stmts.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "tests/unit/fake_driver.h"
#include "tests/unit/tap.h"

enum {
  CLIENTS = 3,
  STACK = 256 * 1024,
};

static const char *const connection[] = { "connection" };
static const char *const deadlock[] = { "1213" };

/* Others run while it is executed; the values that are sent are logged. */
static int query(struct session *s, const char *sql, size_t len,
                 struct outcome *out)
{
  fiber_yield();
  return fake_query(s, sql, len, out);
}

static int execute(struct prepared *p, struct outcome *out)
{
  strbuf_addf(&fake_of(p->session)->log, "%s=%d;", p->sql,
              p->n_binds > 0 ? *(const int *)p->binds[0].buffer : 0);
  return fake_answer(p->session, out);
}

struct client {
  struct scene *scene;
  struct db_env env;
  struct driver_handle *handle;
  struct conn *con;
  struct stmt *stmt;
  bool event_open;
  uint64_t event_number;
  char text[8];
};

/* Clients of one thread, whose pool has `size` sessions. */
struct scene {
  struct driver driver;
  struct fake fake;
  struct driver_config config;
  struct db_process process;
  struct recorders recorders;
  struct client client[CLIENTS];
  _Atomic uint32_t over;
  unsigned events; /* of each client that runs in a loop */
  unsigned left;   /* clients that left an event */
};

static const bool counted = true;

static struct scene *scene_new(unsigned size, const char *const *ignore)
{
  struct scene *s = calloc(1, sizeof(*s));
  struct err err;

  MUST(s);
  s->driver = (struct driver)FAKE_DRIVER(DRIVER_BY_NUMBER);
  s->driver.query = query;
  s->driver.execute = execute;
  s->fake.ignore = (struct opt_list){ ignore ? 1 : 0, ignore };
  s->config = (struct driver_config){ &s->driver, &s->fake };
  s->process.drivers = &s->config;
  s->process.n_drivers = 1;
  s->process.in_run = true;
  s->process.over = &s->over;
  s->process.carriers = 1;
  s->process.pool_sessions = size;
  MUST(process_init(&s->process, &err) == 0);
  MUST(recorders_init(&s->recorders, 1, false, &err) == 0);
  for (unsigned i = 0; i < CLIENTS; i++) {
    struct client *c = &s->client[i];

    c->scene = s;
    c->env.process = &s->process;
    c->env.pool = process_pool(&s->process, 0);
    c->env.recorder = s->recorders.of;
    c->env.under_deadline = true;
    c->env.shares_thread = true;
    c->env.counted = &counted;
    c->env.event_open = &c->event_open;
    c->env.event_number = &c->event_number;
    (void)snprintf(c->text, sizeof(c->text), "Q%u", i);
    c->handle = env_driver(&c->env, NULL);
  }
  return s;
}

static void scene_free(struct scene *s)
{
  for (unsigned i = 0; i < CLIENTS; i++)
    env_done(&s->client[i].env);
  (void)process_done(&s->process);
  recorders_done(&s->recorders);
  strbuf_done(&s->fake.log);
  free(s);
}

static const char *said(struct scene *s)
{
  static char text[4096];

  (void)snprintf(text, sizeof(text), "%s", strbuf_str(&s->fake.log));
  strbuf_clear(&s->fake.log);
  return text;
}

static void connect_all(struct scene *s)
{
  for (unsigned i = 0; i < CLIENTS; i++) {
    s->client[i].con = conn_open(s->client[i].handle, NULL);
    MUST(s->client[i].con);
    env_work_ended(&s->client[i].env, true);
  }
}

static void ask(struct client *c, const char *sql)
{
  (void)conn_query(c->con, sql, strlen(sql));
}

static void begin(struct client *c)
{
  c->event_open = true;
  c->event_number++;
}

static void end(struct client *c)
{
  env_event_ended(&c->env);
  c->event_open = false;
}

/* ---- who gets a session ---- */

static void live(void *arg)
{
  struct client *c = arg;

  c->con = conn_open(c->handle, NULL);
  MUST(c->con);
  env_work_ended(&c->env, true);
  for (unsigned i = 0; i < c->scene->events; i++) {
    begin(c);
    ask(c, c->text);
    if (c->con->fail.abandoned) {
      c->scene->left++;
      env_undo_event(&c->env);
      return;
    }
    end(c);
  }
}

static void run_all(struct scene *s, void (*fn)(void *arg))
{
  const struct loop_setup setup = { .stack_bytes = STACK };
  struct loop *l;
  struct err err;

  MUST(loop_new(&l, &setup, &err) == 0);
  for (unsigned i = 0; i < CLIENTS; i++)
    MUST(loop_add(l, fn, &s->client[i], &err) == 0);
  loop_run(l);
  loop_free(l);
}

static void test_turns(void)
{
  struct scene *s = scene_new(1, NULL);
  struct pool_sum sum;

  s->events = 3;
  run_all(s, live);
  OK_STR(said(s), "connect;Q0;Q1;Q2;Q0;Q1;Q2;Q0;Q1;Q2;",
         "one session, and whoever waits longest gets it");
  sum = pools_sum(s->process.pools, 1);
  OK(sum.leases == 12 && sum.waits >= 7 && sum.waits < 12 && sum.wait_ns > 0 &&
       sum.longest_ns > 0 && sum.longest_ns <= sum.wait_ns,
     "leases and waits are counted");
  scene_free(s);
}

static void test_several(void)
{
  struct scene *s = scene_new(2, NULL);
  unsigned connects = 0;

  s->events = 4;
  run_all(s, live);
  for (const char *at = said(s); (at = strstr(at, "connect;")) != NULL; at++)
    connects++;
  OK(connects == 2, "two sessions for three clients");
  scene_free(s);
}

/* The first one ends the run while the others wait. */
static void live_on(void *arg)
{
  struct client *c = arg;

  if (c == &c->scene->client[0]) {
    c->con = conn_open(c->handle, NULL);
    MUST(c->con);
    begin(c);
    for (int i = 0; i < 5; i++)
      fiber_yield();
    atomic_store(&c->scene->over, 1);
    end(c);
    return;
  }
  c->con = NULL;
  c->event_open = true;
  c->con = conn_open(c->handle, NULL); /* it is not in an event, by right */
  MUST(c->con);
  env_work_ended(&c->env, true);
  begin(c);
  ask(c, c->text);
  c->scene->left += c->con->fail.abandoned;
  env_undo_event(&c->env);
}

static void test_over(void)
{
  struct scene *s = scene_new(1, NULL);

  run_all(s, live_on);
  OK(s->left == CLIENTS - 1 && !strstr(said(s), "Q"),
     "the end of the run ends the wait");
  scene_free(s);
}

static void test_no_place(void)
{
  struct scene *s = scene_new(1, NULL);

  connect_all(s);
  ask(&s->client[0], "A");
  ask(&s->client[1], "B");
  OK(s->client[1].con->pub.error == DB_ERROR_FATAL &&
       strstr(conn_failure(s->client[1].con)->api_error, "cannot wait"),
     "who cannot be parked gets an error");
  env_work_ended(&s->client[0].env, true);
  ask(&s->client[1], "C");
  OK(s->client[1].con->pub.error == DB_ERROR_NONE, "or the free session");
  OK_STR(said(s), "connect;A;C;", "which is the only one");
  OK(conn_open(s->client[1].handle, NULL) == NULL,
     "a client has one connection");
  scene_free(s);
}

/* The first one has the only session there will be. */
static void live_short(void *arg)
{
  struct client *c = arg;
  const bool first = c == &c->scene->client[0];

  while (!first && !c->scene->client[0].con)
    fiber_yield();
  c->con = conn_open(c->handle, NULL);
  if (first)
    c->scene->driver.session_size = SIZE_MAX / 4;
  for (int i = 0; first && i < 5; i++)
    fiber_yield();
  env_work_ended(&c->env, true);
}

static void test_no_memory(void)
{
  struct scene *s = scene_new(2, NULL);

  run_all(s, live_short);
  OK(s->client[0].con && !s->client[1].con && !s->client[2].con,
     "nobody waits for memory");
  scene_free(s);
}

/* ---- prepared statements ---- */

static void test_prepared(void)
{
  struct scene *s = scene_new(1, NULL);
  int value[CLIENTS] = { 5, 6, 7 };
  struct stmt *twin;

  connect_all(s);
  (void)said(s);
  for (unsigned i = 0; i < CLIENTS; i++) {
    const sql_bind bind = { .type = SQL_TYPE_INT, .buffer = &value[i] };
    struct client *c = &s->client[i];

    c->stmt = stmt_prepare(c->con, "P?", 2);
    MUST(c->stmt && stmt_bind(c->stmt, &bind, 1) == 0);
    env_work_ended(&c->env, true);
  }
  OK_STR(said(s), "prepare P?;", "prepared once");
  for (unsigned i = 0; i < 2 * CLIENTS; i++) {
    struct client *c = &s->client[i % CLIENTS];

    begin(c);
    OK(stmt_run(c->stmt), "executed");
    OK(stmt_run(c->stmt), "and again");
    end(c);
  }
  OK_STR(said(s),
         "P?=5;P?=5;P?=6;P?=6;P?=7;P?=7;P?=5;P?=5;P?=6;P?=6;P?=7;P?=7;",
         "each with its own values");

  begin(&s->client[0]);
  twin = stmt_prepare(s->client[0].con, "P?", 2);
  OK_STR(said(s), "", "another object for the same text");
  OK(twin && stmt_run(s->client[0].stmt), "has the one that is prepared");
  OK_STR(said(s), "prepare P?;P?=5;", "then the first object gets its own");
  (void)stmt_close(twin);
  end(&s->client[0]);
  (void)said(s);

  begin(&s->client[1]);
  OK(stmt_run(s->client[1].stmt), "executed");
  OK(stmt_close(s->client[1].stmt) == 0, "closed by its client");
  end(&s->client[1]);
  begin(&s->client[2]);
  OK(stmt_run(s->client[2].stmt), "another client");
  end(&s->client[2]);
  OK(strstr(said(s), "P?=7;") != NULL, "still finds or makes its own");
  scene_free(s);
}

/* Objects that are freed between leases close nothing. */
static void test_surplus(void)
{
  struct scene *s = scene_new(1, NULL);
  struct client *c = &s->client[0];
  char text[16];

  connect_all(s);
  c->stmt = stmt_prepare(c->con, "KEPT", 4);
  for (int i = 0; i <= POOL_STMTS_KEPT; i++) {
    struct stmt *st;
    const int len = snprintf(text, sizeof(text), "P%d", i);

    (void)said(s);
    begin(c);
    MUST(stmt_run(c->stmt));
    st = stmt_prepare(c->con, text, (size_t)len);
    MUST(st);
    end(c);
    stmt_free(st);
  }
  OK_STR(said(s), "KEPT=0;unprepare;prepare P1000;",
         "too many statements that nobody has: the oldest one goes");
  begin(c);
  (void)stmt_prepare(c->con, "P1", 2);
  OK_STR(said(s), "unprepare;prepare P1;", "there are no more than that");
  (void)stmt_prepare(c->con, "P999", 4);
  OK_STR(said(s), "", "the others stay");
  end(c);
  scene_free(s);
}

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
  strbuf_addf(&fake_of(s)->log, "copy %s;", spec->table);
  return 0;
}

static int copy_end_here(struct session *s, struct outcome *out)
{
  (void)out;
  strbuf_adds(&fake_of(s)->log, "copied;");
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
       outage_times(&s->process.outage).reconnects == 1,
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

static void test_refused(void)
{
  struct scene *s = scene_new(1, NULL);

  s->fake.connect_permanent = true;
  OK(conn_open(s->client[0].handle, NULL) == NULL, "no session");
  s->fake.connect_permanent = false;
  connect_all(s);
  ask(&s->client[0], "A");
  OK(strstr(said(s), "connect;A;") != NULL, "the next attempt has one");
  scene_free(s);
}

int main(void)
{
  log_set_level(LOG_FATAL);
  test_turns();
  test_several();
  test_over();
  test_no_place();
  test_no_memory();
  test_prepared();
  test_surplus();
  test_transaction();
  test_once();
  test_rest();
  test_copy();
  test_lost();
  test_lost_for_good();
  test_reopened();
  test_patient();
  test_left();
  test_refused();
  return TAP_EXIT();
}
