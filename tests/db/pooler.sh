# shellcheck shell=bash
# pooler.sh - a private pgbouncer in front of a private PostgreSQL server.
#
# Sourced.  The server is that of servers_env; each database of the pooler leads
# to its database sbtest, as its user sbtest.
#
#   pooler_there        is pgbouncer installed?
#   pooler_make         makes the folder $pooler_dir, for a file of users
#   pooler_start LINE.. starts it with these settings, in transaction mode, with
#                       its socket in $pooler_dir and the port 6432; its messages
#                       are in $pooler_dir/log, and are printed when it fails
#   pooler_stop         kills it and removes its folder, if there is one

pooler_there() {
  PATH=$PATH:/usr/sbin type -P pgbouncer >/dev/null
}

pooler_make() {
  pooler_dir=$(mktemp -d "${TMPDIR:-/tmp}/pooler.XXXXXX")
  chmod 755 "$pooler_dir"
}

pooler_start() {
  local as=() limit=$((SECONDS + 30))
  [[ -n ${pooler_dir-} ]] || pooler_make
  if (($(id -u) == 0)); then # it refuses to be root
    chown nobody "$pooler_dir"
    as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
  fi
  {
    printf '%s\n' '[databases]' "sbtest = host=127.0.0.1 port=$PG_PORT user=sbtest"
    printf '%s\n' '[pgbouncer]' 'listen_port = 6432' 'listen_addr =' "unix_socket_dir = $pooler_dir"
    printf '%s\n' 'pool_mode = transaction' "$@"
  } >"$pooler_dir/ini"
  chmod 644 "$pooler_dir"/* # whatever the umask is: nobody reads them
  PATH=$PATH:/usr/sbin "${as[@]}" pgbouncer --quiet "$pooler_dir/ini" >"$pooler_dir/log" 2>&1 3>&- &
  pooler_pid=$!
  until [[ -S $pooler_dir/.s.PGSQL.6432 ]]; do
    kill -0 "$pooler_pid" 2>/dev/null || {
      printf 'pgbouncer does not start:\n'
      cat "$pooler_dir/log"
      return 1
    }
    ((SECONDS < limit)) || {
      printf 'pgbouncer has no socket after 30 s:\n'
      cat "$pooler_dir/log"
      return 1
    }
    sleep 0.05
  done
}

pooler_stop() {
  if [[ -n ${pooler_pid-} ]]; then
    kill "$pooler_pid" 2>/dev/null || :
    wait "$pooler_pid" 2>/dev/null || :
  fi
  [[ -z ${pooler_dir-} ]] || rm -rf "$pooler_dir"
  unset pooler_pid pooler_dir
}
