/*
 * source_mysql.c - where MySQL and MariaDB keep their figures.
 */
#include <math.h>

#include "base/compiler.h"
#include "monitor/source.h"

/* ---- commits and rollbacks ---- */

/*
 * Neither server counts transactions in its status. Com_commit lacks single
 * statements with autocommit. Handler_commit has one for each statement that
 * used an engine, and one more for each COMMIT; two phases (a binary log and
 * InnoDB) double it. Two other counts help:
 *
 * - performance_schema counts all, if its instrument is on (MySQL's default).
 * - InnoDB of MariaDB numbers transactions that change something, at begin and
 *   end. All rollbacks are subtracted, as if each had changed something.
 *
 * The rest are transactions without changes, or on MySQL all.
 * COMMITS_STATEMENTS are subtracted for each COMMIT or ROLLBACK, so that
 * transactions with fewer statements are not counted twice. The figure is exact
 * if all statements are in transactions, or all by themselves; otherwise it is
 * a lower bound. A COMMIT can come in the next period, which then owes the
 * deficit, at most one per connection.
 *
 * Com_rollback has the rollbacks that clients ask for, even if they end
 * nothing. The server rolls back the victim of a deadlock, whose client may
 * send ROLLBACK too. Handler_rollback has one for each transaction rolled back,
 * one more for the statement of a victim, one for any other failed statement; a
 * binary log doubles those with changes. The figure is Handler_rollback less
 * the deadlocks, halved with a binary log (something was stored in two phases),
 * but
 *
 * - at most the requests plus the deadlocks,
 * - at least the deadlocks, and at least the requests unless Handler_rollback
 *   shows that they ended nothing.
 */
enum {
  COMMITS_STATEMENTS = 100
};

/* The rest of `n`, at least 0; the next period owes the remainder. */
static double commits_pay(double n, double most, double *owed)
{
  const double left = n - *owed;

  *owed = fmin(fmax(-left, 0), most);
  return fmax(left, 0);
}

/* Returns how many were of a single statement: InnoDB has one number for each,
 * not two. */
static double commits_rollbacks(struct server_reading *did,
                                struct server_owed *owed)
{
  const double *v = did->value; /* 0: unknown */
  const double asked = v[SERVER_PART_ROLLBACK];
  const double deadlocks = v[SERVER_DEADLOCKS];
  /* A binary log counts changes once more. */
  const bool logged = owed->prepares || v[SERVER_PART_PREPARED] > 0;
  const double engines = logged ? 2 : 1;
  const double undone = fmax(v[SERVER_PART_UNDONE] - deadlocks, 0);
  const double least = fmax(fmin(asked, undone), deadlocks);

  owed->prepares = logged;
  did->has[SERVER_ROLLBACKS] = did->has[SERVER_PART_ROLLBACK];
  did->value[SERVER_ROLLBACKS] = asked;
  if (did->has[SERVER_PART_UNDONE])
    did->value[SERVER_ROLLBACKS] = floor(
      fmin(fmax(undone / engines, least), asked + deadlocks));
  return did->has[SERVER_PART_UNDONE]
           ? fmax(did->value[SERVER_ROLLBACKS] - undone / engines, 0)
           : 0;
}

static void commits_mysql(struct server_reading *did, struct server_owed *owed)
{
  const double *v = did->value; /* 0: unknown */
  const double said = v[SERVER_PART_COMMIT];
  const double single = commits_rollbacks(did, owed);
  const double ended = said +
                       fmax(v[SERVER_PART_ROLLBACK], v[SERVER_ROLLBACKS]);
  /* Each engine counts; the binary log is one of two. */
  const double ends = v[SERVER_PART_STATEMENT_ENDS] -
                      v[SERVER_PART_PREPARED] / 2;
  const double in_transactions = COMMITS_STATEMENTS * ended;
  const double open = v[SERVER_CONNECTIONS];
  const double open_statements = COMMITS_STATEMENTS * open;
  double commits;

  if (did->has[SERVER_PART_TRANSACTIONS])
    commits = fmax(said, v[SERVER_PART_TRANSACTIONS] - v[SERVER_ROLLBACKS]);
  else if (did->has[SERVER_PART_IDS])
    commits = said +
              commits_pay((v[SERVER_PART_IDS] + single) / 2 -
                            v[SERVER_ROLLBACKS] - said,
                          open / 2, &owed->changes) +
              commits_pay(ends - v[SERVER_PART_CHANGES] - ended -
                            in_transactions,
                          open_statements, &owed->statements);
  else
    commits = fmax(said, commits_pay(ends - ended - in_transactions,
                                     open_statements, &owed->statements));
  did->has[SERVER_COMMITS] = did->has[SERVER_PART_COMMIT];
  did->value[SERVER_COMMITS] = floor(fmax(commits, 0));
}

/* ---- the tables ---- */

static const struct monitor_item status[] = {
  { "Com_commit", SERVER_PART_COMMIT },
  { "Handler_commit", SERVER_PART_STATEMENT_ENDS },
  { "Handler_prepare", SERVER_PART_PREPARED },
  { "Com_insert", SERVER_PART_CHANGES, .add = true },
  { "Com_insert_select", SERVER_PART_CHANGES, .add = true },
  { "Com_update", SERVER_PART_CHANGES, .add = true },
  { "Com_update_multi", SERVER_PART_CHANGES, .add = true },
  { "Com_delete", SERVER_PART_CHANGES, .add = true },
  { "Com_delete_multi", SERVER_PART_CHANGES, .add = true },
  { "Com_replace", SERVER_PART_CHANGES, .add = true },
  { "Com_replace_select", SERVER_PART_CHANGES, .add = true },
  { "Com_load", SERVER_PART_CHANGES, .add = true },
  { "Innodb_max_trx_id", SERVER_PART_IDS },
  { "Com_rollback", SERVER_PART_ROLLBACK },
  { "Handler_rollback", SERVER_PART_UNDONE },
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
  { "Innodb_redo_log_current_lsn", SERVER_CHECKPOINT_AGE_BYTES, .add = true },
  { "Innodb_redo_log_checkpoint_lsn", SERVER_CHECKPOINT_AGE_BYTES, .add = true,
    .less = true },
  { "Innodb_checkpoint_max_age", SERVER_CHECKPOINT_LIMIT_BYTES },
  { "Innodb_redo_log_capacity_resized", SERVER_CHECKPOINT_LIMIT_BYTES },
  { "Innodb_buffer_pool_pages_dirty", SERVER_PAGES_DIRTY },
  { "Threads_connected", SERVER_CONNECTIONS },
  { "Innodb_history_list_length", SERVER_HISTORY_LENGTH },
  { NULL, SERVER_METRICS },
};

static const struct monitor_item oldest[] = {
  { "trx_started", SERVER_OLDEST_TRANSACTION_S },
  { NULL, SERVER_METRICS },
};

static const struct monitor_item metrics[] = {
  { "lock_deadlocks", SERVER_DEADLOCKS },
  { "trx_rseg_history_len", SERVER_HISTORY_LENGTH },
  { NULL, SERVER_METRICS },
};

static const struct monitor_item transactions[] = {
  { "COUNT_STAR", SERVER_PART_TRANSACTIONS },
  { NULL, SERVER_METRICS },
};

enum {
  WITH_EVENTS = 1 << 0, /* bits of probes[] */
  WITH_LOCKS = 1 << 1,
};

static const struct monitor_query queries[] = {
  { .items = status },
  { .sql = "SELECT COALESCE(MAX(GREATEST(TIMESTAMPDIFF(SECOND, trx_started, "
           "NOW()), 0)), 0)"
           " FROM information_schema.INNODB_TRX",
    .items = oldest },
  /* MariaDB has them in its status. */
  { .sql = "SELECT MAX(IF(NAME = 'lock_deadlocks', COUNT, NULL)), "
           "MAX(IF(NAME = 'trx_rseg_history_len', COUNT, NULL)) "
           "FROM information_schema.INNODB_METRICS WHERE STATUS = 'enabled' "
           "AND NAME IN ('lock_deadlocks', 'trx_rseg_history_len')",
    .min = 1,
    .items = metrics },
  /* NULL, unless counted. */
  { .sql = "SELECT SUM(t.COUNT_STAR) FROM "
           "performance_schema.events_transactions_summary_global_by_event_name"
           " t JOIN performance_schema.setup_instruments i "
           "ON i.NAME = t.EVENT_NAME WHERE i.ENABLED = 'YES' AND "
           "(SELECT ENABLED FROM performance_schema.setup_consumers "
           "WHERE NAME = 'global_instrumentation') = 'YES'",
    .min = 8,
    .with = WITH_EVENTS,
    .items = transactions },
};

/* A query for no rows would be allowed to everybody. */
static const struct monitor_probe probes[] = {
  { .has_sql = "SELECT @@performance_schema",
    .may_sql = "SELECT COUNT(*) FROM performance_schema.threads t "
               "JOIN performance_schema.events_waits_current e "
               "ON e.THREAD_ID = t.THREAD_ID",
    .subject = "waits by performance_schema" },
  { .may_sql = "SELECT COUNT(trx_id) FROM information_schema.INNODB_TRX",
    .subject = "sessions that wait for row locks" },
};

/*
 * Names like those of PostgreSQL: class, colon, wait. A state that names a lock
 * is better than the event of waiting for it; other states come last. Sessions
 * of this run use this database.
 */
#define WAITS(row_lock, event, sessions)                                  \
  "SELECT 'w', wait, COUNT(*), SUM(wait LIKE 'Lock:%') FROM (SELECT "     \
  "CASE " row_lock                                                        \
  " WHEN state LIKE 'Waiting for % lock' THEN CONCAT('Lock:', "           \
  "SUBSTRING(state, 13, CHAR_LENGTH(state) - 17)) " event                 \
  " WHEN COALESCE(state, '') = '' THEN 'running' ELSE state END AS wait " \
  "FROM " sessions ") AS sessions GROUP BY 2"

#define ROW_LOCK "WHEN trx_state = 'LOCK WAIT' THEN 'Lock:row'"

/*
 * 'wait/io/file/innodb/innodb_log_file' is 'IO:innodb_log_file', and
 * 'wait/lock/table/sql/handler' is 'Lock:table'. 'wait/io/table/sql/handler' is
 * a whole call into the engine, perhaps without I/O: 'Table:handler'.
 */
#define EVENT                                                                \
  "WHEN event LIKE 'wait/synch/%' THEN "                                     \
  "CONCAT('LWLock:', SUBSTRING_INDEX(event, '/', -1)) "                      \
  "WHEN event LIKE 'wait/io/socket/%' THEN "                                 \
  "CONCAT('Client:', SUBSTRING_INDEX(event, '/', -1)) "                      \
  "WHEN event LIKE 'wait/io/file/%' THEN "                                   \
  "CONCAT('IO:', SUBSTRING_INDEX(event, '/', -1)) "                          \
  "WHEN event LIKE 'wait/io/table/%' THEN "                                  \
  "CONCAT('Table:', SUBSTRING_INDEX(event, '/', -1)) "                       \
  "WHEN event LIKE 'wait/io/%' THEN "                                        \
  "CONCAT('IO:', SUBSTRING_INDEX(SUBSTRING_INDEX(event, '/', 3), '/', -1)) " \
  "WHEN event LIKE 'wait/lock/%' THEN "                                      \
  "CONCAT('Lock:', SUBSTRING_INDEX(SUBSTRING_INDEX(event, '/', 3), '/', -1))"

#define TRANSACTIONS \
  " LEFT JOIN information_schema.INNODB_TRX ON trx_mysql_thread_id = id"

/* A current event has no end. */
#define THREADS(transactions)                                      \
  "(SELECT t.PROCESSLIST_ID AS id, t.PROCESSLIST_STATE AS state, " \
  "e.EVENT_NAME AS event FROM performance_schema.threads t "       \
  "LEFT JOIN performance_schema.events_waits_current e "           \
  "ON e.THREAD_ID = t.THREAD_ID AND e.END_EVENT_ID IS NULL "       \
  "WHERE t.PROCESSLIST_COMMAND IN ('Query', 'Execute') "           \
  "AND t.PROCESSLIST_ID <> CONNECTION_ID() "                       \
  "AND t.PROCESSLIST_DB <=> DATABASE()) AS threads" transactions

#define PROCESSES(transactions)                                           \
  "(SELECT ID AS id, STATE AS state FROM information_schema.PROCESSLIST " \
  "WHERE COMMAND IN ('Query', 'Execute') AND ID <> CONNECTION_ID() "      \
  "AND DB <=> DATABASE()) AS processes" transactions

static const struct monitor_fast fast[] = {
  { .sql = WAITS(ROW_LOCK, EVENT, THREADS(TRANSACTIONS)),
    .with = WITH_EVENTS | WITH_LOCKS,
    .kinds = "w",
    .subject = "waits of sessions" },
  { .sql = WAITS("", EVENT, THREADS("")),
    .with = WITH_EVENTS,
    .without = WITH_LOCKS,
    .kinds = "w",
    .subject = "waits of sessions" },
  { .sql = WAITS(ROW_LOCK, "", PROCESSES(TRANSACTIONS)),
    .with = WITH_LOCKS,
    .without = WITH_EVENTS,
    .kinds = "w",
    .subject = "waits of sessions" },
  { .sql = WAITS("", "", PROCESSES("")),
    .without = WITH_EVENTS | WITH_LOCKS,
    .kinds = "w",
    .subject = "waits of sessions" },
};

/* As digests quote names. */
static const char *const own[] = { "`performance_schema`",
                                   "`information_schema`", "SHOW GLOBAL STATUS",
                                   NULL };

/*
 * Picoseconds. MariaDB has no digests of prepared statements, only their total.
 * Once there are performance_schema_digests_size digests, the row without a
 * digest counts new ones.
 */
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

static const struct monitor_raw raw[] = { { "SHOW GLOBAL STATUS", 0 } };

const struct monitor_source monitor_mysql = {
  .driver = "mysql",
  /* 0: MariaDB, which has other numbers */
  .version_sql = "SELECT IF(VERSION() LIKE '%MariaDB%', 0, "
                 "SUBSTRING_INDEX(VERSION(), '.', 1))",
  .queries = queries,
  .n_queries = ARRAY_SIZE(queries),
  .derive = commits_mysql,
  .probes = probes,
  .n_probes = ARRAY_SIZE(probes),
  .fast = fast,
  .n_fast = ARRAY_SIZE(fast),
  .place_sql = "SELECT @@hostname, @@port",
  .age_sql = "SHOW GLOBAL STATUS LIKE 'Uptime'",
  .raw = raw,
  .n_raw = ARRAY_SIZE(raw),
  .digests = digests,
  .n_digests = ARRAY_SIZE(digests),
};
