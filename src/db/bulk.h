/*
 * bulk.h - rows collected into multi-row statements.
 */
#ifndef BENCH_DB_BULK_H
#define BENCH_DB_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/conn_state.h"

struct conn;
struct statement_sizes;

/* What the server accepts; each session is asked once. */
const struct statement_sizes *bulk_sizes(struct conn *c);

/*
 * 0 or 1; details of an SQL error are in the connection.  DB_ERROR_NONE: no
 * memory, text too long, or nothing was begun.
 *
 * A packet with an ignorable error is sent again: in an event while the run
 * lasts, elsewhere a hundred times; but not inside a transaction of the script,
 * which has to repeat it.
 */
int bulk_init(struct conn *c, const char *sql, size_t len);
int bulk_next(struct conn *c, const char *row, size_t len);
int bulk_done(struct conn *c);

/* The event, or this attempt, has failed: drop its unsent rows. */
void bulk_undo(struct conn *c);

#endif
