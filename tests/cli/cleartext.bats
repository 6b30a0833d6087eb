#!/usr/bin/env bats
# cleartext.bats - a server without TLS does not get the password by asking for
# it, unless the user allows that, and a server that does not have it is no server.

load helper
load fake_server

# login_server PLUGIN [CERTIFICATE KEY]: `to` leads to a server that asks by this
# plug-in.
login_server() {
  needs_driver mysql
  : >seen
  fake_server mysql_login.py "$PWD/server" "$1" seen "${@:2}"
  to=(--db-driver=mysql "--mysql-socket=$PWD/server" --mysql-password=Vq7xPw9)
  cat >look.lua <<'LUA'
function prepare() print("got", sysbench.sql.driver():connect():query_row("SELECT 1")) end
LUA
}

# refused WHY OPTION...: one line says why, and the server has not seen it.
refused() {
  bench -1 ./look.lua "${to[@]}" "${@:2}" prepare
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
  bench -0 ./look.lua "${to[@]}" --mysql-cleartext=on prepare
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
    bench -0 ./look.lua "${to[@]}" --mysql-ssl=$mode prepare
    must is "$(tr -d '\0' <seen)" Vq7xPw9
  done
}

@test "mysql_clear_password: over TLS" {
  with_tls mysql_clear_password
}

@test "dialog: over TLS" {
  with_tls dialog
}

# greedy PLACE PLUGIN [KEY]: `to` leads to a server that wants the password, and
# whose public key is in KEY, or that is content with a proof.
greedy() {
  needs_driver mysql
  : >seen
  fake_server mysql_greedy.py "$1" "$2" seen "${@:3}"
  to=(--db-driver=mysql "--mysql-socket=$1" --mysql-password=Vq7xPw9)
  [[ $1 != tcp ]] ||
    to=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$(<port)" --mysql-password=Vq7xPw9)
  cat >look.lua <<'LUA'
function event() sysbench.sql.driver():connect():query_row("SELECT 1") end
LUA
}

@test "TLS is required and not offered: not one byte is sent" {
  local plugin mode
  for plugin in mysql_native_password caching_sha2_password sha256_password \
    mysql_clear_password dialog client_ed25519 mysql_old_password; do
    greedy tcp $plugin
    bench -1 ./look.lua "${to[@]}" --mysql-ssl=VERIFY_CA --events=1 run
    must is "$(<seen)" ''
    must lacks "$stderr" 'see --mysql-ssl-ca'
    for mode in on REQUIRED; do
      bench -1 ./look.lua "${to[@]}" --mysql-ssl=$mode --events=1 run
      must has "$stderr" 'SSL is required, but the server does not support it'
      must is "$(<seen)" ''
    done
    bench -1 ./look.lua "${to[@]}" --mysql-ssl=on --threads=1 --clients=2 --events=2 run
    must is "$(<seen)" ''
    bench -1 connect "${to[@]}" --mysql-ssl=on --handshake=own --events=1 run
    own_tls || must has "$stderr" 'built without OpenSSL'
    own_tls && must has "$stderr" 'SSL is required, but the server does not support it'
    must is "$(<seen)" ''
  done
}

key_pair() {
  command -v openssl >/dev/null || skip "openssl is not installed"
  openssl genrsa -out key.pem 2048 2>openssl.log
  openssl rsa -in key.pem -pubout -out public.pem 2>openssl.log
}

# was_encrypted: a packet of 256 bytes is the password, for the key and the
# number of the server.
was_encrypted() {
  python3 - <<'PY'
import subprocess
seen, packets = open("seen", "rb").read(), []
while seen:
    end = 4 + int.from_bytes(seen[:3], "little")
    packets.append(seen[4:end])
    seen = seen[end:]
secret = subprocess.run(
    ["openssl", "pkeyutl", "-decrypt", "-inkey", "key.pem", "-pkeyopt", "rsa_padding_mode:oaep"],
    input=next(p for p in packets if len(p) == 256), stdout=subprocess.PIPE, check=True).stdout
assert bytes(a ^ b for a, b in zip(secret, b"saltsaltsaltsaltsalt")) == b"Vq7xPw9\0"
PY
}

was_kept() {
  [[ -s seen ]] && ! was_encrypted 2>/dev/null
}

@test "a key of the server: only if the user trusts it, or has it" {
  key_pair
  local plugin mode
  for plugin in caching_sha2_password sha256_password; do
    greedy tcp $plugin public.pem
    for mode in off PREFERRED; do
      bench -1 ./look.lua "${to[@]}" --mysql-ssl=$mode --events=1 run
      must has "$stderr" 'the server wants the password encrypted with a key of its own, and the connection has no TLS: .*--mysql-ssl.*--mysql-server-public-key-path.*--mysql-get-server-public-key=on'
      must was_kept
    done
    bench -1 ./look.lua "${to[@]}" --threads=1 --clients=2 --events=2 run
    must was_kept
    : >seen
    bench -0 ./look.lua "${to[@]}" --mysql-get-server-public-key=on --events=1 run
    must was_encrypted
    cp public.pem pinned.pem
    greedy tcp $plugin /dev/null
    bench -0 ./look.lua "${to[@]}" --mysql-server-public-key-path=pinned.pem --events=1 run
    must was_encrypted
  done
  greedy tcp caching_sha2_password fast
  bench -0 ./look.lua "${to[@]}" --events=1 run
  bench -1 ./look.lua "${to[@]}" --mysql-server-public-key-path=none.pem --events=1 run
  must has "$stderr" "cannot read the key 'none.pem' of --mysql-server-public-key-path"
}

# greedy_pgsql KIND: as greedy, for PostgreSQL.
greedy_pgsql() {
  needs_driver pgsql
  : >seen
  fake_server pgsql_greedy.py tcp "$1" seen
  to=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$(<port)" --pgsql-password=Vq7xPw9)
  echo 'function event() sysbench.sql.driver():connect():query("SELECT 1") end' >look.lua
}

@test "PostgreSQL: the plain password only with --pgsql-cleartext=on" {
  local kind mode
  for kind in plain ahead pieces; do
    greedy_pgsql $kind
    for mode in prefer disable allow; do
      [[ $kind != ahead || $mode == prefer ]] || continue
      bench -1 ./look.lua "${to[@]}" --pgsql-sslmode=$mode --events=1 run
      must has "$stderr" 'asks for the password in plain text, and the connection has no TLS: .*--pgsql-sslmode=require.*--pgsql-cleartext=on'
      must is "$(grep -c Vq7xPw9 seen)" 0
    done
    bench -1 ./look.lua "${to[@]}" --threads=1 --clients=2 --events=2 run
    must is "$(grep -c Vq7xPw9 seen)" 0
    bench -0 ./look.lua "${to[@]}" --pgsql-cleartext=on --events=1 run
    must is "$(grep -c Vq7xPw9 seen)" 1
  done
}

@test "PostgreSQL: a server that proves nothing is not believed, nor asked again" {
  local kind
  for kind in early late; do
    greedy_pgsql $kind
    bench -1 ./look.lua "${to[@]}" --pgsql-sslmode=disable --events=1 run
    must has "$stderr" 'the server has left out a step of the login'
    : >seen
    bench -1 ./look.lua "${to[@]}" --pgsql-sslmode=disable --threads=1 --clients=1 --events=1 run
    must has "$stderr" 'the server has left out a step of the login'
    must is "$(tr -d '\0' <seen | grep -ao SCRAM-SHA-256 | wc -l)" 1
  done
}
