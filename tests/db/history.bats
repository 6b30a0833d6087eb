#!/usr/bin/env bats
# history.bats - which isolation level the transactions of a run really have:
# what `bench verify` must find, and what it must not.

setup_file() {
  . "$BENCH_SRC/tests/db/every_kind.bash"
  start_kinds
}

teardown_file() {
  . "$BENCH_SRC/tests/db/every_kind.bash"
  stop_kinds
}

setup() {
  . "$BENCH_SRC/tests/db/every_kind.bash"
  cd "$BATS_TEST_TMPDIR" || return 1
}

# recorded KIND WORKLOAD LEVEL ARG...: a run at this level; `found` has what
# verify says.
recorded() {
  local workload=$2 level=$3
  aim "$1"
  shift 3
  export LUA_PATH="$BENCH_SRC/src/lua/scripts/?.lua;;"
  "$BENCH" "$workload" "${to[@]}" cleanup >/dev/null
  "$BENCH" "$workload" "${to[@]}" prepare >/dev/null
  "$BENCH" "$workload" "${to[@]}" --isolation="$level" --threads=8 \
    --events="${HISTORY_EVENTS:-600}" --time=0 --history=h.log "$@" run >out
  grep '^History ' out
  found=$("$BENCH" verify h.log) || true
  printf '%s\n' "$found"
}

# finds PATTERN / misses PATTERN: a line of the report.
finds() { grep -Eq -- "$1" <<<"$found"; }
misses() { ! finds "$1"; }

@test "pgsql: read committed loses updates, with the shortest cycle" {
  recorded pgsql append read-committed --method=read_write --keys=3 --operations=1 --readers=10
  finds '^lost-update: '
  finds '^  The shortest cycle of 2 transactions:$'
  finds '^Verdict: not serializable: .*lost-update'
}

@test "mysql: read committed loses updates, with the shortest cycle" {
  recorded mysql append read-committed --method=read_write --keys=3 --operations=1 --readers=10
  finds '^lost-update: '
  finds '^  The shortest cycle of 2 transactions:$'
  finds '^Verdict: not serializable: .*lost-update'
}

@test "pgsql: serializable has no anomaly" {
  recorded pgsql append serializable --method=read_write --keys=3 --operations=1 --readers=10
  finds '^Verdict: nothing contradicts serializable$'
}

@test "mysql: serializable has no anomaly" {
  recorded mysql append serializable --method=read_write --keys=3 --operations=1 --readers=10
  finds '^Verdict: nothing contradicts serializable$'
}

@test "pgsql: snapshots have write skew, and lose no updates" {
  recorded pgsql register repeatable-read --keys=3
  finds '^G2-item: '
  misses '^(lost-update|G-single|G-nonadjacent): '
  "$BENCH" verify h.log --expect=snapshot | grep -qx 'Verdict: nothing contradicts snapshot'
}
