/*
 * specifics.c - what the suite has to know about each database.
 */
#include "specifics.h"

const struct specifics all_specifics[] = {
  {
    .driver = "null",
    .nul_in_text = true,
    .int_type = "BIGINT",
    .double_type = "DOUBLE",
    .text_type = "TEXT",
    .slow = "SELECT 1",
    .slow_option = { "--null-latency=600000000" },
    .interrupted = 1317,
    .interrupted_state = "70100",
  },
  {
    .driver = "sqlite",
    .stores = true,
    .nul_in_text = true,
    .digits_15 = true,
    .skips_empty = true,
    .int_type = "BIGINT",
    .double_type = "DOUBLE",
    .text_type = "TEXT",
    .regions = "SELECT 'a?' AS \"?\", ? AS [?'], ? AS `?` /* ? ' */, -- ? '\n"
               " ? WHERE '?''?' <> '\\'",
    .slow = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) "
            "SELECT COUNT(*) FROM c",
    .interrupted = 9,
    .interrupted_state = "57014",
    .duplicate_state = "23505",
    .missing_state = "42P01",
    .syntax_state = "42601",
    .integrity = "PRAGMA integrity_check",
  },
  {
    .driver = "mysql",
    .stores = true,
    .nul_in_text = true,
    .autocommit_ddl = true,
    .int_type = "BIGINT",
    .double_type = "DOUBLE",
    .text_type = "LONGTEXT",
    .regions = "SELECT 'a?' AS `?`, ? /* ? ' */, ? /*! , ? */ # ? '\n"
               " FROM DUAL -- ? '\n WHERE '\\'?' <> \"?\\\"\"",
    .slow = "SELECT COUNT(*) FROM (SELECT 1 AS a UNION SELECT 2) t "
            "WHERE SLEEP(600) = 0",
    .interrupted = 1317,
    .interrupted_state = "70100",
    .kill_self = "KILL CONNECTION_ID()",
    .duplicate_state = "23000",
    .missing_state = "42S02",
    .syntax_state = "42000",
  },
  {
    .driver = "pgsql",
    .stores = true,
    .minus_zero = true,
    .skips_empty = true,
    .int_type = "BIGINT",
    .double_type = "DOUBLE PRECISION",
    .text_type = "TEXT",
    .regions = "SELECT 'a?' AS \"?\", CAST(? AS BIGINT) /* /* ? */ ' */, "
               "CAST(? AS BIGINT), --? '\n CAST(? AS BIGINT) "
               "WHERE E'\\'?' <> $x$?'$x$",
    .slow = "SELECT pg_sleep(600)",
    .interrupted_state = "57014",
    .kill_self = "SELECT pg_terminate_backend(pg_backend_pid())",
    .duplicate_state = "23505",
    .missing_state = "42P01",
    .syntax_state = "42601",
  },
  { 0 },
};
