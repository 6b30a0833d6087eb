# options.bats - options that scripts declare, and what scripts see of options.
load ../cli/helper

# show OPTION...: prints type and value of each.
write_show() {
  cat >show.lua <<'L'
function show(...)
  for _, name in ipairs{...} do
    local v = sysbench.opt[name]
    if type(v) == "table" then
      print(name, "table", #v, table.concat(v, "+"))
    else
      print(name, type(v), tostring(v))
    end
  end
end
function event() end
L
}

@test "types, defaults and values" {
  write_show
  cat >t.lua <<'L'
dofile("show.lua")
local c = sysbench.cmdline
c.options = {
  b = {"x", true}, b0 = {"x", nil, c.ARG_BOOL}, bs = {"x", "off", c.ARG_BOOL},
  i = {"x", 5, c.ARG_INT}, i0 = {"x", nil, c.ARG_INT},
  s = {"x", "2K", c.ARG_SIZE}, s0 = {"x", nil, c.ARG_SIZE},
  d = {"x", 0.25}, d0 = {"x", nil, c.ARG_DOUBLE}, dn = {"x", 10000},
  t = {"x", "text"}, t0 = {"x"}, te = {"x", ""},
  l = {"x", {"a", "b"}}, l0 = {"x", nil, c.ARG_LIST}, ln = {"x", {1, 2.5}}, le = {"x", {"q"}, c.ARG_LIST},
  f = {"x", nil, c.ARG_FILE}, ["my-opt"] = {"x", 1},
}
function prepare()
  show("b", "b0", "bs", "i", "i0", "s", "s0", "d", "d0", "dn", "t", "t0", "te", "l", "l0", "ln", "le", "f", "my_opt", "my-opt")
end
L
  bench -0 t.lua prepare
  must is "$(lines)" "b	boolean	true
b0	boolean	true
bs	boolean	false
i	number	5
i0	number	0
s	number	2048
s0	number	0
d	number	0.25
d0	number	0
dn	number	10000
t	string	text
t0	string	
te	string	
l	table	2	a+b
l0	table	0	
ln	table	2	1+2.5
le	table	1	q
f	nil	nil
my_opt	number	1
my-opt	nil	nil"
  bench -0 t.lua --b=off --b0 --bs=yes --i=-7 --i0=9007199254740993 --s=1M --s0=3G --d=-1e3 \
    --d0=.5 --dn=7 --t= --t0=a=b --te='x y' --l=c,,d --l0=1 --ln= --le=z --f=t.lua --my_opt=2 prepare
  must is "$(lines)" "b	boolean	false
b0	boolean	true
bs	boolean	true
i	number	-7
i0	number	9.007199254741e+15
s	number	1048576
s0	number	3221225472
d	number	-1000
d0	number	0.5
dn	number	7
t	string	
t0	string	a=b
te	string	x y
l	table	2	c+d
l0	table	1	1
ln	table	0	
le	table	1	z
f	nil	nil
my_opt	number	2
my-opt	nil	nil"
}

@test "the program's own options have their types" {
  write_show
  cat >t.lua <<'L'
dofile("show.lua")
sysbench.cmdline.options = {}
function prepare() show("threads", "num_threads", "percentile", "rand_type", "report_checkpoints", "validate", "db_driver", "db_ps_mode") end
L
  bench t.lua --num-threads=3 --report-checkpoints=5,1 --db-driver=null prepare
  must is "$(lines)" "threads	number	3
num_threads	number	3
percentile	number	95
rand_type	string	special
report_checkpoints	table	2	5+1
validate	boolean	false
db_driver	string	null
db_ps_mode	string	auto"
}

@test "an option of the script with the name of one of the program" {
  write_show
  cat >t.lua <<'L'
dofile("show.lua")
sysbench.cmdline.options = { time = {"mine", "script"} }
function prepare() show("time") end
L
  bench t.lua prepare
  must is "$(lines)" "time	string	script"
  bench t.lua --time=3 prepare
  must is "$(lines)" "time	number	3"
}

@test "malformed declarations" {
  f="FATAL: \`sysbench.cmdline.read_cmdline_options' function failed:"
  while IFS='|' read -r value text; do
    echo "sysbench.cmdline.options = $value" >t.lua
    bench -1 t.lua run
    must is "$stderr" "$f $text"
  done <<'L'
5|wrong type for sysbench.cmdline.options: number
{x = 5}|wrong table structure in sysbench.cmdline.options
{{"x"}}|wrong table structure in sysbench.cmdline.options
{x = {}}|nil description for option x
{x = {"d", function() end}}|cannot determine type for option x
{x = {"d", 1, 0}}|cannot determine type for option x
{x = {"d", 1, 8}}|cannot determine type for option x
{x = {"d", 1, "y"}}|cannot determine type for option x
L
}

@test "unknown options: refused with a table, taken without" {
  echo 'sysbench.cmdline.options = {} function event() end' >t.lua
  bench -1 t.lua --nosuch=1 run
  must is "$stderr" "invalid option: --nosuch=1"
  echo 'function prepare() print(nosuch, sysbench.opt.nosuch, my_flag == "", type(debug), type(threads), tables) end' >t.lua
  bench -0 t.lua --nosuch=1 --my-flag --debug=off --event=5 prepare
  must is "$(lines)" "1	1	true	table	number	nil"
}

@test "numbers may have suffixes, and validators get plain ones" {
  cat >t.lua <<'L'
local function even(_, value) return tonumber(ffi.string(value)) % 2 == 0, "an even number" end
sysbench.cmdline.options = {
  rows = {"rows", 10}, share = {"share", 0.5}, count = {"count", 3, sysbench.cmdline.ARG_INT, even},
  text = {"text", "x"},
}
function prepare()
  local o = sysbench.opt
  print(string.format("%d %g %d %s", o.rows, o.share, o.count, o.text))
end
L
  bench -0 t.lua --rows=1M --share=2k --count=3K --text=1K prepare
  must is "$(lines)" "1048576 2048 3072 1K"
  bench t.lua --rows=1e6 --share=.25 --count=-4 prepare
  must is "$(lines)" "1000000 0.25 -4 x"
  for bad in 1KB 1.5K K -1K 9000000T; do
    bench -1 t.lua --rows=$bad prepare
    must is "$stderr" "FATAL: Invalid value for --rows: '$bad' (expected a number, such as 500, 64K or 1M)"
  done
  # sysbench would take it for 1.
  ln -s "$BENCH" sysbench
  run -1 --separate-stderr ./sysbench ./t.lua --rows=1M prepare
  must is "$stderr" "FATAL: Invalid value for --rows: '1M' (expected a number)"
}

@test "the bundled scripts take suffixes" {
  bench -0 oltp_point_select --db-driver=null --table-size=2K --tables=1K --events=1 --json=r.json run
  must is "$(python3 -c 'import json
o = json.load(open("r.json"))["options"]
print([v["value"] for k, v in sorted(o.items()) if k.replace("-", "_") in ("table_size", "tables")])')" "[2048, 1024]"
}

@test "the bundled scripts: old names, hidden options, percentages and times with units" {
  bench -0 tpcc help
  must has "$output" '^  --warehouses=COUNT'
  must is "$(grep -cE -- '--(scale|tables)' <<<"$output")" 0
  bench -0 bank help
  must has "$output" '^  --readers=P%'
  must has "$output" '^  --history: --history-file$'
  local sqlite=(--db-driver=sqlite --sqlite-db=t.db --sqlite-busy-timeout=60s)
  bench -0 counter "${sqlite[@]}" --rows=3 prepare
  bench -1 counter "${sqlite[@]}" --hot-rows=2 --events=1 run
  must has "$stderr" 'the tables were made with --hot-rows=3, not 2'
  bench -1 counter --db-driver=null --rows=-1 run
  must is "$stderr" "FATAL: Invalid value for --rows: '-1' (expected an integer from 0 to 100000000)"
  bench -0 --mix=counter@1 "${sqlite[@]}" --rows=3 --counter.rows=3 --threads=1 --events=5 run
  bench -1 --mix=counter@1 "${sqlite[@]}" --rows=4 --threads=1 --events=5 run
  must has "$stderr" 'the tables were made with --hot-rows=3, not 4'
  bench -0 bank "${sqlite[@]}" prepare
  bench -0 bank "${sqlite[@]}" --history=h.log --readers=100% --events=5 --time=0 --json=r.json --jsonl=s run
  bench -0 verify h.log
  must is "$(python3 -c 'import json
o = json.load(open("r.json"))["options"]
print([o[k]["value"] for k in ("history_file", "readers", "sqlite-busy-timeout", "stream")], "history" in o)')" \
    "['h.log', 100, 60000, 's'] False"
  bench -0 tpcc --db-driver=null --scale=2 --tables=1 --events=1 run
  bench -0 ycsb --db-driver=null --verify --events=1 run
  bench -0 replica --db-driver=null --replica-host=a --read-after=0,5ms,1s --probe-interval=2ms --visible-timeout=1m \
    --null-latency=1ms --events=3 --json=r.json run
  must is "$(python3 -c 'import json
o = json.load(open("r.json"))["options"]
print([o[k]["value"] for k in ("probe_interval", "visible_timeout", "null-latency", "read_after")])')" \
    "[2, 60, 1000, '0,5ms,1s']"
}

@test "messages spell names of options with dashes" {
  echo 'sysbench.cmdline.options = { my_own_opt = {"a number", 1} } function event() end' >t.lua
  bench t.lua --my_own_opt=x run
  must is "$stderr" "FATAL: Invalid value for --my-own-opt: 'x' (expected a number, such as 500, 64K or 1M)"
  bench t.lua --my_own_op=1 run
  must is "$stderr" "invalid option: --my_own_op=1
did you mean --my-own-opt?"
  ln -s "$BENCH" sysbench
  run --separate-stderr ./sysbench ./t.lua --my-own-opt=x run
  must is "$stderr" "FATAL: Invalid value for --my_own_opt: 'x' (expected a number)"
  run --separate-stderr ./sysbench ./t.lua --my-own-op=1 run
  must is "$stderr" "invalid option: --my-own-op=1
did you mean --my_own_opt?"
}

@test "validators: each option has its own" {
  cat >t.lua <<'L'
local function even(name, value) return tonumber(ffi.string(value)) % 2 == 0 end
local function named(name, value) return ffi.string(name) == "named" end
sysbench.cmdline.options = {
  a = {"no rule", 1}, even = {"even", 3, sysbench.cmdline.ARG_INT, even}, named = {"named", "", nil, named},
}
function prepare() print(sysbench.opt.even) end
L
  bench -0 t.lua --a=7 --even=4 --named=x prepare
  must is "$(lines)" 4
  bench t.lua prepare
  must is "$(lines)" 3
  bench -1 t.lua --even=5 prepare
  must is "$stderr" "invalid option: --even=5
--even is an option of the script, which refuses this value"
}

@test "validators: what is allowed, in the words of the script" {
  cat >t.lua <<'L'
local function even(_, value)
  return (tonumber(ffi.string(value)) or 1) % 2 == 0, "an even number"
end
sysbench.cmdline.options = { even = {"even", 4, sysbench.cmdline.ARG_INT, even} }
function prepare() print(sysbench.opt.even) end
L
  bench t.lua --even=6 prepare
  must is "$(lines)" 6
  for bad in 5 x 5.5; do
    bench -1 t.lua --even=$bad prepare
    must is "$stderr" "FATAL: Invalid value for --even: '$bad' (expected an even number)"
  done
  echo even=3 >t.cnf
  bench t.lua --config-file=t.cnf prepare
  must is "$stderr" "FATAL: Invalid value for --even: '3' (expected an even number), t.cnf:1"
}

@test "help of a script" {
  cat >t.lua <<'L'
sysbench.cmdline.options = { ["b-b"] = {"the b", 2}, a_a = {"the a", false}, none = {"no default"} }
function prepare() sysbench.cmdline.print_test_options() end
L
  bench -0 t.lua help
  must is "$(lines | tail -n 4)" "t.lua options:
  --a-a[=on|off]  the a [off]
  --b-b=NUMBER    the b [2]
  --none=TEXT     no default"
  ln -s "$BENCH" sysbench
  run ./sysbench t.lua help
  must is "$(sed -n 4p <<<"$output")" "  --a_a[=on|off] the a [off]"
  bench t.lua prepare
  must is "$(lines)" "  --a-a[=on|off]  the a [off]
  --b-b=NUMBER    the b [2]
  --none=TEXT     no default"
}

@test "sysbench.opt: nil in the body, filled before each function" {
  cat >t.lua <<'L'
print("body", sysbench.tid, sysbench.opt)
function prepare() sysbench.opt.threads = 1 print("prepare", sysbench.opt.threads) end
function init() print("init", sysbench.opt.threads) end
function thread_init() print("thread_init", sysbench.opt.threads) end
function event() end
L
  bench t.lua --threads=2 prepare
  must is "$(lines)" "body	0	nil
prepare	1"
  bench t.lua --threads=2 --events=1 run
  must is "$(grep -E '^(body|init|thread)' <<<"$output" | sort)" "body	0	nil
body	0	nil
body	1	nil
init	2
thread_init	2
thread_init	2"
}

@test "what a script has under the name of an option that is younger stays" {
  cat >t.lua <<'L'
pause, cluster, json, threads = 0.5, {"n1"}, "{}", 7
function prepare()
  print(pause, type(cluster), json, threads, csv, sysbench.opt.pause, sysbench.opt.json)
end
L
  bench t.lua prepare
  must is "$(lines)" "$(printf '0.5\ttable\t{}\t1\t\t0\t')"
  bench t.lua --json=r.json --csv=r.csv prepare
  must has "$output" "$(printf '^0.5\ttable\t\{\}\t1\tr.csv\t0\tr.json$')"
}

@test "defaults that say nothing" {
  cat >t.lua <<'L'
local c = sysbench.cmdline
c.options = {
  i = {"x", "", c.ARG_INT}, z = {"x", "", c.ARG_SIZE}, d = {"x", "", c.ARG_DOUBLE},
  f = {"x", "/nonexistent/file", c.ARG_FILE},
}
function prepare() print(sysbench.opt.i, sysbench.opt.z, sysbench.opt.d, sysbench.opt.f) end
L
  bench t.lua prepare
  must is "$(lines)" "0	0	0	nil"
  bench t.lua --i=3 --f=t.lua prepare
  must is "$(lines)" "3	0	0	nil"
  bench -1 t.lua --f=/nonexistent/file prepare
}

@test "a script runs on a stack of any size" {
  echo 'function event() return tostring({}):rep(3):find("x") end' >t.lua
  bench -0 t.lua --thread-stack-size=16K --events=10 run
}
