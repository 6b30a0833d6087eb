/*
 * visit.h - whole lives of connections: open, log in, execute one statement,
 * close.  A closed object stands for the client.
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
  VISIT_AUTO, /* the library if the driver cannot */
  VISIT_OWN,  /* or fails */
  VISIT_LIBRARY,
};

/* A closed object; NULL: no memory. */
struct conn *visit_new(struct driver_handle *h);

/*
 * WAITS.  v->took_ns has the steps, each a class; with the library all before
 * the statement is VISIT_LOGIN.  False: see conn_failure().  VISIT_AUTO warns
 * once of the library.
 */
bool visit_make(struct conn *c, enum visit_way way, const char *sql, size_t len,
                struct visit *v);

#endif
