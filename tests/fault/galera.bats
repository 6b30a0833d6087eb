#!/usr/bin/env bats
# galera.bats - a node of a MariaDB Galera cluster that does not serve for a
# while: it lets clients in, but refuses every statement.

load helper
load ../lib/servers

setup_file() {
  local library
  servers has mysql || { missing "no mysql server is installed"; return 0; }
  library=$(find /usr/lib /usr/lib64 /usr/local/lib -name libgalera_smm.so -print -quit 2>/dev/null)
  [[ -n $library ]] || { missing "no libgalera_smm.so is installed (Debian: galera-4)"; return 0; }
  servers start mysql "$BATS_FILE_TMPDIR/my" --set=wsrep_on=ON \
    --set=wsrep_provider="$library" --set=wsrep_cluster_address=gcomm:// \
    --set=binlog_format=ROW --set=innodb_autoinc_lock_mode=2 \
    --set=wsrep_node_address=127.0.0.1 \
    --set='wsrep_provider_options=gmcast.listen_addr=tcp://127.0.0.1:0;gcache.size=1M'
}

setup() {
  skip_if_missing
  setup_fault
  my=$BATS_FILE_TMPDIR/my
  servers_env "$my"
  refuse NONE
  sql "CREATE TABLE IF NOT EXISTS sbtest.counter (id INT PRIMARY KEY, n INT NOT NULL);
    REPLACE INTO sbtest.counter VALUES (1, 0), (2, 0)"
}

sql() { servers sql "$my" "$1"; }
counted() { sql "SELECT n FROM sbtest.counter WHERE id = 1"; }
# Which statements it refuses: ALL, or NONE; with ALL_KILL sessions end, too.
refuse() { sql "SET GLOBAL wsrep_reject_queries = $1"; }

# Without the client library, and through it.
each_way() {
  local way
  for way in wire library; do
    base=("$BENCH" "$events" --db-driver=mysql --mysql-host=127.0.0.1
      "--mysql-port=$MY_PORT" "--mysql-protocol=$way")
    "$@"
  done
}

# Ends with the server as it was.
fatal() {
  in_background "${base[@]}" --threads=2 --time=90 run
  begun
  goes_on
  refuse ALL
  ended
  refuse NONE
  ((status == 1))
  grep -q '^FATAL: .* error 1047 (WSREP has not yet prepared node' "$err"
}

@test "a node stops to serve: fatal" {
  each_way fatal
}

@test "a node does not serve from the start: said before anything is loaded" {
  refuse ALL
  bounded "$BENCH" oltp_read_only --db-driver=mysql --mysql-host=127.0.0.1 \
    "--mysql-port=$MY_PORT" prepare
  refuse NONE
  ((status == 1))
  grep -q '^FATAL: .* error 1047 (WSREP has not yet prepared node' "$err"
}

# passes REFUSAL: while it lasts, events are repeated.
passes() {
  sql "UPDATE sbtest.counter SET n = 0 WHERE id = 1"
  until_enough "${base[@]}" --threads=2 --report-interval=1 \
    --mysql-ignore-errors=1047 --db-ignore-errors=connection
  begun
  goes_on
  refuse "$1"
  within 30 grep -q 'err/s: *[1-9]' "$out"
  refuse NONE
  goes_on
  enough -0
  (($(counter 'ignored errors') > 0))
  grep -q '^WARNING: error 1047 (08S01) ' "$err"
  # A COMMIT that was refused has not been executed.
  committed 2
}

@test "a node does not serve for a while: ignored, events are repeated" {
  each_way passes ALL
}

# The server may spare one that is in the middle of something.
passes_with_loss() {
  passes ALL_KILL
  (($(counter reconnects) >= 1))
}

@test "... and ends all sessions: replaced" {
  each_way passes_with_loss
}

# A transaction whose COMMIT is refused stays open until its ROLLBACK is not
# refused any more: each attempt is an error.
stays_open() {
  local pipe
  sql "UPDATE sbtest.counter SET n = 0 WHERE id = 1"
  rm -f "$dir/pipe"
  mkfifo "$dir/pipe"
  until_enough "${base[@]}" --report-interval=1 --mysql-ignore-errors=1047 --what=held \
    "--pipe=$dir/pipe"
  exec {pipe}>"$dir/pipe"
  refuse ALL
  exec {pipe}>&-
  within 30 in_intervals 3
  refuse NONE
  goes_on
  enough -0
  committed 0
}

# in_intervals N: so many of them had errors.
in_intervals() {
  (($(grep -c 'err/s: *[1-9]' "$out") >= $1))
}

@test "a COMMIT that is refused, and its ROLLBACK: errors as long as it lasts" {
  each_way stays_open
}
