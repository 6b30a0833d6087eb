#!/usr/bin/env bats
# Sweeps, repeats, and the tools for results, as users see them.
load helper

csv() { # csv COLUMN: that column of the table at the end, one value per line
  awk -F, -v name="$1" '
    !found && /^[a-z_-]+,.*events_per_s/ || /^runs,/ || /^events,events_per_s/ {
      for (i = 1; i <= NF; i++) if ($i == name) column = i
      found = 1; next }
    found { print $column }' <<<"$output"
}

reports() { grep -c '^General statistics:' <<<"$output"; }

@test "a sweep of threads with repeats, in turns" {
  bench -0 cpu --sweep=threads:1,2 --time=1 --repeat=2 --json=all.json run
  must is "$(reports)" 4
  must is "$(grep -o '^=== Step.*' <<<"$output")" \
    "=== Step 1 of 4: threads=1 (repeat 1 of 2)
=== Step 2 of 4: threads=2 (repeat 1 of 2)
=== Step 3 of 4: threads=1 (repeat 2 of 2)
=== Step 4 of 4: threads=2 (repeat 2 of 2)"
  must has "$output" '^threads +runs +events +events/s +mean ms +p95 ms +min ms +max ms +errors +client CPUs +note$'
  must has "$output" '^ +1 +2 '
  must has "$output" '^ +2 +2 '
  must has "$output" 'range$'
  must has "$output" '^best: the highest median of events/s\.$'
  must has "$output" '^knee: the smallest value with at least 95 %'
  must is "$(grep -c 'best' <<<"$output")" 3 # a row, two explanations
  must json all.json 'd["schema"] == "bench-sweep/1" and len(d["steps"]) == 4
    and [s["values"]["threads"] for s in d["steps"]] == ["1","2","1","2"]
    and all(s["result"]["run"]["threads"] == int(s["values"]["threads"])
            for s in d["steps"])'
  bench -0 compare all.json all.json
  must has "$output" '^threads=2$'
  must is "$(grep -cE 'better|worse' <<<"$output")" 0
  bench -0 report all.json -o page.html
  page_data page.html
  must json data.json '[r["values"]["threads"] for r in d["runs"]] == ["1", "2"] and len(d["runs"][0]["repeats"]) == 2'
}

@test "every step has files of its own" {
  bench -0 cpu --sweep=events:10,20 --repeat=2 --csv=x.csv --stream=x.jsonl --hdr-log=x.hlog \
    --event-log=x.log --report-interval=1 run
  local kind step
  must is "$(find . -name 'x.*' | wc -l | xargs)" 16
  for step in 1 2 3 4; do
    for kind in csv jsonl hlog log; do
      [ -s "x.$kind.step$step" ]
    done
    # Steps take turns: 10, 20, 10, 20 events.
    must is "$(grep -c '^[0-9]' x.log.step$step)" $((20 - step % 2 * 10))
  done
  bench -0 fileio --sweep=file-num:1,2 --file-total-size=1M --file-test-mode=seqrd --events=4 \
    --csv=f.csv run
  must is "$(echo f.csv*)" "f.csv.step1 f.csv.step2"
}

@test "steps share /dev/null, and no other device or pipe" {
  bench cpu --repeat=2 --events=20 --csv=/dev/null --stream=x.jsonl run
  # The only step is neither the best nor a knee.
  must is "$(grep -c 'best\|knee' <<<"$output")" 0
  must is "$status" 0
  must is "$(echo /dev/null*)" /dev/null
  must is "$(echo x*)" "x.jsonl.step1 x.jsonl.step2"
  mkfifo pipe
  local name
  for name in - pipe /dev/full /dev/stdout; do
    bench -1 cpu --repeat=2 --events=20 --csv=$name run
    must has "$stderr" "^FATAL: with --sweep or --repeat only --json can be on stdout.*--csv=$name .expected a file"
    must is "$output" ""
  done
}

@test "the document of a sweep is no file of a step" {
  bench -1 cpu --repeat=2 --events=20 --csv=z.csv --json=./z.csv.step1 run
  must has "$stderr" "^FATAL: --json and --csv cannot both write to './z.csv.step1'"
  must is "$(echo z*)" 'z*'
  bench -0 cpu --repeat=2 --events=20 --csv=z.csv --json=z.csv.steps run
  must is "$(echo z*)" 'z.csv.step1 z.csv.step2 z.csv.steps'
}

@test "the command may be left out; repeats need no sweep" {
  bench -0 cpu --events=5 --repeat=3 --sweep-format=csv
  must is "$(csv runs)" 3
  must is "$(csv events_min)" 5
  must is "$(reports)" 3
}

@test "tables are made anew for each size, for each number of threads" {
  bench -0 oltp_read_only --db-driver=sqlite --sqlite-db=t.db --events=20 \
    --sweep=threads:1,2 --sweep=table_size:100,1000 --sweep-format=csv run
  must is "$(csv threads)" $'1\n1\n2\n2'
  must is "$(csv table_size)" $'100\n1000\n100\n1000'
  must is "$(csv events)" $'20\n20\n20\n20'
  must is "$(csv queries_per_s | grep -c '[1-9]')" 4
  must is "$(sqlite3 t.db .tables 2>/dev/null)" ""
}

@test "without preparation, steps fail that have no tables" {
  bench -1 oltp_read_only --db-driver=sqlite --sqlite-db=t.db --events=5 \
    --sweep=table_size:100,1000 --sweep-prepare=off --sweep-format=csv run
  must is "$(csv events)" $'-\n-'
}

@test "a step that fails is marked, and the sweep goes on, or not" {
  cat >f.lua <<'LUA'
sysbench.cmdline.options = {n = {"n", 1}}
function event() if sysbench.opt.n == 2 then error("boom") end end
LUA
  bench -1 ./f.lua --sweep=n:1..3 --events=10 --sweep-format=csv run
  must is "$(csv events)" $'10\n-\n10'
  must has "$output" '^2,.*failed \(run, exit status 1\)'
  must has "$stderr" 'boom'
  bench -1 ./f.lua --sweep=n:1..3 --events=10 --sweep-stop-on-error \
    --sweep-format=csv run
  must is "$(csv events)" $'10\n-'
}

@test "an impossible step is found before the first one starts" {
  bench -1 cpu --sweep=threads:1,2,0 run
  must is "$output" ""
  must has "$stderr" "^FATAL: Invalid value for --threads: '0'"
  must has "$stderr" '^Sweep step threads=0 is not valid; nothing was run'
  bench -1 cpu --sweep=no-such:1 run
  must has "$stderr" '^invalid option: --no-such=1$'
  bench -1 cpu --repeat=2 --threads=0 run
  must is "$(wc -l <<<"$stderr")" 1
  must has "$stderr" "^FATAL: Invalid value for --threads: '0'"
  bench -1 threads --sweep=threads:1 --sweep-prepare=on run
  must has "$stderr" "does not implement the '(prepare|cleanup)' command"
}

@test "sweeps that make no sense are refused" {
  local bad
  for bad in threads threads: :1 threads:1,1 threads:4..1 threads:1..8*1; do
    bench -1 cpu "--sweep=$bad" run
    must is "$output" ""
    must has "$stderr" "^FATAL: Invalid value for --sweep: "
  done
  bench cpu --sweep=threads:1 --sweep=num-threads:2 run
  must has "$stderr" "names 'threads' twice"
  bench cpu --sweep=json:a,b run
  must has "$stderr" "json cannot be swept"
  bench -1 cpu --sweep-pause=1 run
  must is "$stderr" 'FATAL: --sweep-pause has no effect without --sweep or --repeat'
  bench -1 cpu --sweep=threads:1,2 help
  bench -1 cpu --sweep=threads:1,2 --csv=- run
  must is "$output" ""
  must has "$stderr" 'only --json can be on stdout'
  bench -1 cpu --sweep=threads:1,2 --csv=no/such/folder.csv run
  must is "$output" ""
  must has "$stderr" 'no/such/folder.csv.step1'
  bench -1 cpu --sweep=threads:1,2 --json=no/such/folder.json run
  must is "$output" ""
}

@test "Ctrl-C ends the sweep after the step, a second one ends the step" {
  "$BENCH" cpu --sweep=threads:1,2,3 --time=2 --sweep-format=csv --summary=markdown:s.md run \
    >out 2>err 3>&- &
  local pid=$!
  until_started "$pid"
  kill -INT "$pid"
  wait "$pid" || status=$?
  must is "$status" 130
  output=$(<out)
  must is "$(csv threads)" 1
  must has "$(<out)" '^1,[1-9]'
  must has "$(<err)" 'the sweep ends after this step'
  must has "$(<s.md)" '^## Sweep of cpu: \*\*ended by SIGINT\*\*$'
  holds "$(number 'total time:') >= 1.9"

  rm out err
  "$BENCH" cpu --sweep=threads:1,2,3 --time=60 --sweep-format=csv run \
    >out 2>err 3>&- &
  pid=$!
  until_started "$pid"
  kill -INT "$pid"
  until grep -qs 'ends after this step' err; do sleep 0.05; done
  # The same one a moment later is an echo of the first.
  while kill -INT "$pid" 2>/dev/null; do sleep 0.05; done
  status=0
  wait "$pid" || status=$?
  must is "$status" 130
  must has "$(<out)" 'interrupted \(run, exit status 130\)'
}

@test "a sweep ends if nobody reads it, and leaves nothing; with files it goes on" {
  mkdir tmp
  run bash -c 'TMPDIR=$PWD/tmp "$BENCH" cpu --sweep=threads:1,2 --events=5 run 2>/dev/null | head -n 1
    exit "${PIPESTATUS[0]}"'
  must is "$status" 141
  must is "$(ls tmp)" ""
  run bash -c '"$BENCH" cpu --sweep=threads:1,2 --events=5 --json=s.json run 2>/dev/null | head -n 1
    exit "${PIPESTATUS[0]}"'
  must is "$status" 0
  must json s.json 'len(d["steps"]) == 2'
  run bash -c '"$BENCH" cpu --sweep=threads:1,2 --events=5 --csv=s.csv run 2>/dev/null | head -n 1
    exit "${PIPESTATUS[0]}"'
  must is "$status" 0
  must is "$(echo s.csv*)" "s.csv.step1 s.csv.step2"
}

@test "a hangup ends the sweep and its step, unless it is ignored" {
  cat >f.lua <<'LUA'
sysbench.cmdline.options = {n = {"n", 1}}
function event()
  while sysbench.opt.n == 2 and not io.open("go") do os.execute("sleep 0.05") end
end
LUA
  mkdir tmp
  # Whoever runs the tests may ignore it, as nohup does.
  TMPDIR=$PWD/tmp python3 -c 'import os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' \
    "$BENCH" ./f.lua --sweep=n:1..3 --events=5 --json=all.json run >out 2>err 3>&- &
  local pid=$!
  until [ "$(grep -c 'Threads started' out)" = 2 ]; do sleep 0.05; done
  kill -HUP "$pid"
  : >go
  wait "$pid" || status=$?
  must is "$status" 129
  must is "$(ls tmp)" ""
  must json all.json 'd["sweep"]["interrupted"] and len(d["steps"]) == 2
    and d["steps"][0]["result"]["totals"]["events"] == 5'

  rm go out
  (trap '' HUP && exec "$BENCH" ./f.lua --sweep=n:1..3 --events=5 run) >out 2>err 3>&- &
  pid=$!
  until [ "$(grep -cs 'Threads started' out)" = 2 ]; do sleep 0.05; done
  kill -HUP "$pid"
  : >go
  status=0
  wait "$pid" || status=$?
  must is "$status" 0
}

@test "sweeps notice the end of steps where SIGCHLD is ignored" {
  run -0 timeout 120 python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$BENCH" cpu --repeat=2 --events=20 run
  must is "$(reports)" 2
}

@test "results on the standard output leave it to them" {
  bench -0 cpu --events=3 --sweep=threads:1,2 --json=- run
  printf '%s' "$output" >all.json
  must json all.json 'len(d["steps"]) == 2'
  must has "$stderr" '^General statistics:'
}

@test "a sweep in a configuration file" {
  printf 'sweep = threads:1,2\nevents = 4\n' >my.cnf
  bench -0 cpu --config-file=my.cnf --sweep=cpu-max-prime:10,20 \
    --sweep-format=csv run
  must is "$(csv cpu-max-prime)" $'10\n20\n10\n20'
}

# ---------------------------------------------------------------------------
# tools

make_results() {
  "$BENCH" cpu --time=1 --report-interval=0.25 --json=a.json run >/dev/null
  "$BENCH" cpu --time=1 --report-interval=0.25 --threads=2 --json=b.json run >/dev/null
}

@test "compare: text, Markdown, JSON, exit status" {
  make_results
  steady a.json b.json
  bench -0 compare a.json b.json
  must has "${lines[0]}" '^verdict +figure +base +new +change +99 % interval$'
  must has "${lines[1]}" '^(same|faster|slower|inconclusive) +events/s +[0-9]'
  must has "$output" '^figure +base +new +change +99 % interval +verdict +smallest visible$'
  must has "$output" '^events/s +[0-9]'
  must has "$output" '^  option threads: 1, 2$'
  bench -0 compare a.json a.json b.json --format=markdown
  must has "${lines[0]}" '^\| verdict \| file \| figure \|'
  must has "${lines[2]}" '^\| (same|inconclusive) \| a.json \| events/s \|'
  must has "$output" '^\| events/s \|'
  "$BENCH" cpu --time=0.1 --label=$'<b>\n```' --json=c.json run >/dev/null
  bench -0 compare c.json b.json --format=markdown
  must has "$output" '^- base +c.json \(\\<b> \\`\\`\\`\): cpu, '
  # Noise could leave open even this with results of a second.
  make_rates
  bench -0 compare fast.json slow.json --format=json --fail-if-slower=99
  printf '%s' "$output" >c.json
  must json c.json 'd["schema"] == "bench-compare/1" and d["slower"] == False
    and d["threshold"] == 0.99
    and d["comparisons"][0]["figures"][0]["name"] == "events/s"
    and d["comparisons"][0]["decision"]["figure"] == "events/s"
    and d["comparisons"][0]["decision"]["gate"] == "passed"'
}

@test "compare, report: classes of statements in the order of their time, with their share" {
  for i in a b; do
    "$BENCH" oltp_read_write --db-driver=null --tables=3 --events=200 --time=0 --json=$i.json run >/dev/null
  done
  steady a.json b.json
  bench -0 compare a.json b.json
  must has "$output" '^figure +share +base +new +change '
  must has "$output" '^SELECT c FROM sbtest# WHERE id=\? +[0-9.]+ % '
  bench compare a.json b.json --format=json
  printf '%s' "$output" >c.json
  bench report a.json --format=markdown
  must has "$output" '^\| operation +\| +share of time \| +count '
  must python3 - "$output" <<'PY'
import json, re, sys
shares = [f["time_ratio"] for f in json.load(open("c.json"))["comparisons"][0]["figures"]
          if f["kind"] == "class"]
assert len(shares) == 11 and shares == sorted(shares, reverse=True), shares
assert abs(sum(shares) - 1) < 1e-6, shares
rows = [float(m) for m in re.findall(r"^\| [A-Z][^|]*\| +([0-9.]+) % ", sys.argv[1], re.M)]
assert rows == [round(100 * s, 1) for s in shares], (rows, shares)
PY
}

@test "compare: a table that cannot be written is an error" {
  make_results
  local format
  for format in text markdown json; do
    status=0
    "$BENCH" compare a.json b.json --format=$format >/dev/full 2>err || status=$?
    stderr=$(<err)
    must is "$status" 1
    must is "$stderr" \
      "FATAL: cannot write to the standard output, errno = 28 (No space left on device)"
  done
}

# make_rates: NAME.json are runs of 20 intervals with such a rate; of noise.json
# every interval is anything from 0.4 to 1.6 times that.
make_rates() {
  python3 - <<'PY'
import json, random
random.seed(31)
def run(rate, noisy=False):
    shape = lambda t: random.uniform(0.4, 1.6) * rate if noisy else \
        rate + 10 * (t % 3) * (rate > 0)
    i = [dict(elapsed_s=t+1, period_s=1.0, events=shape(t), errors=0,
              partial=False, latency_ns=dict(mean=1e9/max(rate, 1)))
         for t in range(20)]
    return dict(schema="bench/1", tool=dict(version="1"),
                run=dict(test="cpu", threads=1), options={},
                totals=dict(period_s=20.0, events=20*rate,
                            events_per_s=rate, errors=0,
                            latency_ns=dict(min=1, mean=1e9/max(rate, 1), max=2)),
                intervals=i)
def put(name, doc):
    json.dump(doc, open(name + ".json", "w"))
def sweep(*rates):
    return dict(schema="bench-sweep/1", steps=[
        dict(values=dict(threads=str(n + 1)), exit_status=0, result=run(*r))
        for n, r in enumerate(rates)])
put("fast", run(1000))
put("bit", run(995))
put("near", run(955))
put("slow", run(800))
put("still", run(0))
put("noise", run(1000, True))
put("sweep", sweep((1000,), (2000,), (3000,)))
put("sweep2", sweep((1000,), (1500,), (3000, True)))
PY
}

@test "compare: same, slower, faster and inconclusive" {
  make_rates
  bench -0 compare fast.json bit.json
  must has "${lines[1]}" '^same +events/s .* -0.*%'
  bench compare fast.json slow.json
  must has "${lines[1]}" '^slower +events/s .* -20.0 %  -'
  bench compare slow.json fast.json
  must has "${lines[1]}" '^faster +events/s .* \+25.* %'
  bench -0 compare fast.json noise.json
  must has "${lines[1]}" '^inconclusive +events/s '
  must has "$output" '^inconclusive: a slowdown of up to [0-9.]+ % would have gone unnoticed; repeat with --repeat=[0-9]+'
  # The option sets the threshold of all verdicts.
  bench -5 compare fast.json bit.json --fail-if-slower=0.1
  must has "${lines[1]}" '^inconclusive +events/s '
  must has "$output" '^CANNOT TELL: a slowdown of up to [0-9.]+ % would have gone unnoticed'
  bench -0 compare fast.json slow.json --fail-if-slower=40
  must has "${lines[1]}" '^same +events/s '
  # 0 would mean to be certain of a difference that is none.
  bench -2 compare fast.json fast.json --fail-if-slower=0
}

@test "compare: without enough intervals nothing is told, and no spread is made up" {
  make_rates
  python3 - <<'PY'
import json
for name in "fast", "slow":
    d = json.load(open(name + ".json"))
    d["intervals"] = d["intervals"][:3]
    json.dump(d, open("short-" + name + ".json", "w"))
    # The same run in slices of a length of its own.
    d["slices"] = dict(end_s=[2 * i + 2 for i in range(10)], queries=[0] * 10,
                       events=[2 * d["totals"]["events_per_s"]] * 10, latency_sum_ns=[2e9] * 10)
    json.dump(d, open("sliced-" + name + ".json", "w"))
    d["client"] = dict(run_queue_delay_s=12, cpus_used=1.4, cpus_allowed=2,
                       other_programs_cpus=0.6, steal_cpus=0)
    d["run"]["threads"] = 8
    json.dump(d, open("shaken-" + name + ".json", "w"))
    d["client"].update(run_queue_delay_s=0, cpus_used=1.2, other_programs_cpus=0, steal_cpus=0.2)
    json.dump(d, open("stolen-" + name + ".json", "w"))
    d = json.load(open(name + ".json"))
    for part in (d["totals"], *d["intervals"]):
        part["events"] *= 10
        part["latency_ns"]["percentiles"] = {"99": 5e6}
    d["client"] = dict(run_queue_delay_s=12, cpus_used=0.98, cpus_allowed=2, other_programs_cpus=0.02)
    json.dump(d, open("tail-" + name + ".json", "w"))
PY
  bench -5 compare short-fast.json short-slow.json --fail-if-slower=5
  must has "${lines[1]}" '^inconclusive +events/s +1000.* +800.* +-20.0 %$'
  must has "$output" '^CANNOT TELL: too few intervals; use a longer --time, or repeat with --repeat=3$'
  must has "$output" '^No figure can be compared: too few intervals$'
  must [ "$(grep -c '^events/s' <<<"$output")" = 0 ]
  bench -3 compare sliced-fast.json sliced-slow.json --fail-if-slower=5
  # With more threads than processors, they wait for each other and for others.
  bench -5 compare shaken-fast.json shaken-slow.json --fail-if-slower=5
  must has "$output" "^CANNOT TELL: disturbed run; 'shaken-fast.json' lost 30.0 % of its CPU time to other programs; stop the other programs, or repeat with --repeat=5\$"
  bench -5 compare fast.json stolen-slow.json --fail-if-slower=5
  must has "$output" "^CANNOT TELL: disturbed run; 'stolen-slow.json' lost 14.3 % of its CPU time to the hypervisor; use a virtual machine with CPUs of its own, or repeat with --repeat=5\$"
  # Too little for a warning of the run, and too much for the slowest events.
  bench compare tail-fast.json tail-slow.json
  must has "$output" '^p99 .*inconclusive: disturbed run$'
  must has "$output" "^Disturbed run: 'tail-fast.json' lost 2.0 % of its CPU time to other programs\.\$"
  bench compare shaken-fast.json shaken-slow.json --format=json
  echo "$output" >c.json
  must json c.json '(lambda f: f["verdict"] == "inconclusive" and f["reason"] == "disturbed run"
    and f["ratio"] == 0.8 and "ratio_low" not in f)(d["comparisons"][0]["figures"][0])'
}

@test "compare: labels, and costs that are more or less" {
  for i in a b; do
    "$BENCH" cpu --events=20 --label=commit-$i --json=$i.json run >/dev/null
  done
  steady a.json b.json
  # Three repeats of each, since a run has one figure of its processor time.
  python3 - <<'PY'
import json
for name, factor in ("a", 1), ("b", 2):
    d = json.load(open(name + ".json"))
    runs = []
    for i in range(3):
        d["client"]["cpu_per_event_ns"] = (1000 + i) * factor
        runs.append(dict(values={}, exit_status=0, result=json.loads(json.dumps(d))))
    json.dump(dict(schema="bench-sweep/1", steps=runs), open(name + "3.json", "w"))
PY
  bench -0 compare a3.json b3.json
  must has "$output" '^client CPU/event .* more '
  must has "$output" '^base  a3.json \(commit-a\): cpu, '
  must has "$output" '^new   b3.json \(commit-b\): cpu, '
  must [ "$(grep -c 'option label' <<<"$output")" = 0 ]
  bench compare b3.json a3.json --format=json
  echo "$output" >c.json
  must json c.json '[c["base_label"] for c in d["comparisons"]] == ["commit-b"] and
    [f["verdict"] for f in d["comparisons"][0]["figures"] if f["kind"] == "client_cpu"] == ["less"]'
}

@test "compare: a line per step comes first, and what is to be done" {
  make_rates
  bench -3 compare sweep.json sweep2.json --fail-if-slower=5
  must has "${lines[0]}" '^verdict +step +figure +base +new +change +99 % interval$'
  must has "${lines[1]}" '^same +threads=1 +events/s '
  must has "${lines[2]}" '^slower +threads=2 +events/s +20[0-9.]+ +15[0-9.]+ +-25.0 %'
  must has "${lines[3]}" '^inconclusive +threads=3 +events/s '
  must is "${lines[4]}" "SLOWER (threads=2): events/s -25.0 %, which is more than 5 %"
  must has "${lines[5]}" \
    '^CANNOT TELL \(threads=3\): a slowdown of up to [0-9.]+ % would have gone unnoticed; repeat with --repeat=[0-9]+, or with --repeat=5 and a longer --time \(about [0-9.]+ times\)$'
  must is "$stderr" "WARNING: --fail-if-slower=5 failed: 1 slower and 1 inconclusive of 3 comparisons"
  bench -3 compare sweep.json sweep2.json --fail-if-slower=5 --format=json
  printf '%s' "$output" >c.json
  must json c.json '[c["decision"]["gate"] for c in d["comparisons"]] ==
    ["passed", "slower", "unknown"] and
    [c["decision"]["verdict"] for c in d["comparisons"]] ==
    ["same", "slower", "inconclusive"] and
    d["comparisons"][2]["decision"]["repeats_needed"] > 1 and
    d["comparisons"][2]["decision"]["slowdown_at_most"] > 0.05 and
    d["threshold"] == 0.05'
}

@test "compare: two noisy sweeps are inconclusive, which fails the gate" {
  make_rates
  python3 - <<'PY'
import json
d = json.load(open("sweep2.json"))
del d["steps"][:2]
json.dump(d, open("noisy.json", "w"))
PY
  bench -5 compare noisy.json noisy.json --fail-if-slower=5
  must has "${lines[1]}" '^inconclusive +threads=3 +events/s .* \+0.00 %'
  must has "$output" '^CANNOT TELL \(threads=3\): a slowdown of up to '
  bench -0 compare noisy.json noisy.json --fail-if-slower=5 --inconclusive=pass
  must is "$stderr" ""
  bench -0 compare noisy.json noisy.json
  must is "$stderr" ""
}

@test "compare: --fail-if-slower" {
  make_rates
  bench -3 compare fast.json slow.json --fail-if-slower=5
  must has "$output" '^events/s .* slower '
  bench -0 compare fast.json slow.json --fail-if-slower=30
  must is "$stderr" ""
  bench -3 compare fast.json slow.json --fail-if-slower=5% --inconclusive=pass
  must is "$stderr" "WARNING: --fail-if-slower=5% failed: 1 slower and 0 inconclusive of 1 comparison"
  bench -0 compare slow.json fast.json --fail-if-slower=5
  must has "$output" '^events/s .* faster '
  # Slower, but nobody knows whether by more than that.
  bench -5 compare fast.json near.json --fail-if-slower=5
  must has "${lines[1]}" '^slower +events/s '
  must has "$output" '^CANNOT TELL: it is slower, by up to [5-9][0-9.]* %; repeat with --repeat='

  # A run that does nothing is the slowest of all.
  bench -3 compare fast.json still.json --fail-if-slower=99
  must has "$output" '^events/s .* -100.0 % .* slower '
  must has "$output" '^SLOWER: events/s -100.0 %, which is more than 99 %$'
  must is "$stderr" "WARNING: --fail-if-slower=99 failed: 1 slower and 0 inconclusive of 1 comparison"
  bench -0 compare fast.json still.json
  # What cannot be compared is not known to be as fast.
  bench -5 compare still.json fast.json --fail-if-slower=5
  must has "$output" "^CANNOT TELL: 'still.json' and 'fast.json' cannot be compared$"
  must is "$stderr" "WARNING: --fail-if-slower=5 failed: 0 slower and 1 inconclusive of 1 comparison"
  bench -5 compare still.json fast.json --fail-if-slower=5 --format=json
  printf '%s' "$output" >c.json
  must json c.json 'd["slower"] == False and d["undecided"] == True'
}

@test "compare: --fail-if-slower and steps that are missing" {
  cat >f.lua <<'LUA'
sysbench.cmdline.options = {n = {"n", 1}}
function event() if sysbench.opt.n == tonumber(os.getenv("BAD")) then error("boom") end end
LUA
  "$BENCH" ./f.lua --sweep=n:1..3 --events=10 --json=good.json run >/dev/null
  BAD=2 "$BENCH" ./f.lua --sweep=n:1..3 --events=10 --json=bad.json run >/dev/null 2>&1 || true
  bench -5 compare good.json bad.json --fail-if-slower=99 --inconclusive=pass
  must has "$output" '^only in good.json: n=2$'
  must has "$output" "^CANNOT TELL \(n=2\): 'bad.json' has no result of this step$"
  must has "$output" '^inconclusive +n=2 '
  bench -0 compare good.json bad.json
  must is "$stderr" ""
  # For programs, too.
  bench -0 compare good.json bad.json good.json --format=json
  printf '%s' "$output" >c.json
  must json c.json 'd["only_in_base"] == [{"file": "good.json",
    "compared_with": "bad.json", "values": {"n": "2"}}]
    and d["only_in_new"] == [] and len(d["comparisons"]) == 5'
  bench compare bad.json good.json --format=json
  printf '%s' "$output" >c.json
  must json c.json 'd["only_in_base"] == [] and
    [o["values"]["n"] for o in d["only_in_new"]] == ["2"]'
  # More steps than the base has do no harm.
  bench -0 compare bad.json good.json --fail-if-slower=99 --inconclusive=pass
}

@test "report: one page without a network, Markdown, text" {
  make_results
  bench -0 report a.json b.json -o page.html
  must is "$output$stderr" ""
  must has "$(<page.html)" '^<!DOCTYPE html>'
  must is "$(grep -Ec "https?://|src=|@import|url\([^#']|fetch\(|import\(|XMLHttp|WebSocket|EventSource" page.html)" 0
  # It may connect to nothing, and has what was compared on top.
  must has "$(<page.html)" "content=\"default-src 'none';style-src 'unsafe-inline';script-src 'unsafe-inline';img-src data:\""
  must is "$(grep -o '<h2>[^<]*' page.html | head -n 2)" $'<h2>Comparison\n<h2>Summary'
  page_data page.html
  must json data.json '[r["label"] for r in d["runs"]] == ["a", "b"] and
    all(r["hist"] and (len(r["series"].get("t", {"y": []})["y"]) < 2 or r["heat"] and r["series"]["latency_ns.percentiles.99"])
        for r in d["runs"])'
  bench report a.json --format=markdown
  must has "$output" '^\| a \| 1 \|'
  bench -0 report --format=text a.json --output=page.txt
  must has "$(<page.txt)" '^Summary:$'
}

@test "report: failed steps, interrupted runs and errors are told" {
  cat >fails.lua <<'LUA'
function event()
  if sysbench.opt.threads == 2 then error("no luck") end
end
LUA
  bench -1 ./fails.lua --sweep=threads:1,2 --time=1 --json=s.json run
  local format
  for format in text markdown html; do
    bench -0 report s.json --format=$format
    must has "$output" 'threads=2.*failed and is left out: .*no luck'
  done

  "$BENCH" cpu --time=60 --json=cut.json run >out 3>&- &
  local pid=$!
  until_started "$pid"
  kill -INT "$pid"
  wait "$pid" || must is "$?" 130
  bench report cut.json
  must has "$output" 'a signal ended the run before its time'

  cat >errors.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT nothing FROM nowhere") end
LUA
  bench -0 ./errors.lua --db-driver=sqlite --sqlite-db=e.db --db-ignore-errors=all --time=1 \
    --json=e.json run
  bench -0 report e.json --format=markdown
  # A row per error, with as many cells as the head has.
  must has "$output" '^\| result \| source \| code \| state \| count \| first message \|$'
  must has "$output" '^\| e \| sqlite \| 1 \| .* \| .*nothing.* \|$'
}

@test "rerun: the same options, others on top, sweeps as they were" {
  "$BENCH" cpu --events=7 --cpu-max-prime=77 --json=a.json run >/dev/null
  bench -0 rerun a.json
  must is "$(number 'total number of events:')" 7
  must is "$(number 'Prime numbers limit:')" 77
  bench rerun a.json --events=9
  must is "$(number 'total number of events:')" 9
  bench -2 rerun a.json --threads=0
  must is "$(tail -1 <<<"$stderr")" "FATAL: Invalid value for --threads: '0' (expected an integer from 1 to 1000000)"
  bench -1 rerun a.json --bad=1
  must is "$(tail -1 <<<"$stderr")" 'invalid option: --bad=1'
  "$BENCH" cpu --events=3 --sweep=threads:1,2 --sweep=cpu-max-prime:5,6 \
    --json=s.json run >/dev/null
  bench -0 rerun s.json --sweep-format=csv
  must is "$(csv threads)" $'1\n1\n2\n2'
}

@test "rerun: a value that was given as empty is empty again" {
  needs_driver null
  cat >options.lua <<'LUA'
sysbench.cmdline.options = {
   word = {"a word with a default", "usual"}, other = {"another one", "same"}
}
function event()
   print("word <" .. sysbench.opt.word .. "> other <" .. sysbench.opt.other .. ">")
end
LUA
  "$BENCH" ./options.lua --word= --events=1 --json=empty.json run >/dev/null
  bench -0 rerun empty.json --trust
  must has "$output" '^word <> other <same>$'
  "$BENCH" cpu --events=1 --db-ignore-errors= --json=list.json run >/dev/null
  bench -0 rerun list.json --json=again.json
  must has "$(grep -A 2 '"db-ignore-errors"' again.json)" '"value": \[\],'
  must has "$(grep -A 2 '"db-ignore-errors"' again.json)" '"source": "command_line"'
}

@test "rerun: values are given as they were, or not at all" {
  cat >options.lua <<'LUA'
sysbench.cmdline.options = { word = {"a word", "usual"} }
function event()
  local f = io.open("word", "wb")
  f:write(sysbench.opt.word)
  f:close()
end
LUA
  local long
  printf -v long '%0100000d' 0
  local word
  for word in $'two\nlines' $'\nlines\n\n' "$long" $'t\xc3\xa4glich'; do
    "$BENCH" ./options.lua --word="$word" --events=1 --json=a.json run >/dev/null
    rm word
    bench -0 rerun a.json --trust
    must is "$(cat word; echo .)" "$word."
  done
  # What documents cannot hold.
  "$BENCH" ./options.lua --word=$'t\xe4glich' --events=1 --json=a.json run >/dev/null
  must json a.json 'd["options"]["word"]["latin1"] == True'
  rm word
  bench -2 rerun a.json --trust
  must is "$stderr" "FATAL: the value of --word is not in results, because it is not valid UTF-8: give it again"
  [ ! -e word ]
  bench -0 rerun a.json --trust --word=again
  must is "$(<word)" again
  # What command lines cannot hold.
  python3 -c '
import json
d = json.load(open("a.json"))
d["options"]["word"] = dict(value="x" * 200000, source="config_file")
json.dump(d, open("long.json", "w"))'
  bench -2 rerun long.json --trust
  must has "$stderr" '^FATAL: cannot start the program again, errno = 7'
}

@test "rerun: a program that was removed says the same" {
  ! emulated || skip "the program of the process is the emulator"
  "$BENCH" cpu --events=1 --json=a.json run >/dev/null
  python3 -c '
import json
d = json.load(open("a.json"))
d["options"]["db-driver"] = dict(value="x" * 200000, source="config_file")
json.dump(d, open("long.json", "w"))'
  cp "${BENCH_REAL:-$BENCH}" copy
  run -2 --separate-stderr bash -c 'exec 3<copy && rm copy && exec /proc/self/fd/3 rerun long.json'
  must has "$stderr" '^FATAL: cannot start the program again, errno = 7'
}

@test "rerun: nor values of a sweep that are no text" {
  printf 'sysbench.cmdline.options = { w = {"", "x"} }\nfunction event() end\n' >w.lua
  "$BENCH" ./w.lua --sweep=w:$'a\xe9',b --events=1 --json=sw.json run >/dev/null
  bench -2 rerun sw.json
  must is "$stderr" "FATAL: the value of --sweep is not in results, because it is not valid UTF-8: give it again"
  bench -0 rerun sw.json --trust --sweep=w:c,d --json=again.json
  must json again.json '[s["values"]["w"] for s in d["steps"]] == ["c", "d"]'
}

# typing ANSWER COMMAND...: runs the command on a terminal of its own, answers its
# question, and prints what was seen and the exit status.
typing() {
  python3 - "$@" <<'PY'
import os, pty, sys
answer, command = sys.argv[1], sys.argv[2:]
pid, tty = pty.fork()
if pid == 0:
    os.execv(command[0], command)
seen = b""
while not seen.endswith(b"Type yes: "):
    seen += os.read(tty, 1000)
os.write(tty, answer.encode() + b"\n")
try:
    while more := os.read(tty, 1000):
        seen += more
except OSError:
    pass
print(seen.decode().replace("\r", ""))
print("exit", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
}

# refuses WHAT: rerun of t.json prints a command, and refuses to run it.
refuses() {
  bench -2 rerun t.json
  must is "$output" ''
  must is "$(wc -l <<<"$stderr")" 2
  must has "$(head -1 <<<"$stderr")" "bench(real)? .* run$"
  must is "$(tail -1 <<<"$stderr")" "FATAL: 't.json' needs your consent for $1: add --trust if you trust the command above, or answer at a terminal"
  [ ! -e ran ]
}

# document OPTIONS [TEST]: writes t.json, with these options.
document() {
  cat >t.json <<JSON
{"schema": "bench/1", "run": {"test": "${2-cpu}"}, "totals": {"events": 1},
 "options": {$1, "events": {"value": 2, "source": "command_line"}}}
JSON
}

@test "rerun: the command is printed first, so that a shell can read it" {
  cat >args.lua <<'LUA'
sysbench.cmdline.options = { word = {"a word", ""} }
function event() print("<" .. sysbench.opt.word .. ">") end
LUA
  local word line
  for word in "it's" $'a\nb\tc' $'\e[1mbold' 'back\slash $HOME' $'t\xc3\xa4glich'; do
    "$BENCH" ./args.lua --word="$word" --events=1 --json=a.json run >/dev/null
    bench -0 rerun a.json --trust --mysql-password=hidden
    must is "$(wc -l <<<"$stderr")" 1
    must is "$(tr -d ' -~' <<<"$stderr")" '' # nothing that a terminal obeys
    must is "$(grep -c hidden <<<"$stderr")" 0
    line=$(bash -c "$stderr")
    must is "$(grep -A1 '^<' <<<"$line")" "$(grep -A1 '^<' <<<"$output")"
    must has "$line" "^<"
  done
}

@test "rerun: what a document runs, writes or reads needs consent" {
  echo 'os.execute("touch ran") function event() end' >own.lua
  echo 'SELECT 1;' >own.sql
  local value='"source": "command_line", "value":'
  "$BENCH" cpu --events=1 --repeat=2 --sweep-reset='touch ran' --json=t.json run >/dev/null 2>&1
  rm ran
  refuses '--sweep-reset (runs a shell command)'
  local script word
  for script in ./own.lua own.lua own own.sql "$PWD/own.lua" "$PWD/../${PWD##*/}/own"; do
    document '"x": {'"$value"' null}' "$script"
    refuses "$script (a script that is not part of bench)"
  done
  for script in ./own.lua,oltp_read_only oltp_read_only@1,own cpu,x=own.sql ./own.lua,x/oltp_read_only; do
    document '"mix": {'"$value"' ["'"$script"'"]}' mix
    refuses "--mix=$script (runs scripts that are not part of bench)"
  done
  # A folder that has the name of the one in a static program.
  mkdir embedded:
  cp own.lua embedded:/mine.lua
  BENCH_DATADIR=embedded: document '"x": {'"$value"' null}' embedded:/mine.lua
  BENCH_DATADIR=embedded: refuses 'embedded:/mine.lua (a script that is not part of bench)'
  document '"ack_log": {'"$value"' "old.log"}' ack
  refuses '--ack_log (writes a log)'
  document '"password-file": {'"$value"' "pw"}' oltp_read_only
  refuses '--password-file (reads a password)'
  document '"force": {'"$value"' true}, "table-exists": {'"$value"' "drop"}' tpcc
  refuses '--force (drops tables of others)'
  for word in get-server-public-key GET_SERVER_PUBLIC_KEY get-server%2dpublic-key; do
    document '"dsn": {'"$value"' "mysql://u@127.0.0.1:1/db?'$word'=on"}' oltp_read_only
    refuses '--dsn (takes the key of any server)'
  done
  document '"yes-destroy": {'"$value"' true}' fileio
  refuses '--yes-destroy (destroys the data on a device), fileio (writes to its test files)'
  document '"file_test_mode": {'"$value"' "seqwr"}, "file-num": {'"$value"' 1}' fileio
  refuses 'fileio (writes to its test files)'
  must [ ! -e test_file.0 ]
  document '"file_test_mode": {'"$value"' "seqrd"}' fileio
  bench rerun t.json --events=1
  must is "$(grep -c 'needs your consent' <<<"$stderr")" 0
  document '"luajit-cmd": {'"$value"' "v=old.log"}' oltp_read_only
  refuses '--luajit-cmd (runs a module of LuaJIT, which may write a file)'
  document '"model-file": {'"$value"' "old.log"}' model
  refuses '--model-file (writes a file)'
  document '"mysql-cleartext": {'"$value"' true}' oltp_read_only
  refuses '--mysql-cleartext (sends the password as it is)'
  python3 - <<'PY'
import json
run = {"schema": "bench/1", "run": {"test": "cpu"}, "totals": {"events": 1}, "options": {
  "sweep": {"source": "command_line", "value": "mix:own,oltp_read_only\npassword-file:a,b"}}}
json.dump({"schema": "bench-sweep/1", "test": "cpu", "steps": [
  {"values": {}, "combination": 0, "exit_status": 0, "result": run}]}, open("t.json", "w"))
PY
  refuses "--sweep=mix:own,oltp_read_only (runs scripts that are not part of bench), --sweep=password-file (reads a password)"
}

@test "rerun: a yes at the terminal, or --trust, is consent" {
  echo 'function event() print("it ran") end' >own.lua
  "$BENCH" ./own.lua --events=1 --json=t.json run >/dev/null
  run -0 typing yes "$BENCH" rerun t.json
  must has "$output" "^'t.json' needs your consent for ./own.lua \\(a script that is not part of bench\\)\.$"
  must has "$output" '^it ran$'
  must has "$output" '^exit 0$'
  local answer
  for answer in no '' y 'yes and no'; do
    run typing "$answer" "$BENCH" rerun t.json
    must is "$(grep -c '^it ran$' <<<"$output")" 0
    must has "$output" '^FATAL: nothing was run: the answer was not yes$'
    must has "$output" '^exit 2$'
  done
  bench -2 rerun t.json <<<yes # that is nobody at a terminal
  bench -0 rerun t.json --trust=on
  must has "$output" '^it ran$'
  bench -2 rerun t.json --trust --trust=off
  # Tests and scripts that come with bench need none.
  "$BENCH" cpu --events=2 --sweep=threads:1,2 --json=t.json run >/dev/null
  bench -0 rerun t.json
  needs_driver null
  "$BENCH" mix --mix=oltp_read_only@2,oltp_point_select --db-driver=null --events=1 --json=t.json run >/dev/null
  bench -0 rerun t.json
}

@test "rerun: a document that is no run, or whose options are none" {
  local value='"source": "command_line", "value":' test
  document '"reset=touch ran;": {'"$value"' "x"}'
  bench -2 rerun t.json
  must is "$stderr" "FATAL: 't.json' is not a result of bench: --reset=touch ran;"
  for test in --sweep-reset=x report verify doctor; do
    document '"x": {'"$value"' null}' $test
    bench -2 rerun t.json --trust
    must is "$stderr" "FATAL: 't.json' is not a result of a test: '$test'"
  done
  echo 'reset = touch ran' >own.cnf
  document '"config_file": {'"$value"' "own.cnf"}'
  bench -0 rerun t.json
  must is "$(grep -c config <<<"$stderr")" 0
}

@test "rerun: secrets have to be given again" {
  cat >secret.json <<'JSON'
{"schema": "bench/1", "run": {"test": "cpu"}, "totals": {"events": 1},
 "options": {"events": {"value": 2, "source": "command_line"},
 "my-password": {"secret": true, "source": "command_line"}}}
JSON
  bench -2 rerun secret.json
  must has "$stderr" 'the value of --my-password is not in results'
  must has "$stderr" 'set BENCH_MY_PASSWORD$'
}

@test "bad input: one line, exit 2, nothing written" {
  make_results
  head -c 500 a.json >cut.json
  sed 's#"bench/1"#"bench/9"#' a.json >newer.json
  echo '{"schema": "other"}' >other.json
  sed 's#"test": "cpu"#"test": "memory"#' a.json >memory.json
  : >empty.json
  local bad tool
  for bad in cut newer other empty missing; do
    for tool in "compare a.json $bad.json" "compare $bad.json a.json" \
      "report a.json $bad.json -o page.html" "rerun $bad.json"; do
      bench -2 $tool
      must is "$output" ""
      must is "$(wc -l <<<"$stderr")" 1
      must has "$stderr" "$bad.json"
      [ ! -e page.html ]
    done
  done
  mkdir folder
  bench -2 compare folder a.json
  must is "$stderr" "FATAL: cannot read 'folder': Is a directory"
  bench -2 compare a.json memory.json
  must has "$stderr" 'results of different tests'
  bench -2 report a.json memory.json -o page.html
  [ ! -e page.html ]
  bench -2 compare a.json
  bench -2 report
  cp a.json kept.json
  ln -s a.json link
  for bad in a.json ./a.json link; do
    bench -2 report kept.json a.json -o $bad
    must has "$stderr" "the report would replace the result 'a.json'"
    must cmp a.json kept.json
  done
  bench -2 rerun a.json b.json
  bench -2 compare a.json b.json --no-such
  must has "$stderr" '^invalid option: --no-such$'
}

@test "a script called like a tool is given as a path" {
  echo 'function event() end print("my script")' >compare.lua
  bench compare help
  must has "$output" '^  bench compare BASE.json NEW.json'
  bench -0 ./compare.lua --events=1 run
  must has "$output" '^my script$'
}

@test "a step that crashes leaves no temporary file" {
  mkdir tmp
  cat >crash.lua <<'L'
ffi.cdef("int getpid(); int kill(int, int);")
function event()
  local folder = table.concat(sysbench.cmdline.argv, " "):match("%-%-json=(%S+)/step%.json")
  io.open(folder .. "/step.json.1-0.tmp", "w"):close()
  ffi.C.kill(ffi.C.getpid(), 9)
end
L
  TMPDIR=$PWD/tmp bench -1 ./crash.lua --sweep=threads:1,2 --events=10 --time=60 run
  must has "$output" 'failed \(run, exit status 137\)'
  must is "$(ls -A tmp)" ""
}
