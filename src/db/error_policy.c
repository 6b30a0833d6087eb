#include "db/error_policy.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/parse.h"
#include "db/driver.h"

static bool policy_has_only(const char *text, int (*is)(int))
{
  for (; *text; text++) {
    if (!is((unsigned char)*text))
      return false;
  }
  return true;
}

static int policy_add(struct ignore_list *l, int code, const char *state)
{
  struct ignore_item *items = realloc(l->items, (l->n + 1) * sizeof(*items));
  struct ignore_item *item;

  if (!items)
    return -ENOMEM;
  l->items = items;
  item = &items[l->n++];
  *item = (struct ignore_item){ .code = code };
  for (size_t i = 0; state[i] != '\0'; i++)
    item->state[i] = (char)toupper((unsigned char)state[i]);
  return 0;
}

static int policy_add_item(struct ignore_list *l, const char *text,
                           enum ignore_kind kind, const int *connection)
{
  const size_t len = strlen(text);
  const bool digits = policy_has_only(text, isdigit);
  int64_t number;
  int rc = 0;

  if (strcasecmp(text, "all") == 0) {
    l->all = true;
    return 0;
  }
  if (strcasecmp(text, "connection") == 0) {
    l->connection = true;
    return 0;
  }
  if (strcasecmp(text, "failover") == 0) {
    l->connection = true;
    l->failover = true;
    return 0;
  }
  if (len > 0 && digits && (kind == IGNORE_NUMBERS || len <= 4)) {
    if (parse_int(text, &number) < 0 || number > 65535)
      return -EINVAL;
    for (; connection && *connection; connection++)
      l->connection |= *connection == number;
    if (number != 0)
      rc = policy_add(l, (int)number, "");
    /* A class where no code has two digits, else a code. */
    if (rc < 0 || kind == IGNORE_NUMBERS || len != 2)
      return rc;
  }
  if (!policy_has_only(text, isalnum) || (len != 5 && len != 2))
    return -EINVAL;
  return policy_add(l, 0, text);
}

int ignore_list_add(struct ignore_list *l, const struct opt_list *items,
                    enum ignore_kind kind, const int *connection_codes,
                    struct err *err)
{
  for (size_t i = 0; i < items->n; i++) {
    const int rc = policy_add_item(l, items->items[i], kind, connection_codes);

    if (rc == -ENOMEM)
      return err_set(err, rc, "not enough memory");
    if (rc < 0)
      return err_set(err, rc,
                     "Invalid value for --db-ignore-errors: '%s' (expected "
                     "error numbers, SQLSTATEs of five characters, classes of "
                     "two characters, 'connection', 'failover' or 'all')",
                     items->items[i]);
  }
  return 0;
}

void ignore_list_done(struct ignore_list *l)
{
  free(l->items);
  memset(l, 0, sizeof(*l));
}

bool ignore_list_has(const struct ignore_list *l, const struct outcome *out)
{
  if (l->all || (out->lost && l->connection))
    return true;
  for (size_t i = 0; i < l->n; i++) {
    const struct ignore_item *item = &l->items[i];

    if (item->code != 0
          ? item->code == out->code || item->code == out->base_code
          : strncmp(item->state, out->state, strlen(item->state)) == 0)
      return true;
  }
  return false;
}

enum {
  CLIENT_FIRST = 2000, /* the client's own errors */
  CLIENT_LAST = 2999
};

static bool policy_is_row(const struct driver_refusal *r,
                          const struct outcome *out)
{
  if (r->code != 0 ? r->code != out->code : strcmp(r->state, out->state) != 0)
    return false;
  return !r->says || (out->msg && strstr(out->msg, r->says));
}

const struct driver_refusal *error_refusal(const struct driver *d,
                                           const struct outcome *out)
{
  const struct driver_refusal *r = d->refusals;

  for (; r && (r->code != 0 || r->state); r++) {
    if (policy_is_row(r, out))
      return r;
  }
  return NULL;
}

bool error_fault(const struct driver *d, const struct outcome *out,
                 enum fault_place place, enum fault_phase *ret)
{
  static const enum fault_phase places[] = {
    [FAULT_ALONE] = FAULT_STATEMENT,
    [FAULT_INSIDE] = FAULT_IN_TRANSACTION,
    [FAULT_COMMITS] = FAULT_AT_COMMIT,
  };
  const struct driver_refusal *r = error_refusal(d, out);

  if (!r && !out->lost)
    return false;
  *ret = r ? r->phase : places[place];
  return true;
}

static bool policy_is_answer(const struct driver *d, const struct outcome *out)
{
  if (d->caps & DRIVER_BY_NUMBER)
    return out->code > 0 &&
           (out->code < CLIENT_FIRST || out->code > CLIENT_LAST);
  return out->state[0] && strncmp(out->state, "08", 2) != 0;
}

enum fault_phase error_connect_fault(const struct driver *d,
                                     const struct outcome *out)
{
  const struct driver_refusal *r = error_refusal(d, out);

  if (r)
    return r->phase;
  if (out->other_role)
    return FAULT_LOGIN;
  return policy_is_answer(d, out) && !out->no_server ? FAULT_LOGIN
                                                     : FAULT_CONNECT;
}

bool verdict_is_cut(const struct outcome *out, bool dead)
{
  return out->over || dead;
}

bool verdict_ignorable(const struct verdict_case *v)
{
  if (v->refused || (v->always_ignorable && v->always_ignorable(v->out)))
    return true;
  return ignore_list_has(v->ignore, v->out) ||
         (v->retry && ignore_list_has(v->retry, v->out));
}

static struct verdict policy_undo(const struct verdict_case *v,
                                  struct verdict to)
{
  to.rollback = v->in_trx && v->at_once;
  to.mark = v->in_trx && !v->at_once;
  return to;
}

struct verdict verdict_failed(const struct verdict_case *v)
{
  const struct outcome *out = v->out;
  /* The layer repeats its ROLLBACK: not the script's error. */
  const bool own = v->call == CALL_ROLLBACK;

  if (out->api_error)
    return (struct verdict){ .class = VERDICT_MISUSE };
  if (verdict_is_cut(out, v->phase == VERDICT_DEAD))
    return (struct verdict){ .class = VERDICT_ABANDON,
                             .drop = out->lost,
                             .mark = !out->lost && v->in_trx };
  if (!verdict_ignorable(v))
    return (struct verdict){
      .class = VERDICT_FATAL, .count = !own, .drop = out->lost, .message = true
    };
  if (out->lost)
    return (struct verdict){ .class = VERDICT_REPLACE };
  if (v->refused)
    return (struct verdict){ .class = VERDICT_REPLACE, .count = !own };
  if (own)
    return (struct verdict){ .class = VERDICT_IGNORE, .mark = true };
  return policy_undo(
    v, (struct verdict){ .class = VERDICT_IGNORE, .count = true });
}

struct verdict verdict_forgiven(const struct verdict_case *v, bool lost)
{
  if (v->phase == VERDICT_DEAD)
    return (struct verdict){ .class = VERDICT_ABANDON };
  if (lost)
    return (struct verdict){ .class = VERDICT_REPLACE };
  return policy_undo(v, (struct verdict){ .class = VERDICT_IGNORE });
}

bool verdict_may_connect(enum verdict_phase phase, unsigned attempt,
                         bool limited)
{
  switch (phase) {
  case VERDICT_AFTER:
    return attempt == 0;
  case VERDICT_LEAVE:
    return attempt == 0 && limited;
  case VERDICT_DEAD:
    return false;
  case VERDICT_OUTSIDE:
  case VERDICT_EVENT:
    break;
  }
  return true;
}

enum verdict_class verdict_not_connected(enum verdict_phase phase,
                                         bool permanent)
{
  return !permanent && phase >= VERDICT_LEAVE ? VERDICT_ABANDON : VERDICT_FATAL;
}

enum {
  PATIENT_RESTARTS = 10,
  LONGEST_PAUSE_MS = 100,
};

uint64_t error_restart_pause_ns(int attempt)
{
  const int doublings = attempt - PATIENT_RESTARTS - 1;
  uint64_t ms = LONGEST_PAUSE_MS;

  if (attempt <= PATIENT_RESTARTS)
    return 0;
  if (doublings < 7 && (UINT64_C(1) << doublings) < ms)
    ms = UINT64_C(1) << doublings;
  return ms * NS_PER_MS;
}
