#!/usr/bin/env bats
# tpcb.bats - the script tpcb on real servers, and beside pgbench itself.

. "$BENCH_SRC/tests/db/every_kind.bash"

setup_file() {
  # shellcheck disable=SC2034
  mysql_flags=(--local-infile=on)
  start_kinds
}

setup() {
  . "$BENCH_SRC/tests/db/tpcb.bash"
  cd "$BATS_TEST_TMPDIR" || return 1
}

# aim_integer KIND: `to` has the options that lead to its server, $integer its
# word for a whole number.
# shellcheck disable=SC2034
aim_integer() {
  aim "$1"
  case $1 in
    mysql) integer=SIGNED ;;
    pgsql) integer=INTEGER ;;
  esac
}

@test "mysql: prepare, run, check, and what check finds" {
  aim_integer mysql
  tpcb_life
  tpcb_mutations
}

@test "pgsql: prepare, run, check, and what check finds" {
  aim_integer pgsql
  tpcb_life
  tpcb_mutations
}

@test "mysql: resume" {
  aim_integer mysql
  tpcb_resume
}

@test "pgsql: resume" {
  aim_integer pgsql
  tpcb_resume
}

# pgbench ARG...: the installed one, on the server.
pgbench() {
  local program
  for program in $(type -P pgbench) /usr/lib/postgresql/*/bin/pgbench; do
    if [ -x "$program" ]; then
      PGPASSWORD= "$program" -h 127.0.0.1 -p "$PG_PORT" -U "$PG_USER" "$@" \
        "$PG_DB" >pgbench.out 2>&1 || {
        cat pgbench.out
        return 1
      }
      return 0
    fi
  done
  skip 'pgbench is not installed'
}

@test "pgsql: a user who must not read the history runs the test" {
  aim_integer pgsql
  good --scale=1 prepare
  sql 'REVOKE SELECT ON pgbench_history FROM CURRENT_USER'
  good --threads=1 --events=3 --time=0 run
  grep -q '^Events of the run: not compared: .*permission denied for .*pgbench_history' out || shown run
  sql 'GRANT SELECT ON pgbench_history TO CURRENT_USER'
  good --acknowledged=3 check
  good cleanup
}

@test "data of pgbench is run and checked" {
  aim_integer pgsql
  pgbench -i -s 2 -q
  good check
  good --scale=2 --threads=2 --events=100 --time=0 run
  good --acknowledged=100 check
  pgbench -n -M prepared -c 2 -t 50
  good --acknowledged=200 check
  grep -q 'history of 200 rows... ok' out
  # pgbench empties the history.
  pgbench -c 1 -t 10
  bad 'sum of pgbench_history.delta is' check
  grep -q '^pgbench empties pgbench_history .* use --history=off$' out
  good --history=off check
  bad "the table 'pgbench_accounts' was not made by bench" cleanup
  good --force cleanup
}

@test "data of ours is run by pgbench, and looks like its own" {
  aim_integer pgsql
  good --scale=2 prepare
  sums=("SELECT md5(string_agg(t::text, ' ' ORDER BY aid)) FROM pgbench_accounts t"
    "SELECT md5(string_agg(t::text, ' ' ORDER BY tid)) FROM pgbench_tellers t"
    "SELECT md5(string_agg(t::text, ' ' ORDER BY bid)) FROM pgbench_branches t"
    "SELECT string_agg(table_name || column_name || data_type || is_nullable || coalesce(character_maximum_length, 0), ' ' ORDER BY table_name, ordinal_position) FROM information_schema.columns WHERE table_name LIKE 'pgbench%'"
    "SELECT string_agg(indexdef, ' ' ORDER BY indexname) FROM pg_indexes WHERE tablename LIKE 'pgbench%'")
  ours=$(sql "${sums[@]}")
  pgbench -n -M prepared -c 2 -t 50
  good --acknowledged=100 check
  good cleanup
  pgbench -i -s 2 -q
  theirs=$(sql "${sums[@]}")
  good --force cleanup
  [ "$ours" = "$theirs" ] || {
    diff <(printf '%s\n' "$ours") <(printf '%s\n' "$theirs")
    return 1
  }
}
