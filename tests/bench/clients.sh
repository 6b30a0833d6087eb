#!/usr/bin/env bash
# clients.sh - many clients on few threads, compared with our own threads, with
# sysbench (MariaDB) and with pgbench (PostgreSQL), on private servers.  Prints
# rows of tables for docs/performance-raw.md.
#
# usage: tests/bench/clients.sh [PART...]     the default: all of them; select:
#        separate and shared
#
# separate  the server on one CPU, one thread of the client program on another:
#           prepared point selects; CPU time of the client program per query,
#           start and end included; queries per second; 99th percentile; how much
#           the queries of a connection differ from their mean (standard
#           deviation, percent); and queries per second next to a program with
#           `nice -n 19` that takes all it gets of the client's CPU
# tls       as separate, by TCP, with TLS and without; on PostgreSQL with pgbench, too
# shared    the same with two threads and no CPU for anybody; ours as threads, too
# rate      the 99th percentile at half of the rate that clients reach
# memory    resident memory per client of oltp_read_write, at work and idle
# start     10,000 clients of the null driver; 10,000 through pgbouncer
# one       one client, and one thread, beside one thread of BASE
#
# PAIRS, QUICK, BENCH, SYSBENCH  see common.sh
# ROWS          of the table [20000]
# SECONDS_EACH  of a run [2]
# SERVER_CPU, CLIENT_CPU  of `separate` [0, 1]
# CONNECTIONS   of `separate` and `shared` ["64 256"]
# MANY          clients of `start`, and of `memory` where no server is the limit
#               [10000]
# BASE          an earlier bench, for `one`
#
# All parts together take less than half an hour.  What needs pgbouncer is
# left out without it.
# shellcheck disable=SC2178 # arrays that are named after a kind of server
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/db/pooler.sh
. "$here/../db/pooler.sh"

rows=${ROWS:-20000} seconds=${SECONDS_EACH:-2}
figures=$here/clients.py
pgbench=$(find_pgbench)
many=${MANY:-10000}
((!QUICK)) || many=100
parts=("$@")
((${#parts[@]})) || parts=(separate tls shared rate memory start one)
[[ ${parts[*]} != select ]] || parts=(separate shared)
for part in "${parts[@]}"; do
  [[ " separate tls shared rate memory start one " == *" $part "* ]] ||
    die "there is no part '$part': separate, tls, shared, rate, memory, start, one"
done
# Each client has a socket, and so has the pooler twice.
ulimit -n "$(ulimit -Hn)"

at_end() { pooler_stop; }
make_work

# ---- servers ----

table=(--tables=1 --table-size="$rows" --rand-type=uniform)
# shellcheck disable=SC2034 # arrays named after a kind of server are used by name
null=(--db-driver=null "${table[@]}")

# start_server KIND: sets the array of that name; once.
start_server() {
  declare -n where=$1
  ((${#where[@]} == 0)) || return 0
  if [[ $1 == mysql ]]; then
    private_server mysql --tls --max-connections=4200 --max-prepared-stmt-count=100000
  else
    private_server pgsql --tls --max-connections=1100
  fi
  where+=("${table[@]}")
  "$BENCH" oltp_point_select "${where[@]}" prepare >/dev/null 2>&1 || die "cannot prepare the table on $1"
}
declare -a pooled=()

# start_pooler AUTH: sets `pooled`; twenty sessions of the server, statements as
# text.
start_pooler() {
  start_server pgsql
  pooler_stop
  pooler_make
  printf '"sbpass" "%s"\n' "$(servers sql "$work/pgsql" \
    "SELECT rolpassword FROM pg_authid WHERE rolname = 'sbpass'" | tail -n 1)" >"$pooler_dir/users"
  pooler_start "auth_type = $1" "auth_file = $pooler_dir/users" 'default_pool_size = 20' \
    "max_client_conn = $((many + 100))" 'listen_backlog = 4096' || die 'no pooler'
  pooled=(--db-driver=pgsql --pgsql-host="$pooler_dir" --pgsql-port=6432 --db-ps-mode=disable "${table[@]}")
}

# ---- turns ----

# take_turns COLUMNS NAME...: each name is a function that runs one program and
# prints that many figures.  Sets figure[NAME,COLUMN] to their medians.
declare -A figure=()
take_turns() {
  local columns=$1 name i c
  shift
  for ((i = 0; i < PAIRS; i++)); do
    for name in "$@"; do
      "$name" >>"$work/of_$name" || die 'a run has failed'
    done
  done
  for name in "$@"; do
    for ((c = 1; c <= columns; c++)); do
      figure[$name,$c]=$(awk -v c="$c" '{ print $c }' "$work/of_$name" | median)
    done
    rm "$work/of_$name"
  done
}

ratio() { calc "$1 / $2" | xargs printf '%.2f'; }
row() { printf '| %s' "$1"; shift; printf ' | %s' "$@"; printf ' |\n'; }
# heading COLUMN...
heading() { row "$@"; printf '|%.0s---' "$@"; printf '|\n'; }
server_of() { [[ $1 == mysql ]] && echo MariaDB || echo PostgreSQL; }

# The CPUs of the client programs: `taskset -c N`, or nothing for all of them.
pin=()
# The threads of pgbench.
jobs=2
# bind KIND CPUS: of a server.
bind() {
  local pid
  for pid in $(servers pids "$work/$1"); do
    taskset -acp "$2" "$pid" >/dev/null
  done
}

# ours FIGURE ARGUMENT...: see clients.py, as in the next ones.
ours() {
  declare -n where=$kind
  local what=$1
  shift
  "${pin[@]}" "$figures" "$what" "$BENCH" oltp_point_select "${where[@]}" --time="$seconds" "$@" run
}
by_sysbench() {
  declare -n where=$kind
  "${pin[@]}" "$figures" "$1" "$SYSBENCH" oltp_point_select "${where[@]}" --"$kind"-user=sbtest --"$kind"-db=sbtest \
    --threads="$n" --time="$seconds" "${@:2}" run
}
# by_pgbench FIGURE ARGUMENT...
by_pgbench() {
  local what=$1
  shift
  "${pin[@]}" "$figures" "$what" "$pgbench" -n -M prepared -f "$work/select.sql" -h "$PG_SOCKET_DIR" -p "$PG_PORT" \
    -U sbtest -c "$n" -j "$jobs" -T "$seconds" "$@" sbtest
}

clients() { ours cost --threads=2 --clients="$n"; }
peer() { if [[ $kind == mysql ]]; then by_sysbench cost; else by_pgbench cost; fi; }
# ---- the parts ----

# make_script: of pgbench.
make_script() {
  printf '\\set id random(1, %d)\nSELECT c FROM sbtest1 WHERE id = :id;\n' "$rows" >"$work/select.sql"
}

even_clients() { ours even --percentile=99 --threads="$jobs" --clients="$n"; }
even_threads() { ours even --percentile=99 --threads="$n"; }
even_peer() {
  if [[ $kind == mysql ]]; then by_sysbench even --percentile=99; else by_pgbench even -l --log-prefix="$work/log"; fi
}
# next_to COMMAND...: its rate, next to a program that takes what is left of its CPU.
next_to() {
  "${pin[@]}" nice -n 19 bash -c 'while :; do :; done' &
  "$@" | awk '{ print $2 }'
  kill $! && wait $! 2>/dev/null || :
}
nice_clients() { next_to ours cost --threads="$jobs" --clients="$n"; }
nice_peer() { next_to peer; }

# compare_even NAME...: a row for each; see part_separate.
compare_even() {
  local kind n name
  make_script
  heading Server Clients Program 'µs of CPU per query' 'queries/s' 'p99, ms' 'spread, %' 'queries/s next to nice 19'
  for kind in mysql pgsql; do
    [[ $kind != pgsql || -n $pgbench ]] || die 'pgbench is not installed'
    start_server "$kind"
    ((${#pin[@]} == 0)) || bind "$kind" "$server_cpu"
    for n in ${CONNECTIONS:-64 256}; do
      figure=()
      take_turns 4 "${@/#/even_}"
      take_turns 1 nice_clients nice_peer
      take_turns 2 peer # without a log
      figure[even_peer,3]=${figure[peer,1]} figure[even_peer,4]=${figure[peer,2]}
      for name in "$@"; do
        row "$(server_of "$kind")" "$n" "$name" "$(printf '%.2f' "${figure[even_$name,3]}")" "$(printf '%.0f' "${figure[even_$name,4]}")" \
          "${figure[even_$name,2]}" "$(printf '%.1f' "${figure[even_$name,1]}")" "$(printf '%.0f' "${figure[nice_$name,1]:-0}")"
      done
    done
    bind "$kind" "0-$(($(nproc --all) - 1))"
  done
}

part_separate() {
  local server_cpu=${SERVER_CPU:-0} client_cpu=${CLIENT_CPU:-1}
  title "Server on CPU $server_cpu, client on CPU $client_cpu: prepared point selects"
  pin=(taskset -c "$client_cpu") jobs=1
  compare_even clients peer
  pin=() jobs=2
}

# by_tcp MODE: a run by TCP with one thread, encrypted or not.
by_tcp() {
  local to=(--mysql-socket= --mysql-host=127.0.0.1 --mysql-port="$MY_PORT" --mysql-ssl="$1")
  [[ $kind == mysql ]] || to=(--pgsql-host=127.0.0.1 --pgsql-sslmode="$1")
  ours cost "${to[@]}" --threads=1 --clients="$n"
}
tcp_plain() { if [[ $kind == mysql ]]; then by_tcp DISABLED; else by_tcp disable; fi; }
tcp_tls() { if [[ $kind == mysql ]]; then by_tcp REQUIRED; else by_tcp require; fi; }
tcp_peer() { PGSSLMODE=require by_pgbench cost -h 127.0.0.1; }

part_tls() {
  local server_cpu=${SERVER_CPU:-0} kind n peer
  title "By TCP, server on CPU $server_cpu, client on CPU ${CLIENT_CPU:-1}: µs of CPU per query and queries/s"
  pin=(taskset -c "${CLIENT_CPU:-1}") jobs=1
  make_script
  heading Server Clients 'plain' 'queries/s' 'TLS' 'queries/s' 'pgbench, TLS' 'queries/s'
  for kind in mysql pgsql; do
    peer=()
    [[ $kind == mysql ]] || peer=(tcp_peer)
    start_server "$kind"
    bind "$kind" "$server_cpu"
    for n in ${CONNECTIONS:-64 256}; do
      figure=()
      take_turns 2 tcp_plain tcp_tls "${peer[@]}"
      row "$(server_of "$kind")" "$n" "${figure[tcp_plain,1]}" "${figure[tcp_plain,2]}" "${figure[tcp_tls,1]}" \
        "${figure[tcp_tls,2]}" "${figure[tcp_peer,1]:--}" "${figure[tcp_peer,2]:--}"
    done
    bind "$kind" "0-$(($(nproc --all) - 1))"
  done
  pin=() jobs=2
}

part_shared() {
  title "Server and two threads of the client on the same CPUs: prepared point selects"
  compare_even clients threads peer
}

late() { ours p99 --percentile=99 --rate="$rate" "$@"; }
late_clients() { late --threads=2 --clients="$n"; }
late_threads() { late --threads="$n"; }

part_rate() {
  local kind n=256 rate most
  ((!QUICK)) || n=20
  title "99th percentile in milliseconds at half of the rate that clients reach"
  heading Server Clients 'rate per second' 'on 2 threads' 'as threads' ratio
  for kind in mysql pgsql; do
    start_server "$kind"
    most=$(clients) || die 'a run has failed'
    rate=$(awk '{ printf "%d", $2 / 2 }' <<<"$most")
    take_turns 1 late_clients late_threads
    row "$(server_of "$kind")" "$n" "$rate" "${figure[late_clients,1]}" "${figure[late_threads,1]}" \
      "$(ratio "${figure[late_clients,1]}" "${figure[late_threads,1]}")"
  done
}

# memory_of CLIENTS ARGUMENT...: KiB per client beyond the first four.
memory_of() {
  local n=$1 few all
  shift
  few=$("$figures" resident 0 "$BENCH" oltp_read_write "$@" --threads=2 --clients=4 --time=0 run) || exit 1
  all=$("$figures" resident "$few" "$BENCH" oltp_read_write "$@" --threads=2 --clients="$n" --time=0 "${more[@]}" run) || exit 1
  calc "$all / ($n - 4)" | xargs printf '%.1f'
}

part_memory() {
  local kind n name more
  printf 'Resident memory per client, oltp_read_write, KiB: %s\n' "$("$BENCH" --version)"
  heading Server Clients 'at work' idle
  for kind in null mysql pgsql pooled; do
    case $kind in
      null) n=$many name='null driver' ;;
      mysql) n=4000 name=MariaDB ;;
      pgsql) n=1000 name=PostgreSQL ;;
      pooled) n=$many name='PostgreSQL, pgbouncer, text' ;;
    esac
    ((!QUICK)) || n=100
    if [[ $kind == pooled ]]; then
      pooler_there || continue
      start_pooler any
    elif [[ $kind != null ]]; then
      start_server "$kind"
    fi
    declare -n where=$kind
    more=()
    working=$(memory_of "$n" "${where[@]}") || exit 1
    more=(--idle-clients=$((n - 4)))
    row "$name" "$n" "$working" "$(memory_of "$n" "${where[@]}")"
  done
  pooler_stop
}

start_of() {
  declare -n where=$kind
  "$figures" start "$BENCH" oltp_read_write "${where[@]}" --threads=2 --clients="$many" --time=0 \
    --idle-clients=$((many - 2)) run
}

part_start() {
  local kind
  # shellcheck disable=SC2034 # by the name in kind
  local -a scram
  local -A name=([null]='null driver' [pooled]='PostgreSQL, pgbouncer' [scram]='PostgreSQL, pgbouncer, SCRAM')
  title "Start and end of $many clients on 2 threads, oltp_read_write"
  heading Server 'start, s' 'processor time, ms' 'end, s'
  for kind in null pooled scram; do
    [[ $kind == null ]] || pooler_there || continue
    case $kind in
      pooled) start_pooler any ;;
      scram)
        start_pooler scram-sha-256
        scram=("${pooled[@]}" --pgsql-user=sbpass --pgsql-password=secret)
        ;;
    esac
    take_turns 3 start_of
    row "${name[$kind]}" \
      "$(printf '%.2f' "${figure[start_of,1]}")" "${figure[start_of,2]}" "$(printf '%.2f' "${figure[start_of,3]}")"
  done
  pooler_stop
}

one() { "$figures" cost "$1" "${test[@]}" --time="$seconds" --threads=1 "${@:2}" run; }
one_client() { one "$BENCH" --clients=1; }
one_thread() { one "$BENCH"; }
base_thread() { one "${BASE:-$BENCH}"; }

part_one() {
  local kind test
  echo 'function event() end' >"$work/empty.lua"
  title "One client on one thread: microseconds of processor time per event, and of a thread of BASE (${BASE:-the same})"
  heading Test client thread 'thread of BASE' 'ratio, client' 'ratio, thread'
  for kind in empty null mysql pgsql; do
    case $kind in
      empty) test=("$work/empty.lua" --db-driver=null) ;;
      null) test=(oltp_point_select "${null[@]}") ;;
      *)
        start_server "$kind"
        declare -n where=$kind
        test=(oltp_point_select "${where[@]}")
        ;;
    esac
    take_turns 2 one_client one_thread base_thread
    row "$([[ $kind == empty ]] && echo 'an empty event' || echo "point select, $kind")" \
      "$(printf '%.3f' "${figure[one_client,1]}")" "$(printf '%.3f' "${figure[one_thread,1]}")" \
      "$(printf '%.3f' "${figure[base_thread,1]}")" \
      "$(ratio "${figure[one_client,1]}" "${figure[base_thread,1]}")" \
      "$(ratio "${figure[one_thread,1]}" "${figure[base_thread,1]}")"
  done
}

for part in "${parts[@]}"; do
  began=$SECONDS
  "part_$part"
  printf '\n'
  echo "clients.sh: $part took $((SECONDS - began)) s" >&2
done
pooler_there || echo 'pgbouncer is not installed: what needs it was left out'
