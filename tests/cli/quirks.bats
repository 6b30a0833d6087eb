#!/usr/bin/env bats
# Defects of sysbench that no other test of the command line looks at.  The
# tests are named in QUIRKS.md, which says what sysbench does.
load helper

# refused OPTION...: each of them, before anything runs.
refused() {
  local option
  for option; do
    bench -1 cpu --events=1 "$option" run
    must has "$stderr" "^FATAL: Invalid value for ${option%%=*}: '${option#*=}' \(expected "
    must is "$output" ""
  done
}

@test "numbers that do not parse are refused" {
  refused --threads=1x --rand-pareto-h=foo --events=abc --time=1x --percentile=a
  for size in abc 2q -1 1KX; do
    bench -1 memory --memory-total-size=$size run
    must has "$stderr" "^FATAL: Invalid value for --memory-total-size: '$size'"
  done
  for count in 1KX abc 1.5; do
    bench -1 oltp_read_write --db-driver=null --tables="$count" --events=1 run
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
  bench -0 cpu --cpu-max-prime=100 --events=5000000000 --time=1 run
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event(id) ffi.C.sb_counter_add(id, ffi.C.SB_CNT_READ, 5000000000ULL) end
L
  bench ./t.lua --db-driver=null --events=2 run
  must is "$(number 'read:')" 10000000000
  must is "$(number 'queries:')" 10000000000
}

# configured LINE...: a run with a configuration file of these lines.
configured() {
  printf '%s\n' "$@" >bench.cnf
  bench cpu --config-file=bench.cnf --cpu-max-prime=50 run
}

@test "a configuration file that is missing ends the run" {
  bench -1 cpu --config-file=nowhere --events=1 run
  must is "$output" ""
  must is "$stderr" "FATAL: Invalid value for --config-file: 'nowhere' (expected a readable file: No such file or directory)"
  # One that may be read, and cannot.
  bench -1 cpu --config-file=/proc/self/mem --events=1 run
  # musl's words are shorter.
  must has "$stderr" "^FATAL: Invalid value for --config-file: '/proc/self/mem' \(expected a readable file: I(nput/output|/O) error\)$"
  must is "$(grep -c '' <<<"$stderr")" 1
  # Wherever it stands, and though a later one is there.
  echo 'events=1' >bench.cnf
  bench -1 cpu --config-file=nowhere --config-file=bench.cnf run
  must has "$stderr" "^FATAL: Invalid value for --config-file: 'nowhere'"
}

@test "lines of a configuration file have any length" {
  local blanks
  blanks=$(printf ' %.0s' {1..5000})
  # What counts stands behind column 255: the name, the value, a list's item.
  configured -0 "$blanks events$blanks=${blanks}3"
  must is "$(number 'total number of events:')" 3
  configured -0 'events=3' "percentiles=50,${blanks}99.5"
  must has "$output" '^ +p99\.5 '
  # And the rest of a long line is not one of its own.
  configured -0 'events=3' "# $blanks" "#$(printf 'x%.0s' {1..600})threads=0" \
    "threads=1 #$(printf 'x%.0s' {1..600})"
  must is "$stderr" ""
  # Nor is what is wrong behind that column overlooked.
  configured -1 "events=3${blanks}x"
  must has "$stderr" "^FATAL: Invalid value for --events: .*, bench.cnf:1$"
}

@test "values in a configuration file are those of the command line" {
  for on in validate validate=on validate=1 validate=true; do
    configured events=1 "$on"
    must is "$on $(grep -c '^Validation checks: on' <<<"$output")" "$on 1"
  done
  for off in validate=off validate=0 'validate = false'; do
    configured -0 events=1 "$off"
    must is "$off $(grep -c '^Validation checks: on' <<<"$output")" "$off 0"
  done
  configured events=1 debug
  must has "$stderr$output" '^DEBUG: '
  configured events=1 debug=off
  must is "$(grep -c '^DEBUG: ' <<<"$stderr$output")" 0
  configured -1 events=1 debug=perhaps
  must is "$stderr" "FATAL: Invalid value for --debug: 'perhaps' (expected on or off), bench.cnf:2"
  # An option of the test keeps what the file says.
  echo 'cpu-max-prime=70' >bench.cnf
  bench cpu --config-file=bench.cnf --events=1 run
  must has "$output" '^Prime numbers limit: 70$'
  bench cpu --cpu-max-prime=60 --config-file=bench.cnf --events=1 run
  must has "$output" '^Prime numbers limit: 70$'
  bench cpu --config-file=bench.cnf --cpu-max-prime=60 --events=1 run
  must has "$output" '^Prime numbers limit: 60$'
}

@test "without a command options are not looked at" {
  echo 'print("the body")' >t.lua
  bench -0 --nosuch=1 t.lua
  must has "$output" '^the body$'
}

@test "a file in the folder does not hide a bundled script" {
  printf '[ 1s ] thds: 1 tps: 0.00\n' >oltp_read_write
  bench -0 oltp_read_write --db-driver=null --events=3 run
  must is "$(number 'transactions:')" 3
}

@test "names of both releases at both levels" {
  for level in 1.0 1.1; do
    for option in --rand-type=zipfian --rand-zipfian-exp=0.5 --rand-type=special \
      --rand-spec-iter=5 --rand-spec-pct=5 --rand-spec-res=50 --luajit-cmd=off \
      --thread-init-timeout=20 --warmup-time=0 --num-threads=1 --max-time=1 \
      --max-requests=1 --tx-rate=0; do
      bench -0 cpu --compat=$level "$option" --events=1 run
    done
    bench -0 oltp_legacy/oltp --compat=$level --db-driver=null --max-requests=2 \
      --oltp-table-size=50 run
    must is "$(number 'transactions:')" 2
  done
}

@test "the backlog of a warm-up is not measured" {
  cat >t.lua <<'L'
ffi.cdef "int usleep(uint32_t);"
function event() if sysbench.iteration() <= 10 then ffi.C.usleep(100000) end end
L
  # 90 of 100 arrivals still wait when the warm-up ends.
  bench -0 t.lua --warmup-time=1 --time=1 --rate=100 --json=r.json run
  must json r.json '50 < d["rate"]["arrivals"] / d["rate"]["offered_s"] < 150
    and d["totals"]["events"] <= d["rate"]["arrivals"] + 1'
}

@test "errors by code, the fatal one as well" {
  echo 'function thread_init() con = sysbench.sql.driver():connect() end
    function event() con:query("SELECT 1") end' >t.lua
  bench -0 t.lua --db-driver=null --null-error-rate=0.5 --events=50 run
  must has "$stderr" "^WARNING: error 1213 \(40001\) $(number 'ignored errors:') times?, "
}

@test "a fatal error counts as an error" {
  needs_driver sqlite
  echo 'function thread_init() con = sysbench.sql.driver():connect() end
    function event() n = (n or 0) + 1 con:query(n == 1 and "SELECT 1" or "SELEC") end' >t.lua
  bench -1 t.lua --db-driver=sqlite --sqlite-db=t.db run
  must is "$(number 'ignored errors:')" 1
  must has "$stderr" '^WARNING: error 1 \(42601\) 1 time, '
}

@test "an error that never ends, and all errors ignored" {
  needs_driver sqlite
  echo 'function thread_init() con = sysbench.sql.driver():connect() end
    function event() con:query("SELEC") end' >t.lua
  SECONDS=0
  bench -0 t.lua --db-driver=sqlite --sqlite-db=t.db --db-ignore-errors=all --time=1 run
  must [ "$SECONDS" -le 60 ]
  must holds "$(number 'ignored errors:') > 1"
  must [ "$(wc -l <<<"$stderr")" -lt 60 ]
}

@test "sequential rewriting reads nothing, and starts again at the end" {
  local files="--file-num=2 --file-total-size=64K --file-block-size=16K"
  bench fileio $files prepare
  bench -0 fileio $files --file-test-mode=seqrewr --file-fsync-freq=0 --events=10 run
  must has "$output" '^    reads/s: +0\.00$'
  must is "$(number 'total number of events:')" 10
}

@test "a line of a report is one system call" {
  command -v strace >/dev/null || skip "strace is not installed"
  strace -o probe true 2>/dev/null || skip "strace may not trace here"
  # musl's has two pieces, of which the first or the second is empty.
  local calls='writev?\(1, '
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" strace -f -o trace -s 400 -e trace=write,writev \
    "$BENCH" cpu --cpu-max-prime=100 --time=1 --report-interval=0.5 run >out
  must has "$(<out)" '^\['
  must is "$(grep -cE "$calls(\\[\\{iov_base=((NULL|\"\"), iov_len=0\\}, \\{iov_base=)?)?\"\\[ [0-9.]+s \\] .*\\\\n\"" trace)" \
    "$(grep -c '^\[' out)"
  must holds "$(grep -cE "$calls" trace) <= $(wc -l <out)"
}

@test "complete lines in many short runs" {
  local seen=0
  for _ in {1..20}; do
    bench -0 cpu --cpu-max-prime=50 --events=400000 --report-interval=0.01 --threads=3 run
    lines=$(grep '^\[' <<<"$output" || :)
    [ -z "$lines" ] || seen=$((seen + 1))
    must is "$(grep -vE '^(\[ [0-9]+\.[0-9]+s \] thds: [0-3] eps: [0-9]+\.[0-9]{2} lat \(ms,95%\): [0-9]+\.[0-9]{2})?$' <<<"$lines")" ""
  done
  must [ "$seen" -gt 5 ]
}

@test "defaults that people compare with" {
  bench memory help
  output=$(tr -s ' \n' ' ' <<<"$output")
  must has "$output" '--memory-block-size=SIZE [^-]* \[1K\] '
  must has "$output" '--memory-scope=global\|local [^-]* \[global\] '
  bench cpu help
  must has "$(tr -s ' \n' ' ' <<<"$output")" '--cpu-max-prime=COUNT [^-]* \[10000\] '
}

@test "the mysql port is a number" {
  needs_driver mysql
  bench -1 oltp_point_select --db-driver=mysql --mysql-port=abc run
  must has "$stderr" "^FATAL: Invalid value for --mysql-port: 'abc' "
}

# times WHAT: min, avg, max and total under this heading, in seconds.
times() {
  sed -nE "/^DEBUG: $1 statistics/,/total:/s/^DEBUG: +(min|avg|max|total): +([0-9.]+)s\$/\\2/p" \
    <<<"$stderr" | xargs
}

@test "times of statements are taken" {
  local min avg max total
  bench -0 oltp_point_select --db-driver=null --null-latency=3000 --table-size=10 \
    --db-debug --verbosity=5 --threads=2 --events=6 run
  read -r min avg max total <<<"$(times 'Query execution')"
  must holds "$min >= 0.003 && $avg >= $min && $max >= $avg && $total >= 5 * $min + $max - 0.001"
  # Of what was measured.
  cat >t.lua <<'L'
function event()
  con = con or sysbench.sql.driver():connect()
  con:query("SELECT 1")
  ffi.C.usleep(20000)
end
ffi.cdef "int usleep(uint32_t);"
L
  bench -0 t.lua --db-driver=null --null-latency=3000 --db-debug --verbosity=5 \
    --warmup-time=1 --events=3 run
  read -r min avg max total <<<"$(times 'Query execution')"
  # About fifty were warming up.
  must holds "$total > 0 && $total / $avg < 10"
  # Rows that are fetched.
  cat >t.lua <<'L'
function thread_init() con = sysbench.sql.driver():connect() end
function event() local rs = con:query("SELECT 1") for i = 1, 20000 do rs:fetch_row() end end
L
  bench -0 t.lua --db-driver=null --null-rows=20000 --db-debug --verbosity=5 --events=2 run
  read -r min avg max total <<<"$(times 'Results fetching')"
  must holds "$total > 0 && $max >= $min && $total >= $max"
}

# flat DRIVER OPTION...: failed attempts to connect leave no memory behind.
flat() {
  needs_driver "$1"
  ! nm "$BENCH" | grep -Eq '__(asan|tsan)_init' ||
    skip 'sanitizers keep what was freed'
  # Memory of its own: pages of files come and go as other programs need memory.  qemu
  # keeps 24 bytes in its heap for each page that a program has ever mapped, so 96 KB
  # for each login, which maps 16 MB for a moment; bench's heap is not there.
  local memory='/^[0-9a-f]+-/ { mine = !/\[heap\]/ }'
  emulated || memory='{ mine = 1 }'
  cat >t.lua <<L
local function resident()
  collectgarbage() collectgarbage()
  return io.popen([[awk '$memory mine && /^Anonymous:/ { n += \$2 } END { print n }' /proc/\$PPID/smaps]]):read("*n")
end
L
  cat >>t.lua <<'L'
function prepare()
  local drv = sysbench.sql.driver()
  local first
  for i = 1, 1000 do
    assert(not pcall(drv.connect, drv))
    if i == 200 then first = resident() end
  end
  assert(first > 100)
  print("grown", resident() - first)
end
L
  bench -0 t.lua --db-driver="$@" prepare
  # Less than half a kilobyte for each of 800, whatever the library keeps.
  must holds "$(number 'grown') < 400"
}

@test "mysql: failed attempts to connect leave no memory behind" {
  flat mysql --mysql-host=127.0.0.1 --mysql-port=1
}

@test "pgsql: failed attempts to connect leave no memory behind" {
  flat pgsql --pgsql-host=127.0.0.1 --pgsql-port=1
}
