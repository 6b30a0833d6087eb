/*
 * pipe_run.c - what comes before and after the statements of a pipeline, and
 * what each of them leaves.
 */
#include "db/pipe_run.h"
#include "db/pipe_text.h"

#include <stdio.h>
#include <string.h>

#include "db/acknowledge.h"
#include "db/call.h"
#include "db/exchange.h"
#include "db/kept_row.h"
#include "db/literal.h"
#include "db/pipe_values.h"
#include "db/recover.h"
#include "db/stmt.h"
#include "db/verdict.h"

/* ---- one statement that has ended ---- */

enum call pipe_run_call(const struct pipe_item *it)
{
  return it->st && !it->st->emulated ? CALL_EXECUTE : CALL_QUERY;
}

/* Of two failures the first one counts, unless the connection is lost. */
static void keep_failure(struct pipe_run *r, size_t i)
{
  struct conn *c = r->c;

  if (r->failed) {
    struct outcome later = c->out;

    if (!later.lost) {
      recover_failed_too(c);
      return;
    }
    c->out = r->out;
    recover_failed_too(c);
    c->out = later;
  }
  r->failed = true;
  r->p->failed = i;
  (void)snprintf(r->text, sizeof(r->text), "%s", c->out.msg ? c->out.msg : "");
  r->out = c->out;
  r->out.msg = r->text;
}

void pipe_run_failed(struct pipe_run *r, size_t i)
{
  struct pipe_item *it = &r->p->items[i];
  const struct outcome *out = &r->c->out;
  struct strbuf *heard = &r->p->heard;

  if (out->skipped)
    return;
  it->end = PIPE_FAILED;
  it->rows_left = 0;
  it->heard_at = heard->len;
  if (out->api_error)
    strbuf_adds(heard, out->api_error);
  else
    strbuf_addf(heard, "SQL error, errno = %d, state = '%s': %s", out->code,
                out->state, out->msg ? out->msg : "");
  strbuf_add(heard, "", 1);
  keep_failure(r, i);
}

static void keep_rows(struct pipe_run *r, struct pipe_item *it)
{
  struct conn *c = r->c;
  struct strbuf *heard = &r->p->heard;

  it->heard_at = heard->len;
  if (it->nfields > c->values_room && !exchange_make_room(c, it->nfields)) {
    heard->failed = true;
    return;
  }
  while (!r->too_large && !heard->failed &&
         c->driver->fetch(c->session, c->values) > 0) {
    kept_row_add(heard, c->values, it->nfields);
    it->rows_left++;
    r->too_large = !env_may_keep(c->env, heard->len);
  }
}

void pipe_run_ended(struct pipe_run *r, size_t i, int rc)
{
  struct conn *c = r->c;
  struct pipe_item *it = &r->p->items[i];
  struct exchange info = { .call = pipe_run_call(it),
                           .cls = it->cls,
                           .start_ns = r->start_ns };

  if (UNLIKELY(c->env->timed && info.start_ns != 0) && !c->out.skipped &&
      !(rc < 0 && verdict_is_cut(&c->out, conn_is_dead(c)))) {
    info.sql = pipe_text_sql(r->p, it, &info.len);
    exchange_sample(c, &info, rc < 0);
  }
  if (UNLIKELY(rc < 0)) {
    pipe_run_failed(r, i);
    return;
  }
  it->end = PIPE_DONE;
  it->counter = c->out.counter;
  it->taken = c->out.taken;
  call_count(c, it->counter);
  if (it->counter != COUNTER_READ)
    return;
  it->nfields = c->out.nfields;
  it->nrows = c->out.nrows;
  if (it->nrows == 0)
    call_count(c, COUNTER_READ_EMPTY);
  if (r->keep)
    keep_rows(r, it);
}

/* ---- values ---- */

/* The buffers of the script are used for the values of each execution.  They
 * get their own ones back afterwards. */
static bool save_values(struct pipeline *p)
{
  for (size_t i = 0; i < p->n; i++) {
    struct pipe_item *it = &p->items[i];

    if (!it->st || it->st->n_binds == 0 || it->st->saved == p->number)
      continue;
    it->st->saved = p->number;
    it->saves = true;
    it->saved_at = p->said.len;
    pipe_values_take(&p->said, it->st->binds, it->st->n_binds);
  }
  return !p->said.failed;
}

static void restore_values(const struct pipeline *p)
{
  for (size_t i = 0; i < p->n; i++) {
    const struct pipe_item *it = &p->items[i];

    if (it->saves)
      pipe_values_put(p->said.text + it->saved_at, it->st->binds,
                      it->st->n_binds);
  }
}

bool pipe_run_values(const struct pipe_run *r, const struct pipe_item *it)
{
  struct conn *c = r->c;
  struct stmt *st = it->st;

  pipe_values_put(r->p->said.text + it->at, st->binds, st->n_binds);
  if (LIKELY(!st->emulated) ||
      literal_text(c, &st->scan, st->sql, st->len, st->binds, st->n_binds))
    return true;
  c->out = (struct outcome){ .api_error = c->fail.api_error };
  return false;
}

/* ---- before and after ---- */

static bool misuse(struct pipe_run *r, size_t i, const char *why)
{
  r->p->failed = i;
  call_misuse(r->c, why);
  return false;
}

/* All statements are prepared.  False: the call has failed already. */
static bool prepare_all(struct pipe_run *r)
{
  struct conn *c = r->c;

  for (size_t i = 0; i < r->p->n; i++) {
    const struct pipe_item *it = &r->p->items[i];

    if (!it->st)
      continue;
    if (UNLIKELY(it->st->closed))
      return misuse(r, i, "attempt to use a closed statement");
    if (UNLIKELY(it->st->binding != it->binding))
      return misuse(r, i, "a statement of the pipeline was bound again");
    r->p->failed = i;
    if (it->st->quick != c->generation && !stmt_ready(it->st))
      return false;
  }
  r->p->failed = 0;
  return true;
}

/* An owed rollback comes before all, as the mark is cleared only afterwards. */
static bool roll_back(const struct pipe_run *r)
{
  struct conn *c = r->c;
  size_t len;

  for (size_t i = 0; i < r->p->n; i++) {
    const char *sql = pipe_text_sql(r->p, &r->p->items[i], &len);

    if (exchange_begins_transaction(c, sql, len))
      return recover_rollback(c, false) == DB_ERROR_NONE;
    if (exchange_ends_transaction(c, sql, len))
      break;
  }
  return true;
}

bool pipe_run_begin(struct pipe_run *r)
{
  struct conn *c = r->c;
  size_t len;
  const char *sql = pipe_text_sql(r->p, &r->p->items[0], &len);

  r->p->open = false;
  if (exchange_needs_care(c) && !exchange_take_care(c, sql, len, false))
    return false;
  if (UNLIKELY(c->owed & CONN_OWES_ROLLBACK) && !roll_back(r))
    return false;
  call_idle(c);
  if (UNLIKELY(c->env->ack_due)) {
    acknowledge_nothing(c->env);
    return misuse(r, 0,
                  "the statement that is acknowledged cannot be in a pipeline");
  }
  if (!prepare_all(r))
    return false;
  return save_values(r->p) || misuse(r, 0, "not enough memory");
}

bool pipe_run_end(struct pipe_run *r)
{
  struct conn *c = r->c;
  struct pipeline *p = r->p;
  size_t len;

  restore_values(p);
  call_idle(c);
  if (UNLIKELY(r->failed)) {
    const struct pipe_item *it = &p->items[p->failed];
    const char *sql = pipe_text_sql(p, it, &len);

    c->out = r->out;
    c->out.in_time = r->cancelled && r->cancelled_at != p->failed;
    recover_failed(c, pipe_run_call(it), sql, len);
    if (c->out.msg == r->text)
      c->out.msg = c->fail.text;
    return false;
  }
  if (UNLIKELY(r->too_large))
    return misuse(r, 0,
                  "the results of the pipeline take more than "
                  "--db-max-result-size allows");
  if (UNLIKELY(p->heard.failed))
    return misuse(r, 0, "not enough memory");
  for (size_t i = 0; UNLIKELY(c->owed & CONN_OWES_ROLLBACK) && i < p->n; i++) {
    const char *sql = pipe_text_sql(p, &p->items[i], &len);

    exchange_clear_mark(c, sql, len);
  }
  call_no_error(c);
  return true;
}
