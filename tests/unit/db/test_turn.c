/*
 * test_turn.c - many clients and few threads that open connections: when the
 * time begins that an attempt may take.
 */
#include "base/clock.h"
#include "base/log.h"
#include "tests/unit/db/clients_rig.h"

#define LIMIT_S 5

enum {
  CONNECT_MS = 20,
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
  seen.short_of_time |= until_ns < seen.last_end_ns + LIMIT_S * NS_PER_S;
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

int main(void)
{
  log_set_level(LOG_FATAL);
  test_turn();
  return TAP_EXIT();
}
