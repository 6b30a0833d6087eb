#!/usr/bin/env bats
# --load-profile: a rate that changes, from the option to all results.
load helper

quick=(cpu --cpu-max-prime=10 --threads=2 --rand-seed=7)

# A checkpoint has the arrivals since the one before, an interval those of its
# own time, and the whole has all.
sums=("sum(i['arrivals'] for i in d['intervals']) == d['totals']['arrivals'] == d['rate']['arrivals']"
  "all(abs(i['offered_per_s'] * i['period_s'] - i['arrivals']) < 0.001 for i in d['intervals'][:-1])")

@test "a run follows its profile, is as long as it, and shows the offered load" {
  bench -0 "${quick[@]}" --load-profile="ramp:0..400x1s,1000x1s,spike:2000x500ms/1s" --report-interval=1 \
    --csv=run.csv --stream=stream --json=run.json run
  must has "$output" '^Load profile: ramp:0\.\.400x1s,1000x1s,spike:2000x500ms/1s$'
  must has "$output" '^\[ [0-9.]+s \] queue length: [0-9]+ concurrency: [0-2], offered: [0-9.]+/s$'
  check run.json "${sums[@]}" "d['options']['time']['value'] == 3" \
    "2450 < d['totals']['arrivals'] < 2950" \
    "d['totals']['events'] + d['rate']['backlog'] == d['totals']['arrivals']"
  # A late line has more of the next second, so only the order of sizes counts.
  python3 - <<'PY'
import csv, json
rows = list(csv.DictReader(open("run.csv")))
lines = [json.loads(line) for line in open("stream")]
d = json.load(open("run.json"))
assert [int(r["arrivals"]) for r in rows] == [i["arrivals"] for i in d["intervals"]]
assert [i["arrivals"] for i in lines] == [i["arrivals"] for i in d["intervals"]]
assert all(abs(float(r["offered_per_s"]) - i["offered_per_s"]) < 0.001 for r, i in zip(rows, lines))
PY
}

# The first due times of a run, in nanoseconds since the load began.
due() {
  bench -0 "${quick[@]}" --events=200 --time=0 "$@" --event-log=events run
  tail -n +2 events | cut -d, -f1 | sort -n
}

@test "a profile that never changes is --rate" {
  due --rate=500 >rate
  due --load-profile=500 >profile
  cmp rate profile
  due --load-profile=500x100ms >profile
  cmp rate profile
  due --load-profile=ramp:500..501x1s >profile
  ! cmp rate profile
}

@test "a file of moments and rates is a profile, too" {
  printf 'time,rate\n3600,1000\n3602,1000\n' >day.csv
  due --rate=1000 >rate
  due --load-profile=day.csv >profile
  cmp rate profile
  printf '0,0\n1,500\n1,0\n2,0\n' >Day.CSV
  bench -0 "${quick[@]}" --load-profile=./Day.CSV --json=run.json run
  check run.json "d['options']['time']['value'] == 2" "180 < d['rate']['arrivals'] < 330"
}

@test "a warm-up has the first rate, and the profile begins after it" {
  bench -0 "${quick[@]}" --load-profile="0x1s,1000x1s" --warmup-time=1 --event-log=events --json=run.json run
  check run.json "d['run']['measured_start_monotonic_ns'] - d['run']['start_monotonic_ns'] >= 10**9" \
    "850 < d['rate']['arrivals'] < 1150"
  python3 - <<'PY'
import csv
first = min(int(r["start_ns"]) for r in csv.DictReader(open("events")))
assert 2 * 10**9 <= first < 2.1 * 10**9, first
PY
}

@test "--time, --events, and a profile that starts again" {
  bench -0 "${quick[@]}" --load-profile="0x500ms,400x500ms" --time=2 --json=run.json run
  check run.json "d['run']['end_reason'] == 'time_limit'" "310 < d['rate']['arrivals'] < 490"
  bench -0 "${quick[@]}" --load-profile="0x100ms,ramp:400..800x100ms" --time=0 --events=100 --json=run.json run
  check run.json "d['totals']['events'] == 100" "d['run']['end_reason'] == 'event_limit'"
}

@test "clients of a script share a profile" {
  needs_driver null
  bench -0 oltp_point_select --db-driver=null --table-size=100 --tables=1 --threads=2 --clients=20 \
    --load-profile="200x500ms,ramp:200..1800x500ms" --rand-seed=7 --json=run.json run
  check run.json "480 < d['rate']['arrivals'] < 720" \
    "d['totals']['events'] + d['rate']['backlog'] == d['rate']['arrivals']"
}

@test "who cannot keep up is told so, and a changing throughput is no trend" {
  bench -0 cpu --cpu-max-prime=100000 --load-profile=ramp:1000..50000x1s run
  must has "$stderr" '^WARNING: --load-profile was not sustained \(about [0-9.]+/s reached\), [0-9]+ of [0-9]+ scheduled events never started; lower its rates or use more --threads$'
  bench -1 cpu --cpu-max-prime=100000 --load-profile=1000000x20s --rate-overload=abort run
  must has "$stderr" '^FATAL: The event queue is full: 131072 events are waiting, the worker threads cannot keep up with --load-profile$'
}

@test "the page shows offered beside achieved, and equal profiles are compared by latency" {
  bench -0 "${quick[@]}" --load-profile=ramp:100..400x3s --json=run.json run
  "$BENCH" report run.json -o page.html
  page_data page.html
  must json data.json 'all(k in d["runs"][0]["series"] for k in ("events_per_s", "offered_per_s"))'
  cp run.json other.json
  bench compare run.json other.json
  must has "$output" '^[a-z]+ +mean '
}
