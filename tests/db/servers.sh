#!/usr/bin/env bash
# servers.sh - a private, throw-away MariaDB or PostgreSQL server for a test.
#
# README.md beside this file says how to use it.  The server and all its files
# live in a folder of their own under /tmp (a path that is short enough for a
# Unix socket, and that the server's user can reach); DIR only remembers it.
# A guard process outlives the caller and cleans up when the caller dies in
# whatever way.

# Sourced: two functions, and nothing else in the caller's shell is touched.
if [[ ${BASH_SOURCE[0]} != "$0" ]]; then
  servers_sh=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/servers.sh
  servers() { bash "$servers_sh" --owner=$$ "$@"; }
  servers_env() {
    local text
    text=$(servers env "$1") && eval "$text"
  }
  return 0
fi

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/db/server_mysql.sh
. "$here/server_mysql.sh"
# shellcheck source=tests/db/server_pgsql.sh
. "$here/server_pgsql.sh"
# shellcheck source=tests/db/server_files.sh
. "$here/server_files.sh"
# shellcheck source=tests/db/server_process.sh
. "$here/server_process.sh"

usage() {
  cat <<'TEXT'
usage: servers.sh [--owner=PID] COMMAND ...
  has mysql|pgsql               is this kind of server installed?
  start mysql|pgsql DIR [FLAG]  start a server that DIR stands for
  stop DIR                      kill it, remove all its files and DIR
  shutdown DIR                  end it in an orderly way, keep its files
  kill9 DIR                     kill all its processes, keep its files
  restart DIR                   start it again, same port; ends it if it runs
  freeze DIR | thaw DIR         SIGSTOP, SIGCONT to all its processes
  env DIR                       print shell assignments: where it is
  sql DIR STATEMENTS            run them as the administrator
  pids DIR                      print its process ids
  promote DIR                   pgsql: the standby is a primary from now on
flags of start:
  --durable                     sync to disk (default: as fast as can be)
  --password=WORD               password of user sbtest (default: none)
  --tls[=required]              make certificates, offer or demand TLS
  --tls-name=HOST               host name in the certificate (localhost)
  --max-connections=N           limit of connections
  --general-log                 log every statement to the server's log
  --lock-wait-timeout=SECONDS   longest wait for a row lock
  --local-infile=on|off         mysql: LOAD DATA LOCAL
  --max-prepared-stmt-count=N   mysql: limit of prepared statements
  --standby-of=DIR              pgsql: follows that server
  --set=NAME=VALUE              any option of the server
TEXT
}

die() {
  printf 'servers.sh: %s\n' "$*" >&2
  exit 1
}

# One flag of start; the kinds turn named limits into `settings`.
parse_flag() {
  case $1 in
    --durable) durable=1 ;;
    --password=*) password=${1#*=} ;;
    --tls) tls=on ;;
    --tls=required) tls=required ;;
    --tls-name=?*) tls_name=${1#*=} ;;
    --set=?*=*) settings+=("${1#--set=}") ;;
    --general-log | --max-connections=* | --lock-wait-timeout=* | \
      --local-infile=* | --max-prepared-stmt-count=* | --standby-of=*)
      "${kind}_flag" "$1" || die "'$1' has no meaning for $kind"
      ;;
    *) die "unknown flag '$1'" ;;
  esac
}

# A start that fails leaves nothing.
give_up() {
  local status=$?
  trap - EXIT
  destroy
  exit "$status"
}

save_state() {
  {
    printf '%s=%q\n' kind "$kind" base "$base" port "$port" user "$user" \
      durable "$durable" password "$password" tls "$tls" tls_name "$tls_name" \
      primary "$primary"
    printf 'settings=('
    ((${#settings[@]} == 0)) || printf '%q ' "${settings[@]}"
    printf ')\n'
  } >"$dir/state"
}

load_state() {
  [[ -f $dir/state ]] || die "no server was started in '$dir'"
  # shellcheck disable=SC1091
  . "$dir/state"
  pid=$(cat "$dir/pid" 2>/dev/null || true)
}

cmd_start() {
  (($# >= 2)) || die "start: needs mysql or pgsql, and a folder"
  kind=$1
  check_kind
  dir=$(absolute "$2")
  shift 2
  durable=0 password='' tls=off tls_name=localhost port=0 pid='' primary=''
  settings=()
  for flag; do
    parse_flag "$flag"
  done
  "${kind}_find" || die "no $kind server is installed"
  [[ ! -e $dir/state ]] || die "there is a server in '$dir' already"

  choose_user
  mkdir -p "$dir"
  base=$(mktemp -d "${SERVERS_TMP:-/tmp}/bench-db.XXXXXX")
  save_state
  trap give_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  start_guard
  if [[ -n $primary ]]; then
    "${kind}_clone"
  else
    install_data
  fi
  [[ $tls == off ]] || make_certificates
  give_to_server
  start_on_free_port
  "${kind}_accounts"
  trap - EXIT INT TERM HUP
}

cmd_stop() {
  load_state
  destroy
}

cmd_shutdown() {
  load_state
  end_server
}

cmd_kill9() {
  load_state
  kill_server
}

cmd_restart() {
  load_state
  "${kind}_find" || die "no $kind server is installed"
  end_server
  launch
  wait_ready || { show_log; die "the server did not start again"; }
}

cmd_freeze() {
  load_state
  signal_tree STOP
}

cmd_thaw() {
  load_state
  signal_tree CONT
}

cmd_pids() {
  load_state
  server_pids
}

cmd_promote() {
  load_state
  "${kind}_find" || die "no $kind server is installed"
  [[ -n $primary ]] || die "the server in '$dir' is no standby"
  "${kind}_promote"
}

cmd_env() {
  load_state
  "${kind}_env"
}

cmd_sql() {
  (($# == 2)) || die "sql: needs a folder and one argument of statements"
  load_state
  "${kind}_find" || die "no $kind server is installed"
  "${kind}_sql" "$2"
}

cmd_has() {
  kind=${1-}
  check_kind
  "${kind}_find"
}

check_kind() {
  [[ $kind == mysql || $kind == pgsql ]] ||
    die "'$kind' is neither mysql nor pgsql"
}

absolute() {
  [[ $1 == /* ]] && printf '%s\n' "$1" || printf '%s/%s\n' "$PWD" "$1"
}

owner=''
if [[ ${1-} == --owner=* ]]; then
  owner=${1#--owner=}
  shift
fi
command=${1-help}
(($# == 0)) || shift
case $command in
  help | --help) usage ;;
  start | has) "cmd_$command" "$@" ;;
  guard) guard_main "$@" ;;
  stop | shutdown | kill9 | restart | freeze | thaw | env | sql | pids | promote)
    (($# >= 1)) || die "$command: needs the folder of a server"
    dir=$(absolute "$1")
    "cmd_$command" "$@"
    ;;
  *) die "unknown command '$command'" ;;
esac
