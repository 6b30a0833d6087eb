/*
 * pass.c - one pass through the program of a file.
 */
#include <errno.h>
#include <stdarg.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "db/conn.h"
#include "loop/loop.h"
#include "run/worker.h"
#include "sqlfile/run/client.h"

int client_complain(const struct client *c, uint32_t at, struct err *err,
                    const char *fmt, ...)
{
  const struct sqlfile_place place = sqlfile_place(c->file->source, at);
  struct strbuf b = { 0 };
  va_list ap;

  va_start(ap, fmt);
  strbuf_vaddf(&b, fmt, ap);
  va_end(ap);
  (void)err_set(err, -EINVAL, "%s:%u:%u: %s", c->file->name, place.line,
                place.column, strbuf_str(&b));
  strbuf_done(&b);
  return -EINVAL;
}

enum client_end client_failed(struct client *c, uint32_t at, struct err *err)
{
  const struct failure *f = conn_failure(c->conn);

  if (f->abandoned)
    return CLIENT_OVER;
  if (f->api_error) {
    (void)client_complain(c, at, err, "%s", f->api_error);
    return CLIENT_FAILED;
  }
  if (c->conn->pub.error == DB_ERROR_IGNORABLE)
    return CLIENT_AGAIN;
  conn_say(c->conn);
  (void)client_complain(c, at, err,
                        "the statement that begins here has failed");
  return CLIENT_FAILED;
}

static enum client_end evaluate(struct client *c, const struct expr *e,
                                struct value *ret, struct err *err)
{
  struct expr_failure fail;

  if (LIKELY(expr_eval(e, &c->expr, ret, &fail) == 0))
    return CLIENT_DONE;
  (void)client_complain(c, fail.at, err, "%s", fail.why);
  return CLIENT_FAILED;
}

/* A sleep is a part of the event.  It does not outlast the run. */
static enum client_end
sleep_for(struct client *c, const struct sqlfile_step *step, struct err *err)
{
  const uint64_t now = clock_now_ns();
  const uint64_t end = worker_end_ns(c->w);
  struct value v = value_null();
  uint64_t until = UINT64_MAX;
  double units = 0;
  const char *why;

  if (evaluate(c, &step->expr, &v, err) != CLIENT_DONE)
    return CLIENT_FAILED;
  why = value_to_double(&v, &units);
  if (why) {
    (void)client_complain(c, step->at, err, "%s", why);
    return CLIENT_FAILED;
  }
  if (!(units > 0))
    return CLIENT_DONE;
  if (units * (double)step->unit_ns < 0x1p62)
    until = now + (uint64_t)(units * (double)step->unit_ns);
  while (!worker_is_over(c->w) && clock_now_ns() < until)
    loop_wait_while(worker_stop_word(c->w), 0, until < end ? until : end);
  return clock_now_ns() < until ? CLIENT_OVER : CLIENT_DONE;
}

enum client_end client_pass(struct client *c, struct err *err)
{
  const struct sqlfile *file = c->file;
  enum client_end end = CLIENT_DONE;
  struct value v = value_null();
  size_t i = 0;

  while (i < file->n_steps && LIKELY(end == CLIENT_DONE)) {
    const struct sqlfile_step *step = &file->step[i++];

    switch (step->code) {
    case SQLFILE_SQL:
      end = client_execute(c, step->statement, err);
      break;
    case SQLFILE_SET:
      end = evaluate(c, &step->expr, &v, err);
      c->value[step->variable] = v;
      break;
    case SQLFILE_SLEEP:
      end = sleep_for(c, step, err);
      break;
    case SQLFILE_UNLESS:
      end = evaluate(c, &step->expr, &v, err);
      if (!value_is_true(&v))
        i = step->to;
      break;
    case SQLFILE_JUMP:
      i = step->to;
      break;
    }
  }
  return end;
}
