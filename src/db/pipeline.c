#include "db/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "db/acknowledge.h"
#include "db/broker.h"
#include "db/bulk.h"
#include "db/call.h"
#include "db/emul.h"
#include "db/error_policy.h"
#include "db/exec.h"
#include "db/outcome.h"
#include "db/recover.h"
#include "db/stmt.h"

struct pipe_run {
  struct conn *c;
  struct pipeline *p;
  bool keep;
  bool too_large;
  uint64_t start_ns;
  size_t at;
  bool cancelled;
  size_t cancelled_at;
  struct outcome refused;

  bool failed;
  struct outcome out;
  char text[FAILURE_TEXT];
};

/* ---- memory ---- */

enum {
  FIRST_ITEMS = 16,
  KEPT_BYTES = 1024 * 1024,
};

/* In the pipeline after p->n++. NULL: no memory. */
static struct pipe_item *pipe_items_new(struct pipeline *p)
{
  if (UNLIKELY(p->n == p->room)) {
    const size_t room = p->room ? 2 * p->room : FIRST_ITEMS;
    struct pipe_item *items = reallocarray(p->items, room, sizeof(*items));

    if (!items)
      return NULL;
    p->items = items;
    p->room = room;
  }
  p->items[p->n] = (struct pipe_item){ .at = p->said.len };
  return &p->items[p->n];
}

static void pipe_clear(struct strbuf *b)
{
  if (UNLIKELY(b->room > KEPT_BYTES || b->failed))
    strbuf_done(b);
  else
    strbuf_clear(b);
}

static void pipe_items_clear(struct pipeline *p)
{
  pipe_clear(&p->said);
  pipe_clear(&p->heard);
  if (UNLIKELY(p->room > KEPT_BYTES / sizeof(*p->items))) {
    free(p->items);
    p->items = NULL;
    p->room = 0;
  }
  p->n = 0;
  p->failed = 0;
}

static const char *pipe_text_sql(const struct pipeline *p,
                                 const struct pipe_item *it, size_t *ret_len)
{
  if (it->st && it->st->sql) {
    *ret_len = it->st->len;
    return it->st->sql;
  }
  *ret_len = it->st ? 0 : it->len;
  return it->st ? "" : p->said.text + it->at;
}

/* ---- values of parameters ---- */

enum {
  TAKEN_VALUE = 0,
  TAKEN_NULL = 1,
  VALUE_MAX = 1 + sizeof(uint64_t), /* of a number, or before a text */
};

/* 0: a text. */
static size_t pipe_size_of(sql_bind_type_t type)
{
  switch (type) {
  case SQL_TYPE_TINYINT:
    return 1;
  case SQL_TYPE_SMALLINT:
    return 2;
  case SQL_TYPE_INT:
  case SQL_TYPE_FLOAT:
    return 4;
  case SQL_TYPE_CHAR:
  case SQL_TYPE_VARCHAR:
    return 0;
  default:
    return 8;
  }
}

static void pipe_take(struct strbuf *to, const sql_bind *b)
{
  char *at = to->text + to->len;
  const char *text;
  size_t len;

  if (UNLIKELY(emul_bind_null(b))) {
    *at = TAKEN_NULL;
    to->len++;
    return;
  }
  *at++ = TAKEN_VALUE;
  len = pipe_size_of(b->type);
  if (LIKELY(len > 0)) {
    memcpy(at, b->buffer, len);
    to->len += 1 + len;
    return;
  }
  text = emul_bind_text(b, &len);
  memcpy(at, &len, sizeof(len));
  to->len += 1 + sizeof(len);
  strbuf_add(to, text, len);
}

static void pipe_values_take(struct strbuf *to, const sql_bind *binds, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (UNLIKELY(!strbuf_reserve(to, VALUE_MAX)))
      return;
    pipe_take(to, &binds[i]);
  }
}

static const char *pipeline_put(const char *from, const sql_bind *b)
{
  const char taken = *from++;
  size_t len;

  if (b->is_null)
    *b->is_null = taken;
  if (UNLIKELY(taken == TAKEN_NULL))
    return from;
  len = pipe_size_of(b->type);
  if (UNLIKELY(len == 0)) {
    memcpy(&len, from, sizeof(len));
    from += sizeof(len);
    if (b->data_len)
      *b->data_len = len;
  }
  memcpy(b->buffer, from, len);
  return from + len;
}

static void pipe_values_put(const char *from, const sql_bind *binds, size_t n)
{
  for (size_t i = 0; i < n; i++)
    from = pipeline_put(from, &binds[i]);
}

static void kept_row_add(struct strbuf *to, const sql_value *values, uint32_t n)
{
  size_t bytes = 0;
  char *at;

  for (uint32_t i = 0; i < n; i++)
    bytes += sizeof(uint32_t) + (values[i].ptr ? values[i].len : 0);
  if (!strbuf_reserve(to, bytes))
    return;
  at = to->text + to->len;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t len = values[i].ptr ? values[i].len : UINT32_MAX;

    memcpy(at, &len, sizeof(len));
    at += sizeof(len);
    if (values[i].ptr) {
      memcpy(at, values[i].ptr, len);
      at += len;
    }
  }
  to->len += bytes;
  *at = '\0';
}

static size_t kept_row_get(const char *from, sql_value *values, uint32_t n)
{
  const char *at = from;

  for (uint32_t i = 0; i < n; i++) {
    uint32_t len;

    memcpy(&len, at, sizeof(len));
    at += sizeof(len);
    values[i] = len == UINT32_MAX ? (sql_value){ 0 } : (sql_value){ len, at };
    at += len == UINT32_MAX ? 0 : len;
  }
  return (size_t)(at - from);
}

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

static const char *pipeline_added(struct pipeline *p, struct pipe_item *it)
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
  broker_look(c, sql, len);
  it->cls = cls;
  strbuf_add(&p->said, sql, len);
  if (pipeline_added(p, it))
    return no_memory;
  strbuf_add(&p->said, "", 1); /* zero-terminated */
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
  return pipeline_added(p, it);
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

static enum call pipe_run_call(const struct pipe_item *it)
{
  return it->st && !it->st->emulated ? CALL_EXECUTE : CALL_QUERY;
}

static void pipe_keep_failure(struct pipe_run *r, size_t i)
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

static void pipe_run_failed(struct pipe_run *r, size_t i)
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
  pipe_keep_failure(r, i);
}

static void pipe_keep_rows(struct pipe_run *r, struct pipe_item *it)
{
  struct conn *c = r->c;
  struct strbuf *heard = &r->p->heard;

  it->heard_at = heard->len;
  if (it->nfields > c->values_room && !exec_make_room(c, it->nfields)) {
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

/* c->out: first result, or failure (rc < 0). */
static void pipe_run_ended(struct pipe_run *r, size_t i, int rc)
{
  struct conn *c = r->c;
  struct pipe_item *it = &r->p->items[i];
  struct exec info = { .call = pipe_run_call(it),
                       .cls = it->cls,
                       .start_ns = r->start_ns };

  if (UNLIKELY(c->env->timed && info.start_ns != 0) && !c->out.skipped &&
      !(rc < 0 && verdict_is_cut(&c->out, conn_is_dead(c)))) {
    info.sql = pipe_text_sql(r->p, it, &info.len);
    exec_sample(c, &info, rc < 0);
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
    pipe_keep_rows(r, it);
}

/* Executions use the script's buffers. */
static bool pipe_save_values(struct pipeline *p)
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

static void pipe_restore_values(const struct pipeline *p)
{
  for (size_t i = 0; i < p->n; i++) {
    const struct pipe_item *it = &p->items[i];

    if (it->saves)
      pipe_values_put(p->said.text + it->saved_at, it->st->binds,
                      it->st->n_binds);
  }
}

/* Writes an emulated one to c->text.  False: c->out. */
static bool pipe_run_values(const struct pipe_run *r,
                            const struct pipe_item *it)
{
  struct conn *c = r->c;
  struct stmt *st = it->st;

  pipe_values_put(r->p->said.text + it->at, st->binds, st->n_binds);
  if (LIKELY(!st->emulated) ||
      exec_literals(c, &st->scan, st->sql, st->len, st->binds, st->n_binds))
    return true;
  c->out = (struct outcome){ .api_error = c->fail.api_error };
  return false;
}

/* ---- before and after ---- */

static bool pipe_misuse(struct pipe_run *r, size_t i, const char *why)
{
  r->p->failed = i;
  call_misuse(r->c, why);
  return false;
}

static bool pipe_prepare_all(struct pipe_run *r)
{
  struct conn *c = r->c;

  for (size_t i = 0; i < r->p->n; i++) {
    const struct pipe_item *it = &r->p->items[i];

    if (!it->st)
      continue;
    if (UNLIKELY(it->st->closed))
      return pipe_misuse(r, i, "attempt to use a closed statement");
    if (UNLIKELY(it->st->binding != it->binding))
      return pipe_misuse(r, i, "a statement of the pipeline was bound again");
    r->p->failed = i;
    if (it->st->quick != c->generation && !stmt_ready(it->st))
      return false;
  }
  r->p->failed = 0;
  return true;
}

/* Clears the mark only after all. */
static bool pipe_roll_back(const struct pipe_run *r)
{
  struct conn *c = r->c;
  size_t len;

  for (size_t i = 0; i < r->p->n; i++) {
    const char *sql = pipe_text_sql(r->p, &r->p->items[i], &len);

    if (exec_begins_transaction(c, sql, len))
      return recover_rollback(c, false) == DB_ERROR_NONE;
    if (exec_ends_transaction(c, sql, len))
      break;
  }
  return true;
}

static bool pipe_run_begin(struct pipe_run *r)
{
  struct conn *c = r->c;
  size_t len;
  const char *sql = pipe_text_sql(r->p, &r->p->items[0], &len);

  r->p->open = false;
  if (exec_needs_care(c) && !exec_take_care(c, sql, len, false))
    return false;
  if (UNLIKELY(c->owed & CONN_OWES_ROLLBACK) && !pipe_roll_back(r))
    return false;
  call_idle(c);
  if (UNLIKELY(c->env->ack_due)) {
    acknowledge_nothing(c->env);
    return pipe_misuse(
      r, 0, "the statement that is acknowledged cannot be in a pipeline");
  }
  if (!pipe_prepare_all(r))
    return false;
  return pipe_save_values(r->p) || pipe_misuse(r, 0, "not enough memory");
}

static bool pipe_run_end(struct pipe_run *r)
{
  struct conn *c = r->c;
  struct pipeline *p = r->p;
  size_t len;

  pipe_restore_values(p);
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
    return pipe_misuse(r, 0,
                       "the results of the pipeline take more than "
                       "--db-max-result-size allows");
  if (UNLIKELY(p->heard.failed))
    return pipe_misuse(r, 0, "not enough memory");
  for (size_t i = 0; UNLIKELY(c->owed & CONN_OWES_ROLLBACK) && i < p->n; i++) {
    const char *sql = pipe_text_sql(p, &p->items[i], &len);

    exec_clear_mark(c, sql, len);
  }
  call_no_error(c);
  return true;
}

static void pipe_stop_call(struct pipe_run *r)
{
  struct conn *c = r->c;
  const unsigned owed = c->owed;

  call_stop(c);
  if (UNLIKELY(c->owed != owed)) {
    r->cancelled = true;
    r->cancelled_at = r->at;
  }
}

/* ---- one after another ---- */

static int pipe_execute_one(const struct pipe_run *r,
                            const struct pipe_item *it)
{
  struct conn *c = r->c;

  if (!it->st)
    return call_query(c, r->p->said.text + it->at, it->len);
  if (it->st->emulated)
    return call_query(c, strbuf_str(&c->text), c->text.len);
  return call_execute(c, it->st->native.prepared);
}

static void pipe_run_in_turn(struct pipe_run *r)
{
  struct conn *c = r->c;
  const bool goes_on = c->driver->caps & DRIVER_GOES_ON;

  for (size_t i = 0; i < r->p->n; i++) {
    const struct pipe_item *it = &r->p->items[i];
    int rc = -1;

    if (conn_is_dead(c)) {
      c->out = (struct outcome){ .over = true };
      pipe_run_failed(r, i);
      return;
    }
    r->at = i;
    r->start_ns = 0;
    if (!it->st || pipe_run_values(r, it)) {
      r->start_ns = call_start(c);
      rc = pipe_execute_one(r, it);
      pipe_stop_call(r);
    }
    pipe_run_ended(r, i, rc);
    if (rc == 0 &&
        (c->out.more || (c->out.counter == COUNTER_READ && !c->out.settled))) {
      (void)call_start(c);
      rc = call_end_results(c);
      pipe_stop_call(r);
      if (rc < 0)
        pipe_run_failed(r, i);
    }
    if (rc < 0 && (c->out.lost || !goes_on))
      return;
  }
}

/* ---- all in flight ---- */

static int pipe_add_request(const struct pipe_run *r,
                            const struct pipe_item *it)
{
  struct conn *c = r->c;
  const struct driver_pipe *d = c->driver->pipe;

  if (!it->st)
    return d->query(c->session, r->p->said.text + it->at, it->len, &c->out);
  if (UNLIKELY(!pipe_run_values(r, it)))
    return -1;
  if (UNLIKELY(it->st->emulated))
    return d->query(c->session, strbuf_str(&c->text), c->text.len, &c->out);
  return d->execute(it->st->native.prepared, &c->out);
}

/* Until the driver is full, or *total.  An impossible request ends all, and
 * fails last. */
static size_t pipe_add_requests(struct pipe_run *r, size_t added, size_t *total)
{
  struct conn *c = r->c;

  if (added < *total)
    c->out = (struct outcome){ 0 };
  while (added < *total && !c->driver->pipe->full(c->session)) {
    if (UNLIKELY(pipe_add_request(r, &r->p->items[added]) < 0)) {
      r->refused = c->out;
      *total = added;
      break;
    }
    added++;
  }
  return added;
}

/* The time limit starts with the previous answer. */
static void pipe_next_call(struct pipe_run *r)
{
  pipe_stop_call(r);
  (void)call_start(r->c);
}

static void pipe_receive(struct pipe_run *r, size_t i)
{
  struct conn *c = r->c;
  const struct driver_pipe *d = c->driver->pipe;
  const struct pipe_item *it = &r->p->items[i];
  struct stmt *st = it->st && !it->st->emulated ? it->st : NULL;
  size_t len;
  const char *sql = pipe_text_sql(r->p, it, &len);

  pipe_next_call(r);
  r->at = i;
  pipe_run_ended(
    r, i,
    d->receive(c->session, st ? st->native.prepared : NULL, sql, len, &c->out));
  if (UNLIKELY(c->out.more)) {
    pipe_next_call(r);
    if (d->rest(c->session, &c->out) < 0)
      pipe_run_failed(r, i);
  }
}

static void pipe_run_in_flight(struct pipe_run *r)
{
  struct conn *c = r->c;
  const struct driver_pipe *d = c->driver->pipe;
  size_t total = r->p->n, added = 0, sent = 0, got = 0;
  bool all_sent = false;

  while (!all_sent || got < total) {
    if (!all_sent) {
      const bool wait = got == sent;

      added = pipe_add_requests(r, added, &total);
      if (d->send(c->session, added == total, wait)) {
        sent = added;
        all_sent = added == total;
        continue;
      }
    }
    pipe_receive(r, got++);
    if (UNLIKELY(c->out.lost)) {
      for (; got < added; got++)
        r->p->items[got].end = PIPE_UNKNOWN;
      return;
    }
  }
  pipe_next_call(r);
  if (d->end(c->session, &c->out) < 0)
    pipe_run_failed(r, total > 0 ? total - 1 : 0);
  if (UNLIKELY(total < r->p->n) && !c->out.lost) {
    c->out = r->refused;
    pipe_run_failed(r, total);
  }
}

static void pipe_run_piped(struct pipe_run *r)
{
  struct conn *c = r->c;

  r->start_ns = call_start(c);
  if (c->driver->pipe->begin(c->session, &c->out) < 0)
    pipe_run_failed(r, 0);
  else
    pipe_run_in_flight(r);
  pipe_stop_call(r);
}

static bool pipe_possible(struct conn *c)
{
  const char *why = NULL;

  if (!c->driver->pipe)
    return false;
  if (LIKELY(c->driver->pipe->possible(c->session, &why)))
    return true;
  if (why && !atomic_flag_test_and_set(&c->env->process->pipe_told))
    log_msg(LOG_WARNING,
            "pipelines wait for each answer before the next statement%s: %s",
            c->driver->caps & DRIVER_GOES_ON
              ? ""
              : ", and each statement commits by itself",
            why);
  return false;
}

static void pipe_run_execute(struct pipe_run *r)
{
  r->c->session->unread = !r->keep;
  if (LIKELY(pipe_possible(r->c)))
    pipe_run_piped(r);
  else
    pipe_run_in_turn(r);
  r->c->session->unread = false;
}

bool pipeline_run(struct conn *c, bool keep)
{
  struct pipe_run r = { .c = c, .p = c->pipe, .keep = keep };

  if (r.p->n == 0) {
    r.p->open = false;
    return true;
  }
  if (UNLIKELY(!pipe_run_begin(&r)))
    return false;
  pipe_run_execute(&r);
  return pipe_run_end(&r);
}

/* The first row can be as large as the server accepts.  Returns the next row's
 * number. */
static size_t pipe_add_rows(struct pipe_run *r, struct prepared *p, size_t i,
                            const struct statement_sizes *sizes)
{
  const size_t first = i;

  for (; i < r->p->n; i++) {
    const size_t most = i == first ? sizes->max : sizes->good;
    int rc = -1;

    if (pipe_run_values(r, &r->p->items[i]))
      rc = r->c->driver->pipe->bulk_row(p, most, &r->c->out);
    if (rc < 0) {
      pipe_run_failed(r, i);
      return i;
    }
    if (rc > 0 && i > first)
      break;
    if (rc > 0) {
      r->c->out = (struct outcome){
        .api_error = "a row is too large for a request to the server"
      };
      pipe_run_failed(r, i);
      return i;
    }
  }
  return i;
}

static void pipe_run_rest(struct pipe_run *r, size_t first)
{
  struct conn *c = r->c;
  int rc;

  (void)call_start(c);
  rc = c->driver->pipe->rest(c->session, &c->out);
  call_stop(c);
  if (rc < 0)
    pipe_run_failed(r, first);
}

/* Returns the next row's number; 0: the server refuses such requests. */
static size_t pipe_run_rows(struct pipe_run *r, struct prepared *p,
                            size_t first, const struct statement_sizes *sizes)
{
  struct conn *c = r->c;
  size_t next;
  int rc;

  r->start_ns = call_start(c);
  if (c->driver->pipe->bulk_begin(p, &c->out) < 0) {
    call_stop(c);
    pipe_run_failed(r, first);
    return first;
  }
  next = pipe_add_rows(r, p, first, sizes);
  if (r->failed) {
    call_stop(c);
    return first;
  }
  rc = c->driver->pipe->bulk_run(p, &c->out);
  call_stop(c);
  if (UNLIKELY(rc < 0 && c->out.emulate) && first == 0)
    return 0;
  pipe_run_ended(r, first, rc);
  if (UNLIKELY(c->out.more))
    pipe_run_rest(r, first);
  for (size_t i = first + 1; i < next; i++)
    r->p->items[i].end = r->p->items[first].end == PIPE_DONE ? PIPE_DONE
                                                             : PIPE_SKIPPED;
  return next;
}

static bool pipe_run_bulk(struct pipe_run *r, struct prepared *p)
{
  /* A run does not ask the server. */
  static const struct statement_sizes in_run = { .good = BULK_PACKET,
                                                 .max = SIZE_MAX };
  struct statement_sizes sizes = r->c->env->process->in_run ? in_run
                                                            : *bulk_sizes(r->c);
  size_t next = 0;

  if (sizes.good > sizes.max)
    sizes.good = sizes.max;
  do {
    next = pipe_run_rows(r, p, next, &sizes);
  } while (next > 0 && next < r->p->n && !r->failed);
  return next > 0 || r->failed;
}

static bool pipe_in_bulk(struct pipe_run *r, const struct stmt *st)
{
  struct conn *c = r->c;
  const struct driver_pipe *d = c->driver->pipe;
  const char *why;

  return d && d->bulk_run && !st->emulated && d->possible(c->session, &why) &&
         d->bulk_possible(st->native.prepared) &&
         pipe_run_bulk(r, st->native.prepared);
}

double pipeline_run_bulk(struct conn *c)
{
  struct pipe_run r = { .c = c, .p = c->pipe };
  double changed = 0;

  if (r.p->n == 0) {
    r.p->open = false;
    return 0;
  }
  if (UNLIKELY(!pipe_run_begin(&r)))
    return -1;
  if (!pipe_in_bulk(&r, r.p->items[0].st))
    pipe_run_execute(&r);
  if (!pipe_run_end(&r))
    return -1;
  for (size_t i = 0; i < r.p->n; i++)
    changed += (double)r.p->items[i].taken;
  return changed;
}
