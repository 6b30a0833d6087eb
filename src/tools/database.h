/*
 * database.h - `bench database` and `bench try`: a fixed protocol of short runs
 * against one database.
 *
 * Every step is a run in a process of its own. Change DATABASE_PROTOCOL with
 * the order, workload or meaning of a part.
 */
#ifndef BENCH_TOOLS_DATABASE_H
#define BENCH_TOOLS_DATABASE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "results/kept.h"
#include "tools/child.h"
#include "tools/find.h"
#include "tools/result.h"

struct opt_entry;
struct tool_args;

enum {
  DATABASE_PROTOCOL = 1,
  DATABASE_STEPS_MAX = 64,
  DATABASE_TABLES = 4,
  DATABASE_SENTENCES = 5,
};

enum database_part {
  DATABASE_FLOOR,
  DATABASE_CONNECT,
  DATABASE_CONNECT_TLS, /* with or without TLS */
  DATABASE_POINT,
  DATABASE_READS,
  DATABASE_WRITES,
  DATABASE_ISOLATION,
  DATABASE_CURVE,
  DATABASE_SEARCH,
  DATABASE_STEADY,
  DATABASE_PARTS
};

struct database_step {
  enum database_part part;
  char name[64]; /* "curve, 8 connections" */
  unsigned threads;
  int status;
  struct result_file result; /* json NULL: it failed */
};

struct database_how {
  enum database_part part;
  const char *name; /* [opt] the part's name */
  const char *test;
  double time_s, rate;
  unsigned threads;
  bool judged; /* by the objective */
  bool may_fail;
  const char *option[2]; /* [opt] */
};

struct database_cfg {
  double minutes;
  double old_s; /* a transaction open for this long is a remark */
  double price; /* per hour; 0: not given */
  bool isolation;
  const char *resume; /* "": no */
};

struct database {
  const struct tool_args *args;
  const struct database_cfg *cfg;
  const char *objective; /* borrowed */
  double total_s;
  bool tries; /* bench try */

  struct children children;
  char *folder;           /* owned; temporary files */
  struct child_words own; /* options that lead to the tables */
  char schema[32];        /* "": nothing was made */
  char *file;             /* owned; of SQLite; `schema` is FILE-SCHEMA */
  bool is_whole_database; /* `schema` is a database on PostgreSQL, too */
  struct strbuf left;     /* command that removes `schema`; empty: gone */

  uint64_t begun_ns;
  double earlier_s;        /* of the resumed run */
  double load_s;           /* --resume does not count it */
  enum database_part next; /* not yet measured; DATABASE_PARTS: complete */
  struct kept_file kept;
  uint64_t rows;              /* of each table */
  double allowed;             /* connections that can be opened; 0: unknown */
  json_t *doctor;             /* owned; NULL: no findings */
  bool cut[DATABASE_PARTS];   /* the time is too short */
  bool alien[DATABASE_PARTS]; /* makes no sense here */

  struct database_step steps[DATABASE_STEPS_MAX];
  size_t n_steps;
  struct find find;
  double rate;           /* the highest that held; 0: none */
  struct strbuf failure; /* the FATAL or last line of the last child */
  struct strbuf tls_failure;
  struct strbuf verdict;
  bool is_violated;
};

/* No result, or its run ended before its time. */
bool database_broke(const struct database_step *s);

const char *database_part_name(enum database_part part);

/* Without the time for loading. */
double database_measured_s(const struct database *d);
/* The first with events, or NULL. */
const struct result *database_result(const struct database *d,
                                     enum database_part part);
/* With the most queries per second, or NULL. */
const struct database_step *database_peak(const struct database *d);
/* Even one connection misses the objective. */
bool database_misses_alone(const struct database *d);
/* "none", or version and cipher; NULL: not known. */
const char *database_tls(const struct database *d);
bool database_on_socket(const struct database *d);
/* The option of the other setting, and the name of its step; NULL: none. */
const char *database_other_tls(const struct database *d, const char **ret_name);
/* Bytes; 0: not known. */
uint64_t database_cache(const struct database *d);
/* "pgsql", "mysql", "sqlite", "" */
const char *database_driver(const struct database *d);
bool database_is(const struct database *d, const char *driver);

bool database_lacks_tls(const struct database *d);
void database_say_step(const struct database *d, const struct database_step *s,
                       struct strbuf *out);

/* NULL: out of memory. */
json_t *database_document(const struct database *d);

/* Do children get the option? */
bool database_passes(const struct opt_entry *e);

/* Runs `words`, which are freed.  `line`: the FATAL or last line of stderr. */
int database_child(struct database *d, struct child_words *words,
                   enum child_out out, struct strbuf *line, int *ret_status,
                   struct err *err);
/* Runs this program with two words, the options, and `more` (freed). */
int database_run(struct database *d, const char *first, const char *second,
                 struct child_words *more, int *ret_status, struct err *err);

/* A file NAME.sql in the temporary folder. */
int database_put_sql(const struct database *d, const char *name,
                     const char *sql, struct strbuf *ret_path, struct err *err);
/* `option` [opt].  False: see d->failure. */
bool database_execute(struct database *d, const char *sql, const char *option);

/* To stderr if stdout has the document; frees `text`. */
void database_print(const struct database *d, struct strbuf *text);
/* Runs and prints a step.  -EINTR: a signal has come. */
int database_step(struct database *d, const struct database_how *h,
                  struct err *err);

/* With the most connections of the curve. */
int database_ask_doctor(struct database *d, struct err *err);
/* Cuts whole parts until the others have their minimum. */
void database_cut(struct database *d, enum database_part from);
int database_load(struct database *d, struct err *err);
int database_perform(struct database *d, enum database_part part,
                     struct err *err);

#endif
