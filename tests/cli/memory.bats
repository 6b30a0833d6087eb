#!/usr/bin/env bats
# memory.bats - the tests that --memory-test chooses: small sizes, short times.

load helper

needs_two_processors() {
  [ "$(nproc)" -ge 2 ] || skip "this machine has one processor"
}

@test "bandwidth: every loop, its text and its figures" {
  bench -0 memory --memory-test=bandwidth --memory-size=1M --threads=2 --time=1 --json=b.json run
  must has "$output" '^    memory:  +[0-9.]+ [KM]iB in (small|huge) pages'
  must has "$output" '^    instructions:  +(baseline|avx)'
  for loop in read write copy scale-add; do
    must has "$output" "^    $loop +[0-9]+ +[0-9]+ +[0-9.]+ % +[0-9]+ +[0-9]+\$"
  done
  check b.json "d['test']['memory_test'] == 'bandwidth'" \
    "0 < d['test']['bandwidth']['loops']['copy']['median_bytes_per_s'] <= d['test']['bandwidth']['loops']['copy']['best_bytes_per_s']" \
    "d['test']['figures']['scale-add']['value'] == d['test']['bandwidth']['loops']['scale-add']['median_bytes_per_s']" \
    "d['test']['figures']['read']['unit'] == 'bytes_per_s'" \
    "d['test']['bandwidth']['loops']['write']['owned_bytes_per_s'] / d['test']['bandwidth']['loops']['write']['median_bytes_per_s'] > 1.999" \
    "sum(l['rounds'] for l in d['test']['bandwidth']['loops'].values()) * 2 <= d['totals']['events']"
}

@test "bandwidth: chosen loops, baseline instructions, small pages" {
  bench -0 memory --memory-test=bandwidth --memory-kernel=read,copy --memory-isa=baseline \
    --memory-pages=small --memory-size=256K --time=1 --json=b.json run
  must has "$output" '^    instructions:  +baseline'
  must has "$output" 'KiB in small pages$'
  check b.json "sorted(d['test']['bandwidth']['loops']) == ['copy', 'read']" \
    "d['test']['bandwidth'].get('huge_bytes', 0) == 0"
}

@test "bandwidth: a run that is too short names the loops that it has not measured" {
  bench -0 memory --memory-test=bandwidth --memory-size=1M --time=0.002 --json=b.json run
  must has "$output" '^ +scale-add +none$'
  must has "$stderr" '^WARNING: the bandwidth of ([a-z-]+, )*scale-add(, scale-add-nt)? was not measured, because the run was over; give it more --time$'
  check b.json "[w['code'] for w in d['warnings'] if w['code'] == 'unfinished'] == ['unfinished']"
}

@test "bandwidth: the warm-up does not count" {
  bench -0 memory --memory-test=bandwidth --memory-kernel=read --memory-size=64K --warmup-time=1 \
    --time=1 --json=b.json run
  # The event at the border may be an event that counts and a round that does not.
  check b.json "0 < d['test']['bandwidth']['loops']['read']['rounds'] <= d['totals']['events']"
}

@test "latency: both kinds of pages, plateaus, and the end by itself" {
  bench -0 memory --memory-test=latency --memory-size=256K --time=30 --json=l.json run
  must has "$output" '^ +size +huge pages +small pages +\(ns per access\)$'
  must has "$output" '^ +4 KiB +[0-9.]+ +[0-9.]+$'
  must has "$output" '^ +256 KiB +[0-9.]+ +[0-9.]+$'
  must has "$output" '^ +huge pages: [0-9.]+ ns'
  must has "$output" '^ +small pages: [0-9.]+ ns'
  must has "$output" '^    the system reports caches of: '
  check l.json "len(d['test']['latency']['small_pages']['ns']) == 49" \
    "len(d['test']['latency']['huge_pages']['ns']) == 49" \
    "d['test']['figures']['small pages 4 KiB']['unit'] == 'ns'" \
    "d['run']['end_reason'] == 'event_limit' and d['warnings'] == [w for w in d['warnings'] if w['code'] != 'unfinished']" \
    "all(0 < v < 100000 for v in d['test']['latency']['small_pages']['ns'].values())"
}

@test "latency: one kind of pages" {
  bench -0 memory --memory-test=latency --memory-size=16K --memory-pages=small --time=1 --json=l.json run
  must has "$output" '^ +size +small pages +\(ns'
  check l.json "'huge_pages' not in d['test']['latency']"
}

@test "latency: a run without enough time says how far it came" {
  bench -0 memory --memory-test=latency --memory-size=256M --memory-pages=small --time=0.02 --json=l.json run
  must has "$stderr" '^WARNING: latencies with small pages were (not measured, because the run was over|measured at [0-9]+ of 129 sizes, up to [0-9.]+ [KM]iB, because the time was too short for the others); give it more --time$'
  check l.json "any(w['code'] == 'unfinished' for w in d['warnings'])"
}

# Points are made until the time is over: on a busy machine some may be missing, so
# each attempt has more of it.
loaded_is_complete() {
  loaded_s=$((${loaded_s:-0} + 2))
  bench memory --memory-test=loaded --threads=2 --memory-size=1M --time=$loaded_s --json=loaded.json --csv=loaded.csv run &&
    has "$output" '^ +no load +0 +[0-9.]+' && has "$output" '^ +0 +[0-9]+ +[0-9.]+' &&
    check loaded.json "len(d['test']['loaded']['delays']) > 2" \
      "d['test']['loaded']['delays']['none']['bytes_per_s'] == 0" \
      "d['test']['loaded']['delays']['0']['bytes_per_s'] > 0" \
      "d['test']['figures']['latency without load']['value'] > 0"
}

# On a busy machine all samples may be dropped.
pairs_are_measured() {
  bench memory --memory-test=pairs --time=1 --json=pairs.json --csv=pairs.csv run &&
    check pairs.json "all(v['kept'] > 0 for v in d['test']['pairs']['of'].values())"
}

# measured loaded|pairs: what such a run has made; the first who asks has it made.
measured() {
  local made=$BATS_FILE_TMPDIR
  needs_two_processors
  if [ ! -e "$made/$1.json" ]; then
    must sooner_or_later "$([ "$1" = pairs ] && echo pairs_are_measured || echo loaded_is_complete)"
    printf '%s\n' "$output" >$1.txt
    mv "$1".* "$made"
  fi
  cp "$made/$1".* .
}

@test "loaded: latency beside bandwidth, from no load to full load" {
  measured loaded
}

@test "pairs: a matrix, and what was dropped" {
  measured pairs
  must has "$(<pairs.txt)" '\(ns one way\)$'
  must has "$(<pairs.txt)" '^    samples: +[0-9]+, and [0-9]+ dropped because another program had a CPU$'
  check pairs.json "len(d['test']['pairs']['of']) == d['test']['pairs']['processors'] * (d['test']['pairs']['processors'] - 1) // 2" \
    "all(v['kept'] > 0 and v['ns'] > 0 for v in d['test']['pairs']['of'].values())" \
    "all(v['relation'] in ('same core', 'same socket', 'other socket') for v in d['test']['pairs']['of'].values())"
}

@test "pairs, loaded: one processor is too few" {
  command -v taskset >/dev/null || skip "taskset is not installed"
  cpu=$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')
  run --separate-stderr taskset -c "$cpu" "$BENCH" memory --memory-test=pairs --time=1 run
  must is "$stderr" "FATAL: --memory-test=pairs needs two CPUs, and this process may run on one only"
  run --separate-stderr taskset -c "$cpu" "$BENCH" memory --memory-test=loaded --threads=2 --time=1 run
  must is "$stderr" "FATAL: --memory-test=loaded needs two CPUs, and this process may run on one only"
}

@test "numa: every node, or a clear line where there is one" {
  bench -0 memory --memory-test=numa --memory-size=1M --time=30 --json=n.json run
  nodes=$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' 2>/dev/null | wc -l)
  if [ "$nodes" -le 1 ]; then
    must has "$output" '^    This machine has one node of memory: there is nothing to compare it with\.$'
  fi
  must has "$output" '^    node 0 +[0-9.]+'
  check n.json "d['test']['numa']['of']['0-0']['ns'] > 0 and d['test']['numa']['of']['0-0']['bytes_per_s'] > 0"
  must is "$(grep -c 'was measured;' <<<"$output")" 0
}

@test "numa: what there was no time for is said to be missing" {
  bench -0 memory --memory-test=numa --memory-size=1M --time=0.001 run
  must has "$output" '^    node 0 +-$'
  must has "$output" '^    "-": the run was over before that was measured; give it more --time\.$'
}

# tabled COLUMNS CONDITION OPTION...: a run writes a table with these columns, and
# the condition holds for its `rows`.
tabled() {
  local columns=$1 condition=$2
  shift 2
  if [ "$1" = made ]; then
    cp "$2" t.csv
  else
    bench -0 memory "$@" --csv=t.csv run
  fi
  must python3 - "$columns" "$condition" <<'PY'
import csv, sys
lines = list(csv.reader(open("t.csv")))
assert ",".join(lines[0]) == sys.argv[1], lines[0]
assert all(len(l) == len(lines[0]) for l in lines), lines
rows = [dict(zip(lines[0], l)) for l in lines[1:]]
assert rows and eval(sys.argv[2]), rows
PY
}

@test "csv: the table of each test" {
  tabled loop,best_bytes_per_s,median_bytes_per_s,mad_bytes_per_s,owned_bytes_per_s,rounds \
    "[r['loop'] for r in rows] == ['read', 'copy'] and all(float(r['best_bytes_per_s']) >= float(r['median_bytes_per_s']) > 0 for r in rows)" \
    --memory-test=bandwidth --memory-kernel=read,copy --memory-size=64K --time=1
  tabled pages,bytes,ns,median_ns,samples,dropped \
    "len(rows) == 34 and {r['pages'] for r in rows} == {'huge', 'small'} and all(0 < float(r['ns']) <= float(r['median_ns']) for r in rows)" \
    --memory-test=latency --memory-size=16K --time=30
  tabled from_node,to_node,ns,bytes_per_s "rows[0]['from_node'] == '0' and float(rows[0]['ns']) > 0" \
    --memory-test=numa --memory-size=1M --time=30
  tabled work,one_per_s,cores_per_s,cores_ratio,all_per_s,smt_ratio,samples \
    "[r['work'] for r in rows] == ['read', 'copy'] and all(float(r['one_per_s']) > 1e6 and int(r['samples']) > 0 for r in rows)" \
    --memory-test=scaling --memory-kernel=read,copy --memory-size=1M --time=3
  measured pairs
  tabled processor,other,relation,ns,mad_ns,samples,dropped \
    "len(rows) <= $(nproc) * ($(nproc) - 1) / 2 and all(float(r['ns']) > 0 and int(r['samples']) > 0 for r in rows)" \
    made pairs.csv
  measured loaded
  tabled delay,bytes_per_s,ns,samples,dropped \
    "rows[0]['delay'] == 'none' and rows[0]['bytes_per_s'] == '0' and all(float(r['bytes_per_s']) > 0 for r in rows[1:])" \
    made loaded.csv
  # The classic test has a line per interval, as all others.
  bench memory --time=1 --csv=t.csv run
  must has "$(head -n 1 t.csv)" '^elapsed_s,period_s,'
}

# Sizes are measured until all are, or the time is over.
latency_is_complete() {
  bench memory --memory-test=latency --memory-size=64K --time=30 --json="$1" run
  must has "$output" '^ +64 KiB +[0-9.]+ +[0-9.]+'
}

@test "compare: figures of one run have no spread, three runs show it, and the mean decides" {
  latency_is_complete a.json
  bench memory --memory-test=bandwidth --memory-size=64K --time=1 --json=c.json run
  bench -5 compare a.json a.json --fail-if-slower=10
  must has "$output" '^inconclusive +geometric mean'
  must has "$output" '^CANNOT TELL: too few intervals; use a longer --time, or repeat with --repeat=3$'
  must has "$output" '^No figure can be compared: too few intervals$'
  bench -2 compare a.json c.json
  must is "$stderr" 'FATAL: results of different tests: one is of --memory-test=latency, the other one of --memory-test=bandwidth'
  # One that is worse does not stand for all: more latency, less bandwidth.
  python3 -c '
import json
for name, one, all in ("a", 1.5, 1.4), ("c", 1 / 1.5, 1 / 1.4):
    d = json.load(open(name + ".json"))
    d["client"].update(run_queue_delay_s=0, steal_cpus=0)
    figures = d["test"]["figures"]
    def put(new, factor):
        for k, f in enumerate(figures.values()):
            f["value"] *= factor(k)
        steps = [dict(values={}, exit_status=0, result=d)] * 3
        json.dump(dict(schema="bench-sweep/1", steps=steps), open(name + new + ".json", "w"))
        for k, f in enumerate(figures.values()):
            f["value"] /= factor(k)
    put("-base", lambda k: 1)
    put("-one", lambda k: one if k == 1 else 1)
    put("-all", lambda k: all)'
  bench -3 compare --fail-if-slower=10 a-base.json a-all.json
  must has "$output" '^slower +geometric mean '
  must has "$output" '^huge pages 4 KiB +[0-9.]+ (ns|us) '
  must has "$output" '^small pages 64 KiB +[0-9.]+ (ns|us) .* slower '
  bench -3 compare --fail-if-slower=10 c-base.json c-all.json
  must has "$output" '^copy +[0-9]+ MiB/s +[0-9]+ MiB/s '
  bench -0 compare --fail-if-slower=10 a-base.json a-one.json
  must has "$output" '^huge pages 8 KiB .* slower '
}

@test "report: one page for each test, which needs nothing else" {
  measured loaded
  measured pairs
  bench memory --memory-test=latency --memory-size=64K --time=30 --json=latency.json run
  for test in latency loaded pairs; do
    bench -0 report $test.json -o $test.html
    page_data $test.html
    must json data.json "'$test' in d['runs'][0]['doc']['test']"
    must grep -q '<h2>Figures</h2>' $test.html
    must [ "$(grep -cE '<script[^>]* src=|<(img|iframe|object)|href="[^#d]|href="data:.*[^,]"' $test.html)" = 0 ]
  done
}

# refused TEXT OPTION...
refused() {
  bench -1 memory "${@:2}" run
  must is "$stderr" "FATAL: $1"
}

@test "memory that is not there is refused beforehand" {
  bench -1 memory --memory-test=bandwidth --memory-size=900T run
  must has "$stderr" '^FATAL: --memory-size asks for 900 TiB, but only [0-9.]+ [MG]iB (of memory are available|are left of the memory of the control group); choose a smaller --memory-size$'
}

@test "sizes that are too small" {
  refused 'Invalid value for --memory-size: 4 KiB for 2 threads (each needs at least 3 KiB)' \
    --memory-test=bandwidth --threads=2 --memory-size=4K
  refused 'Invalid value for --memory-size: 2 KiB (--memory-test=latency needs at least 4 KiB)' \
    --memory-test=latency --memory-size=2K
}

@test "options of the other tests are refused" {
  refused '--memory-oper is for the test without --memory-test: leave one of them out' \
    --memory-test=bandwidth --memory-oper=read
  refused '--memory-size is for the tests that --memory-test chooses: give that, too' --memory-size=1M
  refused '--memory-kernel is for --memory-test=bandwidth or scaling, not for latency' \
    --memory-test=latency --memory-kernel=read
  refused '--rate makes no sense with --memory-test=bandwidth: it measures as fast as it can' \
    --memory-test=bandwidth --rate=5
  refused '--memory-test=latency takes --threads=1, and starts more threads itself if it needs them' \
    --memory-test=latency --threads=2
  refused '--memory-test=loaded needs at least --threads=2: one thread measures, the others load the memory' \
    --memory-test=loaded
  refused '--memory-test=pairs needs a single cache line: leave out --memory-size, --memory-pages and --isa' \
    --memory-test=pairs --memory-size=1M
}

@test "a place that does not allow to choose a processor ends with a clear line" {
  ! is_static || skip "a static program loads no libraries"
  cat >deny.c <<'C'
#include <errno.h>
#include <stddef.h>
int sched_setaffinity(int pid, size_t size, const void *set)
{
  (void)pid, (void)size, (void)set;
  errno = EPERM;
  return -1;
}
C
  nm "$BENCH" | grep -qE '__[at]san_init' && skip "sanitizers want to be loaded first"
  "${CC:-cc}" -shared -fPIC -o deny.so deny.c || skip "no compiler"
  for test in 'bandwidth --memory-size=64K' 'latency --memory-size=64K' 'numa --memory-size=64K' pairs; do
    # shellcheck disable=SC2086 # the words are arguments
    LD_PRELOAD=$PWD/deny.so bench -1 memory --time=1 --memory-test=$test run
    must has "$stderr" '^FATAL: cannot keep a thread on CPU [0-9]+, which --memory-test needs \(does this container allow sched_setaffinity\?\), errno = 1 \(Operation not permitted\)$'
  done
}

@test "an interrupted run reports what it has" {
  local pid
  "$BENCH" memory --memory-test=latency --memory-size=32M --time=600 --report-interval=0.5 run >out 2>err 3>&- &
  pid=$!
  # An event is a sample, and a size has at most a few hundred.
  until awk '/ eps: / { n += $7 / 2 } END { exit n < 2000 }' out; do
    kill -0 $pid
    sleep 0.05
  done
  kill -INT $pid
  status=0
  wait $pid || status=$?
  must is "$status" 130
  must has "$(<out)" '^Memory latency:$'
  must has "$(<out)" '^ +4 KiB +[0-9.]+'
}
