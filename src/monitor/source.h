/*
 * source.h - where a kind of server keeps its figures: const tables. All
 * queries only read.
 */
#ifndef BENCH_MONITOR_SOURCE_H
#define BENCH_MONITOR_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/metrics.h"

struct monitor_item {
  const char *key; /* name of a counter; of columns: for people */
  enum server_metric metric;
  bool
    add; /* the figure is their sum, unless the server has an item above them.
            Of items without `add`, the first that the server has counts */
  bool less; /* with `add`: subtracted */
};

struct monitor_query {
  /* NULL: SHOW GLOBAL STATUS for the names of the items. */
  const char *sql;
  /* Versions: min <= version < max; 0: any. */
  unsigned min, max;
  unsigned with; /* bits of probes that it needs */
  /* With `sql`: columns of its only row. Ends with a NULL key. */
  const struct monitor_item *items;
};

/* Features that some servers lack, or some users must not read. */
struct monitor_probe {
  const char *has_sql; /* [opt] true or false */
  const char *may_sql; /* refused: not for this user */
  const char *subject; /* described for users */
};

/* Sent ten times a second. Rows: a kind ("w": sessions, "c": a checkpoint, "v":
 * a vacuum), the wait, how many, and how many wait for a lock. */
struct monitor_fast {
  const char *sql;
  unsigned min, max;
  unsigned with, without; /* bits of probes: needs, and replaces */
  const char *kinds;      /* of its rows */
  const char *subject;
};

/* In `counts_sql` and `texts_sql` @ is the schema, # a list of ids. */
struct monitor_digests {
  unsigned min, max;
  const char *where_sql;  /* the schema; no row, or NULL: not counted */
  const char *missing;    /* the reason if not counted */
  const char *counts_sql; /* id, calls, nanoseconds, rows */
  const char *texts_sql;  /* id, text */
  const char *const *own; /* words of statements that ask for the state of the
                             server; ends with NULL */
};

/* All that the server counts, by its own names. */
struct monitor_raw {
  const char *sql;
  unsigned min;
};

struct monitor_source {
  const char *driver;
  const char *version_sql;
  /* [opt] Start of the server in seconds. Without it, smaller counts show a
   * restart. */
  const char *started_sql;
  const struct monitor_query *queries;
  size_t n_queries;
  /* [opt] Figures from the counts of a period. *owed: from the period before,
   * for the next. */
  void (*derive)(struct server_reading *did, struct server_owed *owed);
  const struct monitor_probe *probes;
  size_t n_probes;
  const struct monitor_fast *fast;
  size_t n_fast;
  /* [opt] The process of the asking session, and its age in seconds. */
  const char *session_sql;
  /* [opt] Name of the server's machine, and port; its age in seconds. */
  const char *place_sql, *age_sql;
  const struct monitor_raw *raw;
  size_t n_raw;
  const struct monitor_digests *digests;
  size_t n_digests;
  /* [opt] May this user see other sessions? True or false. */
  const char *sees_all_sql;
  const char *sees_all_hint;
  /* Repeated queries are prepared: planning is expensive, and the server still
   * counts them by text. */
  bool keeps_plans;
};

extern const struct monitor_source monitor_mysql, monitor_pgsql;

#endif
