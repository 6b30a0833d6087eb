/*
 * commits_mysql.c - how many transactions MySQL and MariaDB have committed.
 */
#include "monitor/commits_mysql.h"

#include <math.h>

#include "monitor/reading.h"

void commits_mysql(struct server_reading *did)
{
  const double *v = did->value; /* 0, if it is not known */
  const double said = v[SERVER_PART_COMMIT];
  const double ended = said + v[SERVER_ROLLBACKS];
  /* Each engine counts, and the binary log is one of two. */
  const double ends = v[SERVER_PART_STATEMENT_ENDS] -
                      v[SERVER_PART_PREPARED] / 2;
  const double in_transactions = COMMITS_MYSQL_STATEMENTS * ended;
  double commits;

  if (did->has[SERVER_PART_TRANSACTIONS])
    commits = fmax(said, v[SERVER_PART_TRANSACTIONS] - v[SERVER_ROLLBACKS]);
  else if (did->has[SERVER_PART_IDS])
    commits = fmax(said, v[SERVER_PART_IDS] / 2 - v[SERVER_ROLLBACKS]) +
              fmax(ends - v[SERVER_PART_CHANGES] - ended - in_transactions, 0);
  else
    commits = fmax(said, ends - ended - in_transactions);
  did->has[SERVER_COMMITS] = did->has[SERVER_PART_COMMIT];
  did->value[SERVER_COMMITS] = floor(fmax(commits, 0));
}
