/*
 * await.c - the wait for a server that is away at the end of a run.
 */
#include "db/await.h"

#include "base/clock.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "db/conn.h"
#include "db/driver.h"
#include "db/role_check.h"
#include "db/transport.h"

enum {
  PAUSE_MS = 100, /* between two attempts */
};

static bool is_patient(const struct driver_handle *h)
{
  const struct ignore_list *ignore = &h->state->ignore;

  return ignore->connection || ignore->all || ignore->failover;
}

/* The object has no message to print: its failures are not recorded. */
static bool try_until(struct conn *c, uint64_t until_ns)
{
  struct db_process *p = c->env->process;

  for (;;) {
    uint64_t now;
    int rc;

    c->session->number = atomic_fetch_add_explicit(&p->next_number, 1,
                                                   memory_order_relaxed);
    rc = transport_open(c, transport_limit(c), NULL);
    now = clock_now_ns();
    if (rc == 0 || c->out.permanent || now >= until_ns)
      return rc == 0;
    thread_sleep_until(min_u64(now + (uint64_t)PAUSE_MS * NS_PER_MS, until_ns));
  }
}

bool await_server(struct driver_handle *h)
{
  struct conn *c;
  bool there;

  if (!(h->driver->caps & DRIVER_SERVER))
    return true;
  c = conn_new(h, NULL);
  if (!c)
    return false;
  there = role_matters(c) ||
          try_until(c, is_patient(h) ? transport_limit(c) : clock_now_ns());
  transport_drop(c);
  c->state = CONN_CLOSED;
  conn_free(c);
  return there;
}
