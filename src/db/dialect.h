/*
 * dialect.h - how a kind of server differs from what its driver expects: rows
 * "key = value", built in or from a user's file.  Nothing in a file is
 * executed.
 */
#ifndef BENCH_DB_DIALECT_H
#define BENCH_DB_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/error_policy.h"
#include "opt/file.h"
#include "opt/optset.h"

struct err;
struct strbuf;

/* Constant once made; see dialect_rows[] for the keys. */
struct dialect {
  char name[64];
  struct optset set;        /* owned; the values of the rows */
  struct opt_file file;     /* owned; with the lines "type.NAME" */
  bool rewrites;            /* some statements are changed or skipped */
  bool types;               /* there are lines "type.NAME" */
  struct ignore_list retry; /* owned */

  int driver; /* -1: any */
  const char *index;
  struct opt_list skip, retried;
  int ids, primary_key, ddl;
  int load;                       /* enum load_method */
  uint64_t load_rows, load_bytes; /* 0: no limit */
  int ps_mode;                    /* enum ps_mode */
  bool server_stats;
};

/* `name`: a built-in one or a file.  -EINVAL: the error has the file and the
 * line, the key, and what is allowed. */
int dialect_new(struct dialect **ret, const char *name, struct err *err);
void dialect_free(struct dialect *d);

/* The built-in one of a server; NULL: the driver has none. */
const char *dialect_detect(const char *driver, const char *version);

/* The built-in one that a server's refusal hints at; NULL: none.  `target` has
 * the name of the host. */
const char *dialect_hint(const char *driver, const char *message,
                         const char *target);

/* For --dialect with another driver.  NULL: it fits. */
const char *dialect_other_driver(const struct dialect *d, const char *driver);

/* The text of a key; "type": not empty with lines "type.NAME"; "name".  ""
 * also without a dialect. */
const char *dialect_text(const struct dialect *d, const char *key);

enum dialect_verdict {
  DIALECT_SAME,
  DIALECT_CHANGED, /* *to is the statement */
  DIALECT_SKIP,
};

enum dialect_verdict dialect_rewrite(const struct dialect *d, const char *sql,
                                     size_t len, struct strbuf *to);

#endif
