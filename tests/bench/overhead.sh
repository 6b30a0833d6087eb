#!/usr/bin/env bash
# overhead.sh - what watching costs: throughput of 64 clients with and without
# outages, --ack-log, --server-stats and --live, on MariaDB and PostgreSQL.
#
# The servers are private ones on this machine, which do not wait for the disk:
# so the client has the largest share that it can have.  Each option is compared
# with the run without it just before or after; the two take turns in being the
# first.  The machine must be quiet, and PAIRS large: pairs differ by some percent,
# as the row of "the same" shows, and in brackets is where the median lies with a
# probability of 95 %.  The keys are uniform, because throughput with hot rows is
# that of their locks: on PostgreSQL it differed by a factor of four between equal
# runs.
#
# What is as small as the difference between two equal runs can be seen in two
# other ways: what costs time in each second, by the processor time of the program
# and of its server at a low rate; what costs time in each event, by instructions.
#
# TIME [2] is the seconds of each run, CLIENTS [64] their clients, KINDS
# [mysql pgsql] the servers; IDLE_TIME [6] and RATE [50] are of the runs at a low
# rate.
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

TIME=${TIME:-2} CLIENTS=${CLIENTS:-64} KINDS=${KINDS:-mysql pgsql}
IDLE_TIME=${IDLE_TIME:-6} RATE=${RATE:-50}
make_work

quietly() {
  "$@" >"$work/out" 2>&1 || die "failed: $*
$(cat "$work/out")"
}

# around: the median of the numbers on standard input, and where it lies.
around() {
  sort -g | awk '{ x[NR] = $1 }
    END { k = int((NR - 1.96 * sqrt(NR)) / 2); if (k < 1) k = 1
          m = int((NR + 1) / 2)
          printf "%8.4f (%.4f to %.4f)\n", NR % 2 ? x[m] : (x[m] + x[m + 1]) / 2,
                 x[k], x[NR - k + 1] }'
}

# ratio NAME TEST OPTION BASE: the rate with an option, of that with another.
ratio() {
  local name=$1 test=$2 option=$3 base=$4 i with without all=''
  for ((i = 0; i < PAIRS; i++)); do
    ((i % 2)) || without=$(rate "$BENCH" "$test" "${to[@]}" "${load[@]}" "$base" run) || exit 1
    with=$(rate "$BENCH" "$test" "${to[@]}" "${load[@]}" "$option" run) || exit 1
    ((i % 2 == 0)) || without=$(rate "$BENCH" "$test" "${to[@]}" "${load[@]}" "$base" run) || exit 1
    all+=$(calc "$with / $without")$'\n'
  done
  printf '%-8s %-16s %-18s %8.1f/s %s\n' "$kind" "$test" "$name" "$without" \
    "$(around <<<"${all%$'\n'}")"
}

# ticks PID...: of the processor, used so far by those and by their ended children.
ticks() {
  local pid
  for pid; do
    cat "/proc/$pid/stat" 2>/dev/null || :
  done | sed 's/.*) //' | awk '{ sum += $12 + $13 + $14 + $15 } END { print sum + 0 }'
}

# busy TEST OPTION: milliseconds of the processor in each second, of the program
# and its server, at a rate that leaves nearly all of it idle.
busy() {
  local pids before own
  pids=$(servers pids "$work/$kind")
  # shellcheck disable=SC2086 # words are what is wanted
  before=$(ticks $pids)
  TIMEFORMAT='%3U %3S'
  own=$({ time quietly "$BENCH" "$1" "${to[@]}" --threads="$CLIENTS" --rate="$RATE" \
    --time="$IDLE_TIME" "$2" run; } 2>&1) || die "$own"
  # shellcheck disable=SC2086 # words are what is wanted
  awk -v own="$own" -v ticks="$(($(ticks $pids) - before))" -v hz="$(getconf CLK_TCK)" \
    -v time="$IDLE_TIME" \
    'BEGIN { split(own, o, " "); print 1000 * (o[1] + o[2] + ticks / hz) / time }'
}

# added NAME TEST OPTION BASE: milliseconds that an option adds.
added() {
  local name=$1 test=$2 option=$3 base=$4 i with without all='' alone=''
  for ((i = 0; i < PAIRS; i++)); do
    ((i % 2)) || without=$(busy "$test" "$base") || exit 1
    with=$(busy "$test" "$option") || exit 1
    ((i % 2 == 0)) || without=$(busy "$test" "$base") || exit 1
    all+=$(calc "$with - $without")$'\n' alone+=$without$'\n'
  done
  printf '%-8s %-16s %-18s %8.1f ms/s %s\n' "$kind" "$test" "$name" \
    "$(median <<<"${alone%$'\n'}")" "$(around <<<"${all%$'\n'}")"
}

# per_event NAME TEST OPTION BASE: of events beyond the first thousand.
per_event() {
  local few many way
  local -a n=()
  for way in "$4" "$3"; do
    few=$(instructions "$BENCH" "$2" --db-driver=null --threads=1 --events=1000 --time=0 "$way" run) || exit 1
    many=$(instructions "$BENCH" "$2" --db-driver=null --threads=1 --events=11000 --time=0 "$way" run) || exit 1
    n+=("$(calc "($many - $few) / 10000")")
  done
  printf '%-16s %-10s %10.0f without %10.0f with\n' "$2" "$1" "${n[@]}"
}

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export BENCH_DATADIR=${BENCH_DATADIR:-$here/../../src/lua/scripts}
keys=(--table-size=400000 --rand-type=uniform)
for kind in $KINDS; do
  private_server "$kind"
  declare -n to=$kind
  quietly "$BENCH" oltp_write_only "${to[@]}" --table-size=400000 prepare
  quietly "$BENCH" ack "${to[@]}" prepare
  title "throughput with it, of that without; $CLIENTS clients"
  load=(--threads="$CLIENTS" --time="$TIME" --warmup-time=1 "${keys[@]}")
  ratio 'the same' oltp_write_only --stall=0 --stall=0
  ratio outages oltp_write_only --stall=0.1 --stall=0
  ratio --server-stats=on oltp_write_only --server-stats=on --server-stats=off
  ratio --live oltp_write_only --live="$port" --server-stats=off
  load=(--threads="$CLIENTS" --time="$TIME" --warmup-time=1)
  ratio --ack-log ack --ack-log="$work/log" --server-stats=off
  title "processor time without it, and what it adds (ms/s); $CLIENTS clients, rate $RATE"
  added 'the same' oltp_point_select --server-stats=off --server-stats=off
  added --server-stats=on oltp_point_select --server-stats=on --server-stats=off
  added --live oltp_point_select --live="$port" --server-stats=off
  servers stop "$work/$kind"
done
if command -v valgrind >/dev/null; then
  printf 'instructions of the client per event, statements answered at once\n'
  per_event outages oltp_write_only --stall=0.1 --stall=0
  per_event --ack-log ack --ack-log="$work/log" --stall=0.1
fi
