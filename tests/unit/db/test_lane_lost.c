/*
 * test_lane_lost.c - clients with statements in flight on one session that
 * breaks, cannot be opened, or whose server refuses its service.
 */
#include "tests/unit/db/lane_rig.h"

static const char *const connection[] = { "connection" };
static const char *const failover[] = { "failover" };

static void meet_refusal(struct client *c, unsigned n)
{
  if (c->number == 1 && n == 0)
    ask(c, "R1");
  else
    ask_one(c, n);
}

static void test_refusal(void)
{
  struct wire *w = wire_new(failover);
  const char *log;

  w->scene.fake.numbered = true;
  log = run(w, 2, meet_refusal);
  OK(comes_after(log, "connect 0;", "disconnect;connect 1;") &&
       count_of(log, "disconnect;") == 2 && !strstr(log, "connect 2;"),
     "a server that refuses is left once, for the next one");
  OK_STR(w->scene.client[0].text, "a0,I1290R,", "whose next event is refused");
  OK_STR(w->scene.client[1].text, "I1290R,b1,", "who was refused first");
  OK_STR(w->scene.client[2].text, "I1290R,c1,", "who was in flight");
  wire_free(w);
}

static void refuse_clients(void *arg)
{
  struct client *c = arg;

  c->con = conn_open(c->handle, NULL);
  OK(!c->con && c->env.reported, "no session, and that was said");
  env_done(&c->env);
}

/* The attempt is made beside the loop, and must not fail before the others wait
 * for it: they do when this fiber, the last one, runs. */
static void let_attempts_begin(void *arg)
{
  _Atomic uint32_t *begin = arg;

  atomic_store(begin, 1);
  wait_wake_all(begin);
}

static void test_no_session(void)
{
  struct wire *w = wire_new(NULL);
  _Atomic uint32_t begin = 0;

  w->scene.fake.connect_fails = CLIENTS;
  w->scene.fake.begin = &begin;
  run_all_and(&w->scene, refuse_clients, NULL, let_attempts_begin, &begin);
  OK_STR(said(&w->scene), "connect;",
         "those who have waited share the failure");
  OK(w->scene.process.failures.count == CLIENTS &&
       w->scene.process.failures.n_reasons == 1,
     "which is counted for each of them");
  wire_free(w);
}

static void lose(struct client *c, unsigned n)
{
  if (c->number == 1 && n == 0)
    ask(c, "L1");
  else
    ask_one(c, n);
}

static void test_loss(void)
{
  struct wire *w = wire_new(connection);
  const char *log = run(w, 2, lose);

  OK(comes_after(log, "+L1;", "disconnect;connect;") &&
       count_of(log, "connect;") == 4, /* and its end */
     "the session is replaced once");
  OK_STR(w->scene.client[0].text, "a0,I2013R,",
         "whose next event meets the loss");
  OK_STR(w->scene.client[1].text, "I2013R,b1,", "who has met it first");
  OK_STR(w->scene.client[2].text, "I2013R,c1,", "who was in flight");
  wire_free(w);
}

static void test_fatal_loss(void)
{
  struct wire *w = wire_new(NULL);

  (void)run(w, 2, lose);
  OK_STR(w->scene.client[0].text, "a0,F2013,", "a loss that is not ignored");
  OK(strncmp(w->scene.client[2].text, "F2013,", 6) == 0, "is one for all");
  wire_free(w);
}

int main(void)
{
  log_set_level(LOG_FATAL);
  test_refusal();
  test_no_session();
  test_loss();
  test_fatal_loss();
  return TAP_EXIT();
}
