#include "monitor/metrics.h"

#define COUNT(id, title, text) \
  [id] = { title, SERVER_COUNT, title, 1.0, text "." }
#define TIME(id, title, other, text) \
  [id] = { title, SERVER_COUNT, other, 1e-9, text "." }
#define LEVEL(id, title, text) \
  [id] = { title, SERVER_LEVEL, title, 1.0, text "." }

const struct server_metric_info server_metrics_info[SERVER_METRICS] = {
  COUNT(SERVER_COMMITS, "commits", "Transactions that were committed"),
  COUNT(SERVER_ROLLBACKS, "rollbacks", "Transactions that were rolled back"),
  COUNT(SERVER_ROWS_READ, "rows_read", "Rows that were read"),
  COUNT(SERVER_ROWS_WRITTEN, "rows_written",
        "Rows that were inserted, changed or deleted"),
  COUNT(SERVER_LOG_BYTES, "log_bytes", "Bytes of the log of changes"),
  COUNT(SERVER_FSYNCS, "fsyncs", "Waits for the disk to have stored data"),
  TIME(SERVER_FSYNC_NS, "fsync_ns", "fsync_seconds",
       "How long these waits were, of the log"),
  COUNT(SERVER_CHECKPOINTS, "checkpoints", "Checkpoints"),
  COUNT(SERVER_PAGES_READ, "pages_read", "Pages that were not in memory"),
  COUNT(SERVER_PAGES_WRITTEN, "pages_written", "Pages written to files"),
  COUNT(SERVER_FREE_PAGE_WAITS, "free_page_waits",
        "Statements that had to write a page before they could use its memory"),
  COUNT(SERVER_LOCK_WAITS, "lock_waits",
        "Waits for locks of rows, or of a SQLite database"),
  COUNT(SERVER_DEADLOCKS, "deadlocks", "Deadlocks"),
  COUNT(SERVER_TEMP_FILES, "temp_files", "Results that needed a file"),
  TIME(SERVER_CPU_NS, "cpu_ns", "cpu_seconds",
       "Processor time of the server's processes"),
  TIME(SERVER_CPU_WAIT_NS, "cpu_wait_ns", "cpu_wait_seconds",
       "How long its threads waited for a processor"),
  COUNT(SERVER_SWITCHES, "context_switches",
        "How often its threads were given a processor"),
  COUNT(SERVER_READ_BYTES, "read_bytes",
        "Bytes that its processes read from disks"),
  COUNT(SERVER_WRITTEN_BYTES, "written_bytes",
        "Bytes that its processes wrote to disks"),
  LEVEL(SERVER_CHECKPOINT_RUNNING, "checkpoint_running_ratio",
        "Share of the time with a checkpoint in progress"),
  LEVEL(SERVER_LOCK_WAITING, "lock_waiting",
        "Sessions that wait for a lock, on average"),
  LEVEL(SERVER_VACUUM_RUNNING, "vacuum_running",
        "Automatic vacuums in progress, on average"),
  LEVEL(SERVER_CHECKPOINT_AGE_BYTES, "checkpoint_age_bytes",
        "Bytes of log since the last checkpoint"),
  LEVEL(SERVER_CHECKPOINT_LIMIT_BYTES, "checkpoint_limit_bytes",
        "Bytes of log that force a checkpoint"),
  LEVEL(SERVER_PAGES_DIRTY, "pages_dirty", "Changed pages in memory"),
  LEVEL(SERVER_CONNECTIONS, "connections", "Connections of all clients"),
  [SERVER_OLDEST_TRANSACTION_S] = { "oldest_transaction_s", SERVER_LEVEL,
                                    "oldest_transaction_seconds", 1.0,
                                    "Age of the oldest transaction." },
  LEVEL(SERVER_HISTORY_LENGTH, "history_length",
        "Undo logs that were not purged yet"),
  LEVEL(SERVER_DEAD_ROWS, "dead_rows", "Rows that wait for a vacuum"),
  LEVEL(SERVER_DATA_BYTES, "data_bytes", "Size of the file of data"),
  LEVEL(SERVER_LOG_SIZE_BYTES, "log_size_bytes", "Size of the file of the log"),
};

const struct server_cost server_cost_table[SERVER_COSTS] = {
  { SERVER_CPU_NS, "processor time (ms)", 1e-6 },
  { SERVER_LOG_BYTES, "log bytes", 1 },
  { SERVER_FSYNCS, "fsyncs", 1 },
  { SERVER_PAGES_READ, "pages read", 1 },
  { SERVER_PAGES_WRITTEN, "pages written", 1 },
};

bool server_cost_per_event(const struct server_cost *c,
                           const struct server_reading *did, double events,
                           double *ret)
{
  if (!did->has[c->metric] || events <= 0)
    return false;
  *ret = did->value[c->metric] * c->unit / events;
  return true;
}
