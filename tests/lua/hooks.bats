# hooks.bats - report hooks and report functions.
load ../cli/helper

@test "both hooks: their states, when, and what they are given" {
  cat >t.lua <<'L'
function event() ffi.C.usleep(1000) end
ffi.cdef "int usleep(uint32_t);"
local function names(stat) local t = {} for k, v in pairs(stat) do assert(type(v) == "number", k) t[#t + 1] = k end table.sort(t) return table.concat(t, " ") end
function sysbench.hooks.report_intermediate(stat)
  print("I", sysbench.tid, sysbench.opt.threads, names(stat))
  -- at the end, threads may be done
  assert(stat.events > 0 and stat.time_interval > 0.5 and stat.latency_pct > 0.001)
  assert(seen or stat.threads_running == 2)
  seen = true
end
function sysbench.hooks.report_cumulative(stat)
  print("C", sysbench.tid, stat.threads_running, names(stat))
  print(string.format("events %d, p%d %.3f ms", stat.events, sysbench.opt.percentile, stat.latency_pct * 1000))
end
L
  bench -0 t.lua --threads=2 --report-interval=1 --time=2 run
  must is "$stderr" ""
  must has "$output" '^I	2	2	bytes_read bytes_written concurrency errors events latency_pct other queue_length reads reconnects threads_running time_interval time_total writes$'
  must has "$output" '^C	0	0	bytes_read bytes_written errors events latency_avg latency_max latency_min latency_pct latency_sum other reads reconnects threads_running time_interval time_total writes$'
  must has "$output" '^events [0-9]+, p95 [0-9.]+ ms$'
  must [ "$(grep -c 'General statistics' <<<"$output")" = 0 ]
  must [ "$(grep -c 'thds:' <<<"$output")" = 0 ]
}

@test "what a hook has written is there when it is called again" {
  cat >t.lua <<'L'
ffi.cdef "int usleep(uint32_t);"
function event() ffi.C.usleep(1000) end
function sysbench.hooks.report_intermediate()
  events, sysbench.opt.own_mark = (events or 0) + 1, (sysbench.opt.own_mark or 0) + 1
  print("calls", events, sysbench.opt.own_mark)
end
L
  bench -0 t.lua --report-interval=0.2 --time=1 run
  must has "$output" '^calls	1	1$'
  must has "$output" '^calls	2	2$'
}

@test "cumulative at checkpoints: in the background, after its line" {
  cat >t.lua <<'L'
function event() end
function sysbench.hooks.report_cumulative(stat) print("C", sysbench.tid) end
L
  bench -0 t.lua --report-checkpoints=1 --time=2 run
  must is "$(grep -E '^(C|\[)' <<<"$output")" "[ 1s ] Checkpoint report:
C	1
C	0"
}

@test "hooks are looked up when they are used" {
  cat >t.lua <<'L'
function event() end
function init() function sysbench.hooks.report_cumulative(stat) print("C") end end
L
  bench t.lua --events=1 run
  must has "$output" '^C$'
}

@test "an error in a hook is told, and changes nothing" {
  cat >t.lua <<'L'
function event() end
function sysbench.hooks.report_intermediate(stat) error("no") end
function sysbench.hooks.report_cumulative(stat) error("neither") end
L
  bench -0 t.lua --report-interval=1 --time=2 run
  must has "$stderr" "^FATAL: report_intermediate\(\) failed at t.lua:2: no$"
  must has "$stderr" "^FATAL: report_cumulative\(\) failed at t.lua:3: neither$"
}

@test "the cumulative hook also after an error of a worker" {
  cat >t.lua <<'L'
function event() error("no") end
function sysbench.hooks.report_cumulative(stat) print("C", stat.events) end
L
  bench -1 t.lua run
  must has "$output" '^C	0$'
}

@test "report_default, report_csv, report_json" {
  cat >t.lua <<'L'
function event() end
local stat = { time_total = 2.4, time_interval = 2, threads_running = 3, events = 10, reads = 4, writes = 6, other = 2,
  errors = 1, reconnects = 0, latency_pct = 0.00125 }
function prepare()
  sysbench.report_default(stat)
  sysbench.report_csv(stat)
  stat.time_interval = 0
  sysbench.report_csv(stat)
  stat.time_interval = 2
  sysbench.report_json(stat)
  sysbench.report_json(stat)
end
L
  bench -0 t.lua --percentile=99.9 prepare
  object='  {
    "time":    2,
    "threads": 3,
    "tps": 5.00,
    "qps": {
      "total": 6.00,
      "reads": 2.00,
      "writes": 3.00,
      "other": 1.00
    },
    "latency": 1.25,
    "errors": 0.50,
    "reconnects": 0.00
  }'
  must is "$(tail -n +3 <<<"$output")" "[ 2s ] thds: 3 tps: 5.00 qps: 6.00 (r/w/o: 2.00/3.00/1.00) lat (ms,99.9%): 1.25 err/s 0.50 reconn/s: 0.00
2,3,5.00,6.00,2.00,3.00,1.00,1.25,0.50,0.00
2,3,0.00,0.00,0.00,0.00,0.00,1.25,0.00,0.00
[
$object,
$object
]"
}

@test "SIGINT is awaited also where it was ignored, as in background jobs" {
  cat >t.lua <<'L'
function event()
  for line in io.lines("/proc/self/status") do
    if line:find("^SigIgn") then print(line:sub(-1)) end
  end
end
L
  # Were it still ignored, os.execute() of a script could lose one.
  run -0 --separate-stderr bash -c "trap '' INT; exec \"\$0\" t.lua --events=1 run" "$BENCH"
  must has "$output" '^[014589cd]$'
}

@test "a signal is not lost on a thread that the main state has started" {
  cat >t.lua <<'L'
local driver = sysbench.sql.driver()
function thread_init() con = driver:connect() end
function event()
  if sysbench.iteration() == 1 then os.execute("kill -INT $PPID") end
  con:query("SELECT 1")
end
L
  # The driver's, which watches statements.
  bench -130 t.lua --db-driver=null --db-query-timeout=5 --time=20 run
  must is "$stderr" "WARNING: stopped by SIGINT"
}

@test "the JSON array is closed after a signal and after an error" {
  cat >t.lua <<'L'
function event() error("no") end
sysbench.hooks.report_cumulative = sysbench.report_json
L
  bench -1 t.lua run
  must is "$(tail -n 1 <<<"$output")" "]"
  cat >t.lua <<'L'
function event() if sysbench.iteration() == 100 then os.execute("kill -INT $PPID") end end
sysbench.hooks.report_cumulative = sysbench.report_json
L
  bench -130 t.lua --time=10 run
  must is "$(tail -n 1 <<<"$output")" "]"
}

@test "a JSON array that was not begun is not closed" {
  cat >t.lua <<'L'
function event() end
function sysbench.hooks.report_cumulative() sysbench.report_json({}) end
L
  bench -0 t.lua --events=1 run
  must is "$(grep -c '^[][]' <<<"$output")" 0
}

@test "the JSON array is closed when threads are left behind" {
  cat >t.lua <<'L'
function event() os.execute("exec sleep 12 >&- 2>&- 3>&-") end
sysbench.hooks.report_intermediate = sysbench.report_json
L
  bench -2 t.lua --time=2 --report-interval=1 --forced-shutdown=0 run
  must is "$(grep -c '^]$' <<<"$output")" 1
}

# arrays [TEXT...]: the output has JSON arrays, of two objects (one, if the machine
# was elsewhere meanwhile), then of one, with these texts between them and at the
# end.
arrays() {
  python3 - "$output" "$@" <<'P'
import json, sys
rest, texts = sys.argv[1], sys.argv[2:]
sizes = []
while (at := rest.find("[\n")) >= 0:
    array, end = json.JSONDecoder().raw_decode(rest[at:])
    sizes.append(len(array))
    rest = rest[at + end:]
    if texts:
        want = texts.pop(0)
        assert rest.startswith(want), (want, rest)
assert sizes and 1 <= sizes[0] <= 2 and sizes[1:] in ([], [1]), sizes
assert not texts, texts
P
}

@test "the JSON array of the intervals is closed before the final report" {
  cat >t.lua <<'L'
ffi.cdef "int usleep(uint32_t);"
function event() ffi.C.usleep(10000) end
function done() print("DONE") end
sysbench.hooks.report_intermediate = sysbench.report_json
L
  bench -0 t.lua --time=1 --report-interval=0.5 run
  must arrays $'\n\nGeneral statistics:\n'
  must is "$(tail -n 1 <<<"$output")" DONE
  bench t.lua --time=1 --report-interval=0.5 --histogram run
  must arrays $'\nLatency histogram '
}

@test "the JSON arrays of both hooks: one after the other, and then done()" {
  cat >t.lua <<'L'
ffi.cdef "int usleep(uint32_t);"
function event() ffi.C.usleep(10000) end
function done() print("DONE") end
sysbench.hooks.report_intermediate = sysbench.report_json
sysbench.hooks.report_cumulative = sysbench.report_json
L
  bench -0 t.lua --time=1 --report-interval=0.5 --verbosity=0 run
  must arrays $'\n[\n' $'\nDONE'
}

# leaver FUNCTION STATUS: the function calls os.exit(STATUS), event() after 20
# events.
leaver() {
  cat >t.lua <<L
local n = 0
function event() n = n + 1 end
local event_of_all = event
function $1() event_of_all() if n > 20 or "$1" ~= "event" then pcall(os.exit, $2) os.exit($2) end end
L
}

@test "os.exit in an event ends the run with a report, and a status that is not 0" {
  local code
  for code in "7 7" "0 6" "true 6" "false 1" "nil 6" "256 6"; do
    leaver event "${code% *}"
    bench t.lua --threads=2 --json=r.json run
    must is "$status" "${code##* }"
    must has "$output" '^The run ended early: os\.exit\([0-9]+\) was called( at t\.lua:4)? in '"$worker [01]$"
    must has "$output" 'total number of events: +[1-9][0-9]+$'
    must json r.json "d['run']['exit_status'] == $status"
    must is "$(grep -c . <<<"$stderr")" 1
  done
  leaver thread_done 3
  bench t.lua --events=5 run
  must is "$status $stderr" "3 FATAL: os.exit(3) was called in $worker 0"
  must has "$output" 'total number of events: +5$'
  leaver thread_init 0
  bench t.lua run
  must is "$status $stderr" "6 FATAL: os.exit(0) was called in $worker 0"
}

@test "os.exit in done() does not take the files of the run with it" {
  local code
  for code in 0 7; do
    leaver 'done' "$code"
    sed -i 's/n > 20 or .* then/true then/' t.lua
    bench t.lua --events=5 --json=r.json run
    must is "$status" "$code"
    must json r.json "d['run']['exit_status'] == $code and d['totals']['events'] == 5"
    must is "$(grep -cE '^FATAL: os\.exit\(7\) was called( at t\.lua:4)? in done\(\)$' <<<"$stderr")" $((code > 0))
    rm r.json
  done
}

@test "elsewhere, and as sysbench, os.exit ends the program at once" {
  leaver init 0
  bench -0 t.lua run
  must is "$(grep -c 'Threads started' <<<"$output")" 0
  leaver event 0
  ln -s "$BENCH" sysbench
  run -0 --separate-stderr ./sysbench t.lua run
  must is "$(grep -c 'General statistics' <<<"$output")" 0
}

@test "lines of threads stay whole" {
  cat >t.lua <<'L'
function event(id) print("a", id, "b", true, nil, ("x"):rep(50)) end
L
  bench t.lua --threads=4 --events=2000 run
  must is "$(grep -cE '^a	[0-3]	b	true	nil	x{50}$' <<<"$output")" 2000
}

# stuck: a script whose report hook blocks.
stuck() {
  cat >stuck.lua <<'L'
require("ffi").cdef "int usleep(uint32_t);"
function event() ffi.C.usleep(1000) end
function sysbench.hooks.report_intermediate()
  io.stderr:write("stuck\n")
  while true do ffi.C.usleep(100000) end
end
L
}

@test "a report hook that blocks does not outlast the time limit" {
  stuck
  bench -2 stuck.lua --time=1 --events=500 --forced-shutdown=0 --report-interval=0.2 --json=r.json run
  must has "$stderr" '^FATAL: The --max-time limit has expired, forcing shutdown\.\.\.$'
  must has "$output" 'total number of events: +[1-9]'
  must is "$(python3 -c 'import json; print(json.load(open("r.json"))["run"]["end_reason"])')" forced
  check r.json # no interval is missing
}

@test "nor a signal" {
  stuck
  "$BENCH" stuck.lua --time=0 --events=500 --report-interval=0.2 run >out 2>err 3>&- &
  local pid=$!
  until grep -q '^stuck' err; do read -rt 0.05 <> <(:) || :; done
  kill -INT $pid
  status=0
  wait $pid || status=$?
  must is "$status" 130
  must has "$(cat err)" 'stopped by SIGINT'
  must has "$(cat out)" 'total number of events:'
}

@test "a state that a hook is stuck in is left alone" {
  cat >t.lua <<'L'
require("ffi").cdef "int usleep(uint32_t);"
function event() ffi.C.usleep(1000) end
function sysbench.hooks.report_intermediate(stat)
  sysbench.report_json(stat)
  io.stdout:flush()
  while true do ffi.C.usleep(100000) end
end
L
  bench -2 t.lua --time=1 --events=500 --forced-shutdown=0 --report-interval=0.2 run
  must has "$output" '^\[$'
  must has "$output" 'total number of events: +[1-9]'
  must is "$(grep -c '^]$' <<<"$output")" 0
}

@test "report_append: sums of all threads, a text after the report, figures" {
  cat >t.lua <<'L'
function thread_init(id)
  n, h = sysbench.counter.new("n"), sysbench.histogram.new("h", "ms")
end
function event() n:add(3) n:add(-1) h:update(4) end
function done() print("done, total " .. sysbench.counter.new("n"):total()) end
function sysbench.hooks.report_append(stat)
  assert(stat.time_total > 0 and stat.complete == true and sysbench.tid == 0)
  local s = stat.histograms.h
  assert(s.min == 4 and s.max == 4 and s.mean == 4 and s.p50 == 4 and s.p99 == 4)
  return "\nn " .. stat.counters.n .. ", h " .. s.count .. "\n",
    {a = {b = 1.5, word = "x", deep = {deeper = 7}}, yes = true}
end
L
  bench -0 t.lua --threads=3 --events=30 --json=t.json run
  must is "$stderr" ""
  must is "$(tail -n 2 <<<"$output")" "n 60, h 30
done, total 60"
  must has "$output" "execution time"
  must check t.json 'd["test"]["a"] == {"b": 1.5, "word": "x", "deep": {"deeper": 7}}' \
    'd["test"]["yes"] is True' 'd["totals"]["counters"]["n"] == 60'
  bench t.lua --threads=3 --events=30 run
  must has "$output" '^n 60, h 30$'
}

@test "report_append: after another hook's report, and without the warm-up" {
  cat >t.lua <<'L'
ffi.cdef "int usleep(uint32_t);"
function thread_init() n = sysbench.counter.new("n") end
function event() ffi.C.usleep(1000) n:add(1) end
function sysbench.hooks.report_cumulative(stat) print("C", stat.events) end
function sysbench.hooks.report_append(stat)
  return string.format("A\t%d\n", stat.counters.n)
    .. (sysbench.counter.new("n"):total() > stat.counters.n and "more with the warm-up\n" or "")
end
L
  bench -0 t.lua --warmup-time=1 --time=1 run
  must is "$(tail -n 1 <<<"$output")" "more with the warm-up"
  local events counted
  events=$(sed -n 's/^C\t//p' <<<"$output")
  counted=$(sed -n 's/^A\t//p' <<<"$output")
  # the event at the end of the warm-up may count in one of the two only
  must [ $((counted - events)) -ge -1 ]
  must [ $((counted - events)) -le 1 ]
}

@test "report_append: what it may not return, and errors in it" {
  local figures
  for figures in '{[1] = 2}' '{["a.b"] = 2}' '{a = print}' '{a={a={a={a={a=1}}}}}'; do
    echo "function event() end function sysbench.hooks.report_append() return 'text', $figures end" >t.lua
    bench -0 t.lua --events=1 run
    must has "$stderr" '^FATAL: report_append: (names of figures are strings without a dot|the figure .a. is a function|at most 4 groups in each other)$'
    must [ "$(grep -c text <<<"$output")" = 0 ]
  done
  echo "function event() end function sysbench.hooks.report_append() error('oops', 0) end" >t.lua
  bench -0 t.lua --events=1 run
  must has "$stderr" 'oops'
  echo "function event() error('no', 0) end function sysbench.hooks.report_append() return 'text' end" >t.lua
  bench -1 t.lua --events=1 run
  must [ "$(grep -c text <<<"$output")" = 0 ]
}
