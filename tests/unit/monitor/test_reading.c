/*
 * test_reading.c - from names and numbers of a server to figures.  The server
 * is a function.
 */
#include <stdio.h>
#include <string.h>

#include "monitor/link.h"
#include "monitor/reading.h"
#include "monitor/source.h"
#include "tests/unit/link_often.h"
#include "tests/unit/tap.h"

/* What the status of the server has; ends with a name that is NULL. */
static const struct status {
  const char *name, *value;
} * status;

/* [opt] Queries with this word are refused. */
static const char *refused;

static sql_value text_of(const char *text)
{
  sql_value v = { 0 };

  v.ptr = text;
  v.len = (uint32_t)strlen(text);
  return v;
}

bool link_query(struct link *l, const char *sql,
                void (*row)(void *ctx, const sql_value *v, unsigned n),
                void *ctx)
{
  if (refused && strstr(sql, refused)) {
    (void)snprintf(l->why, sizeof(l->why), "no");
    return false;
  }
  if (strncmp(sql, "SHOW GLOBAL STATUS", 18) != 0)
    return true;
  for (const struct status *s = status; s->name; s++) {
    const sql_value v[] = { text_of(s->name), text_of(s->value) };

    row(ctx, v, 2);
  }
  return true;
}

/* -1: it has none. */
static double age(const struct status *has)
{
  struct server_access access = { .queries = ~0u };
  struct server_gaps gaps = { 0 };
  struct server_reading r;
  struct link l = { 0 };

  status = has;
  if (!reading_take(&l, &monitor_mysql, &access, &gaps, &r) ||
      !r.has[SERVER_CHECKPOINT_AGE_BYTES])
    return -1;
  return r.value[SERVER_CHECKPOINT_AGE_BYTES];
}

/* Servers have the age, two positions in the log, or both. */
static void check_age(void)
{
  static const struct status none[] = { { NULL, NULL } };
  static const struct status alone[] = { { "Innodb_checkpoint_age", "70" },
                                         { NULL, NULL } };
  static const struct status positions[] = {
    { "Innodb_redo_log_checkpoint_lsn", "930" },
    { "Innodb_redo_log_current_lsn", "1000" },
    { NULL, NULL },
  };
  static const struct status first[] = {
    { "Innodb_checkpoint_age", "70" },
    { "Innodb_redo_log_checkpoint_lsn", "930" },
    { "Innodb_redo_log_current_lsn", "1000" },
    { NULL, NULL },
  };
  static const struct status last[] = {
    { "Innodb_redo_log_checkpoint_lsn", "930" },
    { "Innodb_redo_log_current_lsn", "1000" },
    { "Innodb_checkpoint_age", "70" },
    { NULL, NULL },
  };

  OK(age(none) == -1, "a server without it");
  OK(age(alone) == 70, "with the figure itself");
  OK(age(positions) == 70, "with what it is the difference of");
  OK(age(first) == 70 && age(last) == 70, "both: it is not counted twice");
}

/* Positions have several names, of which the first one counts. */
static void check_first(void)
{
  static const struct status both[] = {
    { "Innodb_os_log_written", "5" },
    { "Innodb_redo_log_current_lsn", "1000" },
    { "Innodb_lsn_current", "1001" },
    { NULL, NULL },
  };
  struct server_access access = { .queries = ~0u };
  struct server_gaps gaps = { 0 };
  struct server_reading r;
  struct link l = { 0 };

  status = both;
  OK(reading_take(&l, &monitor_mysql, &access, &gaps, &r) &&
       r.value[SERVER_LOG_BYTES] == 1001,
     "the first name in the table counts");
}

/* A user who must not read one table of several. */
static void check_refused(void)
{
  static const struct status some[] = { { "Com_commit", "7" }, { NULL, NULL } };
  struct server_access access = { .queries = ~0u };
  struct server_gaps gaps = { 0 };
  struct server_reading r;
  struct link l = { 0 };

  status = some;
  refused = "events_transactions_summary";
  OK(reading_take(&l, &monitor_mysql, &access, &gaps, &r) && gaps.n == 0 &&
       r.has[SERVER_PART_COMMIT],
     "what other counts stand in for is not missing");
  refused = "INNODB_TRX";
  OK(reading_take(&l, &monitor_mysql, &access, &gaps, &r) && gaps.n == 1 &&
       strcmp(gaps.of[0].what, "oldest_transaction_s") == 0,
     "a figure is");
  refused = NULL;
}

int main(void)
{
  check_age();
  check_first();
  check_refused();
  return TAP_EXIT();
}
