/*
 * call_aside.c - calls of the driver that may block, made in another thread for
 * a client that shares its thread with others.
 */
#include "db/call.h"
#include "loop/loop.h"

struct aside_call {
  struct conn *c;
  struct prepared *p;
  const char *sql;
  size_t len;
  int rc;
};

/* Makes the call aside if this session blocks in calls of the kind. */
static int make(struct conn *c, unsigned kind, void (*fn)(void *arg),
                struct aside_call *call)
{
  call->c = c;
  if (c->session->blocks & kind)
    loop_aside(fn, call, LOOP_ASIDE_CALL);
  else
    fn(call);
  return call->rc;
}

static void do_query(void *arg)
{
  struct aside_call *a = arg;

  a->rc = a->c->driver->query(a->c->session, a->sql, a->len, &a->c->out);
}

int call_query_aside(struct conn *c, const char *sql, size_t len)
{
  struct aside_call a = { .sql = sql, .len = len };

  return make(c, SESSION_BLOCKS_ALL, do_query, &a);
}

static void do_execute(void *arg)
{
  struct aside_call *a = arg;

  a->rc = a->c->driver->execute(a->p, &a->c->out);
}

int call_execute_aside(struct conn *c, struct prepared *p)
{
  struct aside_call a = { .p = p };

  return make(c, SESSION_BLOCKS_ALL, do_execute, &a);
}

static void do_prepare(void *arg)
{
  struct aside_call *a = arg;

  a->rc = a->c->driver->prepare(a->p, &a->c->out);
}

int call_prepare(struct conn *c, struct prepared *p)
{
  struct aside_call a = { .p = p };

  return make(c, SESSION_BLOCKS_ALL | SESSION_BLOCKS_PREPARE, do_prepare, &a);
}

static void do_bind(void *arg)
{
  struct aside_call *a = arg;

  a->rc = a->c->driver->bind(a->p, &a->c->out);
}

int call_bind(struct conn *c, struct prepared *p)
{
  struct aside_call a = { .p = p };

  return make(c, SESSION_BLOCKS_ALL | SESSION_BLOCKS_PREPARE, do_bind, &a);
}

static void do_next_result(void *arg)
{
  struct aside_call *a = arg;

  a->rc = a->c->driver->next_result(a->c->session, &a->c->out);
}

int call_next_result(struct conn *c)
{
  struct aside_call a = { .rc = 0 };

  return make(c, SESSION_BLOCKS_ALL, do_next_result, &a);
}

static void do_end_results(void *arg)
{
  struct aside_call *a = arg;

  a->rc = a->c->driver->end_results(a->c->session, &a->c->out);
}

int call_end_results(struct conn *c)
{
  struct aside_call a = { .rc = 0 };

  return make(c, SESSION_BLOCKS_ALL, do_end_results, &a);
}
