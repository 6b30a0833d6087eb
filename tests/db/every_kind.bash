# shellcheck shell=bash
# every_kind.bash - servers of each kind that is installed and for which the
# program has a driver, for the tests of one file; to be sourced at its top.
. "$BENCH_SRC/tests/lib/servers.bash"

# start_kinds [SUFFIX...]: in setup_file.  The servers are KIND, or KINDSUFFIX
# for each, in $BATS_FILE_TMPDIR; their flags are in the arrays mysql_flags and
# pgsql_flags.  Sets $kinds.
start_kinds() {
  local kind suffix
  kinds=
  for kind in mysql pgsql; do
    "$BENCH" --db-driver=help | grep -q "^  $kind - " || continue
    servers has "$kind" || continue
    local -n flags=${kind}_flags
    for suffix in "${@-}"; do
      servers start "$kind" "$BATS_FILE_TMPDIR/$kind$suffix" "${flags[@]}"
    done
    kinds+=" $kind"
  done
  [ -n "$kinds" ] || skip 'no server is installed'
  export kinds
}

# need_kind KIND: its server runs, and the variables say where.
need_kind() {
  [[ " $kinds " == *" $1 "* ]] || skip "no $1 here"
  servers_env "$BATS_FILE_TMPDIR/$1"
}

# aim KIND: its server runs; `to` has the options that lead there.
# shellcheck disable=SC2034
aim() {
  kind=$1
  need_kind "$1"
  case $1 in
    mysql) to=(--db-driver=mysql --mysql-socket="$MY_SOCKET") ;;
    pgsql) to=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$PG_PORT") ;;
  esac
}

# where KIND: likewise, by the socket, in `at`.
# shellcheck disable=SC2034
where() {
  need_kind "$1"
  case $1 in
    mysql) at=(--db-driver=mysql --mysql-socket="$MY_SOCKET") ;;
    pgsql) at=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT") ;;
  esac
}

# A file may have functions of its own in place of these.
setup_file() {
  start_kinds
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
}
