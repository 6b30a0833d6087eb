/*
 * metrics.h - figures of database servers, under one name for all servers.
 */
#ifndef BENCH_MONITOR_METRICS_H
#define BENCH_MONITOR_METRICS_H

#include <stdbool.h>
#include <stdint.h>

enum server_metric {
  /* Counts. */
  SERVER_COMMITS,
  SERVER_ROLLBACKS,
  SERVER_ROWS_READ,
  SERVER_ROWS_WRITTEN,
  SERVER_LOG_BYTES,
  SERVER_FSYNCS,
  SERVER_FSYNC_NS,
  SERVER_CHECKPOINTS,
  SERVER_PAGES_READ,
  SERVER_PAGES_WRITTEN,
  SERVER_FREE_PAGE_WAITS,
  SERVER_LOCK_WAITS,
  SERVER_DEADLOCKS,
  SERVER_TEMP_FILES,
  SERVER_CPU_NS,
  SERVER_CPU_WAIT_NS,
  SERVER_SWITCHES,
  SERVER_READ_BYTES,
  SERVER_WRITTEN_BYTES,
  /* Levels. */
  SERVER_CHECKPOINT_RUNNING,
  SERVER_LOCK_WAITING,
  SERVER_VACUUM_RUNNING,
  SERVER_CHECKPOINT_AGE_BYTES,
  SERVER_CHECKPOINT_LIMIT_BYTES,
  SERVER_PAGES_DIRTY,
  SERVER_CONNECTIONS,
  SERVER_OLDEST_TRANSACTION_S,
  SERVER_HISTORY_LENGTH,
  SERVER_DEAD_ROWS,
  SERVER_DATA_BYTES,
  SERVER_LOG_SIZE_BYTES,
  SERVER_METRICS,

  /* Counts of MySQL and MariaDB from which others are computed; in no
   * result. */
  SERVER_PART_COMMIT = SERVER_METRICS, /* explicit ones */
  SERVER_PART_STATEMENT_ENDS, /* of statements and transactions, per engine */
  SERVER_PART_PREPARED,       /* the part of these in two phases */
  SERVER_PART_CHANGES,        /* statements that change rows */
  SERVER_PART_IDS,            /* of transactions that change rows: two */
  SERVER_PART_ROLLBACK,
  SERVER_PART_UNDONE,
  SERVER_PART_TRANSACTIONS, /* all, if the server counts them */
  SERVER_VALUES
};

enum server_kind {
  SERVER_COUNT,
  SERVER_LEVEL
};

struct server_metric_info {
  const char *name; /* with its unit at the end */
  enum server_kind kind;
  const char *metric; /* for Prometheus: in seconds and bytes */
  double to_metric;   /* factor */
  const char *help;
};

extern const struct server_metric_info server_metrics_info[SERVER_METRICS];

struct server_reading {
  uint64_t at_ns;   /* before the first query */
  uint64_t took_ns; /* until the last answer */
  double events;    /* of the run, at about that moment */
  bool has[SERVER_VALUES];
  double value[SERVER_VALUES];
};

/* Counted too early: parts of open transactions. {0} at first. See
 * source_mysql.c. */
struct server_owed {
  double statements, changes;
  bool prepares; /* something was stored in two phases */
};

/* Per event, in the order of the report. */
struct server_cost {
  enum server_metric metric;
  const char *what;
  double unit; /* factor */
};

enum {
  SERVER_COSTS = 5
};

extern const struct server_cost server_cost_table[SERVER_COSTS];

/* False: unknown. */
bool server_cost_per_event(const struct server_cost *c,
                           const struct server_reading *did, double events,
                           double *ret);

#endif
