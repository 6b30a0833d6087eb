#!/usr/bin/env bats
# --prometheus as its readers see it: formats, the front page, several readers.
load helper

# get PATH [ACCEPT]: the type of the content, and the content.
get() {
  python3 -c 'import sys, urllib.request
request = urllib.request.Request("http://127.0.0.1:%s%s" % tuple(sys.argv[1:3]),
                                 headers={"Accept": sys.argv[3]})
with urllib.request.urlopen(request, timeout=50) as r:
    print(r.headers["Content-Type"])
    print(r.read().decode(), end="")' "$port" "$1" "${2:-*/*}"
}

over() {
  kill -INT $pid
  wait $pid || true
}

@test "the text format, unless OpenMetrics is asked for" {
  local port pid text
  serve_metrics
  text=$(get /metrics)
  must is "$(head -n 1 <<<"$text")" "text/plain; version=0.0.4; charset=utf-8"
  must has "$text" '^# TYPE bench_events_total counter$'
  must has "$text" '^# TYPE bench_info gauge$'
  must [ "$(grep -c 'EOF' <<<"$text")" = 0 ]
  text=$(get /metrics 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2')
  must is "$(head -n 1 <<<"$text")" "application/openmetrics-text; version=1.0.0; charset=utf-8"
  must is "$(tail -n 1 <<<"$text")" "# EOF"
  over
}

@test "the machine and the marks are among them, and the dashboard asks for nothing else" {
  local port pid text name lacks=none
  export XDG_RUNTIME_DIR=$PWD
  serve_metrics --mark
  text=$(get /metrics)
  over
  must has "$text" '^bench_machine_cpu_seconds_total\{mode="user"\} [0-9]*[1-9]'
  must has "$text" '^bench_marks_total 0$'
  # What this machine does not count, it cannot show.
  [ -r /proc/pressure/io ] || lacks+='|pressure'
  has "$text" '^bench_machine_disk_' || lacks+='|disk'
  grep -q '^Writeback:' /proc/meminfo || lacks+='|dirty|writeback'
  grep -q '^pgmajfault ' /proc/vmstat || lacks+='|major'
  grep -q RetransSegs /proc/net/snmp || lacks+='|network_retransmits'
  grep -oE 'bench_ma[a-z_]+' "$BENCH_SRC/share/grafana/bench.json" | sort -u >asked
  must [ "$(wc -l <asked)" -ge 12 ]
  for name in $(grep -vE "machine_($lacks)" asked); do
    must has "$text" "^$name[{ ]"
  done
}

@test "the dashboard is one that the types of Grafana know, and its panels have room" {
  run python3 "$BENCH_SRC/tests/cli/grafana.py" "$BENCH_SRC/share/grafana/bench.json"
  [ "$status" != 77 ] || skip "grafana-foundation-sdk of PyPI is not installed"
  must is "$status" 0
  must has "$output" '^[0-9]+ panels$'
}

@test "promtool finds nothing to complain about" {
  command -v promtool >/dev/null || skip "promtool is not installed"
  local port pid
  serve_metrics
  get /metrics | tail -n +2 >metrics
  over
  run -0 promtool check metrics <metrics
  must is "$output" ""
}

@test "the front page names the test and leads to the metrics" {
  local port pid text
  serve_metrics
  text=$(get /)
  must is "$(head -n 1 <<<"$text")" "text/html; charset=utf-8"
  must has "$text" '<h1>cpu</h1>'
  must has "$text" '<a href="/metrics">'
  run get /other
  must has "$output" 'HTTP Error 404'
  over
}

@test "readers that ask for nothing keep nobody waiting" {
  local port pid
  serve_metrics
  python3 -c 'import socket, sys, time, urllib.request
where = ("127.0.0.1", int(sys.argv[1]))
idle = [socket.create_connection(where) for _ in range(80)]
began = time.monotonic()
for _ in range(5):
    urllib.request.urlopen("http://127.0.0.1:%d/metrics" % where[1], timeout=50).read()
# One after the other they would have had their two seconds each.
assert time.monotonic() - began < 20' "$port"
  over
}

# status_of VERB PATH HOST: the status of the answer, and the bytes of its body.
status_of() {
  python3 -c 'import http.client, sys
port, verb, path, host = sys.argv[1:]
c = http.client.HTTPConnection("127.0.0.1", int(port), timeout=50)
c.request(verb, path, headers={"Host": host})
r = c.getresponse()
r.length = None if verb == "HEAD" else r.length
print(r.status, len(r.fp.read() if verb == "HEAD" else r.read()) > 0)' "$port" "$@"
}

@test "names of other sites are refused, by metrics and by the live page, and HEAD works" {
  local port pid option path
  for option in --prometheus --live; do
    path=/
    [ $option = --live ] || path=/metrics
    serve_at $option cpu --time=600 --live-host=bench.example,other
    must is "$(status_of GET $path "127.0.0.1:$port")" '200 True'
    must is "$(status_of HEAD $path "localhost:$port")" '200 False'
    must is "$(status_of GET $path "bench.example:$port")" '200 True'
    must is "$(status_of GET $path "attacker.example:$port")" '403 True'
    must is "$(status_of GET /events attacker.example)" '403 True'
    must is "$(status_of HEAD $path attacker.example)" '403 False'
    must is "$(status_of HEAD /nothing other)" '404 False'
    over
  done
  serve_at --live cpu --time=600
  must is "$(status_of HEAD /events localhost)" '200 False' # and ends
  over
}
