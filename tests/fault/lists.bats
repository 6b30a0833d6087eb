#!/usr/bin/env bats
# lists.bats - after a run: `bench verify` and the command check with several
# servers in the lists, of which some are away, and some are replicas.  Port 1 has
# no server.

load helper
load standby

setup() {
  setup_fault
}

teardown() {
  for name in a b; do
    [[ ! -e $dir/$name/state ]] || servers stop "$dir/$name"
  done
}

# at PORT...: `to` has these ports.
at() {
  local IFS=,
  to=("--db-driver=$kind" "--$kind-host=127.0.0.1" "--$kind-port=$*")
}

# says STATUS COMMAND...: it ends with that.
says() {
  bounded "-$1" "${@:2}"
}

# works: two workloads with a check, and a log, at the server of `to`.
works() {
  "$BENCH" ack "${to[@]}" --table-exists=drop prepare
  "$BENCH" oltp_read_only "${to[@]}" --tables=4 --table-size=100 --table-exists=drop prepare
  "$BENCH" ack "${to[@]}" --threads=2 --events=50 --time=0 --ack-log="$dir/acks.log" run
}

verify() {
  bounded "$BENCH" verify "$dir/acks.log" "${to[@]}" "$@"
}

# checks: all that works() has left is found.
checks() {
  verify -0
  grep -qx 'ok: everything that was acknowledged is there' "$out"
  lacks -E '^(WARNING|FATAL)' "$err"
  says 0 "$BENCH" ack "${to[@]}" check
  says 0 "$BENCH" oltp_read_only "${to[@]}" --tables=4 --table-size=100 --threads=4 check
}

@test "verify and check find the server that is up" {
  local found= port
  for kind in mysql pgsql; do
    servers has "$kind" && "$BENCH" --db-driver=help 2>&1 | grep -q "^ *$kind" || continue
    found=yes
    servers start "$kind" "$dir/a"
    servers_env "$dir/a"
    port=$PG_PORT
    [[ $kind == pgsql ]] || port=$MY_PORT
    at "$port"
    works
    at 1 1 "$port"
    checks
    lacks -E '^(WARNING|FATAL)' "$err"
    # Each one is in the line, and its reason.
    at 1 "$port"
    servers kill9 "$dir/a"
    verify -3
    [[ $(grep -c '^FATAL: no server of the lists can be used: .*port 1\b.*; .*port '"$port"'\b' "$err") -eq 1 ]]
    says 1 "$BENCH" oltp_read_only "${to[@]}" --tables=4 --table-size=100 --threads=4 check
    [[ $(grep -c '^FATAL: no server of the lists can be used: ' "$err") -eq 1 ]]
    servers stop "$dir/a"
  done
  [ -n "$found" ] || skip 'no server is installed'
}

@test "pgsql: verify and check read the primary, not a standby that is behind" {
  needs pgsql
  kind=pgsql
  servers start pgsql "$dir/a"
  servers start pgsql "$dir/b" --standby-of="$dir/a"
  both_ports
  at "$port_a"
  "$BENCH" ack "${to[@]}" prepare
  has_table() { [[ $(servers sql "$dir/b" "SELECT to_regclass('ack_rows') IS NOT NULL") == t ]]; }
  within 30 has_table
  cut_off
  "$BENCH" oltp_read_only "${to[@]}" --tables=4 --table-size=100 prepare
  "$BENCH" ack "${to[@]}" --threads=2 --events=50 --time=0 --ack-log="$dir/acks.log" run
  at "$port_b" "$port_a"
  checks
  lacks -E '^(WARNING|FATAL)' "$err"

  # What a standby has not got is not lost.
  at "$port_b"
  verify -3
  grep -qE '^  missing +50 ' "$out"
  grep -qE '^cannot tell: at least 50 are not on this server, which is read-only: a replica' "$out"
  at 1 "$port_b"
  verify -3
  grep -qE "^WARNING: no server of the lists takes writes; .*port $port_b is read, which is read-only; a replica may not have everything yet$" "$err"
  verify -1 --server-role=replica
  grep -qE '^FAILED: 50 lost$' "$out"

  # A user who may only read, at the primary: it is known to be no standby.
  at "$port_b" "$port_a"
  verify -0 --pgsql-options='-c default_transaction_read_only=on'
  grep -qE "^WARNING: no server of the lists takes writes; .*port $port_a is read, which is read-only, and no replica$" "$err"
  at "$port_a"
  servers sql "$dir/a" "DELETE FROM ack_rows WHERE id = (SELECT min(id) FROM ack_rows)"
  verify -1 --pgsql-options='-c default_transaction_read_only=on'
  grep -qE '^FAILED: 1 lost$' "$out"

  # Now it is.
  servers promote "$dir/b"
  servers kill9 "$dir/a"
  at "$port_a" "$port_b"
  verify -1
  grep -qE '^FAILED: 50 lost$' "$out"
  lacks -E '^(WARNING|FATAL)' "$err"
}
