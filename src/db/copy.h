/*
 * copy.h - many rows of one table by the fastest way that the driver has.
 *
 * The rows belong to the transaction that is open on the connection.  A call
 * that failed has ended the copy; its details are in the connection, as after
 * conn_query(), and an open transaction is the caller's to roll back.
 */
#ifndef BENCH_DB_COPY_H
#define BENCH_DB_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver_copy.h"

struct conn;

/*
 * The driver has such a way and the server lets it be used (may send
 * statements).  False: *ret_why says why not (static).
 */
bool copy_possible(struct conn *c, const char **ret_why);

/* 0 or 1.  The spec's `kinds` must live until the copy ends; until then nothing
 * else is to be done with the connection. */
int copy_begin(struct conn *c, const struct copy_spec *spec);
int copy_row(struct conn *c, const sql_value *values);
/* Whole rows in the form of the spec. */
int copy_rows(struct conn *c, const char *rows, size_t len);
/* *ret_rows: how many the database has taken. */
int copy_end(struct conn *c, uint64_t *ret_rows);

#endif
