/*
 * pipeline_run.c - a pipeline is executed: all its statements in flight, or one
 * after another.
 */
#include "base/log.h"
#include "db/call.h"
#include "db/pipe_run.h"
#include "db/pipe_text.h"
#include "db/pipeline.h"
#include "db/stmt.h"

/* The call for statement r->at ends. */
static void stop_call(struct pipe_run *r)
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

static int execute_one(const struct pipe_run *r, const struct pipe_item *it)
{
  struct conn *c = r->c;

  if (!it->st)
    return call_query(c, r->p->said.text + it->at, it->len);
  if (it->st->emulated)
    return call_query(c, strbuf_str(&c->text), c->text.len);
  return call_execute(c, it->st->native.prepared);
}

static void run_in_turn(struct pipe_run *r)
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
      rc = execute_one(r, it);
      stop_call(r);
    }
    pipe_run_ended(r, i, rc);
    if (rc == 0 &&
        (c->out.more || (c->out.counter == COUNTER_READ && !c->out.settled))) {
      (void)call_start(c);
      rc = call_end_results(c);
      stop_call(r);
      if (rc < 0)
        pipe_run_failed(r, i);
    }
    if (rc < 0 && (c->out.lost || !goes_on))
      return;
  }
}

/* ---- all in flight ---- */

static int add_request(const struct pipe_run *r, const struct pipe_item *it)
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

/* Requests up to the end of a chunk, or of *total; one that cannot be made is
 * the end of all, and fails when the others have. */
static size_t add_requests(struct pipe_run *r, size_t added, size_t *total)
{
  struct conn *c = r->c;

  if (added < *total)
    c->out = (struct outcome){ 0 };
  while (added < *total && !c->driver->pipe->full(c->session)) {
    if (UNLIKELY(add_request(r, &r->p->items[added]) < 0)) {
      r->refused = c->out;
      *total = added;
      break;
    }
    added++;
  }
  return added;
}

/* The time limit of a statement begins when the answer before has come. */
static void next_call(struct pipe_run *r)
{
  stop_call(r);
  (void)call_start(r->c);
}

static void receive(struct pipe_run *r, size_t i)
{
  struct conn *c = r->c;
  const struct driver_pipe *d = c->driver->pipe;
  const struct pipe_item *it = &r->p->items[i];
  struct stmt *st = it->st && !it->st->emulated ? it->st : NULL;
  size_t len;
  const char *sql = pipe_text_sql(r->p, it, &len);

  next_call(r);
  r->at = i;
  pipe_run_ended(
    r, i,
    d->receive(c->session, st ? st->native.prepared : NULL, sql, len, &c->out));
  if (UNLIKELY(c->out.more)) {
    next_call(r);
    if (d->rest(c->session, &c->out) < 0)
      pipe_run_failed(r, i);
  }
}

static void run_in_flight(struct pipe_run *r)
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
    if (UNLIKELY(c->out.lost)) {
      for (; got < added; got++)
        r->p->items[got].end = PIPE_UNKNOWN;
      return;
    }
  }
  next_call(r);
  if (d->end(c->session, &c->out) < 0)
    pipe_run_failed(r, total > 0 ? total - 1 : 0);
  if (UNLIKELY(total < r->p->n) && !c->out.lost) {
    c->out = r->refused;
    pipe_run_failed(r, total);
  }
}

static void run_piped(struct pipe_run *r)
{
  struct conn *c = r->c;

  r->start_ns = call_start(c);
  if (c->driver->pipe->begin(c->session, &c->out) < 0)
    pipe_run_failed(r, 0);
  else
    run_in_flight(r);
  stop_call(r);
}

/* ---- either ---- */

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
            "pipelines wait for each answer before the next statement%s: %s",
            c->driver->caps & DRIVER_GOES_ON
              ? ""
              : ", and each statement commits by itself",
            why);
  return false;
}

void pipe_run_execute(struct pipe_run *r)
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
