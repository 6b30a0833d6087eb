# shellcheck shell=bash
# server_mysql.sh - what is particular to MariaDB, and to a MySQL server whose
# programs BENCH_MYSQLD and BENCH_MYSQL name.  Part of servers.sh.
# shellcheck disable=SC2154,SC2034

mysql_user() { printf 'mysql\n'; }
mysql_end_signal() { printf 'TERM\n'; }
mysql_after_kill() { rm -f "$base/socket" "$base/server.pid"; }

# of_mysql: is it MySQL's server?
of_mysql() { [[ -n ${BENCH_MYSQLD-} ]]; }

mysql_find() {
  if of_mysql; then
    mariadbd=$BENCH_MYSQLD mariadb=${BENCH_MYSQL-}
    [[ -x $mariadbd && -x $mariadb ]]
    return
  fi
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

mysql_common=(
  --innodb-buffer-pool-size=32M --skip-innodb-buffer-pool-dump-at-shutdown
  --skip-innodb-buffer-pool-load-at-startup --skip-log-bin
)
if of_mysql; then
  mysql_common+=(--innodb-redo-log-capacity=16M --secure-file-priv= --mysqlx=0)
  mysql_sync=O_DIRECT_NO_FSYNC
else
  # The size of InnoDB's log has to be the same at every start.
  mysql_common+=(--innodb-log-file-size=8M --innodb-use-native-aio=0)
  mysql_sync=nosync
fi

# A line of the file is a statement.
mysql_init_mysql() {
  cat >"$base/tmp/init.sql" <<'SQL'
CREATE DATABASE sbtest;
CREATE USER sbtest@'%';
CREATE USER sbpass@'%' IDENTIFIED BY 'secret';
GRANT ALL ON sbtest.* TO sbtest@'%', sbpass@'%';
SQL
  give_to_server
  "${as_server[@]}" "$mariadbd" --no-defaults --datadir="$base/data" \
    --tmpdir="$base/tmp" --initialize-insecure --init-file="$base/tmp/init.sql" \
    "${mysql_common[@]}"
}

mysql_init() {
  mkdir -p "$base/tmp"
  if of_mysql; then
    mysql_init_mysql
    return
  fi
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
      --innodb-flush-method="$mysql_sync")
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
    "ALTER USER sbtest@'%' IDENTIFIED BY '${password//\'/\'\'}'"
}

mysql_env() {
  printf '%s=%q\n' MY_HOST 127.0.0.1 MY_PORT "$port" \
    MY_SOCKET "$base/socket" MY_USER sbtest MY_PASSWORD "$password" \
    MY_DB sbtest MY_LOG "$base/log" MY_DATA "$base/data" MY_PID "$pid" \
    MY_GENERAL_LOG "$base/data/$(mysql_general_log)" MY_BASE "$base"
  env_tls MY
}
