/*
 * test_connect_limiter.c - many clients and few threads that open connections:
 * when the time begins that an attempt may take.
 */
#include "base/clock.h"
#include "base/log.h"
#include "db/connect_limiter.h"
#include "db/transport.h"
#include "tests/unit/db/clients_rig.h"

#define LIMIT_S 5

enum {
  CONNECT_MS = 200,
  UNSURE_MS = 100, /* the thread may wait for a processor */
};

static const char *const connection[] = { "connection" };

/* One connect after the other. */
static struct {
  bool begun; /* sessions are replaced */
  unsigned n;
  uint64_t last_end_ns;
  bool short_of_time;
} seen;

static int connect_slowly(struct session *s, uint64_t until_ns,
                          struct outcome *out)
{
  const uint64_t begin_ns = clock_now_ns();

  if (!seen.begun)
    return fake_connect(s, until_ns, out);
  seen.short_of_time |= until_ns + UNSURE_MS * NS_PER_MS <
                        seen.last_end_ns + LIMIT_S * NS_PER_S;
  while (clock_now_ns() < begin_ns + CONNECT_MS * NS_PER_MS)
    ;
  seen.n++;
  seen.last_end_ns = clock_now_ns();
  return fake_connect(s, until_ns, out);
}

/* All lose their sessions, and want others. */
static void lose_it(void *arg)
{
  struct client *c = arg;

  c->event_open = true;
  (void)conn_query(c->con, "L", 1);
  c->scene->left += conn_failure(c->con)->reconnected;
  c->event_open = false;
  env_done(&c->env);
}

static void test_turn(void)
{
  struct scene s;

  scene_init(&s, connection);
  s.driver.connect = connect_slowly;
  s.process.set.connect_timeout_s = LIMIT_S;
  s.process.set.connect_concurrency = 1;
  scene_start(&s);
  for (unsigned i = 0; i < CLIENTS; i++) {
    s.client[i].con = conn_open(s.client[i].handle, NULL);
    MUST(s.client[i].con);
    s.fake.answer[i] = (struct fake_answer){ .code = 2013, .lost = true };
  }
  seen.begun = true;
  run_all(&s, lose_it, NULL);
  OK(seen.n == CLIENTS && s.left == CLIENTS,
     "all come back, one after the other");
  OK(!seen.short_of_time, "each had its time from its turn on");
  scene_done(&s);
}

/* Who waits, and until when, if there is no gate. */
static void test_limit(void)
{
  const uint64_t later = clock_now_ns() + 100 * NS_PER_S;
  struct scene s;
  struct conn *c;

  scene_init(&s, connection);
  scene_start(&s);
  c = conn_open(s.client[0].handle, NULL);
  MUST(c);
  atomic_store(&s.process.end_ns, later);
  OK(transport_deadline(c) == later,
     "a connection that is replaced: until the end");
  OK(transport_enter(c, later), "its turn is there");
  OK(transport_until(c, clock_now_ns(), later + NS_PER_S) <=
       later + NS_PER_S / 2,
     "the attempt ends soon after the run");
  c->generation = 0;
  OK(transport_deadline(c) == later, "so is the first one of a script");
  OK(transport_until(c, clock_now_ns(), later + NS_PER_S) >
       later + NS_PER_S / 2,
     "but its attempt has all its time");
  c->visitor = true;
  OK(transport_deadline(c) == later, "that of a visit: until the end");
  atomic_store(&s.process.end_ns, 0);
  OK(transport_deadline(c) == UINT64_MAX,
     "before the run: as long as it takes");
  atomic_store(&s.process.end_ns, later);
  OK(!transport_enter(c, clock_now_ns() - 1), "the end comes before its turn");
  OK(c->out.lost && c->out.over, "it is given up");
  atomic_store(s.process.over, 1);
  OK(!transport_enter(c, later), "the run is stopped before its turn");
  OK(transport_deadline(c) == 0, "who asks then has one attempt");
  atomic_store(s.process.over, 0);
  atomic_store(&s.process.end_ns, clock_now_ns() - 1);
  OK(transport_deadline(c) == 0, "so has who asks after the end");
  c->visitor = false;
  for (unsigned i = 0; i < CLIENTS; i++)
    env_done(&s.client[i].env);
  scene_done(&s);
}

/* The time between two of them does not fit into 64 bits. */
static void test_tiny_rate(void)
{
  _Atomic uint32_t over = 0;
  _Atomic uint64_t end_ns = 0;
  struct limiter l = { .over = &over, .end_ns = &end_ns };

  limiter_init(&l, 1e-300, 0);
  OK(limiter_enter(&l, 0), "the first one need not wait");
  OK(!limiter_enter(&l, 1), "the second one does not get its turn");
}

int main(void)
{
  log_set_level(LOG_FATAL);
  test_limit();
  test_turn();
  test_tiny_rate();
  return TAP_EXIT();
}
