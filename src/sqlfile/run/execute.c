/*
 * execute.c - executes a statement of the file, and keeps its row.
 */
#include <errno.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "db/classes/statement.h"
#include "db/conn.h"
#include "db/emul.h"
#include "db/env_conns.h"
#include "db/stmt.h"
#include "sqlfile/run/client.h"

/* ---- before ---- */

static bool prepare(struct client *c, const struct sqlfile_statement *s,
                    struct client_statement *own)
{
  own->stmt = stmt_prepare(c->conn, s->text, s->len);
  if (!own->stmt)
    return false;
  stmt_set_class(own->stmt, (void *)(uintptr_t)&statement_prepared);
  return true;
}

/* In the text of a statement for PostgreSQL, 1 is no boolean. */
static bool needs_words(const struct client *c, const struct stmt *stmt)
{
  return stmt->emulated && c->conn->session->dialect & EMUL_DOLLAR;
}

static enum client_end set_params(struct client *c,
                                  const struct sqlfile_statement *s,
                                  struct client_statement *own, struct err *err)
{
  bool changed = !own->bound;

  for (unsigned i = 0; i < s->n_params; i++) {
    const struct value *v = &c->value[s->param[i]];

    if (UNLIKELY(v->kind == VALUE_UNSET)) {
      (void)client_complain(c, s->at, err, "the variable '%s' has no value yet",
                            c->file->variable[s->param[i]].name);
      return CLIENT_FAILED;
    }
    changed |= params_set(&own->params, i, v, needs_words(c, own->stmt));
  }
  if (LIKELY(!changed))
    return CLIENT_DONE;
  if (stmt_bind(own->stmt, own->params.bind, own->params.n) != 0)
    return client_failed(c, s->at, err);
  own->bound = true;
  return CLIENT_DONE;
}

/* ---- its row ---- */

/* A number in its usual form is a number; everything else stays a text. */
static bool keep_value(struct client *c, unsigned variable,
                       const sql_value *from)
{
  struct value *to = &c->value[variable], read;
  struct client_texts *texts = &c->texts[variable];
  const struct value *saved = &c->saved[variable];
  struct strbuf *b = &texts->of[0];
  char again[VALUE_BYTES];

  if (!from->ptr) {
    *to = value_null();
    return true;
  }
  if (saved->kind == VALUE_TEXT && saved->text == b->text)
    b = &texts->of[1];
  strbuf_clear(b);
  strbuf_add(b, from->ptr, from->len);
  if (b->failed)
    return false;
  *to = (struct value){ .kind = VALUE_TEXT, .text = b->text, .len = b->len };
  if (value_read(b->text, b->len, &read) && read.kind == VALUE_INT) {
    value_print(&read, again);
    if (strcmp(again, b->text) == 0)
      *to = read;
  }
  return true;
}

static enum client_end keep_row(struct client *c,
                                const struct sqlfile_statement *s,
                                sql_result *rs, struct err *err)
{
  const bool one = s->keep == SQLFILE_KEEP_ROW;
  const uint32_t n = rs ? rs->nrows : 0;
  sql_row *row = NULL;

  if (rs && rs->nfields != s->n_columns) {
    (void)client_complain(c, s->at, err,
                          "the statement has returned %u columns, but its text "
                          "names %u",
                          rs->nfields, s->n_columns);
    return CLIENT_FAILED;
  }
  if (one && n != 1) {
    (void)client_complain(c, s->at, err,
                          "\\gset needs one row, but the statement has "
                          "returned %u",
                          n);
    return CLIENT_FAILED;
  }
  for (uint32_t i = 0; i < n; i++)
    row = conn_fetch_row(rs);
  for (unsigned i = 0; row && i < s->n_columns; i++) {
    if (!keep_value(c, s->column[i], &row->values[i])) {
      (void)client_complain(c, s->at, err, "not enough memory");
      return CLIENT_FAILED;
    }
  }
  return CLIENT_DONE;
}

/* ---- all of it ---- */

static enum client_end execute(struct client *c,
                               const struct sqlfile_statement *s,
                               struct client_statement *own, struct err *err)
{
  enum client_end end;
  sql_result *rs;

  if (s->keep == SQLFILE_KEEP_NOTHING)
    return LIKELY(stmt_run(own->stmt)) ? CLIENT_DONE
                                       : client_failed(c, s->at, err);
  rs = stmt_execute(own->stmt);
  if (!rs && c->conn->pub.error != DB_ERROR_NONE)
    return client_failed(c, s->at, err);
  end = keep_row(c, s, rs, err);
  if (rs)
    (void)conn_free_results(rs);
  return end;
}

enum client_end client_execute(struct client *c, unsigned statement,
                               struct err *err)
{
  const struct sqlfile_statement *s = &c->file->statement[statement];
  struct client_statement *own = &c->statement[statement];
  enum client_end end;

  if (UNLIKELY(!own->stmt) && !prepare(c, s, own))
    return client_failed(c, s->at, err);
  if (s->n_params > 0) {
    end = set_params(c, s, own, err);
    if (UNLIKELY(end != CLIENT_DONE))
      return end;
  }
  end = execute(c, s, own, err);
  /* What a procedure has returned besides belongs to its statement. */
  if (UNLIKELY(end == CLIENT_DONE && c->env.unread) && env_settle(&c->env))
    return client_failed(c, s->at, err);
  return end;
}
