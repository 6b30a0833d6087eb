#!/usr/bin/env bats
# sqlfile.bats - files of SQL as workloads, on SQLite and without a database.

load helper

# shellcheck disable=SC2034 # helper.bash reads it
NEEDS_DRIVER=sqlite

# sqlite FILE ARG...: a run of the file on t.db.
sqlite() {
  local file=$1
  shift
  bench "$file" --db-driver=sqlite --sqlite-db=t.db --sqlite-synchronous=off \
    --histogram=off "$@"
}

# one FILE ARG...: one event, which has to succeed.
one() {
  sqlite "$@" --events=1 run
  must [ "$status" -eq 0 ]
}

# debugs TEXT...: what debug() has printed, a line each.
debugs() {
  is "$(sed -n 's/^debug(.*): //p' <<<"$stderr")" "$(printf '%s\n' "$@")"
}

@test "statements, variables and rows: values arrive, and come back" {
  cat >t.sql <<'SQL'
CREATE TABLE t (id INTEGER PRIMARY KEY, i, d, s, b, n);
\set i 5000000000
\set d 1.5
\set b 1 < 2
\set n null
INSERT INTO t (i, d, s, b, n) VALUES (:i, :d, 'it''s; :)', :b, :n); SELECT 1
;
SELECT typeof(i) AS ti, i, typeof(d) AS td, d, s, b, typeof(n) AS tn, n, '007' AS zero
FROM t \gset r_
\set x debug(:r_i + 1)
\set x debug(:r_d * 2)
\set x debug(:r_b)
\set x debug(:r_n)
\set x debug(:r_zero + 1)
-- The texts of columns are values as well; no terminator at the end.
SELECT CASE WHEN :r_ti = 'integer' AND :r_td = 'real' AND :r_tn = 'null' AND
  :r_s = 'it''s; :)' AND :r_zero = '007' THEN 1 ELSE 0 END AS ok \gset
\set x debug(:ok)
DROP TABLE t
SQL
  for mode in auto disable; do
    one t.sql --db-ps-mode=$mode
    debugs 'int 5000000001' 'double 3' 'int 1' 'null' 'int 8' 'int 1'
  done
}

@test "conditions, elif and else" {
  cat >t.sql <<'SQL'
\if :n < 10
\set x debug(1)
\elif :n < 20
\set x debug(2)
\if :n = 15
\set x debug(3)
\endif
\else
\set x debug(4)
\endif
SELECT 1;
SQL
  one t.sql --define=n=5
  debugs 'int 1'
  one t.sql --define=n=12
  debugs 'int 2'
  one t.sql --define=n=15
  debugs 'int 2' 'int 3'
  one t.sql --define=n=25
  debugs 'int 4'
}

@test "an event is one pass; statements are counted by kind and by class" {
  cat >t.sql <<'SQL'
CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, n INTEGER);
\set x random(1, 100)
INSERT INTO t (n) VALUES (:x);
SELECT n FROM t WHERE id = :x;
SQL
  one t.sql
  sqlite t.sql --events=20 --json=t.json run
  must [ "$status" -eq 0 ]
  must [ "$(number 'read:')" = 20 ]
  must [ "$(number 'write:')" = 20 ]
  must [ "$(number 'other:')" = 20 ]
  check t.json 'd["run"]["test"] == "t.sql"' \
    '{"SELECT n FROM t WHERE id = ?", "INSERT INTO t (n) VALUES (?)"} <= {c["name"] for c in d["classes"]}'
}

@test "definitions: numbers are parameters, other texts are part of statements" {
  cat >t.sql <<'SQL'
CREATE TABLE IF NOT EXISTS :table (n);
SELECT count(*) + :scale + :more AS n FROM :table \gset
\set x debug(:n)
SQL
  one t.sql --define=table=abc --define=scale=10 --define=more=5
  debugs 'int 15'
  one t.sql --define=table='"a, b"' --define=more=5
  debugs 'int 6'
  sqlite t.sql --events=1 --define=more=5 run
  is "$stderr" "FATAL: t.sql:1:29: the variable 'table' has no value here; use \\set before this line, or --define=table=VALUE"
  [ "$status" -eq 1 ]
  sqlite t.sql --events=1 --define=more run
  is "$stderr" "FATAL: --define=more: expected NAME=VALUE, where NAME has letters, digits and underscores"
}

@test "client_id, scale, random_seed and default_seed" {
  cat >t.sql <<'SQL'
\set x debug(:client_id)
\set x debug(:scale)
\set x debug(:random_seed)
\set x debug(hash(7) = hash(7, :default_seed))
SELECT 1;
SQL
  one t.sql --rand-seed=17
  debugs 'int 0' 'int 1' 'int 17' 'boolean true'
  # Each client has its own number and its own random numbers.
  printf '%s\n' '\set x debug(:client_id)' '\set y debug(random(1, 1000000000000))' \
    'SELECT 1;' '\sleep 100 s' >c.sql
  sqlite c.sql --threads=3 --time=1 run
  must [ "$status" -eq 0 ]
  is "$(sed -n 's/^debug(c.sql:1:.*): //p' <<<"$stderr" | sort)" $'int 0\nint 1\nint 2'
  [ "$(sed -n 's/^debug(c.sql:2:.*): //p' <<<"$stderr" | sort -u | wc -l)" = 3 ]
}

@test "the same seed draws the same numbers" {
  printf '%s\n' '\set x debug(random(1, 1000000))' \
    '\set x debug(random_zipfian(1, 1000, 1.1))' 'SELECT :x;' >t.sql
  sqlite t.sql --events=5 --rand-seed=3 run
  first=$(grep ^debug <<<"$stderr")
  [ "$(wc -l <<<"$first")" = 10 ]
  sqlite t.sql --events=5 --rand-seed=3 run
  is "$(grep ^debug <<<"$stderr")" "$first"
  sqlite t.sql --events=5 --rand-seed=4 run
  [ "$(grep ^debug <<<"$stderr")" != "$first" ]
}

@test "an ignored error repeats the event with the same numbers and variables" {
  # The last statement violates the primary key until there are three rows.
  cat >t.sql <<'SQL'
CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, tries INTEGER);
SELECT count(*) AS before FROM t \gset
\set n debug(:n + 1)
\set x debug(random(1, 1000000))
INSERT INTO t VALUES (:before, 1);
INSERT INTO t SELECT 0, 1 FROM (SELECT count(*) AS c FROM t) WHERE c < 3;
SQL
  sqlite t.sql --define=n=0 --events=1 --time=20 --rand-seed=3 --db-ignore-errors=all run
  must [ "$status" -eq 0 ]
  # Attempts: one for each row that is missing.
  must [ "$(number 'ignored errors:')" = 2 ]
  is "$(sed -n 's/^debug(t.sql:3:.*): //p' <<<"$stderr")" $'int 1\nint 1\nint 1'
  [ "$(sed -n 's/^debug(t.sql:4:.*): //p' <<<"$stderr" | sort | uniq -c | awk '{ print $1 }')" = 3 ]
}

@test "sleeping: part of the event, and no longer than the run" {
  printf '%s\n' 'SELECT 1;' '\sleep 20 ms' '\set t 5' '\sleep :t ms' >t.sql
  sqlite t.sql --events=4 run
  must [ "$status" -eq 0 ]
  must holds "$(number 'min:') >= 25"
  printf '%s\n' 'SELECT 1;' '\sleep 1000' >long.sql
  sqlite long.sql --time=1 run
  must [ "$status" -eq 0 ]
  must [ "$(number 'total number of events:')" = 0 ]
}

@test "sleeping: pgbench takes units without a blank, and capital letters" {
  printf '%s\n' 'SELECT 1;' '\sleep 15ms' '\SET t 5000' '\Sleep :t US' '\sleep 0s' '\IF 0' '\sleep 9999s' '\ENDIF' >t.sql
  sqlite t.sql --events=2 --time=0 run
  must [ "$status" -eq 0 ]
  must holds "$(number 'min:') >= 20"
  must holds "$(number 'max:') < 9999000"
  printf '%s\n' 'SELECT 1;' '\sleep 5min' >t.sql
  sqlite -1 t.sql run
  is "$stderr" "FATAL: t.sql:2:9: the unit 'min' is not one of us, ms, s"
  printf '%s\n' '\set a 5ms' 'SELECT 1;' >t.sql
  sqlite t.sql run
  is "$stderr" "FATAL: t.sql:1:8: '5ms' is not a number"
}

@test "a script of pgbench with another name is told what it needs" {
  printf '%s\n' '\set a 1' 'SELECT :a;' >t.pgbench
  bench -1 ./t.pgbench --db-driver=sqlite --sqlite-db=t.db run
  must has "$stderr" '^FATAL: ./t.pgbench:1: .*this is read as Lua; a file of SQL needs a name that ends in .sql'
  printf 'x = = 1\n' >t.lua
  bench -1 ./t.lua --db-driver=sqlite --sqlite-db=t.db run
  [ "$(grep -c 'ends in .sql' <<<"$stderr")" = 0 ]
}

@test "a database that cannot be reached is told, and not once more for each client" {
  echo 'SELECT 1;' >t.sql
  bench -1 ./t.sql --db-driver=sqlite --sqlite-db="$PWD/none/t.db" --threads=3 run
  is "$(grep -c 'has no connection' <<<"$stderr")" 0
  must has "$stderr" '^FATAL: .*unable to open database file'
}

@test "failures have file, line and column, once for all clients" {
  printf '%s\n' 'SELECT 1;' '  SELECT * FROM nosuch;' >t.sql
  sqlite -1 t.sql --threads=4 run
  must has "$stderr" "^FATAL: SQLite error 1 .*no such table: nosuch"
  [ "$(grep -c '^FATAL: t.sql:2:3: the statement that begins here has failed$' <<<"$stderr")" = 1 ]

  printf '%s\n' '\set a 0' 'SELECT 1;' '\set b 1 / :a' >t.sql
  sqlite -1 t.sql --threads=4 run
  is "$stderr" 'FATAL: t.sql:3:10: division by zero'

  printf '%s\n' 'SELECT 1 AS a UNION SELECT 2 \gset' >t.sql
  sqlite t.sql run
  is "$stderr" 'FATAL: t.sql:1:1: \gset needs one row, but the statement has returned 2'
  printf '%s\n' 'SELECT 1 AS a WHERE 0 \gset' >t.sql
  sqlite t.sql run
  is "$stderr" 'FATAL: t.sql:1:1: \gset needs one row, but the statement has returned 0'

  printf '%s\n' '\if :client_id < 0' '\set a 1' '\endif' 'SELECT :a;' >t.sql
  sqlite t.sql run
  is "$stderr" "FATAL: t.sql:4:1: the variable 'a' has no value yet"
}

@test "aset takes the last row, and keeps the values if there is none" {
  cat >t.sql <<'SQL'
\set a 5
SELECT 1 AS a WHERE 0 \aset
\set x debug(:a)
SELECT 1 AS a UNION SELECT 2 ORDER BY a \aset
\set x debug(:a)
SQL
  one t.sql
  debugs 'int 5' 'int 2'
}

@test "mistakes are found before the run starts" {
  printf '%s\n' 'SELECT 1;' '\set a random(1)' >t.sql
  sqlite -1 t.sql run
  is "$stderr" 'FATAL: t.sql:2:8: 1 argument given, the function is random(from, to)'
  [ "$(grep -c Initializing <<<"$output")" = 0 ]
  [ ! -e t.db ]

  : >empty.sql
  sqlite empty.sql run
  is "$stderr" "FATAL: 'empty.sql' has no SQL statement"
  sqlite none.sql run
  is "$stderr" "FATAL: cannot read 'none.sql': No such file or directory"
  mkdir folder.sql
  sqlite folder.sql run
  is "$stderr" "FATAL: 'folder.sql' is a folder, not a file of SQL"
}

@test "commands: run and help; a file has no prepare" {
  echo 'SELECT 1' >t.sql
  for command in prepare cleanup; do
    sqlite -1 t.sql $command
    is "$stderr" "'t.sql' test does not implement the '$command' command."
  done
  sqlite -1 t.sql
  is "$stderr" "The file 't.sql' requires a command argument: 'bench t.sql run'"
  sqlite -0 t.sql help
  must has "$output" '^  --define=NAME=VALUE '
  sqlite -1 t.sql --defin=a=1 run
  must has "$stderr" '--define'
  bench -1 t.sql --db-driver=nosuch run
  must has "$stderr" "Invalid value for --db-driver: 'nosuch'"
}

@test "CRLF and the mark of UTF-8" {
  printf '\xef\xbb\xbf\\set a 1\r\nSELECT :a AS b \\gset\r\n\\set x debug(:b)\r\n' >t.sql
  one t.sql
  debugs 'int 1'
}

@test "a sweep runs a file, and doctor looks at its database" {
  echo 'SELECT :client_id;' >t.sql
  sqlite t.sql --events=5 --sweep=threads:1,2 run
  must [ "$status" -eq 0 ]
  sqlite t.sql --events=5 run
  bench doctor t.sql --db-driver=sqlite --sqlite-db=t.db
  must has "$output" '^ok +server +SQLite'
}
