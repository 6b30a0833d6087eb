/*
 * conn_state.c - the memory of a connection.
 */
#include "db/conn_state.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

static const struct {
  size_t off;
} param_field[] = {
  { offsetof(struct conn_params, host) },
  { offsetof(struct conn_params, port) },
  { offsetof(struct conn_params, socket) },
  { offsetof(struct conn_params, user) },
  { offsetof(struct conn_params, password) },
  { offsetof(struct conn_params, db) },
};

static const char **param(const struct conn_params *p, size_t i)
{
  return (const char **)(void *)((char *)(uintptr_t)p + param_field[i].off);
}

static bool copy_params(struct conn_params *to, const struct conn_params *from)
{
  for (size_t i = 0; from && i < ARRAY_SIZE(param_field); i++) {
    const char *text = *param(from, i);

    if (text && !(*param(to, i) = mem_strdup(text)))
      return false;
  }
  return true;
}

/* Nothing is open any more. */
static void destroy(struct conn *c)
{
  struct db_env *env = c->env;

  if (!c->pool)
    watch_remove(&env->process->watch, c->watched);
  if (c->prev)
    c->prev->next = c->next;
  else
    env->first = c->next;
  if (c->next)
    c->next->prev = c->prev;
  for (size_t i = 0; i < ARRAY_SIZE(param_field); i++)
    free((void *)(uintptr_t)*param(&c->params, i));
  strbuf_done(&c->message);
  strbuf_done(&c->text);
  strbuf_done(&c->no_answer);
  strbuf_done(&c->bulk.text);
  if (c->pipe) {
    free(c->pipe->items);
    strbuf_done(&c->pipe->said);
    strbuf_done(&c->pipe->heard);
    free(c->pipe);
  }
  free(c->values);
  free(c->said);
  if (!c->pool)
    session_free(c->session);
  free(c);
}

void conn_fail_text(struct conn *c, const char *text)
{
  if (!c->said)
    c->said = malloc(FAILURE_TEXT);
  if (c->said && text != c->said)
    (void)snprintf(c->said, FAILURE_TEXT, "%s", text);
  c->fail.text = c->said ? c->said : "not enough memory";
}

/* Without a session. */
static struct conn *new_conn(struct driver_handle *h)
{
  struct db_env *env = h->env;
  struct conn *c = calloc(1, sizeof(*c));

  if (!c)
    return NULL;
  c->env = env;
  c->handle = h;
  c->driver = h->driver;
  c->pub.driver = (sql_driver *)(void *)h;
  c->rs.ptr = c;
  c->fail.text = "";
  c->refs = 1;
  c->state = CONN_CLOSED;
  c->next = env->first;
  if (c->next)
    c->next->prev = c;
  env->first = c;
  return c;
}

struct conn *conn_new_pooled(struct driver_handle *h)
{
  struct pool *pool = h->env->pool;
  struct conn *c = new_conn(h);

  if (!c)
    return NULL;
  c->pool = pool;
  c->session = pool->nobody;
  c->watched = &pool->watched_nobody;
  return c;
}

struct conn *conn_new(struct driver_handle *h, const struct conn_params *params)
{
  struct db_process *p = h->env->process;
  struct session *s = calloc(1, h->driver->session_size);
  struct conn *c = s ? new_conn(h) : NULL;

  if (!c) {
    free(s);
    return NULL;
  }
  c->session = s;
  c->watched = &c->own_watched;
  s->driver = h->driver;
  s->cfg = h->cfg;
  s->env = h->env;
  s->params = &c->params;
  watch_add(&p->watch, c->watched, s, h->env->under_deadline);
  if (!copy_params(&c->params, params)) {
    destroy(c);
    return NULL;
  }
  return c;
}

void conn_unref(struct conn *c)
{
  if (--c->refs == 0)
    destroy(c);
}
