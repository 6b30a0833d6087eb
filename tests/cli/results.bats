#!/usr/bin/env bats
# Results for machines: what users see of --json, --stream, --csv, --hdr-log,
# --event-log and --prometheus.
load helper

# Nothing but these files is left in the folder.
only_files() {
  is "$(find . -type f ! -name 'separate-stderr-*' | sort | xargs)" "$(printf './%s\n' "$@" | sort | xargs)"
}

cpu() {
  bench cpu --cpu-max-prime=500 "$@" run
}

@test "json: each built-in test gives a valid document" {
  bench -0 cpu --cpu-max-prime=500 --threads=2 --events=500 --json=cpu.json run
  check cpu.json "d['run']['test'] == 'cpu'" "d['totals']['events'] == 500" \
    "d['run']['end_reason'] == 'event_limit'" "d['database'] is None" "d['rate'] is None" \
    "{w['code'] for w in d['warnings']} <= {'other_programs', 'run_queue', 'steal'}" "d['test'] == {'primes': 94 * 500}"
  bench -0 memory --memory-total-size=100M --memory-block-size=1M --json=memory.json run
  check memory.json "d['totals']['memory']['bytes'] == 100 << 20" "d['totals']['events'] == 100"
  bench -0 threads --threads=2 --events=20 --time=0 --json=threads.json run
  check threads.json "d['totals']['events'] == 20"
  bench -0 mutex --threads=3 --mutex-locks=10 --mutex-loops=10 --time=0 --json=mutex.json run
  check mutex.json "d['totals']['events'] == 3" "len(d['threads']['each']) == 3"
  only_files cpu.json memory.json threads.json mutex.json
}

@test "json: a script, with and without a database" {
  cat >plain.lua <<'LUA'
function event() end
LUA
  bench -0 ./plain.lua --events=100 --json=plain.json run
  check plain.json "d['totals']['events'] == 100"
  cat >sql.lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
end
function event()
  con:query("SELECT 1")
end
LUA
  bench -0 ./sql.lua --db-driver=null --events=100 --json=sql.json run
  check sql.json "d['totals']['queries']['read'] == 100"
}

@test "json: text on stdout is the same with and without it" {
  cpu --events=10 --threads=2
  local before
  before=$(mask <<<"$output")
  cpu -0 --events=10 --threads=2 --json=a --stream=b --csv=c --hdr-log=d --event-log=e
  must is "$(mask <<<"$output")" "$before"
  must is "$stderr" ""
}

@test "json: options, and where they come from; never a password" {
  printf 'rand-seed = 7\n' >x.cfg
  BENCH_COMPAT=1.1 bench -0 cpu --config-file=x.cfg --events=5 --num-threads=2 \
    --json=a.json run
  check a.json "d['options']['rand-seed'] == {'value': 7, 'source': 'config_file', 'where': 'x.cfg:1'}" \
    "d['options']['threads'] == {'value': 2, 'source': 'command_line'}" \
    "d['options']['compat']['source'] == 'environment'" \
    "d['options']['time'] == {'value': 10, 'source': 'default'}" \
    "'num-threads' not in d['options']" "d['run']['seed'] == 7"
  must test "$(grep -c '"secret"' a.json)" = "$(grep -cE '(sql|server)-password": \{' a.json)"
}

@test "json: an option whose name is no UTF-8" {
  printf 'sysbench.cmdline.options = { ["caf\351"] = { "a number", 1 } }\nfunction event() end\n' >x.lua
  bench -0 ./x.lua --events=1 --json=a.json run
  check a.json "d['options']['caf\xe9']['value'] == 1"
}

@test "json: intervals, checkpoints and a warm-up" {
  cpu -0 --time=2 --report-interval=0.5 --report-checkpoints=1 --warmup-time=1 --json=a.json
  # An interval that is late by a whole one leaves a point of the grid out.
  check a.json "len(d['checkpoints']) == 1" \
    "[i['elapsed_s'] for i in d['intervals'] if not i['partial']] in [[*a, *b, *c, 2.0] for a in ([], [0.5]) for b in ([], [1.0]) for c in ([], [1.5])]" \
    "d['totals']['elapsed_s'] * 1e9 <= d['run']['end_monotonic_ns'] - d['run']['measured_start_monotonic_ns'] + 1e6" \
    "d['checkpoints'][0]['events'] < d['totals']['events']" \
    "d['run']['measured_start_monotonic_ns'] >= d['run']['start_monotonic_ns'] + 10**9" \
    "d['run']['end_reason'] == 'time_limit'"
  check a.json "len([i for i in d['intervals'] if not i['partial']]) == $(grep -c '^\[ .* thds:' <<<"$output")"
}

@test "json: slices for comparisons, whatever --report-interval is" {
  cpu -0 --time=1 --warmup-time=0.2 --report-interval=5 --threads=2 --json=a.json
  check a.json "len(d['intervals']) == 1" "1 < len(d['slices']['end_s']) <= 10" \
    "{len(v) for v in d['slices'].values()} == {len(d['slices']['end_s'])}" \
    "d['slices']['end_s'] == sorted(d['slices']['end_s']) and d['slices']['end_s'][0] >= 0.1" \
    "0 < sum(d['slices']['events']) <= d['totals']['events']" \
    "sum(d['slices']['latency_sum_ns']) <= d['totals']['latency_ns']['mean'] * d['totals']['events'] * (1 + 1e-9)"
}

@test "json: --rate has arrivals, service time and lag" {
  cpu -0 --threads=2 --time=1 --rate=200 --json=a.json
  check a.json "d['rate']['arrivals'] >= d['totals']['events']" \
    "d['rate']['service_time_ns']['count'] == d['totals']['events']" \
    "d['rate']['lag_ns']['count'] == d['totals']['events']" \
    "d['rate']['service_time_ns']['mean'] <= d['totals']['latency_ns']['mean']"
  bench cpu --cpu-max-prime=100000 --time=1 --rate=100000 --json=b.json run
  check b.json "d['rate']['backlog'] > 0" \
    "d['rate']['backlog'] + d['totals']['events'] == d['rate']['arrivals']"
}

@test "json: percentiles that were asked for" {
  cpu --events=200 --percentile=12.5 --percentiles=1,42 --json=a.json
  check a.json "{'1', '42', '12.5'} <= set(d['totals']['latency_ns']['percentiles'])"
  cpu --events=200 --percentile=0 --json=b.json
  must has "$output" 'percentile stats: *disabled'
  check b.json "d['totals']['latency_ns']['percentiles']['50'] > 0"
}

@test "json: what the database is, its statements, and errors by code" {
  cat >sql.lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
end
function event()
  con:query("SELECT c FROM t WHERE id = " .. sysbench.tid)
end
LUA
  bench -0 ./sql.lua --db-driver=null --null-error-rate=0.2 --null-error=deadlock --events=200 \
    --threads=2 --json=a.json --report-classes run
  check a.json "d['database']['driver'] == 'null'" "len(d['errors']) == 1" \
    "d['errors'][0]['state'] == '40001'" "d['errors'][0]['source'] == 'null'" \
    "d['errors'][0]['count'] == d['totals']['errors'] > 0" \
    "sum(c['errors'] for c in d['classes']) == d['totals']['errors']" \
    "sum(c['count'] - c['errors'] for c in d['classes']) == 200"
  must has "$output" '^SQL statements \(times in ms\):$'
  must has "$(tail -n 1 <<<"$output")" 'SELECT c FROM t WHERE id'
}

# no_numbers FILE: no table has its number there.
no_numbers() {
  ! grep -n 'sbtest[0-9]' "$1"
}

# One class per kind of statement, not per table; --statement-classes=table
# splits them.
@test "statements of numbered tables are one class" {
  rw=(oltp_read_write --db-driver=null --tables=10 --events=300 --time=0)
  bench -0 "${rw[@]}" --json=a.json --report-classes run
  check a.json "len(d['classes']) == 11" \
    "[c['count'] for c in d['classes'] if c['name'] == 'SELECT c FROM sbtest# WHERE id=?'] == [3000]" \
    "not any('sbtest1' in c['name'] for c in d['classes'])"
  must has "$output" '^  share +count +errors +rows +avg +95% +max  statement$'
  # Shares add up, and the largest one is first.
  must python3 - "$output" <<'PY'
import re, sys
rows = [float(m) for m in re.findall(r"^ *([0-9.]+)% +[0-9]+ ", sys.argv[1], re.M)]
assert len(rows) == 11 and rows == sorted(rows, reverse=True), rows
assert abs(sum(rows) - 100) < 1, rows
PY
  bench "${rw[@]}" --json=b.json --statement-classes=table run
  check b.json "len(d['classes']) == 92" \
    "sum(c['count'] for c in d['classes'] if 'c FROM sbtest' in c['name'] and c['name'].endswith('id=?')) == 3000" \
    "d['options']['statement-classes']['value'] == 'table'"
  bench "${rw[@]}" --db-ps-mode=disable --hdr-log=h --event-log=e --json=c.json run
  check c.json "len(d['classes']) == 11"
  must has "$(<h)" 'Tag=SELECT_c_FROM_sbtest#_WHERE_id=?'
  must no_numbers h
  must no_numbers e
}

# 300 intervals of recipe 3 have to stay below 2 MB.  The whole distributions
# of many classes are in --stream and in the classes of the whole run.
@test "json: an interval with many classes is small" {
  bench -0 oltp_read_write --db-driver=null --null-latency=20 --tables=10 --threads=4 --time=2 \
    --report-interval=0.2 --json=a.json --stream=s run
  check a.json "len(d['classes']) == 11 and len(d['intervals']) > 0" \
    "all('hdr_histogram' in c['latency_ns'] for c in d['classes'])" \
    "not any('hdr_histogram' in c['latency_ns'] for i in d['intervals'] for c in i['classes'])" \
    "all('hdr_histogram' in i['latency_ns'] for i in d['intervals'])"
  must python3 - <<'PY'
import json
lines = [json.loads(l) for l in open("s")]
assert all("hdr_histogram" in c["latency_ns"] for l in lines for c in l["classes"])
d = json.load(open("a.json"))
size = max(len(json.dumps(i, separators=(",", ":"))) for i in d["intervals"])
rest = len(open("a.json").read()) - sum(len(json.dumps(i, separators=(",", ":")))
                                        for i in d["intervals"])
assert 300 * size + rest < 2000000, (size, rest)
PY
}

@test "json: what a script counts, and errors by code, in intervals and in total" {
  cat >own.lua <<'LUA'
function thread_init()
  con = sysbench.sql.driver():connect()
  hits = sysbench.counter.new("cache hits")
  odd = sysbench.counter.new("\255")
  wait = sysbench.histogram.new("queue wait", "ms")
  hits:add(1000) wait:update(1000) -- before the measured part
end
function event()
  hits:add(0.5)
  wait:update(sysbench.iteration() % 5 + 1)
  con:query("SELECT 2")
end
function thread_done() hits:add(1000) end
LUA
  bench -0 ./own.lua --db-driver=null --null-error-rate=0.2 --null-error=deadlock --null-latency=1 \
    --events=400 --threads=4 --percentiles=33.3 --json=a.json --stream=b run
  check a.json "d['totals']['events'] == 400" "d['totals']['errors'] > 0" \
    "d['totals']['counters']['cache hits'] == (400 + d['totals']['errors']) / 2" \
    "d['totals']['counters']['\u00ff'] == 0" \
    "d['totals']['histograms']['queue wait']['unit'] == 'ms'" \
    "d['totals']['histograms']['queue wait']['count'] == 400 + d['totals']['errors']" \
    "d['totals']['histograms']['queue wait']['min'] == 1" \
    "d['totals']['histograms']['queue wait']['max'] == 5" \
    "abs(d['totals']['histograms']['queue wait']['p50'] - 3) < 0.003" \
    "'p33.3' in d['totals']['histograms']['queue wait']" \
    "[(e['code'], e['count']) for e in d['totals']['errors_by_code']] == [('1213', d['totals']['errors'])]"
  # Lines of the stream are the intervals of the document.
  must python3 -c '
import json
own = ("counters", "histograms", "errors_by_code")
lines = [json.loads(l) for l in open("b")]
assert lines == json.load(open("a.json"))["intervals"]
assert all(k in lines[0] for k in own)'
}

@test "json: nothing that was counted in the warm-up" {
  cat >own.lua <<'LUA'
function thread_init() n, h = sysbench.counter.new("n"), sysbench.histogram.new("h") end
function event() n:add() h:update(sysbench.iteration()) end
LUA
  bench -0 ./own.lua --rate=500 --warmup-time=1 --time=1 --threads=2 --json=a.json run
  # An event that goes on while the warm-up ends may have counted already.
  check a.json "d['totals']['events'] > 0" \
    "abs(d['totals']['counters']['n'] - d['totals']['events']) <= 2" \
    "abs(d['totals']['histograms']['h']['count'] - d['totals']['events']) <= 2" \
    "d['totals']['histograms']['h']['min'] > 1"
}

# signal_it NUMBER FILE: interrupt a run once it has started.
signal_it() {
  rm -f text # of a run before, which has started as well
  "$BENCH" cpu --time=60 --threads=2 --json="$2" run >text 3>&- &
  local pid=$!
  while ! grep -qs 'Threads started' text; do
    kill -0 $pid
  done
  kill -s "$1" $pid
  status=0
  wait $pid || status=$?
}

@test "json: valid after SIGINT and SIGTERM" {
  signal_it INT a.json
  must is "$status" 130
  check a.json "d['run']['end_reason'] == 'signal'" "d['run']['signal'] == 2" \
    "d['run']['exit_status'] == 130" "d['totals'] is not None"
  signal_it TERM b.json
  must is "$status" 143
  check b.json "d['run']['signal'] == 15"
  only_files a.json b.json text
}

@test "json: valid after a forced shutdown" {
  bench -2 cpu --cpu-max-prime=2000000000 --time=1 --forced-shutdown=0 --json=a.json run
  check a.json "d['run']['end_reason'] == 'forced'" "d['totals']['unfinished_events'] == 1" \
    "d['totals']['events'] == 0" "d['run']['exit_status'] == 2"
  only_files a.json
}

@test "json: valid after the error of a worker, and when none got ready" {
  cat >x.lua <<'LUA'
function event(id)
  if id == 1 then error("it \"broke\"") end
end
LUA
  bench -1 ./x.lua --threads=2 --time=5 --json=a.json run
  check a.json "d['run']['end_reason'] == 'error'" "'it \"broke\"' in d['run']['error']" \
    "d['totals'] is not None"
  printf 'function thread_init() error("no") end function event() end' >y.lua
  bench -1 ./y.lua --json=b.json run
  check b.json "d['run']['end_reason'] == 'error'" "d['totals'] is None" "d['client'] is None"
  bench threads --threads=1 --thread-locks=0 --json=c.json run
  must test "$status" != 0
  must test ! -e c.json
  printf 'function thread_init() while true do end end function event() end' >z.lua
  bench -2 ./z.lua --thread-init-timeout=1 --json=d.json run
  check d.json "d['run']['end_reason'] == 'not_started'" \
    "d['run']['error'] == 'Worker threads failed to initialize within 1 seconds!'"
}

@test "no output replaces a file that the command reads, by any of its names" {
  cat >s.lua <<<'function event() end'
  cat >s.sql <<<'SELECT 1;'
  : >u.db; : >u.db-wal; echo 'time=1' >c.cnf; printf '0,10\n9,20\n' >p.csv; (umask 077; echo secret >pw)
  ln -s s.lua soft; ln s.lua hard; ln -s u.db-shm dangling
  md5sum s.* u.* c.cnf p.csv pw >before
  local case kept args what
  while IFS='|' read -r what args; do
    bench -1 --db-driver=sqlite --sqlite-db=u.db --events=1 $args run
    must is "$output" ""
    must is "$stderr" "FATAL: $what (expected another file)"
    must md5sum --quiet -c before
  done <<'END'
--json would replace the test, './s.lua'|--json=s.lua ./s.lua
--csv would replace the test, './s.lua'|--csv=soft s
--stream would replace the test, './s.lua'|--stream=hard ./s.lua
--event-log would replace the test, 's.sql'|--event-log=./s.sql s.sql
--json would replace a member of --mix, './s.lua'|--json=soft --mix=./s.lua@1,b=s.sql@1
--json would replace the test, './s.lua'|--json=hard --repeat=2 ./s.lua
--summary would replace the file of --config-file, 'c.cnf'|--summary=markdown:c.cnf --config-file=c.cnf cpu
--hdr-log would replace the file of --sqlite-db, 'u.db'|--hdr-log=./u.db oltp_read_only
--json would replace the file of --sqlite-db, 'u.db-wal'|--json=u.db-wal oltp_read_only
--json would replace the file of --sqlite-db, 'u.db-shm'|--json=dangling oltp_read_only
--json would replace the file of --dsn, 'v.db-journal'|--json=v.db-journal --dsn=sqlite:v.db --repeat=2 oltp_read_only
--ack-log would replace the file of --sqlite-db, 'u.db'|--ack-log=u.db ack
--history-file would replace the file of --sqlite-db, 'u.db'|--history-file=u.db append
--mark would replace the file of --load-profile, 'p.csv'|--mark=./p.csv --load-profile=p.csv cpu
END
  if "$BENCH" --db-driver=help 2>&1 | grep -q mysql; then
    bench -1 oltp_read_only --db-driver=mysql --csv=pw --password-file=pw run
    must is "$stderr" "FATAL: --csv would replace the file of --password-file, 'pw' (expected another file)"
    must md5sum --quiet -c before
  fi
  bench cpu --events=1 --json=a.json run
  cp a.json b.json
  for args in "compare --summary=markdown:b.json a.json b.json" "rerun b.json --json=./b.json"; do
    bench -2 $args
    must has "$stderr" "^FATAL: --.* would replace a file that is read, 'b.json' .expected another file.$"
    must cmp a.json b.json
  done
}

@test "files that cannot be written are an error before anything starts" {
  for option in json stream csv hdr-log event-log; do
    cpu -1 --events=1 --$option=no/such
    must has "$stderr" "^FATAL: .*'no/such'.*No such file or directory"
    must is "$(grep -c 'Running the test' <<<"$output")" 0
  done
  mkdir folder
  cpu -1 --events=1 --json=folder
  cpu -1 --events=1 --csv=same --json=same
  must has "$stderr" "^FATAL: --json and --csv cannot both write to 'same'"
  # By other names, and before they are there.
  mkdir -p there
  : >there/new
  ln -s there/new link
  ln there/new hard
  ln -s nowhere-yet dangling
  local names
  for names in "same ./same" "there/../same same" "link there/new" "hard there/new" \
    "dangling nowhere-yet" "- /dev/stdout"; do
    read -r first second <<<"$names"
    cpu -1 --events=1 "--csv=$first" "--stream=$second"
    must has "$stderr" "^FATAL: --stream and --csv cannot both write to '"
    cpu -1 --events=1 "--csv=$first" "--stream=$second" --repeat=2
    must is "$output" ""
  done
  cpu -0 --events=1 --csv=/dev/null --stream=/dev/null --json=a.json
  cpu -0 --events=1 --csv=a --stream=there/a --json=./b
  cpu -1 --events=1 --json=
  must has "$stderr" "^FATAL: Invalid value for --json: ''"
}

@test "json: what is there already is replaced whole or not at all" {
  echo old >a.json
  signal_it INT a.json
  check a.json
  echo old >a.json
  cpu -1 --events=1 --json=a.json --event-log=no/such
  must is "$(cat a.json)" old
  cpu -1 --events=1 --json=a.json --csv=/dev/full
  check a.json "d['run']['end_reason'] == 'not_started'" "d['run']['exit_status'] == 1" \
    "'/dev/full' in d['run']['error']"
  ln -s a.json link
  cpu --events=1 --json=link
  check a.json "d['totals']['events'] == 1"
  must test -L link
}

@test "json: a full disk at the end is an error" {
  cpu -1 --events=1 --json=/dev/full
  must has "$stderr" "cannot write to '/dev/full'"
  must has "$output" '^General statistics:'
}

@test "json: an interval that finds no room in /tmp is missing, and no more" {
  # A limit of the size of files stands for a disk that is full.
  (
    trap '' XFSZ
    ulimit -f 3
    status=0
    "$BENCH" cpu --time=1 --report-interval=0.1 --json=- run 2>err || status=$?
    echo $status >status
  ) | cat >a.json
  status=$(<status)
  stderr=$(without_machine <err)
  must is "$status" 1
  must has "$stderr" "^ALERT: results: json: cannot write to a temporary file,"
  must python3 -c '
import json
d = json.load(open("a.json"))
assert d["totals"]["events"] > 0 and d["run"]["exit_status"] == 1
at = [i["elapsed_s"] for i in d["intervals"]]
assert 0 < len(at) < 10 and at == sorted(at)'
}

@test "-: results on stdout, text on stderr" {
  cpu -0 --events=3 --json=-
  printf '%s\n' "$output" >a.json
  check a.json "d['totals']['events'] == 3"
  must has "$stderr" '^General statistics:'
  # Whole lines, one for each interval.
  cpu --time=1 --report-interval=0.2 --stream=- --json=a.json
  must is "$(grep -vc '^{.*}$' <<<"$output")" 0
  check a.json "len([i for i in d['intervals'] if not i['partial']]) == $(grep -c '"partial":false' <<<"$output") > 0"
  cpu --events=3 --csv=-
  must has "$(head -n 1 <<<"$output")" '^elapsed_s,period_s,partial,'
  cpu -1 --events=3 --json=- --csv=-
  printf 'function event() end function prepare() print("prepared") end' >x.lua
  bench ./x.lua --json=- prepare
  must has "$output" '^prepared$'
}

@test "json: a pipe gets one document, of a run and of a sweep" {
  local repeat
  mkfifo pipe
  for repeat in 1 2; do
    cat pipe >a.json 3>&- &
    bench -0 cpu --events=3 --repeat=$repeat --json=pipe run
    wait $!
    must is "$(python3 -c 'import json; print(json.load(open("a.json"))["schema"])')" \
      "$([ $repeat = 1 ] && echo bench/1 || echo bench-sweep/1)"
  done
}

@test "a pipe whose reader has gone ends with it, and not the run" {
  local name line
  mkfifo pipe
  for name in stream csv hdr-log event-log json; do
    "$BENCH" cpu --time=1 --report-interval=0.2 --json=run.json --$name=pipe run >out 2>err 3>&- &
    # A header that cannot be written is an error before the start.
    [ $name = json ] && : <pipe || read -r -t 20 line <pipe
    status=0
    wait $! || status=$?
    must is "$status" 1
    grep -q '^Threads fairness:' out
    grep -q "^ALERT: results: $name: cannot write to 'pipe', errno = 32 " err
    [ $name = json ] || check run.json "d['run']['end_reason'] == 'time_limit'"
  done
  "$BENCH" cpu --time=60 --report-interval=0.1 --csv=- run 2>/dev/null | head -n 1 >out
  must is "${PIPESTATUS[*]}" "141 0"
}

@test "files of results are there though nobody reads the text any more" {
  # Without such a file, and if it is what the reader has read, it ends the run.
  "$BENCH" cpu --time=60 --report-interval=0.1 run 2>/dev/null | head -n 1 >out
  must is "${PIPESTATUS[*]}" "141 0"
  "$BENCH" cpu --time=1 --report-interval=0.1 --json=run.json run 2>err | head -n 1 >out
  must is "${PIPESTATUS[*]}" "0 0"
  check run.json "d['run']['end_reason'] == 'time_limit'"
  must is "$(without_machine <err)" ""
  "$BENCH" cpu --time=0.2 --json=sweep.json --sweep=threads:1,2 run 2>err | true
  must is "${PIPESTATUS[*]}" "0 0"
  grep -q 'bench-sweep/1' sweep.json
  # Ctrl-C at a terminal: all that run in the foreground.
  mkfifo text
  "$BENCH" cpu --time=60 --report-interval=0.1 --csv=run.csv --json=run.json run >text 2>err 3>&- &
  head -n 20 >out <text
  kill -TERM $!
  status=0
  wait $! || status=$?
  must is "$status" 143
  check run.json "d['run']['end_reason'] == 'signal'"
  [ "$(wc -l <run.csv)" -ge 2 ]
  # What a script starts ends with its reader, as ever, and not with an error.
  echo 'function thread_init() os.execute("yes 2>said | head -n 1 >yes") end
    function event() end' >t.lua
  "$BENCH" t.lua --events=1 --json=run.json run >out
  must is "$(cat yes said)" y
}

@test "-: the file that the standard output is appended to keeps what it has" {
  local name
  for name in /dev/stdout log; do
    echo before >log
    run -0 --separate-stderr bash -c '"$0" cpu --events=3 --json="$1" run >>log' "$BENCH" $name
    must has "$stderr" '^General statistics:'
    must is "$(head -n 1 log)" before
    tail -n +2 log >a.json
    check a.json "d['totals']['events'] == 3"
  done
}

@test "stream and csv: a line per interval, as it happens" {
  mkfifo stream
  "$BENCH" cpu --time=60 --report-interval=0.1 --stream=stream --csv=csv run >/dev/null 3>&- &
  local pid=$! line n
  exec 9<stream
  for n in 1 2 3; do
    read -r -t 20 line <&9
    must has "$line" '^\{"elapsed_s":.*"hdr_histogram":.*\}$'
  done
  must test "$(wc -l <csv)" -ge 3
  kill -INT $pid
  cat <&9 >/dev/null
  exec 9<&-
  wait $pid || status=$?
  must is "$status" 130
  must is "$(awk -F, '{ print NF }' csv | sort -u | wc -l)" 1
}

@test "csv: the sum of the events is that of the report" {
  cpu --time=1 --report-interval=0.2 --threads=2 --csv=a.csv
  must is "$(awk -F, 'NR > 1 { n += $5 } END { print n }' a.csv)" \
    "$(number 'total number of events:')"
}

# A python that has the package hdrhistogram, when the package can be had.
hdr_python() {
  local place=$BENCH_BUILD/tests/hdrhistogram
  if ! [ -e "$place/done" ]; then
    timeout 60 python3 -m venv "$place" >/dev/null 2>&1 &&
      timeout 60 "$place/bin/pip" install -q hdrhistogram >/dev/null 2>&1 || true
    mkdir -p "$place" && touch "$place/done"
  fi
  if [ -x "$place/bin/python3" ] && "$place/bin/python3" -c 'import hdrh' 2>/dev/null; then
    printf '%s\n' "$place/bin/python3"
  else
    printf 'python3\n'
  fi
}

@test "hdr-log: read by HdrHistogram's own reader" {
  python3 -c 'import jsonschema' || skip "python3-jsonschema is not installed"
  cpu -0 --time=1 --report-interval=0.25 --hdr-log=a.hlog --json=a.json
  local events intervals want
  events=$(number 'total number of events:')
  # Four or five, but for a machine that was elsewhere meanwhile.
  intervals=$(python3 -c 'import json; print(len(json.load(open("a.json"))["intervals"]))')
  local python
  python=$(hdr_python)
  # The venv sees only itself; the checker needs jsonschema from the system.
  want=$(PYTHONPATH=$(python3 -c 'import jsonschema, os; print(os.path.dirname(os.path.dirname(jsonschema.__file__)))') \
    "$python" "$BENCH_SRC/tests/cli/hdr_log_check.py" a.hlog)
  must has "$want" "^ $events $intervals$"
}

# log_to_pipe DOCUMENT: a run whose event log nobody reads, up to the end of its
# report; sets pid.
log_to_pipe() {
  mkfifo pipe
  exec 9<>pipe
  "$BENCH" memory --memory-block-size=8 --memory-oper=none --memory-total-size=16M \
    --time=0 --event-log=pipe --json="$1" run >out 2>err 9>&- &
  pid=$!
  while ! grep -q 'execution time' out && kill -0 $pid; do
    sleep 0.05
  done
}

# read_log: of that run, until it ends; sets status.
read_log() {
  while kill -0 "$pid" 2>/dev/null; do
    timeout 0.1 cat <&9 >/dev/null || true
  done
  status=0
  wait "$pid" || status=$?
  exec 9>&-
}

@test "event-log: a line per event, or it is counted as dropped" {
  cpu -0 --events=1000 --threads=3 --event-log=a.csv --json=a.json
  must is "$(wc -l <a.csv)" 1001
  must is "$(head -n 1 a.csv)" "start_ns,latency_ns,thread,class,error"
  must is "$(tail -n +2 a.csv | grep -vcE '^[0-9]+,[0-9]+,[012],,0$')" 0
  check a.json "d['event_log'] == {'written': 1000, 'dropped': 0}" \
    "d['totals']['latency_ns']['max'] == max(int(l.split(',')[1]) for l in list(open('a.csv'))[1:])"
  log_to_pipe b.json
  read_log
  must is "$status" 0
  check b.json "d['event_log']['written'] + d['event_log']['dropped'] == d['totals']['events']" \
    "d['event_log']['dropped'] > 0"
}

@test "a signal does no harm to files that are being written" {
  log_to_pipe s.json
  kill -TERM "$pid"
  read_log
  must is "$status" 0
  check s.json "d['run']['exit_status'] == 0" "d['run']['end_reason'] == 'event_limit'"
}

@test "a forced end: nothing counts that came later, in no number" {
  cat >late.lua <<'L'
ffi.cdef("int usleep(unsigned)")
function event()
  for i = 1, 16 do
    ffi.C.usleep(100000)
  end
end
L
  bench -2 late.lua --threads=2 --time=1 --forced-shutdown=0 --report-interval=0.25 \
    --json=l.json run
  must has "$output" '^Number of unfinished transactions on forced shutdown: 2$'
  must has "$output" 'total number of events: +0$'
  must [ "$(grep -c '^\[ ' <<<"$output")" -le 4 ]
  check l.json "d['totals']['events'] == 0" \
    "abs(sum(i['period_s'] for i in d['intervals']) - d['totals']['period_s']) < 0.001"
}

@test "event-log: a full disk does not stop the run, but is an error" {
  cpu -1 --events=20000 --event-log=/dev/full
  must has "$stderr" "'/dev/full'"
  cpu -0 --events=1 --event-log=/dev/null
  # A limit of the size of files stands for a disk that is full during the run.
  (
    trap '' XFSZ
    ulimit -f 8
    status=0
    "$BENCH" cpu --events=2000 --cpu-max-prime=100 --event-log=e.csv --json=- run 2>err ||
      status=$?
    echo $status >status
  ) | cat >a.json
  status=$(<status)
  stderr=$(without_machine <err)
  must is "$status" 1
  must has "$stderr" "^ALERT: results: event-log: cannot write to 'e.csv'"
  # Of a block that was cut off, what got there does not count.
  check a.json "sum(d['event_log'].values()) == d['totals']['events'] == 2000" \
    "d['event_log']['written'] < len(list(open('e.csv'))) < 600" \
    "d['run']['exit_status'] == 1"
}

@test "prometheus: live metrics, and a busy port is an error" {
  local port pid text
  serve_metrics
  cpu -1 --events=1 --prometheus="$port"
  must has "$stderr" "^FATAL: cannot listen at --prometheus=$port: Address (already )?in use \\(expected a free port from 1024 on, or an address "
  text=$(python3 -c 'import sys, urllib.request
with urllib.request.urlopen("http://127.0.0.1:%s/metrics" % sys.argv[1]) as r:
    print(r.read().decode(), end="")' "$port")
  must has "$text" '^bench_events_total [0-9]+$'
  must has "$text" '^bench_latency_seconds_bucket\{le="\+Inf"\} [0-9]+$'
  kill -INT $pid
  wait $pid || true
  for bad in x 0 70000 :1 1.2.3:4; do
    cpu -1 --events=1 --prometheus=$bad
    must has "$stderr" "^FATAL: Invalid value for --prometheus: '$bad'"
  done
}

# slow_reader PORT SILENT: connects and sends a byte now and then, or none at all;
# prints "here", then, once the server has hung up, "gone".  "late": it did not.
slow_reader() {
  python3 -c 'import socket, sys, time
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as s:
    s.sendall(b"G")
    print("here", flush=True)
    s.settimeout(0.3)
    for i in range(200):
        try:
            if sys.argv[2] != "silent":
                s.sendall(b"x")
            if not s.recv(100):
                break
        except socket.timeout:
            continue
        except OSError:
            break
    else:
        sys.exit("late")
print("gone", flush=True)' "$1" "$2"
}

# unread FOLDER: makes it, with a pipe in it that is opened, and never read.
unread() {
  local fd
  mkdir "$1"
  mkfifo "$1/pipe"
  exec {fd}<>"$1/pipe"
  # A page is all that it holds.
  python3 -c "import fcntl; fcntl.fcntl($fd, 1031, 4096)"
}

# begin FOLDER OUT ARG...: the program there, in the background.
begin() {
  local out=$2
  (
    cd "$1"
    shift 2
    status=0
    timeout 60 "$BENCH" "$@" run 2>err >"$out" 3>&- || status=$?
    echo $status >status
  ) 3>&- &
}

@test "event-log: a reader that has stopped reading is given up" {
  echo 'function event() end' >fast.lua
  unread pipe
  unread stdout
  begin pipe text ../fast.lua --time=1 --event-log=pipe --json=a.json
  begin stdout pipe ../fast.lua --time=1 --event-log=- --json=a.json
  wait
  for place in pipe stdout; do
    stderr=$(without_machine <$place/err)
    must is "$(<$place/status)" 1
    must has "$stderr" "^ALERT: results: event-log: cannot write to '(pipe|-)': its reader has stopped"
    must has "$stderr" '^WARNING: [0-9]+ events are missing in the event log'
    check $place/a.json "sum(d['event_log'].values()) == d['totals']['events']" \
      "d['event_log']['dropped'] > 0" "d['run']['exit_status'] == 1"
  done
}

@test "a file whose reader has stopped is left out, and no other" {
  local kind run
  echo 'function event() end' >fast.lua
  for kind in stream csv hdr-log stdout; do
    unread $kind
  done
  run=(../fast.lua --time=3 --forced-shutdown=1 --report-interval=0.01 --json=a.json)
  begin stream text "${run[@]}" --stream=pipe --csv=a --hdr-log=b
  begin csv text "${run[@]}" --stream=b --csv=pipe --hdr-log=c
  begin hdr-log text "${run[@]}" --stream=b --csv=a --hdr-log=pipe
  begin stdout pipe "${run[@]}" --stream=- --csv=a --hdr-log=b
  wait
  for kind in stream csv hdr-log stdout; do
    stderr=$(without_machine <$kind/err)
    must is "$kind $(<$kind/status)" "$kind 2"
    must has "$stderr" "^ALERT: results: cannot write to '(pipe|-)': its reader has stopped"
    check $kind/a.json "d['run']['exit_status'] == 2" "d['intervals'][-1]['partial']" \
      "sum(i['events'] for i in d['intervals']) == d['totals']['events']"
    # Others have the last interval.
    [ $kind = csv ] || must has "$(tail -n 1 $kind/a)" '^3[.0-9]*,[0-9.]+,1,'
  done
}

# descriptors PID: what it has open.
descriptors() {
  (cd "/proc/$1/fd" && echo *)
}

@test "what a script leaves in the background has none of the files, and holds up nobody" {
  local pid port other status=0
  sleep 600 3>&- &
  local usual=$!
  cat >leaves.lua <<'LUA'
function event()
  if left then return end
  local lines = 0
  for _ in io.lines("csv") do lines = lines + 1 end
  if lines > 2 then
    left = true
    os.execute("sleep 600 & echo $! >pid")
  end
end
LUA
  for port in {20001..20020}; do
    status=0
    timeout 60 "$BENCH" ./leaves.lua --time=2 --report-interval=0.1 --prometheus=$port --json=json \
      --csv=csv --stream=stream --hdr-log=hdr --event-log=events run >text 2>err 3>&- || status=$?
    [ "$status" = 1 ] || break
    must has "$(cat err)" 'Address (already )?in use'
  done
  other=$(cat pid)
  descriptors "$other" >its
  descriptors $usual >usual
  kill "$other" $usual
  must is "$(cat its)" "$(cat usual)"
  must is "$status" 0 # the run has not waited for it
}

@test "prometheus: a reader that is slow holds up nobody" {
  local port pid client
  # Others are served when its time is over, which does not start again with a byte.
  serve_metrics
  slow_reader "$port" drip >reader 3>&- &
  client=$!
  until grep -qs here reader || ! kill -0 $client; do sleep 0.05; done
  python3 -c 'import sys, urllib.request
urllib.request.urlopen("http://127.0.0.1:%s/metrics" % sys.argv[1], timeout=50).read()' "$port"
  must wait $client
  kill -INT $pid
  wait $pid || true
  # The end of a run does not wait for it.
  local kind
  for kind in silent drip; do
    serve_metrics --json=a.json
    rm reader # has a line of the one before
    slow_reader "$port" $kind >reader 3>&- &
    client=$!
    until grep -qs here reader || ! kill -0 $client; do sleep 0.05; done
    kill -INT $pid
    wait $pid || true
    must wait $client
    check a.json "d['run']['end_reason'] == 'signal'"
    rm a.json
  done
}

@test "percentiles from too few events: a warning for those who asked" {
  cpu --events=10
  must is "$stderr" ""
  cpu --events=10 --percentile=99
  must is "$stderr" "WARNING: 10 events are too few for p99, which is simply the maximum here; at least 100 are needed"
  cpu --events=15 --percentile=96 --json=a.json
  must is "$stderr" "WARNING: 15 events are too few for p96, beyond which there is less than one event; at least 25 are needed"
  check a.json "any('less than one event' in w['text'] for w in d['warnings'])"
  cpu --events=10 --json=a.json
  must is "$stderr" ""
  check a.json "[w['code'] for w in d['warnings']] == ['few_samples']"
}

@test "processor time is that of the measured part, of short runs too" {
  bench oltp_point_select --db-driver=null --table-size=100 --events=100 --json=a.json run
  # Two threads are there: the worker, and the one that lets it begin.
  check a.json "d['client']['cpus_used'] < 2.5"
}

@test "that it keeps processors busy is no reason for a warning in a test of processors" {
  bench cpu --threads=4 --time=2 --json=a.json run
  must is "$stderr" ""
  check a.json "not any(w['code'] == 'client_cpu' for w in d['warnings'])" \
    "d['client']['cpus_used'] > 0"
}

@test "files that can be written, but not replaced" {
  mkdir -m 1777 sticky
  printf 'old and longer than nothing\n' >sticky/r.json
  chmod 666 sticky/r.json
  local inode
  inode=$(stat -c %i sticky/r.json)
  as_nobody -0 "$BENCH" cpu --cpu-max-prime=500 --events=20 --json=sticky/r.json run
  must is "$(stat -c %i sticky/r.json)" "$inode"
  check sticky/r.json "d['totals']['events'] == 20"
  must is "$(ls sticky)" r.json
}

# read_only COMMAND: a shell command where /tmp cannot be written to.
# The program may be below /tmp itself.
read_only() {
  unshare -m true 2>/dev/null || skip "no mount namespaces here"
  # The list of suppressions may be below /tmp, too.
  [ -z "${TSAN_OPTIONS:-}" ] || local -x TSAN_OPTIONS="${TSAN_OPTIONS%%:suppressions=*}"
  mkdir -p out closed
  run --separate-stderr unshare -m bash -c '
    mount -t tmpfs -o "size=1M" none out && mount -t tmpfs -o ro none closed &&
      cd out && mount --bind "${BENCH%/*}" /mnt &&
      mount --bind ../closed /tmp || exit 77
    eval "$1"' - "$1"
  [ "$status" -ne 77 ] || skip "may not mount"
}

@test "json: a /tmp that is read-only" {
  local load="env -u TMPDIR /mnt/${BENCH##*/} cpu --time=1 --report-interval=0.2 run"
  # the folder of the document takes the file
  read_only "$load --json=x.json >&2 && cat x.json"
  must is "$status" 0
  must has "$output" '"intervals": \['
  must is "$(grep -c temporary <<<"$stderr")" 0
  # where there is none, memory
  read_only "cd /proc && $load --json=-"
  must is "$status" 0
  must has "$output" '"intervals": \['
  must has "$output" '"elapsed_s"'
  must has "$stderr" '^WARNING: no folder takes a temporary file .* the intervals of --json are kept in memory'
}

@test "json: no folder and no memory for intervals: the reason is that of the folder" {
  ! emulated || skip "strace sees the emulator"
  command -v strace >/dev/null || skip "strace is not installed"
  strace -o probe true 2>/dev/null || skip "strace may not trace here"
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" read_only "cd /proc && unset TMPDIR &&
    strace -f -qq -o /dev/null -e trace=memfd_create -e inject=memfd_create:error=ENOSYS \
      /mnt/${BENCH##*/} cpu --events=1 --report-interval=1 --json=- run"
  must is "$status" 1
  must has "$stderr" '^FATAL: cannot make a temporary file, errno = [0-9]+ '
  must is "$(grep -c 'errno = 38' <<<"$stderr" || :)" 0
}
