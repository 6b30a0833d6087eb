# visits.bash - runs of the workload connect without a client library, against
# servers of fake_server.bash; `to` leads there.

# visit ARG...: runs with these options, within its time.
visit() {
  run --separate-stderr timeout -s KILL 120 "$BENCH" connect "${to[@]}" "$@" run
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
