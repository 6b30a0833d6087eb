/*
 * rows.h - writes generated rows in the form that a database accepts, and makes
 * those of the OLTP tables.
 *
 * A kind of tables calls row_begin(), then a function for each column in the
 * order of its list, then row_end().  No text has a tab, a line feed, another
 * control character, a backslash or a quotation mark in it.
 */
#ifndef BENCH_LOAD_ROWS_H
#define BENCH_LOAD_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rand/dist.h"

/* The form of a row on its way to the database. */
enum rows_form {
  ROWS_PLAIN,  /* values with tabs between them, \N for NULL, and a line feed */
  ROWS_BINARY, /* PostgreSQL's COPY in binary form */
  ROWS_SQL,    /* "(1,2,'...','...')," for INSERT */
};

enum {
  ROW_INT_MAX = 24,  /* bytes of an integer in any form */
  ROW_TEXT_HEAD = 4, /* bytes of a text in any form, besides the text */
  ROW_HEAD = 4,      /* bytes of a row in any form, besides its values */
};

struct row {
  enum rows_form form;
  char *at; /* the end of what was written */
  unsigned column;
};

/* Start a row of so many columns at `to`. */
void row_begin(struct row *r, enum rows_form form, unsigned columns, char *to);
/* Return the end of the row. */
char *row_end(struct row *r);

/* An integer column: one of 32 bits, one of 64 bits. */
void row_int(struct row *r, int64_t value);
void row_long(struct row *r, int64_t value);
/* A fixed-point column, for a value in units of the last of `decimals` digits:
 * -1000 with two decimals is -10.00. */
void row_decimal(struct row *r, int64_t units, unsigned decimals);
/* A text, or a date in the form of ISO 8601. */
void row_text(struct row *r, const char *text, size_t len);
void row_null(struct row *r);

enum {
  GROUP = 12 /* bytes: eleven digits and a `-` */
};

enum {
  ROWS_C = 119,  /* characters of column c */
  ROWS_PAD = 59, /* characters of column pad */
  ROWS_MAX = 256 /* bytes of one row in any form, with some reserve */
};

/* Makes the rows of one table; belongs to one thread. */
struct rows {
  uint64_t seed, table, size;
  const struct rand_params *params; /* borrowed */
  bool wide;                        /* ROWS_BINARY: columns of 64 bits */
  struct zipf_cache zipf;
};

/* A table of `size` rows. */
void rows_init(struct rows *r, const struct rand_params *params, uint64_t seed,
               uint64_t table, uint64_t size);

/* The values of row `id`: returns k, and writes c and pad without a zero
 * byte. */
uint64_t rows_values(struct rows *r, uint64_t id, char c[ROWS_C],
                     char pad[ROWS_PAD]);

/* Write row `id`, at most ROWS_MAX bytes; returns what was written. */
size_t rows_put(struct rows *r, enum rows_form form, uint64_t id, char *to);

#endif
