#!/usr/bin/env bats
# mix.bats - mixes on real servers: members with tables, deadlocks and rates of
# their own.

. "$BENCH_SRC/tests/db/every_kind.bash"

setup_file() {
  mysql_flags=(--max-connections=200)
  pgsql_flags=(--max-connections=100 --set=deadlock_timeout=10ms)
  start_kinds
}

# bench ARG...: has to succeed.
bench() {
  "$BENCH" "$@" >out 2>err || {
    echo "status $?: $*"
    cat out err
    return 1
  }
}

# holds EXPRESSION: of the results `d`, in Python; m is the list of members.
holds() {
  python3 -c '
import json, sys
d = json.load(open("m.json"))
m = {k["name"]: k for k in d["members"]}
sys.exit(0 if eval(sys.argv[1], {"d": d, "m": m}) else repr(d["members"])[:2000])' "$1"
}

# Two scripts and a file of SQL; `locks` deadlocks with itself.
members() {
  where "$1"
  shift
  cat >locks.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE locks (id INT PRIMARY KEY, n INT)")
   con:query("INSERT INTO locks VALUES (1, 0), (2, 0)")
end
function cleanup()
   sysbench.sql.driver():connect():query("DROP TABLE locks")
end
function thread_init(id)
   con = sysbench.sql.driver():connect()
   done = 0
end
function event(id)
   local first = 1 + id % 2
   con:query("BEGIN")
   con:query("UPDATE locks SET n = n + 1 WHERE id = " .. first)
   con:query("UPDATE locks SET n = n + 1 WHERE id = " .. 3 - first)
   con:query("COMMIT")
   done = done + 1
end
function thread_done(id)
   print("committed " .. done)
end
LUA
  echo 'SELECT SUM(n) AS total FROM locks;' >sum.sql
  bench --mix=./locks.lua,oltp_read_only,./sum.sql "${at[@]}" --table-size=200 prepare
  grep -q "^sum: skipped, it has no command 'prepare'" out
  for way in "$@"; do
    # shellcheck disable=SC2086 # several options
    bench --mix=./locks.lua:4,oltp_read_only:2,./sum.sql:2:rate=50 "${at[@]}" \
      --table-size=200 $way --time=3 --json=m.json run
    holds 'm["locks"]["errors"] > 0 and m["locks"]["events"] > 0'
    holds 'm["oltp_read_only"]["errors"] == 0 == m["sum"]["errors"]'
    holds 'm["locks"]["errors"] == d["totals"]["errors"]'
    holds '0 < m["sum"]["events"] < 230' # 150 are due; twelve deviations are 147
    holds 'sum(k["events"] for k in m.values()) == d["totals"]["events"]'
    # an event that was restarted was done once, by its own script
    committed=$(awk '/^committed/ { n += $2 } END { print n }' out)
    total=$((${total:-0} + committed))
    holds "m['locks']['events'] == $committed"
    bench ./sum.sql "${at[@]}" --time=0 --events=1 run
  done
  cat >total.lua <<'LUA'
function event() print("total " .. sysbench.sql.driver():connect():query_row("SELECT SUM(n) FROM locks")) end
LUA
  bench ./total.lua "${at[@]}" --time=0 --events=1 run
  grep -qx "total $((2 * total))" out
  bench --mix=oltp_read_only@2,./sum.sql@1 "${at[@]}" --table-size=200 --threads=4 \
    --time=0 --events=3000 --mix-choice=deck --json=m.json run
  holds '1980 < m["oltp_read_only"]["events"] < 2020'
  bench --mix=./locks.lua,oltp_read_only "${at[@]}" --table-size=200 cleanup
}

@test "members with clients, deadlocks and a rate: MySQL" {
  members mysql '' '--clients=8 --threads=2'
}

@test "members with clients, deadlocks and a rate: PostgreSQL" {
  members pgsql '' '--clients=8 --threads=2'
}
