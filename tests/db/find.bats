#!/usr/bin/env bats
# find.bats - a search for the highest rate on a real server.

load missing

setup_file() {
  . "$BENCH_SRC/tests/db/servers.sh"
  [[ -x $BENCH_BUILD/tests/db/pgsql_driver ]] || { missing "built without pgsql"; return 0; }
  servers has pgsql || { missing "no pgsql server is installed"; return 0; }
  servers start pgsql "$BATS_FILE_TMPDIR/pg" --max-connections=40
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

# search FILE WHAT OPTIONS: 5 if the machine was too busy, with the sentence that
# says so, and no number then.
search() {
  run --separate-stderr "$BENCH_BUILD/bench" "${to[@]}" --find="$2" --slo='p99<=100ms' \
    --time=2 --confirm=1 --find-precision=20% --json="$1" "${@:3}" run
  echo "$output $stderr"
  [[ $status = 0 && $output = *" holds up to "* ]] ||
    [[ $status = 5 && $output != *" holds up to "* &&
      $output =~ (Not stationary|The client is the limit|No answer after|was found:) ]]
}

# Two of the searches have intervals that overlap: from what held to what failed.
# If not, the server was not the same: their closed loops differ by more than the
# 10 % that end a search as not stationary.
@test "pgsql: two searches agree within their intervals" {
  "$BENCH_BUILD/bench" "${to[@]}" prepare
  for i in 1 2 3; do
    search $i.json rate --threads=4
  done
  python3 -c '
import itertools, json
of = [json.load(open(f"{i}.json"))["sweep"]["search"] for i in (1, 2, 3)]
for s in of:
    print(s["end"], s["low"], s["high"], s["undecided"], s["steps"][0]["events_per_s"])
    assert (s["low"] is not None) == (s["end"] == "found"), s["end"]
    assert s["high"] is None or s["low"] < s["high"]
found = [s for s in of if s["low"]]
def end(s):
    return s["high"] or s["undecided"] or float("inf")
def ceiling(s):
    return s["steps"][0]["events_per_s"]
def agree(a, b):
    return (max(a["low"], b["low"]) <= min(end(a), end(b))
        or abs(ceiling(a) / ceiling(b) - 1) > 0.1)
assert len(found) < 2 or any(agree(*pair) for pair in itertools.combinations(found, 2))'
  "$BENCH_BUILD/bench" report 1.json -o a.html
  grep -q Search a.html
}

@test "pgsql: the highest number of clients" {
  "$BENCH_BUILD/bench" "${to[@]}" cleanup
  "$BENCH_BUILD/bench" "${to[@]}" prepare
  # The server has room for 40 clients, three of which are for administrators.
  run --separate-stderr "$BENCH_BUILD/bench" "${to[@]}" --find=clients --threads=1 --slo='p99<=100ms' \
    --time=2 --confirm=1 --find-precision=20% --json=c.json run
  echo "$output $stderr"
  [[ ($status = 0 && $output = *" holds up to 37 clients "*", and 38 clients could not start."* &&
    $stderr = *"max_connections = 40"* && $stderr = *"remaining connection slots"*) ||
    ($status = 0 && $output = *" holds up to "*", and fails at "*) ||
    ($status = 5 && $output =~ (Not stationary|The client is the limit|No answer after|was found:)) ]]
  python3 -c '
import json
d = json.load(open("c.json"))
s = d["sweep"]["search"]
assert s["find"] == "clients" and s["steps"][0]["value"] == 1
run = [x for x in d["steps"] if x["exit_status"] in (0, 4)]
assert run and all(x["result"]["run"]["clients"] == int(x["values"]["clients"]) for x in run)'
}
