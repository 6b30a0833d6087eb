/*
 * visit.h - whole lives of connections: open, log in, execute one statement,
 * close.
 *
 * A connection object, closed between calls, stands for the client; failures
 * are those of statements.
 */
#ifndef BENCH_DB_VISIT_H
#define BENCH_DB_VISIT_H

#include <stdbool.h>
#include <stddef.h>

#include "db/driver_visit.h"

struct conn;
struct driver_handle;

/* Who opens connections. */
enum visit_way {
  VISIT_AUTO, /* the driver if it can, else the library */
  VISIT_OWN,  /* the driver, or the visit fails */
  VISIT_LIBRARY,
};

/* A closed object; NULL: no memory. */
struct conn *visit_new(struct driver_handle *h);

/*
 * One life, which executes `sql`; WAITS.  v->took_ns has its steps, each a
 * class; all that the library does before the statement is VISIT_LOGIN.  False:
 * see conn_failure().  With VISIT_AUTO, the first use of the library is warned
 * of.
 */
bool visit_make(struct conn *c, enum visit_way way, const char *sql, size_t len,
                struct visit *v);

#endif
