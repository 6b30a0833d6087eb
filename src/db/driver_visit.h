/*
 * driver_visit.h - a connection's whole life in one call, without the client
 * library: open, log in, execute one statement, close; each step is measured.
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
  VISIT_TLS,   /* asking for TLS, and the handshake */
  VISIT_LOGIN, /* until a statement is awaited */
  VISIT_QUERY,
  VISIT_CLOSE,
  VISIT_STEPS
};

struct visit {
  /* Given. */
  const char *sql;
  size_t len;
  uint64_t until_ns; /* at the latest */

  uint64_t took_ns[VISIT_STEPS]; /* 0: not needed, or failed */
  enum visit_step failed;
  char why_not[128]; /* VISIT_CANNOT: what needs the library */
};

enum visit_rc {
  VISIT_DONE = 0,
  VISIT_FAILED = -1, /* nothing stays open */
  VISIT_CANNOT = 1,
};

/* On a closed session.  WAITS; a fiber lets others run.  The outcome is that of
 * the statement, or of connect(). */
typedef enum visit_rc driver_visit(struct session *s, struct visit *v,
                                   struct outcome *out);

#endif
