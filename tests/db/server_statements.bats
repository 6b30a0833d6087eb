#!/usr/bin/env bats
# server_statements.bats - what a server counts of each statement: only what a
# run has added, and what is said where nothing can be read.

load ../lib/servers

setup_file() {
  if servers has pgsql && [[ -x $BENCH_BUILD/tests/db/pgsql_driver ]]; then
    servers start pgsql "$BATS_FILE_TMPDIR/pg"
    if [[ $(servers sql "$BATS_FILE_TMPDIR/pg" "SELECT COUNT(*) FROM pg_available_extensions WHERE name = 'pg_stat_statements'") = 1 ]]; then
      servers sql "$BATS_FILE_TMPDIR/pg" "ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'"
      servers restart "$BATS_FILE_TMPDIR/pg"
      servers sql "$BATS_FILE_TMPDIR/pg" 'CREATE SCHEMA "a B"; CREATE EXTENSION pg_stat_statements SCHEMA "a B"; GRANT USAGE ON SCHEMA "a B" TO sbtest'
    else
      servers stop "$BATS_FILE_TMPDIR/pg"
    fi
  fi
  if servers has mysql && [[ -x $BENCH_BUILD/tests/db/mysql_types ]]; then
    servers start mysql "$BATS_FILE_TMPDIR/my" --set=performance_schema=ON --set=performance_schema_digests_size=1000
    servers sql "$BATS_FILE_TMPDIR/my" "CREATE USER watcher@'%'; GRANT PROCESS ON *.* TO watcher@'%'; GRANT SELECT ON performance_schema.* TO watcher@'%'; GRANT ALL ON sbtest.* TO watcher@'%'"
  fi
}

# to pg|my: the options of that server in `to`; skips if it is not there.
to() {
  reach "$1" "such server that counts statements" || return 1
  case $1 in
    pg) to=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT" --pgsql-user="$PG_USER" --pgsql-db="$PG_DB") ;;
    my) to=(--db-driver=mysql --mysql-socket="$MY_SOCKET" --mysql-user="$MY_USER" --mysql-db="$MY_DB" --db-ps-mode=disable) ;;
  esac
}

# script QUOTE [PREPARED]: a statement with a value, a line end, and what a
# terminal and a browser would act on.
script() {
  cat >s.lua <<LUA
function thread_init()
  con = sysbench.sql.driver():connect()
  text = "SELECT 4711 AS ${1}x\27[31m<b>${1},\n  2"
  prepared = "${2-}" ~= "" and con:prepare(text)
end
function event()
  if prepared then prepared:execute() else con:query(text) end
end
LUA
}

# counted OPTION...: a run of the script that was read twice at least; its
# document is r.json, its text out.  A server that answers too slowly when the
# run ends has no statements, and says so: then there is another run.
counted() {
  local run_pid
  for _ in {1..20}; do
    rm -f s.jsonl
    "$BENCH_BUILD/bench" s.lua "${to[@]}" --threads=1 --time=300 --report-interval=1 --stream=s.jsonl --json=r.json "$@" run >out 2>&1 3>&- &
    run_pid=$!
    until grep -qE '"known": ?true' s.jsonl 2>/dev/null; do
      kill -0 "$run_pid"
      sleep 0.05
    done
    kill -INT "$run_pid"
    wait "$run_pid" || :
    grep -q 'the server answers too slowly' r.json || return 0
  done
  false
}

# check CODE: `doc` is the document, `top` the statements of its only server.
check() {
  python3 -c '
import json
doc = json.load(open("r.json"))
server, = doc["servers"]
top = server.get("statements", {}).get("top")
gaps = [g["figures"] for g in server["not_read"]]
print(top, server["not_read"])
'"$1"
}

# added SQL: the statement is there, with no more calls than the server's number,
# which SQL asks for, has grown by.
added() {
  local before after
  "$BENCH_BUILD/bench" s.lua "${to[@]}" --threads=1 --events=10 --time=0 run >/dev/null
  before=$(servers sql "$server" "$1")
  counted "${@:2}"
  after=$(servers sql "$server" "$1")
  check '
one, = [s for s in top if "<b>" in s["text"]]
print("before '"$before"', after '"$after"'")
assert 10 <= '"$before"', "counted before"
assert 0 < one["calls"] <= '"$after - $before"' and one["time_ns"] > 0, one
assert one["rows"] == one["calls"], one
assert "4711" not in one["text"] and "\n" not in one["text"], one
assert server["statements"]["period_s"] > 0
assert [s["time_ns"] for s in top] == sorted((s["time_ns"] for s in top), reverse=True)
assert not [s for s in top if "pg_stat_" in s["text"] or "_schema`" in s["text"]]'
  python3 "$BENCH_SRC/tests/cli/results_check.py" "$BENCH_SRC/share/schema/bench-1.schema.json" r.json
}

in_pgsql="SELECT COALESCE(SUM(calls), 0) FROM \"a B\".pg_stat_statements WHERE query LIKE '%<b>%'"
in_mysql="SELECT COALESCE(SUM(COUNT_STAR), 0) FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST_TEXT LIKE '%<b>%'"

@test "pgsql: statements have what the run has added; those of others are a gap" {
  to pg
  script '\"'
  added "$in_pgsql" --server-stats=on
  check '
assert gaps.count("statements of other users") == 1, gaps'
  grep -q '^Server:' out
  ! grep -qE 'statements that took|not read: statements' out # not asked for
}

@test "mysql: statements have what the run has added, and are shown as text" {
  to my
  script '`'
  added "$in_mysql" --server-user=watcher --server-statements=1
  cat out
  check 'assert gaps == []'
  [[ $(grep -cF 'statements that cost the server most time' out) = 1 ]]
  [[ $(grep -cE '^ +[0-9.]+ +[0-9]+ +[0-9.]+ +1\.0  SELECT \? AS `x\\x1b\[31m<b>`' out) = 1 ]]
  [[ $(grep -c $'\x1b' out) = 0 ]]
  "$BENCH_BUILD/bench" report r.json -o r.html
  grep -q 'Top statements (server)' r.html
  grep -q '&lt;b&gt;' r.html
  ! grep -q '<b>' r.html
}

@test "mysql: prepared statements are counted, on MariaDB all together" {
  to my
  script '`' prepared
  to+=(--db-ps-mode=auto)
  counted --server-user=watcher
  case $(servers sql "$server" 'SELECT VERSION()') in
    *MariaDB*) check '
one, = [s for s in top if s["id"] == "0"]
assert one["calls"] > 0 and one["text"].startswith("(all prepared statements"), one' ;;
    *) check '
one, = [s for s in top if "<b>" in s["text"]]
assert one["calls"] > 0' ;;
  esac
}

@test "mysql: what the server has no room for is a row; names that end in _schema are those of users" {
  to my
  cat >s.lua <<'LUA'
function ask(i) con:query(string.format("SELECT 1 AS `c%d_schema`", i)) end
function thread_init()
  con = sysbench.sql.driver():connect()
  n = 0
  for i = 0, 2999 do ask(i) end -- more than the server has room for
end
function event()
  ask(n % 2 * 3000 + n)
  n = (n + 1) % 3000
end
LUA
  counted --server-user=watcher
  check '
full, = [s for s in top if s["id"] == "1"]
assert full["calls"] > 0 and full["text"].startswith("(statements of all databases that"), full
assert [s for s in top if s["text"].endswith("_schema`")], "those of a user are left out"
assert not [s for s in top if "performance_schema`" in s["text"]]'
}

@test "mysql: statements that a user must not read are named once, if asked for" {
  to my
  script '`'
  counted --server-statements=5
  check '
assert top is None and gaps.count("statements") == 1, gaps
assert "denied" in [g["reason"] for g in server["not_read"] if g["figures"] == "statements"][0]'
  [[ $(grep -c 'not read: statements (' out) = 1 ]]
}

@test "doctor: nothing is missing where the server counts statements; PostgreSQL without the extension" {
  local kind
  for kind in my pg; do
    to "$kind"
    run "$BENCH_BUILD/bench" doctor oltp_read_only "${to[@]}"
    [[ $output = *durability* && $output != *"statements of the server will be missing"* ]]
  done
  to pg
  servers sql "$BATS_FILE_TMPDIR/pg" 'DROP EXTENSION pg_stat_statements'
  run "$BENCH_BUILD/bench" doctor oltp_read_only "${to[@]}"
  servers sql "$BATS_FILE_TMPDIR/pg" 'CREATE EXTENSION pg_stat_statements SCHEMA "a B"'
  grep -Eq '^warn +statistics +statements of the server will be missing, since this database has no extension pg_stat_statements; CREATE EXTENSION pg_stat_statements$' <<<"$output"
}
