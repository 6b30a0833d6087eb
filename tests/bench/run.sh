#!/usr/bin/env bash
# run.sh - everything that tests/bench measures, one script after the other, as
# one Markdown page: each figure beside those of installed peers.
#
# usage: tests/bench/run.sh [table | SCRIPT...]     table, the default: all of them
#
# BENCH    the program to measure, else build/bench of this checkout
# QUICK=1  less than three minutes, to see that all of it works: no figures
#
# What is not installed is named, and what depends on it left out.  Ends with
# status 1 if a script failed.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
export BENCH=${BENCH:-$here/../../build/bench}
export BENCH_DATADIR=${BENCH_DATADIR:-$here/../../src/lua/scripts}
export QUICK=${QUICK:-0}
[[ -x $BENCH ]] || {
  echo "run.sh: there is no program '$BENCH': set BENCH" >&2
  exit 1
}
if ((QUICK)); then
  export ROWS=5000 SECONDS_EACH=1 THREADS=4 ROUNDS=1 RUNTIME=1
  export WORKLOADS=oltp_point_select CONNECTIONS=20 MANY=
  export CASES='sync .*rndrd|io_uring.*rndrd'
fi
status=0

# version PROGRAM: its first line; what is missing is told.
version() {
  if command -v "$1" >/dev/null; then
    "$1" --version 2>&1 | head -n 1
  else
    echo "$1: not installed"
  fi
}

about() {
  local name
  echo "# bench beside others"
  echo
  echo "- $(date -u '+%Y-%m-%d %H:%M UTC'), load average $(cut -d' ' -f1-3 /proc/loadavg)"
  echo "- $(nproc) processors, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), Linux $(uname -r)"
  for name in "$BENCH" sysbench fio pgbench mariadbd postgres valgrind; do
    echo "- $(version "$name")"
  done
  ((QUICK)) && echo "- QUICK: single short runs; these are no figures"
  return 0
}

# part SCRIPT [ARGUMENT...]: its table.
part() {
  local out script=$1 began=$SECONDS
  shift
  printf '\n## %s\n\n```\n' "${script%.sh}"
  if out=$("$here/$script" "$@" 2>&1); then
    printf '%s\n```\n' "$out"
  else
    printf '%s\n```\n\n**%s failed or cannot run here.**\n' "$out" "$script"
    status=1
  fi
  echo "run.sh: $script took $((SECONDS - began)) s" >&2
}

scripts=("$@")
[[ $* != table && $* != '' ]] || scripts=(cpu.sh kernels.sh empty_event.sh contention.sh clients.sh memory.sh memory_bandwidth.sh memory_latency.sh
  threads_memory.sh workloads.sh results.sh fileio.sh instructions.sh wire.sh
  pgbench.sh load.sh)
about
for script in "${scripts[@]}"; do
  case $script in
    fileio.sh) part "$script" "$BENCH" ;;
    *) part "$script" ;;
  esac
done
exit "$status"
