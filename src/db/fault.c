/*
 * fault.c - which failures are failures of the service.
 */
#include "db/fault.h"

#include <string.h>

#include "db/driver.h"
#include "db/outcome.h"

enum {
  CLIENT_FIRST = 2000, /* numbers of the client itself, not of a server */
  CLIENT_LAST = 2999
};

static bool is_row(const struct driver_refusal *r, const struct outcome *out)
{
  if (r->code != 0 ? r->code != out->code : strcmp(r->state, out->state) != 0)
    return false;
  return !r->says || (out->msg && strstr(out->msg, r->says));
}

const struct driver_refusal *fault_refusal(const struct driver *d,
                                           const struct outcome *out)
{
  const struct driver_refusal *r = d->refusals;

  for (; r && (r->code != 0 || r->state); r++) {
    if (is_row(r, out))
      return r;
  }
  return NULL;
}

bool fault_of_statement(const struct driver *d, const struct outcome *out,
                        enum fault_place place, enum fault_phase *ret)
{
  static const enum fault_phase places[] = {
    [FAULT_ALONE] = FAULT_STATEMENT,
    [FAULT_INSIDE] = FAULT_IN_TRANSACTION,
    [FAULT_COMMITS] = FAULT_AT_COMMIT,
  };
  const struct driver_refusal *r = fault_refusal(d, out);

  if (!r && !out->lost)
    return false;
  *ret = r ? r->phase : places[place];
  return true;
}

/* Has a server answered? */
static bool is_answer(const struct driver *d, const struct outcome *out)
{
  if (d->caps & DRIVER_BY_NUMBER)
    return out->code > 0 &&
           (out->code < CLIENT_FIRST || out->code > CLIENT_LAST);
  return out->state[0] && strncmp(out->state, "08", 2) != 0;
}

enum fault_phase fault_of_connect(const struct driver *d,
                                  const struct outcome *out)
{
  const struct driver_refusal *r = fault_refusal(d, out);

  if (r)
    return r->phase;
  if (out->other_role)
    return FAULT_LOGIN;
  return is_answer(d, out) && !out->no_server ? FAULT_LOGIN : FAULT_CONNECT;
}
