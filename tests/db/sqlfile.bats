#!/usr/bin/env bats
# sqlfile.bats - files of SQL on servers, and the same files given to pgbench.

load ../lib/servers

setup_file() {
  local kind
  for kind in mysql pgsql; do
    ! "$BENCH" --db-driver=help | grep -q "^  $kind - " || ! servers has $kind ||
      servers start $kind "$BATS_FILE_TMPDIR/$kind"
  done
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
}

# use KIND: sets `server`, the options for this server.
use() {
  [[ -e $BATS_FILE_TMPDIR/$1/state ]] || skip "no $1 server here"
  servers_env "$BATS_FILE_TMPDIR/$1"
  if [[ $1 == mysql ]]; then
    server=(--db-driver=mysql --mysql-socket="$MY_SOCKET")
  else
    server=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT")
  fi
}

# bench FILE ARG...: a run on the server, which has to succeed.
bench() {
  "$BENCH" "$1" "${server[@]}" --histogram=off "${@:2}" run >out 2>err || {
    echo "status $?: $*"
    cat out err
    return 1
  }
}

# debugs TEXT...: what debug() has printed, a line each.
debugs() {
  diff <(sed -n 's/^debug(.*): //p' err) <(printf '%s\n' "$@")
}

value() {
  sed -n "s/^ *$1: *\([0-9.]*\).*/\1/p" out
}

# pgbench_file FILE ARG...: runs pgbench on the same server.
pgbench_file() {
  command -v pgbench >/dev/null || skip "pgbench is not installed"
  pgbench -n -c 1 -h "$PG_SOCKET_DIR" -p "$PG_PORT" -U "$PG_USER" -f "$@" "$PG_DB" >theirs 2>&1
}

# Values of all kinds, as parameters and as text, and their way back.
values() {
  cat >t.sql <<SQL
DROP TABLE IF EXISTS t;
CREATE TABLE t (i bigint, d double precision, b boolean, n integer, s varchar(20));
\\set small 7
\\set large 5000000000
\\set d 1.5
\\set b :large > :small
\\set n null
INSERT INTO t VALUES (:small, :d, :b, :n, 'a:z;c'), (:large, -:d, NOT :b, :small, '?');
SELECT count(*) AS c, min(i) AS i, sum(d) AS d FROM t \\gset
\\set x debug(:c)
\\set x debug(:i)
\\set x debug(int(:d * 2))
SELECT count(*) AS one FROM t WHERE b = :b AND n IS NULL AND i = :small AND s = 'a:z;c' \\gset
\\set x debug(:one)
SELECT repeat('x', :small) AS r, s AS again FROM t WHERE i = :large LIMIT :one \\gset
SELECT count(*) AS same FROM t WHERE s = :again \\gset
\\set x debug(:same)
DROP TABLE t
SQL
  for mode in auto disable; do
    bench t.sql --events=2 --db-ps-mode=$mode
    debugs 'int 2' 'int 7' 'int 0' 'int 1' 'int 1' 'int 2' 'int 7' 'int 0' 'int 1' 'int 1'
  done
}

@test "MariaDB: values of all kinds, prepared and as text" {
  use mysql
  values
}

@test "PostgreSQL: values of all kinds, prepared and as text" {
  use pgsql
  values
}

@test "a variable becomes larger, a double, NULL, and small again" {
  use pgsql
  cat >t.sql <<'SQL'
\set k mod(:turn, 4)
\set v case when :k = 0 then 5 when :k = 1 then 6000000000 when :k = 2 then 1.5 end
SELECT coalesce(:v, -1) AS w \gset
\set x debug(:w + 0)
\set turn :turn + 1
SQL
  bench t.sql --events=6 --define=turn=0
  debugs 'int 5' 'int 6000000000' 'double 1.5' 'int -1' 'int 5' 'int 6000000000'
}

@test "MariaDB: quotes, comments and results of procedures" {
  use mysql
  cat >t.sql <<'SQL'
# a comment; with a semicolon
SELECT 'it\'s; :x', "a;b", `c;d` FROM (SELECT 1 AS `c;d`) AS t; -- :y
/*!50000 SET @a = 1 */;
SELECT @a + 1 AS two \gset
\set x debug(:two)
SQL
  bench t.sql --events=1
  debugs 'int 2'
  # The parser knows no bodies of procedures, but a session can call them.
  cat >p.lua <<'LUA'
function prepare()
  sysbench.sql.driver():connect():query("CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END")
end
LUA
  "$BENCH" ./p.lua "${server[@]}" prepare >out
  printf '%s\n' 'CALL p();' 'SELECT 3 AS three \gset' '\set x debug(:three)' >call.sql
  bench call.sql --events=2
  debugs 'int 3' 'int 3'
}

@test "PostgreSQL: dollar quotes, casts, operators with a question mark" {
  use pgsql
  cat >t.sql <<'SQL'
DO $body$ BEGIN PERFORM 1; END; $body$;
SELECT :one::text || E'\';' AS s, ('{"a": 1}'::jsonb ? 'a')::int AS q, a[1:2] AS arr
FROM (SELECT ARRAY[1, 2, 3] AS a) AS t /* ; /* nested */ ; */ \gset
\set x debug(:q + :one)
SQL
  for mode in auto disable; do
    bench t.sql --events=1 --define=one=1 --db-ps-mode=$mode
    debugs 'int 2'
  done
}

@test "PostgreSQL: a transaction that fails is repeated, and nothing is lost" {
  use pgsql
  printf '%s\n' 'DROP TABLE IF EXISTS acct;' 'CREATE TABLE acct (n bigint);' \
    'INSERT INTO acct VALUES (0);' >setup.sql
  bench setup.sql --events=1
  printf '%s\n' 'BEGIN ISOLATION LEVEL SERIALIZABLE;' 'UPDATE acct SET n = n + 1;' \
    'COMMIT;' >t.sql
  for mode in auto disable; do
    bench setup.sql --events=1
    bench t.sql --threads=4 --events=400 --db-ps-mode=$mode
    [ "$(value transactions)" = 400 ]
    [ "$(value 'ignored errors')" -gt 0 ]
    printf '%s\n' 'SELECT n FROM acct \gset' '\set x debug(:n)' >look.sql
    bench look.sql --events=1
    debugs 'int 400'
  done
}

@test "pgbench computes the same values" {
  use pgsql
  local n=0
  : >t.sql
  while IFS=$'\t' read -r expression value; do
    printf '\\set x debug(%s)\n' "$expression" >>t.sql
    n=$((n + 1))
  done <"$BENCH_SRC/tests/unit/sqlfile/expressions.tsv"
  echo 'SELECT 1;' >>t.sql
  [ $n -gt 80 ]
  pgbench_file t.sql -t 1 || skip "this pgbench knows fewer functions"
  bench t.sql --events=1
  sed -n 's/^debug(.*): //p' err >ours
  diff ours <(grep -o 'debug(.*' theirs | sed 's/^debug([^)]*): //')
  [ "$(wc -l <ours)" -eq "$(($(grep -c debug theirs)))" ]
}

@test "pgbench's own script runs on pgbench's tables" {
  use pgsql
  command -v pgbench >/dev/null || skip "pgbench is not installed"
  pgbench -i -q -s 1 -h "$PG_SOCKET_DIR" -p "$PG_PORT" -U "$PG_USER" "$PG_DB" >theirs 2>&1
  pgbench --show-script=tpcb-like 2>&1 | sed '1,/^--/{/^--/d}' >tpcb.sql
  grep -q 'UPDATE pgbench_branches' tpcb.sql
  bench tpcb.sql --threads=2 --events=100
  cat >sums.sql <<'SQL'
SELECT sum(abalance) - (SELECT sum(bbalance) FROM pgbench_branches) AS a FROM pgbench_accounts \gset
SELECT sum(delta) - (SELECT sum(bbalance) FROM pgbench_branches) AS b, count(*) AS n FROM pgbench_history \gset
\set x debug(:a)
\set x debug(:b)
\set x debug(:n)
SQL
  bench sums.sql --events=1
  debugs 'int 0' 'int 0' 'int 100'
}
