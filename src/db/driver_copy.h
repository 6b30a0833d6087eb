/*
 * driver_copy.h - the calls of a driver for many rows of one table.
 */
#ifndef BENCH_DB_DRIVER_COPY_H
#define BENCH_DB_DRIVER_COPY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ffi_api.h"

struct outcome;
struct session;

/* How rows are handed over in a copy. */
enum copy_form {
  COPY_ROWS,   /* one at a time, as values */
  COPY_PLAIN,  /* as text: tabs between values, a line feed after each row;
                * no value holds one of them or a backslash */
  COPY_BINARY, /* as PostgreSQL's COPY in binary form, without head and end */
};

struct copy_spec {
  const char *table;
  const char *const *columns; /* n names, unquoted */
  unsigned n;
  const char *kinds; /* n letters: 'i' an integer, 't' a text; [opt] with
                      * COPY_ROWS */
  enum copy_form form;
};

/* Rows sent by the fastest way, as a part of the transaction that is open. */
struct driver_copy {
  enum copy_form form; /* the quickest one for rows that are generated */
  /* [opt] With COPY_BINARY: states of failures after which the rows may be
   * tried once more as COPY_PLAIN; the last one is NULL. */
  const char *const *plain_after;
  bool checked; /* values of row() are checked as those of an INSERT are */
  /* [opt] May send queries.  False: *ret_why says why not (static). */
  bool (*possible)(struct session *s, const char **ret_why);
  int (*begin)(struct session *s, const struct copy_spec *spec,
               struct outcome *out);
  /* [opt] Values as text, ptr NULL = NULL; borrowed until the call returns. */
  int (*row)(struct session *s, const sql_value *values, struct outcome *out);
  /* Whole rows; borrowed until the call returns. */
  int (*rows)(struct session *s, const char *rows, size_t len,
              struct outcome *out);
  /* Ends the transfer; out->taken rows have been stored. */
  int (*end)(struct session *s, struct outcome *out);
  /* Ends it, also after a failure of the above; what was stored stays until
   * the caller rolls back. */
  void (*abort)(struct session *s);
};

#endif
