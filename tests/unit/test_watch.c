/*
 * test_watch.c - more connections to a frozen server than there are helpers:
 * nobody waits for those whose turn would come too late.
 */
#include "base/wait.h"
#include "fake_driver.h"
#include "tap.h"

enum {
  CONNECTIONS = 300,
  HELPERS = 256 /* that cancel at the same time */
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

/* As a server that answers nothing: until all sockets are shut down. */
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
    atomic_store(&c->watched.busy, 1);
  OK(watch_deadline(b.process, &err) == 0, "the deadline");
  while ((n = atomic_load(&cut)) < CONNECTIONS)
    wait_while(&cut, n, WAIT_FOREVER);
  watch_stop(b.process);
  OK(atomic_load(&cancels) <= HELPERS,
     "what was cut off already is not cancelled any more");
  for (struct conn *c = b.env.first; c; c = c->next)
    atomic_store(&c->watched.busy, 0);
  bed_close(&b);
}

int main(void)
{
  test_frozen();
  return TAP_EXIT();
}
