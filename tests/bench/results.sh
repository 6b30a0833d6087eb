#!/usr/bin/env bash
# results.sh - what results for machines cost: an empty event with and without
# --json and --event-log, a statement with and without its class.
#
# The variants take turns, and each is compared with the run without results of
# the same turn.  Times depend on the machine and what else it does;
# instructions (counted by callgrind where valgrind is installed) do not.
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

TIME=${TIME:-2} # seconds of each run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A direct statement, each time with another literal; the texts are made before.
cat >"$work/query.lua" <<'LUA'
local texts, at = {}, 0
for i = 1, 1024 do
   texts[i] = ("SELECT c FROM sbtest1 WHERE id=%d"):format(i * 7919 % 100000 + 1)
end
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   at = at % 1024 + 1
   con:query(texts[at])
end
LUA

# The variants: what they are called, and their arguments.
names=(off '--json' '--report-classes' '--json, statements' '--event-log')
arguments() {
  case $1 in
  0) ;;
  1) echo --json="$work/json" ;;
  2) echo --report-classes ;;
  3) echo --json="$work/json" --report-classes ;;
  4) echo --event-log=/dev/null ;;
  esac
}

# ns COMMAND...: of one event of one thread.
ns() {
  local per_s
  per_s=$(rate "$@") || exit 1
  calc "1e9 / $per_s"
}

# turns VARIANTS COMMAND...: sets cost[v], the median of ns, and more[v], that of
# what it is more than without.
turns() {
  local variants=$1 i v now off
  local -A all=() extra=()
  shift
  for ((i = 0; i < PAIRS; i++)); do
    for v in $variants; do
      # shellcheck disable=SC2046 # words are what is wanted
      now=$(ns "$@" $(arguments "$v") --time="$TIME" run) || exit 1
      ((v > 0)) || off=$now
      all[$v]+=$now$'\n'
      extra[$v]+=$(calc "$now - $off")$'\n'
    done
  done
  for v in $variants; do
    cost[$v]=$(median <<<"${all[$v]%$'\n'}")
    more[$v]=$(median <<<"${extra[$v]%$'\n'}")
  done
}

# What ends a run after so many events; the last value of an option counts.
limit() {
  if [[ $2 == memory ]]; then
    echo --memory-total-size="$((8 * $1))"
  else
    echo --events="$1"
  fi
}

# per_event COMMAND...: the difference between two runs has no start and no end
# in it; a long interval keeps reports out, too.
per_event() {
  local few many
  few=$(instructions "$@" "$(limit 50000 "$2")" --report-interval=3600 --time=0 run) || exit 1
  many=$(instructions "$@" "$(limit 150000 "$2")" --report-interval=3600 --time=0 run) || exit 1
  calc "($many - $few) / 100000"
}

# table VARIANTS COMMAND...
table() {
  local variants=$1 v instr=-
  local -A cost=() more=()
  turns "$@"
  shift
  printf '%-20s %10s %12s %8s %12s\n' results 'ns/event' 'more, ns' '%' instr.
  for v in $variants; do
    if command -v valgrind >/dev/null; then
      # shellcheck disable=SC2046
      instr=$(per_event "$@" $(arguments "$v"))
    fi
    printf '%-20s %10.2f %12.2f %8.2f %12s\n' "${names[v]}" "${cost[$v]}" \
      "${more[$v]}" "$(calc "100 * ${more[$v]} / ${cost[0]}")" "$instr"
  done
}

title 'empty event (memory, no operation); the log has a thread of its own'
table '0 1 4' "$BENCH" memory --memory-oper=none --memory-block-size=8 --memory-total-size=100T
title 'empty Lua event'
printf 'function event() end\n' >"$work/empty.lua"
table '0 1 4' "$BENCH" "$work/empty.lua"
title 'one statement per event, answered at once'
table '0 1 2 3 4' "$BENCH" "$work/query.lua" --db-driver=null
