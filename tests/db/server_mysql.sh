# shellcheck shell=bash
# server_mysql.sh - what is particular to MariaDB.  Part of servers.sh.
# shellcheck disable=SC2154,SC2034

mysql_user() { printf 'mysql\n'; }
mysql_end_signal() { printf 'TERM\n'; }
mysql_after_kill() { rm -f "$base/socket" "$base/server.pid"; }

mysql_find() {
  local path=$PATH:/usr/sbin:/usr/libexec:/usr/local/sbin
  mariadbd=$(PATH=$path command -v mariadbd) || return 1
  mariadb=$(PATH=$path command -v mariadb) || return 1
  mariadb_install=$(PATH=$path command -v mariadb-install-db) || return 1
}

mysql_version() { "$mariadbd" --no-defaults --version; }

mysql_flag() {
  case $1 in
    --max-connections=*) settings+=("max_connections=${1#*=}") ;;
    --lock-wait-timeout=*)
      settings+=("innodb_lock_wait_timeout=${1#*=}"
        "lock_wait_timeout=${1#*=}")
      ;;
    --local-infile=*) settings+=("local_infile=${1#*=}") ;;
    --max-prepared-stmt-count=*)
      settings+=("max_prepared_stmt_count=${1#*=}")
      ;;
    --general-log)
      settings+=("general_log=1" "general_log_file=$(mysql_general_log)")
      ;;
    *) return 1 ;;
  esac
}

# Relative to the data folder: flags are read before the folder exists.
mysql_general_log() { printf 'general.log\n'; }

# The size of InnoDB's log has to be the same at every start.
mysql_common=(
  --innodb-log-file-size=8M --innodb-buffer-pool-size=32M
  --innodb-use-native-aio=0 --skip-innodb-buffer-pool-dump-at-shutdown
  --skip-innodb-buffer-pool-load-at-startup --skip-log-bin
)

mysql_init() {
  mkdir -p "$base/tmp"
  give_to_server
  "${as_server[@]}" "$mariadb_install" --no-defaults --datadir="$base/data" \
    --tmpdir="$base/tmp" --skip-test-db --skip-name-resolve \
    --auth-root-authentication-method=normal \
    --innodb-flush-log-at-trx-commit=0 "${mysql_common[@]}"
  "${as_server[@]}" "$mariadbd" --no-defaults --datadir="$base/data" \
    --tmpdir="$base/tmp" --bootstrap --silent-startup "${mysql_common[@]}" <<'SQL'
DELETE FROM mysql.global_priv WHERE NOT (User = 'root' AND Host = 'localhost') AND User <> 'mariadb.sys';
FLUSH PRIVILEGES;
CREATE DATABASE sbtest;
CREATE USER sbtest@'%';
CREATE USER sbpass@'%' IDENTIFIED BY 'secret';
GRANT ALL ON sbtest.* TO sbtest@'%', sbpass@'%';
SQL
}

mysql_command() {
  local item
  set_as_server
  mkdir -p "$base/tmp"
  [[ $user == "$(id -un)" ]] || chown "$user" "$base/tmp"
  cmd=("$mariadbd" --no-defaults "${mysql_common[@]}"
    --datadir="$base/data" --tmpdir="$base/tmp" --socket="$base/socket"
    --pid-file="$base/server.pid" --bind-address=127.0.0.1 --port="$port"
    --skip-name-resolve --performance-schema=0 --max-connections=150)
  if ((durable)); then
    cmd+=(--innodb-flush-log-at-trx-commit=1)
  else
    cmd+=(--innodb-flush-log-at-trx-commit=0 --skip-innodb-doublewrite
      --innodb-flush-method=nosync)
  fi
  if [[ $tls != off ]]; then
    cmd+=(--ssl-ca="$base/tls/ca.pem" --ssl-cert="$base/tls/server-cert.pem"
      --ssl-key="$base/tls/server-key.pem")
  fi
  [[ $tls != required ]] || cmd+=(--require-secure-transport=ON)
  for item in "${settings[@]}"; do
    cmd+=("--$item")
  done
}

mysql_client() {
  env -i PATH="$PATH" HOME=/nonexistent LC_ALL=C "$mariadb" --no-defaults \
    --socket="$base/socket" --user=root --batch --skip-column-names "$@"
}

mysql_sql() { mysql_client --execute="$1"; }

mysql_ready() {
  [[ -f $base/server.pid && -S $base/socket ]] &&
    mysql_client --execute='DO 1' >/dev/null 2>&1
}

mysql_accounts() {
  [[ -z $password ]] || mysql_sql \
    "SET PASSWORD FOR sbtest@'%' = PASSWORD('${password//\'/\'\'}')"
}

mysql_env() {
  printf '%s=%q\n' MY_HOST 127.0.0.1 MY_PORT "$port" \
    MY_SOCKET "$base/socket" MY_USER sbtest MY_PASSWORD "$password" \
    MY_DB sbtest MY_LOG "$base/log" MY_DATA "$base/data" MY_PID "$pid" \
    MY_GENERAL_LOG "$base/data/$(mysql_general_log)" MY_BASE "$base"
  env_tls MY
}
