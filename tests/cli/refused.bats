#!/usr/bin/env bats
# refused.bats - what the user reads when a server refuses a login or a statement.

load helper
load fake_server

# mysql_refuses CODE TEXT [PLUGIN]: $stderr is about a server that does.
mysql_refuses() {
  needs_driver mysql
  fake_server refuses.py mysql "$PWD/server" "$@"
  bench -1 oltp_read_only --db-driver=mysql --mysql-socket="$PWD/server" --mysql-password=x \
    prepare
}

@test "mysql: an account or a server that requires TLS" {
  mysql_refuses 3159 'Connections using insecure transport are prohibited'
  must has "$stderr" '\(error 3159\); use --mysql-ssl=on$'
  mysql_refuses 1045 'Access denied for user'
  must has "$stderr" 'see --mysql-user and --mysql-password, or --mysql-ssl if the account requires TLS$'
}

@test "mysql: a plug-in that the library lacks is not the password's fault" {
  mysql_refuses 1045 'Access denied for user' no_such_plugin
  must has "$stderr" 'no_such_plugin.*; the client library cannot do this login: see the plug-in of the account$'
}

@test "pgsql: with sslmode=prefer a wrong password is reported once" {
  needs_driver pgsql
  command -v openssl >/dev/null || skip "openssl is not installed"
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
    -keyout key.pem -out cert.pem 2>openssl.log
  fake_server refuses.py pgsql tcp 28P01 'password authentication failed for user "u"' cert.pem key.pem
  bench -1 oltp_read_only --db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$(<port)" prepare
  must is "$(grep -o 'password authentication failed' <<<"$stderr" | wc -l)" 1
}

@test "pgsql: a prepared statement that exists already is that of a pooler" {
  needs_driver pgsql
  fake_server pgsql_hostile.py "$PWD" answers
  echo 'function event() sysbench.sql.driver():connect():prepare("SELECT 1") end' >prepares.lua
  bench -1 ./prepares.lua --db-driver=pgsql --pgsql-host="$PWD" --events=1 run
  must has "$stderr" '^FATAL: a pooler in between .* use --db-ps-mode=unnamed or simple$'
}
