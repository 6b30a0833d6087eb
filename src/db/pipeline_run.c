/*
 * pipeline_run.c - a pipeline is executed: all its statements in flight, or one
 * after another.
 */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "db/bulk.h"
#include "db/exchange.h"
#include "db/literal.h"
#include "db/pipe_values.h"
#include "db/pipeline.h"
#include "db/recover.h"
#include "db/stmt.h"
#include "db/verdict.h"

struct run {
  struct conn *c;
  struct pipeline *p;
  bool keep;      /* the rows */
  bool too_large; /* they are not kept any more */
  uint64_t start_ns;

  /* The failure that counts, if there was one. */
  bool failed;
  struct outcome out;
  char text[sizeof(((struct conn *)0)->fail.text)];
};

/* ---- one statement that has ended ---- */

static enum call call_of(const struct pipe_item *it)
{
  return it->st && !it->st->emulated ? CALL_EXECUTE : CALL_QUERY;
}

/* Of two failures the first one counts, unless the connection is lost. */
static void keep_failure(struct run *r, size_t i)
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

static void item_failed(struct run *r, size_t i)
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

static void keep_row(struct strbuf *heard, const sql_value *values, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t len = values[i].ptr ? values[i].len : UINT32_MAX;

    strbuf_add(heard, &len, sizeof(len));
    if (values[i].ptr)
      strbuf_add(heard, values[i].ptr, len);
  }
}

static void keep_rows(struct run *r, struct pipe_item *it)
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
    keep_row(heard, c->values, it->nfields);
    it->rows_left++;
    r->too_large = !env_may_keep(c->env, heard->len);
  }
}

/* c->out is the first result of the statement, or its failure. */
static void item_ended(struct run *r, size_t i, int rc)
{
  struct conn *c = r->c;
  struct pipe_item *it = &r->p->items[i];
  struct exchange info = { .call = call_of(it),
                           .cls = it->cls,
                           .start_ns = r->start_ns };

  if (UNLIKELY(c->env->timed && info.start_ns != 0) && !c->out.skipped &&
      !(rc < 0 && verdict_is_cut(&c->out, conn_is_dead(c)))) {
    info.sql = pipeline_sql(r->p, it, &info.len);
    exchange_sample(c, &info, rc < 0);
  }
  if (UNLIKELY(rc < 0)) {
    item_failed(r, i);
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

/* The values of this execution; an emulated statement becomes a text in
 * c->text.  False: c->out says why not. */
static bool set_values(const struct run *r, const struct pipe_item *it)
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

/* ---- one after another ---- */

static int execute_one(const struct run *r, const struct pipe_item *it)
{
  struct conn *c = r->c;

  if (!it->st)
    return call_query(c, r->p->said.text + it->at, it->len);
  if (it->st->emulated)
    return call_query(c, strbuf_str(&c->text), c->text.len);
  return call_execute(c, it->st->native.prepared);
}

static void run_in_turn(struct run *r)
{
  struct conn *c = r->c;
  const bool goes_on = c->driver->caps & DRIVER_GOES_ON;

  for (size_t i = 0; i < r->p->n; i++) {
    const struct pipe_item *it = &r->p->items[i];
    int rc = -1;

    if (conn_is_dead(c)) {
      c->out = (struct outcome){ .over = true };
      item_failed(r, i);
      return;
    }
    r->start_ns = 0;
    if (!it->st || set_values(r, it)) {
      r->start_ns = call_start(c);
      rc = execute_one(r, it);
      call_stop(c);
    }
    item_ended(r, i, rc);
    if (rc == 0 &&
        (c->out.more || (c->out.counter == COUNTER_READ && !c->out.settled))) {
      (void)call_start(c);
      rc = call_end_results(c);
      call_stop(c);
      if (rc < 0)
        item_failed(r, i);
    }
    if (rc < 0 && (c->out.lost || !goes_on))
      return;
  }
}

/* ---- all in flight ---- */

static int add_request(const struct run *r, const struct pipe_item *it)
{
  struct conn *c = r->c;
  const struct driver_pipe *d = c->driver->pipe;

  if (!it->st)
    return d->query(c->session, r->p->said.text + it->at, it->len, &c->out);
  if (UNLIKELY(!set_values(r, it)))
    return -1;
  if (UNLIKELY(it->st->emulated))
    return d->query(c->session, strbuf_str(&c->text), c->text.len, &c->out);
  return d->execute(it->st->native.prepared, &c->out);
}

/* Requests up to the end of a chunk, or of *total; one that cannot be made is
 * the end of all. */
static size_t add_requests(struct run *r, size_t added, size_t *total)
{
  struct conn *c = r->c;

  if (added < *total)
    c->out = (struct outcome){ 0 };
  while (added < *total && !c->driver->pipe->full(c->session)) {
    if (UNLIKELY(add_request(r, &r->p->items[added]) < 0)) {
      item_failed(r, added);
      *total = added;
      break;
    }
    added++;
  }
  return added;
}

/* The time limit of a statement begins when the answer before has come. */
static void next_call(struct conn *c)
{
  call_stop(c);
  (void)call_start(c);
}

static void receive(struct run *r, size_t i)
{
  struct conn *c = r->c;
  const struct driver_pipe *d = c->driver->pipe;
  const struct pipe_item *it = &r->p->items[i];
  struct stmt *st = it->st && !it->st->emulated ? it->st : NULL;
  size_t len;
  const char *sql = pipeline_sql(r->p, it, &len);

  next_call(c);
  item_ended(
    r, i,
    d->receive(c->session, st ? st->native.prepared : NULL, sql, len, &c->out));
  if (UNLIKELY(c->out.more)) {
    next_call(c);
    if (d->rest(c->session, &c->out) < 0)
      item_failed(r, i);
  }
}

static void run_in_flight(struct run *r)
{
  struct conn *c = r->c;
  const struct driver_pipe *d = c->driver->pipe;
  size_t total = r->p->n, added = 0, sent = 0, got = 0;
  bool all_sent = false;

  while (!all_sent || got < total) {
    if (!all_sent) {
      const bool wait = got == sent;

      added = add_requests(r, added, &total);
      if (d->send(c->session, added == total, wait)) {
        sent = added;
        all_sent = added == total;
        continue;
      }
    }
    receive(r, got++);
    if (c->out.lost)
      return;
  }
  next_call(c);
  if (d->end(c->session, &c->out) < 0)
    item_failed(r, total > 0 ? total - 1 : 0);
}

static void run_piped(struct run *r)
{
  struct conn *c = r->c;

  r->start_ns = call_start(c);
  if (c->driver->pipe->begin(c->session, &c->out) < 0)
    item_failed(r, 0);
  else
    run_in_flight(r);
  call_stop(c);
}

/* ---- before and after ---- */

static bool misuse(struct run *r, size_t i, const char *why)
{
  r->p->failed = i;
  call_misuse(r->c, why);
  return false;
}

/* All statements are prepared.  False: the call has failed already. */
static bool prepare_all(struct run *r)
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

static bool begin(struct run *r)
{
  struct conn *c = r->c;
  size_t len;
  const char *sql = pipeline_sql(r->p, &r->p->items[0], &len);

  r->p->open = false;
  if (exchange_needs_care(c) && !exchange_take_care(c, sql, len, false))
    return false;
  call_idle(c);
  if (UNLIKELY(c->env->ack_due))
    return misuse(r, 0,
                  "the statement that is acknowledged cannot be in a pipeline");
  if (!prepare_all(r))
    return false;
  return save_values(r->p) || misuse(r, 0, "not enough memory");
}

static bool end(struct run *r)
{
  struct conn *c = r->c;
  struct pipeline *p = r->p;
  size_t len;

  restore_values(p);
  call_idle(c);
  if (UNLIKELY(r->failed)) {
    const struct pipe_item *it = &p->items[p->failed];
    const char *sql = pipeline_sql(p, it, &len);

    c->out = r->out;
    recover_failed(c, call_of(it), sql, len);
    return false;
  }
  if (UNLIKELY(r->too_large))
    return misuse(r, 0, RESULT_TOO_LARGE);
  if (UNLIKELY(p->heard.failed))
    return misuse(r, 0, "not enough memory");
  for (size_t i = 0; UNLIKELY(c->owed & CONN_OWES_ROLLBACK) && i < p->n; i++) {
    const char *sql = pipeline_sql(p, &p->items[i], &len);

    exchange_clear_mark(c, sql, len);
  }
  call_no_error(c);
  return true;
}

/* Can statements be in flight?  Says once why not, if the driver could. */
static bool possible(struct conn *c)
{
  const char *why = NULL;

  if (!c->driver->pipe)
    return false;
  if (LIKELY(c->driver->pipe->possible(c->session, &why)))
    return true;
  if (why && !atomic_flag_test_and_set(&c->env->process->pipe_told))
    log_msg(LOG_WARNING,
            "pipelines wait for each answer before the next statement: %s",
            why);
  return false;
}

static void execute(struct run *r)
{
  r->c->session->unread = !r->keep;
  if (LIKELY(possible(r->c)))
    run_piped(r);
  else
    run_in_turn(r);
  r->c->session->unread = false;
}

bool pipeline_run(struct conn *c, bool keep)
{
  struct run r = { .c = c, .p = c->pipe, .keep = keep };

  if (r.p->n == 0) {
    r.p->open = false;
    return true;
  }
  if (UNLIKELY(!begin(&r)))
    return false;
  execute(&r);
  return end(&r);
}

/* ---- many rows for one statement ---- */

/* As many rows as one request takes; returns the number of the next one. */
static size_t add_rows(struct run *r, struct prepared *p, size_t i, size_t most)
{
  const size_t first = i;

  for (; i < r->p->n; i++) {
    int rc = -1;

    if (set_values(r, &r->p->items[i]))
      rc = r->c->driver->pipe->bulk_row(p, most, &r->c->out);
    if (rc < 0) {
      item_failed(r, i);
      return i;
    }
    if (rc > 0 && i > first)
      break;
    if (rc > 0) {
      r->c->out = (struct outcome){
        .api_error = "a row is larger than the server accepts"
      };
      item_failed(r, i);
      return i;
    }
  }
  return i;
}

/* One request; returns the number of the next row. */
static size_t run_rows(struct run *r, struct prepared *p, size_t first,
                       size_t most)
{
  struct conn *c = r->c;
  size_t next;
  int rc;

  r->start_ns = call_start(c);
  if (c->driver->pipe->bulk_begin(p, &c->out) < 0) {
    call_stop(c);
    item_failed(r, first);
    return first;
  }
  next = add_rows(r, p, first, most);
  if (r->failed) {
    call_stop(c);
    return first;
  }
  rc = c->driver->pipe->bulk_run(p, &c->out);
  call_stop(c);
  item_ended(r, first, rc);
  for (size_t i = first + 1; i < next; i++)
    r->p->items[i].end = r->p->items[first].end == PIPE_DONE ? PIPE_DONE
                                                             : PIPE_SKIPPED;
  return next;
}

static void run_bulk(struct run *r, struct prepared *p, size_t most)
{
  for (size_t next = 0; next < r->p->n && !r->failed;)
    next = run_rows(r, p, next, most);
}

double pipeline_run_bulk(struct conn *c)
{
  struct run r = { .c = c, .p = c->pipe };
  const struct driver_pipe *d = c->driver->pipe;
  const struct statement_sizes *sizes;
  const char *why;
  double changed = 0;
  struct stmt *st;

  if (r.p->n == 0) {
    r.p->open = false;
    return 0;
  }
  if (UNLIKELY(!begin(&r)))
    return -1;
  st = r.p->items[0].st;
  if (d && d->bulk_run && !st->emulated && d->possible(c->session, &why) &&
      d->bulk_possible(st->native.prepared)) {
    sizes = bulk_sizes(c);
    run_bulk(&r, st->native.prepared,
             sizes->good < sizes->max ? sizes->good : sizes->max);
  } else {
    execute(&r);
  }
  if (!end(&r))
    return -1;
  for (size_t i = 0; i < r.p->n; i++)
    changed += (double)r.p->items[i].taken;
  return changed;
}
