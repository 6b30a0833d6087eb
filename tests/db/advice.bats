#!/usr/bin/env bats
# advice.bats - what is said about the tables and the durability of real
# servers, before a run and after it; and what `bench doctor` finds there.

setup_file() {
  . "$BENCH_SRC/tests/db/every_kind.bash"
  start_kinds
}

teardown_file() {
  . "$BENCH_SRC/tests/db/every_kind.bash"
  stop_kinds
}

setup() {
  . "$BENCH_SRC/tests/db/every_kind.bash"
  cd "$BATS_TEST_TMPDIR" || return 1
}

# need KIND: its server runs; `to` has the options that lead there.
need() {
  need_kind "$1"
  case $1 in
    mysql) to=(--db-driver=mysql --mysql-socket="$MY_SOCKET") ;;
    pgsql) to=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$PG_PORT") ;;
  esac
}

# on TEST ARG...: a short run; status, output, stderr.
on() {
  local test=$1
  shift
  run --separate-stderr "$BENCH" "$test" "${to[@]}" --time=0 --events=40 "$@"
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

missing_keys() {
  need "$1"
  on oltp_read_only --tables=2 --table-size=100 prepare
  [ "$status" -eq 0 ]
  on oltp_read_only --tables=2 --table-size=10000 --json=a.json run
  [ "$status" -eq 0 ]
  says '^WARNING: sbtest1 to sbtest2 have 100 rows but --table-size is 10000, so 99 % of the keys do not exist$'
  says '^WARNING: [0-9.]+% of the reads found no row, so '
  grep -q '"missing_rows"' a.json
  on oltp_read_only --tables=2 --table-size=100 run
  quiet_about ' rows? | no row'
  # A table that is not there is the run's own error.
  on oltp_read_only --tables=3 --table-size=100 run
  [ "$status" -eq 1 ]
  quiet_about ' rows but '
  on oltp_read_only --tables=2 cleanup
}

@test "mysql: keys that do not exist" { missing_keys mysql; }
@test "pgsql: keys that do not exist" { missing_keys pgsql; }

# not_durable KIND SETTING: as the servers of the tests are.
not_durable() {
  need "$1"
  on oltp_write_only --table-size=100 prepare
  on oltp_write_only --table-size=100 --json=a.json run
  [ "$status" -eq 0 ]
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
    on oltp_read_write --tables=3 --table-size=50 --report-statements run
    [ "$(grep -c 'sbtest#' <<<"$output")" -eq 9 ]
    on oltp_read_write --tables=3 --table-size=50 --report-statements --statement-classes=table run
    [ "$(grep -c 'sbtest[123]' <<<"$output")" -ge 9 ]
    [ "$(grep -c 'sbtest#' <<<"$output")" -eq 0 ]
    on oltp_read_write --tables=3 cleanup
  done
}
