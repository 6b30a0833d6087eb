/*
 * test_commits.c - how many transactions MySQL and MariaDB have committed, from
 * what they count instead.
 */
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "monitor/commits_mysql.h"
#include "monitor/reading.h"
#include "tests/unit/tap.h"

enum {
  IDS = 1 << 0, /* the server numbers transactions, as MariaDB does */
  ALL = 1 << 1  /* it counts them all, as performance_schema does */
};

/* What a period has of each count. */
static const struct row {
  const char *what;
  unsigned has;
  double commit, rollback, ends, prepared, changes, ids, all;
  double want;
} rows[] = {
  { "nothing happens", IDS, 0, 0, 0, 0, 0, 0, 0, 0 },
  { "reads with autocommit", IDS, 0, 0, 5000, 0, 0, 0, 0, 5000 },
  { "changes with autocommit", IDS, 0, 0, 5000, 0, 5000, 10000, 0, 5000 },
  { "both, with autocommit", IDS, 0, 0, 9000, 0, 4000, 8000, 0, 9000 },
  { "changes with autocommit and a binary log", IDS, 0, 0, 10000, 10000, 5000,
    10000, 0, 5000 },
  { "transactions of 18 statements, 4 of which change rows", IDS, 300, 0, 5700,
    0, 1200, 600, 0, 300 },
  { "the same with a binary log", IDS, 300, 0, 7200, 3000, 1200, 600, 0, 300 },
  { "transactions of 14 reads", IDS, 300, 0, 4500, 0, 0, 0, 0, 300 },
  { "a long transaction of changes goes on", IDS, 0, 0, 8000, 0, 8000, 1, 0,
    0 },
  { "it ends", IDS, 1, 0, 8001, 0, 8000, 1, 0, 1 },
  { "transactions of changes, others with autocommit", IDS, 300, 0, 2200, 0,
    1900, 2600, 0, 1300 },
  { "few transactions beside reads with autocommit", IDS, 5, 0, 50025, 0, 0, 0,
    0, 49525 },
  { "transactions that are rolled back", IDS, 100, 100, 3000, 0, 0, 0, 0, 100 },
  { "changes that are rolled back", IDS, 0, 100, 100, 0, 100, 200, 0, 0 },
  { "changes, some of which are rolled back", IDS, 300, 100, 1900, 0, 1200, 800,
    0, 300 },
  { "without numbers: autocommit", 0, 0, 0, 5000, 0, 2000, 0, 0, 5000 },
  { "without numbers: with a binary log", 0, 0, 0, 10000, 10000, 5000, 0, 0,
    5000 },
  { "without numbers: transactions", 0, 300, 0, 5700, 0, 1200, 0, 0, 300 },
  { "all are counted", ALL, 300, 10, 99999, 0, 0, 0, 1310, 1300 },
  { "all are counted, and some rollbacks ended none", ALL, 300, 50, 600, 0, 0,
    0, 310, 300 },
  { "all are counted, and none was there", ALL, 0, 0, 40, 0, 0, 0, 0, 0 },
};

/* Of a server with 4 connections. */
static double commits_of(const struct row *r, struct server_owed *owed)
{
  struct server_reading did = { 0 };

  did.has[SERVER_PART_COMMIT] = did.has[SERVER_PART_STATEMENT_ENDS] = true;
  did.value[SERVER_PART_COMMIT] = r->commit;
  did.value[SERVER_ROLLBACKS] = r->rollback;
  did.value[SERVER_PART_STATEMENT_ENDS] = r->ends;
  did.value[SERVER_PART_PREPARED] = r->prepared;
  did.value[SERVER_PART_CHANGES] = r->changes;
  did.has[SERVER_PART_IDS] = r->has & IDS;
  did.value[SERVER_PART_IDS] = r->ids;
  did.has[SERVER_PART_TRANSACTIONS] = r->has & ALL;
  did.value[SERVER_PART_TRANSACTIONS] = r->all;
  did.has[SERVER_CONNECTIONS] = true;
  did.value[SERVER_CONNECTIONS] = 4;
  commits_mysql(&did, owed);
  return did.has[SERVER_COMMITS] ? did.value[SERVER_COMMITS] : -1;
}

/* Transactions of 4 connections have statements in one period, and end in the
 * next.  Then there are statements with autocommit. */
static void check_follow(const char *what, unsigned has)
{
  static const struct row begins = { .ends = 200 },
                          ends = { .commit = 4, .ends = 8 },
                          reads = { .ends = 5000 };
  struct row row = ends;
  struct server_owed owed = { 0 };
  double got;

  row.has = has;
  (void)commits_of(&row, &owed);
  row = begins;
  row.has = has;
  got = commits_of(&row, &owed);
  row = ends;
  row.has = has;
  OK(got == 0 && commits_of(&row, &owed) == 4, what);
  row = reads;
  row.has = has;
  OK(commits_of(&row, &owed) == 5000 - 4 * COMMITS_MYSQL_STATEMENTS,
     "no more is taken away than connections can have open");
  OK(commits_of(&row, &owed) == 5000, "and only once");
}

/* Some transactions begin in one period, and end in the next. */
static void check_changes(void)
{
  static const struct row periods[] = {
    { .has = IDS, .commit = 10, .ends = 20, .changes = 10, .ids = 18 },
    { .has = IDS, .commit = 10, .ends = 20, .changes = 10, .ids = 22 },
    { .has = IDS, .commit = 10, .ends = 20, .changes = 10, .ids = 18 },
    { .has = IDS, .commit = 10, .ends = 20, .changes = 10, .ids = 22 },
  };
  struct server_owed owed = { 0 };
  double sum = 0;

  for (size_t i = 0; i < ARRAY_SIZE(periods); i++)
    sum += commits_of(&periods[i], &owed);
  OK(sum == 40, "transactions that change rows from one period to the next");
}

int main(void)
{
  struct server_reading none = { 0 };
  struct server_owed owed = { 0 };

  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    struct server_owed nothing = { 0 };
    const double got = commits_of(&rows[i], &nothing);

    OK(fabs(got - rows[i].want) < 1e-9, rows[i].what);
    if (fabs(got - rows[i].want) >= 1e-9)
      printf("# got %g\n", got);
  }
  check_follow("those with numbers", IDS);
  check_follow("those without", 0);
  check_changes();
  commits_mysql(&none, &owed);
  OK(!none.has[SERVER_COMMITS], "a server that says nothing has no figure");
  return TAP_EXIT();
}
