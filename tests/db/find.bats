#!/usr/bin/env bats
# find.bats - a search for the highest rate on a real server.

load missing

setup_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  [[ -x $BENCH_BUILD/tests/db/pgsql_driver ]] || { missing "built without pgsql"; return 0; }
  servers has pgsql || { missing "no pgsql server is installed"; return 0; }
  servers start pgsql "$BATS_FILE_TMPDIR/pg"
}

setup() {
  skip_if_missing
  . "$BENCH_SRC/tests/db/servers.sh"
  set -a
  servers_env "$BATS_FILE_TMPDIR/pg"
  set +a
  cd "$BATS_TEST_TMPDIR" || return 1
  to=(oltp_point_select --db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT"
    --pgsql-user="$PG_USER" --pgsql-db="$PG_DB" --table-size=1000)
}

teardown_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  [[ ! -e $BATS_FILE_TMPDIR/pg/state ]] || servers stop "$BATS_FILE_TMPDIR/pg"
}

# search FILE: 5 if the machine was too busy, and no number then.
search() {
  run --separate-stderr "$BENCH_BUILD/bench" "${to[@]}" --threads=4 --find=rate --slo='p99<=100ms' \
    --time=2 --confirm=1 --find-precision=20% --json="$1" run
  echo "$output $stderr"
  [[ $status = 0 && $output = *" holds up to "* ]] ||
    [[ $status = 5 && $output != *" holds up to "* ]]
}

@test "pgsql: two searches agree" {
  "$BENCH_BUILD/bench" "${to[@]}" prepare
  search a.json
  search b.json
  python3 -c '
import json
a, b = (json.load(open(f))["sweep"]["search"] for f in ("a.json", "b.json"))
print(a["low"], a["high"], b["low"], b["high"])
for s in a, b:
    assert (s["low"] is not None) == (s["end"] == "found"), s["end"]
# On a machine that does other things, too, they differ by more than the precision.
assert a["low"] is None or b["low"] is None or 0.2 < a["low"] / b["low"] < 5'
  "$BENCH_BUILD/bench" report a.json -o a.html
  grep -q Search a.html
}
