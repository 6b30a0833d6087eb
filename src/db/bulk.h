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

/* The sizes of statements that the server accepts; each session is asked once.
 */
const struct statement_sizes *bulk_sizes(struct conn *c);

/*
 * All return 0 or 1; the connection has the details of an SQL error.  When
 * there was none, pub.error is DB_ERROR_NONE: no memory, the text is too long,
 * or nothing was begun.
 *
 * A packet that fails with an ignorable error is sent again: in an event while
 * the run lasts, elsewhere a hundred times.  Inside a transaction of the script
 * it is not: the script has to repeat it, as its event starts again.
 */
int bulk_init(struct conn *c, const char *sql, size_t len);
int bulk_next(struct conn *c, const char *row, size_t len);
int bulk_done(struct conn *c);

/* The open event, or this attempt at it, has failed: rows that it has added and
 * that were not sent yet are dropped. */
void bulk_undo(struct conn *c);

#endif
