# visits.bash - runs of the workload connect without a client library, against
# servers of fake_server.bash; `to` leads there.

# visit ARG...: runs with these options, within its time.
visit() {
  local expected args
  take_status "$@"
  run --separate-stderr timeout -s KILL 120 "$BENCH" connect "${to[@]}" "${args[@]}" run
  as_expected
}

# lives N: the server has seen so many lives, and so has the report.
lives() {
  must is "$status" 0
  must has "$output" '^Connections, by the driver itself:$'
  must has "$output" "^    transactions: +$1 "
  must has "$output" "^        read: +$1\$"
  for step in connect login 'first query' close; do
    must has "$output" "^    $step +$1 "
  done
  fake_server_stop
  must is "$(wc -l <log)" "$1"
}

# Many clients of few threads.
each_step_is_a_class() {
  visit --threads=2 --clients=10 --events=30 --json=a.json --report-classes
  lives 30
  for step in connect login 'first query' close; do
    must json a.json "sum(c['count'] for c in d['classes'] if c['name'] == '$step') == 30"
  done
  must json a.json "d['test']['own'] == 30 and d['test']['library'] == 0"
}

# each_second_fails OPTION: failures that it ignores are counted, and the event starts
# again.
each_second_fails() {
  at every2
  visit --events=4 "$1" --json=a.json --report-classes
  must has "$output" 'ignored errors: +4 '
  lives 4
  must json a.json "[c['errors'] for c in d['classes'] if c['name'] == 'login'] == [4]"
}

# first_query_fails OPTION=CODE: a statement that is refused is counted, and is no
# outage.
first_query_fails() {
  visit -0 --events=1 --time=1 "$1" --report-classes --json=a.json
  must has "$stderr" "error ${1#*=}"
  must json a.json "[c['errors'] > 0 for c in d['classes'] if c['name'] == 'first query'] == [True]"
  must json a.json "set(d['outages']['first_errors'].values()) == {0}"
}

# reason_is_told OPTION=CODE TEXT: by either login.
reason_is_told() {
  local way
  for way in own library; do
    at shuts
    to+=(--handshake=$way)
    fails_with "$2"
    visit --events=1 --time=1 "$1" --json=a.json
    must has "$stderr" "error ${1#*=}"
    must json a.json "d['outages']['first_errors']['connect'] == 0"
    must json a.json "d['outages']['first_errors']['shutting_down'] == 1"
  done
}
