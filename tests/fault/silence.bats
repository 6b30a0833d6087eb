#!/usr/bin/env bats
# silence.bats - servers that say nothing any more: the network drops every
# packet, or the server is stopped; at the start, during a run, in prepare.

load helper
load ../lib/servers

setup_file() {
  servers has mysql && servers start mysql "$BATS_FILE_TMPDIR/mysql" \
    --set=innodb_flush_log_at_trx_commit=2
  [[ -x $BENCH_BUILD/tests/db/pgsql_driver ]] && servers has pgsql &&
    servers start pgsql "$BATS_FILE_TMPDIR/pgsql" --set=synchronous_commit=on
  true
}

setup() {
  setup_fault
}

teardown() {
  [[ ! -e ${server-}/state ]] || servers thaw "$server"
  proxy_gone
}

# against KIND: the server behind a proxy.
against() {
  counter_server "$1"
  through_proxy "$port"
  tcp=("--db-driver=$kind" "--$kind-host=127.0.0.1" "--$kind-port=$proxy_port")
  [[ -z ${2-} ]] || tcp+=("$2")
  base=("$BENCH" "$events" "${tcp[@]}")
}

# The run ends at its time, plus the grace, plus at most two seconds.
during() {
  in_background "${base[@]}" --threads=2 --time=6 --forced-shutdown=1 \
    --report-interval=1 "$@" run
  begun
  weather blackhole
  ended -2
  in_time 9
  grep -qx 'Number of unfinished transactions on forced shutdown: 2' "$out"
  [[ $(counter 'ignored errors') -eq 0 && $(counter reconnects) -eq 0 ]]
  # What was under way may have been committed without an answer.
  committed 2
}

# limited CLIENTS OPTION...: a statement's limit makes silence a lost connection;
# then all is well again.
limited() {
  local clients=$1
  shift
  until_enough "${base[@]}" "$@" --report-interval=1 --db-query-timeout=0.5 \
    --db-connect-timeout=1 --db-ignore-errors=connection,1317,57014
  begun
  goes_on
  weather blackhole
  within 30 grep -q '^WARNING: connection to .* lost' "$err"
  within 30 grep -qE "^\[ [0-9]+s \] thds: $clients tps: 0\.00 " "$out"
  weather cut
  weather pass
  goes_on
  within 30 grep -q "^WARNING: reconnected after .* $clients connections" "$err"
  enough -0
  (($(counter reconnects) >= clients))
  committed "$(($(counter reconnects) + $(counter 'ignored errors')))"
}

start() {
  weather blackhole
  bounded -1 "${base[@]}" --time=2 --threads=4 --db-connect-timeout=1 run
  in_time 1
  grep -qE "^FATAL: (cannot connect .* \(error 20(13|03)\)|Connection to database failed: .*timeout expired)" "$err"
  # Each cause once, whatever the number of threads, and the script's line.
  grep -v '^FATAL: thread_init() failed at .*: connection creation failed$' "$err" >"$dir/causes"
  (($(grep -c FATAL "$err") == $(grep -c FATAL "$dir/causes") + 1))
  [[ -z $(grep FATAL "$dir/causes" | sort | uniq -d) ]]
}

# Rows are under way: a statement of the load is being executed.
rows_come() {
  if [[ $kind == mysql ]]; then
    (($(servers sql "$server" "SELECT COUNT(*) FROM information_schema.processlist
      WHERE info LIKE 'LOAD DATA%' OR info LIKE 'INSERT INTO sbtest1%'") > 0))
  else
    (($(servers sql "$server" "SELECT count(*) FROM pg_stat_activity
      WHERE state = 'active' AND query ~* '^(COPY|INSERT INTO) *\"?sbtest1'") > 0))
  fi
}

# Ctrl-C ends a load whose server is silent.
load() {
  drop="DROP TABLE IF EXISTS ${table%counter}sbtest1"
  servers sql "$server" "$drop"
  in_background "$BENCH" oltp_read_only "${tcp[@]}" --table-size=3000000 prepare
  within 30 rows_come
  "$@"
  sleep 1 # it goes on waiting
  kill -0 "$job"
  signal_job INT
  began=${EPOCHREALTIME/./}
  ended -130
  in_time 3
}

# A limit for statements ends it without help.
load_limited() {
  servers sql "$server" "$drop"
  in_background "$BENCH" oltp_read_only "${tcp[@]}" --table-size=3000000 \
    --db-query-timeout=1 prepare
  within 30 grep -q 'Inserting' "$out"
  servers freeze "$server"
  began=${EPOCHREALTIME/./}
  ended
  servers thaw "$server"
  in_time 8
  ((status == 1))
  grep -q '^FATAL: ' "$err"
}

loads() {
  load weather blackhole
  weather cut
  weather pass
  load servers freeze "$server"
  servers thaw "$server"
  load_limited
}

@test "mysql: silence during a run" { against mysql && during; }
@test "mysql: silence during a run (client library)" { against mysql --mysql-compression=on && during; }
@test "mysql: silence, and statements with a limit" { against mysql && limited 2 --threads=2; }
@test "mysql: silence at the start" { against mysql && start; }
@test "mysql: silence at the start (client library)" { against mysql --mysql-compression=on && start; }
@test "mysql: silence in prepare" { against mysql && loads; }
@test "mysql: silence in prepare (client library)" { against mysql --mysql-compression=on && loads; }
@test "pgsql: silence during a run" { against pgsql && during; }
@test "pgsql: silence, and statements with a limit" { against pgsql && limited 2 --threads=2; }
@test "pgsql: silence at the start" { against pgsql && start; }
@test "pgsql: silence in prepare" { against pgsql && loads; }
