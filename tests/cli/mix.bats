#!/usr/bin/env bats
# mix.bats - several scripts as one test: shares, clients, rates, environments,
# options, commands and results.

load helper

# mix MEMBERS ARG...: a run of 1000 events, if ARG does not say otherwise.
mix() {
  local members=$1
  shift
  bench --mix="$members" --db-driver=null --histogram=off --time=0 \
    --events=1000 "$@" run
}

# good MEMBERS ARG...: the same, which has to succeed.
good() {
  mix "$@" -0
}

# printed PATTERN: the lines of the run that match.
printed() {
  grep -E "$1" <<<"$output" || true
}

@test "shares follow the weights, in the text and in the document" {
  for how in --threads=4 '--clients=20 --threads=2'; do
    good oltp_point_select@70,oltp_read_only@30 $how --events=20000 \
      --json=m.json --report-classes
    # five standard deviations are 0.016
    check m.json 'len(d["members"]) == 2' \
      '[m["name"] for m in d["members"]] == ["oltp_point_select", "oltp_read_only"]' \
      'abs(d["members"][0]["share_ratio"] - 0.7) < 0.017' \
      'sum(m["events"] for m in d["members"]) == 20000' \
      'all(m["latency_ns"]["count"] == m["events"] for m in d["members"])' \
      'all(c["name"].startswith(("oltp_point_select: ", "oltp_read_only: ")) for c in d["classes"])' \
      '[c["count"] for c in d["classes"] if c["name"] == "oltp_read_only: COMMIT"] == [d["members"][1]["events"]]'
    must [ "$(printed '^ +[0-9]+ .*% .* (oltp_point_select|oltp_read_only)$' | wc -l)" = 4 ] ||
      must has "$output" '^ +[0-9]+ +[0-9.]+ +[0-9.]+% +[0-9.]+ .* 0 +0  oltp_read_only$'
    # members come before everything else
    must [ "$(printed '^(Members|SQL statistics|General)' | head -n 1)" = 'Members (times in ms):' ]
  done
}

@test "a deck has exactly its shares" {
  echo 'function event() end' >a.lua
  good a=./a.lua@6,b=./a.lua@3,c=./a.lua@3 --mix-choice=deck --json=m.json
  check m.json '[m["events"] for m in d["members"]] == [500, 250, 250]'
  good a=./a.lua@6,b=./a.lua@3,c=./a.lua@3 --events=40000 --json=m.json
  check m.json '[m["events"] for m in d["members"]] != [20000, 10000, 10000]'
}

@test "the choice leaves the random numbers of the workload alone" {
  echo 'function event() print("drew " .. sysbench.rand.uniform(1, 1000000)) end' >r.lua
  echo 'function event() end' >a.lua
  bench ./r.lua --rand-seed=5 --time=0 --events=50 run
  alone=$(printed '^drew')
  good ./r.lua --rand-seed=5 --events=50
  is "$(printed '^drew')" "$alone"
  good ./r.lua@1,./a.lua@3 --rand-seed=5 --events=400
  is "$(printed '^drew' | head -n 50)" "$alone"
  again=$(printed '^drew' | wc -l)
  good ./r.lua@1,./a.lua@3 --rand-seed=5 --events=400
  is "$(printed '^drew' | wc -l)" "$again"
}

@test "each member has globals of its own in each client" {
  cat >g.lua <<'LUA'
count = 0
function thread_init(id)
   assert(count == 0 and mine == nil)
   mine = id
end
function event(id)
   assert(mine == id)
   count = count + 1
end
function thread_done(id)
   print(("done %d %d"):format(id, count))
end
LUA
  for how in --threads=3 '--clients=3 --threads=1'; do
    good a=./g.lua,b=./g.lua $how --json=m.json
    must [ "$(printed '^done' | wc -l)" = 6 ]
    is "$(printed '^done' | awk '{ n += $3 } END { print n }')" 1000
    # the sums of two numbers per client are those of no single client
    json m.json 'all(0 < m["events"] < 1000 for m in d["members"])'
  done
}

@test "options: of all members, and of one by its name" {
  cat >o.lua <<'LUA'
sysbench.cmdline.options = {size = {"size", 10}, tag = {"tag", "-"}}
function thread_init() print("has " .. sysbench.opt.size .. " " .. sysbench.opt.tag) end
function event() end
LUA
  cat >legacy.lua <<'LUA'
function thread_init() print("old " .. tostring(any) .. " " .. tostring(other)) end
function event() end
LUA
  good o=./o.lua,p=./o.lua,q=./o.lua --size=20 --p.size=30 --q_tag=1 2>/dev/null || true
  must [ "$status" -eq 1 ]
  good o=./o.lua,p=./o.lua,q=./o.lua --size=20 --p.size=30 --q.tag=x
  is "$(printed '^has' | sort)" "$(printf 'has %s\n' '20 -' '20 x' '30 -' | sort)"
  printf 'size = 21\np.size = 31\n' >c.cfg
  good o=./o.lua,p=./o.lua --config-file=c.cfg
  is "$(printed '^has' | sort)" "$(printf 'has %s\n' '21 -' '31 -')"
  # a script that declares none takes any
  good ./o.lua,./legacy.lua --any=5 --legacy.other=6
  is "$(printed '^old')" 'old 5 6'
}

@test "options: what is wrong is one line" {
  good oltp_point_select,b=oltp_read_only --b.table-size=5
  mix oltp_point_select,b=oltp_read_only --nosuch.table-size=5
  is "$status: $stderr" "1: invalid option: --nosuch.table-size=5
the mix has no member 'nosuch' (it has oltp_point_select, b)"
  mix oltp_point_select,b=oltp_read_only --b.tabel-size=5
  is "$status: $stderr" "1: invalid option: --b.tabel-size=5
did you mean --b.table-size?"
  mix oltp_point_select,b=oltp_read_only --b.tables=0
  is "$status: $stderr" \
    "1: FATAL: Invalid value for --b.tables: '0' (expected an integer of 1 or more)"
  mix oltp_point_select,tpcc --tables=2
  is "$status: $stderr" \
    "1: FATAL: Invalid value for --tables: '2' (expected an integer from 1 to 1 for the member 'tpcc'; --NAME.tables is for one member)"
  echo 'function event() end' >old.lua
  mix oltp_point_select,./old.lua --oltp_point_select.nosuch=5
  is "$status: $stderr" "1: invalid option: --oltp_point_select.nosuch
'oltp_point_select' has no option --nosuch"
}

@test "an event that is restarted stays with its script" {
  cat >f.lua <<'LUA'
local again
function event()
   if again then
      print(sysbench.opt.tag .. " again")
      again = false
      return
   end
   print(sysbench.opt.tag .. " fails")
   again = true
   error({errcode = sysbench.error.RESTART_EVENT})
end
sysbench.cmdline.options = {tag = {"tag", "-"}}
LUA
  for how in --threads=1 "--clients=1 --client-engine=epoll"; do
    good a=./f.lua,b=./f.lua --a.tag=a --b.tag=b $how --events=200
    must [ "$(printed ' fails$' | wc -l)" = 200 ]
    # each failure is followed by the repetition of the same member
    is "$(printed '^[ab] ' | paste - - | sort | uniq -c | awk '{ print $2, $3, $4, $5 }')" \
      "$(printf '%s fails %s again\n' a a b b)"
  done
}

@test "an error of a member ends the run, a value its client" {
  echo 'function event() error("broken") end' >bad.lua
  echo 'function event() return 1 end' >value.lua
  echo 'function event() end' >fine.lua
  mix ./fine.lua@99,./bad.lua@1 -1 --threads=2
  must has "$stderr" 'event\(\) failed at ./bad.lua:1 in thread [01]: broken'
  mix ./fine.lua@99,./value.lua@1 -0 --events=100000
  must has "$stderr" 'returned'
  must has "$output" '[0-9] +fine$'
}

@test "a script with its own loop needs clients of its own" {
  cat >own.lua <<'LUA'
function event() end
function thread_init(id) con = sysbench.sql.driver():connect() end
function thread_run(id)
  while ffi.C.sb_more_events(id) do
    ffi.C.sb_event_start(id)
    con:query("SELECT 1")
    con:query("SELECT 2")
    own = (own or 0) + 1
    ffi.C.sb_event_stop(id)
  end
end
function thread_done(id) print(string.format("own %d", own or 0)) end
LUA
  mix oltp_point_select,./own.lua -1
  must has "$stderr" "own.lua has its own thread_run\(\).*: in a mix it needs clients of its own, in place of a weight: SCRIPT:CLIENTS"
  for how in '' '--clients=5 --threads=2'; do
    good oltp_point_select:3:rate=200,./own.lua:2 $how --events=4000 --json=m.json
    check m.json 'sum(m["events"] for m in d["members"]) == d["totals"]["events"] == 4000' \
      'd["members"][1]["events"] > 0 and d["members"][1]["latency_ns"]["max"] > 0' \
      "d['members'][1]['events'] == $(($(printed '^own' | sed 's/own //' | paste -sd+)))"
  done
  has_own_rate oltp_point_select:1,./own.lua:2:rate=400
}

# has_own_rate MEMBERS: the second has 400 arrivals per second, whatever the machine
# makes of them.  Six standard deviations are 170 in two seconds.
has_own_rate() {
  good "$1" --events=0 --time=2 --json=m.json
  check m.json 'abs(d["rate"]["member_arrivals"] / d["rate"]["offered_s"] * 2 - 800) < 170' \
    '0 < d["members"][1]["events"] <= d["rate"]["member_arrivals"] + 2' \
    'abs(d["members"][1]["events"] + d["rate"]["backlog"] - d["rate"]["member_arrivals"]) <= 2' \
    'd["members"][0]["events"] > d["members"][1]["events"]'
}

@test "clients of their own: how many, and which" {
  echo 'function thread_init(id) print("one " .. id) end function event() end' >one.lua
  echo 'function thread_init(id) print("two " .. id) end function event() end' >two.lua
  for how in '' --threads=4 '--clients=4 --threads=1'; do
    good ./one.lua:3,./two.lua:1 $how --json=m.json
    is "$(printed '^(one|two)' | sort)" "$(printf '%s\n' 'one 0' 'one 1' 'one 2' 'two 3')"
    check m.json 'd["options"]["threads"]["value"] in (1, 4)'
  done
  mix ./one.lua:3,./two.lua:1 --threads=5
  is "$status: $stderr" \
    "1: FATAL: --threads=5, but the members of the mix have 4 clients together: leave --threads out, or make them equal"
  mix ./one.lua:3,./two.lua:1 --clients=5
  must has "$stderr" '^FATAL: --clients=5, but the members'
}

@test "a rate of its own" {
  echo 'function event() end' >one.lua
  has_own_rate oltp_point_select:1,./one.lua:2:rate=400
}

@test "what a member with a rate could not begin is in queue, arrivals and objective" {
  printf '%s\n' 'ffi.cdef("int usleep(unsigned);")' \
    'function event() ffi.C.usleep(20000) end' >slow.lua
  echo 'function event() end' >one.lua
  for rate in --rate=10 --load-profile=10; do
    mix ./slow.lua:1:rate=400,./one.lua:1 -4 --events=0 --time=1 $rate \
      --slo='p99<=10s' --json=m.json --report-interval=0.5
    check m.json 'd["rate"]["backlog"] > 100' \
      'd["totals"]["queue_length"] == d["rate"]["backlog"]' \
      'd["rate"]["arrivals"] >= d["members"][0]["events"] + d["rate"]["backlog"]' \
      'd["rate"]["member_arrivals"] > 5 * (d["rate"]["arrivals"] - d["rate"]["member_arrivals"])' \
      'd["slo"]["terms"][0]["beyond"] > 100' \
      '"backlog" in [w["code"] for w in d["warnings"]]' \
      'd["rate"]["lag_ns"]["count"] <= d["rate"]["arrivals"]'
    must has "$output" 'queue length: [1-9]'
    must has "$stderr" 'the rates of the mix were not sustained'
  done
  mix ./slow.lua:1:rate=2e8,./one.lua:1 -1 --events=0 --time=60 \
    --rate-overload=abort
  must has "$stderr" 'event queue is full.* cannot keep up with the rates of the mix'
}

@test "a member with a rate does not think: the rate says when events are due" {
  echo 'function event() end' >one.lua
  good ./one.lua:1:rate=200,b=./one.lua:1 --events=0 --time=2 \
    --think-time=1h --json=m.json
  check m.json 'd["members"][0]["events"] > 5' 'd["members"][1]["events"] == 1'
}

@test "a rate of the whole that no member would follow is refused" {
  echo 'function event() end' >one.lua
  mix ./one.lua:1:rate=200 -1 --rate=10
  must is "$stderr" 'FATAL: --rate is for members of the mix without a rate of their own, and all have one'
  mix ./one.lua:1:rate=200 -1 --load-profile=10x1s
  must has "$stderr" '--load-profile is for members of the mix'
}

@test "with --rate, --warmup-time and intervals" {
  echo 'function event() end' >one.lua
  good a=./one.lua@3,b=./one.lua --rate=1000 --events=500 --warmup-time=0.2 \
    --report-interval=0.1 --json=m.json --threads=2
  # Of each thread, the event that was open at the end of the warm-up counts too.
  check m.json 'sum(m["events"] for m in d["members"]) == d["totals"]["events"]' \
    '500 <= d["totals"]["events"] <= 502' 'len(d["intervals"]) > 0' 'all(len(i["members"]) == 2 for i in d["intervals"])'
}

@test "after a checkpoint the members still have the figures of the whole run" {
  echo 'function event() end' >one.lua
  for how in '' --json=m.json; do
    # the last report is about the time after the checkpoint, which is short
    good a=./one.lua@3,b=./one.lua --rate=400 --events=800 --report-checkpoints=1 $how
    is "$(printed '% .* [ab]$' | wc -l)" 2
    printed '% .* [ab]$' | awk '{ share += $3; n += $1; if ($2 > 380) bad = 1; if ($3 + 0 < 15 || $3 + 0 > 85) bad = 1 }
      END { exit !(n == 800 && share > 99.8 && share < 100.2 && !bad) }'
  done
}

@test "errors and reconnects belong to the member that had them" {
  NEEDS_DRIVER=sqlite
  needs_driver sqlite
  cat >bad.lua <<'LUA'
local con
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT * FROM nothing") end
sysbench.hooks.sql_error_ignorable = function() return true end
LUA
  cat >good.lua <<'LUA'
local con
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
LUA
  bench -0 --mix=./bad.lua:1,./good.lua:1 --db-driver=sqlite --sqlite-db=t.db \
    --sqlite-ignore-errors=all --histogram=off --time=1 --json=m.json run
  check m.json 'd["members"][0]["events"] == 0' 'd["members"][0]["errors"] > 0' \
    'd["members"][1]["errors"] == 0 < d["members"][1]["events"]' \
    'd["members"][0]["errors"] == d["totals"]["errors"]'
}

@test "files of SQL are members" {
  needs_driver sqlite
  cat >x.sql <<'SQL'
\set y debug(:n)
SELECT :n AS n;
SQL
  echo 'function event() end' >one.lua
  for how in --threads=1 '--clients=2 --threads=1'; do
    bench -0 --mix=./x.sql,y=./x.sql,./one.lua --db-driver=sqlite --sqlite-db=t.db \
      --x.define=n=1 --y.define=n=2 --time=0 --events=300 --json=m.json \
      --mix-choice=deck $how run
    must [ "$(grep -c 'int 1$' <<<"$stderr")" = "$(python3 -c '
import json; print(json.load(open("m.json"))["members"][0]["events"])')" ]
    check m.json 'all(90 < m["events"] < 110 for m in d["members"])' \
      'sorted(c["name"] for c in d["classes"]) == ["x: SELECT ? AS n", "y: SELECT ? AS n"]'
  done
}

@test "prepare, check and cleanup are those of the members, in order" {
  needs_driver sqlite
  sqlite="--db-driver=sqlite --sqlite-db=t.db"
  echo 'function event() end' >one.lua
  members=oltp_read_only,./one.lua,oltp_read_write,tpcb
  command() {
    bench --mix=$members $sqlite --tables=2 --table-size=50 --scale=1 "$@"
  }
  command prepare
  must [ "$status" -eq 0 ]
  is "$(printed '^[a-z_]+: ')" "oltp_read_only: prepare
one: skipped, it has no command 'prepare'
oltp_read_write: skipped, its tables are those of oltp_read_only
tpcb: prepare"
  must [ "$(printed "^Creating table 'sbtest" | wc -l)" = 2 ]
  command check
  must [ "$status" -eq 0 ]
  must has "$output" "^Checking table 'sbtest2'... ok"
  must has "$output" "^Checking table 'pgbench_tellers'... ok"
  command --time=0 --events=200 run
  must [ "$status" -eq 0 ]
  echo 'function event() sysbench.sql.driver():connect():query("DELETE FROM sbtest2 WHERE id = 7") end' >del.lua
  bench ./del.lua $sqlite --time=0 --events=1 run
  command check
  must [ "$status" -eq 1 ]
  must has "$output" "^Checking table 'pgbench_tellers'... ok"
  command cleanup
  must [ "$status" -eq 0 ]
  must [ ! -e t.db ]
  command resume
  must [ "$status" -eq 1 ]
  command nosuch
  is "$status: $(head -n 1 <<<"$stderr")" '1: Unknown command: nosuch'
}

@test "mixes with tpcc run as the documents write them" {
  needs_driver sqlite
  local lines line
  mapfile -t lines < <(sed -nE 's/^    bench (--mix=.*tpcc.*)/\1/p' "$BENCH_SRC/docs/workloads.md")
  must is "${#lines[@]}" 2
  for line in "${lines[@]}"; do
    must has "$line" '--db-driver=pgsql '
    # shellcheck disable=SC2086
    bench -0 ${line/--db-driver=pgsql/--db-driver=sqlite} --sqlite-db=t.db --sqlite-synchronous=off --sqlite-busy-timeout=60000 \
      --oltp_read_only.table-size=100 --tpcc.customers=30 --tpcc.items=100 --time=0 --events=100
  done
}

@test "members that would make the same tables in two ways are refused" {
  needs_driver sqlite
  bench --mix=oltp_read_only,oltp_read_write --db-driver=sqlite --sqlite-db=t.db \
    --table-size=50 --oltp_read_write.table-size=60 prepare
  is "$status: $stderr" \
    "1: FATAL: --mix: oltp_read_only and oltp_read_write use the same tables, but --table-size is '50' for the one and '60' for the other: prepare one of them without the mix"
  must [ ! -e t.db ]
}

@test "figures and texts that scripts add to the last report" {
  cat >fig.lua <<'LUA'
function event() end
sysbench.hooks.report_append = function() return "text of fig\n", {answer = 42} end
LUA
  echo 'function event() end' >one.lua
  good ./one.lua,./fig.lua --json=m.json
  must has "$output" '^text of fig$'
  check m.json 'd["test"]["fig"]["answer"] == 42'
}

@test "the command line: names, help, what is refused" {
  echo 'function event() end' >one.lua
  bench -0 mix --mix=./one.lua --time=0 --events=5 run
  bench --mix=oltp_read_only,b=tpcb help
  must has "$output" '^oltp_read_only options:$'
  must has "$output" '^b options:$'
  bench --mix=oltp_read_only --help
  must has "$output" '^oltp_read_only options:$'
  bench --mix=cpu run
  is "$status: $stderr" \
    "1: FATAL: --mix: 'cpu' cannot be a member: members are scripts and files of SQL"
  bench --mix=./one.lua@0 run
  is "$status: $stderr" \
    "1: FATAL: --mix: './one.lua@0': the weight after @ is a whole number from 1 to 1000000"
  bench --mix=./one.lua --connection-lifetime=5 run
  is "$status: $stderr" '1: FATAL: --connection-lifetime cannot be used with --mix'
  bench --mix=nosuch run
  must has "$stderr" "^FATAL: Cannot find benchmark 'nosuch'"
  bench --mix=./one.lua cpu run
  is "$status: $stderr" \
    "1: --mix cannot be used together with the test 'cpu': bench mix --mix=... run"
  bench --mix=./one.lua
  is "$status: $stderr" "1: The mix requires a command argument: 'bench --mix=... run'"
  bench mix run
  must has "$stderr" '^a mix needs its members: --mix=SCRIPT,\.\.\.'
}

@test "a sweep of a mix" {
  echo 'function event() end' >one.lua
  bench -0 --mix=./one.lua@3,two=./one.lua --time=0 --events=100 \
    --sweep=threads:1,2 --json=s.json run
  json s.json 'len(d["steps"]) == 2'
}
