/*
 * source.h - where a kind of server keeps its figures: const tables.
 *
 * One struct monitor_source for each database.  All queries only read.
 */
#ifndef BENCH_MONITOR_SOURCE_H
#define BENCH_MONITOR_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/metrics.h"

struct server_owed;
struct server_reading;

/* One number of an answer. */
struct monitor_item {
  const char *key; /* name of a counter; of columns: for people */
  enum server_metric metric;
  bool add;  /* several items make the figure: their sum, unless the server has
              * an item above them that is the whole figure.  Of items without
              * `add`, the first one that the server has counts */
  bool less; /* with `add`: it is taken away */
};

struct monitor_query {
  /* NULL: SHOW GLOBAL STATUS, for the names of the items. */
  const char *sql;
  /* Versions of the server that know it: min <= version < max; 0: any. */
  unsigned min, max;
  unsigned with; /* bits of probes: what it needs */
  /* With `sql`: the columns of its only row, in this order.  Ends with a key
   * that is NULL. */
  const struct monitor_item *items;
};

/* What some servers do not have, and some users must not read. */
struct monitor_probe {
  const char *has_sql; /* [opt] true or false: does the server have it? */
  const char *may_sql; /* refused: this user must not read it */
  const char *subject; /* what is missing then, in words */
};

/*
 * A query that is sent ten times a second.  Its rows have a kind ("w": sessions
 * of this run, "c": a checkpoint, "v": a vacuum), what they wait for, how many
 * they are, and how many of them wait for a lock.
 */
struct monitor_fast {
  const char *sql;
  unsigned min, max;
  unsigned with, without; /* bits of probes: what it needs, and what it is
                           * the replacement for */
  const char *kinds;      /* the kinds that its rows can have */
  const char *subject;    /* in words */
};

/* Statements as the server counts them.  In `counts_sql` and `texts_sql` each @
 * stands for the schema, and # for a list of ids. */
struct monitor_digests {
  unsigned min, max;      /* versions, as above */
  const char *where_sql;  /* the schema; no row, or NULL: it counts none */
  const char *missing;    /* why, then */
  const char *counts_sql; /* id, calls, nanoseconds, rows */
  const char *texts_sql;  /* id, text */
  const char *const *own; /* words of statements that ask for the state of the
                           * server; ends with NULL */
};

/* Names and numbers of all that the server counts, by its own names. */
struct monitor_raw {
  const char *sql;
  unsigned min; /* the first version that has it */
};

struct monitor_source {
  const char *driver;      /* its name */
  const char *version_sql; /* [opt] a number */
  /* [opt] When it was started, in seconds.  Without, its counts tell: they
   * begin anew. */
  const char *started_sql;
  const struct monitor_query *queries;
  size_t n_queries;
  /* [opt] Figures that no item has, from the counts of a period.  *owed: from
   * the period before, for the next one. */
  void (*derive)(struct server_reading *did, struct server_owed *owed);
  const struct monitor_probe *probes;
  size_t n_probes;
  const struct monitor_fast *fast;
  size_t n_fast;
  /* [opt] The process of the session that asks, and its age in seconds. */
  const char *session_sql;
  /* [opt] The name of the server's machine, and its port; the second query:
   * its age in seconds. */
  const char *place_sql, *age_sql;
  const struct monitor_raw *raw;
  size_t n_raw;
  const struct monitor_digests *digests;
  size_t n_digests;
  /* [opt] A query for true or false: may this user see other sessions? */
  const char *sees_all_sql;
  const char *sees_all_hint; /* what to do about it */
  /* What is asked again and again is prepared, because to plan it is dear; and
   * the server counts it by its text nevertheless. */
  bool keeps_plans;
};

extern const struct monitor_source monitor_mysql, monitor_pgsql;

#endif
