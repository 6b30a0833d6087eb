#include "db/copy.h"

#include <stdio.h>

#include "db/exec.h"
#include "db/recover.h"

bool copy_possible(struct conn *c, const char **ret_why)
{
  bool yes;

  if (!c->driver->copy) {
    *ret_why = "the driver has no bulk load";
    return false;
  }
  if (!c->driver->copy->possible)
    return true;
  if (exec_needs_care(c) && !exec_take_care(c, "", 0, false)) {
    *ret_why = "the connection is not usable";
    return false;
  }
  (void)call_start(c);
  yes = c->driver->copy->possible(c->session, ret_why);
  call_stop(c);
  return yes;
}

/* 0, or 1: the copy has ended. */
static int copy_after(struct conn *c, int rc)
{
  static const char what[] = "bulk load";
  char text[FAILURE_TEXT];
  uint64_t until_ns;

  call_stop(c);
  if (LIKELY(rc == 0))
    return 0;
  c->copies = false;
  if (!c->out.lost) {
    /* abort() overwrites the driver's text. */
    (void)snprintf(text, sizeof(text), "%s", c->out.msg ? c->out.msg : "");
    c->out.msg = text;
    until_ns = call_ask(c);
    c->driver->copy->abort(c->session);
    (void)call_asked(c, until_ns);
  }
  recover_failed(c, CALL_QUERY, what, sizeof(what) - 1);
  return 1;
}

int copy_begin(struct conn *c, const struct copy_spec *spec)
{
  if (exec_needs_care(c) && !exec_take_care(c, "", 0, false))
    return 1;
  call_no_error(c);
  (void)call_start(c);
  if (copy_after(c, c->driver->copy->begin(c->session, spec, &c->out)) != 0)
    return 1;
  c->copies = true;
  return 0;
}

int copy_row(struct conn *c, const sql_value *values)
{
  (void)call_start(c);
  return copy_after(c, c->driver->copy->row(c->session, values, &c->out));
}

int copy_rows(struct conn *c, const char *rows, size_t len)
{
  (void)call_start(c);
  return copy_after(c, c->driver->copy->rows(c->session, rows, len, &c->out));
}

int copy_end(struct conn *c, uint64_t *ret_rows)
{
  (void)call_start(c);
  if (copy_after(c, c->driver->copy->end(c->session, &c->out)) != 0)
    return 1;
  c->copies = false;
  *ret_rows = c->out.taken;
  return 0;
}
