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
