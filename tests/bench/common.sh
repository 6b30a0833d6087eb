# shellcheck shell=bash disable=SC2034 # variables are for those who source it
# common.sh - what the measuring scripts share; they source it.
#
# BENCH      the program to measure, else build/bench of this checkout
# SYSBENCH   what to compare it with, else the installed sysbench 1.0.20
# PAIRS      how many pairs of runs, at least 5: the programs take turns, so
#            that what happens on the machine meanwhile happens to both
# QUICK      1: one pair will do, to see that the scripts work; no figures

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BENCH=${BENCH:-$here/../../build/bench}
SYSBENCH=${SYSBENCH:-sysbench}
QUICK=${QUICK:-0}
((QUICK)) && PAIRS=${PAIRS:-1} || PAIRS=${PAIRS:-5}

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

[[ -x $BENCH ]] || die "there is no program '$BENCH': set BENCH"
((PAIRS >= (QUICK ? 1 : 5))) || die 'PAIRS is at least 5'
command -v "$SYSBENCH" >/dev/null ||
  die "there is no '$SYSBENCH' to compare with: set SYSBENCH"
[[ $("$SYSBENCH" --version) == 'sysbench 1.0.20'* ]] ||
  die "'$SYSBENCH' is not sysbench 1.0.20"

# The median of the numbers on standard input.
median() {
  sort -g | awk '{ x[NR] = $1 }
    END { m = int((NR + 1) / 2)
          print NR % 2 ? x[m] : (x[m] + x[m + 1]) / 2 }'
}

# per_second OUTPUT: events per second, from any report of 1.0.
per_second() {
  awk '/^ *events per second:/ { rate = $NF }
    /^Total operations:/ { gsub(/[()]/, ""); rate = $4 }
    /^ *total time:/ { sub(/s$/, "", $NF); seconds = $NF }
    /^ *total number of events:/ { events = $NF }
    END { if (rate == "" && seconds > 0) rate = events / seconds
          if (rate == "") exit 1
          print rate }' <<<"$1"
}

# rate PROGRAM ARGUMENT...: one run, its events per second.
rate() {
  local out
  out=$("$@" 2>&1) || die "failed: $*
$out"
  per_second "$out" || die "no rate in the report of: $*
$out"
}

# both ARGUMENT...: sets ours and theirs to the medians of rates.
both() {
  local i a='' b=''
  for ((i = 0; i < PAIRS; i++)); do
    a+=$(rate "$BENCH" "$@")$'\n' || exit 1
    b+=$(rate "$SYSBENCH" "$@")$'\n' || exit 1
  done
  ours=$(median <<<"${a%$'\n'}")
  theirs=$(median <<<"${b%$'\n'}")
}

# instructions COMMAND...: of the program, without the kernel's, in the whole run.
instructions() {
  local said
  said=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1) ||
    die "failed under valgrind: $*
$said"
  awk '/ Collected : [0-9]+$/ { n = $NF } END { if (n == "") exit 1; print n }' \
    <<<"$said" || die "valgrind has counted nothing: $*
$said"
}

# calc EXPRESSION: what awk makes of it.
calc() {
  awk "BEGIN { printf \"%.6g\", $1 }"
}

# The first line of each table.
title() {
  printf '%s: medians of %d interleaved pairs, %s\n' "$1" "$PAIRS" \
    "$("$BENCH" --version)"
}

# settled PID: resident KiB once they stand still.  Threads that have just
# started are still on the way to where they wait.
settled() {
  local i now last=''
  for ((i = 0; i < 50; i++)); do
    now=$(awk '/^VmRSS:/ { print $2 }' "/proc/$1/status")
    [[ $now != "$last" ]] || break
    last=$now
    sleep 0.2
  done
  printf '%s\n' "$now"
}

find_pgbench() {
  command -v pgbench || find /usr/lib/postgresql -name pgbench 2>/dev/null | tail -n 1
}

# ---- private servers, for scripts that call make_work first ----

# shellcheck source=tests/db/servers.sh
. "$here/../db/servers.sh"

# make_work: sets `work`, a folder that goes at the end, with the servers in it, after
# at_end, if the script has such a function.
make_work() {
  work=$(mktemp -d)
  trap end_work EXIT
}
end_work() {
  local kind
  ! declare -F at_end >/dev/null || at_end
  for kind in mysql pgsql; do
    servers stop "$work/$kind" >/dev/null 2>&1 || :
  done
  rm -rf "$work"
}

# private_server KIND [FLAG...]: in $work/KIND.  Sets what servers_env() does, and the
# array of this name: bench's options for it.
declare -a mysql=() pgsql=()
private_server() {
  servers start "$1" "$work/$1" "${@:2}" >/dev/null
  servers_env "$work/$1"
  case $1 in
    mysql) mysql=(--db-driver=mysql --mysql-socket="$MY_SOCKET") ;;
    pgsql) pgsql=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT") ;;
  esac
}
