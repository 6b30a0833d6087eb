/*
 * error_policy.h - what a failure means, and what has to follow it: pure
 * functions.  recover.h carries the answers out.
 */
#ifndef BENCH_DB_ERROR_POLICY_H
#define BENCH_DB_ERROR_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "db/outcome.h"
#include "opt/opt.h"
#include "stats/service.h"

struct driver;
struct outcome;

struct ignore_list {
  bool all, connection;
  bool failover; /* a server that refuses its service is left, too */
  size_t n_codes, n_states, n_classes;
  int *codes; /* owned, as the others */
  char (*states)[6];
  char (*classes)[3];
};

/* How the digits of an item are to be read. */
enum ignore_kind {
  IGNORE_NUMBERS, /* any digits are a native number 0..65535 */
  /*
   * One to four digits: a native number; five characters: a SQLSTATE; two:
   * a class (two digits are both).
   */
  IGNORE_ANY,
};

/*
 * Add the items to *l ({0} is empty).  `connection_codes` as in struct driver.
 * -EINVAL: an item is nothing of the above.
 */
int ignore_list_add(struct ignore_list *l, const struct opt_list *items,
                    enum ignore_kind kind, const int *connection_codes,
                    struct err *err);
void ignore_list_done(struct ignore_list *l);

/* For option rows: the whole text of an item (or list) would be accepted. */
bool ignore_list_text_ok(const char *text);

/* The failure `out` is in the list. */
bool ignore_list_has(const struct ignore_list *l, const struct outcome *out);

/* A way in which a server refuses its service; a row of driver->refusals. */
struct driver_refusal {
  int code;          /* native number; 0: the state decides */
  const char *state; /* SQLSTATE */
  const char *says;  /* [opt] a word of its text */
  enum fault_phase phase;
};

/* Where the client was when a statement failed. */
enum fault_place {
  FAULT_ALONE,
  FAULT_INSIDE,
  FAULT_COMMITS
};

/* False: the service has not failed. */
bool error_fault(const struct driver *d, const struct outcome *out,
                 enum fault_place place, enum fault_phase *ret);

/* A connection could not be made again. */
enum fault_phase error_connect_fault(const struct driver *d,
                                     const struct outcome *out);

/* The row for this failure, or NULL. */
const struct driver_refusal *error_refusal(const struct driver *d,
                                           const struct outcome *out);

/* Where the thread stands in the run. */
enum verdict_phase {
  VERDICT_OUTSIDE, /* no event is open, the run goes on or there is none */
  VERDICT_AFTER,   /* no event is open, the run is over */
  VERDICT_EVENT,   /* an event is open */
  VERDICT_LEAVE,   /* an event is open, the run is over: it has to be left */
  VERDICT_DEAD,    /* the deadline has passed: all calls fail at once */
};

/* What the verdict depends on. */
struct verdict_case {
  const struct outcome *out; /* of the call that failed */
  enum call call;
  const struct ignore_list *ignore;
  bool (*always_ignorable)(const struct outcome *out); /* [opt] */
  enum verdict_phase phase;
  bool refused; /* the server refuses its service, and is to be left for that */
  bool in_trx;  /* the session is open, and a transaction may be */
  bool at_once; /* DRIVER_ROLLBACK_AT_ONCE */
};

enum verdict_class {
  VERDICT_MISUSE,  /* no SQL error: the script gets out->api_error */
  VERDICT_ABANDON, /* the event is left; no error is counted */
  VERDICT_IGNORE,  /* the event starts again */
  VERDICT_REPLACE, /* the session is replaced, then the event starts again */
  VERDICT_FATAL,   /* the script gets an error */
};

struct verdict {
  enum verdict_class class;
  bool count;    /* it is an error in the report, and in the table by code */
  bool rollback; /* the transaction is rolled back now */
  bool mark;     /* ... before the next one begins */
  bool drop;     /* the session is closed */
  bool message;  /* its message is kept until the script's hook was asked */
};

struct verdict verdict_failed(const struct verdict_case *v);

/* The failure is ignorable: by a list, or for the driver. */
bool verdict_ignorable(const struct verdict_case *v);

/* The failure comes from the end of the run: a statement that was cancelled or
 * given up counts as no error. */
bool verdict_is_cut(const struct outcome *out, bool dead);

/* The hook of the script has declared a fatal error ignorable. `lost`: the
 * session was dropped. */
struct verdict verdict_forgiven(const struct verdict_case *v, bool lost);

/*
 * A lost session is replaced: may attempt number `attempt` (from 0) begin?
 * `limited`: the attempts have a time limit of their own, not the run's end
 * only.  After the run there is one attempt: for what scripts do after their
 * events, and for a reconnect that a script asks for.
 */
bool verdict_may_connect(enum verdict_phase phase, unsigned attempt,
                         bool limited);

/* The attempts ended without a session; `permanent`: more of them are useless.
 * VERDICT_ABANDON or VERDICT_FATAL. */
enum verdict_class verdict_not_connected(enum verdict_phase phase,
                                         bool permanent);

/* The pause before attempt number `attempt` (1 is the first repetition) of an
 * event: none before the first ones, and at most a tenth of a second. */
uint64_t error_restart_pause_ns(int attempt);

#endif
