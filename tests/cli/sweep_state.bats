#!/usr/bin/env bats
# The state between the steps of a sweep: --settle, --sweep-reset, --sweep-reference,
# data that grow, and where the spread of repeats comes from.
load helper

# check_sweep DOCUMENT EXPRESSION: the document of a sweep is valid, and Python
# finds the expression about `d` true.
check_sweep() {
  python3 -W ignore - "$BENCH_SRC/share/schema" "$@" <<'PY'
import json, sys
folder, name, expression = sys.argv[1:]
sweep, run = (json.load(open("%s/%s.schema.json" % (folder, s))) for s in ("bench-sweep-1", "bench-1"))
d = json.load(open(name))
try:
    import jsonschema
    resolver = jsonschema.RefResolver("", sweep, store={"bench-1.schema.json": run})
    jsonschema.Draft7Validator(sweep, resolver=resolver).validate(d)
except ImportError:
    pass
if not eval("(" + expression + ")"):
    sys.exit("does not hold: " + expression)
PY
}

quick=(cpu --cpu-max-prime=10 --time=0 --events=100)

@test "--sweep-reset runs before each step and knows it, and its output is no result" {
  bench -0 "${quick[@]}" --sweep=threads:1,2 --repeat=2 --json=- --settle=1ms \
    --sweep-reset='echo "$BENCH_STEP $BENCH_REPEAT $BENCH_STEP_THREADS" >>steps; echo restored' run
  must is "$(<steps)" "1 1 1
2 1 2
3 2 1
4 2 2"
  must is "$(grep -c '^restored$' <<<"$stderr")" 4
  printf '%s' "$output" >all.json
  must check_sweep all.json 'd["sweep"]["reset_exit_status"] == 0 and "echo restored" in d["sweep"]["reset"]'
}

@test "a reset that fails ends the sweep with one line and its exit status" {
  bench -42 "${quick[@]}" --repeat=3 --json=all.json \
    --sweep-reset='test $BENCH_STEP != 2 || exit 42' run
  must is "$stderr" "FATAL: --sweep-reset failed before step 2 with exit status 42, so the sweep ends: test \$BENCH_STEP != 2 || exit 42"
  must has "$output" '^events +events/s|^runs +events' # the table of what was run
  must check_sweep all.json 'len(d["steps"]) == 1 and d["sweep"]["steps_planned"] == 3 and d["sweep"]["reset_exit_status"] == 42'
  bench -137 "${quick[@]}" --repeat=2 --sweep-reset='kill -9 $$' run
  ! has "$output" 'General statistics'
}

@test "Ctrl-C during a reset ends the sweep" {
  mkfifo go
  "$BENCH" "${quick[@]}" --repeat=2 --sweep-reset='echo begun >begun; cat go' run >out 2>err 3>&- &
  local pid=$! rc=0
  until [ -s begun ]; do sleep 0.05; done
  kill -INT "$pid"
  until grep -q Interrupted err; do sleep 0.05; done
  echo >go
  wait "$pid" || rc=$?
  must is "$rc" 130
  ! has "$(<out)" 'General statistics'
}

@test "the reference step comes before, between and after, and has no place in the table" {
  bench -0 "${quick[@]}" --sweep=events:100,200,300 --sweep-reference=2 --csv=x.csv --json=all.json run
  must is "$(grep -o '^=== .*' <<<"$output")" "=== Reference: events=100
=== Step 1 of 3: events=100
=== Step 2 of 3: events=200
=== Reference: events=100
=== Step 3 of 3: events=300
=== Reference: events=100"
  must has "$output" '^reference: events=100, events/s [0-9.]+, [0-9.]+, [0-9.]+ \([+-][0-9.]+ %\)$'
  must is "$(echo x.csv*)" "x.csv.step1 x.csv.step2 x.csv.step3"
  must check_sweep all.json '[r["before_step"] for r in d["references"]] == [1, 3, 4] and len(d["steps"]) == 3
    and all(r["result"]["totals"]["events"] == 100 for r in d["references"])'
}

# A machine that gets slower with each run.
slower() {
  cat >slower.lua <<'LUA'
local ffi = require("ffi")
ffi.cdef("int usleep(unsigned)")
function thread_init()
  local f = io.open("runs", "r")
  runs = f and tonumber(f:read("*a")) or 0
  if f then f:close() end
  f = io.open("runs", "w")
  f:write(runs + 1)
  f:close()
end
function event()
  ffi.C.usleep(1000 * os.getenv("MS") * (1 + runs * os.getenv("SLOWER")))
end
LUA
}

@test "a reference that drifts is a warning, and one that does not is none" {
  slower
  MS=10 SLOWER=1 bench -0 ./slower.lua --sweep=rand-seed:1,2 --sweep-reference=1 --time=0 --events=20 run
  must has "$stderr" '^WARNING: the reference step has drifted by -[0-9.]+ % \(after step 2\), so the steps are not comparable; use --sweep-reset, --settle or a longer --time$'
}

@test "a reference that does not drift is no warning" {
  local drift
  slower
  MS=100 SLOWER=0 bench -0 ./slower.lua --sweep=rand-seed:1,2 --sweep-reference=1 --time=0 --events=4 run
  # A busy machine may make it drift.
  drift=$(sed -nE 's/^reference: .* \([+-]([0-9.]+) %\)$/\1/p' <<<"$output")
  must holds "$drift > 4.95" || must lacks "$stderr" 'has drifted'
}

grow() {
  needs_driver sqlite
  cat >grow.lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE IF NOT EXISTS g (id INTEGER PRIMARY KEY, t TEXT)")
end
function event() con:query("INSERT INTO g (t) VALUES (hex(zeroblob(5000)))") end
LUA
  bench -0 ./grow.lua --db-driver=sqlite --sqlite-db=g.db --time=0 --events=100 run
  cp g.db saved.db
}

@test "data that grow from step to step are a warning, and restored ones are none" {
  grow
  local args=(./grow.lua --db-driver=sqlite --sqlite-db=g.db --time=0 --events=20 --repeat=3 --json=all.json)
  bench -0 "${args[@]}" run
  must has "$stderr" '^WARNING: the data set was [34][0-9]\.[0-9] % larger before step 3 than at the start, so the steps are not comparable; restore it with --sweep-reset or --sweep-prepare=on$'
  must check_sweep all.json 'd["sweep"]["data_change_ratio"] > 0.3
    and d["steps"][0]["result"]["database"]["data_bytes"] > 1000000'
  bench -0 "${args[@]}" --sweep-reset='rm -f g.db-*; cp saved.db g.db' run
  must is "$stderr" ""
  must check_sweep all.json 'abs(d["sweep"]["data_change_ratio"]) < 0.001'
}

@test "the table says how much of the spread is between repeats" {
  # With --rate, intervals scatter by the arrivals: some within each run.
  bench -0 cpu --cpu-max-prime=10 --sweep=threads:1,2 --repeat=2 --rate=400 --time=9 --json=all.json run
  must has "$output" 'client CPUs +spread % +between % +within % +note$'
  must has "$output" '^spread: the standard deviation of events/s from run to run'
  must check_sweep all.json 'len(d["sweep"]["spread"]) == 2
    and all(0 < s["spread_ratio"] < 0.2 and 0 <= s["between_ratio"] <= 1
            and abs(s["between_ratio"] + s["within_ratio"] - 1) < 1e-9 for s in d["sweep"]["spread"])'
  bench "${quick[@]}" --repeat=2 --sweep-format=csv --json=all.json run
  must has "$output" ',client_cpus_max,spread_percent,between_percent,within_percent,note$'
  must check_sweep all.json 'd["sweep"]["spread"] == [{"values": {}, "spread_ratio": None, "between_ratio": None, "within_ratio": None}]'
}

@test "--settle waits before a run, and the document says so" {
  bench -0 "${quick[@]}" --settle=300ms --json=run.json run
  must has "$output" '^Settling: 0\.3 s$'
  check run.json "d['run']['settle']['until'] == 'time'" "d['run']['settle']['reached']" \
    "0.3 <= d['run']['settle']['waited_s']" "d['totals']['events'] == 100"
  bench "${quick[@]}" --json=run.json run
  check run.json "'settle' not in d['run']"
}

@test "--settle=writeback waits for the kernel, but not for ever" {
  bench -0 "${quick[@]}" --settle=writeback:6s --json=run.json run
  must has "$output" '^Settling: until earlier writes are on the disk, at most 6 s$'
  check run.json "d['run']['settle']['until'] == 'writeback'" \
    "4 <= d['run']['settle']['waited_s'] or not d['run']['settle']['reached']" \
    "d['run']['settle']['dirty_bytes'] <= 2**26 or not d['run']['settle']['reached']"
  # Five readings take four seconds: one second is never enough.
  bench -0 "${quick[@]}" --settle=writeback:1s --json=run.json run
  must has "$stderr" '^WARNING: [0-9]+ MiB are left to be written after 1 seconds? of --settle=writeback, so the run may share the disk with them$'
  check run.json "not d['run']['settle']['reached']" "d['totals']['events'] == 100"
}

@test "a signal ends the wait, and the run does not take place" {
  "$BENCH" "${quick[@]}" --settle=1h --json=run.json run >out 2>err 3>&- &
  local pid=$! rc=0
  until grep -q Settling out; do sleep 0.05; done
  kill -INT "$pid"
  wait "$pid" || rc=$?
  must is "$rc" 130
  check run.json "d['run']['end_reason'] == 'signal'" "not d['run']['settle']['reached']"
}

@test "options of the state between steps need steps" {
  bench -1 "${quick[@]}" --sweep-reset=true run
  must is "$stderr" 'FATAL: --sweep-reset has no effect without --sweep or --repeat'
  bench -1 "${quick[@]}" --sweep-reference=5 run
  must is "$stderr" 'FATAL: --sweep-reference has no effect without --sweep or --repeat'
  bench "${quick[@]}" --sweep=reset:a,b run
  must has "$stderr" '--sweep-reset cannot be swept'
}

@test "--careful stands for repeats, a settled disk, references and pauses; given options win" {
  bench -1 "${quick[@]}" --careful run
  must is "$stderr" 'FATAL: --careful has no effect without --sweep'
  bench -1 "${quick[@]}" --careful --find=threads --slo='p99<=1s' run
  must has "$stderr" '^FATAL: --careful is for --sweep: --find has repeats and references of its own, '
  echo careful >careful.cnf
  bench -0 "${quick[@]}" --config-file=careful.cnf --sweep=threads:1,2 --pause=0 --settle=1ms --json=all.json run
  must check_sweep all.json 'd["sweep"]["repeat"] == 3 and d["sweep"]["pause_s"] == 0 and len(d["steps"]) == 6
    and len(d["references"]) == 3'
  must check_sweep all.json 'all(s["result"]["options"]["settle"]["value"] == "1ms" for s in d["steps"])
    and d["steps"][0]["result"]["options"]["repeat"] == {"value": 3, "source": "shorthand", "where": "--careful"}
    and d["steps"][0]["result"]["options"]["careful"]["source"] == "config_file"'
  bench -0 rerun all.json --repeat=2 --json=again.json
  must check_sweep again.json 'd["sweep"]["repeat"] == 2 and len(d["steps"]) == 4 and len(d["references"]) == 2'
  bench -0 --help=all
  must has "$(tr -s ' \n' ' ' <<<"$output")" '--careful\[=on\|off\] settings for a sweep whose steps are comparable: --repeat=3 --settle=writeback --sweep-reference=5 --sweep-pause=5 \[off\]'
}
