/*
 * bulk.h - rows collected into multi-row statements.
 */
#ifndef BENCH_DB_BULK_H
#define BENCH_DB_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

struct conn;
struct statement_sizes;

enum {
  BULK_PACKET = 524287,   /* bytes of a statement inside a run */
  BULK_TRX_ROWS = 100000, /* rows of a transaction of the layer's own */
};

/* The bulk insert of a connection. */
struct bulk {
  bool active;
  bool own_trx;              /* the layer began a transaction */
  size_t prefix_len;         /* everything before the rows */
  size_t limit;              /* bytes of a packet */
  uint64_t rows;             /* in `text` */
  struct recorder *recorder; /* what counts their statement; [opt] */
  uint64_t trx_rows;         /* sent in the layer's transaction */
  uint64_t event;            /* the last one that has added rows */
  uint64_t event_rows;       /* `rows` when it began, and how much of `text` */
  size_t event_len;
  struct strbuf text;
};

/* What the server takes on this connection, which is asked once. */
const struct statement_sizes *bulk_sizes(struct conn *c);

/*
 * All return 0 or 1; details of SQL errors in the connection.  1 without one:
 * pub.error is DB_ERROR_NONE (no memory, text too long, not begun).
 *
 * A packet that fails with an ignorable error is sent again: in an event while
 * the run lasts, elsewhere a hundred times.  Inside a transaction of the script
 * it is not: that is for the script to repeat, whose event starts again.
 */
int bulk_init(struct conn *c, const char *sql, size_t len);
int bulk_next(struct conn *c, const char *row, size_t len);
int bulk_done(struct conn *c);

/* The open event, or this attempt of it, has failed: the rows that it has added
 * and that are not sent yet are dropped. */
void bulk_undo(struct conn *c);

#endif
