/*
 * visit.h - whole lives of connections: open, log in, execute one statement,
 * close.
 */
#ifndef BENCH_DB_VISIT_H
#define BENCH_DB_VISIT_H

#include <stdbool.h>
#include <stddef.h>

#include "db/driver_visit.h"

struct conn;
struct driver_handle;

enum visit_way {
  VISIT_AUTO, /* the library if the driver cannot */
  VISIT_OWN,  /* or fails */
  VISIT_LIBRARY,
};

/* A closed object; NULL: no memory. */
struct conn *visit_new(struct driver_handle *h);

/*
 * WAITS.  Each step in v->took_ns is a class; with the library, VISIT_LOGIN is
 * all before the statement.  False: see conn_failure().  VISIT_AUTO warns once
 * of the library.
 */
bool visit_make(struct conn *c, enum visit_way way, const char *sql, size_t len,
                struct visit *v);

#endif
