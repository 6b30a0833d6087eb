# own_servers.bash - tests that have started servers below $BATS_FILE_TMPDIR.

# reach NAME WHAT: the environment leads to that server, and the test runs in a
# folder of its own; skips if there is none: WHAT says which is missing.
reach() {
  . "$BENCH_SRC/tests/db/servers.sh"
  server=$BATS_FILE_TMPDIR/$1
  [[ -e $server/state ]] || { skip "no $2"; }
  set -a
  servers_env "$server"
  set +a
  cd "$BATS_TEST_TMPDIR" || return 1
}

# stop_servers NAME...: those that run.
stop_servers() {
  local one
  . "$BENCH_SRC/tests/db/servers.sh"
  for one in "$@"; do
    [[ ! -e $BATS_FILE_TMPDIR/$one/state ]] || servers stop "$BATS_FILE_TMPDIR/$one"
  done
}
