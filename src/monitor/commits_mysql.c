/*
 * commits_mysql.c - how many transactions MySQL and MariaDB have committed,
 * and rolled back.
 */
#include "monitor/commits_mysql.h"

#include <math.h>

#include "monitor/reading.h"

/* What is left of `n`, or nothing: then the next one owes the rest. */
static double pay(double n, double most, double *owed)
{
  const double left = n - *owed;

  *owed = fmin(fmax(-left, 0), most);
  return fmax(left, 0);
}

/* Returns how many of them were of a single statement: InnoDB has one number
 * for each, not two. */
static double rollbacks(struct server_reading *did, struct server_owed *owed)
{
  const double *v = did->value; /* 0, if it is not known */
  const double asked = v[SERVER_PART_ROLLBACK];
  const double deadlocks = v[SERVER_DEADLOCKS];
  /* A binary log counts what changes something once more. */
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

void commits_mysql(struct server_reading *did, struct server_owed *owed)
{
  const double *v = did->value; /* 0, if it is not known */
  const double said = v[SERVER_PART_COMMIT];
  const double single = rollbacks(did, owed);
  const double ended = said +
                       fmax(v[SERVER_PART_ROLLBACK], v[SERVER_ROLLBACKS]);
  /* Each engine counts, and the binary log is one of two. */
  const double ends = v[SERVER_PART_STATEMENT_ENDS] -
                      v[SERVER_PART_PREPARED] / 2;
  const double in_transactions = COMMITS_MYSQL_STATEMENTS * ended;
  const double open = v[SERVER_CONNECTIONS];
  const double open_statements = COMMITS_MYSQL_STATEMENTS * open;
  double commits;

  if (did->has[SERVER_PART_TRANSACTIONS])
    commits = fmax(said, v[SERVER_PART_TRANSACTIONS] - v[SERVER_ROLLBACKS]);
  else if (did->has[SERVER_PART_IDS])
    commits = said +
              pay((v[SERVER_PART_IDS] + single) / 2 - v[SERVER_ROLLBACKS] -
                    said,
                  open / 2, &owed->changes) +
              pay(ends - v[SERVER_PART_CHANGES] - ended - in_transactions,
                  open_statements, &owed->statements);
  else
    commits = fmax(said, pay(ends - ended - in_transactions, open_statements,
                             &owed->statements));
  did->has[SERVER_COMMITS] = did->has[SERVER_PART_COMMIT];
  did->value[SERVER_COMMITS] = floor(fmax(commits, 0));
}
