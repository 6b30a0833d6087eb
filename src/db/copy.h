/*
 * copy.h - many rows of one table, the driver's fastest way.
 *
 * Rows belong to the connection's open transaction.  A failed call has ended
 * the copy: details as after conn_query(); the caller rolls back.
 */
#ifndef BENCH_DB_COPY_H
#define BENCH_DB_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver_copy.h"

struct conn;

/* May send statements.  False: *ret_why (static). */
bool copy_possible(struct conn *c, const char **ret_why);

/* 0 or 1.  `kinds` must live until the copy ends; until then no other call on
 * the connection. */
int copy_begin(struct conn *c, const struct copy_spec *spec);
int copy_row(struct conn *c, const sql_value *values);
/* In the form of the spec. */
int copy_rows(struct conn *c, const char *rows, size_t len);
/* *ret_rows: rows stored. */
int copy_end(struct conn *c, uint64_t *ret_rows);

#endif
