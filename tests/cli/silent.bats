#!/usr/bin/env bats
# silent.bats - every wait for a server has a limit, at whatever step the server
# falls silent.

load helper
load fake_server

# silent PATTERN: starts servers that fall silent at such a statement.
silent() {
  rm -rf at
  mkdir at
  fake_server silent.py "$PWD/at" "$1"
  rm -rf done
  mkdir done
}

teardown() {
  fake_server_stop
}

# ends NAME [OPTION...] COMMAND: for both drivers, beside other calls: the program
# ends by itself, and fails.  Without a limit it would stay for ever.
ends() {
  local name=$1 driver
  shift
  for driver in mysql pgsql; do
    (
      rc=0 out=done/$BASHPID
      timeout -s KILL 60 "$BENCH" "$name" --db-driver=$driver --mysql-socket="$PWD/at/mysql" \
        --pgsql-host="$PWD/at" --db-query-timeout=0.3 --time=1 "$@" \
        >"$out" 2>&1 || rc=$?
      printf '%s %s %s\n' "$rc" "$driver $name $*" "$(tr '\n' ' ' <"$out")" >>done/list
    ) 3>&- &
    jobs+=($!)
  done
}

# all_end WHY: each of them has ended with status 1 and said so.
all_end() {
  wait "${jobs[@]}"
  jobs=()
  while read -r line; do
    must has "$line" "^1 "
    must has "$line" "$1"
  done <done/list
}

limit='--db-query-timeout=0.3'

@test "at each step of the login" {
  needs_driver mysql
  needs_driver pgsql
  local jobs step
  for step in 0 1 2; do
    jobs=()
    silent "login $step"
    for what in 'oltp_read_only --threads=2 run' 'oltp_read_only --clients=4 --threads=2 run' \
      'oltp_read_only --clients=4 --threads=2 --pool=2 run' 'oltp_read_only check' 'ycsb cleanup'; do
      # shellcheck disable=SC2086
      ends $what --db-connect-timeout=1 --pgsql-password=x --mysql-password=x
    done
    all_end 'FATAL: .*(timeout expired|system error: 110)'
    fake_server_stop
  done
}

@test "from the first statement on: runs, of threads and clients" {
  needs_driver mysql
  needs_driver pgsql
  local jobs=()
  silent .
  ends ycsb run
  ends connect run
  ends oltp_read_only --threads=4 run
  ends oltp_read_only --clients=4 --threads=2 run
  ends oltp_read_only --clients=4 --threads=2 --pool=2 run
  ends oltp_read_only --server-stats=on run
  all_end "FATAL: .*the server lets clients in, and does not answer within $limit"
}

@test "from the first statement on: commands that ask nothing before" {
  needs_driver mysql
  needs_driver pgsql
  local jobs=()
  silent .
  ends oltp_read_only check
  ends ycsb cleanup
  all_end "the statement took longer than $limit"
}

@test "in the middle: a statement of a client, a load, a cleanup" {
  needs_driver mysql
  needs_driver pgsql
  local jobs=()
  cat >asks.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("UPDATE t SET a = 1") end
LUA
  silent 'update|insert|load data|drop|max_allowed'
  ends ./asks.lua --threads=2 run
  ends ./asks.lua --clients=4 --threads=2 run
  ends oltp_read_only --load-method=insert prepare
  ends oltp_read_only prepare
  ends oltp_read_only cleanup
  all_end "FATAL: "
}

@test "doctor: a server that does not answer is a failure" {
  needs_driver mysql
  needs_driver pgsql
  local jobs=()
  silent .
  ends doctor oltp_read_only
  all_end "fail +answers +the server lets clients in, and does not answer in time"
}
