#!/usr/bin/env bats
# --find: the highest load that holds an objective, on a queue whose latencies
# are known, and on SQLite.
load helper

# Each step is short, so that the searches are coarse.
coarse=(--time=2 --find-confirm=1 --find-precision=20% --forced-shutdown=1)

# find_agree CAPACITY FILE...: do the searches agree?  See there.
find_agree() { python3 "$BENCH_SRC/tests/cli/find_agree.py" "$@"; }

# A machine that is busy with other things may be told from a steady one, which
# has to be said.  `search`: the search, and its exit status is checked.
search() {
  bench "$@" --json=f.json run
  case $status in
    0) must has "$output" ' holds up to ' ;;
    5) must has "$output" '^(Not stationary|The client is the limit|The server has frozen|No answer after|No [a-z ]+ was found)' ;;
    *) must is "$status" "0 or 5" ;;
  esac
}

@test "the highest rate of a queue" {
  # One server of 1 ms: 1000/s at most, and 988/s with p99 at 400 ms.
  search model --model-service=1ms --threads=32 --find=rate --slo='p99<=400ms' "${coarse[@]}"
  must has "$output" '^Searching for the highest rate that holds p99<=400ms, with 32 threads$'
  must has "$output" '^step  phase      rate           verdict +throughput +p99 +measured$'
  must has "$output" '^   1  ceiling    closed loop '
  must has "$output" '^   2  bracket  .*/s +(held|failed|open) '
  must json f.json 'd["schema"] == "bench-sweep/1"
    and d["sweep"]["search"]["find"] == "rate"
    and d["sweep"]["search"]["objective"] == "p99<=400ms"
    and d["sweep"]["search"]["limit_ns"] == 400e6
    and len(d["sweep"]["search"]["steps"]) == len(d["steps"])
    and all(float(s["values"]["rate"]) == t["value"]
            for s, t in zip(d["steps"], d["sweep"]["search"]["steps"]))
    and all(s["result"]["decision"]["verdict"] in ("held", "failed", "open")
            for s in d["steps"] if s["values"]["rate"] != "0")'
  [ "$status" = 5 ] ||
    must json f.json '300 <= d["sweep"]["search"]["low"] <= 1150'
  # The page has the curve, and replays the search.
  bench -0 report f.json -o page.html
  must has "$(cat page.html)" '<h2>Search</h2>'
  page_data page.html
  must json data.json 'len(d["files"][0]["search"]["steps"]) > 1'
  bench report f.json --format=text
  must has "$output" '^Search:$'
  bench -0 compare f.json f.json
  must has "$output" '^Answers:$'
  must has "$output" '^(The intervals overlap, so no difference|Only two answers can be compared)'
  bench compare f.json f.json --format=json
  must has "$output" '"outcome": "(overlap|no_answer)"'
  # Other steps are no fault of a search.
  python3 -c 'import json
d = json.load(open("f.json"))
last = d["steps"][-1]["values"]
for s in d["steps"]:
    if s["values"] == last: s["values"] = {name: "77" for name in last}
json.dump(d, open("g.json", "w"))'
  bench -0 compare f.json g.json
  must has "$output" '^only in g.json: '
  must lacks "$output" 'has no result of this step'
  python3 -c 'import json
d = json.load(open("f.json"))
d["sweep"]["search"]["steps"][0]["events_per_s"] *= 2
json.dump(d, open("other.json", "w"))'
  bench -2 report other.json -o other.html
  must has "$stderr" "'other.json' cannot be shown: its search does not follow from its steps"
}

@test "the highest number of threads of a queue" {
  # Four servers of 10 ms: with 12 threads half of the events take 30 ms.
  search model --model-servers=4 --model-service=10ms --find=threads \
    --slo='p50<=30ms' "${coarse[@]}"
  must has "$output" '1 thread +held'
  [ "$status" = 5 ] ||
    must json f.json '1 <= d["sweep"]["search"]["low"] <= 24
      and d["sweep"]["search"]["find"] == "threads"'
}

@test "an objective that holds nowhere is exit status 4" {
  # Fast enough that a step at the lowest rate has arrivals.  The service alone takes
  # longer than the objective, however unsteady the machine is.
  bench -4 model --model-service=2ms --threads=4 --find=rate --slo='p99<=1us' --find-drift=50% "${coarse[@]}" \
    --json=f.json run
  must has "$output" '^No rate holds p99<=1us: it fails even at [0-9.]+/s\.$'
  must json f.json 'd["sweep"]["search"]["end"] == "no_value_holds"
    and d["sweep"]["search"]["low"] is None'
}

@test "a server that freezes has no answer" {
  bench -5 model --threads=4 --model-freeze=0.5 --find=rate --slo='p99<=1s' "${coarse[@]}" \
    --json=f.json run
  must has "$output" '^The server has frozen: without a rate events did not end, so there is no answer\.$'
  must json f.json 'd["sweep"]["search"]["end"] == "frozen" and d["sweep"]["search"]["low"] is None'
}

@test "a server that gets slower with each step has no answer" {
  bench -5 model --model-service=2ms --model-slowdown=10 --model-file=runs --threads=32 \
    --find=rate --slo='p90<=300ms' "${coarse[@]}" --json=f.json run
  must has "$output" '^Not stationary: the throughput of the reference step has changed by -[0-9]+ %, so there is no answer; use --find-drift if that is usual here\.$'
  must json f.json 'd["sweep"]["search"]["end"] == "not_stationary" and d["sweep"]["search"]["low"] > 0'
  must has "$output" '^Seen: held at [0-9.]+/s \([0-9]+ of [0-9]+\)'
  bench -0 report f.json -o page.html
  drawn page.html
  must json drawn.json 'd["box"][0].startswith("AnswerNot stationary: the throughput") and "Seen: held at" in d["box"][0] and
    d["cards"]["Drift of the machine"].startswith("-") and ("Between" in d["cards"] or d["cards"]["Answer"].startswith("at least "))'
  # Each step was a run.
  must is "$(wc -c <runs | xargs)" "$(python3 -c 'import json; print(len(json.load(open("f.json"))["steps"]))')"
}

@test "a step ends as soon as it is decided" {
  # 30 intervals of 200 ms are enough for 200/s without a late event.
  bench -0 model --threads=8 --rate=200 --time=20 --slo='p99<=100s' --slo-until-decided \
    --json=o.json run
  must check o.json 'd["run"]["end_reason"] == "decided"' \
    'd["decision"]["verdict"] == "held"' 'd["decision"]["intervals"] >= 30' \
    'd["totals"]["elapsed_s"] < 20'
  # Late for sure, long before the end.
  bench -4 model --threads=8 --rate=200 --time=60 --slo='p99<=1us' --slo-until-decided \
    --json=o.json run
  must check o.json 'd["run"]["end_reason"] == "decided"' \
    'd["decision"]["verdict"] == "failed"' 'd["totals"]["elapsed_s"] < 60'
}

@test "what becomes due while the last events end is not the step's" {
  printf '%s\n' 'ffi = require("ffi")' 'ffi.cdef("int usleep(unsigned);")' \
    'function event() ffi.C.usleep(1000000) end' >slow.lua
  bench -0 slow.lua --threads=32 --rate=28 --time=6 --slo='p75<=100s' --slo-until-decided \
    --json=o.json run
  must check o.json 'd["run"]["end_reason"] == "decided"' 'd["slo"]["verdict"] == "held"' \
    'd["rate"]["offered_s"] < d["totals"]["elapsed_s"] - 0.5'
}

@test "a step with too few events ends the search, and no lower rate is tried" {
  # 10 events a second cannot show what one of 1,000 does.
  bench -5 model --model-service=100ms --find=rate --slo='p99.9<=100s' "${coarse[@]}" --json=f.json run
  must has "$output" '^No rate was found: a step at [0-9.]+/s has [0-9]+ events?, and p99.9<=100s takes at least 4603 to decide; use a longer --time\.$'
  must json f.json 'd["sweep"]["search"]["end"] == "undecided" and len(d["steps"]) == 2'
  bench -0 report f.json -o page.html
}

@test "a test without events is told from a server that has frozen" {
  echo 'function event() error({ errcode = sysbench.error.RESTART_EVENT }) end' >none.lua
  bench -5 none.lua --find=rate --slo='p99<=1s' "${coarse[@]}" --json=f.json run
  must has "$output" '^No events: without a rate none has ended within a step, so there is no answer; use a longer --time, or a test whose events end\.$'
  must json f.json 'd["sweep"]["search"]["end"] == "no_events"'
  bench -5 none.lua --find=threads --slo='p99<=1s' "${coarse[@]}" run
  must has "$output" '^No events: at 1 thread none has ended'
}

@test "the highest number of clients of a script" {
  needs_driver null
  ! nm "$BENCH" | grep -q "__[at]san_init" || skip "thousands of clients end too slowly under sanitizers"
  cat >turn.lua <<'END'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
END
  search turn.lua --db-driver=null --find=clients --slo='p99<=1s,errors<=1%' "${coarse[@]}" --forced-shutdown=30
  must has "$output" '^   1  bracket    1 client +held'
  must has "$output" '^   3  bracket    4 clients '
  must json f.json 'd["sweep"]["search"]["find"] == "clients"
    and [s["values"]["clients"] for s in d["steps"]][:4] == ["1", "2", "4", "8"]
    and d["steps"][2]["result"]["run"]["clients"] == 4
    and max(int(s["values"]["clients"]) for s in d["steps"]) <= 16384'
  bench -1 cpu --find=clients --slo='p99<=1s' "${coarse[@]}" run
  must is "$stderr" 'FATAL: --clients: the cpu test has no clients, because its events wait for no server; use --threads'
}

@test "steps settle and are reset, and the summary has the answer" {
  search model --model-service=1ms --threads=8 --find=rate --slo='p99<=400ms' "${coarse[@]}" \
    --settle=10ms --sweep-reset='echo "$BENCH_STEP $BENCH_STEP_RATE" >>resets' --summary=markdown:s.md
  must json f.json 'all(s["result"]["run"]["settle"]["reached"] for s in d["steps"])
    and open("resets").read().splitlines() ==
      [str(i + 1) + " " + s["values"]["rate"] for i, s in enumerate(d["steps"])]'
  must has "$(cat s.md)" '^## Search of model$'
  must has "$(cat s.md)" '^\| step \| phase \| rate \| verdict '
  must has "$(cat s.md)" '^\| 1 \| ceiling \| closed loop \|  \| [0-9]+ \| '
  must is "$(grep -cE '^\| [0-9]+ \| ' s.md)" "$(python3 -c 'import json; print(len(json.load(open("f.json"))["steps"]))')"
  if [ "$status" = 0 ]; then must has "$(cat s.md)" '^p99\\<=400ms holds up to '; fi
  bench -3 model --find=rate --slo='p99<=1s' "${coarse[@]}" --sweep-reset='exit 3' run
  must is "$stderr" 'FATAL: --sweep-reset failed before step 1 with exit status 3, so the sweep ends: exit 3'
}

@test "a search that does not come to its end says how far it was" {
  bench -1 model --model-service=1ms --threads=8 --find=rate --slo='p99<=100s' "${coarse[@]}" \
    --forced-shutdown=off --sweep-reset='[ $BENCH_STEP -lt 2 ]' --json=f.json run
  must has "$stderr" '^FATAL: --sweep-reset failed before step 2 with exit status 1'
  must has "$output" '^The search did not finish, so there is no answer\.$'
  must json f.json 'd["sweep"]["search"]["end"] == "goes_on" and len(d["steps"]) == 1'
}

@test "a mix has an objective, and a highest rate" {
  cat >wait.lua <<'END'
ffi = require("ffi")
ffi.cdef("int usleep(unsigned);")
function event() ffi.C.usleep(5000) end
END
  echo 'function event() end' >empty.lua
  echo 'function event() error("no luck") end' >bad.lua
  local mix=(mix --mix=wait.lua@50,empty.lua@50 --threads=2)
  bench -0 "${mix[@]}" --time=1 --slo='p25<=100s' run
  must has "$output" '^Objective: held$'
  # Half of the events wait.
  bench -4 "${mix[@]}" --time=1 --slo='p99<=1ms' --json=m.json run
  must json m.json 'd["slo"]["verdict"] == "failed"'
  search "${mix[@]}" --find=rate --slo='p99<=1s' "${coarse[@]}"
  must has "$output" '^   2  bracket  .*/s +(held|failed|open) '
  if [ "$status" = 0 ]; then must has "$output" '^ +[0-9]+  [a-z]+ .*/s +held'; fi
  bench -1 mix --mix=wait.lua:2,empty.lua:1 --find=threads --slo='p99<=1s' "${coarse[@]}" run
  must is "$stderr" 'FATAL: --find=threads cannot be used with a --mix whose members have clients of their own (wait.lua:2); give them weights (wait.lua@2)'
  # The members say how many clients they have.
  bench -1 mix --mix=bad.lua:2,empty.lua:1 --find=rate --slo='p99<=1s' "${coarse[@]}" run
  must has "$output" '^Searching for the highest rate .* p99<=1s$'
  bench -1 mix --mix=wait.lua:2:rate=5,empty.lua:1:rate=7 --find=rate --slo='p99<=1s' "${coarse[@]}" run
  must is "$stderr" 'FATAL: --find=rate needs a member of the mix without a rate of its own'
}

@test "a step that fails ends the search" {
  echo 'function event() error("no luck") end' >bad.lua
  bench -1 bad.lua --find=rate --slo='p99<=1s' "${coarse[@]}" run
  must has "$output" '^Searching .* p99<=1s, with 1 thread, which has one event at a time; give more --threads or --clients unless that is meant$'
  must has "$output" '^A step failed: without a rate there is no result, so there is no answer\.$'
  must has "$stderr" 'no luck'
}

@test "a number that cannot start is the limit, and its messages say why" {
  cat >room.lua <<'END'
ffi = require("ffi")
ffi.cdef("int usleep(unsigned);")
function thread_init(id) if id >= 5 then error("no room") end end
function event() ffi.C.usleep(2000) end
END
  search room.lua --find=threads --slo='p50<=100s' "${coarse[@]}"
  if [ "$status" = 0 ]; then
    must has "$output" '^   4  bracket    8 threads +refused'
    must has "$output" '^p50<=100s holds up to 5 threads \(confirmed 1 time\), and 6 threads could not start\.$'
    must has "$output" '^See the messages of the step with 8 threads\. If the server has no more connections'
    # They are printed once.
    must is "$(grep -c 'no room' <<<"$stderr")" 1
    must json f.json 'd["sweep"]["search"]["low"] == 5 and d["sweep"]["search"]["refused"] == 6
      and d["sweep"]["search"]["high"] is None'
    bench -0 report f.json --format=text
    must has "$output" 'refused'
  fi
}

@test "two searches on SQLite agree within their intervals" {
  ! nm "$BENCH" | grep -qE '__[at]san_init' || skip "the other searches show as much under a sanitizer"
  needs_driver sqlite
  # 32 threads, 50 ms each: 640/s at most, whatever else the machine does.
  cat >fixed.lua <<'END'
ffi = require("ffi")
ffi.cdef("int usleep(unsigned);")
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  con:query("SELECT 1")
  ffi.C.usleep(50000)
end
END
  for i in 1 2 3 4; do
    search fixed.lua --db-driver=sqlite --threads=32 --find=rate --slo='p90<=130ms' \
      --time=2 --find-confirm=1 --find-precision=40%
    mv f.json $i.json
    if find_agree 640 ?.json; then break; fi
  done
  find_agree 640 ?.json || must is "$(find_agree 640 ?.json | tail -n 1)" 'too few answers'
  # What cannot be the same server is noticed.
  printf '{"sweep": {"search": {"end": "found", "low": %s, "high": %s}}}\n' 300 310 >a.json
  sed 's/300/311/; s/310/350/' a.json >b.json
  must is "$(find_agree 640 a.json b.json | tail -n 1)" disagree
  must is "$(find_agree 640 a.json b.json a.json | tail -n 1)" agree
}

@test "searches that make no sense are refused" {
  bench -1 model --find=rate run
  must is "$stderr" 'FATAL: --find=rate needs an objective, such as --slo="p99<=10ms"'
  bench -1 model --find=rate --slo='p99<=1s' --rate=5 run
  must is "$stderr" 'FATAL: --find=rate cannot be used with --rate, which it chooses'
  bench -1 model --find=threads --slo='p99<=1s' --threads=5 run
  must is "$stderr" 'FATAL: --find=threads cannot be used with --threads, which it chooses'
  bench -1 model --find=rate --slo='p99<=1s' --sweep=threads:1,2 run
  must is "$stderr" 'FATAL: --find chooses the values of its steps, and cannot be used with --sweep'
  bench -1 model --find=rate --slo='p99<=1s' --repeat=2 run
  must is "$stderr" 'FATAL: --find chooses the values of its steps, and cannot be used with --repeat'
  for option in events=5 sweep-reference=2 sweep-format=csv sweep-stop-on-error; do
    bench -1 model --find=rate --slo='p99<=1s' --$option run
    must is "$stderr" "FATAL: --find cannot be used with --${option%=*}"
  done
  bench -1 model --find=rate --slo='p99<=1s' --think-time=1ms run
  must is "$stderr" 'FATAL: --find=rate cannot be used with --think-time: a rate says when each event is due'
  # A low load fails these, and a rate without a limit of time is never too high.
  for find in rate threads; do
    for term in 'tps>=5' 'qps>=5'; do
      bench -1 model --find=$find --slo="p99<=1s,$term" run
      must is "$stderr" "FATAL: --find cannot use the term '$term' of --slo: every low load would fail it; remove the term, the answer itself is the throughput"
    done
  done
  bench -1 model --find=rate --slo='errors<=1%' run
  must has "$stderr" '^FATAL: --find=rate needs a latency limit in --slo, such as p99<=10ms: '
  bench -1 model --find=rate --slo='p99<=1s' prepare
  must is "$stderr" "FATAL: the command 'prepare' cannot be used with --find (expected run)"
  bench model --sweep=threads:1,2 prepare
  must is "$stderr" "FATAL: the command 'prepare' cannot be used with --sweep or --repeat (expected run)"
  bench -1 model --find=rate --slo='p99<=1s' --csv=- run
  must has "$stderr" '^FATAL: with --find only --json can be on stdout'
  bench -1 model --find=rate --slo='p99<=1s' --time=0.9 run
  must is "$stderr" 'FATAL: --find needs a --time of at least 1 second, the limit of each step'
  bench -1 model --find-confirm=2 run
  must is "$stderr" 'FATAL: --find-confirm has no effect without --find'
}
