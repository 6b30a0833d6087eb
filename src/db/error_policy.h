/*
 * error_policy.h - the meaning of a failure: pure functions, which recover.h
 * carries out.
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

struct ignore_item {
  int code;      /* 0: the state decides */
  char state[6]; /* SQLSTATE or class */
};

struct ignore_list {
  bool all, connection;
  bool failover;
  size_t n;
  struct ignore_item *items; /* owned */
};

enum ignore_kind {
  IGNORE_NUMBERS, /* digits are a native number 0..65535 */
  /* One to four digits: a number; five characters: a SQLSTATE; two: a class. */
  IGNORE_ANY,
};

/* {0} is empty. -EINVAL: not an item. */
int ignore_list_add(struct ignore_list *l, const struct opt_list *items,
                    enum ignore_kind kind, const int *connection_codes,
                    struct err *err);
void ignore_list_done(struct ignore_list *l);

bool ignore_list_has(const struct ignore_list *l, const struct outcome *out);

struct driver_refusal {
  int code; /* 0: the state decides */
  const char *state;
  const char *says; /* [opt] */
  enum fault_phase phase;
};

enum fault_place {
  FAULT_ALONE,
  FAULT_INSIDE,
  FAULT_COMMITS
};

/* False: not a failure of the service. */
bool error_fault(const struct driver *d, const struct outcome *out,
                 enum fault_place place, enum fault_phase *ret);

enum fault_phase error_connect_fault(const struct driver *d,
                                     const struct outcome *out);

const struct driver_refusal *error_refusal(const struct driver *d,
                                           const struct outcome *out);

enum verdict_phase {
  VERDICT_OUTSIDE,
  VERDICT_AFTER,
  VERDICT_EVENT,
  VERDICT_LEAVE,
  VERDICT_DEAD, /* all calls fail */
};

struct verdict_case {
  const struct outcome *out;
  enum call call;
  const struct ignore_list *ignore;
  const struct ignore_list *retry; /* [opt] of the dialect */
  bool (*always_ignorable)(const struct outcome *out); /* [opt] */
  enum verdict_phase phase;
  bool refused; /* the server is to be left */
  bool in_trx;
  bool at_once; /* DRIVER_ROLLBACK_AT_ONCE */
};

enum verdict_class {
  VERDICT_MISUSE,  /* the script gets out->api_error */
  VERDICT_ABANDON, /* no error is counted */
  VERDICT_IGNORE,
  VERDICT_REPLACE,
  VERDICT_FATAL,
};

struct verdict {
  enum verdict_class class;
  bool count;
  bool rollback;
  bool mark; /* roll back before the next transaction */
  bool drop;
  bool message; /* until the script's hook was asked */
};

struct verdict verdict_failed(const struct verdict_case *v);

bool verdict_ignorable(const struct verdict_case *v);

bool verdict_is_cut(const struct outcome *out, bool dead);

/* `lost`: the session was dropped. */
struct verdict verdict_forgiven(const struct verdict_case *v, bool lost);

/* Can attempt number `attempt` (from 0) to replace a session begin?  `limited`:
 * attempts have their own limit.  One after the run. */
bool verdict_may_connect(enum verdict_phase phase, unsigned attempt,
                         bool limited);

/* VERDICT_ABANDON or VERDICT_FATAL. */
enum verdict_class verdict_not_connected(enum verdict_phase phase,
                                         bool permanent);

/* 0 for the first repetitions, then up to 100 ms. */
uint64_t error_restart_pause_ns(int attempt);

#endif
