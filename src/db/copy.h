/*
 * copy.h - many rows of one table, in the driver's fastest way, inside the open
 * transaction.  A failure ends the copy; the caller rolls back.
 */
#ifndef BENCH_DB_COPY_H
#define BENCH_DB_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver_copy.h"

struct conn;

/* Can send statements.  False: *ret_why (static). */
bool copy_possible(struct conn *c, const char **ret_why);

/* 0 or 1.  `kinds` lives until the end of the copy; other calls wait. */
int copy_begin(struct conn *c, const struct copy_spec *spec);
int copy_row(struct conn *c, const sql_value *values);
int copy_rows(struct conn *c, const char *rows, size_t len);
int copy_end(struct conn *c, uint64_t *ret_rows);

#endif
