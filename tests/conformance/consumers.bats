#!/usr/bin/env bats
# consumers.bats - programs that read reports get the values that the JSON
# document of the same run has.  consumers.py says how each of them reads.
load helper

# go NAME LEVEL ARG...: a run in the background; NAME.txt, NAME.all, NAME.json.
go() {
  local name=$1 level=$2
  shift 2
  BENCH_COMPAT=$level ./sysbench "$@" --json="$name.json" run \
    >"$name.txt" 2>"$name.err" 3>&- &
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset BENCH_COMPAT LUA_PATH LUA_CPATH
  ln -s "$BENCH" sysbench
}

@test "each reader gets the right values" {
  local oltp="oltp_read_write --db-driver=null --null-latency=200 --threads=2 --time=2"
  local files="fileio --file-num=2 --file-total-size=1M"
  printf 'require("oltp_read_write")\nsysbench.hooks.%s = sysbench.%s\n' \
    report_intermediate report_default >hook.lua
  printf 'require("oltp_read_write")\nsysbench.hooks.%s = sysbench.%s\n' \
    report_cumulative report_json >array.lua
  # shellcheck disable=SC2086
  {
    ./sysbench $files prepare >/dev/null
    go oltp10 1.0 $oltp --report-interval=1
    go oltp11 1.1 $oltp --report-interval=1
    go oltp11plain 1.1 $oltp
    go oltp99 1.0 $oltp --report-interval=1 --percentile=99 --histogram
    go hook 1.0 ./hook.lua ${oltp#* } --report-interval=1
    go array 1.0 ./array.lua ${oltp#* } --verbosity=0
    go cpu10 1.0 cpu --cpu-max-prime=2000 --time=1 --threads=2
    go cpu11 1.1 cpu --cpu-max-prime=2000 --time=1 --threads=2
    go mem10 1.0 memory --memory-block-size=64K --memory-total-size=1G
    go mem11 1.1 memory --memory-block-size=64K --memory-total-size=1G
    go fileio10 1.0 $files --file-test-mode=rndrw --events=2000
    go fileio11 1.1 $files --file-test-mode=rndrw --events=2000
    wait
  }
  ./sysbench --version >version.txt
  for name in *.err; do
    cat "${name%.err}.txt" "$name" >"${name%.err}.all"
  done
  tap python3 "$here/consumers.py" .
}

@test "lines are in the pipe when they are complete, and SIGTERM ends with a report" {
  printf 'require("oltp_read_write")\nsysbench.hooks.%s = sysbench.%s\n' \
    report_intermediate report_default >hook.lua
  mkfifo pipe
  ./sysbench ./hook.lua --db-driver=null --null-latency=200 --time=600 \
    --report-interval=0.2 run >pipe 2>err 3>&- &
  local pid=$! line lines=0 status=0
  exec 4<pipe
  while read -r line <&4; do
    [[ $line == '['* ]] || continue
    [[ $line == *"tps: "*"lat (ms,95%): "*"err/s "*"reconn/s: "* ]]
    ((++lines < 2)) || break
  done
  kill -TERM "$pid"
  cat <&4 >rest
  wait "$pid" || status=$?
  exec 4<&-
  [ "$status" -eq 143 ]
  grep -q '^    transactions: ' rest
}
