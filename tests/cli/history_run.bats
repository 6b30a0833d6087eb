#!/usr/bin/env bats
# history_run.bats - workloads that record histories, on SQLite, which is
# serializable.
NEEDS_DRIVER=sqlite
load helper

# on WORKLOAD ARG...: a command of the workload.
on() {
  local workload=$1
  shift
  bench "$workload" --db-driver=sqlite --sqlite-db=t.db "$@"
}

# recorded WORKLOAD KIND ARG...: two runs after each other leave complete
# histories without an anomaly.
recorded() {
  local workload=$1 kind=$2 n
  shift 2
  on -0 "$workload" prepare
  for n in 1 2; do
    on -0 "$workload" --threads=3 --events=200 --time=0 --history-file=h.log "$@" run
    must has "$output" "^History 'h.log', isolation level: the default: 200 transactions committed, [0-9]+ failed, 0 with unknown outcome$"
    must is "$(head -n 1 h.log)" "bench history 1 $kind"
    must is "$(grep -c ' ok ' h.log)" 200
    bench -0 verify h.log
    must has "$output" "^Verdict: nothing contradicts serializable$"
  done
  on -0 "$workload" cleanup
}

@test "history: append" { recorded append lists; }
@test "history: append by reading and writing" { recorded append lists --method=read_write --operations=9; }
@test "history: register" { recorded register registers --readers=50 --writes=5; }
@test "history: long_fork" { recorded long_fork registers --keys=5; }

@test "history: bank, one statement for all accounts" { recorded bank registers --readers=50; }
@test "history: bank, a statement for each account" { recorded bank registers --readers=50 --read=rows; }

@test "history: bank, what is refused" {
  on bank --accounts=1001 prepare
  on -1 bank --events=1 --time=0 --history-file=h.log run
  must has "$stderr$output" '--history-file is for at most 1000 accounts, and there are 1001: readers read them all'
  [ ! -e h.log ]
  on -0 bank --events=1 --time=0 run
  on -0 bank check
}

@test "history: clients that share a thread" {
  bench -0 append --db-driver=null --clients=4 --threads=1 --events=20 --time=0 run
}

@test "history: the null driver keeps nothing" {
  bench -1 append --db-driver=null --events=1 --time=0 --history-file=h.log run
  must has "$stderr$output" "the null driver keeps no rows, so nothing can be told from what it answers"
  [ ! -e h.log ]
}

@test "history: a file that cannot be written" {
  on append prepare
  on -1 append --events=1 --time=0 --history-file=no/h.log run
  must has "$stderr$output" "cannot write to 'no/h.log', errno = 2"
  on -1 append --events=1 --time=0 --history-file=/dev/full run
  must has "$stderr$output" "cannot write to '/dev/full', errno = 28"
}

@test "history: bank, a disk that is full keeps no sums from being stored" {
  unshare -m true 2>/dev/null || skip "no mount namespaces here"
  on bank prepare
  mkdir small
  # The history is larger than the disk, and is written at the end.
  run --separate-stderr unshare -m bash -c 'mount -t tmpfs -o size=4k none small || exit 77
    exec "$BENCH" bank --db-driver=sqlite --sqlite-db=t.db --events=500 --time=0 --readers=0 --history-file=small/h.log run'
  [ "$status" -ne 77 ] || skip "may not mount"
  must is "$status" 1
  must has "$stderr" "--history-file: cannot write to 'small/h.log', errno = 28"
  on -0 bank check
  must has "$output" "sum of transfers: Transfers of all runs: 500 committed, 0 with unknown outcome, the tables have 500: ok"
}

# statement SQL: executes it.
statement() {
  cat >statement.lua <<'L'
sysbench.cmdline.options = {sql = {"statement", ""}}
function prepare() sysbench.sql.driver():connect():query(sysbench.opt.sql) end
L
  on -0 ./statement.lua --sql="$1" prepare
}

@test "history: bank, only if no other run is open" {
  on bank prepare
  statement "UPDATE bench_bank SET open_runs = 1"
  echo "bench history 1 registers" >h.log
  on -1 bank --events=1 --time=0 --history-file=h.log run
  must is "$stderr" "FATAL: init() failed: --history-file: another run uses these tables, or has not ended properly, and transfers of two runs would have the same numbers: wait for its end, or prepare the tables again"
  must is "$(<h.log)" "bench history 1 registers"
  on -0 bank --events=10 --time=0 run
  statement "UPDATE bench_bank SET open_runs = 0"
  on -0 bank --events=10 --time=0 --history-file=h.log run
}

@test "history: bank, an account that is missing" {
  on bank --accounts=2 prepare
  statement "DELETE FROM bank_accounts WHERE id = 2"
  on -1 bank --threads=1 --events=10 --time=0 --readers=0 --history-file=h.log run
  must has "$stderr" "^FATAL: .*bank_accounts has no account 2: prepare the tables again$"
}
