/*
 * test_watch.c - more connections to a frozen server than there are helpers: no
 * time is lost on those whose turn would come too late; a cancel that itself
 * comes too late, and one that does not end.
 */
#include "base/clock.h"
#include "base/wait.h"
#include "tests/unit/fake_driver.h"
#include "tests/unit/tap.h"

enum {
  CONNECTIONS = 300,
  HELPERS = 256 /* they cancel at the same time */
};

static _Atomic uint32_t cut, cancels;

static void *token(struct session *s)
{
  return s;
}

static void drop(void *token)
{
  (void)token;
}

/*
 * Acts like a server that never answers: ends when all sockets are shut down.
 */
static void cancel(void *token)
{
  uint32_t n;

  (void)token;
  (void)atomic_fetch_add(&cancels, 1);
  while ((n = atomic_load(&cut)) < CONNECTIONS)
    wait_while(&cut, n, WAIT_FOREVER);
}

static void cut_off(struct session *s)
{
  (void)s;
  (void)atomic_fetch_add(&cut, 1);
  wait_wake_all(&cut);
}

static void test_frozen(void)
{
  struct driver d = FAKE_DRIVER(0);
  struct bed b = { 0 };
  struct err err;
  uint32_t n;

  d.cancel_token = token;
  d.cancel_free = drop;
  d.cancel = cancel;
  d.shutdown = cut_off;
  bed_open(&b, &d, NULL, 0);
  for (unsigned i = 1; i < CONNECTIONS; i++) {
    if (!conn_open(b.handle, NULL))
      abort();
  }
  for (struct conn *c = b.env.first; c; c = c->next)
    atomic_store(&c->watched->busy, 1);
  OK(watch_deadline(&b.process->watch, &err) == 0, "the deadline");
  while ((n = atomic_load(&cut)) < CONNECTIONS)
    wait_while(&cut, n, WAIT_FOREVER);
  watch_stop(&b.process->watch);
  OK(atomic_load(&cancels) <= HELPERS,
     "what was cut off already is not cancelled any more");
  for (struct conn *c = b.env.first; c; c = c->next)
    atomic_store(&c->watched->busy, 0);
  bed_close(&b);
}

/* ---- a statement that ends while its cancel is on the way ---- */

enum {
  TOO_EARLY_MS = 200 /* an unblocked statement arrives within this time */
};

static _Atomic uint32_t cancelling, cancelled, came_early;
static _Atomic uint64_t cancelling_ns; /* since that moment */

/* The request has begun, and is slow. */
static void slow_cancel(void *token)
{
  const uint64_t until = clock_now_ns() + TOO_EARLY_MS * NS_PER_MS;

  (void)token;
  atomic_store(&cancelling_ns, clock_now_ns());
  (void)atomic_fetch_add(&cancelling, 1);
  wait_wake_all(&cancelling);
  while (atomic_load(&came_early) == 0 && clock_now_ns() < until)
    wait_while(&came_early, 0, until);
  atomic_store(&cancelled, 1);
}

static int answer(struct session *s, const char *sql, size_t len,
                  struct outcome *out)
{
  if (strcmp(sql, "SLOW") == 0) {
    while (atomic_load(&cancelling) == 0)
      wait_while(&cancelling, 0, WAIT_FOREVER);
  } else if (atomic_load(&cancelled) == 0) {
    (void)atomic_fetch_add(&came_early, 1);
    wait_wake_all(&came_early);
  }
  return fake_query(s, sql, len, out);
}

static void test_late(void)
{
  struct driver d = FAKE_DRIVER(DRIVER_BY_NUMBER);
  struct bed b = { 0 };
  struct err err;
  uint64_t began_ns;

  d.cancel_token = token;
  d.cancel_free = drop;
  d.cancel = slow_cancel;
  d.query = answer;
  bed_open(&b, &d, NULL, 0);
  b.process->watch.limit_ns = 300 * NS_PER_MS;
  b.con->watched->limited = true;
  bed_answer(&b, (struct fake_answer){ .counter = COUNTER_WRITE });
  bed_answer(&b, (struct fake_answer){ .code = 1317 });
  OK(watch_start(&b.process->watch, &err) == 0, "statements are watched");
  began_ns = clock_now_ns();
  (void)bed_query(&b, "SLOW");
  OK(atomic_load(&cancelling_ns) - began_ns >= 300 * NS_PER_MS,
     "none is cancelled before its time");
  OK(b.con->pub.error == DB_ERROR_NONE, "one ends before it is cancelled");
  (void)bed_query(&b, "NEXT");
  OK(atomic_load(&came_early) == 0, "nothing is sent before the cancel is");
  OK_STR(bed_log(&b), "SLOW;SELECT 1 /* after a cancel */;NEXT;",
         "which hits a statement of our own");
  OK(b.con->pub.error == DB_ERROR_NONE && bed_count(&b, COUNTER_ERROR) == 0,
     "whose error is nobody's");
  (void)bed_query(&b, "NEXT");
  OK_STR(bed_log(&b), "NEXT;", "once");
  watch_stop(&b.process->watch);
  bed_close(&b);
}

/* ---- a cancel that does not end ---- */

static _Atomic uint32_t let_go;

static void endless_cancel(void *token)
{
  (void)token;
  atomic_store(&cancelling_ns, clock_now_ns());
  (void)atomic_fetch_add(&cancelling, 1);
  wait_wake_all(&cancelling);
  while (atomic_load(&let_go) == 0)
    wait_while(&let_go, 0, WAIT_FOREVER);
}

static void test_endless(void)
{
  struct driver d = FAKE_DRIVER(0);
  struct bed b = { 0 };
  struct err err;
  uint32_t n;

  d.cancel_token = token;
  d.cancel_free = drop;
  d.cancel = endless_cancel;
  atomic_store(&cancelling, 0);
  bed_open(&b, &d, NULL, 0);
  atomic_store(&b.con->watched->busy, 1);
  OK(watch_deadline(&b.process->watch, &err) == 0, "the deadline");
  while (atomic_load(&cancelling) == 0)
    wait_while(&cancelling, 0, WAIT_FOREVER);
  OK(!watch_stop(&b.process->watch), "its thread is left behind");
  atomic_store(&let_go, 1);
  wait_wake_all(&let_go);
  while ((n = atomic_load(&b.process->watch.threads)) > 0)
    wait_while(&b.process->watch.threads, n, WAIT_FOREVER);
  OK(watch_stop(&b.process->watch), "until it ends after all");
  atomic_store(&b.con->watched->busy, 0);
  bed_close(&b);
}

int main(void)
{
  test_frozen();
  test_late();
  test_endless();
  return TAP_EXIT();
}
