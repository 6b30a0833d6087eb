#!/usr/bin/env bats
# advice.bats - what is said about the tables and the durability of real
# servers, before a run and after it; and what `bench doctor` finds there.

. "$BENCH_SRC/tests/db/every_kind.bash"
. "$BENCH_SRC/tests/db/pooler.sh"

# need KIND: its server runs; `to` has the options that lead there.
need() {
  need_kind "$1"
  case $1 in
    mysql) to=(--db-driver=mysql --mysql-socket="$MY_SOCKET") ;;
    pgsql) to=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$PG_PORT") ;;
  esac
}

teardown() {
  pooler_stop
}

# on TEST ARG...: a short run; status, output, stderr.
on() {
  local expected args
  take_status "$@"
  run --separate-stderr "$BENCH" "${args[0]}" "${to[@]}" --time=0 --events=40 "${args[@]:1}"
  as_expected
}

# says PATTERN: a line on stderr.
says() {
  grep -Eq -- "$1" <<<"$stderr" || {
    printf 'not there: %s\n%s\n' "$1" "$stderr"
    return 1
  }
}

quiet_about() {
  ! grep -E -- "$1" <<<"$stderr"
}

@test "mysql: the size of the tables is read once, for the options and for the check" {
  need mysql
  on -0 oltp_read_only --tables=2 --table-size=100 prepare
  servers sql "$BATS_FILE_TMPDIR/mysql" "SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = ON"
  on -0 oltp_read_only run
  servers sql "$BATS_FILE_TMPDIR/mysql" "SET GLOBAL general_log = OFF; SELECT argument FROM mysql.general_log" >log
  # The third table is not there.
  [ "$(grep -c '^SELECT MAX(id) FROM sbtest' log)" = 3 ]
  on -0 oltp_read_only cleanup
}

missing_keys() {
  need "$1"
  on -0 oltp_read_only --tables=2 --table-size=100 prepare
  on -0 oltp_read_only --tables=2 --table-size=10000 --json=a.json run
  says '^WARNING: the highest id of sbtest1 to sbtest2 is 100 but --table-size is 10000, so at least 99 % of the keys do not exist$'
  quiet_about 'reads found no row' # said once
  grep -q '"missing_rows"' a.json
  on oltp_read_only --tables=2 --table-size=100 run
  quiet_about ' rows? | no row'
  on -0 oltp_read_only run
  grep -qx 'Read from the tables: --tables=2 --table-size=100' <<<"$output"
  on -0 oltp_read_only check
  # A table that is not there is the run's own error.
  on -1 oltp_read_only --tables=3 --table-size=100 run
  quiet_about 'the highest id'
  on -0 oltp_read_only cleanup
  [ "$(grep -c '^Dropping table' <<<"$output")" = 2 ]
}

@test "mysql: keys that do not exist" { missing_keys mysql; }
@test "pgsql: keys that do not exist" { missing_keys pgsql; }

# no_index KIND DROP: SQL that drops the index of sbtest2.
no_index() {
  need "$1"
  on -0 oltp_read_write --tables=2 --table-size=100 prepare
  on -0 oltp_read_write --tables=2 --table-size=100 run
  quiet_about 'no index'
  servers sql "$BATS_FILE_TMPDIR/$1" "$2"
  on -0 oltp_read_write --tables=2 --table-size=100 run
  says '^WARNING: sbtest2 has no index on column k, so this is not the usual workload: create it, or give --create-secondary=off$'
  doctor -0 oltp_read_write --tables=2 --table-size=100
  finds warn indexes 'sbtest2 has no index on column k'
  on oltp_read_write --tables=2 --table-size=100 check
  grep -q "^Checking table 'sbtest2'.*index k_2 is missing" <<<"$output"
  on oltp_read_write cleanup
}

@test "mysql: an index on k that is gone" { no_index mysql 'DROP INDEX k_2 ON sbtest.sbtest2'; }
@test "pgsql: an index on k that is gone" { no_index pgsql 'DROP INDEX k_2'; }

# not_durable KIND SETTING: as the servers of the tests are.
not_durable() {
  need "$1"
  on oltp_write_only --table-size=100 prepare
  on -0 oltp_write_only --table-size=100 --json=a.json run
  says "^WARNING: writes were faster than durable ones, because .*$2"
  [ "$(grep -c durable <<<"$stderr")" -eq 1 ]
  grep -q '"not_durable"' a.json
  on oltp_read_only --table-size=100 run
  quiet_about durable
  on oltp_write_only cleanup
}

@test "mysql: writes that are not durable" {
  not_durable mysql 'innodb_flush_log_at_trx_commit = 0 \(a crash of the server loses up to a second of transactions\)'
}

@test "pgsql: writes that are not durable" {
  not_durable pgsql 'fsync = off \(a crash of the machine can destroy the data\), synchronous_commit = off \('
}

@test "classes of statements merge over tables" {
  local kind
  for kind in $kinds; do
    need "$kind"
    on oltp_read_write --tables=3 --table-size=50 prepare
    on oltp_read_write --tables=3 --table-size=50 --report-classes run
    [ "$(grep -c 'sbtest#' <<<"$output")" -eq 9 ]
    on oltp_read_write --tables=3 --table-size=50 --report-classes --statement-classes=table run
    [ "$(grep -c 'sbtest[123]' <<<"$output")" -ge 9 ]
    [ "$(grep -c 'sbtest#' <<<"$output")" -eq 0 ]
    on oltp_read_write --tables=3 cleanup
  done
}

# doctor ARG...: of the server that was aimed at.
doctor() {
  local expected args
  take_status "$@"
  run --separate-stderr "$BENCH" doctor "${to[@]}" "${args[@]}"
  as_expected
}

# finds LEVEL SUBJECT TEXT
finds() {
  grep -Eq -- "^$1 +$2 +$3" <<<"$output" || {
    printf 'not there: %s\n%s\n%s\n' "$*" "$output" "$stderr"
    return 1
  }
}

doctor_of() {
  need "$1"
  doctor -1 oltp_read_write --tables=2 --table-size=100 --threads=4
  finds ok server "$3 [0-9.]+( \([^)]*\))?, (socket|host)"
  finds warn durability "$2"
  finds ok connections "max_connections is 150, ${4-}[0-9]+ in use, the run needs up to 4"
  finds fail tables '2 of 2 \(sbtest1 to sbtest2\) cannot be read; run the prepare command'
  on oltp_read_write --tables=2 --table-size=100 prepare
  doctor -0 oltp_read_write --tables=2 --table-size=100 --threads=4
  finds ok tables 'sbtest1 to sbtest2: the highest ids are close to the 100 of --table-size'
  doctor -1 oltp_read_write --tables=2 --table-size=400 --threads=1000
  finds fail connections 'max_connections is 150, .* up to 1000; raise it'
  finds warn tables 'the highest id of sbtest1 to sbtest2 is 100 but --table-size is 400, so at least 75 %'
  on oltp_read_write --tables=2 cleanup
}

@test "mysql: doctor" {
  doctor_of mysql 'innodb_flush_log_at_trx_commit = 0' '(MySQL|MariaDB)'
  doctor oltp_read_write --tables=100 --threads=100 --table-size=100
  finds fail statements 'max_prepared_stmt_count is [0-9]+, [0-9]+ in use, the run needs up to 90000; raise it'
  finds '(ok|warn)' 'open tables' 'table_open_cache is '
  comment=$(servers sql "$BATS_FILE_TMPDIR/mysql" 'SELECT @@version_comment')
  [ -n "$comment" ]
  [[ $output == *" ($comment), socket"* || $output == *" ($comment), host"* ]]
  finds_statistics_missing "$(servers sql "$BATS_FILE_TMPDIR/mysql" 'SELECT 1 - @@performance_schema')" \
    'performance_schema is off; start the server with performance_schema=ON$'
}

# finds_statistics_missing 0|1 WHY
finds_statistics_missing() {
  if [[ $1 = 1 ]]; then
    finds warn statistics "statements of the server will be missing, since $2"
  else
    ! grep statistics <<<"$output"
  fi
}

@test "pgsql: doctor" {
  doctor_of pgsql 'fsync = off' PostgreSQL 'of which 3 are reserved and '
  doctor oltp_read_only
  finds_statistics_missing 1 "pg_stat_statements is not loaded; set shared_preload_libraries = 'pg_stat_statements', restart, and CREATE EXTENSION pg_stat_statements\$"
}

@test "the isolation level is that of every session" {
  local kind how
  for kind in $kinds; do
    need "$kind"
    case $kind in
      mysql) echo "ask = [[SHOW SESSION VARIABLES WHERE Variable_name IN ('tx_isolation', 'transaction_isolation')]]" ;;
      pgsql) echo 'ask = [[SELECT 1, current_setting($$transaction_isolation$$)]]' ;;
    esac >level.lua
    cat >>level.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  local _, level = con:query_row(ask)
  print("level " .. level:lower():gsub("-", " "))
end
LUA
    for how in --connection-lifetime=1 '--clients=8 --threads=2' '--clients=8 --threads=2 --pool=2'; do
      # shellcheck disable=SC2086 # several options
      on -0 ./level.lua $how --isolation=serializable run
      [ "$(grep '^level' <<<"$output" | sort | uniq -c | tr -s ' ')" = ' 40 level serializable' ]
    done
    on ./level.lua run
    [ "$(grep '^level' <<<"$output" | sort -u)" != 'level serializable' ]
  done
}

@test "mysql: innodb_snapshot_isolation is named" {
  need mysql
  [ -n "$(servers sql "$BATS_FILE_TMPDIR/mysql" "SHOW VARIABLES LIKE 'innodb_snapshot_isolation'")" ] || skip 'not in this version'
  servers sql "$BATS_FILE_TMPDIR/mysql" 'SET GLOBAL innodb_snapshot_isolation = ON'
  cat >old.lua <<'LUA'
function prepare()
  local con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE old(n INTEGER) ENGINE = InnoDB")
  con:query("INSERT INTO old VALUES (0)")
end
function cleanup() sysbench.sql.driver():connect():query("DROP TABLE old") end
local tries = 0
function thread_init()
  con, other = sysbench.sql.driver():connect(), sysbench.sql.driver():connect()
end
function event()
  con:query("BEGIN")
  con:query("SELECT n FROM old")
  if tries % 2 == 0 then other:query("UPDATE old SET n = n + 1") end
  tries = tries + 1
  con:query("UPDATE old SET n = n + 1")
  con:query("COMMIT")
end
LUA
  on ./old.lua prepare
  on -0 ./old.lua --json=r.json run
  says '^WARNING: error 1020 .* 40 times'
  says '^WARNING: innodb_snapshot_isolation = ON, .*--isolation=read-committed'
  grep -q '"innodb_snapshot_isolation": *"ON"' r.json
  doctor oltp_read_only
  finds ok isolation 'innodb_snapshot_isolation = ON: .*see --isolation'
  on -0 ./old.lua --isolation=read-committed run
  quiet_about 1020
  servers sql "$BATS_FILE_TMPDIR/mysql" 'SET GLOBAL innodb_snapshot_isolation = OFF'
  on ./old.lua cleanup
}

@test "doctor: a pooler that shares sessions" {
  need pgsql
  pooler_there || skip 'pgbouncer is not installed'
  doctor oltp_read_only
  finds ok sessions 'each connection has its own session on the server$'
  local mode turns
  for mode in session transaction statement; do
    for turns in 0 1; do
      pooler_start 'auth_type = any' "pool_mode = $mode" "server_round_robin = $turns" 'min_pool_size = 2'
      to=(--db-driver=pgsql --pgsql-host="$pooler_dir" --pgsql-port=6432)
      doctor oltp_read_only
      pooler_stop
      case $mode in
        session) finds ok sessions 'each connection has' ;;
        *) finds warn sessions 'a pooler in between shares .*; use --db-ps-mode=unnamed or simple if ' ;;
      esac
      [[ $output == *'BEGIN is refused: '*'statement pooling'* ]] || [ "$mode" != statement ]
      [ "$mode" = statement ] || quiet_about 'refused'
    done
  done
}

# named SERVER_VERSION VERSION [FLAVOUR]: doctor shows it for this version().
named() {
  servers sql "$BATS_FILE_TMPDIR/pgsql" "CREATE OR REPLACE FUNCTION public.version() RETURNS text LANGUAGE sql AS 'SELECT \$\$$1\$\$::text'"
  doctor oltp_read_only
  grep -Eq "^ok +server +PostgreSQL $version${2:+ \\($2\\)}, host" <<<"$output" || { echo "$output" && return 1; }
}

@test "doctor: what is not PostgreSQL is named" {
  need pgsql
  local at="$BATS_FILE_TMPDIR/pgsql" version of
  version=$(servers sql "$at" 'SHOW server_version')
  of=$(servers sql "$at" 'SELECT pg_catalog.version()')
  version=${version%% *}
  doctor oltp_read_only
  finds ok server "PostgreSQL $version, host"
  servers sql "$at" 'ALTER ROLE sbtest SET search_path = public, pg_catalog'
  named "$of"
  named 'CockroachDB CCL v23.1.10 (x86_64-pc-linux-gnu, built 2023/09/18)' 'CockroachDB CCL v23.1.10 .*2023/09/18.'
  named 'PostgreSQL 13.1 (EnterpriseDB Advanced Server 13.1.4) on x86_64-pc-linux-gnu, 64-bit' 'PostgreSQL 13.1 .EnterpriseDB Advanced Server 13.1.4.'
  named "${of%, 64-bit}, Redshift 1.0.12103" 'Redshift 1.0.12103'
  servers sql "$at" 'ALTER ROLE sbtest RESET search_path; DROP FUNCTION public.version()'
}

@test "a run that ends late, and a login that is refused, PostgreSQL" {
  need pgsql
  cat >slow.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT pg_sleep(2.5)") end
LUA
  run --separate-stderr "$BENCH" ./slow.lua "${to[@]}" --time=1 run
  says '^WARNING: the run ended [0-9.]+ s late, since workers waited for the server; '
  run -1 --separate-stderr "$BENCH" ./slow.lua "${to[@]}" --pgsql-user=nobody-here --time=1 run
  says '; allow it in pg_hba.conf, or see --pgsql-user and --pgsql-sslmode$'
}

@test "doctor: nobody answers" {
  local kind
  for kind in $kinds; do
    need "$kind"
    case $kind in
      mysql) to=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port=1) ;;
      pgsql) to=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port=1) ;;
    esac
    doctor -1 oltp_read_only
    finds fail server 'no connection'
    grep -q '^FATAL: ' <<<"$stderr"
  done
}
