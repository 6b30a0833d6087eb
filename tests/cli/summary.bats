#!/usr/bin/env bats
# Summaries as Markdown.
load helper

@test "a run has a summary" {
  bench -0 cpu --cpu-max-prime=10 --events=200 --time=0 --threads=2 --percentiles=50,99 \
    --summary=markdown:s.md --json=o.json run
  must is "$(head -n 1 s.md)" '## cpu: done'
  must has "$(cat s.md)" '^\| events \| 200 \|$'
  must has "$(cat s.md)" '^\| threads \| 2 \|$'
  must has "$(cat s.md)" '^\| p99 \| [0-9.e-]+ ms \|$'
  must has "$(cat s.md)" '^- CPUs that the run can use: [0-9]+$'
  must lacks "$(cat s.md)" Objective
  # The same figure as in the document.
  must is "$(sed -n 's/^| events per second | \(.*\) |$/\1/p' s.md)" \
    "$(python3 -c 'import json; print("%.2f" % json.load(open("o.json"))["totals"]["events_per_s"])')"
}

@test "the summary has the verdict, and warnings" {
  bench -4 cpu --cpu-max-prime=1000 --events=200 --time=0 --percentiles=99.99 \
    --slo='p99<=1ns,max<=1h' --summary=markdown:s.md run
  must is "$(head -n 1 s.md)" '## cpu: objective **not held**'
  must has "$(cat s.md)" '^\| p99\\<=1ns \| [0-9.e+]+ ns \| does not hold: 200 of 200 were later \|$'
  must has "$(cat s.md)" '^\| max\\<=1h \| .* h \| holds \|$'
  must has "$(cat s.md)" '^- 200 events are too few for p99\.99.*\(`few_samples`\)$'
}

@test "a run that fails has a summary that says so" {
  echo 'function event() error("no | more") end' >f.lua
  bench -1 f.lua --events=20 --time=0 --summary=markdown:s.md run
  must is "$(head -n 1 s.md)" '## f.lua: **failed**'
  must has "$(cat s.md)" '^The run ended early: .*no \\\| more'
}

@test "a file that cannot be written is an error before anything starts" {
  bench -1 cpu --events=10 --time=0 --summary=markdown:nowhere/s.md run
  must has "$stderr" "^FATAL: .*'nowhere/s.md'"
  must lacks "$output" 'General statistics'
  bench -1 cpu --events=10 --time=0 --sweep=threads:1,2 --summary=markdown:nowhere/s.md run
  must has "$stderr" "^FATAL: .*'nowhere/s.md'"
  must lacks "$output" 'General statistics'
}

@test "a sweep has one summary" {
  bench -4 cpu --cpu-max-prime=10 --time=0 --sweep=events:50,200 --slo='p99<=1h' \
    --summary=s.md run
  must is "$(head -n 1 s.md)" '## Sweep of cpu: objective **not held** by all steps'
  must has "$(cat s.md)" '^\| 50 \| 50 \| .*objective not held'
  must is "$(grep -c '^## ' s.md)" 1
  must is "$(ls s.md*)" s.md
  # The table on the terminal keeps its form.
  must has "$output" '^ +50 .* objective not held'
}

@test "a comparison has one" {
  bench cpu --cpu-max-prime=10 --events=200 --time=0 --json=a.json run
  bench -4 compare a.json a.json --slo='p99<=1ns' --summary=s.md
  must has "$output" '^verdict +figure'
  must has "$(cat s.md)" '^\| verdict \| figure \|'
  must has "$(cat s.md)" '^\| failed \| a.json \| [0-9.e+]+ ns \(not held\) \|$'
  must has "$(cat s.md)" '^### Machine$'
  bench -1 compare a.json a.json --summary=markdown:nowhere/s.md
  must has "$stderr" "^FATAL: .*'nowhere/s.md'"
}
