/*
 * test_verdict.c - the verdict on a failure, case by case.
 */
#include "db/error_policy.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

/* ---- a failed call ---- */

/* Ignore lists as users write them. */
static const char *const no_list[] = { NULL };
static const char *const deadlock[] = { "1213", NULL };
static const char *const by_state[] = { "40001", NULL };
static const char *const by_class[] = { "40", NULL };
static const char *const connection[] = { "connection", NULL };
static const char *const all[] = { "all", NULL };

/* Members of a verdict, and facts of a case. */
enum bits {
  COUNT = 1,
  ROLLBACK = 2,
  MARK = 4,
  DROP = 8,
  MESSAGE = 16,

  LOST = 1,
  OVER = 2,
  MISUSE = 4,
  TRX = 8,
  AT_ONCE = 16,
  ALWAYS = 32, /* ignorable for the driver */
  REFUSED = 64,
};

static const struct {
  const char *what;
  const char *const *list;
  int code, base_code;
  const char *state;
  enum call call;
  enum verdict_phase phase;
  unsigned facts;
  enum verdict_class class;
  unsigned bits;
} row[] = {
  /* Errors that no list has. */
  { "an error", no_list, 1064, 0, "42000", CALL_QUERY, VERDICT_EVENT, 0,
    VERDICT_FATAL, COUNT | MESSAGE },
  { "an error in a transaction", no_list, 1064, 0, "42000", CALL_QUERY,
    VERDICT_EVENT, TRX, VERDICT_FATAL, COUNT | MESSAGE },
  { "... of a driver that rolls back at once", no_list, 1064, 0, "42000",
    CALL_QUERY, VERDICT_EVENT, TRX | AT_ONCE, VERDICT_FATAL, COUNT | MESSAGE },
  { "an error of another number", deadlock, 1205, 0, "HY000", CALL_EXECUTE,
    VERDICT_EVENT, TRX, VERDICT_FATAL, COUNT | MESSAGE },
  { "... of another state", by_state, 1205, 0, "40002", CALL_EXECUTE,
    VERDICT_EVENT, TRX, VERDICT_FATAL, COUNT | MESSAGE },
  { "... of another class", by_class, 0, 0, "42P01", CALL_EXECUTE,
    VERDICT_EVENT, TRX, VERDICT_FATAL, COUNT | MESSAGE },
  { "... that is no loss", connection, 1213, 0, "40001", CALL_EXECUTE,
    VERDICT_EVENT, TRX, VERDICT_FATAL, COUNT | MESSAGE },
  { "an error outside of events", no_list, 1064, 0, "42000", CALL_PREPARE,
    VERDICT_OUTSIDE, 0, VERDICT_FATAL, COUNT | MESSAGE },
  { "an error after the run", no_list, 1064, 0, "42000", CALL_QUERY,
    VERDICT_AFTER, 0, VERDICT_FATAL, COUNT | MESSAGE },
  { "an error in the last event", no_list, 1064, 0, "42000", CALL_QUERY,
    VERDICT_LEAVE, 0, VERDICT_FATAL, COUNT | MESSAGE },
  { "a loss", no_list, 2013, 0, "HY000", CALL_QUERY, VERDICT_EVENT, LOST,
    VERDICT_FATAL, COUNT | MESSAGE | DROP },
  { "a loss that another number is in the list for", deadlock, 2013, 0, "HY000",
    CALL_NEXT, VERDICT_EVENT, LOST | TRX, VERDICT_FATAL,
    COUNT | MESSAGE | DROP },
  { "an error among results that were not read", no_list, 1242, 0, "21000",
    CALL_UNREAD, VERDICT_EVENT, 0, VERDICT_FATAL, COUNT | MESSAGE },

  /* Errors that a list has. */
  { "ignorable by number", deadlock, 1213, 0, "40001", CALL_QUERY,
    VERDICT_EVENT, 0, VERDICT_IGNORE, COUNT },
  { "... by its number without the extension", deadlock, 70749, 1213, "40001",
    CALL_QUERY, VERDICT_EVENT, 0, VERDICT_IGNORE, COUNT },
  { "... by state", by_state, 0, 0, "40001", CALL_QUERY, VERDICT_EVENT, 0,
    VERDICT_IGNORE, COUNT },
  { "... by class", by_class, 0, 0, "40P01", CALL_QUERY, VERDICT_EVENT, 0,
    VERDICT_IGNORE, COUNT },
  { "... by `all`", all, 1064, 0, "42000", CALL_PREPARE, VERDICT_EVENT, 0,
    VERDICT_IGNORE, COUNT },
  { "... for the driver", no_list, 5, 0, "HY000", CALL_QUERY, VERDICT_EVENT,
    ALWAYS, VERDICT_IGNORE, COUNT },
  { "ignorable in a transaction", deadlock, 1213, 0, "40001", CALL_EXECUTE,
    VERDICT_EVENT, TRX, VERDICT_IGNORE, COUNT | MARK },
  { "... of a driver that rolls back at once", by_state, 0, 0, "40001",
    CALL_EXECUTE, VERDICT_EVENT, TRX | AT_ONCE, VERDICT_IGNORE,
    COUNT | ROLLBACK },
  { "... of such a driver without a transaction", by_state, 0, 0, "40001",
    CALL_EXECUTE, VERDICT_EVENT, AT_ONCE, VERDICT_IGNORE, COUNT },
  { "ignorable among results that were not read", deadlock, 1213, 0, "40001",
    CALL_UNREAD, VERDICT_EVENT, TRX, VERDICT_IGNORE, COUNT | MARK },
  { "ignorable outside of events", deadlock, 1213, 0, "40001", CALL_QUERY,
    VERDICT_OUTSIDE, 0, VERDICT_IGNORE, COUNT },
  { "ignorable in the last event", deadlock, 1213, 0, "40001", CALL_QUERY,
    VERDICT_LEAVE, TRX, VERDICT_IGNORE, COUNT | MARK },

  /* Connections that are lost. */
  { "a loss that a list has", connection, 2013, 0, "HY000", CALL_QUERY,
    VERDICT_EVENT, LOST, VERDICT_REPLACE, 0 },
  { "... by `all`", all, 2013, 0, "HY000", CALL_QUERY, VERDICT_EVENT,
    LOST | TRX, VERDICT_REPLACE, 0 },
  { "... by its own number", deadlock, 1213, 0, "HY000", CALL_NEXT,
    VERDICT_EVENT, LOST | AT_ONCE, VERDICT_REPLACE, 0 },
  { "... at a ROLLBACK", connection, 2013, 0, "HY000", CALL_ROLLBACK,
    VERDICT_EVENT, LOST | TRX, VERDICT_REPLACE, 0 },

  /* Servers that are left. */
  { "a server that refuses its service", no_list, 1290, 0, "HY000", CALL_QUERY,
    VERDICT_EVENT, REFUSED | TRX, VERDICT_REPLACE, COUNT },
  { "... after the run", no_list, 1290, 0, "HY000", CALL_QUERY, VERDICT_AFTER,
    REFUSED, VERDICT_REPLACE, COUNT },
  { "... and ends the connection", connection, 1053, 0, "08S01", CALL_QUERY,
    VERDICT_EVENT, REFUSED | LOST | TRX, VERDICT_REPLACE, 0 },
  { "... even a ROLLBACK", no_list, 1047, 0, "08S01", CALL_ROLLBACK,
    VERDICT_EVENT, REFUSED | TRX, VERDICT_REPLACE, 0 },
  { "... at the deadline", no_list, 1290, 0, "HY000", CALL_QUERY, VERDICT_DEAD,
    REFUSED | TRX, VERDICT_ABANDON, MARK },

  /* The ROLLBACK of the layer. */
  { "a ROLLBACK that is refused for now", deadlock, 1213, 0, "40001",
    CALL_ROLLBACK, VERDICT_EVENT, TRX, VERDICT_IGNORE, MARK },
  { "... is not repeated at once", deadlock, 1213, 0, "40001", CALL_ROLLBACK,
    VERDICT_EVENT, TRX | AT_ONCE, VERDICT_IGNORE, MARK },
  { "a ROLLBACK that fails", no_list, 1053, 0, "08S01", CALL_ROLLBACK,
    VERDICT_EVENT, TRX, VERDICT_FATAL, MESSAGE },
  { "... with its connection", no_list, 2013, 0, "HY000", CALL_ROLLBACK,
    VERDICT_EVENT, LOST | TRX, VERDICT_FATAL, MESSAGE | DROP },

  /* The end of the run. */
  { "a statement that gave up waiting", no_list, 1205, 0, "HY000", CALL_QUERY,
    VERDICT_LEAVE, OVER, VERDICT_ABANDON, 0 },
  { "... in a transaction", no_list, 1205, 0, "HY000", CALL_QUERY,
    VERDICT_LEAVE, OVER | TRX, VERDICT_ABANDON, MARK },
  { "... is marked by all drivers", no_list, 1205, 0, "HY000", CALL_QUERY,
    VERDICT_LEAVE, OVER | TRX | AT_ONCE, VERDICT_ABANDON, MARK },
  { "... though a list has it", deadlock, 1213, 0, "40001", CALL_QUERY,
    VERDICT_LEAVE, OVER, VERDICT_ABANDON, 0 },
  { "a statement cancelled at the deadline", no_list, 1317, 0, "70100",
    CALL_EXECUTE, VERDICT_DEAD, TRX, VERDICT_ABANDON, MARK },
  { "a connection broken at the deadline", connection, 2013, 0, "HY000",
    CALL_EXECUTE, VERDICT_DEAD, LOST, VERDICT_ABANDON, DROP },
  { "a ROLLBACK at the deadline", deadlock, 1213, 0, "40001", CALL_ROLLBACK,
    VERDICT_DEAD, TRX, VERDICT_ABANDON, MARK },

  /* These are not errors of SQL. */
  { "a value that cannot be sent", all, 0, 0, "", CALL_EXECUTE, VERDICT_EVENT,
    MISUSE | TRX, VERDICT_MISUSE, 0 },
  { "... after the deadline", all, 0, 0, "", CALL_EXECUTE, VERDICT_DEAD, MISUSE,
    VERDICT_MISUSE, 0 },
};

static bool always(const struct outcome *out)
{
  return out->code == 5;
}

static unsigned bits_of(struct verdict v)
{
  return (v.count ? COUNT : 0) | (v.rollback ? ROLLBACK : 0) |
         (v.mark ? MARK : 0) | (v.drop ? DROP : 0) | (v.message ? MESSAGE : 0);
}

static void test_failed(void)
{
  static const int connection_codes[] = { 2006, 2013, 0 };

  for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
    const unsigned facts = row[i].facts;
    struct ignore_list list = { 0 };
    struct outcome out = {
      .code = row[i].code,
      .base_code = row[i].base_code,
      .lost = facts & LOST,
      .over = facts & OVER,
      .api_error = facts & MISUSE ? "value cannot be sent" : NULL,
    };
    const struct verdict_case what = {
      .out = &out,
      .call = row[i].call,
      .ignore = &list,
      .always_ignorable = facts & ALWAYS ? always : NULL,
      .phase = row[i].phase,
      .refused = facts & REFUSED,
      .in_trx = facts & TRX,
      .at_once = facts & AT_ONCE,
    };
    struct opt_list items = { 0, row[i].list };
    struct verdict v;
    struct err err;

    while (items.items[items.n])
      items.n++;
    (void)snprintf(out.state, sizeof(out.state), "%s", row[i].state);
    if (ignore_list_add(&list, &items, IGNORE_ANY, connection_codes, &err) < 0)
      abort();
    v = verdict_failed(&what);
    OK(v.class == row[i].class && bits_of(v) == row[i].bits, row[i].what);
    ignore_list_done(&list);
  }
}

/* ---- the rest ---- */

static const struct {
  const char *what;
  enum verdict_phase phase;
  unsigned facts;
  enum verdict_class class;
  unsigned bits;
} forgiven_row[] = {
  { "forgiven", VERDICT_EVENT, 0, VERDICT_IGNORE, 0 },
  { "forgiven in a transaction", VERDICT_EVENT, TRX, VERDICT_IGNORE, MARK },
  { "... of a driver that rolls back at once", VERDICT_EVENT, TRX | AT_ONCE,
    VERDICT_IGNORE, ROLLBACK },
  { "... of such a driver without one", VERDICT_EVENT, AT_ONCE, VERDICT_IGNORE,
    0 },
  { "a loss is forgiven", VERDICT_EVENT, LOST, VERDICT_REPLACE, 0 },
  { "a loss after the run", VERDICT_AFTER, LOST, VERDICT_REPLACE, 0 },
  { "forgiven after the deadline", VERDICT_DEAD, TRX, VERDICT_ABANDON, 0 },
  { "a loss after the deadline", VERDICT_DEAD, LOST, VERDICT_ABANDON, 0 },
};

static void test_forgiven(void)
{
  for (size_t i = 0; i < sizeof(forgiven_row) / sizeof(forgiven_row[0]); i++) {
    const unsigned facts = forgiven_row[i].facts;
    const struct verdict_case what = {
      .phase = forgiven_row[i].phase,
      .in_trx = facts & TRX,
      .at_once = facts & AT_ONCE,
    };
    const struct verdict v = verdict_forgiven(&what, facts & LOST);

    OK(v.class == forgiven_row[i].class && bits_of(v) == forgiven_row[i].bits,
       forgiven_row[i].what);
  }
}

static const struct {
  enum verdict_phase phase;
  unsigned attempt;
  bool limited, may;
} connect_row[] = {
  { VERDICT_OUTSIDE, 0, false, true }, { VERDICT_OUTSIDE, 9, false, true },
  { VERDICT_EVENT, 0, false, true },   { VERDICT_EVENT, 9, true, true },
  { VERDICT_AFTER, 0, false, true },   { VERDICT_AFTER, 0, true, true },
  { VERDICT_AFTER, 1, false, false },  { VERDICT_AFTER, 1, true, false },
  { VERDICT_LEAVE, 0, false, false },  { VERDICT_LEAVE, 0, true, true },
  { VERDICT_LEAVE, 1, true, false },   { VERDICT_DEAD, 0, false, false },
  { VERDICT_DEAD, 0, true, false },
};

static void test_connect(void)
{
  for (size_t i = 0; i < sizeof(connect_row) / sizeof(connect_row[0]); i++) {
    char what[80];

    (void)snprintf(what, sizeof(what), "phase %d, attempt %u, %s",
                   (int)connect_row[i].phase, connect_row[i].attempt,
                   connect_row[i].limited ? "limited" : "up to the end");
    OK(verdict_may_connect(connect_row[i].phase, connect_row[i].attempt,
                           connect_row[i].limited) == connect_row[i].may,
       what);
  }
  OK(verdict_not_connected(VERDICT_LEAVE, false) == VERDICT_ABANDON,
     "still without a session when the event has to be left");
  OK(verdict_not_connected(VERDICT_DEAD, false) == VERDICT_ABANDON,
     "... or at the deadline");
  OK(verdict_not_connected(VERDICT_LEAVE, true) == VERDICT_FATAL,
     "a failure that stays is one in the last event, too");
  OK(verdict_not_connected(VERDICT_EVENT, false) == VERDICT_FATAL,
     "the time for a reconnect has passed");
  OK(verdict_not_connected(VERDICT_AFTER, false) == VERDICT_FATAL,
     "no event is to be left after the run");
}

int main(void)
{
  test_failed();
  test_forgiven();
  test_connect();
  return TAP_EXIT();
}
