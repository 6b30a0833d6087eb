# shellcheck shell=bash disable=SC2154,SC2317 # names are from others, functions called by them
# shared_connections.bash - for tests: 60 clients on six connections (OPTION says
# how), on a server that dies, or is silent.  Needs every_kind.bash and
# background.bash.

# killed KIND OPTION: the server dies and comes back: all clients go on.
killed() {
  aim "$1"
  local server=$BATS_FILE_TMPDIR/$1
  "$BENCH" oltp_point_select "${to[@]}" --table-size=500 --table-exists=drop prepare
  in_background "$BENCH" oltp_point_select "${to[@]}" --table-size=500 --threads=2 --clients=60 "$2" --time=300 --report-interval=0.2 \
    --db-ignore-errors=connection --server-stats=off --json=a.json run
  within 60 grep -q '^\[' out
  servers kill9 "$server"
  servers restart "$server"
  within 90 grep -q 'reconn/s: [0-9.]*[1-9]' out
  # A connection that was refused may pause before it tries again.
  all_back() {
    local others="FROM information_schema.processlist WHERE command IN ('Sleep', 'Query', 'Execute')"
    [ "$kind" = mysql ] || others="FROM pg_stat_activity WHERE backend_type = 'client backend'"
    [ "$(sql "$kind" "SELECT COUNT(*) - 1 $others")" -ge 6 ]
  }
  local kind=$1
  within 60 all_back
  local lines
  lines=$(wc -l <out)
  goes_on() { tail -n +"$((lines + 3))" out | grep -q 'qps: [0-9.]*[1-9]'; }
  within 60 goes_on
  kill -INT "$job"
  ended
  cat err
  [ "$status" = 130 ]
  [ "$(value a.json "d['totals']['reconnects'] >= 6 and d['totals']['errors'] == 0")" = True ]
  "$BENCH" oltp_point_select "${to[@]}" cleanup
}

# stuck KIND OPTION: a server that is frozen: the run ends by its deadline.
stuck() {
  aim "$1"
  "$BENCH" oltp_point_select "${to[@]}" --table-size=500 --table-exists=drop prepare
  in_background "$BENCH" oltp_point_select "${to[@]}" --table-size=500 --threads=2 --clients=60 "$2" --time=20 --forced-shutdown=1 \
    --report-interval=0.2 run
  within 60 grep -q '^\[' out
  frozen "$1"
  ended
  thawed
  cat out err
  [ "$status" = 2 ]
  grep -q 'forcing shutdown' err
  grep -q 'unfinished transactions on forced shutdown: 60$' out
  "$BENCH" oltp_point_select "${to[@]}" cleanup
}
