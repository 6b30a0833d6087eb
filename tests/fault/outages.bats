#!/usr/bin/env bats
# outages.bats - how long clients were without service: each fault has a known
# begin and end, and the document of the run has to name them.
#
# OUTAGE_S is how long the network is closed, OUTAGE_SLACK_S by how much the
# measured time may be less, and OUTAGE_MORE_S by how much it may be more: on a
# quiet machine 0.02 will do.  CALM_RUNS is the
# number of runs without a fault on each database.  With OUTAGES_ALL=1 each
# fault happens on both servers.

load helper
load ../lib/servers

setup_file() {
  servers has mysql && servers start mysql "$BATS_FILE_TMPDIR/mysql" \
    --set=innodb_flush_log_at_trx_commit=2
  servers has pgsql && servers start pgsql "$BATS_FILE_TMPDIR/pgsql"
  true
}

setup() {
  setup_fault
  json=$dir/run.json
}

teardown() {
  [[ ! -e ${server-}/state ]] || servers thaw "$server"
  proxy_gone
}

# against KIND: an empty table, $port; `base` goes straight to the server.
against() {
  counter_server "$1"
  tcp "$port"
}

tcp() {
  base=("$BENCH" "$events" "--db-driver=$kind" "--$kind-host=127.0.0.1" "--$kind-port=$1"
    "--json=$json" --db-ignore-errors=connection)
}

# about EXPRESSION...: about `d`, the valid document of the run, `o`, its
# outages, and `longest`, the longest stall.
about() {
  local checks=()
  for one in "$@"; do
    checks+=("(lambda o: (lambda longest: $one)(max(o['stalls'], key=lambda s: s['length_s'], default=None)))(d['outages'])")
  done
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["outages"])' "$json"
  python3 "$BENCH_SRC/tests/cli/results_check.py" \
    "$BENCH_SRC/share/schema/bench-1.schema.json" "$json" "${checks[@]}"
}

# A line of the report after so many others has events.
served_after() {
  (($(sed -n "$(($1 + 2)),\$p" <(grep '^\[ ' "$out") | grep -cE ' tps: [1-9]') > 0))
}

# The network is closed for a time that the test measures as well: at least
# between the end of the one command and the begin of the other.
closed() {
  local from shut open to s=${OUTAGE_S:-1.2} rate=${OUTAGE_RATE:-200}
  through_proxy "$port"
  tcp "$proxy_port"
  until_enough "${base[@]}" --threads=8 --rate="$rate" --report-interval=1 --what=sql
  begun
  within 30 grep -qE '^\[ .* tps: [1-9]' "$out"
  from=${EPOCHREALTIME/./}
  weather blackhole
  shut=${EPOCHREALTIME/./}
  sleep "$s"
  open=${EPOCHREALTIME/./}
  weather pass
  to=${EPOCHREALTIME/./}
  within 30 served_after "$(grep -c '^\[ ' "$out")"
  enough -0
  printf 'closed for %d to %d us\n' $((open - shut)) $((to - from))
  about "$((open - shut)) / 1e6 - ${OUTAGE_SLACK_S:-0.5} <= longest['length_s'] <= $((to - from)) / 1e6 + ${OUTAGE_MORE_S:-5.0}" \
    "longest['first_error'] is None and longest['ended_by_client'] in range(8)" \
    "abs(longest['arrivals'] - $rate * longest['length_s']) <= 6 * ($rate * longest['length_s']) ** 0.5" \
    "o['loop'] == 'open' and o['arrivals'] >= longest['arrivals']" \
    "o['clients']['outages'] == 0" \
    "abs(sum(i['stalled_s'] for i in d['intervals']) - o['stalled_s']) < 1e-6"
  grep -qx 'Outages:' "$out"
}

# The server dies under load, and comes back.
killed() {
  until_enough "${base[@]}" --threads=4 --report-interval=1
  begun
  goes_on
  servers kill9 "$server"
  servers restart "$server"
  goes_on
  enough -0
  about "o['clients']['affected'] == o['clients']['all'] == 4" \
    "longest['first_error']['phase'] in ('statement', 'in_transaction', 'at_commit', 'shutting_down')" \
    "o['clients']['unavailable']['longest_s'] >= longest['length_s'] - 0.001" \
    "o['clients']['unavailable']['longest_s'] >= o['clients']['noticed']['longest_s'] > 0" \
    "d['totals']['reconnects'] >= 4"
  grep -qE '^    clients whose service failed: +4 of 4' "$out"
}

# It says nothing for a while, and no error follows.
frozen() {
  until_enough "${base[@]}" --threads=4 --report-interval=1
  begun
  goes_on
  servers freeze "$server"
  sleep 1.2
  servers thaw "$server"
  goes_on
  enough -0
  about "longest['length_s'] >= 0.7 and longest['first_error'] is None" \
    "o['clients']['outages'] == 0 and o['loop'] == 'closed'" \
    "0 < longest['clients'] <= 4"
}

# It is silent until the end.
silent() {
  through_proxy "$port"
  tcp "$proxy_port"
  # Time enough for the first commits to be seen.
  in_background "${base[@]}" --threads=2 --time=6 --forced-shutdown=1 --report-interval=1 run
  begun
  goes_on 0
  weather blackhole
  ended -2
  about "o['stalls'][-1]['ended_by_client'] is None and o['stalls'][-1]['clients'] == 2" \
    "o['stalls'][-1]['at_s'] + o['stalls'][-1]['length_s'] >= 6.9"
  grep -q ', until the end of the run$' "$out"
}

# It is gone at the end, and all workers wait for it.
gone() {
  in_background "${base[@]}" --threads=4 --time=6 --report-interval=1 run
  begun
  goes_on
  servers kill9 "$server"
  ended
  servers restart "$server"
  ((status == 0))
  about "d['run']['end_reason'] == 'time_limit'" "o['stalls'][-1]['ended_by_client'] is None"
}

# held FAULT...: a client is inside of its transaction, and COMMIT is next.
held() {
  mkfifo "$dir/pipe"
  through_proxy "$port"
  tcp "$proxy_port"
  until_enough "${base[@]}" --threads=1 --what=held --pipe="$dir/pipe"
  begun
  exec 7>"$dir/pipe" # the client has opened it
  "$@"
  echo >&7
  exec 7>&-
  goes_on
  enough -0
}

phase_is() {
  about "o['first_errors']['$1'] >= 1 and sum(o['first_errors'].values()) == o['first_errors']['$1']" \
    "o['clients']['outages'] == o['first_errors']['$1']"
}

too() {
  [[ -n ${OUTAGES_ALL-} ]] || skip "only with OUTAGES_ALL=1"
}

@test "pgsql: a network closed under --rate" { against pgsql && closed; }
@test "mysql: a network closed under --rate" { too && against mysql && closed; }
@test "mysql: a killed server" { against mysql && killed; }
@test "pgsql: a killed server" { too && against pgsql && killed; }
@test "pgsql: a frozen server" { against pgsql && frozen; }
@test "mysql: a frozen server" { too && against mysql && frozen; }
@test "pgsql: silence until the end" { against pgsql && silent; }
@test "pgsql: no server at the end" { against pgsql && gone; }

@test "pgsql: a connection that is lost in COMMIT" {
  too
  against pgsql
  held weather cut
  phase_is at_commit
}

@test "mysql: a connection that is lost in COMMIT" {
  against mysql
  held weather cut
  phase_is at_commit
}

@test "pgsql: a connection that the server ends" {
  against pgsql
  until_enough "${base[@]}" --threads=1
  begun
  goes_on
  servers sql "$server" "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'sbtest'"
  goes_on
  enough -0
  phase_is shutting_down
}

@test "a server that is read-only for a while" {
  against mysql
  base+=(--db-ignore-errors=connection,1290)
  until_enough "${base[@]}" --threads=2 --report-interval=1
  begun
  goes_on
  servers sql "$server" "SET GLOBAL read_only = 1"
  within 30 grep -qE '^\[ .* err/s: [1-9]' "$out"
  servers sql "$server" "SET GLOBAL read_only = 0"
  goes_on
  enough -0
  phase_is read_only
}

@test "calm runs have no outage" {
  local n
  for kind in mysql pgsql sqlite; do
    [[ $kind == sqlite || -e $BATS_FILE_TMPDIR/$kind/state ]] || continue
    if [[ $kind == sqlite ]]; then
      tcp 0
      base=("$BENCH" oltp_read_write --db-driver=sqlite "--sqlite-db=$dir/calm.db" --tables=1 --table-size=100)
      "${base[@]}" prepare >/dev/null
      base+=("--json=$json")
    else
      against "$kind"
    fi
    for ((n = 0; n < ${CALM_RUNS:-1}; n++)); do
      # The limit is that of a calm machine only if asked for.
      bounded -0 "${base[@]}" --threads=2 --time=0 --events=300 --stall="${CALM_STALL:-30s}" run
      about "o['stall_count'] == o['clients']['outages'] == 0" \
        "sum(o['first_errors'].values()) == 0"
      lacks Outages "$out"
    done
  done
}
