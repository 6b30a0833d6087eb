/*
 * verdict.h - what has to become of a failure: pure functions of what happened.
 *
 * Nothing is sent, counted or printed here: see recover.h.
 */
#ifndef BENCH_DB_VERDICT_H
#define BENCH_DB_VERDICT_H

#include <stdbool.h>

#include "db/outcome.h"

struct ignore_list;

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

#endif
