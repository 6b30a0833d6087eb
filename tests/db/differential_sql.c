/*
 * differential_sql.c - what the comparison of protocols says to each server.
 */
#include <string.h>

#include "differential.h"

static const char *const mysql_setup[] = {
  "SET SESSION sql_mode = ''",
  "CREATE TEMPORARY TABLE differential (id INT PRIMARY KEY, n INT, t LONGTEXT)",
  "CREATE TEMPORARY TABLE differential_types (a TINYINT UNSIGNED, b YEAR, "
  "c INT(8) ZEROFILL, d FLOAT, e DOUBLE, f DECIMAL(20,5), g DATE, "
  "h DATETIME(6), i TIMESTAMP(3) NULL, j TIME(2), k BIT(12), l CHAR(5), "
  "m VARBINARY(300), n SET('x','y'), o ENUM('p','q'))",
  "INSERT INTO differential_types VALUES (255, 2024, 42, 1.5, -2.25, 1.5, "
  "'2024-02-29', '2024-02-29 1:2:3.000004', '2024-02-29', '-1:2:3.25', b'101', "
  "'ab', REPEAT(x'00ff', 130), 'x,y', 'q'), (NULL, NULL, NULL, NULL, NULL, "
  "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (0, 0, 0, 0, "
  "0, 0, '0000-00-00', '0000-00-00', NULL, 0, 0, '', '', '', 'p')",
  "DROP PROCEDURE IF EXISTS differential_one",
  "DROP PROCEDURE IF EXISTS differential_bad",
  "CREATE PROCEDURE differential_one() BEGIN SELECT 1, NULL; DO 1; "
  "SELECT 'a' UNION SELECT 'b'; SELECT '' WHERE 1 = 0; END",
  "CREATE PROCEDURE differential_bad() BEGIN SELECT 1; SELECT * FROM nowhere; "
  "END",
  NULL
};

static const char *const mysql_expressions[] = {
  "NULL",
  "''",
  "'it''s'",
  "1.50",
  "-0.001",
  "1e10",
  "1e-7",
  "PI()",
  "18446744073709551615",
  "-9223372036854775808",
  "x'00ff00'",
  "b'1000000001'",
  "CAST('2024-02-29' AS DATE)",
  "CAST('2024-02-29 12:34:56.789' AS DATETIME(3))",
  "CAST('-12:34:56.7' AS TIME(1))",
  "CAST('800:00:00' AS TIME)",
  "CAST(5 AS UNSIGNED)",
  "CAST('x' AS CHAR(3))",
  "_utf8mb4'\xc3\xa4'",
  "1 = 1",
  "1/0",
  "1/3",
  "CAST(1/3 AS FLOAT)",
  "ROW_COUNT()",
  NULL
};

static const char *const mysql_statements[] = {
  "SELECT * FROM differential_types",
  "SELECT h, i, j, g FROM differential_types",
  "SELECT * FROM nowhere",
  "SELEC 1",
  "SELECT nothing FROM differential",
  "INSERT INTO differential (id) VALUES (1, 2)",
  "INSERT INTO differential (id) VALUES (7), (7)",
  "INSERT INTO differential (id, n) VALUES (3, 1) ON DUPLICATE KEY UPDATE n = "
  "9",
  "REPLACE INTO differential (id, t) VALUES (4, 'r')",
  "SELECT COUNT(*), MAX(id), GROUP_CONCAT(n ORDER BY id) FROM differential",
  "UPDATE differential SET n = n",
  "SIGNAL SQLSTATE '45001' SET MESSAGE_TEXT = 'own', MYSQL_ERRNO = 31000",
  "BEGIN",
  "COMMIT",
  "ROLLBACK",
  "SET @a = 1",
  "DO 1",
  "SHOW COLUMNS FROM differential",
  "EXPLAIN SELECT * FROM differential WHERE id = 1",
  "ANALYZE TABLE nowhere",
  "SELECT 1 INTO @b",
  "SELECT SLEEP(0)",
  "KILL 4000000000",
  "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'",
  "SET SESSION sql_mode = ''",
  "PREPARE p FROM 'SELECT 1'",
  NULL
};

static const char *const mysql_several[] = {
  "SELECT 1; SELECT NULL, ''; SELECT 'x' WHERE 1 = 0",
  "DO 1; SELECT 2; DO 3",
  "SELECT 1; SELEC",
  "SELECT 1; SELECT * FROM nowhere; SELECT 3",
  "INSERT INTO differential (id) VALUES (50); SELECT 1; DELETE FROM "
  "differential WHERE id = 50",
  NULL
};

static const char *const mysql_procedures[] = { "CALL differential_one()",
                                                "CALL differential_bad()",
                                                "CALL nowhere()", NULL };

static const char *const pgsql_setup[] = {
  "CREATE TEMPORARY TABLE differential (id INT PRIMARY KEY, n INT, t TEXT)",
  "CREATE TEMPORARY TABLE differential_types (a BOOL, b SMALLINT, c REAL, "
  "d DOUBLE PRECISION, e NUMERIC(20,5), f DATE, g TIMESTAMP, h TIMESTAMPTZ, "
  "i TIME, j INTERVAL, k BIT(12), l CHAR(5), m BYTEA, n INT[], o JSONB, p "
  "UUID)",
  "INSERT INTO differential_types VALUES (true, -1, 1.5, 'NaN', 1.5, "
  "'2024-02-29', '2024-02-29 1:2:3.000004', '2024-02-29', '1:2:3.25', '1 day', "
  "b'101010101010', 'ab', '\\x00ff', '{1,NULL}', '{\"a\": [1, null]}', "
  "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'), (NULL, NULL, NULL, NULL, NULL, "
  "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
  NULL
};

static const char *const pgsql_expressions[] = {
  "NULL",
  "''",
  "'it''s'",
  "1.50",
  "-0.001",
  "1e10",
  "pi()",
  "'NaN'::float8",
  "'-Infinity'::float4",
  "0.1::float4",
  "true",
  "'2024-02-29'::date",
  "'2024-02-29 12:34:56.789'::timestamp",
  "'1 day 2 hours'::interval",
  "'\\x00ff'::bytea",
  "ARRAY[1,NULL,3]",
  "b'101'",
  "'\xc3\xa4'",
  "row(1,NULL)",
  "1 = 1",
  "'{\"a\":1}'::jsonb",
  "generate_series(1, 3)",
  NULL
};

static const char *const pgsql_statements[] = {
  "SELECT * FROM differential_types",
  "SELECT * FROM nowhere",
  "SELEC 1",
  "SELECT nothing FROM differential",
  "SELECT",
  "",
  "SELECT 1/0",
  "SELECT 1/(3 - n) FROM generate_series(1, 5) n",
  "SELECT 'x'::int",
  "INSERT INTO differential (id) VALUES (1, 2)",
  "INSERT INTO differential (id) VALUES (7), (7)",
  "INSERT INTO differential (id, n) VALUES (3, 1) ON CONFLICT (id) DO UPDATE "
  "SET n = 9",
  "INSERT INTO differential (id) VALUES (5) ON CONFLICT DO NOTHING RETURNING "
  "id",
  "DELETE FROM differential WHERE id = 5 RETURNING *",
  "SELECT count(*), max(id), string_agg(n::text, ',') FROM differential",
  "UPDATE differential SET n = n",
  "DO $$ BEGIN RAISE NOTICE 'heard %', 1; END $$",
  "DO $$ BEGIN RAISE EXCEPTION 'own' USING ERRCODE = 'AB123', DETAIL = 'd', "
  "HINT = 'h', COLUMN = 'c', CONSTRAINT = 'k', DATATYPE = 't', TABLE = 'u', "
  "SCHEMA = 's'; END $$",
  "DO $$ BEGIN FOR i IN 1..50 LOOP RAISE NOTICE 'many'; END LOOP; END $$",
  "SELECT set_config('application_name', 'a' || length(repeat('x', 3)), false)",
  "SELECT set_config('standard_conforming_strings', 'on', false)",
  "SET application_name = 'b'",
  "RESET application_name",
  "BEGIN",
  "BEGIN",
  "COMMIT",
  "ROLLBACK",
  "SAVEPOINT s",
  "DROP TABLE IF EXISTS nowhere",
  "EXPLAIN (COSTS OFF) SELECT * FROM differential WHERE id = 1",
  "SHOW standard_conforming_strings",
  "VALUES (1, NULL), (2, 'b')",
  "NOTIFY differential",
  "COPY (SELECT 1) TO STDOUT",
  "COPY (SELECT g, repeat('x', 50) FROM generate_series(1, 2000) g) TO STDOUT",
  "COPY differential (id) FROM STDIN",
  "/* rows */ copy differential FROM STDIN",
  "COPY nowhere FROM STDIN",
  "INSERT INTO differential_late VALUES (1)",
  "SELECT ('x' || repeat('y', 3000))::int",
  "SELECT g, repeat('z', g) FROM generate_series(1, 900) g",
  "SELECT repeat('q', 1500000)",
  "DEALLOCATE differential_named; PREPARE differential_named AS SELECT 1, 'a'",
  "DEALLOCATE differential_named",
  "PREPARE differential_named AS SELECT 'one', NULL, 3",
  "PREPARE differential_named AS UPDATE differential SET n = n",
  "EXECUTE differential_named",
  "EXECUTE differential_named",
  "CALL pg_temp.differential_out(1, NULL)",
  "LISTEN differential",
  "SET client_encoding = latin1",
  "RESET client_encoding",
  "SET standard_conforming_strings = off",
  "SET standard_conforming_strings = on",
  "DISCARD PLANS",
  "CREATE TEMPORARY TABLE differential_more AS SELECT 1 AS a",
  "DROP TABLE differential_more",
  NULL
};

/* None with LISTEN: it would leave both sessions to the library. */
static const char *const pgsql_several[] = {
  "SELECT 1; SELECT NULL, ''; SELECT 'x' WHERE false",
  "DELETE FROM differential WHERE id = 50; SELECT 2",
  "SELECT 1; SELEC",
  "SELECT 1; SELECT 1/0; SELECT 3",
  "SELECT 1; COPY (SELECT 1) TO STDOUT; SELECT 2",
  ";",
  "; ;SELECT 1;; -- nothing\n;SELECT 2 /* at all */;",
  "SELECT; SELECT 1; SELECT",
  "INSERT INTO differential (id) VALUES (51) RETURNING id, n; UPDATE "
  "differential SET n = 1 WHERE id = 51; DELETE FROM differential WHERE id = "
  "51 RETURNING *",
  "SELECT 1; COPY differential (id) FROM STDIN; SELECT 2",
  "COPY differential (id) FROM STDIN; SELECT 2",
  "COPY (SELECT g FROM generate_series(1, 2000) g) TO STDOUT; SELECT "
  "repeat('y', 30000), NULL",
  "SELECT g, repeat('z', g) FROM generate_series(1, 700) g; SELECT g FROM "
  "generate_series(1, 5) g; UPDATE differential SET n = n; SELECT "
  "repeat('w', 40000)",
  "SELECT 1; SELECT repeat('q', 1200000); SELECT 2",
  "BEGIN; SELECT 1; SELECT 1/0; COMMIT",
  "BEGIN; SELECT 1; COMMIT; SELECT 2",
  "COMMIT; SELECT 1",
  "ROLLBACK; SELECT 1",
  "ROLLBACK AND CHAIN; SELECT 1",
  "SELECT 1; DO $$ BEGIN RAISE NOTICE 'heard'; END $$; SELECT 2",
  "SELECT 1; DO $$ BEGIN RAISE EXCEPTION 'own' USING ERRCODE = 'AB123', DETAIL "
  "= 'd', HINT = 'h', COLUMN = 'c', CONSTRAINT = 'k', DATATYPE = 't', TABLE = "
  "'u', SCHEMA = 's'; END $$; SELECT 2",
  "SELECT n, 1/(3 - n) FROM generate_series(1, 5) n; SELECT 2",
  "SELECT 0; SELECT n, 1/(3 - n) FROM generate_series(1, 5) n; SELECT 2",
  "SET standard_conforming_strings = off; SELECT 'a\\'b'; SET "
  "standard_conforming_strings = on; SELECT 'a\\'",
  "NOTIFY differential, 'x'; SELECT 1; UNLISTEN differential",
  "PREPARE differential_two AS SELECT 1, 'a'; EXECUTE differential_two; "
  "DEALLOCATE differential_two",
  "DECLARE d CURSOR FOR SELECT g FROM generate_series(1, 9) g; FETCH 3 FROM d; "
  "MOVE 2 FROM d; FETCH ALL FROM d; CLOSE d",
  "SELECT 1; INSERT INTO differential_late VALUES (1)",
  "INSERT INTO differential_late VALUES (1); SELECT 1",
  "SELECT 1; CALL pg_temp.differential_out(1, 'x'); SHOW application_name",
  NULL
};

/* A prepared statement has one result. */
static const char *const pgsql_procedures[] = { "SELECT 1; SELECT 2",
                                                "DECLARE c CURSOR FOR SELECT 1",
                                                "FETCH c", NULL };

static const struct dialect dialects[] = {
  { "mysql", "--mysql-protocol=wire", "--mysql-protocol=library", mysql_setup,
    mysql_expressions, mysql_statements, mysql_several, mysql_procedures },
  { "pgsql", "--pgsql-protocol=wire", "--pgsql-protocol=library", pgsql_setup,
    pgsql_expressions, pgsql_statements, pgsql_several, pgsql_procedures },
};

const struct dialect *dialect_of(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    for (size_t k = 0; k < sizeof(dialects) / sizeof(dialects[0]); k++) {
      if (strncmp(argv[i], "--driver=", 9) == 0 &&
          strcmp(argv[i] + 9, dialects[k].driver) == 0)
        return &dialects[k];
    }
  }
  return NULL;
}
