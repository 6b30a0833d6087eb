/*
 * bulk.h - rows collected into multi-row statements.
 */
#ifndef BENCH_DB_BULK_H
#define BENCH_DB_BULK_H

#include <stddef.h>

#include "db/conn_state.h"

struct statement_sizes;

/* Asks each session once. */
const struct statement_sizes *bulk_sizes(struct conn *c);

/*
 * 0 or 1; pub.error DB_ERROR_NONE: no memory, text too long, or nothing begun.
 *
 * A packet with an ignorable error is sent again: in an event while the run
 * lasts, elsewhere a hundred times, but not inside a script's transaction.
 */
int bulk_init(struct conn *c, const char *sql, size_t len);
int bulk_next(struct conn *c, const char *row, size_t len);
int bulk_done(struct conn *c);

/* Drops the unsent rows of a failed event or attempt. */
void bulk_undo(struct conn *c);

#endif
