#!/usr/bin/env bats
# history.bats - which isolation level the transactions of a run really have:
# what `bench verify` must find, and what it must not.

. "$BENCH_SRC/tests/db/every_kind.bash"

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
    --events="${HISTORY_EVENTS:-600}" --time=0 --history-file=h.log "$@" run >out
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

# bank_recorded STATUS KIND LEVEL: readers that ask for one account after the
# other; the run ends with this status.
bank_recorded() {
  local status=0
  aim "$2"
  "$BENCH" bank "${to[@]}" --accounts=10 --table-exists=drop prepare >/dev/null
  "$BENCH" bank "${to[@]}" --isolation="$3" --threads=8 --readers=50 --read=rows \
    --events="${HISTORY_EVENTS:-1000}" --time=0 --history-file=h.log run >out || status=$?
  ((status == $1))
  grep -E '^(History|Totals read)' out
  found=$("$BENCH" verify h.log --expect=snapshot) || true
  printf '%s\n' "$found"
}

# A wrong total is half of a transfer, and the cycle has both transactions.
bank_halves() {
  bank_recorded 1 "$1" read-committed
  finds '^G-single: '
  finds '^  The shortest cycle of 2 transactions:$'
  finds '^Verdict: not snapshot: .*G-single'
}

bank_moments() {
  bank_recorded 0 "$1" repeatable-read
  grep -q ', wrong: 0: ok$' out
  finds '^Verdict: nothing contradicts snapshot$'
}

@test "pgsql: bank, a reader sees half of a transfer, and the cycle has both" { bank_halves pgsql; }
@test "mysql: bank, a reader sees half of a transfer, and the cycle has both" { bank_halves mysql; }
@test "pgsql: bank, readers with a snapshot see one moment" { bank_moments pgsql; }
@test "mysql: bank, readers with a snapshot see one moment" { bank_moments mysql; }
