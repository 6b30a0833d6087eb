#!/usr/bin/env bats
# server_commits.bats - the commits of a server are those that users mean: a
# statement with autocommit is one, and so is a transaction of many.

load ../lib/servers

setup_file() {
  if servers has mysql && [[ -x $BENCH_BUILD/tests/db/mysql_types ]]; then
    servers start mysql "$BATS_FILE_TMPDIR/plain"
    servers start mysql "$BATS_FILE_TMPDIR/log" --set=log_bin=binary --set=server_id=1
    servers start mysql "$BATS_FILE_TMPDIR/counts" --set=performance_schema=ON
    servers sql "$BATS_FILE_TMPDIR/counts" "GRANT SELECT ON performance_schema.* TO sbtest@'%'"
  fi
  if servers has pgsql && [[ -x $BENCH_BUILD/tests/db/pgsql_driver ]]; then
    servers start pgsql "$BATS_FILE_TMPDIR/pg"
  fi
}

# to NAME: that server, with tables.
to() {
  reach "$1" "such server" || return 1
  case $1 in
    pg) to=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT" --pgsql-user="$PG_USER" --pgsql-db="$PG_DB") ;;
    *) to=(--db-driver=mysql --mysql-socket="$MY_SOCKET" --mysql-user="$MY_USER" --mysql-db="$MY_DB") ;;
  esac
  to+=(--table-size=2000 --rand-type=uniform)
  "$BENCH_BUILD/bench" oltp_read_write "${to[@]}" --table-exists=drop prepare >/dev/null
}

# agree COMMITS TEST [OPTION]...: an event makes so many.  PostgreSQL counts some
# up to a second late, and the first reading may be late, so the run has several.
agree() {
  "$BENCH_BUILD/bench" "${@:2}" "${to[@]}" --threads=1 --time=2 --report-interval=1 --json=r.json run >/dev/null
  python3 - "$@" <<'PY'
import json, sys
doc = json.load(open("r.json"))
server, = doc["servers"]
want = int(sys.argv[1])
seconds = server["period_s"]
per_s = server["figures"]["commits"] / seconds
events_per_s = doc["totals"]["events_per_s"]
names = ("Com_commit", "Com_rollback", "Handler_commit", "Handler_prepare", "Innodb_max_trx_id")
print(sys.argv[2:], "commits per event %.3f, of %d; per second %.1f, events %.1f;" % (
    server["per_event"]["commits"], want, per_s, events_per_s), {n: server["raw"].get(n) for n in names})
# The connection that reads has some of its own.
own = (20 + 20 * server["monitor"]["readings"] + 2 * server["monitor"]["looks"]) / doc["totals"]["events"]
# Enough to tell one more or one less.
near = max(0.05 * want, min(0.25 * want, 0.4))
assert want - near < server["per_event"]["commits"] < want + near + own
PY
}

# rolls_back: an event changes rows in two transactions, and commits one.
rolls_back() {
  cat >rolls_back.lua <<'LUA'
local con
function thread_init()
  con = sysbench.sql.driver():connect()
end
function event()
  for _, last in ipairs({"COMMIT", "ROLLBACK"}) do
    con:query("BEGIN")
    con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = 1")
    con:query(last)
  end
end
LUA
  agree 1 ./rolls_back.lua
}

# deadlocks WHAT: each of four threads locks the same rows, every other one in the
# opposite order.  The server rolls back one of two that meet; of transactions,
# the run then says ROLLBACK as well, of statements with autocommit nobody does.
deadlocks() {
  cat >deadlocks.lua <<LUA
local con
function thread_init()
  con = sysbench.sql.driver():connect()
end
function event()
  local odd = sysbench.tid % 2
  if "$1" == "autocommit" then
    con:query("UPDATE sbtest1 SET k = k + 1 WHERE id BETWEEN 1 AND 50 ORDER BY id " .. (odd == 1 and "DESC" or "ASC"))
    return
  end
  con:query("BEGIN")
  con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = " .. 1 + odd)
  con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = " .. 2 - odd)
  con:query("$1")
end
LUA
  "$BENCH_BUILD/bench" ./deadlocks.lua "${to[@]}" --threads=4 --time=3 --report-interval=1 --json=r.json run >/dev/null
  python3 - "$1" <<'PY'
import json, sys
doc = json.load(open("r.json"))
server, = doc["servers"]
events = doc["totals"]["events"]
victims = sum(e["count"] for e in doc["errors"] if str(e["code"]) == "1213")
assert victims >= 20, doc["errors"]
got = {n: server["per_event"][n] for n in ("rollbacks", "deadlocks", "commits")}
print(sys.argv[1], "per event: victims %.3f;" % (victims / events), got,
      {n: server["raw"].get(n) for n in ("Com_rollback", "Handler_rollback")})
# Threads meet more often at one time than at another, and the readings do not
# cover the whole run: once, not twice.
assert 0.6 < got["deadlocks"] / (victims / events) < 1.6
# Both figures are of one period.
rest = got["rollbacks"] - got["deadlocks"]
assert abs(rest - (sys.argv[1] == "ROLLBACK")) < 0.1 * got["rollbacks"] + 0.01, rest
# MySQL has no numbers of transactions that tell autocommit apart.
commits = 0 if sys.argv[1] == "ROLLBACK" else 1
if "Innodb_max_trx_id" in server["raw"]:
    assert abs(got["commits"] - commits) < 0.1, commits
PY
}

# all_agree NAME: with autocommit and in transactions, of reads and of changes.
all_agree() {
  to "$1"
  agree 1 oltp_point_select
  agree 1 oltp_update_non_index
  agree 1 oltp_insert
  agree 1 oltp_read_only
  agree 1 oltp_read_write
  agree 4 oltp_write_only --skip-trx
  agree 18 oltp_read_write --skip-trx
  rolls_back
  [[ -n ${BENCH_MYSQLD-} && $1 != counts && $1 != pg ]] || agree 1 --mix=oltp_update_non_index,oltp_write_only
}

@test "mysql: commits of the server are those of the run" {
  all_agree plain
}

@test "mysql: with a binary log as well" {
  all_agree log
}

@test "mysql: where performance_schema counts transactions" {
  reach counts "such server"
  # Others have that table, and what is counted there is not used.
  [[ $(servers sql "$server" "SELECT VERSION() NOT LIKE '%MariaDB%' AND SUBSTRING_INDEX(VERSION(), '.', 1) >= 8") = *1* ]] ||
    skip "not MySQL 8 or later"
  all_agree counts
}

@test "mysql: victims of deadlocks are rolled back, and each is counted once" {
  for name in plain log; do
    to $name
    # MySQL has its deadlocks in a table of their own.
    servers sql "$server" "GRANT PROCESS ON *.* TO $MY_USER@'%'"
    for how in COMMIT ROLLBACK autocommit; do
      deadlocks $how
    done
  done
}

@test "pgsql: commits of the server are those of the run" {
  all_agree pg
}
