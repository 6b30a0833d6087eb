/*
 * await.c - the search for a server at the end of a run.
 */
#include "db/await.h"

#include "base/clock.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "db/conn.h"
#include "db/driver.h"
#include "db/role.h"
#include "db/role_check.h"
#include "db/seek.h"
#include "db/transport.h"

enum {
  PAUSE_MS = 100, /* between two rounds */
};

static bool is_patient(const struct driver_handle *h)
{
  const struct ignore_list *ignore = &h->state->ignore;

  return ignore->connection || ignore->all || ignore->failover;
}

/* The object has no message to print: its failures are not recorded. */
static bool try_one(struct conn *c, uint64_t until_ns, bool several)
{
  if (transport_open(c, until_ns, NULL) < 0)
    return false;
  if (!several || role_matters(c) || role_takes_writes(c, until_ns))
    return true;
  transport_drop(c);
  return false;
}

static void pause_until(uint64_t until_ns)
{
  const uint64_t now = clock_now_ns();

  thread_sleep_until(min_u64(now + (uint64_t)PAUSE_MS * NS_PER_MS, until_ns));
}

static bool find(struct conn *c, bool patient)
{
  const size_t servers = seek_servers(c);
  const uint64_t begin = clock_now_ns(), until = transport_limit(c);
  uint64_t now = begin;
  size_t refused = 0; /* for good, one after the other */

  c->session->number = seek_served(c);
  for (unsigned i = 0; i < servers || (patient && now < until); i++) {
    if (i > 0 && i % servers == 0)
      pause_until(until);
    now = clock_now_ns();
    c->session->attempt = i;
    if (try_one(c,
                servers > 1 ? now + seek_share(begin, until, now)
                            : transport_limit(c),
                servers > 1))
      return true;
    refused = c->out.permanent ? refused + 1 : 0;
    if (refused == servers) /* all of them */
      return false;
    now = clock_now_ns();
  }
  return false;
}

static const char *why_not(const struct conn *c)
{
  if (seek_servers(c) == 1)
    return "the server cannot be reached";
  return c->env->process->set.target == ROLE_REPLICA
           ? "no server of the lists can be reached and is a replica"
           : "no server of the lists can be reached and takes writes";
}

const char *await_server(struct driver_handle *h)
{
  struct conn *c;
  const char *why = NULL;

  if (!(h->driver->caps & DRIVER_SERVER))
    return NULL;
  c = conn_new(h, NULL);
  if (!c)
    return "not enough memory";
  h->env->awaited = find(c, is_patient(h));
  if (!h->env->awaited)
    why = why_not(c);
  transport_drop(c);
  c->state = CONN_CLOSED;
  conn_free(c);
  return why;
}
