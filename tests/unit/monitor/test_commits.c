/*
 * test_commits.c - how many transactions MySQL and MariaDB have committed, from
 * what they count instead.
 */
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "monitor/reading.h"
#include "monitor/source.h"
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

/* What a period has of rollbacks: asked for, counted by engines, victims. */
static const struct undone {
  const char *what;
  double asked, undone, deadlocks, prepared;
  double want;
} undone[] = {
  { "nothing is rolled back", 0, 0, 0, 500, 0 },
  { "transactions of changes", 10, 10, 0, 0, 10 },
  { "the same with a binary log", 10, 20, 0, 500, 10 },
  { "transactions of reads with a binary log", 10, 10, 0, 500, 10 },
  { "of both", 10, 15, 0, 500, 10 },
  { "ROLLBACK outside of transactions", 10, 0, 0, 0, 0 },
  { "victims whose clients say ROLLBACK", 7, 14, 7, 0, 7 },
  { "the same with a binary log", 7, 21, 7, 500, 7 },
  { "victims whose clients say nothing", 0, 14, 7, 0, 7 },
  { "the same with a binary log", 0, 21, 7, 500, 7 },
  { "victims with autocommit", 0, 7, 7, 0, 7 },
  { "victims of both kinds", 4, 11, 7, 0, 7 },
  { "victims, and others who change their mind", 17, 24, 7, 0, 17 },
  { "the same with a binary log", 17, 41, 7, 500, 17 },
  { "both, and nobody says ROLLBACK to a victim", 10, 24, 7, 0, 17 },
  { "statements that fail, and nothing is rolled back", 0, 30, 0, 0, 0 },
};

static void check_undone(const struct undone *u)
{
  struct server_reading did = { 0 };
  struct server_owed owed = { 0 };

  did.has[SERVER_PART_ROLLBACK] = did.has[SERVER_PART_UNDONE] = true;
  did.value[SERVER_PART_ROLLBACK] = u->asked;
  did.value[SERVER_PART_UNDONE] = u->undone;
  did.value[SERVER_DEADLOCKS] = u->deadlocks;
  did.value[SERVER_PART_PREPARED] = u->prepared;
  monitor_mysql.derive(&did, &owed);
  OK(did.has[SERVER_ROLLBACKS] && did.value[SERVER_ROLLBACKS] == u->want,
     u->what);
}

/* A period with commits, and one with victims alone. */
static void check_victims_alone(void)
{
  struct server_reading did = { 0 };
  struct server_owed owed = { 0 };

  did.has[SERVER_PART_ROLLBACK] = did.has[SERVER_PART_UNDONE] = true;
  did.value[SERVER_PART_PREPARED] = 500;
  monitor_mysql.derive(&did, &owed);
  did.value[SERVER_PART_PREPARED] = 0;
  did.value[SERVER_PART_ROLLBACK] = did.value[SERVER_DEADLOCKS] = 7;
  did.value[SERVER_PART_UNDONE] = 21;
  monitor_mysql.derive(&did, &owed);
  OK(did.value[SERVER_ROLLBACKS] == 7,
     "victims with a binary log, and no commit in the period");
}

/* 100 changes with autocommit, and 40 victims among others like them, each with
 * one number; or 40 victims in transactions, with two. */
static void check_victims(bool single)
{
  struct server_reading did = { 0 };
  struct server_owed owed = { 0 };

  did.has[SERVER_PART_COMMIT] = did.has[SERVER_PART_IDS] = true;
  did.has[SERVER_PART_ROLLBACK] = did.has[SERVER_PART_UNDONE] = true;
  did.value[SERVER_DEADLOCKS] = 40;
  did.value[SERVER_PART_UNDONE] = single ? 40 : 80;
  did.value[SERVER_PART_IDS] = 200 + (single ? 40 : 80);
  did.value[SERVER_PART_CHANGES] = did.value[SERVER_PART_STATEMENT_ENDS] = 100;
  monitor_mysql.derive(&did, &owed);
  OK(did.value[SERVER_ROLLBACKS] == 40 && did.value[SERVER_COMMITS] == 100,
     single ? "victims with autocommit are no commits"
            : "victims in transactions are no commits");
}

/* Of a server with 4 connections. */
static double commits_of(const struct row *r, struct server_owed *owed)
{
  struct server_reading did = { 0 };

  did.has[SERVER_PART_COMMIT] = did.has[SERVER_PART_STATEMENT_ENDS] = true;
  did.value[SERVER_PART_COMMIT] = r->commit;
  did.has[SERVER_PART_ROLLBACK] = true;
  did.value[SERVER_PART_ROLLBACK] = r->rollback;
  did.value[SERVER_PART_STATEMENT_ENDS] = r->ends;
  did.value[SERVER_PART_PREPARED] = r->prepared;
  did.value[SERVER_PART_CHANGES] = r->changes;
  did.has[SERVER_PART_IDS] = r->has & IDS;
  did.value[SERVER_PART_IDS] = r->ids;
  did.has[SERVER_PART_TRANSACTIONS] = r->has & ALL;
  did.value[SERVER_PART_TRANSACTIONS] = r->all;
  did.has[SERVER_CONNECTIONS] = true;
  did.value[SERVER_CONNECTIONS] = 4;
  monitor_mysql.derive(&did, owed);
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
  OK(commits_of(&row, &owed) == 5000 - 4 * 100,
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
  for (size_t i = 0; i < ARRAY_SIZE(undone); i++)
    check_undone(&undone[i]);
  check_victims_alone();
  check_victims(true);
  check_victims(false);
  check_follow("those with numbers", IDS);
  check_follow("those without", 0);
  check_changes();
  monitor_mysql.derive(&none, &owed);
  OK(!none.has[SERVER_COMMITS], "a server that says nothing has no figure");
  return TAP_EXIT();
}
