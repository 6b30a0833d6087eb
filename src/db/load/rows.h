/*
 * rows.h - writes generated rows in the form of a database, and makes those of
 * the OLTP tables.
 *
 * row_begin(), a function for each column in order, row_end().  Texts have no
 * control characters, backslashes or quotation marks.
 */
#ifndef BENCH_LOAD_ROWS_H
#define BENCH_LOAD_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/rand/dist.h"

enum rows_form {
  ROWS_PLAIN,  /* tabs, \N for NULL, a line feed */
  ROWS_BINARY, /* PostgreSQL's COPY in binary form */
  ROWS_SQL,    /* "(1,2,'...','...')," for INSERT */
};

enum {
  ROW_INT_MAX = 24,  /* bytes of an integer */
  ROW_TEXT_HEAD = 4, /* bytes, without the text */
  ROW_HEAD = 4,      /* bytes of a row, without its values */
};

struct row {
  enum rows_form form;
  char *at;
  unsigned column;
};

void row_begin(struct row *r, enum rows_form form, unsigned columns, char *to);
char *row_end(struct row *r);

/* Of 32 and of 64 bits. */
void row_int(struct row *r, int64_t value);
void row_long(struct row *r, int64_t value);
/* In units of the last of `decimals` digits: -1000 with 2 is -10.00. */
void row_decimal(struct row *r, int64_t units, unsigned decimals);
/* Also for dates, in ISO 8601. */
void row_text(struct row *r, const char *text, size_t len);
void row_null(struct row *r);

enum {
  GROUP = 12 /* eleven digits and a `-` */
};

enum {
  ROWS_C = 119,  /* characters */
  ROWS_PAD = 59, /* characters */
  ROWS_MAX = 256 /* bytes of a row, rounded up */
};

/* For one table, on one thread. */
struct rows {
  uint64_t seed, table, size;
  const struct rand_params *params; /* borrowed */
  bool wide;                        /* ROWS_BINARY: columns of 64 bits */
  struct zipf_cache zipf;
};

void rows_init(struct rows *r, const struct rand_params *params, uint64_t seed,
               uint64_t table, uint64_t size);

/* Returns k; c and pad end without a zero byte. */
uint64_t rows_values(struct rows *r, uint64_t id, char c[ROWS_C],
                     char pad[ROWS_PAD]);

/* At most ROWS_MAX bytes; returns how many. */
size_t rows_put(struct rows *r, enum rows_form form, uint64_t id, char *to);

#endif
