# shellcheck shell=bash
# helper.bash - what the fault tests share: runs with a limit, in the foreground
# and in the background, and what is looked for in their output.
#
# Nothing here depends on how fast the machine is: a run goes on until the test
# has seen what it waits for and says `enough`; limits are limits for failure.
#
# setup_fault sets $dir, the folder of the test, $out and $err, the two streams
# of the last run, and $events, the script of one-line events.

. "$BENCH_SRC/tests/lib/within.bash"

setup_fault() {
  . "$BENCH_SRC/tests/db/servers.sh"
  dir=$BATS_TEST_TMPDIR
  out=$dir/out
  err=$dir/err
  events=$BENCH_SRC/tests/fault/events.lua
  proxy=$BENCH_SRC/tests/fault/tcp_proxy.py
  stop_file=$dir/enough
  unset BENCH_COMPAT
}

# What a failing test says.
show() {
  printf 'status %s\n' "${status-}"
  tail -n 30 "$out" "$err"
}

# in_background COMMAND...: its process is $job; ended waits for it.  A hundred
# seconds are the limit for a failure.
in_background() {
  rm -f "$stop_file"
  : >"$out" # not that of the run before
  began=${EPOCHREALTIME/./}
  timeout --signal=KILL 100 "$@" >"$out" 2>"$err" 3>&- &
  job=$!
}

# until_enough COMMAND...: a run of events.lua, until `enough` ends it with 0.
until_enough() {
  in_background "$@" --time=90 --stop-file="$stop_file" run
}

enough() {
  touch "$stop_file"
  ended "$@"
}

# Until all threads work: before that a fault is one of the start.
begun() {
  within 30 grep -q '^Threads started' "$out"
}

# ended [-STATUS]: sets $status, which must be STATUS; enough and bounded likewise.  A
# run leaves no process behind.
ended() {
  local expected args
  take_status "$@"
  status=0
  wait "$job" || status=$?
  took=$((${EPOCHREALTIME/./} - began))
  show
  [[ -z $(ps -e -o pgid= -o pid= | awk -v g="$job" '$1 == g') ]] && as_expected
}

# in_time SECONDS: the last run took no longer.  Six seconds are for starting
# and ending processes on a busy machine; what waits for its server waits longer.
in_time() {
  printf 'took %d us\n' "$took"
  ((took <= ($1 + 6) * 1000000))
}

bounded() {
  local expected args
  take_status "$@"
  in_background "${args[@]}"
  ended "${expected:+-$expected}"
}

# A signal for the run in the background itself.
signal_job() {
  pkill "-$1" -P "$job"
}

# lacks PATTERN FILE...: it is in none of them.
lacks() {
  run grep -q "$@"
  ((status == 1))
}

# counter NAME: the first number behind it in the report.
counter() {
  sed -n "s/^ *$1: *\([0-9]*\).*/\1/p" "$out"
}

# What counts commits (`counted`, in each file): more than N, or more than now.
counts() {
  local n
  n=$(counted 2>/dev/null) && ((n > $1))
}
goes_on() {
  local now
  within 30 counts -1
  now=$(counted)
  within 30 counts $((now + ${1-10}))
}

# committed THREADS: as many as events; but a COMMIT whose answer was lost may
# have been executed, one per connection.
committed() {
  local n lost
  n=$(counted)
  lost=$((n - $(counter 'total number of events')))
  printf '%d commits, %d more than events\n' "$n" "$lost"
  ((lost >= 0 && lost <= $1))
}

# permanent_error OPTION NAME: a statement that can never succeed, while OPTION
# ignores all errors: the run ends on time, paused, and what is ignored has its
# NAME in a warning.
permanent_error() {
  bounded -0 "${base[@]}" --what=sql --sql="SELECT * FROM nowhere" --time=2 "$1=all" run
  in_time 2
  errors=$(counter 'ignored errors')
  # Ten at once, then pauses of 1, 2, 4, ... 100 ms.
  ((errors >= 20 && errors <= 50))
  grep -qE "^WARNING: error $2 $errors times, " "$err"
  [[ $(counter 'total number of events') -eq 0 ]]
}

# A script of the test's own, from standard input.
lua() {
  cat >"$dir/script.lua"
}

# through_proxy PORT: $proxy_port leads there; weather commands the proxy.
through_proxy() {
  coproc PROXY { exec "$proxy" --control="$dir/control" --owner=$$ "$1"; }
  read -r -t 30 proxy_port <&"${PROXY[0]}"
}

weather() {
  "$proxy" --send="$dir/control" "$1"
}

proxy_gone() {
  [[ ! -S $dir/control ]] || weather quit
}

# small_disk FOLDER SIZE OWNER: a file system of its own, or the test is skipped.
small_disk() {
  mkdir -p "$1"
  mount -t tmpfs -o "size=$2" none "$1" 2>/dev/null ||
    skip "no file system can be mounted here"
  chown "$3" "$1"
}

# no_memory: with less and less address space, a run ends as it should, and then,
# where there is too little, with a message; what is enough depends on the
# machine.  Interpreted: LuaJIT registers the machine code that it makes with
# the compiler's run time, which writes through a null pointer then.
no_memory() {
  local size=300000 failures=0 # KiB
  [[ -z ${SANITIZED-} ]] || skip "sanitizers need address space"
  while ((failures < 3 && size > 10000)); do
    bounded bash -c "ulimit -v $size; exec \"\$@\"" - "${base[@]}" --luajit-cmd=off \
      --threads=40 --time=1 run
    ((status <= 1))
    if ((status == 0)); then
      size=$((size * 3 / 4))
    else
      failures=$((failures + 1))
      size=$((size * 19 / 20))
      [[ -s $err ]]
    fi
  done
  ((failures == 3))
}

# counter_server KIND: the server $BATS_FILE_TMPDIR/KIND is $server, on $port,
# and has a fresh $table for `counted`.  Skips the test if it does not run.
counter_server() {
  kind=$1
  server=$BATS_FILE_TMPDIR/$kind
  "$BENCH" --db-driver=help 2>&1 | grep -q "^ *$kind" && [[ -e $server/state ]] ||
    skip "no $kind server, or built without $kind"
  servers_env "$server"
  port=$PG_PORT table=counter
  [[ $kind != mysql ]] || port=$MY_PORT table=sbtest.counter
  servers sql "$server" "DROP TABLE IF EXISTS $table" 2>/dev/null
  servers sql "$server" "CREATE TABLE $table (id INT PRIMARY KEY, n INT NOT NULL)"
  servers sql "$server" "INSERT INTO $table VALUES (1, 0)"
  [[ $kind == mysql ]] || servers sql "$server" "GRANT ALL ON counter TO sbtest; GRANT ALL ON SCHEMA public TO sbtest"
}

counted() { servers sql "$server" "SELECT n FROM $table WHERE id = 1"; }
