# rand.bats - random numbers, strings and histograms from Lua.
load ../cli/helper

@test "each function stays in its range and returns numbers" {
  cat >t.lua <<'L'
local r = sysbench.rand
for _, name in ipairs{"default", "uniform", "gaussian", "special", "pareto", "zipfian"} do
  local lo, hi = math.huge, -math.huge
  for i = 1, 2000 do
    local n = r[name](10, 20)
    assert(type(n) == "number" and n % 1 == 0)
    lo, hi = math.min(lo, n), math.max(hi, n)
  end
  assert(lo >= 10 and hi <= 20, name)
  assert(r[name](3, 3) == 3 and r[name](1, 0) == 1 and r[name](1.9, 1.2) == 1, name)
  local big = r[name](2 ^ 40, 2 ^ 40 + 5)
  assert(big >= 2 ^ 40 and big <= 2 ^ 40 + 5, name)
  local neg = r[name](-5, -1)
  assert(neg >= -5 and neg <= -1, name)
  assert(r[name](7LL, 7ULL) == 7)
  print(name, select(2, pcall(function() local x = r[name]("1", 2) end)))
  print(select(2, pcall(function() local x = r[name](1) end)))
end
local u = r.uniform_uint64()
print(type(u), ffi.istype("uint64_t", u), type(tonumber(u % 1000)))
local d = r.uniform_double()
print(d >= 0 and d < 1, r.unique() ~= r.unique())
print(#r.string("user-###-@@@@"), r.string("user-###-@@@@"):match("^user%-%d%d%d%-%l%l%l%l$") ~= nil, #r.string(""))
print(#r.string("a\0##"), r.string("a\0##") == "a\0\0\0")
print(select(2, pcall(function() local x = r.string(5) end)))
for i = 1, 100 do local s = r.varstring(2, 4) assert(#s >= 2 and #s <= 4 and not s:find("[^0-z]")) end
print(select(2, pcall(function() local x = r.varstring(5, 4) end)))
print(select(2, pcall(function() local x = r.varstring(0, 0) end)))
print(#r.string(("#"):rep(100000)))
L
  bench -0 t.lua
  must [ "$(grep -c "bad argument #1 to '[a-z]*' (number expected, got string)$" <<<"$output")" = 6 ]
  must [ "$(grep -c "^t.lua:[0-9]*: bad argument #2 to '[a-z]*' (number expected, got nil)$" <<<"$output")" = 6 ]
  must is "$(lines | tail -n 8)" "cdata	true	number
true	true
13	true	0
4	true
t.lua:25: bad argument #1 to 'string' (string expected, got number)
t.lua:27: assertion failed!
t.lua:28: assertion failed!
100000"
}

@test "a text for which there is no memory is an error, again and again" {
  if nm "$BENCH" | grep -qE '__[at]san_init'; then
    skip "a sanitizer needs much address space"
  fi
  cat >t.lua <<'L'
local r = sysbench.rand
for _, most in ipairs{1e9, 4e9, 2 ^ 31 + 64, 2 ^ 32 - 1, 2 ^ 32 + 64, 1e300} do
  for _ = 1, 3 do
    assert(not pcall(r.varstring, 1, most))
  end
end
print(select(2, pcall(function() local x = r.varstring(1, 4e9) end)))
print(#r.string(("#"):rep(300)), #r.string(("#"):rep(1000000)), #r.varstring(5000000, 5000000))
L
  # Interpreted: see tests/fault/helper.bash.
  run -0 --separate-stderr bash -c "ulimit -v 1500000; exec '$BENCH' t.lua --luajit-cmd=off"
  must is "$(lines)" "t.lua:7: a text of more than 1073741823 characters is not possible
300	1000000	5000000"
}

@test "the seed decides, whatever is measured" {
  cat >t.lua <<'L'
function event() io.write(sysbench.rand.default(1, 1e6), " ") end
L
  draw() {
    bench t.lua --rand-seed=7 --events=20 "$@" run
    grep -oE '^([0-9]+ )+' <<<"$output"
  }
  first=$(draw)
  must [ -n "$first" ]
  must is "$(draw --percentile=0)" "$first"
  must is "$(draw --report-interval=1)" "$first"
}

@test "unique numbers of threads do not meet" {
  cat >t.lua <<'L'
function event() print("u", sysbench.rand.unique()) end
L
  bench t.lua --threads=4 --events=400 run
  must is "$(grep -c '^u' <<<"$output")" 400
  must is "$(grep '^u' <<<"$output" | sort -u | wc -l)" 400
}

@test "histograms" {
  cat >t.lua <<'L'
local h = sysbench.histogram.new(4, 1, 1000)
print(tostring(h), type(h))
h:print()
for _, v in ipairs{-1, 0, 1, 10, 10, 11, 100, 5000} do h:update(v) end
h:print() h:print()
print(select(2, pcall(function() h:update("x") end)))
for _, args in ipairs{{1, 1, 2}, {0, 1, 2}, {2.5, 1, 2}, {4, 0, 5}, {4, 5, 5}, {4, 6, 5}, {4, 1}, {"x", 1, 2}} do
  if args[1] ~= "x" then assert(not pcall(sysbench.histogram.new, unpack(args, 1, 3))) end
end
L
  bench -0 t.lua
  block="       value  ------------- distribution ------------- count
       1.000 |**************************************** 3
      10.000 |**************************************** 3
     100.000 |*************                            1
    1000.000 |*************                            1"
  must is "$(lines)" "<sb_histogram>	cdata
$block
$block
t.lua:6: bad argument #1 to 'update' (number expected, got string)"
}

@test "histograms outlive what uses them, and no longer" {
  cat >t.lua <<'L'
function thread_init()
  local h = sysbench.histogram.new(4, 1, 1000)
  used_last = newproxy(true)
  getmetatable(used_last).__gc = function() h:update(10) h:print() end
end
function event()
  for i = 1, 300 do
    local h = sysbench.histogram.new(10000, 1, 1000)
    h:update(i)
  end
  collectgarbage()
  rest = collectgarbage("count")
end
function thread_done() assert(rest < 20000, rest) end
L
  for how in --threads=2 "--threads=1 --clients=2"; do
    bench -0 t.lua $how --events=4 --time=0 run
    must is "$(grep -c '^      10.000 |\*\** 1$' <<<"$output")" 2
  done
}

@test "counters and named histograms: measured part only, per state" {
  cat >t.lua <<'L'
function thread_init() c = sysbench.counter.new("retries") c:add(100) h = sysbench.histogram.new("wait", "ms") h:update(1) end
function event() c:add() c:add(0.5) h:update(5) end
function thread_done() print("c", c:get(), sysbench.counter.new("retries"):get()) h:print() c:add(7) print(c:get()) end
L
  bench -0 t.lua --events=10 run
  must has "$output" '^c	15	15$'
  must has "$output" '^ +5\.[0-9]+ \|\*{40} 10$'
  # The reason is memory, not the number of names.
  cat >short.lua <<'L'
local ffi = require("ffi")
ffi.cdef("void *malloc(size_t n);")
local try = function() sysbench.histogram.new("wait", "ms") end
sysbench.histogram.new("first", "ms")
collectgarbage("stop")
for size = 24, 10, -1 do
  repeat local p = ffi.C.malloc(2 ^ size) until p == nil
end
local _, why = pcall(try)
print(why)
L
  run -0 --separate-stderr bash -c "ulimit -v 300000; exec '$BENCH' short.lua --luajit-cmd=off"
  must has "$output" 'histogram.new: not enough memory$'
  cat >t.lua <<'L'
for i = 1, 64 do sysbench.counter.new("c" .. i) end
sysbench.counter.new("c1")
print(select(2, pcall(function() sysbench.counter.new("one more") end)))
print(select(2, pcall(function() sysbench.counter.new(5) end)))
print(select(2, pcall(function() sysbench.counter.new("") end)))
print(select(2, pcall(function() sysbench.counter.new("c1"):add({}) end)))
print(pcall(function() sysbench.counter.new("c1"):add(1LL) end))
L
  bench t.lua
  must is "$(lines)" "t.lua:3: counter.new: at most 64 counters
t.lua:4: counter.new: a name is a string of 1 to 64 bytes
t.lua:5: counter.new: a name is a string of 1 to 64 bytes
t.lua:6: bad argument #1 to 'add' (number expected, got table)
true"
}
