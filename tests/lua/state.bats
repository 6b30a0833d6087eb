# state.bats - what a Lua state holds before a script changes it, and where it
# finds modules.
load ../cli/helper

@test "globals are those of the library and of the interface, no more" {
  cat >g.lua <<'L'
local known = {}
for name in ([[_G _VERSION arg assert bit collectgarbage coroutine debug
  dofile error ffi gcinfo getfenv getmetatable io ipairs jit load loadfile
  loadstring math module newproxy next os package pairs pcall print rawequal
  rawget rawlen rawset require select setfenv setmetatable string sysbench
  table thread_run tonumber tostring type unpack xpcall
  thread_id test mysql_table_engine myisam_max_rows
  DB_ERROR_NONE DB_ERROR_RESTART_TRANSACTION DB_ERROR_FAILED
  sb_rnd sb_rand sb_rand_str sb_rand_uniform sb_rand_gaussian sb_rand_special
  sb_rand_uniq db_connect db_disconnect db_query db_bulk_insert_init
  db_bulk_insert_next db_bulk_insert_done db_prepare db_bind_param
  db_bind_result db_execute db_store_results db_free_results db_close
  ]]):gmatch("%S+") do known[name] = true end
for name in pairs(_G) do if not known[name] then print("extra", name) end end
for _, name in ipairs{"bit", "ffi", "sb_rnd", "db_close", "thread_run",
  "mysql_table_engine"} do
  if _G[name] == nil then print("missing", name) end
end
local function fields(t) 
  local names = {}
  for name in pairs(t) do names[#names + 1] = tostring(name) end
  table.sort(names)
  return table.concat(names, " ")
end
print(fields(sysbench))
print(fields(sysbench.sql))
print(fields(sysbench.rand))
print(fields(sysbench.db))
print(fields(sysbench.histogram), fields(sysbench.counter), fields(sysbench.hooks))
print(sysbench.opt, sysbench.tid, sysbench.version, sysbench.version_string)
print(thread_id, test, mysql_table_engine, myisam_max_rows)
print(type(ffi.C.sb_rand_uniform), type(sysbench.rand.uniform))
L
  bench -0 g.lua
  must is "$(tail -n +3 <<<"$output")" \
"ack ack_query bench_program bench_version cmdline counter db error histogram hooks iteration rand report_csv report_default report_json rest sql tid version version_string
driver error type
default gaussian pareto special string uniform uniform_double uniform_uint64 unique varstring zipfian
DB_ERROR_FAILED DB_ERROR_NONE DB_ERROR_RESTART_TRANSACTION bind_param bind_result bulk_insert_done bulk_insert_init bulk_insert_next close connect disconnect execute free_results prepare query store_results
new	new	
nil	0	1.0.20	sysbench 1.0.20
0	g.lua	innodb	1000000
cdata	function"
}

@test "sysbench.cmdline" {
  cat >c.lua <<'L'
local c = sysbench.cmdline
print(c.argv[0] ~= nil, c.argv[1], c.argv[2], c.argv[3], c.argv[4], c.command, c.script_path)
print(c.ARG_NULL, c.ARG_BOOL, c.ARG_INT, c.ARG_SIZE, c.ARG_DOUBLE, c.ARG_STRING, c.ARG_LIST, c.ARG_FILE, c.ARG_MAX)
print(c.PARALLEL_COMMAND, c.options, c.commands)
function prepare() print(c.command_defined("x"), c.command_parallel("x"), c.call_command("x")) end
L
  bench -0 --threads=3 ./c.lua prepare
  must is "$(tail -n +3 <<<"$output")" "true	--threads=3	./c.lua	prepare	nil	prepare	./c.lua
0	1	2	3	4	5	6	7	8
true	nil	nil
false	false	false"
}

@test "the compat level changes the version that scripts see" {
  echo 'print(sysbench.version_string)' >v.lua
  BENCH_COMPAT=1.1 bench v.lua
  must has "$output" '^sysbench 1.1.0$'
}

@test "modules: beside a script named by a path, and the user's before ours" {
  mkdir -p far/sub here
  echo 'local m = require("neighbour") print("got", m) print(require("sub.deep"))' >far/t.lua
  echo 'return "far"' >far/neighbour.lua
  echo 'return "deep"' >far/sub/deep.lua
  bench -0 far/t.lua
  must has "$output" '^got	far$'
  must has "$output" '^deep$'
  echo 'return "here"' >neighbour.lua
  bench far/t.lua
  must has "$output" '^got	here$'
}

@test "modules of bundled scripts come from their own folder" {
  local name
  for name in bench_options bench_tables oltp_common; do
    echo "print('stranger $name') return require('nothing')" >$name.lua
  done
  LUA_PATH="$PWD/?.lua;;" bench -0 oltp_read_write --db-driver=null --events=1 run
  must is "$(grep -c stranger <<<"$output")" 0
  # Also for the legacy scripts, and with `require` of a script that has a name.
  bench -0 oltp_legacy/select --db-driver=null --events=1 run
  must is "$(grep -c stranger <<<"$output")" 0
  # A script of the user gets the user's copy; private modules are private.
  echo 'require("oltp_common") function event() end' >mine.lua
  echo 'print("my copy") require("bench_options")' >oltp_common.lua
  bench -0 ./mine.lua --events=1 run
  must has "$output" '^my copy$'
  must is "$(grep -c stranger <<<"$output")" 0
}

@test "modules beside a script: also a folder's, and those in C" {
  mkdir -p far/pack
  echo 'return "of a folder"' >far/pack/init.lua
  echo 'print(require("pack"))' >far/t.lua
  bench -0 far/t.lua
  must has "$output" '^of a folder$'
  command -v cc >/dev/null || return 0
  mkdir far/sub
  echo 'int luaopen_sub_native(void *L); int luaopen_sub_native(void *L) { return L == 0; }' >native.c
  cc -shared -fPIC -o far/sub/native.so native.c
  cp far/sub/native.so far/other.so
  echo 'print(require("sub.native"), pcall(require, "other"))' >far/t.lua
  bench far/t.lua
  if is_static; then
    must is "$status" 1
    must has "$stderr" "^FATAL: error loading module 'sub\.native' from file 'far/sub/native\.so':$"
    must has "$stderr" "^	no such function: a static program opens no libraries"
    return
  fi
  must is "$status" 0
  must has "$output" "^true	false	error loading module 'other' from file 'far/other\.so':$"
}

@test "modules are compiled once, and know their lines in every thread" {
  cat >m.lua <<'L'
return function()
  error("oops " .. sysbench.tid)
end
L
  cat >t.lua <<'L'
local m = require("m")
if sysbench.tid == 0 and sysbench.cmdline.command == "run" then
  -- What is read after this is not what was compiled.
  local f = io.open("m.lua", "w")
  f:write("return nil, nil, syntax error")
  f:close()
end
function event() if sysbench.tid == 1 then m() end end
L
  bench -1 ./t.lua --threads=2 --time=5 run
  must has "$stderr" '^FATAL: event\(\) failed at \./m\.lua:2 in '"$worker"' 1: oops 1$'
  bench -1 ./t.lua --events=1 run
  must has "$stderr" "^FATAL: error loading module 'm' from file './m\.lua':$"
}

@test "LUA_PATH replaces the path, ;; stands for the default" {
  echo 'print(package.path)' >p.lua
  HOME=/h LUA_PATH= bench p.lua
  must is "$(tail -n +3 <<<"$output")" ""
  HOME=/h LUA_PATH='/x/?.lua;;' bench p.lua
  must has "$output" '^/x/\?\.lua;\./\?\.lua;\./\?/init\.lua;\./src/lua/\?\.lua;/h/\.luarocks/share/lua/5\.1/\?\.lua;.*/usr/share/lua/5\.1/\?\.lua;.*/\?\.lua;;$'
}

@test "a first line with # is skipped, line numbers stay" {
  printf '#!/usr/bin/env bench\nerror("here")\n' >s.lua
  bench -1 ./s.lua
  must is "$stderr" "FATAL: ./s.lua:2: here"
}

@test "a script from standard input: body only" {
  run -0 --separate-stderr "$BENCH" - prepare <<<'print("body", sysbench.cmdline.command, sysbench.cmdline.script_path)
function prepare() print("called") end'
  must is "$(tail -n +3 <<<"$output")" "body	prepare	nil"
  run -1 --separate-stderr "$BENCH" <<<'error("x")'
  must is "$stderr" "FATAL: stdin:1: x"
}

@test "luajit commands" {
  echo 'print(jit.status())' >j.lua
  bench --luajit-cmd=off j.lua
  must has "$output" '^false'
  bench --luajit-cmd= j.lua
  must has "$output" '^true'
  bench --luajit-cmd=opt=3 j.lua
  must has "$output" '^true'
  # A static program looks for them in folders of its own.
  if ! is_static && luajit -e 'require("jit.v")' 2>/dev/null; then
    echo 'function event() end' >e.lua
    bench -0 --luajit-cmd=v=v.txt e.lua --events=10000 run
    must has "$(cat v.txt)" '^.TRACE +[0-9]+ .* (loop|return)' # an event of a client returns
  fi
  bench -1 --luajit-cmd=nosuch j.lua
  must is "$stderr" "FATAL: unknown LuaJIT command 'nosuch' (or the jit.* modules are not installed)"
}

@test "names: modules, missing scripts, a folder is no script" {
  echo 'print("m", ..., test)' >mod.lua
  bench mod
  must has "$output" '^m	mod	mod$'
  bench -1 nosuch run
  must is "${stderr%%$'\n'*}" "FATAL: Cannot find benchmark 'nosuch': no such built-in test, file or module"
  mkdir dir.lua
  bench -1 dir.lua run
  must has "$stderr" "Cannot find benchmark 'dir.lua'"
  echo 'not a script' >plain
  bench plain run
  must has "$stderr" "Cannot find benchmark 'plain'"
}

@test "an artificial limit of memory names the thread" {
  if nm "$BENCH" | grep -qE '__[at]san_init'; then
    skip "a sanitizer needs much address space"
  fi
  ! emulated || skip "the limit is that of the emulator as well"
  echo 'function event() end' >e.lua
  run -1 --separate-stderr bash -c "ulimit -v 400000; exec '$BENCH' e.lua --threads=4000 --events=1 run"
  must has "$stderr" '^FATAL: (cannot create the Lua state of thread [0-9]+: not enough memory|cannot start a thread|cannot use a thread stack of [0-9]+ bytes: )'
}

@test "not enough memory for a state, its script or its functions: the thread is named" {
  if nm "$BENCH" | grep -qE '__[at]san_init'; then
    skip "a sanitizer needs much address space"
  fi
  ! emulated || skip "the limit is that of the emulator as well"
  local body hog
  # Interpreted: see tests/fault/helper.bash.
  limited() {
    echo "$body" >m.lua
    run -1 --separate-stderr bash -c "ulimit -v 300000; exec '$BENCH' m.lua --luajit-cmd=off --threads=$1 --events=1 run"
  }
  # Threads may have taken what states would need.
  body='t = {} for i = 1, 100 do t[i] = ("x"):rep(10000) .. i end function event() end' limited 500
  must has "$stderr" '^FATAL: (cannot create the Lua state of thread [0-9]+: not enough memory$|cannot start a thread|cannot use a thread stack of [0-9]+ bytes: )'
  hog='t = {} for i = 1, 100000 do t[i] = string.rep(tostring(i), 10000) end'
  body="if sysbench.tid == 2 then $hog end function event() end" limited 3
  must has "$stderr" '^FATAL: cannot create the Lua state of thread 2: not enough memory$'
  body="function thread_init(id) if id == 1 then $hog end end function event() end" limited 3
  must has "$stderr" '^FATAL: thread_init\(\) failed: not enough memory in the Lua state of thread 1$'
}

@test "the locale of a script changes no numbers" {
  localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 2>err || skip "no sources of locales are installed"
  cat >t.lua <<'L'
local name = "de_DE.UTF-8"
print("numbers", os.setlocale(name, "numeric"), os.setlocale("C", "numeric"), os.setlocale(nil, "numeric"))
print("time", os.setlocale(name, "time"), os.setlocale("no_NO.such"), os.setlocale(nil, "time"))
print("all", type(os.setlocale(name)), os.setlocale(nil, "ctype"), 1.5)
print("wrong", pcall(os.setlocale, {}))
function event() end
L
  # The C library forgets a copy of LOCPATH.
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" LOCPATH=$PWD bench -0 t.lua --events=1 --csv=a.csv run
  must has "$output" '^numbers	nil	C	C$'
  # musl takes any name of a locale.
  must has "$output" '^time	de_DE.UTF-8	(nil	de_DE.UTF-8|[^	]*no_NO.such[^	]*	no_NO.such)$'
  must has "$output" '^all	string	de_DE.UTF-8	1.5$'
  must has "$output" '^wrong	false	bad argument #1 to .setlocale. \(string expected, got table\)$'
  must has "$output" 'total time: +[0-9]+\.[0-9]{4}s$'
  must is "$(awk -F, '{ print NF }' a.csv | sort -u | wc -l)" 1
}
