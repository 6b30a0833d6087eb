/*
 * test_lane_limit.c - clients with statements in flight on one session, which
 * have a time limit: what is cancelled, and when.
 */
#include "base/clock.h"
#include "tests/unit/db/lane_rig.h"

#define LIMIT_S 0.02

enum {
  LIMIT_MS = 20,
};

static const char *const some[] = { "1317" };

/* A server which executes S for ever, and reacts to a cancel only after others
 * could have been sent. */
static struct {
  unsigned cancels; /* until the first S was executed */
  unsigned served;  /* S that were begun */
} seen;

static void execute_for_ever(struct wire *w)
{
  uint64_t since_ns;

  seen.served++;
  while (atomic_load(&w->cancels) < seen.served)
    fiber_yield();
  since_ns = clock_now_ns();
  while (clock_now_ns() < since_ns + 10 * LIMIT_MS * NS_PER_MS)
    fiber_yield();
  if (seen.cancels == 0)
    seen.cancels = atomic_load(&w->cancels);
}

static int receive_late(struct session *s, struct prepared *p, const char *sql,
                        size_t len, struct outcome *out)
{
  struct wire *w = wire_of(s);

  if (w->asked[w->n_answered % QUEUE][0] != 'S')
    return receive(s, p, sql, len, out);
  while (w->n_pushed == w->n_answered)
    fiber_yield();
  execute_for_ever(w);
  w->n_answered++;
  return fake_say((struct fake_answer){ .code = 1317 }, out);
}

/* The first client is slow; the others are sent behind it. */
static void ask_slowly(struct client *c, unsigned n)
{
  if (c->number == 0 && n == 0)
    ask(c, "S");
  else
    ask_one(c, n);
}

static void test_limit(void)
{
  struct wire *w = wire_new_limited(some, LIMIT_S);
  struct driver_pipe calls = pipe_calls;
  const char *log;

  calls.receive = receive_late;
  w->scene.driver.pipe = &calls;
  log = run(w, 2, ask_slowly);
  OK(seen.cancels == 1, "only what the server executes is cancelled");
  OK_STR(w->scene.client[0].text, "I1317,a1,", "the statement that was late");
  OK_STR(w->scene.client[1].text, "b0,b1,", "and none of those behind it");
  OK_STR(w->scene.client[2].text, "c0,c1,", "whose answers come");
  OK(count_of(log, "connect;") == 2, "the session stays"); /* and its end */
  wire_free(w);
}

static void all_slow(struct client *c, unsigned n)
{
  (void)n;
  ask(c, "S");
}

static void test_all(void)
{
  struct wire *w = wire_new_limited(some, LIMIT_S);
  struct driver_pipe calls = pipe_calls;

  calls.receive = receive_late;
  w->scene.driver.pipe = &calls;
  seen.served = 0;
  (void)run(w, 1, all_slow);
  for (unsigned i = 0; i < CLIENTS; i++)
    OK_STR(w->scene.client[i].text, "I1317,", "each is cancelled in its turn");
  OK(atomic_load(&w->cancels) == CLIENTS, "by a request of its own");
  wire_free(w);
}

int main(void)
{
  log_set_level(LOG_FATAL);
  test_limit();
  test_all();
  return TAP_EXIT();
}
