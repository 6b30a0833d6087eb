#!/usr/bin/env bats
# find.bats - a search for the highest rate on a real server.

load ../lib/servers

setup_file() {
  start_one pgsql pg --max-connections=40
}

setup() {
  skip_if_missing
  set -a
  servers_env "$BATS_FILE_TMPDIR/pg"
  set +a
  cd "$BATS_TEST_TMPDIR" || return 1
  to=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT"
    --pgsql-user="$PG_USER" --pgsql-db="$PG_DB")
}

# search FILE OPTIONS: 5 if the machine was too busy, with the sentence that says
# so, and no number then.
search() {
  run --separate-stderr "$BENCH_BUILD/bench" fixed.lua "${to[@]}" --find=rate --slo='p90<=130ms' \
    --threads=32 --time=2 --find-confirm=1 --find-precision=40% --json="$1" run
  echo "$output $stderr"
  [[ $status = 0 && $output = *" holds up to "* ]] ||
    [[ $status = 5 && $output != *" holds up to "* &&
      $output =~ (Not stationary|The client is the limit|No answer after|was found:) ]]
}

# The statement has a fixed time, and 32 clients send it: 640/s at most, whatever
# other programs do.
@test "pgsql: two searches agree within their intervals" {
  cat >fixed.lua <<'END'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT pg_sleep(0.05)") end
END
  agree=(python3 "$BENCH_SRC/tests/cli/find_agree.py")
  for i in 1 2 3 4; do
    search $i.json
    if "${agree[@]}" 640 ?.json; then break; fi
  done
  "${agree[@]}" 640 ?.json || [[ $("${agree[@]}" 640 ?.json) = *"too few answers" ]]
  "$BENCH_BUILD/bench" report 1.json -o a.html
  grep -q Search a.html
}

@test "pgsql: the highest number of clients" {
  local to=(oltp_point_select "${to[@]}" --table-size=1000)
  "$BENCH_BUILD/bench" "${to[@]}" prepare
  # The server has room for 40 clients, three of which are for administrators.
  run --separate-stderr "$BENCH_BUILD/bench" "${to[@]}" --find=clients --threads=1 --slo='p99<=100ms' \
    --time=2 --find-confirm=1 --find-precision=20% --json=c.json run
  echo "$output $stderr"
  [[ ($status = 0 && $output = *" holds up to 35 clients "*", and 38 clients could not start."* &&
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
