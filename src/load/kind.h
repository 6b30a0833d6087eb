/*
 * kind.h - kinds of tables that the loader can fill and check: one for each
 * workload.  Each row is a pure function of the seed, the table and a key, so
 * any thread can make it at any time.
 *
 * The keys of a table are numbered 1, 2, ..., and stand for all values of its
 * first key columns in order: a mixed number, whose last column changes first.
 * A key has one row, or several rows with a column that numbers them.  A chunk
 * of a load is a range of keys.
 *
 * To add a kind: a file in src/load/kinds with a const struct kind, and a line
 * in kinds/kind_list.c.
 */
#ifndef BENCH_LOAD_KIND_H
#define BENCH_LOAD_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/rows.h"

struct err;
struct rand_params;
struct strbuf;

enum {
  KIND_NAME = 40, /* bytes of a table's name, with its end */
  KIND_KEYS = 4,  /* key columns of a table */
  KIND_COLUMNS = 24,
  KIND_PARAMS = 8,            /* parameters of a kind */
  KIND_DIGITS = 19,           /* of a number that is part of a text */
  KIND_BYTES_MAX = 32 * 1024, /* of the rows of a key */
};

/* What a load is made from. */
struct kind_args {
  uint64_t seed;
  const struct rand_params *rand; /* borrowed: --rand-* */
  uint64_t value[KIND_PARAMS];    /* in the order of kind->params */
};

/*
 * A key column has the values first, first + step, ...; `count` of them.  With
 * a prefix, it is a text: the prefix and KIND_DIGITS digits.  Only a table with
 * one key column may have steps or a prefix.
 */
struct kind_key {
  const char *name;
  uint64_t first, count;
  uint64_t step;      /* 0: 1 */
  const char *prefix; /* [opt] letters */
};

/* The distance between two values of the column. */
static inline uint64_t kind_step(const struct kind_key *k)
{
  return k->step ? k->step : 1;
}

struct kind_table {
  char name[KIND_NAME];
  /* The columns that are loaded.  Those of the key are among them. */
  const char *const *columns;
  unsigned n;
  /* For each column 'i' (an integer) or 't' (anything else). */
  const char *types;
  struct kind_key key[KIND_KEYS];
  unsigned keys; /* key columns; 0: the table stays empty */
  /* [opt] If a key has several rows: the column that numbers them from 1. */
  const char *line;
  unsigned per_key;    /* rows of a key on average, at least 1 */
  size_t bytes_max;    /* of the rows of a key in any form: <= KIND_BYTES_MAX */
  unsigned disk_bytes; /* on disk of a row with its indexes, estimated; 0: as
                          the driver says for the OLTP tables */
  /* A column has a type (decimal, date) that rows.h has in binary form only as
   * a text, which PostgreSQL refuses: such rows are sent to it as text. */
  bool plain;
};

/* Makes the rows of one table.  Belongs to one thread. */
struct maker {
  const struct kind *kind;
  struct kind_args args;
  uint64_t number;         /* of the table */
  struct kind_table table; /* its description */
  void *state; /* owned; [kind->state_size], zeroed before begin() */
};

struct kind {
  const char *name;
  /* Names of the parameters that scripts give; the last one is NULL. */
  const char *const *params;
  uint64_t tables; /* numbered 1..tables; 0: as many as the script says */
  /* [opt] Check the parameters.  -EINVAL: the error names one. */
  int (*check)(const struct kind_args *args, struct err *err);
  /* Describe table `number`; *ret was zeroed. */
  void (*describe)(const struct kind_args *args, uint64_t number,
                   struct kind_table *ret);
  size_t state_size;
  void (*begin)(struct maker *m); /* [opt] Fill in the state. */
  /* Rows of a key; only for tables with `line`. */
  unsigned (*lines)(struct maker *m, uint64_t key);
  /* Write all rows of a key; return the number of bytes. */
  size_t (*put)(struct maker *m, enum rows_form form, uint64_t key, char *to);
  /* Words of messages: the options that the rows depend on, the one that their
   * number depends on, and what helps if there is no room. */
  const char *depends, *size_option, *fewer;
};

/* Describe table `number`. */
void kind_describe(const struct kind *kind, const struct kind_args *args,
                   uint64_t number, struct kind_table *ret);
/* The number of keys. */
uint64_t kind_keys(const struct kind_table *t);
/* The values of the key columns: to[t->keys]. */
void kind_split(const struct kind_table *t, uint64_t key, uint64_t *to);

/* Returns -ENOMEM.  maker_done() accepts a zeroed one. */
int maker_init(struct maker *m, const struct kind *kind,
               const struct kind_args *args, uint64_t number);
void maker_done(struct maker *m);
/* The number of rows of the keys first..last. */
uint64_t maker_rows(struct maker *m, uint64_t first, uint64_t last);

/* Add SELECT with all columns, and the table. */
void kind_select(const struct kind_table *t, struct strbuf *sql);

/*
 * Add a condition for keys from `first` on: the largest part of first..last
 * that is a range of one key column, with fixed values of those before it and
 * all values of those after it.  An index on the key columns finds such rows.
 * Returns the last key of the part.
 */
uint64_t kind_range(const struct kind_table *t, uint64_t first, uint64_t last,
                    struct strbuf *sql);

/* Add a condition for rows that have no key of the table, except for NULL. */
void kind_outside(const struct kind_table *t, struct strbuf *sql);

/* Add an expression for the key minus one, times kind_key_step(). */
void kind_key_sql(const struct kind_table *t, struct strbuf *sql);
uint64_t kind_key_step(const struct kind_table *t);

/* Add the columns that order the rows. */
void kind_order(const struct kind_table *t, struct strbuf *sql);

/* Add "row 17", or "row (1, 3, 17)" if more columns than one name it.  `line`
 * counts from 1. */
void kind_row_name(const struct kind_table *t, uint64_t key, uint64_t line,
                   struct strbuf *to);

/* Add "rows 1 to 5000", or "rows (1, 1, 1) to (1, 2, 500)". */
void kind_row_names(const struct kind_table *t, uint64_t first, uint64_t last,
                    struct strbuf *to);

#endif
