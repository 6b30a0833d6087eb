/*
 * facts.h - keys and values about the surroundings of a run, for the results.
 * Keys are snake_case with a unit; a dot makes a group: "tls.protocol" becomes
 * { "tls": { "protocol": ... } }. A second value of a key replaces the first.
 * No secrets.
 */
#ifndef BENCH_BASE_FACTS_H
#define BENCH_BASE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fact_type {
  FACT_TEXT,
  FACT_INT,
  FACT_REAL,
  FACT_BOOL,
};

/* For facts of several processes. */
enum fact_merge {
  FACT_FIRST,
  FACT_SUM,
  FACT_MOST,
};

struct strbuf;

struct fact {
  char *key; /* owned */
  enum fact_type type;
  char *text; /* owned; FACT_TEXT */
  int64_t integer;
  double real; /* FACT_REAL */
  enum fact_merge merge;
};

/* {0} is empty. Without memory, facts are missing and `failed` is set. */
struct facts {
  struct fact *of; /* owned; in the order of setting */
  size_t n, room;
  bool failed;
};

void facts_done(struct facts *f);

void facts_text(struct facts *f, const char *key, const char *value);
void facts_int(struct facts *f, const char *key, int64_t value);
void facts_real(struct facts *f, const char *key, double value);
void facts_bool(struct facts *f, const char *key, bool value);

/* For the numbers whose keys begin with `key`. */
void facts_merge_as(struct facts *f, const char *key, enum fact_merge merge);
/* Into the fact of the same key and type, if any. */
void facts_merge(struct facts *f, const struct fact *other);

/* NULL: not set. */
struct fact *facts_find(const struct facts *f, const char *key);

/* "MariaDB 10.11.19". */
void facts_server_name(const char *driver, const char *version,
                       struct strbuf *out);

#endif
