#!/usr/bin/env bats
# machine.bats - `bench machine`: all parts in one document, on one page; what
# cannot be measured is left out.
load helper

# names FILE: the parts that have a result.
names() {
  python3 -c '
import json, sys
for s in json.load(open(sys.argv[1]))["steps"]:
    if s["result"]: print(s["values"]["part"])' "$1"
}

# expected: the parts of a machine like this one, without those of fileio.
expected() {
  echo "cpu kernels"
  [ "$(nproc)" -lt 2 ] || echo "cpu scaling"
  echo "memory bandwidth"
  echo "memory latency"
  [ "$(nproc)" -lt 2 ] || echo "memory pairs"
  echo "threads handoff"
  echo "mutex"
}

@test "machine: all parts, one document, one page, and nothing left behind" {
  mkdir files tmp
  export TMPDIR=tmp
  bench -0 machine --time=4 --file-dir=files --file-total-size=2M --json=m.json
  must is "$(ls -A files tmp)" "files:

tmp:"
  must is "$(names m.json)" "$(expected)
fileio wal
fileio random reads"
  must has "$output" '^=== Part 1 of [79]: cpu kernels$'
  must has "$output" '^part +figure +value$'
  must has "$output" '^cpu kernels +int +[0-9.]+[MG]/s$'
  # Half a second may be too short for it beside other programs.
  grep -Eq '^WARNING: latencies with small pages were not measured, because the run was over' <<<"$stderr" ||
    must has "$output" '^memory latency +(huge|small) pages 4 KiB +[0-9.]+ ns$'
  must has "$output" '^fileio wal +events +[0-9.]+M?/s$'
  must json m.json 'd["sweep"]["parts"] and d["sweep"]["best"] is None and not d["sweep"]["interrupted"]
    and all(s["exit_status"] == 0 and s["failed"] is None for s in d["steps"])'
  # Each part keeps its share of the time.
  must json m.json 'abs(d["steps"][0]["result"]["options"]["time"]["value"] - 0.7) < 1e-6'
  must json m.json 'sum(s["result"]["options"]["time"]["value"] for s in d["steps"]) < 4'

  bench -0 report m.json -o m.html
  must has "$(<m.html)" '<h2>memory latency</h2>'
  must has "$(<m.html)" '<h3>Figures</h3>'
  must is "$(grep -c '<h2>Environment</h2>' m.html)" 1
  page_data m.html
  must json data.json 'd["parts"] and any("cpu_kernels" in r["doc"]["totals"] for r in d["runs"])
    and [r["values"]["part"] for r in d["runs"] if r.get("fsync")] == ["fileio wal"]'
  bench -0 report m.json m.json --format=markdown
  must is "$(grep '^## ' <<<"$output")" "$(expected | sed 's/^/## /')
## fileio wal
## fileio random reads
## Environment"

  bench -0 compare m.json m.json
  must has "$output" '^(same|inconclusive) +part=cpu kernels +geometric mean'
  must has "$output" '^inconclusive +part=memory latency +geometric mean'
  must has "$output" '^(same|inconclusive) +part=fileio wal +events/s '
  # What machine cannot do is no advice.
  must is "$(grep '^inconclusive (part=' <<<"$output" | grep -Evc '; measure again, with a longer --time$')" 0
  must is "$(grep -c '^part=' <<<"$output")" "$(names m.json | wc -l)"

  bench cpu --events=1 --json=c.json run
  bench -2 report m.json c.json
  must is "$stderr" "FATAL: 'm.json' is of bench machine, and 'c.json' is not: they cannot be shown on one page"
  bench report c.json m.json
  must is "$stderr" "FATAL: 'm.json' is of bench machine, and 'c.json' is not: they cannot be shown on one page"
  bench -2 compare c.json m.json
  bench -2 rerun m.json
  must is "$stderr" "FATAL: 'm.json' is of bench machine: start that again"
}

@test "machine: a missing folder is one line, and the rest is measured" {
  bench_as_it_is -1 machine --time=1.2 --file-dir=no/folder --json=m.json
  must is "$(grep -c 'no/folder' <<<"$stderr")" 1
  must has "$stderr" "^WARNING: fileio is not measured: cannot make a folder in 'no/folder': No such file or directory; choose another --file-dir\$"
  must is "$(names m.json)" "$(expected)"
}

@test "machine: a part without the time for it has no figure, and says so" {
  [ "$(nproc)" -ge 2 ] || skip "this machine has one processor"
  # Two milliseconds are over before a pair of processors was measured.
  bench -1 machine --time=0.02 --file-dir=no/folder --json=m.json
  must has "$output" '^memory pairs +not finished +-$'
  must is "$(sed -n '/^memory pairs/,/^threads/p' <<<"$output" | sed '$d' | grep -c events)" 0
}

@test "machine: a full disk is one line, and the rest is measured" {
  unshare -m true 2>/dev/null || skip "no mount namespaces here"
  mkdir disk
  run --separate-stderr unshare -m bash -c 'mount -t tmpfs -o size=1M none disk || exit 77
    "$1" machine --time=1.2 --file-dir=disk --file-total-size=8M --json=m.json; status=$?
    ls -A disk >left
    exit $status' - "$BENCH"
  [ "$status" -ne 77 ] || skip "may not mount"
  must is "$status" 1
  must has "$stderr" "^WARNING: fileio is not measured: 8 MiB needed in 'disk', 1 MiB free; choose another --file-dir, or a smaller --file-total-size\$"
  must is "$(<left)" ""
  must is "$(names m.json)" "$(expected)"
}

@test "machine: a part that fails does not keep the others from running" {
  unshare -m true 2>/dev/null || skip "no mount namespaces here"
  mkdir disk
  # The file system takes the folder and the size, but has no file numbers left.
  run --separate-stderr unshare -m bash -c 'mount -t tmpfs -o size=16M,nr_inodes=4 none disk || exit 77
    "$1" machine --time=1.2 --file-dir=disk --file-total-size=2M --json=m.json; status=$?
    ls -A disk >left
    exit $status' - "$BENCH"
  [ "$status" -ne 77 ] || skip "may not mount"
  must is "$status" 1
  must has "$output" '^fileio wal +failed +prepare, exit status 1$'
  must is "$(<left)" ""
  must is "$(names m.json)" "$(expected)"
  bench report m.json --format=text
  must has "$output" '^part=fileio wal +failed and is left out: it has no result$'
}

@test "machine: Ctrl-C ends it with what was measured" {
  mkdir files
  "$BENCH" machine --time=20 --file-dir=files --json=m.json >out 2>err 3>&- &
  local pid=$!
  until_started "$pid"
  kill -INT "$pid"
  status=0
  wait "$pid" || status=$?
  must is "$status" 130
  must has "$(<err)" '^Interrupted: this ends after the present part \(once more: now\)$'
  must is "$(names m.json)" "cpu kernels"
  must has "$(<out)" '^cpu kernels +int +[0-9.]+[MG]/s$'
  must is "$(ls -A files)" ""
  must json m.json 'd["sweep"]["interrupted"] and d["sweep"]["steps_planned"] > 6'
}

@test "machine: other options and arguments are refused" {
  bench -2 machine --threads=2
  must is "$stderr" "FATAL: --threads has no effect on machine, which takes --json, --time, --file-dir and --file-total-size"
  bench -2 machine --time=0
  must has "$stderr" 'machine needs one'
  bench -2 machine all
  must is "$stderr" "FATAL: machine takes no argument 'all' (expected options)"
  bench -1 machine --json=no/folder/m.json
  must is "$output" ""
  bench -0 machine --help
  must has "$output" 'file-dir=DIR'
}

@test "machine: if nobody reads it any more, it ends, and its folder is gone" {
  run -141 bash -c '"$BENCH" machine --time=10 2>/dev/null | head -n 1; exit "${PIPESTATUS[0]}"'
  must has "$output" '^=== Part 1 '
  must is "$(ls)" ""
}
