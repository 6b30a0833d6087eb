#!/usr/bin/env bats
# acceptance.bats - what holds over many connections and many faults: targets by
# connection number, memory under kills, statements given back, passwords kept.

load helper

setup() {
  setup_fault
}

teardown() {
  [[ ! -e $dir/server/state ]] || servers stop "$dir/server"
}

# against KIND: a server that listens on all loopback addresses.
against() {
  kind=$1
  servers has "$kind" && "$BENCH" --db-driver=help 2>&1 | grep -q "^ *$kind" ||
    skip "no $kind server, or built without $kind"
  servers start "$kind" "$dir/server" "${@:2}"
  servers_env "$dir/server"
  [[ $kind == mysql ]] && port=$MY_PORT || port=$PG_PORT
}

# Six listeners that note who was asked for, and hang up.
listeners() {
  coproc LISTEN { exec python3 -c '
import select, socket
ports, listening = [], {}
while len(ports) < 2: # one that is free on the first host may be taken elsewhere
    made = [socket.create_server(("127.0.0.1", 0))]
    port = made[0].getsockname()[1]
    try:
        made += [socket.create_server(("127.0.0.%d" % host, port)) for host in (2, 3)]
    except OSError:
        continue
    ports.append(port)
    for host, s in enumerate(made, 1):
        listening[s] = "host %d port %d" % (host, len(ports))
print(*ports, flush=True)
while True:
    for s in select.select(list(listening), [], [])[0]:
        s.accept()[0].close()
        print(listening[s], flush=True)'; }
  listener=$LISTEN_PID
  read -r -t 30 first second <&"${LISTEN[0]}"
}

@test "three hosts, two ports, twelve connections: two each, in order" {
  for kind in mysql pgsql; do
    "$BENCH" --db-driver=help 2>&1 | grep -q "^ *$kind" || continue
    listeners
    lua <<'LUA'
function thread_init()
  for i = 1, 12 do pcall(function() sysbench.sql.driver():connect() end) end
end
function event() return true end
LUA
    PGSSLMODE=disable PGGSSENCMODE=disable bounded "$BENCH" "$dir/script.lua" \
      --db-driver="$kind" --threads=1 --time=1 --pgsql-sslmode=disable \
      "--$kind-host=127.0.0.1,127.0.0.2,127.0.0.3" "--$kind-port=$first,$second" run
    for _ in 1 2; do
      for host in 1 2 3; do
        for port in 1 2; do
          read -r -t 30 seen <&"${LISTEN[0]}"
          [[ $seen == "host $host port $port" ]]
        done
      done
    done
    kill "$listener"
    wait "$listener" || true
  done
}

@test "mysql: a hundred kills" { bash "$BENCH_SRC/tests/soak/kills.sh" mysql 100 5; }
@test "mysql: a hundred kills (client library)" {
  EXTRA=--mysql-compression=on bash "$BENCH_SRC/tests/soak/kills.sh" mysql 100 5
}
@test "pgsql: a hundred kills" { bash "$BENCH_SRC/tests/soak/kills.sh" pgsql 100 5; }

@test "a hundred statements on a hundred connections are given back" {
  against mysql --max-connections=120 --max-prepared-stmt-count=20000
  lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  st = {}
  for i = 1, 100 do st[i] = con:prepare("SELECT " .. i) end
end
function event()
  for i = 1, 100 do st[i]:execute(); st[i]:close() end
  con:query("SELECT 1")
  return true
end
LUA
  count() { servers sql "$dir/server" "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'" | tr -dc 0-9; }
  [[ $(count) -eq 0 ]]
  in_background "$BENCH" "$dir/script.lua" --db-driver=mysql --mysql-host=127.0.0.1 \
    --mysql-port="$port" --threads=100 --time=90 run
  ended -0
  [[ $(servers sql "$dir/server" "SHOW GLOBAL STATUS LIKE 'Com_stmt_prepare'" | tr -dc 0-9) -eq 10000 ]]
  given_back() { [[ $(count) -eq 0 ]]; }
  within 30 given_back
}

@test "no password in any output, also of failures" {
  for kind in mysql pgsql; do
    against "$kind"
    for password in secret wrong-secret; do
      bounded "$BENCH" "$events" --db-driver="$kind" "--$kind-host=127.0.0.1" \
        "--$kind-port=$port" "--$kind-user=sbpass" "--$kind-password=$password" \
        --what=sql --events=2 --debug --db-debug --mysql-debug --verbosity=5 run
      [[ $password == secret ]] && ((status == 0)) || ((status == 1))
      [[ -s $err ]]
      lacks "$password" "$out" "$err"
    done
    servers stop "$dir/server"
  done
}
