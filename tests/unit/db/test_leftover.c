/*
 * test_leftover.c - what statements leave in their sessions.
 */
#include "db/broker.h"

#include <string.h>

#include "base/compiler.h"
#include "db/emul.h"
#include "tests/unit/tap.h"

static const struct {
  const char *sql;
  unsigned dialect;
  const char *what; /* NULL: nothing */
} row[] = {
  { "SELECT 1", EMUL_MYSQL, NULL },
  { "", EMUL_MYSQL, NULL },
  { "SETTLE", EMUL_MYSQL, NULL },
  { "set names utf8", EMUL_MYSQL, "a setting" },
  { "/* why */ SET @x = 1", EMUL_MYSQL, "a setting" },
  { "SET", EMUL_MYSQL, "a setting" },
  { "SET TRANSACTION READ ONLY", EMUL_MYSQL, NULL },
  { "SET SESSION TRANSACTION READ ONLY", EMUL_MYSQL, "a setting" },
  { "SET GLOBAL a = 1", EMUL_MYSQL, NULL },
  { "SET LOCAL work_mem = 1", EMUL_DOLLAR, NULL },
  { "SET work_mem = 1", EMUL_DOLLAR, "a setting" },
  { "USE other", EMUL_MYSQL, "another database" },
  { "LOCK TABLES t WRITE", EMUL_MYSQL, "locks" },
  { "LOCK TABLE t", EMUL_DOLLAR, NULL },
  { "CREATE TABLE t (a INT)", EMUL_MYSQL, NULL },
  { "CREATE TEMPORARY TABLE t (a INT)", EMUL_MYSQL, "a temporary table" },
  { "create temp table t (a int)", EMUL_DOLLAR, "a temporary table" },
  { "PREPARE a FROM 'SELECT 1'", EMUL_MYSQL, "a prepared statement" },
  { "LISTEN a", EMUL_DOLLAR, "a subscription" },
};

int main(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
    const char *what = NULL;
    const int kind = broker_leftover(row[i].sql, strlen(row[i].sql),
                                     row[i].dialect, &what);

    OK(kind < LEFTOVERS_MAX && (kind >= 0) == (row[i].what != NULL) &&
         (!what || strcmp(what, row[i].what) == 0),
       row[i].sql);
  }
  return TAP_EXIT();
}
