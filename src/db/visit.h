/*
 * visit.h - whole lives of connections, one after the other: open, log in,
 * execute one statement, close.
 *
 * A connection object that is never open between two calls stands for the
 * client.  Its failures are reported as those of statements.
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
  VISIT_AUTO,    /* the driver itself if it can, otherwise the library */
  VISIT_OWN,     /* the driver itself, or the visit fails */
  VISIT_LIBRARY, /* the client library */
};

/* A closed object; NULL: no memory. */
struct conn *visit_new(struct driver_handle *h);

/*
 * One life, in which `sql` is executed; WAITS.  v->took_ns has its steps; what
 * the library does until the server awaits a statement is one step,
 * VISIT_LOGIN.  Each step is recorded in a class of its own.  False: it has
 * failed, see conn_failure().  The first failure of VISIT_AUTO to do without
 * the library is reported as a warning.
 */
bool visit_make(struct conn *c, enum visit_way way, const char *sql, size_t len,
                struct visit *v);

#endif
