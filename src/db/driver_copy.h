/*
 * driver_copy.h - a driver's calls for many rows of one table.
 */
#ifndef BENCH_DB_DRIVER_COPY_H
#define BENCH_DB_DRIVER_COPY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ffi_api.h"

struct outcome;
struct session;

enum copy_form {
  COPY_ROWS,   /* one at a time, as values */
  COPY_PLAIN,  /* text: tabs between values, line feeds after rows; values have
                  neither, nor backslashes */
  COPY_BINARY, /* PostgreSQL's binary COPY, without head and end */
};

struct copy_spec {
  const char *table;
  const char *const *columns; /* n names, unquoted */
  unsigned n;
  const char
    *kinds; /* n letters: 'i' integer, 't' text; [opt] with COPY_ROWS */
  enum copy_form form;
};

/* Rows sent the fastest way, inside the open transaction. */
struct driver_copy {
  enum copy_form form; /* the fastest for generated rows */
  /* [opt] With COPY_BINARY: SQLSTATEs, then NULL, after which the rows may be
   * tried as COPY_PLAIN. */
  const char *const *plain_after;
  bool checked; /* values of row() are checked like those of INSERT */
  /* [opt] May send queries.  False: *ret_why (static). */
  bool (*possible)(struct session *s, const char **ret_why);
  int (*begin)(struct session *s, const struct copy_spec *spec,
               struct outcome *out);
  /* [opt] Values as text, ptr NULL = NULL; borrowed for the call. */
  int (*row)(struct session *s, const sql_value *values, struct outcome *out);
  /* Whole rows; borrowed for the call. */
  int (*rows)(struct session *s, const char *rows, size_t len,
              struct outcome *out);
  /* out->taken: rows stored. */
  int (*end)(struct session *s, struct outcome *out);
  /* End the transfer, also after a failure; stored rows stay until the caller
   * rolls back. */
  void (*abort)(struct session *s);
};

#endif
