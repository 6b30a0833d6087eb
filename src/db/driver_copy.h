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
  COPY_ROWS,
  COPY_PLAIN,  /* tabs between values, line feeds after rows; values have no
                * such bytes and no backslashes */
  COPY_BINARY, /* PostgreSQL's, without head and end */
};

struct copy_spec {
  const char *table;
  const char *const *columns; /* n names, unquoted */
  unsigned n;
  const char *kinds; /* 'i' integer, 't' text; [opt] with COPY_ROWS */
  enum copy_form form;
};

/* Inside the open transaction. */
struct driver_copy {
  enum copy_form form; /* for generated rows */
  /* [opt] With COPY_BINARY: SQLSTATEs after which COPY_PLAIN can work, then
   * NULL. */
  const char *const *plain_after;
  bool checked; /* checks constraints as INSERT does */
  /* [opt] Can send queries.  False: *ret_why (static). */
  bool (*possible)(struct session *s, const char **ret_why);
  int (*begin)(struct session *s, const struct copy_spec *spec,
               struct outcome *out);
  /* [opt] Text, ptr NULL = NULL; borrowed. */
  int (*row)(struct session *s, const sql_value *values, struct outcome *out);
  /* Whole rows; borrowed. */
  int (*rows)(struct session *s, const char *rows, size_t len,
              struct outcome *out);
  /* out->taken: rows stored. */
  int (*end)(struct session *s, struct outcome *out);
  /* Also after a failure; stored rows stay. */
  void (*abort)(struct session *s);
};

#endif
