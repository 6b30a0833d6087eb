/*
 * test_pool.c - the clients of a thread share sessions: who gets one, and what
 * they find prepared in it.
 */
#include "db/pool.h"
#include "tests/unit/db/pool_rig.h"

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

static void test_turns(void)
{
  struct scene *s = scene_new(1, NULL);
  struct pool_sum sum;

  s->events = 3;
  run_all(s, live, NULL);
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
  run_all(s, live, NULL);
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

  run_all(s, live_on, NULL);
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

  run_all(s, live_short, NULL);
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
  test_refused();
  return TAP_EXIT();
}
