/*
 * driver_visit.h - the whole life of a connection in one call of the driver:
 * open it, log in, execute one statement, close it.
 *
 * The driver does that by itself, without the client library, which is a
 * fraction of the work, and shows how long each step takes.
 */
#ifndef BENCH_DB_DRIVER_VISIT_H
#define BENCH_DB_DRIVER_VISIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outcome;
struct session;

enum visit_step {
  VISIT_RESOLVE, /* the name of the host */
  VISIT_CONNECT, /* the socket */
  VISIT_TLS,     /* the server is asked whether it wants TLS */
  VISIT_LOGIN,   /* up to the moment when the server awaits a statement */
  VISIT_QUERY,   /* the statement with its whole answer */
  VISIT_CLOSE,   /* the farewell */
  VISIT_STEPS
};

struct visit {
  /* Given. */
  const char *sql;
  size_t len;
  uint64_t until_ns; /* it fails at this moment at the latest */

  /* Set by the driver. */
  uint64_t
    took_ns[VISIT_STEPS]; /* 0: this step was not needed, or has failed */
  enum visit_step failed; /* if one has failed */
  char why_not[128];      /* VISIT_CANNOT: what only the library can */
};

enum visit_rc {
  VISIT_DONE = 0,
  VISIT_FAILED = -1, /* the outcome says why; nothing stays open */
  VISIT_CANNOT = 1,
};

/*
 * On a session that is not open.  WAITS; a fiber lets others run.  The outcome
 * is that of the statement, or of connect().
 */
typedef enum visit_rc driver_visit(struct session *s, struct visit *v,
                                   struct outcome *out);

#endif
