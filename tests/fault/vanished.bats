#!/usr/bin/env bats
# vanished.bats - a server that vanishes without a word, every packet dropped:
# the system notices within a minute, where no time limit applies.

load helper
load ../lib/servers

setup_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  cd "$BATS_FILE_TMPDIR" || return 1
  unshare --net sleep 1000 3>&- & # keeps a network of its own
  echo "$!" >net
  within_net() { nsenter --net="/proc/$(cat net)/ns/net" "$@"; }
  until [[ ! -d /proc/$(cat net) ]] || [[ $(cat "/proc/$(cat net)/comm") == sleep ]]; do
    sleep 0.02
  done
  within_net ip link set lo up 2>/dev/null || { missing "no network namespaces here"; return 0; }
  for kind in mysql pgsql; do
    "$BENCH" --db-driver=help 2>&1 | grep -q "^ *$kind" && servers has "$kind" || continue
    within_net bash "$BENCH_SRC/tests/db/servers.sh" --owner=$$ start "$kind" \
      "$PWD/$kind" --set="$(durable "$kind")"
  done
}

durable() {
  [[ $1 == mysql ]] && echo innodb_flush_log_at_trx_commit=2 || echo synchronous_commit=on
}

teardown_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  cd "$BATS_FILE_TMPDIR" || return 1
  for kind in mysql pgsql; do
    [[ ! -e $kind/state ]] || servers stop "$PWD/$kind"
  done
  kill "$(cat net)" 2>/dev/null || true
}

setup() {
  skip_if_missing
  setup_fault
  jobs=()
}

teardown() {
  ((${#jobs[@]} == 0)) || kill -KILL "${jobs[@]}" 2>/dev/null || true
}

within_net() {
  nsenter --net="/proc/$(cat "$BATS_FILE_TMPDIR/net")/ns/net" "$@"
}

# go NAME COMMAND...: a run beside others; its streams, status and end are in
# files of that name.
go() {
  local name=$1
  shift
  {
    local rc=0
    within_net timeout --signal=KILL 200 "$@" >"$dir/$name.out" 2>"$dir/$name.err" || rc=$?
    printf '%d %d\n' "$rc" "$SECONDS" >"$dir/$name.done"
  } 3>&- &
  jobs+=("$!")
  names+=("$name")
}

# All packets are dropped where they arrive, by one of the means there are.
drop_all() {
  if within_net iptables -A INPUT -j DROP 2>/dev/null; then
    return
  fi
  within_net tc qdisc add dev lo clsact 2>/dev/null &&
    within_net tc filter add dev lo ingress bpf bytecode '1,6 0 0 2,' \
      direct-action 2>/dev/null
}

# Both runs of this kind wait for an answer now.
asleep() {
  if [[ $1 == mysql ]]; then
    (($(servers sql "$server" "SELECT COUNT(*) FROM information_schema.processlist
      WHERE info LIKE 'SELECT SLEEP%'") == 2))
  else
    (($(servers sql "$server" "SELECT count(*) FROM pg_stat_activity
      WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'") == 2))
  fi
}

# The options that make the system watch over connections that wait; not before
# the other side has confirmed their last bytes.
watched() {
  (($(within_net ss -tnoH state established dport = ":$port" |
    grep -cE 'timer:\(keepalive,([12]?[0-9]sec|[0-9.]+ms|30sec)') >= 2))
}

# at_work KIND OPTION: runs that send, runs that only wait, by the protocol of
# our own and (with OPTION) by the library, and one that loads.
at_work() {
  local kind=$1 library=$2 port sleeping
  server=$BATS_FILE_TMPDIR/$kind
  [[ -e $server/state ]] || return 0
  servers_env "$server"
  if [[ $kind == mysql ]]; then
    port=$MY_PORT sleeping="SELECT SLEEP(900)" table=sbtest.counter
  else
    port=$PG_PORT sleeping="SELECT pg_sleep(900)" table=counter
  fi
  servers sql "$server" "CREATE TABLE $table (id INT PRIMARY KEY, n INT NOT NULL)"
  servers sql "$server" "INSERT INTO $table VALUES (1, 0)"
  [[ $kind == mysql ]] || servers sql "$server" "GRANT ALL ON counter TO sbtest"
  tcp=("--db-driver=$kind" "--$kind-host=127.0.0.1" "--$kind-port=$port")
  base=("$BENCH" "$events" "${tcp[@]}" --time=900)
  go "$kind-sends" "${base[@]}" run
  go "$kind-sends-library" "${base[@]}" "$library" run
  go "$kind-waits" "${base[@]}" --what=sql --sql="$sleeping" run
  go "$kind-waits-library" "${base[@]}" --what=sql --sql="$sleeping" "$library" run
  go "$kind-loads" "$BENCH" oltp_read_only "${tcp[@]}" --table-size=20000000 prepare
  within 60 asleep "$kind"
  within 60 grep -q Inserting "$dir/$kind-loads.out"
  within 60 grep -q '^Threads started' "$dir/$kind-sends.out"
  within 60 grep -q '^Threads started' "$dir/$kind-sends-library.out"
  within 20 watched || {
    within_net ss -tnoH state established dport = ":$port"
    return 1
  }
}

@test "a server that vanished is noticed within a minute" {
  command -v ss >/dev/null || skip "ss (iproute2) is not installed"
  names=()
  at_work mysql --mysql-compression=on
  at_work pgsql --pgsql-protocol=library
  ((${#names[@]} > 0)) || skip "no server is installed"
  drop_all || skip "packets cannot be dropped here: neither iptables nor tc with bpf"
  since=$SECONDS
  wait "${jobs[@]}" || true
  jobs=()
  for name in "${names[@]}"; do
    read -r status end <"$dir/$name.done"
    printf '%s: status %d after %d s\n' "$name" "$status" "$((end - since))"
    tail -n 4 "$dir/$name.err"
  done
  for name in "${names[@]}"; do
    read -r status end <"$dir/$name.done"
    ((status == 1))
    # Not at once: that would be something else than silence.
    ((end - since >= 20 && end - since <= 60 + 15))
    grep -qE '^FATAL: .*( 20(06|13) |failed: 7 |COPY|bulk load)' "$dir/$name.err"
  done
}
