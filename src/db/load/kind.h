/*
 * kind.h - kinds of tables for the loader, one for each workload.  A row is a
 * pure function of the seed, the table and a key: any thread can make any row.
 *
 * Keys 1, 2, ... count through the values of the key columns; the last column
 * changes first.  A key has one row, or several that a column numbers.
 */
#ifndef BENCH_LOAD_KIND_H
#define BENCH_LOAD_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver.h"
#include "db/load/rows.h"

struct err;
struct rand_params;
struct strbuf;

enum {
  KIND_NAME = 40, /* bytes, with the end */
  KIND_KEYS = 4,  /* key columns */
  KIND_COLUMNS = 24,
  KIND_PARAMS = 8,
  KIND_DIGITS = 19,           /* of a number in a text */
  KIND_BYTES_MAX = 32 * 1024, /* of the rows of a key */
};

struct kind_args {
  uint64_t seed;
  const struct rand_params *rand; /* borrowed: --rand-* */
  uint64_t value[KIND_PARAMS];    /* in the order of kind->params */
};

/* Values first, first + step, ...; with a prefix, texts of KIND_DIGITS digits.
 * Steps and prefixes only if there is one key column. */
struct kind_key {
  const char *name;
  uint64_t first, count;
  uint64_t step;      /* 0: 1 */
  const char *prefix; /* [opt] letters */
};

static inline uint64_t kind_step(const struct kind_key *k)
{
  return k->step ? k->step : 1;
}

struct kind_table {
  char name[KIND_NAME];
  /* All loaded columns, with the key's. */
  const char *const *columns;
  unsigned n;
  /* 'i' (integer) or 't' for each column */
  const char *types;
  struct kind_key key[KIND_KEYS];
  unsigned keys; /* 0: the table stays empty */
  /* [opt] The column that numbers the rows of a key from 1. */
  const char *line;
  unsigned per_key; /* average rows of a key, at least 1 */
  size_t bytes_max; /* of the rows of a key: <= KIND_BYTES_MAX */
  /* A row with its indexes; measured. */
  unsigned disk_bytes[SPACE_SERVERS];
  /* Send rows as text: PostgreSQL refuses the binary form of a column, because
   * rows.h writes decimals and dates as text. */
  bool plain;
};

/* Makes the rows of a table, on one thread. */
struct maker {
  const struct kind *kind;
  struct kind_args args;
  uint64_t number;
  struct kind_table table;
  void *state; /* owned; zeroed before begin() */
};

struct kind {
  const char *name;
  /* From scripts; ends with NULL. */
  const char *const *params;
  uint64_t tables; /* 1..tables; 0: the script decides */
  /* [opt] -EINVAL: the error names a parameter. */
  int (*check)(const struct kind_args *args, struct err *err);
  /* *ret was zeroed. */
  void (*describe)(const struct kind_args *args, uint64_t number,
                   struct kind_table *ret);
  size_t state_size;
  void (*begin)(struct maker *m); /* [opt] sets the state */
  /* Rows of a key, for tables with `line`. */
  unsigned (*lines)(struct maker *m, uint64_t key);
  /* All rows of a key; returns bytes. */
  size_t (*put)(struct maker *m, enum rows_form form, uint64_t key, char *to);
  /* For messages: what rows depend on, what their number depends on, and what
   * helps without room. */
  const char *depends, *size_option, *fewer;
};

static inline void kind_set_disk(struct kind_table *t, unsigned pgsql,
                                 unsigned innodb, unsigned sqlite)
{
  t->disk_bytes[SPACE_PGSQL] = pgsql;
  t->disk_bytes[SPACE_INNODB] = innodb;
  t->disk_bytes[SPACE_SQLITE] = sqlite;
}

void kind_describe(const struct kind *kind, const struct kind_args *args,
                   uint64_t number, struct kind_table *ret);
uint64_t kind_keys(const struct kind_table *t);
/* Values of the key columns: to[t->keys]. */
void kind_split(const struct kind_table *t, uint64_t key, uint64_t *to);

/* -ENOMEM. maker_done() accepts a zeroed one. */
int maker_init(struct maker *m, const struct kind *kind,
               const struct kind_args *args, uint64_t number);
void maker_done(struct maker *m);
uint64_t maker_rows(struct maker *m, uint64_t first, uint64_t last);

void kind_select(const struct kind_table *t, struct strbuf *sql);

/*
 * A condition for keys from `first` on: the largest range of one key column in
 * first..last, with fixed columns before and all values after, for an index.
 * Returns the last key of the range.
 */
uint64_t kind_range(const struct kind_table *t, uint64_t first, uint64_t last,
                    struct strbuf *sql);

/* A condition for rows without a key of the table, except NULL. */
void kind_outside(const struct kind_table *t, struct strbuf *sql);

/* (key - 1) * kind_key_step(). */
void kind_key_sql(const struct kind_table *t, struct strbuf *sql);
uint64_t kind_key_step(const struct kind_table *t);

void kind_order(const struct kind_table *t, struct strbuf *sql);

/* "row 17", or "row (1, 3, 17)" with several columns.  `line` is from 1. */
void kind_row_name(const struct kind_table *t, uint64_t key, uint64_t line,
                   struct strbuf *to);

/* "rows 1 to 5000", or "rows (1, 1, 1) to (1, 2, 500)". */
void kind_row_names(const struct kind_table *t, uint64_t first, uint64_t last,
                    struct strbuf *to);

#endif
