#!/usr/bin/env bats
# failover_lines.bats - clients with statements in flight on two connections
# (--pipeline), and two servers: what becomes of them when one dies, or refuses
# its service.

load helper
load standby

setup() {
  setup_fault
  lines=(--what=prepared --threads=2 --clients=8 --pipeline=4 --report-interval=1)
}

teardown() {
  stop_both
}

# Each client counts the loss of its connection, and each has a statement whose
# answer may have been lost.
all_have_moved() {
  ((status == 0))
  lacks '^FATAL' "$err"
  (($(counter reconnects) >= 8))
  grep -q '^Pipeline: 2 connections, at most 4 statements in flight on each; ' "$out"
}

@test "pgsql: the primary dies, and the standby refuses until it is promoted" {
  primary_and_standby
  base[-1]="--pgsql-port=$port_b,$port_a"
  until_enough "${base[@]}" "${lines[@]}" --db-ignore-errors=failover
  begun
  goes_on # at a
  grep -qE "^WARNING: host .*port $port_b refuses its service \(25006: cannot execute UPDATE in a read-only transaction\), trying the next server$" "$err"
  servers kill9 "$dir/a"
  within 30 grep -q "^WARNING: connection to host .*port $port_a lost" "$err"
  now_at=b
  servers promote "$dir/b"
  goes_on
  enough
  all_have_moved
  (($(counter 'ignored errors') >= 1))
  committed 8
}

@test "pgsql: --target=primary" {
  primary_and_standby
  base[-1]="--pgsql-port=$port_b,$port_a"
  until_enough "${base[@]}" "${lines[@]}" --target=primary --db-ignore-errors=failover
  begun
  goes_on # at a
  servers kill9 "$dir/a"
  within 30 grep -q "^WARNING: connection to host .*port $port_a lost" "$err"
  now_at=b
  servers promote "$dir/b"
  goes_on
  enough
  all_have_moved
  # Nobody has written to a replica.
  [[ $(counter 'ignored errors') -eq 0 ]]
  committed 8
}

@test "mysql: a server dies" {
  two_mysql
  until_enough "$BENCH" "$events" --db-driver=mysql --mysql-host=127.0.0.1 "--mysql-port=$port_a,$MY_PORT" "${lines[@]}" \
    --db-ignore-errors=connection
  begun
  goes_on # at a
  at_both() { now_at=b counts 10; }
  within 30 at_both # the second line begins there
  servers kill9 "$dir/a"
  within 30 grep -q '^WARNING: reconnected after ' "$err"
  now_at=b
  goes_on
  enough
  ((status == 0))
  # One of the two lines was there.
  [[ $(counter reconnects) -eq 4 && $(counter 'ignored errors') -eq 0 ]]
  at_b=$(counted)
  servers restart "$dir/a"
  at_a=$(now_at=a counted)
  printf '%d at a, %d at b\n' "$at_a" "$at_b"
  lost=$((at_a + at_b - $(counter 'total number of events')))
  ((lost >= 0 && lost <= 4))
}

@test "mysql: a server becomes read-only" {
  two_mysql
  until_enough "$BENCH" "$events" --db-driver=mysql --mysql-host=127.0.0.1 "--mysql-port=$port_a,$MY_PORT" "${lines[@]}" \
    --db-ignore-errors=failover
  begun
  goes_on # at a
  servers sql "$dir/a" "SET GLOBAL read_only = 1"
  at_a=$(counted)
  now_at=b
  goes_on
  enough
  ((status == 0))
  grep -qE "^WARNING: host '127.0.0.1', port $port_a refuses its service \(1290: .*read.only.*\), trying the next server$" "$err"
  # All clients of the line have left it, for one refusal each.
  [[ $(counter reconnects) -eq 4 && $(counter 'ignored errors') -eq 4 ]]
  [[ $(now_at=a counted) -eq $at_a ]]
  [[ $((at_a + $(counted))) -eq $(counter 'total number of events') ]]
}
