/*
 * pipeline.c - the statements of a pipeline before it runs, and their results
 * after that.
 */
#include "db/pipeline.h"

#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "db/conn_state.h"
#include "db/kept_row.h"
#include "db/pipe_text.h"
#include "db/pipe_values.h"
#include "db/pool.h"
#include "db/stmt.h"

static const char no_memory[] = "not enough memory";

/* ---- before ---- */

unsigned pipeline_open(struct conn *c)
{
  struct pipeline *p = c->pipe;

  if (!p)
    c->pipe = p = mem_new(1, sizeof(*p));
  if (!p || p->open)
    return 0;
  pipe_items_clear(p);
  p->open = true;
  p->number += p->number == UINT32_MAX ? 2 : 1;
  return p->number;
}

void pipeline_drop(struct conn *c)
{
  if (c->pipe) {
    c->pipe->open = false;
    c->pipe->n = 0;
  }
}

static const char *added(struct pipeline *p, struct pipe_item *it)
{
  if (UNLIKELY(p->said.failed))
    return no_memory;
  it->len = p->said.len - it->at;
  p->n++;
  return NULL;
}

const char *pipeline_query(struct conn *c, const char *sql, size_t len,
                           void *cls)
{
  struct pipeline *p = c->pipe;
  struct pipe_item *it = pipe_items_new(p);

  if (UNLIKELY(!it))
    return no_memory;
  if (!(c->driver->caps & DRIVER_NUL_IN_SQL) && memchr(sql, '\0', len))
    return "statement contains a NUL byte";
  if (UNLIKELY(c->pool != NULL))
    pool_look(c, sql, len);
  it->cls = cls;
  strbuf_add(&p->said, sql, len);
  if (added(p, it))
    return no_memory;
  strbuf_add(&p->said, "", 1); /* texts are zero-terminated */
  return p->said.failed ? no_memory : NULL;
}

const char *pipeline_execute(struct conn *c, struct stmt *st)
{
  struct pipeline *p = c->pipe;
  struct pipe_item *it = pipe_items_new(p);

  if (UNLIKELY(!it))
    return no_memory;
  if (UNLIKELY(st->conn != c))
    return "the statement belongs to another connection";
  if (UNLIKELY(st->closed))
    return "attempt to use a closed statement";
  if (UNLIKELY(!st->bound && st->n_params != 0 && st->n_params != PARAMS_ANY))
    return "parameters are not bound";
  it->st = st;
  it->cls = st->cls;
  it->binding = st->binding;
  pipe_values_take(&p->said, st->binds, st->n_binds);
  return added(p, it);
}

/* ---- after ---- */

unsigned pipeline_number(const struct conn *c)
{
  return c->pipe ? c->pipe->number : 0;
}

struct pipe_result pipeline_result(const struct conn *c, size_t i)
{
  const struct pipeline *p = c->pipe;
  const struct pipe_item *it;

  if (!p || p->open || i >= p->n)
    return (struct pipe_result){ 0 };
  it = &p->items[i];
  if (UNLIKELY(it->end == PIPE_UNKNOWN))
    return (struct pipe_result){
      .end = PIPE_UNKNOWN, .text = "the connection broke before its answer"
    };
  return (struct pipe_result){
    .end = it->end,
    .counter = it->counter,
    .nfields = it->nfields,
    .nrows = it->nrows,
    .taken = it->taken,
    .text = it->end == PIPE_FAILED && !p->heard.failed
              ? p->heard.text + it->heard_at
              : NULL,
  };
}

const sql_value *pipeline_fetch(struct conn *c, size_t i)
{
  struct pipeline *p = c->pipe;
  struct pipe_item *it;

  if (!p || p->open || i >= p->n || p->items[i].rows_left == 0 ||
      p->heard.failed)
    return NULL;
  it = &p->items[i];
  it->heard_at += kept_row_get(p->heard.text + it->heard_at, c->values,
                               it->nfields);
  it->rows_left--;
  return c->values;
}

size_t pipeline_failed(const struct conn *c, const char **ret_sql,
                       size_t *ret_len)
{
  const struct pipeline *p = c->pipe;

  if (!p || p->failed >= p->n) {
    *ret_sql = "";
    *ret_len = 0;
    return 0;
  }
  *ret_sql = pipe_text_sql(p, &p->items[p->failed], ret_len);
  return p->failed;
}
