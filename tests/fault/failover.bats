#!/usr/bin/env bats
# failover.bats - several servers in the lists of hosts and ports: one dies, and
# another one takes over.

load helper
load standby

setup() {
  setup_fault
}

teardown() {
  stop_both
}

# The second target is tried when the first one is gone.
@test "pgsql: the primary dies, the hot standby is promoted" {
  primary_and_standby
  until_enough "${base[@]}" --threads=1 --report-interval=1 \
    --db-ignore-errors=connection,25006
  begun
  goes_on
  servers kill9 "$dir/a"
  # It can be asked already, and may not write yet.
  within 30 grep -qE '^\[ .* err/s: [1-9]' "$out"
  now_at=b
  servers promote "$dir/b"
  goes_on
  enough -0
  [[ $(counter reconnects) -eq 1 ]]
  (($(counter 'ignored errors') >= 1))
  grep -q "^WARNING: connection to host .*port $port_a lost" "$err"
  grep -q '^WARNING: reconnected after ' "$err"
  grep -qE '^WARNING: error 25006 [0-9]+ times?, cannot execute UPDATE in a read-only transaction$' "$err"
  committed 1
}

# The client begins at the standby, and comes back to it.
@test "pgsql: failover: who refuses to write is left" {
  primary_and_standby
  base[-1]="--pgsql-port=$port_b,$port_a"
  until_enough "${base[@]}" --threads=1 --report-interval=1 \
    --db-ignore-errors=failover,40P01
  begun
  goes_on # at a
  grep -qE "^WARNING: host .*port $port_b refuses its service \(25006: cannot execute UPDATE in a read-only transaction\), trying the next server$" "$err"
  servers kill9 "$dir/a"
  within 30 grep -q "^WARNING: connection to host .*port $port_a lost" "$err"
  now_at=b
  servers promote "$dir/b"
  goes_on
  enough -0
  (($(counter reconnects) >= 2 && $(counter 'ignored errors') >= 1))
  committed 1
}

# Such a standby refuses already to read.
@test "pgsql: failover: a standby that is asked for SERIALIZABLE is left" {
  primary_and_standby
  servers sql "$dir/a" "ALTER ROLE sbtest SET default_transaction_isolation = 'serializable'"
  refuses() { ! "$BENCH" "$events" --db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$port_b" --what=sql --sql="SELECT n FROM counter" --events=1 run &>/dev/null; }
  within 30 refuses
  base[-1]="--pgsql-port=$port_b,$port_a"
  bounded -0 "${base[@]}" --what=sql --sql="SELECT n FROM counter" --threads=1 --events=40 --time=0 --db-ignore-errors=failover run
  grep -qE "^WARNING: host .*port $port_b refuses its service \(0A000: .*hot standby\), trying the next server$" "$err"
}

@test "pgsql: --server-role takes the role, and follows it" {
  primary_and_standby
  # Half of the connections would begin at the primary, and divide by zero.
  replicas=("${base[@]}" --what=sql --sql="SELECT 1 / pg_is_in_recovery()::int" --threads=4 --events=40 --time=0)
  # With many events: the other half must not take them all.
  bounded -1 "${replicas[@]}" --events=4000 run
  bounded -0 "${replicas[@]}" --server-role=replica run
  [[ $(counter 'total number of events') -eq 40 ]]
  bounded -1 "${replicas[@]}" --server-role=any --events=4000 run

  # All of the time that a connection has is given to a promotion.
  bounded -1 "${replicas[@]}" --server-role=primary --pgsql-port="$port_b,1" --db-connect-timeout=2 run
  [[ $(grep -c '^FATAL: no server' "$err") -eq 1 ]]
  grep -qE "^FATAL: no server with --server-role=primary within --db-connect-timeout=2: host .*port $port_b: it is a replica(; |$)" "$err"
  grep -qE "^FATAL: no server .* port 1: .*refused" "$err"

  base[-1]="--pgsql-port=$port_b,$port_a"
  until_enough "${base[@]}" --threads=2 --report-interval=1 --failover
  begun
  grep -q "^Marks are taken from /.*/bench-" "$out"
  grep -q '^With --rate, events also become due during an outage' "$out"
  grep -q '^With --ack-log=FILE and the workload ack, bench verify finds' "$out"
  goes_on # at a
  servers kill9 "$dir/a"
  within 30 grep -q "^WARNING: connection to host .*port $port_a lost" "$err"
  now_at=b
  servers promote "$dir/b"
  goes_on
  enough -0
  # Nobody has written to a replica.
  [[ $(counter 'ignored errors') -eq 0 && $(counter reconnects) -ge 2 ]]
  committed 2
}

@test "pgsql: the primary dies, the standby lets nobody in until it is promoted" {
  primary_and_standby --set=hot_standby=off
  until_enough "${base[@]}" --threads=1 --report-interval=1 --db-ignore-errors=connection
  begun
  goes_on
  servers kill9 "$dir/a"
  refused() { grep -q 'the database system is not accepting connections' "$dir/b.log"; }
  servers_env "$dir/b"
  ln -s "$PG_LOG" "$dir/b.log"
  within 30 refused # 57P03
  servers promote "$dir/b"
  now_at=b
  goes_on
  enough -0
  [[ $(counter reconnects) -eq 1 && $(counter 'ignored errors') -eq 0 ]]
  grep -q '^WARNING: reconnected after ' "$err"
  committed 1
}

@test "pgsql: a standby without being listed is fatal, with a hint" {
  primary_and_standby
  bounded -1 "$BENCH" "$events" --db-driver=pgsql --pgsql-host=127.0.0.1 \
    --pgsql-port="$port_b" --time=60 run
  grep -qx 'FATAL: the server is read-only' "$err"
}

# Each token replaces the one before, and there is none while no server may write.
@test "pgsql: tokens last through churn and a failover, with TLS" {
  primary_and_standby --tls
  echo "$dir/a" >"$dir/writes"
  cat >"$dir/token.sh" <<SH
word=w\$\$
bash "$BENCH_SRC/tests/db/servers.sh" sql "\$(cat "$dir/writes")" "ALTER ROLE sbpass PASSWORD '\$word'" >/dev/null &&
  echo x >>"$dir/asked" && echo \$word
SH
  until_enough "${base[@]}" --pgsql-user=sbpass --pgsql-sslmode=require --password-command="sh '$dir/token.sh'" \
    --password-command-ttl=0 --connection-lifetime=3 --threads=1 --clients=1 --report-interval=1 --failover
  begun
  goes_on
  servers kill9 "$dir/a"
  within 30 grep -q "^WARNING: connection to host .* lost" "$err"
  servers promote "$dir/b"
  now_at=b
  echo "$dir/b" >"$dir/writes"
  tokens=$(grep -c x "$dir/asked")
  goes_on
  enough -0
  (($(grep -c x "$dir/asked") > tokens + 2))
  [[ $(counter 'ignored errors') -eq 0 ]]
  grep -q '^WARNING: reconnected after ' "$err"
  committed 1
}

@test "mysql: two servers in the list, one dies" {
  two_mysql
  until_enough "$BENCH" "$events" --db-driver=mysql --mysql-host=127.0.0.1 \
    --mysql-port="$port_a,$MY_PORT" --what=prepared --threads=2 \
    --db-ignore-errors=connection
  begun
  goes_on # at a
  servers kill9 "$dir/a"
  # Both threads are at b now.
  within 30 grep -q '^WARNING: reconnected after ' "$err"
  now_at=b
  goes_on
  enough -0
  [[ $(counter reconnects) -eq 1 && $(counter 'ignored errors') -eq 0 ]]
  grep -q "^WARNING: connection to host '127.0.0.1', port $port_a lost" "$err"
  # What both of them have committed.
  at_b=$(counted)
  servers restart "$dir/a"
  at_a=$(now_at=a counted)
  printf '%d at a, %d at b\n' "$at_a" "$at_b"
  lost=$((at_a + at_b - $(counter 'total number of events')))
  ((lost >= 0 && lost <= 1))
}

# Like a switchover: the first one is made read-only, and lives.
@test "mysql: failover: a server that becomes read-only is left" {
  two_mysql
  base=("$BENCH" "$events" --db-driver=mysql --mysql-host=127.0.0.1 "--mysql-port=$port_a,$MY_PORT")
  until_enough "${base[@]}" --threads=1 --report-interval=1 --db-ignore-errors=failover
  begun
  goes_on # at a
  servers sql "$dir/a" "SET GLOBAL read_only = 1"
  at_a=$(counted)
  now_at=b
  goes_on
  enough -0
  [[ $(counter reconnects) -eq 1 && $(counter 'ignored errors') -eq 1 ]]
  grep -qE "^WARNING: host '127.0.0.1', port $port_a refuses its service \(1290: .*read.only.*\), trying the next server$" "$err"
  # Nothing but these two have written.
  [[ $(now_at=a counted) -eq $at_a ]]
  [[ $((at_a + $(counted))) -eq $(counter 'total number of events') ]]

  # The other one is taken by those who ask for a primary, by clients of one
  # thread, too.
  bounded -0 "${base[@]}" --clients=4 --threads=1 --events=40 --time=0 --server-role=primary run
  [[ $(now_at=a counted) -eq $at_a ]]
  one_row=(--what=sql --sql="SELECT IF(@@global.read_only, 1, (SELECT 1 UNION SELECT 2))")
  bounded -0 "${base[@]}" "${one_row[@]}" --threads=2 --events=40 --time=0 --server-role=replica run

  # Without the word it is fatal.
  bounded -1 "${base[@]}" --threads=1 --db-ignore-errors=connection --time=60 run
  grep -q '^FATAL: .* 1290 ' "$err"
}

# MySQL ends the sessions of all but its administrators, and lets no one else in
# (3032).
@test "mysql: failover: a server that goes offline is left" {
  two_mysql
  servers sql "$dir/a" "SET GLOBAL offline_mode = 0" 2>/dev/null || skip 'this server has no offline mode'
  until_enough "$BENCH" "$events" --db-driver=mysql --mysql-host=127.0.0.1 "--mysql-port=$port_a,$MY_PORT" \
    --threads=2 --db-ignore-errors=failover
  begun
  goes_on # at a
  servers sql "$dir/a" "SET GLOBAL offline_mode = 1"
  now_at=b
  goes_on
  enough -0
  lacks '^FATAL' "$err"
}

# counter_script: the workload counter in $dir/script.lua, until `enough`.
counter_script() {
  lua <<'LUA'
require("counter")
sysbench.cmdline.options.stop_file = {"the run ends when there is such a file", ""}
local increment = event
function event()
  local file = io.open(sysbench.opt.stop_file)
  if file then
    file:close()
    return true
  end
  return increment()
end
LUA
}

# served: there are commits after this.
served() {
  local lines
  lines=$(wc -l <"$out")
  commits() { tail -n "+$((lines + 1))" "$out" | grep -qE ' tps: [1-9]'; }
  within 60 commits
}

# counter_run ARG...: in the background, with commits, and without --server-role.
counter_run() {
  base=("$BENCH" "$dir/script.lua" "--db-driver=$kind" "--$kind-host=127.0.0.1")
  counter_script
  until_enough "${base[@]}" --report-interval=1 --server-stats=off "$@"
  begun
  served
}

# What the run has done is in the tables, and its sums are stored.  check looks for
# a server of the list that is up, and takes writes.
summed() {
  grep -qE '^Increments of the run: [1-9][0-9]* committed, .*: ok$' "$out"
  lacks '^FATAL' "$err"
  bounded -0 "${base[@]}" "$@" check
  grep -qE 'Increments of all runs: [1-9][0-9]* committed, .*: ok$' "$out"
}

# The first server of the list is gone for good.
ends_without_the_first() {
  local threads=$1 port
  case $kind in
    mysql) port=$MY_PORT ;;
    pgsql) port=$PG_PORT ;;
  esac
  "$BENCH" counter "--db-driver=$kind" "--$kind-host=127.0.0.1" "--$kind-port=$port" --table-exists=drop prepare
  through_proxy "$port"
  counter_run --threads="$threads" "--$kind-port=$proxy_port,$port" --db-ignore-errors=connection
  weather quit
  within 30 grep -q '^WARNING: connection to .* lost' "$err"
  served
  enough -0
  summed "--$kind-port=$proxy_port,$port"
}

@test "the end of a run finds the server of the list that is up" {
  local found=
  for kind in mysql pgsql; do
    servers has "$kind" && "$BENCH" --db-driver=help 2>&1 | grep -q "^ *$kind" || continue
    found=yes
    servers start "$kind" "$dir/a"
    servers_env "$dir/a"
    ends_without_the_first 2
    ends_without_the_first 3 # the next connection has another turn
    servers stop "$dir/a"
  done
  [ -n "$found" ] || skip 'no server is installed'
}

@test "pgsql: after a failover the sums of the run go to the new primary" {
  primary_and_standby
  kind=pgsql
  "$BENCH" counter --db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$port_a" prepare
  counter_run --threads=2 --pgsql-port="$port_a,$port_b" --db-ignore-errors=failover
  servers kill9 "$dir/a"
  servers promote "$dir/b"
  within 30 grep -q "^WARNING: connection to host .*port $port_a lost" "$err"
  served
  enough -0
  summed --pgsql-port="$port_a,$port_b"
}

# The standby lets clients in and read, but the sums have to be written.
@test "pgsql: the end of a run waits for the promotion" {
  primary_and_standby --general-log
  kind=pgsql
  "$BENCH" counter --db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$port_a" prepare
  counter_run --threads=2 --pgsql-port="$port_a,$port_b" --db-ignore-errors=failover --db-connect-timeout=60
  servers kill9 "$dir/a"
  within 30 grep -q "^WARNING: connection to host .*port $port_a lost" "$err"
  signal_job INT
  servers_env "$dir/b"
  ln -s "$PG_LOG" "$dir/b.log"
  within 60 grep -q transaction_read_only "$dir/b.log"
  servers promote "$dir/b"
  ended
  summed --pgsql-port="$port_b"
}

# The client that checks has a connection to the proxy, most likely.
@test "pgsql: tpcc's checks during a run go on at the server that is up" {
  needs pgsql
  servers start pgsql "$dir/a"
  servers_env "$dir/a"
  base=("$BENCH" tpcc --db-driver=pgsql --pgsql-host=127.0.0.1 --warehouses=1 --customers=30 --items=200)
  "${base[@]}" --pgsql-port="$PG_PORT" prepare
  through_proxy "$PG_PORT"
  in_background "${base[@]}" --pgsql-port="$proxy_port,$proxy_port,$proxy_port,$PG_PORT" --threads=2 --time=90 \
    --check-every=200ms --db-ignore-errors=connection run
  holds='^Check [0-9]+ at .*: all conditions hold'
  within 60 grep -qE "$holds" "$out"
  weather quit
  within 30 grep -q '^WARNING: connection to .* lost' "$err"
  lines=$(wc -l <"$out")
  held() { tail -n "+$((lines + 1))" "$out" | grep -qE "$holds"; }
  within 60 held
  signal_job INT
  ended
  lacks '^FATAL' "$err"
}
