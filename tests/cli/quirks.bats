#!/usr/bin/env bats
# Defects of sysbench that no other test of the command line looks at.  The
# tests are named in QUIRKS.md, which says what sysbench does.
load helper

# refused OPTION...: each of them, before anything runs.
refused() {
  local option
  for option; do
    bench cpu --events=1 "$option" run
    must [ "$status" = 1 ]
    must has "$stderr" "^FATAL: Invalid value for ${option%%=*}: '${option#*=}' \(expected "
    must is "$output" ""
  done
}

@test "numbers that do not parse are refused" {
  refused --threads=1x --rand-pareto-h=foo --events=abc --time=1h --percentile=a
  for size in abc 2q -1 1KX; do
    bench memory --memory-total-size=$size run
    must is "$status" 1
    must has "$stderr" "^FATAL: Invalid value for --memory-total-size: '$size'"
  done
  for count in 1K abc 1.5; do
    bench oltp_read_write --db-driver=null --tables="$count" --events=1 run
    must is "$status" 1
    must has "$stderr" "--tables: '$count'"
  done
  bench memory --memory-block-size=1KB --memory-total-size=64KB run
  must is "$(number 'Total operations:')" 64
}

@test "negative numbers are refused" {
  refused --threads=-1 --rate=-5 --report-interval=-1 --time=-1 --warmup-time=-1 --events=-1
}

@test "parameters of distributions that make no sense are refused" {
  refused --rand-spec-iter=0 --rand-spec-pct=200 --rand-spec-res=101 --rand-pareto-h=2 \
    --rand-pareto-h=0 --rand-zipfian-exp=-1
}

@test "counts beyond 32 bits" {
  bench cpu --cpu-max-prime=100 --events=5000000000 --time=1 run
  must is "$status" 0
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event(id) ffi.C.sb_counter_add(id, ffi.C.SB_CNT_READ, 5000000000ULL) end
L
  bench ./t.lua --db-driver=null --events=2 run
  must is "$(number 'read:')" 10000000000
  must is "$(number 'queries:')" 10000000000
}

@test "a configuration file that is missing, and long lines" {
  bench cpu --config-file=nowhere run
  must is "$status" 1
  must is "$stderr" "FATAL: Invalid value for --config-file: 'nowhere' (expected a readable file: No such file or directory)"
  {
    printf '# %s\n' "$(printf 'x%.0s' {1..600})"
    printf 'validate=off\nevents=3%s\ncpu-max-prime=50\n' "$(printf ' %.0s' {1..400})"
  } >bench.cnf
  bench cpu --config-file=bench.cnf run
  must is "$status" 0
  must is "$(number 'total number of events:')" 3
  must has "$output" '^Prime numbers limit: 50$'
  must is "$(grep -c 'Validation checks' <<<"$output")" 0
}

@test "without a command options are not looked at" {
  echo 'print("the body")' >t.lua
  bench --nosuch=1 t.lua
  must is "$status" 0
  must has "$output" '^the body$'
}

@test "a file in the folder does not hide a bundled script" {
  printf '[ 1s ] thds: 1 tps: 0.00\n' >oltp_read_write
  bench oltp_read_write --db-driver=null --events=3 run
  must is "$status" 0
  must is "$(number 'transactions:')" 3
}

@test "names of both releases at both levels" {
  for level in 1.0 1.1; do
    for option in --rand-type=zipfian --rand-zipfian-exp=0.5 --rand-type=special \
      --rand-spec-iter=5 --rand-spec-pct=5 --rand-spec-res=50 --luajit-cmd=off \
      --thread-init-timeout=20 --warmup-time=0 --num-threads=1 --max-time=1 \
      --max-requests=1 --tx-rate=0; do
      bench cpu --compat=$level "$option" --events=1 run
      must is "$level $option $status" "$level $option 0"
    done
    bench oltp_legacy/oltp --compat=$level --db-driver=null --max-requests=2 \
      --oltp-table-size=50 run
    must is "$status" 0
    must is "$(number 'transactions:')" 2
  done
}

@test "the backlog of a warm-up is not measured" {
  cat >t.lua <<'L'
ffi.cdef "int usleep(uint32_t);"
function event() if sysbench.iteration() <= 10 then ffi.C.usleep(100000) end end
L
  # 90 of 100 arrivals still wait when the warm-up ends.
  bench t.lua --warmup-time=1 --time=1 --rate=100 run
  must is "$status" 0
  must holds "$(number '95th percentile:') < 150"
  must holds "$(number 'total number of events:') < 170"
}

@test "errors by code, the fatal one as well" {
  echo 'function thread_init() con = sysbench.sql.driver():connect() end
    function event() con:query("SELECT 1") end' >t.lua
  bench t.lua --db-driver=null --null-error-rate=0.5 --events=50 run
  must is "$status" 0
  must has "$stderr" "^WARNING: error 1213 \(40001\) $(number 'ignored errors:') times: "
}

@test "a fatal error counts as an error" {
  needs_driver sqlite
  echo 'function thread_init() con = sysbench.sql.driver():connect() end
    function event() con:query("SELEC") end' >t.lua
  bench t.lua --db-driver=sqlite --sqlite-db=t.db run
  must is "$status" 1
  must is "$(number 'ignored errors:')" 1
  must has "$stderr" '^WARNING: error 1 \(42601\) 1 times: '
}

@test "an error that never ends, and all errors ignored" {
  needs_driver sqlite
  echo 'function thread_init() con = sysbench.sql.driver():connect() end
    function event() con:query("SELEC") end' >t.lua
  SECONDS=0
  bench t.lua --db-driver=sqlite --sqlite-db=t.db --db-ignore-errors=all --time=1 run
  must is "$status" 0
  must [ "$SECONDS" -le 5 ]
  must holds "$(number 'ignored errors:') > 1"
  must [ "$(wc -l <<<"$stderr")" -lt 60 ]
}

@test "sequential rewriting reads nothing, and starts again at the end" {
  local files="--file-num=2 --file-total-size=64K --file-block-size=16K"
  bench fileio $files prepare
  bench fileio $files --file-test-mode=seqrewr --file-fsync-freq=0 --events=10 run
  must is "$status" 0
  must has "$output" '^    reads/s: +0\.00$'
  must is "$(number 'total number of events:')" 10
}

@test "a line of a report is one system call" {
  command -v strace >/dev/null || skip "strace is not installed"
  strace -o probe true 2>/dev/null || skip "strace may not trace here"
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" strace -f -o trace -s 400 -e trace=write \
    "$BENCH" cpu --cpu-max-prime=100 --time=1 --report-interval=0.5 run >out
  must is "$(grep -cE 'write\(1, "\[ [0-9.]+s \] .*\\n", ' trace)" 2
  must holds "$(grep -c 'write(1,' trace) <= $(wc -l <out)"
}

@test "complete lines in many short runs" {
  local seen=0
  for _ in {1..20}; do
    bench cpu --cpu-max-prime=50 --events=400000 --report-interval=0.01 --threads=3 run
    must is "$status" 0
    lines=$(grep '^\[' <<<"$output" || :)
    [ -z "$lines" ] || seen=$((seen + 1))
    must is "$(grep -vE '^(\[ [0-9]+\.[0-9]+s \] thds: [0-3] eps: [0-9]+\.[0-9]{2} lat \(ms,95%\): [0-9]+\.[0-9]{2})?$' <<<"$lines")" ""
  done
  must [ "$seen" -gt 5 ]
}

@test "defaults that people compare with" {
  bench memory help
  must has "$output" '--memory-block-size=SIZE .* \[1K\]$'
  must has "$output" '--memory-scope=STRING .* \[global\]$'
  bench cpu help
  must has "$output" '--cpu-max-prime=N .* \[10000\]$'
}

@test "the mysql port is a number" {
  needs_driver mysql
  bench oltp_point_select --db-driver=mysql --mysql-port=abc run
  must is "$status" 1
  must has "$stderr" "^FATAL: Invalid value for --mysql-port: 'abc' "
}
