/*
 * source_pgsql.c - where PostgreSQL keeps its figures.
 *
 * Sessions report their counts up to a second late. Views spend two thirds of
 * the time on names of tables, databases and users, so the queries call the
 * functions below them.
 */
#include "base/compiler.h"
#include "monitor/source.h"

#define END              \
  {                      \
    NULL, SERVER_METRICS \
  }

static const struct monitor_item database[] = {
  { "xact_commit", SERVER_COMMITS },
  { "xact_rollback", SERVER_ROLLBACKS },
  { "tup_returned", SERVER_ROWS_READ },
  { "tup_inserted, tup_updated, tup_deleted", SERVER_ROWS_WRITTEN },
  { "blks_read", SERVER_PAGES_READ },
  { "deadlocks", SERVER_DEADLOCKS },
  { "temp_files", SERVER_TEMP_FILES },
  { "numbackends", SERVER_CONNECTIONS },
  END,
};

static const struct monitor_item log_position[] = {
  { "pg_current_wal_insert_lsn", SERVER_LOG_BYTES },
  END,
};

static const struct monitor_item log_fsyncs[] = {
  { "wal_sync", SERVER_FSYNCS },
  { "wal_sync_time", SERVER_FSYNC_NS },
  END,
};

static const struct monitor_item writer[] = {
  { "checkpoints_timed, checkpoints_req", SERVER_CHECKPOINTS },
  { "buffers_checkpoint, buffers_clean, buffers_backend",
    SERVER_PAGES_WRITTEN },
  { "buffers_backend", SERVER_FREE_PAGE_WAITS },
  END,
};

static const struct monitor_item checkpointer[] = {
  { "num_timed, num_requested", SERVER_CHECKPOINTS },
  END,
};

static const struct monitor_item relation_io[] = {
  { "writes", SERVER_PAGES_WRITTEN },
  { "writes of client backends", SERVER_FREE_PAGE_WAITS },
  END,
};

static const struct monitor_item age[] = {
  { "pg_control_checkpoint", SERVER_CHECKPOINT_AGE_BYTES },
  { "max_wal_size", SERVER_CHECKPOINT_LIMIT_BYTES },
  END,
};

static const struct monitor_item oldest[] = {
  { "xact_start", SERVER_OLDEST_TRANSACTION_S },
  END,
};

static const struct monitor_item dead[] = {
  { "n_dead_tup", SERVER_DEAD_ROWS },
  END,
};

/* Milliseconds of the log; NULL without track_wal_io_timing. */
#define TIMED(ms)                                                             \
  "CASE WHEN current_setting('track_wal_io_timing')::bool THEN " ms " * 1e6 " \
  "END"

/* A standby only follows until it is promoted. */
#define LOG_POSITION                                             \
  "CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() " \
  "ELSE pg_current_wal_insert_lsn() END"

static const struct monitor_query queries[] = {
  { .sql = "SELECT SUM(xact_commit), SUM(xact_rollback), SUM(tup_returned), "
           "SUM(tup_inserted + tup_updated + tup_deleted), SUM(blks_read), "
           "SUM(deadlocks), SUM(temp_files), SUM(numbackends) "
           "FROM pg_catalog.pg_stat_database",
    .items = database },
  { .sql = "SELECT " LOG_POSITION " - '0/0'::pg_lsn",
    .min = 100000,
    .items = log_position },
  { .sql = "SELECT wal_sync, " TIMED(
      "wal_sync_time") " FROM pg_catalog.pg_stat_wal",
    .min = 140000,
    .max = 180000,
    .items = log_fsyncs },
  { .sql = "SELECT SUM(fsyncs), " TIMED(
      "SUM(fsync_time)") " FROM pg_catalog.pg_stat_io "
                         "WHERE object = 'wal'",
    .min = 180000,
    .items = log_fsyncs },
  { .sql = "SELECT checkpoints_timed + checkpoints_req, "
           "buffers_checkpoint + buffers_clean + buffers_backend, "
           "buffers_backend FROM pg_catalog.pg_stat_bgwriter",
    .max = 170000,
    .items = writer },
  { .sql = "SELECT num_timed + num_requested "
           "FROM pg_catalog.pg_stat_checkpointer",
    .min = 170000,
    .items = checkpointer },
  { .sql = "SELECT SUM(writes), SUM(writes) FILTER "
           "(WHERE backend_type = 'client backend') "
           "FROM pg_catalog.pg_stat_io WHERE object = 'relation'",
    .min = 170000,
    .items = relation_io },
  { .sql = "SELECT " LOG_POSITION " - redo_lsn, "
           "pg_size_bytes(current_setting('max_wal_size')) "
           "FROM pg_control_checkpoint()",
    .min = 100000,
    .items = age },
  { .sql = "SELECT GREATEST(MAX(EXTRACT(EPOCH FROM clock_timestamp() - "
           "xact_start)), 0) FROM pg_catalog.pg_stat_get_activity(NULL) "
           "WHERE pid <> pg_backend_pid()",
    .items = oldest },
  { .sql = "SELECT SUM(pg_stat_get_dead_tuples(oid)) FROM pg_catalog.pg_class "
           "WHERE relkind IN ('r', 'm') "
           "AND relnamespace <> 'pg_catalog'::regnamespace",
    .items = dead },
};

static const struct monitor_fast fast[] = {
  /* Sessions of this run have this application name. Autovacuum workers that
   * only look for work have no query. */
  { .sql =
      "SELECT CASE backend_type WHEN 'checkpointer' THEN 'c' "
      "WHEN 'autovacuum worker' THEN 'v' ELSE 'w' END, "
      "CASE WHEN backend_type = 'client backend' THEN "
      "COALESCE(wait_event_type || ':' || wait_event, 'running') ELSE '' END, "
      "COUNT(*), COUNT(*) FILTER (WHERE wait_event_type = 'Lock') "
      "FROM pg_catalog.pg_stat_get_activity(NULL) "
      "WHERE (backend_type = 'client backend' AND state = 'active' "
      "AND application_name = current_setting('application_name') "
      "AND pid <> pg_backend_pid()) "
      "OR (backend_type = 'autovacuum worker' AND query LIKE 'autovacuum:%') "
      "OR (backend_type = 'checkpointer' "
      "AND wait_event IS DISTINCT FROM 'CheckpointerMain' "
      "AND query <> '<insufficient privilege>') GROUP BY 1, 2",
    .min = 100000,
    .kinds = "wvc",
    .subject = "waits of sessions" },
};

static const char *const own[] = { "pg_stat_",
                                   "pg_control_checkpoint",
                                   "pg_current_wal_insert_lsn",
                                   "pg_has_role",
                                   "pg_catalog.pg_extension",
                                   "SHOW server_version_num",
                                   "pg_postmaster_start_time",
                                   NULL };

/* Texts are read apart: the server has them in a file. */
#define DIGESTS(time)                                                         \
  .where_sql =                                                                \
    "SELECT pg_catalog.quote_ident(n.nspname) "                               \
    "FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n "          \
    "ON n.oid = e.extnamespace "                                              \
    "WHERE e.extname = 'pg_stat_statements'",                                 \
  .missing = "this database has no extension pg_stat_statements",             \
  .counts_sql = "SELECT queryid, SUM(calls), SUM(" time ") * 1e6, SUM(rows) " \
                "FROM @.pg_stat_statements(false) WHERE dbid = "              \
                "(SELECT oid FROM pg_catalog.pg_database "                    \
                "WHERE datname = current_database()) "                        \
                "AND queryid IS NOT NULL GROUP BY 1",                         \
  .texts_sql = "SELECT queryid, MIN(query) FROM @.pg_stat_statements "        \
               "WHERE queryid IN (#) GROUP BY 1",                             \
  .own = own

static const struct monitor_digests digests[] = {
  { .min = 100000, .max = 130000, DIGESTS("total_time") },
  { .min = 130000, DIGESTS("total_exec_time") },
};

/* `name`: of a row, with a dot at its end. */
#define RAW(view, name, rest)                                          \
  "SELECT '" view ".' || " name " || key, value FROM pg_catalog." view \
  " t, jsonb_each_text(to_jsonb(t)) " rest

static const struct monitor_raw raw[] = {
  { RAW("pg_stat_bgwriter", "''", ""), 0 },
  { RAW("pg_stat_database", "''", "WHERE datname = current_database()"), 0 },
  { RAW("pg_stat_wal", "''", ""), 140000 },
  { RAW("pg_stat_io", "backend_type || '.' || object || '.' || context || '.'",
        ""),
    160000 },
  { RAW("pg_stat_checkpointer", "''", ""), 170000 },
};

const struct monitor_source monitor_pgsql = {
  .driver = "pgsql",
  .version_sql = "SHOW server_version_num",
  .started_sql = "SELECT EXTRACT(EPOCH FROM pg_postmaster_start_time())",
  .queries = queries,
  .n_queries = ARRAY_SIZE(queries),
  .fast = fast,
  .n_fast = ARRAY_SIZE(fast),
  .session_sql =
    "SELECT pid, EXTRACT(EPOCH FROM clock_timestamp() - backend_start) "
    "FROM pg_catalog.pg_stat_get_activity(pg_backend_pid())",
  .raw = raw,
  .n_raw = ARRAY_SIZE(raw),
  .digests = digests,
  .n_digests = ARRAY_SIZE(digests),
  .sees_all_sql = "SELECT pg_has_role('pg_read_all_stats', 'usage')",
  .sees_all_hint = "GRANT pg_read_all_stats",
  .keeps_plans = true,
};
