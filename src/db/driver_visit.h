/*
 * driver_visit.h - a connection's whole life in one call, without the client
 * library: open, log in, execute one statement, close.
 */
#ifndef BENCH_DB_DRIVER_VISIT_H
#define BENCH_DB_DRIVER_VISIT_H

#include <stddef.h>
#include <stdint.h>

struct outcome;
struct session;

enum visit_step {
  VISIT_RESOLVE,
  VISIT_CONNECT,
  VISIT_TLS,         /* request and handshake */
  VISIT_TLS_RESUMED, /* the same, of an earlier session */
  VISIT_LOGIN,       /* until the server awaits a statement */
  VISIT_QUERY,
  VISIT_CLOSE,
  VISIT_STEPS
};

struct visit {
  const char *sql;
  size_t len;
  uint64_t until_ns;

  uint64_t took_ns[VISIT_STEPS]; /* 0: not needed, or failed */
  enum visit_step failed;
  char why_not[128]; /* VISIT_CANNOT: why the library is needed */
};

enum visit_rc {
  VISIT_DONE = 0,
  VISIT_FAILED = -1, /* nothing stays open */
  VISIT_CANNOT = 1,
};

/* On a closed session.  WAITS; a fiber lets others run.  The outcome is the
 * statement's, or connect()'s. */
typedef enum visit_rc driver_visit(struct session *s, struct visit *v,
                                   struct outcome *out);

#endif
