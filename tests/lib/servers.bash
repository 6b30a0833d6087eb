# shellcheck shell=bash
# servers.bash - database servers of one file of tests, in folders below
# $BATS_FILE_TMPDIR: setup_file() starts them, and they are stopped after the last
# test; to be loaded at the top of the file.
. "$BENCH_SRC/tests/db/servers.sh"
. "$BENCH_SRC/tests/lib/within.bash"

# missing WHAT: in setup_file(), which then returns; setup() skips each test.  Older
# bats take a skip in setup_file() for a failure.
missing() {
  export BENCH_MISSING=$1
}

# In setup(), first.
skip_if_missing() {
  [[ -z ${BENCH_MISSING-} ]] || skip "$BENCH_MISSING"
}

# start_one KIND FOLDER [FLAG]...: the server that all tests need, which are skipped
# if there can be none.
start_one() {
  "$BENCH" --db-driver=help | grep -q "^  $1 - " || { missing "built without $1"; return 0; }
  servers has "$1" || { missing "no $1 server is installed"; return 0; }
  servers start "$1" "$BATS_FILE_TMPDIR/$2" "${@:3}"
}

# reach FOLDER WHAT: the environment leads to that server, and the test runs in a
# folder of its own; skips if there is none: WHAT says which is missing.
reach() {
  server=$BATS_FILE_TMPDIR/$1
  [[ -e $server/state ]] || { skip "no $2"; }
  set -a
  servers_env "$server"
  set +a
  cd "$BATS_TEST_TMPDIR" || return 1
}

# encrypted_clients FOLDER SQL ARG...: 100 clients, which SQL counts on the server,
# and no thread for each while they log in and work.
encrypted_clients() {
  local folder=$1 sql=$2 engine pid most seen tasks
  for engine in ${BENCH_ENGINE-epoll io_uring}; do
    "$BENCH" "${@:3}" --threads=2 --clients=100 --client-engine=$engine --time=0 --events=0 run >"$BATS_TEST_TMPDIR/out" 2>&1 &
    pid=$! most=0 seen=
    within 60 eval 'tasks=("/proc/$pid/task/"*); ((most = ${#tasks[@]} > most ? ${#tasks[@]} : most))
      seen=$(servers sql "$folder" "$sql"); [ "$seen" = 100 ]' ||
      { echo "$engine: $seen sessions"; cat "$BATS_TEST_TMPDIR/out"; return 1; }
    kill -INT "$pid"
    wait "$pid" || [ $? = 130 ]
    echo "$engine: $most threads"
    [ "$most" -gt 2 ] && [ "$most" -le 10 ]
    run ! grep -E 'FATAL|ERROR' "$BATS_TEST_TMPDIR/out"
  done
}

# A file that has more to tidy up has its own teardown_file().
stop_servers() {
  local state
  for state in "$BATS_FILE_TMPDIR"/*/state; do
    [[ ! -e $state ]] || servers stop "${state%/state}"
  done
}

teardown_file() {
  stop_servers
}
