/*
 * dialect.h - differences of a server from its driver's: lines "key = value".
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

struct dialect {
  char name[64];
  struct optset set;        /* owned */
  struct opt_file file;     /* owned */
  bool rewrites, types;     /* has lines for dialect_rewrite(), "type.NAME" */
  struct ignore_list retry; /* owned */

  int driver; /* -1: any */
  const char *index;
  struct opt_list skip, retried;
  int ids, primary_key, ddl;
  int load;
  uint64_t load_rows, load_bytes; /* 0: unlimited */
  int ps_mode;
  bool server_stats;
};

/* `name`: built in, or a file.  -EINVAL. */
int dialect_new(struct dialect **ret, const char *name, struct err *err);
void dialect_free(struct dialect *d);

/* NULL: the driver has none. */
const char *dialect_detect(const char *driver, const char *version);

/* Which one a refusal hints at; NULL: none. */
const char *dialect_hint(const char *driver, const char *message,
                         const char *target);

/* NULL: `driver` fits. */
const char *dialect_other_driver(const struct dialect *d, const char *driver);

/* Of a key, "name" or "type"; `d` NULL: "". */
const char *dialect_text(const struct dialect *d, const char *key);

enum dialect_verdict {
  DIALECT_SAME,
  DIALECT_CHANGED,
  DIALECT_SKIP,
};

enum dialect_verdict dialect_rewrite(const struct dialect *d, const char *sql,
                                     size_t len, struct strbuf *to);

#endif
