/*
 * await.c - the search for a server at the end of a run.
 */
#include "db/await.h"

#include "db/conn.h"
#include "db/driver.h"
#include "db/role.h"
#include "db/seek.h"
#include "db/settled.h"
#include "db/transport.h"

static const char *why_not(const struct conn *c)
{
  if (settled_servers(c) == 1)
    return "the server cannot be reached";
  return c->env->process->set.target == ROLE_REPLICA
           ? "no server of the lists can be reached and is a replica"
           : "no server of the lists can be reached and takes writes";
}

const char *await_server(struct driver_handle *h)
{
  struct strbuf seen = { 0 };
  struct conn *c;
  const char *why = NULL;

  if (!(h->driver->caps & DRIVER_SERVER))
    return NULL;
  c = conn_new(h, NULL);
  if (!c)
    return "not enough memory";
  c->session->number = seek_served(c);
  /* The object has no message to print: its failures are not recorded. */
  h->env->awaited = seek_writer(c, &seen) == SEEK_WRITER;
  strbuf_done(&seen);
  if (!h->env->awaited)
    why = why_not(c);
  transport_drop(c);
  c->state = CONN_CLOSED;
  conn_free(c);
  return why;
}
