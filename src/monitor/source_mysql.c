/*
 * source_mysql.c - where MySQL and MariaDB keep their figures.
 */
#include "base/compiler.h"
#include "monitor/source.h"

static const struct monitor_item status[] = {
  /* Handler_commit counts each statement of a transaction as well. */
  { "Com_commit", SERVER_COMMITS },
  { "Com_rollback", SERVER_ROLLBACKS },
  { "Handler_read_first", SERVER_ROWS_READ, .add = true },
  { "Handler_read_key", SERVER_ROWS_READ, .add = true },
  { "Handler_read_last", SERVER_ROWS_READ, .add = true },
  { "Handler_read_next", SERVER_ROWS_READ, .add = true },
  { "Handler_read_prev", SERVER_ROWS_READ, .add = true },
  { "Handler_read_rnd", SERVER_ROWS_READ, .add = true },
  { "Handler_read_rnd_next", SERVER_ROWS_READ, .add = true },
  { "Handler_write", SERVER_ROWS_WRITTEN, .add = true },
  { "Handler_update", SERVER_ROWS_WRITTEN, .add = true },
  { "Handler_delete", SERVER_ROWS_WRITTEN, .add = true },
  /* A position in the log: MariaDB, MySQL from 8.0.30 on, older ones. */
  { "Innodb_lsn_current", SERVER_LOG_BYTES },
  { "Innodb_redo_log_current_lsn", SERVER_LOG_BYTES },
  { "Innodb_os_log_written", SERVER_LOG_BYTES },
  { "Innodb_data_fsyncs", SERVER_FSYNCS },
  { "Innodb_pages_read", SERVER_PAGES_READ },
  { "Innodb_pages_written", SERVER_PAGES_WRITTEN },
  { "Innodb_buffer_pool_wait_free", SERVER_FREE_PAGE_WAITS },
  { "Innodb_row_lock_waits", SERVER_LOCK_WAITS },
  { "Innodb_deadlocks", SERVER_DEADLOCKS },
  { "Created_tmp_disk_tables", SERVER_TEMP_FILES },
  { "Innodb_checkpoint_age", SERVER_CHECKPOINT_AGE_BYTES },
  { "Innodb_checkpoint_max_age", SERVER_CHECKPOINT_LIMIT_BYTES },
  { "Innodb_buffer_pool_pages_dirty", SERVER_PAGES_DIRTY },
  { "Threads_connected", SERVER_CONNECTIONS },
  { "Innodb_history_list_length", SERVER_HISTORY_LENGTH },
  { NULL, SERVER_FIGURES },
};

static const struct monitor_item oldest[] = {
  { "trx_started", SERVER_OLDEST_TRANSACTION_S },
  { NULL, SERVER_FIGURES },
};

static const struct monitor_query queries[] = {
  { .items = status },
  { .sql = "SELECT COALESCE(MAX(GREATEST(TIMESTAMPDIFF(SECOND, trx_started, "
           "NOW()), 0)), 0)"
           " FROM information_schema.INNODB_TRX",
    .items = oldest },
};

static const struct monitor_fast fast[] = {
  /* Sessions of this run use the same database as this one. */
  { .sql = "SELECT 'w', IF(STATE IS NULL OR STATE = '', 'running', STATE), "
           "COUNT(*), SUM(COALESCE(STATE, '') LIKE 'Waiting for%lock') "
           "FROM information_schema.PROCESSLIST "
           "WHERE COMMAND IN ('Query', 'Execute') AND ID <> CONNECTION_ID() "
           "AND DB <=> DATABASE() GROUP BY 2",
    .kinds = "w",
    .subject = "waits of sessions" },
  { .sql = "SELECT 'l', 'row lock', COUNT(*), COUNT(*) "
           "FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'",
    .kinds = "l",
    .subject = "sessions that wait for row locks" },
};

/* Digests have names in such quotes. */
static const char *const own[] = { "`performance_schema`",
                                   "`information_schema`", "SHOW GLOBAL STATUS",
                                   NULL };

/* Times are in picoseconds.  MariaDB counts prepared statements in no digest,
 * but all of them together.  A row without a digest has all statements that
 * came when performance_schema_digests_size others were there. */
static const struct monitor_digests digests[] = {
  { .where_sql = "SELECT IF(@@performance_schema, 'performance_schema', NULL)",
    .missing = "performance_schema is off",
    .counts_sql = "SELECT DIGEST, SUM(COUNT_STAR), SUM(SUM_TIMER_WAIT) / 1000, "
                  "SUM(SUM_ROWS_SENT + SUM_ROWS_AFFECTED) "
                  "FROM @.events_statements_summary_by_digest "
                  "WHERE SCHEMA_NAME <=> DATABASE() AND DIGEST IS NOT NULL "
                  "GROUP BY 1 UNION ALL "
                  "SELECT '1', SUM(COUNT_STAR), SUM(SUM_TIMER_WAIT) / 1000, "
                  "SUM(SUM_ROWS_SENT + SUM_ROWS_AFFECTED) "
                  "FROM @.events_statements_summary_by_digest "
                  "WHERE DIGEST IS NULL UNION ALL "
                  "SELECT '0', COUNT_STAR, SUM_TIMER_WAIT / 1000, "
                  "SUM_ROWS_SENT + SUM_ROWS_AFFECTED "
                  "FROM @.events_statements_summary_global_by_event_name "
                  "WHERE EVENT_NAME = 'statement/com/Execute' "
                  "AND VERSION() LIKE '%MariaDB%'",
    .texts_sql = "SELECT DIGEST, MIN(DIGEST_TEXT) "
                 "FROM @.events_statements_summary_by_digest "
                 "WHERE DIGEST IN (#) GROUP BY 1 UNION ALL "
                 "SELECT '0', '(all prepared statements of all databases)' "
                 "UNION ALL SELECT '1', '(statements of all databases that "
                 "performance_schema_digests_size leaves no room for)'",
    .own = own },
};

const struct monitor_source monitor_mysql = {
  .driver = "mysql",
  .queries = queries,
  .n_queries = ARRAY_SIZE(queries),
  .fast = fast,
  .n_fast = ARRAY_SIZE(fast),
  .raw_sql = "SHOW GLOBAL STATUS",
  .digests = digests,
  .n_digests = ARRAY_SIZE(digests),
};
