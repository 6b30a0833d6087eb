# shellcheck shell=bash
# helper.bash - what the fault tests share: runs with a limit, in the foreground
# and in the background, and what is looked for in their output.
#
# setup_fault sets $dir, the folder of the test, $out and $err, the two streams
# of the last run, and $events, the script of one-line events.

setup_fault() {
  . "$BENCH_SRC/tests/db/servers.sh"
  dir=$BATS_TEST_TMPDIR
  out=$dir/out
  err=$dir/err
  events=$BENCH_SRC/tests/fault/events.lua
  proxy=$BENCH_BUILD/tests/fault/tcp_proxy
  unset BENCH_COMPAT
}

# What a failing test says.
show() {
  printf 'status %s\n' "${status-}"
  tail -n 30 "$out" "$err"
}

# in_background COMMAND...: its process is $job; ended waits for it.  Sixty
# seconds are the limit for a failure.
in_background() {
  timeout --signal=KILL 60 "$@" >"$out" 2>"$err" 3>&- &
  job=$!
}

# Sets $status; a run leaves no process behind.
ended() {
  status=0
  wait "$job" || status=$?
  show
  [[ -z $(ps -e -o pgid= -o pid= | awk -v g="$job" '$1 == g') ]]
}

bounded() {
  in_background "$@"
  ended
}

# A signal for the run in the background itself.
signal_job() {
  pkill "-$1" -P "$job"
}

# within SECONDS COMMAND...: until it succeeds.
within() {
  local limit=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < limit)) || return 1
    sleep 0.05
  done
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

# A script of the test's own, from standard input.
lua() {
  cat >"$dir/script.lua"
}

# through_proxy PORT: $proxy_port leads there; weather commands the proxy.
through_proxy() {
  coproc PROXY { exec "$proxy" --control="$dir/control" --owner=$$ "127.0.0.1:$1"; }
  read -r -t 10 proxy_port <&"${PROXY[0]}"
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
