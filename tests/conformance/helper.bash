# helper.bash - what the tests against an installed sysbench share.
bats_require_minimum_version 1.5.0

here=$BENCH_SRC/tests/conformance

# needs_sysbench: skips without the package; `theirs` and `ours` are two programs
# that call themselves sysbench.
needs_sysbench() {
  theirs=$(command -v sysbench) ||
    skip "sysbench is not installed (Debian: apt-get install sysbench)"
  [[ $("$theirs" --version) == 'sysbench 1.0.20'* ]] ||
    skip "the sysbench that is installed is not 1.0.20"
  ours=$BATS_FILE_TMPDIR/sysbench
  ln -sf "$BENCH" "$ours"
  unset BENCH_COMPAT LUA_PATH LUA_CPATH
}

# start_server KIND: with a log of all statements; skips what is not there.
start_server() {
  . "$BENCH_SRC/tests/db/servers.sh"
  "$BENCH" --db-driver=help | grep -q "^  $1 - " ||
    skip "built without the $1 driver"
  servers has "$1" || skip "no $1 server is installed"
  if [[ $1 == mysql ]]; then
    servers start mysql "$BATS_FILE_TMPDIR/server" --general-log --max-connections=400 --local-infile=on
  else
    servers start "$1" "$BATS_FILE_TMPDIR/server" --general-log
  fi
}

stop_server() {
  . "$BENCH_SRC/tests/db/servers.sh"
  servers stop "$BATS_FILE_TMPDIR/server"
}

# aim KIND: `to` leads to its server, `log` is where it logs statements.
aim() {
  . "$BENCH_SRC/tests/db/servers.sh"
  servers_env "$BATS_FILE_TMPDIR/server"
  case $1 in
    mysql) to="--db-driver=mysql --mysql-socket=$MY_SOCKET" log=$MY_GENERAL_LOG ;;
    pgsql) to="--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port=$PG_PORT"
      log=$PG_GENERAL_LOG ;;
  esac
}

# tap COMMAND...: it prints TAP; tells what failed, and how many there were.
tap() {
  local status=0
  "$@" >"$BATS_TEST_TMPDIR/tap" || status=$?
  grep -v '^ok' "$BATS_TEST_TMPDIR/tap" || :
  printf '%s of the lines hold\n' "$(grep -c '^ok' "$BATS_TEST_TMPDIR/tap")"
  ((status == 0)) && grep -q '^ok' "$BATS_TEST_TMPDIR/tap"
}

# same_text TABLE DIFFERENCES [NAME=VALUE]...
same_text() {
  local commands=$1 differences=$2
  shift 2
  tap python3 "$here/same_text.py" "$here/$commands" "$here/$differences" \
    "$theirs" "$ours" "$@"
}

# same_statements KIND
same_statements() {
  tap python3 "$here/same_statements.py" "$1" "$log" "$here/statements.tsv" \
    "$here/differences_sql.tsv" \
    "bash $here/describe_tables.sh $1 $BATS_FILE_TMPDIR/server" \
    "$theirs" "$ours" "$to"
}
