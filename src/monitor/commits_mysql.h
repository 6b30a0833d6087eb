/*
 * commits_mysql.h - how many transactions MySQL and MariaDB have committed, and
 * rolled back.
 *
 * Neither has a count of them in its status.  Com_commit has those that end
 * with COMMIT, not those of a single statement with autocommit.  Handler_commit
 * has one for each statement that has used an engine, in a transaction or not,
 * and one more for each COMMIT; what is stored in two phases (a binary log and
 * InnoDB) counts for both.  So from these alone nobody can tell a transaction
 * of ten statements from ten with autocommit.  Two other counts help:
 *
 * - performance_schema counts transactions, if its instrument is on (MySQL's
 *   default).  Nothing else is needed then.
 * - InnoDB of MariaDB numbers transactions that change something, each twice:
 *   when it begins and when it ends.  All rollbacks are taken away, as if each
 *   had changed something.
 *
 * What remains are transactions without changes, or on MySQL all.  The
 * statements of those that end with COMMIT or ROLLBACK are taken away first:
 * COMMITS_MYSQL_STATEMENTS for each, as if all of them were long.  So nothing
 * is counted twice where transactions have at most that many statements, and
 * the figure is exact where statements are either all in transactions or all by
 * themselves.  Where a server has both, it is a lower bound.
 *
 * A transaction may have its statements in one period, and its COMMIT in the
 * next.  So what a period has less than nothing of is owed by the next one, as
 * far as transactions that are open can be its cause: each connection has one.
 * Only those that are open before the first COMMIT was seen can count twice.
 *
 * Rollbacks.  Com_rollback has those that clients ask for, among them those
 * that end nothing.  The server itself rolls back the victim of a deadlock, and
 * its client may say ROLLBACK then, or not.  Handler_rollback has one for each
 * transaction that is rolled back, one more for the statement that made it a
 * victim, and one for any other statement that fails; a binary log doubles
 * those that have changed something.  So what Handler_rollback has without a
 * statement for each deadlock is the figure, halved with a binary log, but
 * - at most as many as were asked for and deadlocks together,
 * - at least the deadlocks, and at least as many as were asked for, unless
 *   Handler_rollback shows that they ended nothing.
 * There is a binary log if something was ever stored in two phases: a period
 * may have victims alone, and no commit.
 */
#ifndef BENCH_MONITOR_COMMITS_MYSQL_H
#define BENCH_MONITOR_COMMITS_MYSQL_H

struct server_owed;
struct server_reading;

enum {
  COMMITS_MYSQL_STATEMENTS = 100
};

/* Puts the commits and rollbacks of a period beside its parts.  *owed: by the
 * period before, and by this one to the next. */
void commits_mysql(struct server_reading *did, struct server_owed *owed);

#endif
