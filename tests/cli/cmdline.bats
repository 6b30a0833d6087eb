#!/usr/bin/env bats
# The command line as people use it: help, lists, units, configuration files
# that several tests share, and slips.
load helper

@test "what people type, and what they are told" {
  python3 "$BENCH_SRC/tests/cli/mistakes.py" "$BENCH" \
    "$BENCH_SRC/tests/cli/mistakes.tsv" >tap || {
    grep -v '^ok' tap
    false
  }
  must holds "$(grep -c '^ok' tap) >= 40"
}

@test "three rings of help: everyday options, all others, those for experts" {
  bench -0 --help
  must holds "$(grep -c '^  --' <<<"$output") >= 25 && $(grep -c '^  --' <<<"$output") <= 36"
  must has "$output" '^  fileio cpu memory threads mutex$'
  must has "$output" '^  .*oltp_read_write'
  must has "$output" '^  --threads=COUNT '
  screen=$output
  for arg in -h help; do
    bench -0 "$arg"
    must is "$output" "$screen"
  done
  bench -0 --help=all
  must holds "$(grep -c '^  --' <<<"$output") > 80 && $(grep -c '^  --' <<<"$output") <= 120"
  must is "$(awk 'length > 80' <<<"$output")" ""
  must has "$output" '^Result files:$'
  must has "$output" '^  --validate'
  must is "$(grep -c -- '--null-latency\|--stall' <<<"$output")" 0
  bench -0 --help=expert
  must is "$(awk 'length > 80' <<<"$output")" ""
  must has "$output" '^  --stall='
  must has "$output" '^  --file-sqpoll'
  must has "$output" '^  --num-threads: --threads$'
  local tool
  for tool in $("$BENCH" list | sed -nE '1,/^Tools/d; s/^  ([a-z-]+) .*/\1/p'); do
    bench -0 "$tool" --help
    must is "$(awk 'length > 80' <<<"$output")" ""
  done
}

@test "--help=json: every option of the program, of tests, of workloads and of tools" {
  bench -0 --help=json
  python3 - 3<<<"$output" <<'P'
import json, os
all = json.load(os.fdopen(3))
of = lambda name, test=None: next(o for o in all if o["name"] == name
                                  and (test in o["tests"] if test else not o["tests"]))
assert {tuple(sorted(o)) for o in all} == {tuple(sorted((
  "name", "type", "default", "group", "ring", "tests", "choices", "help", "aliases")))}
assert of("threads")["aliases"] == ["num-threads"] and of("threads")["ring"] == "common"
assert of("server-stats")["choices"] == ["auto", "on", "off"] and of("dsn")["default"] is None
assert of("file-sqpoll", "fileio")["ring"] == "expert"
assert of("read", "bank")["choices"] == ["sum", "rows"]
assert set(of("table-size", "oltp_delete")["tests"]) > {"oltp_read_only", "select_random_points"}
assert of("fail-if-slower", "compare")
assert of("hot-rows", "counter")["aliases"] == ["rows"] and of("history-file", "bank")["aliases"] == ["history"]
assert of("probe-interval", "replica")["type"] == "time" and of("stream")["aliases"] == ["jsonl"]
assert not any(o["name"] == "scale" and "tpcc" in o["tests"] for o in all)
assert not any(o["name"].startswith("sweep-role") for o in all)
P
}

@test "help of a test, of a script and of a tool" {
  for args in "cpu --help" "help cpu" "cpu -h" "cpu --help --nosuch --threads=0" "--test=cpu -h"; do
    # shellcheck disable=SC2086 # arguments
    bench -0 $args
    must has "$output" "^cpu options:\$"
    must has "$output" '^  --cpu-max-prime=COUNT '
  done
  bench -0 bulk_insert help
  must is "${lines[-1]}" "bulk_insert has no options of its own."
  bench -0 oltp_read_write --help
  must has "$output" '^  --table-size=COUNT +rows per table \[10000\]$'
  must is "$stderr" ""
  bench -0 compare --help
  must has "$output" '^  --fail-if-slower=PERCENT'
  echo 'sysbench.cmdline.options = { my_opt = {"mine", 5} } function event() end' >s.lua
  bench -0 s.lua --help
  must is "$output" $'Commands: run help\n\ns.lua options:\n  --my-opt=NUMBER  mine [5]'
}

@test "help of every test: a sentence, commands, and an example that bench accepts" {
  local name n=0 example
  for name in $("$BENCH" list | sed -nE '/^Tools/,$d; s/^  ([a-z_]+) .*/\1/p'); do
    [ "$name" != bulk_insert ] || continue # has no options, and prints that itself
    bench -0 "$name" --help
    must has "${lines[0]}" '^(One event: |The |An )'
    must has "$output" '^Commands: .*run.* help'
    must is "$(awk 'length > 80' <<<"$output")" ""
    example=$(sed -n '/^Example:$/{n;p}' <<<"$output")
    must has "$example" "^  bench $name .*(run|prepare)$"
    # As a sweep looks at the command line of its steps: nothing is run.
    # shellcheck disable=SC2086 # arguments
    bench -0 ${example#  bench } --sweep-role=check
    n=$((n + 1))
  done
  must holds "$n >= 25"
}

@test "old names of options work as before, without a word" {
  bench -0 cpu --cpu-max-prime=9 --events=5 --sweep=threads:1,2 --pause=1ms --report-statements run
  must is "$stderr" ""
  bench -1 cpu --pause=x run
  must has "$stderr" "Invalid value for --pause: 'x'"
  bench -0 fileio --file-iodepth=8 help
  bench --help=expert
  must has "$output" '^  --pause: --sweep-pause$'
  must has "$output" '^  --file-iodepth: --file-async-backlog$'
}

@test "list: every test, script and tool with a line each" {
  bench -0 list
  must has "$output" '^  cpu +CPU performance test$'
  must has "$output" '^  oltp_delete +one DELETE by primary key$'
  must has "$output" '^  compare +compare results'
  for script in "$BENCH_SRC"/src/lua/scripts/{oltp_[^c]*,select_*,bulk_insert}.lua; do
    must has "$output" "^  $(basename "$script" .lua) +[^ ]"
  done
  must is "$(grep -c 'oltp_common\|bench_' <<<"$output")" 0
  bench -V
  version=$output
  bench --version
  must is "$output" "$version"
}

@test "under the name sysbench none of these words are taken" {
  ln -s "$BENCH" sysbench
  run --separate-stderr ./sysbench --help
  must is "${lines[1]}" "  sysbench [options]... [testname] [command]"
  must has "$output" '^  --events=N +stop after this many events in total; 0 = no limit \[0\]$'
  must has "$output" '^  --num-threads=N '
  help=$output
  run --separate-stderr ./sysbench cpu --help
  must is "$output" "$help"
  for word in -h -V help list; do
    run -1 --separate-stderr ./sysbench $word
    must has "$stderr" "^FATAL: Cannot find benchmark '$word'"
  done
  run --separate-stderr ./sysbench oltp_read_write help
  must has "$output" '^  --table_size=N '
  run -0 --separate-stderr ./sysbench --versoin </dev/null
}

@test "options of the bundled scripts are known to the hints" {
  local name n=0
  for script in oltp_read_write select_random_points select_random_ranges; do
    bench $script help
    while read -r name; do
      bench -1 cpu "--$name=1" run
      must has "$stderr" "^--$name is an option of the (oltp_\* and select_\* scripts|script $script)$"
      n=$((n + 1))
    done < <(sed -nE 's/^  --([a-z-]+).*/\1/p' <<<"$output" | grep -v '^mysql-ssl')
  done
  must holds "$n > 50"
}

@test "a script on the standard input has its options checked" {
  echo 'sysbench.cmdline.options = { size = {"s", 1} } print("body")' >s.lua
  bench -0 --size=3 <s.lua
  must has "$output" '^body$'
  bench -1 --siz=3 <s.lua
  must is "$stderr" $'invalid option: --siz=3\ndid you mean --size?'
  bench -1 --size=x - <s.lua
  must is "$stderr" "FATAL: Invalid value for --size: 'x' (expected a number, such as 500, 64K or 1M)"
  bench -0 --threads=2 <<<'print("body")'
  bench -1 --foo <<<'print("body")'
  must is "$stderr" "invalid option: --foo"
}

@test "an error in a script on the standard input is one line" {
  bench -1 - <<<'error("stopped")'
  must is "$stderr" "FATAL: stdin:1: stopped"
}

@test "a configuration file that several tests share" {
  printf 'threads=2\ntime=1\ntables=2\ntable-size=100\nfile-num=3\nfail-if-slower=5\nevents=4\n' >c.cnf
  bench -0 --config-file=c.cnf cpu --cpu-max-prime=9 run
  must is "$stderr" ""
  must is "$(number 'Number of threads:')" 2
  bench --config-file=c.cnf --verbosity=4 cpu --cpu-max-prime=9 run
  must has "$output" '^--table-size is an option of the oltp_\* and select_\* scripts: skipped, c.cnf:4$'
  must has "$output" '^--file-num is an option of the fileio test: skipped, c.cnf:5$'
  # The test that knows an entry still checks it.
  bench -1 --config-file=c.cnf oltp_read_write --db-driver=null --table-size=x run
  must has "$stderr" "^FATAL: Invalid value for --table.size: 'x'"
  printf 'tabels=2\n' >slip.cnf
  bench -1 --config-file=slip.cnf oltp_read_write --db-driver=null --events=1 run
  must is "$stderr" $'invalid option: tabels, slip.cnf:1\ndid you mean --tables?'
  printf 'cpu-max-prim=2\n' >slip.cnf
  bench -1 --config-file=slip.cnf cpu run
  must is "$stderr" $'invalid option: cpu-max-prim, slip.cnf:1\ndid you mean --cpu-max-prime?'
}

@test "configuration files of older releases" {
  printf '; a comment\n  ;another=1\n[sysbench]\ntest=cpu\nmax-requests=3\noltp-table-size=10\nrand-init=on\n' >old.cnf
  bench -0 --config-file=old.cnf cpu --cpu-max-prime=9 run
  must is "$(number 'total number of events:')" 3
  must is "$stderr" "WARNING: --max-requests is deprecated, use --events instead
WARNING: --oltp-table-size is an old name of --table-size: skipped, old.cnf:6
WARNING: --rand-init is no longer needed: remove it (--rand-seed sets the seed); skipped, old.cnf:7"
  # The test in the file is what counts if none is named.
  bench -0 --config-file=old.cnf run
  must is "$(number 'total number of events:')" 3
  bench -0 --config-file=old.cnf threads run
  must is "$(number 'total number of events:')" 3
}

@test "empty values from variables that are not set" {
  bench -0 cpu --cpu-max-prime=9 --events=3 --time= --mysql-port= --pgsql-port= --json=a.json run
  must is "$(number 'total number of events:')" 3
  check a.json "d['options']['time']['value'] == 10" \
    "d['options']['time']['source'] == 'default'"
  bench -0 cpu --cpu-max-prime=9 --events=3 --events= --time=0.5 run
  must holds "$(number 'total number of events:') > 3"
  # The name alone is a slip, as ever.
  bench -1 cpu --time run
  printf 'events =\ntime = 0.05 # short\n' >c.cnf
  bench -0 cpu --cpu-max-prime=9 --config-file=c.cnf run
}

@test "times with units and fractions" {
  bench -0 cpu --cpu-max-prime=9 --time=250ms --report-interval=100ms --percentile=0 run
  must has "$output" '^\[ 0\.[0-9]s \]'
  must holds "$(number 'total time:') >= 0.25"
  bench -0 cpu --cpu-max-prime=9 --time=2m --events=2K --warmup-time=.01s --forced-shutdown=1m --json=a.json run
  check a.json "d['options']['time']['value'] == 120" "d['options']['events']['value'] == 2048" \
    "d['options']['warmup-time']['value'] == 0.01"
  echo 'function prepare() print(sysbench.opt.time, sysbench.opt.events) end' >t.lua
  bench t.lua --time=1.5m --events=1K prepare
  must is "$(tail -n 1 <<<"$output")" "90	1024"
}

@test "zeros that make no sense are refused" {
  bench -1 oltp_read_write --db-driver=null --tables=0 --events=1 run
  must has "$stderr" "^FATAL: Invalid value for --tables: '0' "
  bench -1 oltp_read_write --db-driver=null --range-size=0 --events=1 run
  must has "$stderr" "^FATAL: Invalid value for --range-size: '0' "
  bench -1 fileio --file-test-mode=rndrd --file-io-mode=sync --file-async-backlog=0 run
  must has "$stderr" "^FATAL: Invalid value for --file-async-backlog: '0' "
}
