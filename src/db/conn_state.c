/*
 * conn_state.c - the memory of a connection.
 */
#include "db/conn_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool copy_text(const char **to, const char *from)
{
  return !from || (*to = mem_strdup(from)) != NULL;
}

static bool copy_params(struct conn_params *to, const struct conn_params *from)
{
  return copy_text(&to->host, from->host) && copy_text(&to->port, from->port) &&
         copy_text(&to->socket, from->socket) &&
         copy_text(&to->user, from->user) &&
         copy_text(&to->password, from->password) &&
         copy_text(&to->db, from->db);
}

static void conn_state_free_params(const struct conn_params *p)
{
  const char *const texts[] = { p->host, p->port,     p->socket,
                                p->user, p->password, p->db };

  for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
    free((void *)(uintptr_t)texts[i]);
}

static void conn_state_destroy(struct conn *c)
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
  conn_state_free_params(&c->params);
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

void conn_show_failure(struct conn *c)
{
  c->pub.sql_errno = c->fail.code;
  c->pub.sql_state = c->fail.state[0] ? c->fail.state : NULL;
  c->pub.sql_errmsg = c->fail.text;
}

void conn_fail(struct conn *c, const char *text)
{
  c->fail = (struct failure){ .code = c->out.code, .lost = c->out.lost };
  memcpy(c->fail.state, c->out.state, sizeof(c->fail.state));
  conn_fail_text(c, text);
  conn_show_failure(c);
}

static struct conn *conn_state_new_conn(struct driver_handle *h)
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
  struct conn *c = conn_state_new_conn(h);

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
  struct conn *c = s ? conn_state_new_conn(h) : NULL;

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
  if (params && !copy_params(&c->params, params)) {
    conn_state_destroy(c);
    return NULL;
  }
  return c;
}

void conn_unref(struct conn *c)
{
  if (--c->refs == 0)
    conn_state_destroy(c);
}
