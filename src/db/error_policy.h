/*
 * error_policy.h - what a failure means and what follows: pure functions, which
 * recover.h carries out.
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
  bool failover; /* also leave a server that refuses its service */
  size_t n_codes, n_states, n_classes;
  int *codes; /* owned, as the others */
  char (*states)[6];
  char (*classes)[3];
};

enum ignore_kind {
  IGNORE_NUMBERS, /* digits are a native number 0..65535 */
  /* One to four digits: a number; five characters: a SQLSTATE; two: a class
   * (two digits are both). */
  IGNORE_ANY,
};

/* Add items to *l ({0} is empty).  -EINVAL: not an item. */
int ignore_list_add(struct ignore_list *l, const struct opt_list *items,
                    enum ignore_kind kind, const int *connection_codes,
                    struct err *err);
void ignore_list_done(struct ignore_list *l);

/* Would the items of this list be accepted? */
bool ignore_list_text_ok(const char *text);

bool ignore_list_has(const struct ignore_list *l, const struct outcome *out);

/* How a server refuses its service; a row of driver->refusals. */
struct driver_refusal {
  int code; /* 0: the state decides */
  const char *state;
  const char *says; /* [opt] a word of its text */
  enum fault_phase phase;
};

/* Where a statement failed in its transaction. */
enum fault_place {
  FAULT_ALONE,
  FAULT_INSIDE,
  FAULT_COMMITS
};

/* False: the service has not failed. */
bool error_fault(const struct driver *d, const struct outcome *out,
                 enum fault_place place, enum fault_phase *ret);

enum fault_phase error_connect_fault(const struct driver *d,
                                     const struct outcome *out);

/* The row for this failure, or NULL. */
const struct driver_refusal *error_refusal(const struct driver *d,
                                           const struct outcome *out);

enum verdict_phase {
  VERDICT_OUTSIDE, /* no event, the run goes on or there is none */
  VERDICT_AFTER,   /* no event, the run is over */
  VERDICT_EVENT,
  VERDICT_LEAVE, /* in an event, the run is over: leave it */
  VERDICT_DEAD,  /* the deadline has passed: all calls fail */
};

struct verdict_case {
  const struct outcome *out;
  enum call call;
  const struct ignore_list *ignore;
  bool (*always_ignorable)(const struct outcome *out); /* [opt] */
  enum verdict_phase phase;
  bool refused; /* the server refuses its service and is to be left */
  bool in_trx;  /* the session is open, a transaction may be */
  bool at_once; /* DRIVER_ROLLBACK_AT_ONCE */
};

enum verdict_class {
  VERDICT_MISUSE,  /* the script gets out->api_error */
  VERDICT_ABANDON, /* leave the event; no error is counted */
  VERDICT_IGNORE,  /* the event starts again */
  VERDICT_REPLACE, /* replace the session, then start the event again */
  VERDICT_FATAL,   /* the script gets an error */
};

struct verdict {
  enum verdict_class class;
  bool count;    /* in the report and the table by code */
  bool rollback; /* roll back now */
  bool mark;     /* roll back before the next transaction */
  bool drop;     /* close the session */
  bool message;  /* keep the message until the script's hook was asked */
};

struct verdict verdict_failed(const struct verdict_case *v);

/* By a list, or for the driver. */
bool verdict_ignorable(const struct verdict_case *v);

/* Caused by the end of the run; no error is counted. */
bool verdict_is_cut(const struct outcome *out, bool dead);

/* The script's hook declared a fatal error ignorable.  `lost`: the session was
 * dropped. */
struct verdict verdict_forgiven(const struct verdict_case *v, bool lost);

/*
 * May attempt number `attempt` (from 0) to replace a session begin?  `limited`:
 * attempts have a time limit of their own.  After the run there is one attempt.
 */
bool verdict_may_connect(enum verdict_phase phase, unsigned attempt,
                         bool limited);

/* VERDICT_ABANDON or VERDICT_FATAL after the attempts.  `permanent`: more are
 * useless. */
enum verdict_class verdict_not_connected(enum verdict_phase phase,
                                         bool permanent);

/* The pause before repetition `attempt` (from 1) of an event: 0 for the first
 * ones, 100 ms at most. */
uint64_t error_restart_pause_ns(int attempt);

#endif
