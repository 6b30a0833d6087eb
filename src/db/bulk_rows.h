/*
 * bulk_rows.h - rows of a bulk insert that are collected as the text of one
 * statement.
 *
 * Each row belongs to the event that has added it, so that those of an event
 * that fails can be dropped.
 */
#ifndef BENCH_DB_BULK_ROWS_H
#define BENCH_DB_BULK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

struct recorder;

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
  struct recorder *recorder; /* counts their statement; [opt] */
  uint64_t trx_rows;         /* sent in the layer's transaction */
  uint64_t event;            /* the last one that has added rows */
  uint64_t event_rows;       /* `rows` when it began, and how much of `text` */
  size_t event_len;
  struct strbuf text;
};

/* The first `rows` rows stay; they end at `len`. */
void bulk_rows_cut(struct bulk *b, uint64_t rows, size_t len);
/* An event begins to add rows. */
void bulk_rows_mark(struct bulk *b, uint64_t event);
/* The statement begins anew, after its rows were sent or dropped. */
void bulk_rows_rewind(struct bulk *b);
/* Add a row; the caller counts it, and looks at text.failed. */
void bulk_rows_add(struct bulk *b, const char *row, size_t len);

#endif
