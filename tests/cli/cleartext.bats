#!/usr/bin/env bats
# cleartext.bats - a server without TLS does not get the password by asking for
# it in plain text, unless the user allows that.

NEEDS_DRIVER=mysql
load helper
load fake_server

# login_server PLUGIN [CERTIFICATE KEY]: `to` leads to a server that asks by this
# plug-in.
login_server() {
  : >seen
  fake_server mysql_login.py "$PWD/server" "$1" seen "${@:2}"
  to=(--db-driver=mysql "--mysql-socket=$PWD/server" --mysql-password=Vq7xPw9)
  cat >look.lua <<'LUA'
function prepare() print("got", sysbench.sql.driver():connect():query_row("SELECT 1")) end
LUA
}

# refused WHY OPTION...: one line says why, and the server has not seen it.
refused() {
  bench ./look.lua "${to[@]}" "${@:2}" prepare
  must is "$status" 1
  must has "$stderr" "$1"
  must is "$(grep -c Vq7xPw9 seen)" 0
}

never_by_itself() {
  login_server "$1"
  refused 'the server wants the password in plain text, .* --mysql-ssl, .* --mysql-cleartext=on \(error 2026\)'
  refused 'the server wants the password in plain text.* \(error 2026\)' --mysql-ssl=PREFERRED
  local mode
  for mode in on REQUIRED VERIFY_CA VERIFY_IDENTITY; do
    refused 'SSL is required' --mysql-ssl=$mode
    refused 'SSL is required' --mysql-ssl=$mode --mysql-cleartext=on
  done
  bench ./look.lua "${to[@]}" --mysql-cleartext=on prepare
  must is "$status" 0
  must has "$output" '^got	1$'
  must is "$(tr -d '\0' <seen | sort -u)" Vq7xPw9
}

@test "mysql_clear_password: only with --mysql-cleartext=on" {
  never_by_itself mysql_clear_password
}

@test "dialog: only with --mysql-cleartext=on" {
  never_by_itself dialog
}

with_tls() {
  command -v openssl >/dev/null || skip "openssl is not installed"
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2>openssl.log
  login_server "$1" cert.pem key.pem
  refused 'the server wants the password in plain text.* \(error 2026\)' --mysql-ssl=off
  refused '(certificate|TLS/SSL).* \(error 2026\)' --mysql-ssl=VERIFY_IDENTITY
  local mode
  for mode in PREFERRED REQUIRED; do
    : >seen
    bench ./look.lua "${to[@]}" --mysql-ssl=$mode prepare
    must is "$status" 0
    must is "$(tr -d '\0' <seen)" Vq7xPw9
  done
}

@test "mysql_clear_password: over TLS" {
  with_tls mysql_clear_password
}

@test "dialog: over TLS" {
  with_tls dialog
}
