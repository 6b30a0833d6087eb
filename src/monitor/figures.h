/*
 * figures.h - what a database server does, under one name for all servers.
 */
#ifndef BENCH_MONITOR_FIGURES_H
#define BENCH_MONITOR_FIGURES_H

#include <stdbool.h>

enum server_figure {
  /* Counts: they only grow. */
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
  /* Levels: they rise and fall. */
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
  SERVER_FIGURES,

  /* Counts of MySQL and MariaDB that only serve for others: no result has
   * them. */
  SERVER_PART_COMMIT = SERVER_FIGURES, /* explicit ones */
  SERVER_PART_STATEMENT_ENDS, /* of statements and transactions, per engine */
  SERVER_PART_PREPARED,       /* of these, in two phases, per engine */
  SERVER_PART_CHANGES,        /* statements that change rows */
  SERVER_PART_IDS,            /* of transactions that change rows: two */
  SERVER_PART_ROLLBACK,       /* explicit ones */
  SERVER_PART_UNDONE,         /* of statements and transactions, per engine */
  SERVER_PART_TRANSACTIONS,   /* all, if the server counts them */
  SERVER_VALUES
};

enum server_kind {
  SERVER_COUNT,
  SERVER_LEVEL
};

struct server_figure_info {
  const char *name; /* with its unit at the end, if it has one */
  enum server_kind kind;
  const char *metric; /* for Prometheus: in seconds and bytes */
  double to_metric;   /* what its values are multiplied with */
  const char *help;   /* a sentence */
};

extern const struct server_figure_info figures_info[SERVER_FIGURES];

struct server_reading;

/* What an event costs the server, in the order in which people are told. */
struct server_cost {
  enum server_figure figure;
  const char *what;
  double unit; /* what the figure is multiplied with */
};

enum {
  SERVER_COSTS = 5
};

extern const struct server_cost figures_costs[SERVER_COSTS];

/* What each of `events` has cost; false: unknown. */
bool figures_cost_per_event(const struct server_cost *c,
                            const struct server_reading *did, double events,
                            double *ret);

/* Figures that only a fast sample has: see struct monitor_source. */
static inline int server_figure_is_sampled(enum server_figure f)
{
  return f == SERVER_CHECKPOINT_RUNNING || f == SERVER_LOCK_WAITING ||
         f == SERVER_VACUUM_RUNNING;
}

#endif
