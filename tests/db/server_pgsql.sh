# shellcheck shell=bash
# server_pgsql.sh - what is particular to PostgreSQL.  Part of servers.sh.
# shellcheck disable=SC2154,SC2034

pgsql_user() { printf 'postgres\n'; }
pgsql_end_signal() { printf 'INT\n'; } # "fast": does not wait for clients

# A killed server leaves its lock files and a small System V memory segment,
# whose id is the second number of line 7 of its pid file.
pgsql_after_kill() {
  local file=$base/data/postmaster.pid shm
  [[ -f $file ]] || return 0
  shm=$(sed -n '7s/^ *[0-9]* *\([0-9][0-9]*\) *$/\1/p' "$file")
  [[ -z $shm ]] || ipcrm -m "$shm" 2>/dev/null || true
  rm -f "$file" "$base"/.s.PGSQL.*
}

# Debian keeps the server's programs out of PATH, by version: take the newest.
pgsql_find() {
  local dir
  if [[ -n ${BENCH_PG_BIN-} ]]; then # the folder of another one's programs
    pg_bin=$BENCH_PG_BIN
    [[ -x $pg_bin/postgres ]]
    return
  fi
  while read -r dir; do
    if [[ -x $dir/postgres && -x $dir/initdb && -x $dir/psql ]]; then
      pg_bin=$dir
      return 0
    fi
  done < <(
    printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV
    dirname "$(command -v postgres || printf /nonexistent/postgres)"
    printf '%s\n' /usr/pgsql-*/bin /opt/homebrew/opt/postgresql@*/bin \
      /usr/local/opt/postgresql@*/bin | sort -rV
  )
  return 1
}

pgsql_version() { "$pg_bin/postgres" --version; }

pgsql_flag() {
  case $1 in
    --max-connections=*) settings+=("max_connections=${1#*=}") ;;
    --lock-wait-timeout=*) settings+=("lock_timeout=${1#*=}s") ;;
    --general-log) settings+=("log_statement=all") ;;
    --standby-of=?*) primary=$(absolute "${1#*=}") ;;
    *) return 1 ;;
  esac
}

pgsql_init() {
  "${as_server[@]}" "$pg_bin/initdb" --pgdata="$base/data" --username=postgres \
    --auth=trust --encoding=UTF8 --locale=C --no-sync
  "${as_server[@]}" "$pg_bin/postgres" --single -D "$base/data" -F \
    -c dynamic_shared_memory_type=mmap postgres <<'SQL'
CREATE ROLE sbtest LOGIN
CREATE ROLE sbpass LOGIN PASSWORD 'secret' IN ROLE sbtest
CREATE DATABASE sbtest OWNER sbtest
SQL
}

# Written anew at every start.  The administrator comes in by the socket only.
pgsql_hba() {
  local method=trust host=host
  [[ -z $password ]] || method=scram-sha-256
  [[ $tls != required ]] || host=hostssl
  cat <<TEXT
local all postgres trust
local replication postgres trust
local all sbtest $method
local all sbpass scram-sha-256
$host all sbtest 127.0.0.1/32 $method
$host all sbtest ::1/128 $method
$host all sbpass 127.0.0.1/32 scram-sha-256
TEXT
}

pgsql_command() {
  local item
  set_as_server
  pgsql_hba >"$base/hba.conf"
  chmod 644 "$base/hba.conf"
  # Shared memory as files of the data folder: nothing stays after a kill.
  cmd=("$pg_bin/postgres" -D "$base/data" -p "$port" -k "$base"
    -c listen_addresses=127.0.0.1 -c hba_file="$base/hba.conf"
    -c dynamic_shared_memory_type=mmap -c shared_buffers=32MB
    -c max_connections=150 -c max_wal_size=256MB -c jit=off
    -c max_prepared_transactions=10 -c log_destination=stderr)
  if ((!durable)); then
    cmd+=(-c fsync=off -c synchronous_commit=off -c full_page_writes=off)
  fi
  if [[ $tls != off ]]; then
    cmd+=(-c ssl=on -c ssl_ca_file="$base/tls/ca.pem"
      -c ssl_cert_file="$base/tls/server-cert.pem"
      -c ssl_key_file="$base/tls/server-key.pem")
  fi
  for item in "${settings[@]}"; do
    cmd+=(-c "$item")
  done
}

pgsql_sql() {
  env -i PATH="$PATH" HOME=/nonexistent LC_ALL=C "$pg_bin/psql" --no-psqlrc \
    --host="$base" --port="$port" --username=postgres --dbname=sbtest \
    --no-align --tuples-only --quiet --set=ON_ERROR_STOP=1 --command="$1"
}

# The server itself writes "ready" into line 8 of its pid file.
pgsql_ready() {
  [[ $(sed -n '1p;8p' "$base/data/postmaster.pid" 2>/dev/null) == \
    "$pid"$'\n'ready* ]] || pgsql_waits
}

# A standby that lets nobody in says so instead.
pgsql_waits() {
  [[ -n $primary && " ${settings[*]} " == *' hot_standby=off '* &&
    $(sed -n '1p;8p' "$base/data/postmaster.pid" 2>/dev/null) == \
    "$pid"$'\n'standby* ]]
}

# The data of a standby: a copy of the primary's, which it goes on to follow.
pgsql_clone() {
  local from
  from=$(. "$primary/state" && printf 'host=%s port=%s' "$base" "$port")
  mkdir -m 700 "$base/data"
  set_as_server
  give_to_server
  (cd "$base" && "${as_server[@]}" "$pg_bin/pg_basebackup" -D "$base/data" -R \
    --checkpoint=fast --no-sync --dbname="$from user=postgres") \
    >"$base/init.log" 2>&1 || {
    tail -n 15 "$base/init.log" >&2
    die "cannot copy the data of the primary"
  }
}

pgsql_promote() {
  set_as_server
  (cd "$base" && "${as_server[@]}" "$pg_bin/pg_ctl" promote -D "$base/data") >/dev/null
}

pgsql_accounts() {
  [[ -z $password ]] ||
    pgsql_sql "ALTER ROLE sbtest PASSWORD '${password//\'/\'\'}'"
}

pgsql_env() {
  printf '%s=%q\n' PG_HOST 127.0.0.1 PG_PORT "$port" PG_SOCKET_DIR "$base" \
    PG_USER sbtest PG_PASSWORD "$password" PG_DB sbtest PG_LOG "$base/log" \
    PG_DATA "$base/data" PG_PID "$pid" PG_GENERAL_LOG "$base/log" \
    PG_BASE "$base"
  env_tls PG
}
