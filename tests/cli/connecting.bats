#!/usr/bin/env bats
# connecting.bats - how fast, and how many at a time, connections are opened,
# and what is said of those that fail.
load helper
load fake_server

# full AT_ONCE SURE ALL OPTION...: connects ALL clients to a server that refuses
# them; SURE of them come at once.
full() {
  rm -f sock most
  fake_server mysql_full.py sock "$1" "$2" "$3"
  cat >t.lua <<'L'
function thread_init() pcall(function() sysbench.sql.driver():connect() end) end
function event() end
L
  bench t.lua --db-driver=mysql --events=10 --time=0 --mysql-socket=sock --db-connect-timeout=600 --thread-init-timeout=600 "${@:4}" run
  fake_server_stop
  must is "$status" 0
}

@test "--connect-concurrency limits how many connections are opened at a time" {
  needs_driver mysql
  for who in --threads=10 "--threads=2 --clients=10"; do
    # shellcheck disable=SC2086 # two options
    full 5 3 10 $who --connect-concurrency=3
    must is "$(<most)" 3
    # The control: without the limit, more come at once.
    # shellcheck disable=SC2086
    full 5 5 10 $who
    must is "$(<most)" 5
    # shellcheck disable=SC2086
    full 9 9 10 $who --connect-concurrency=10
    must is "$(<most)" 9
  done
}

@test "connections that fail are counted by their reasons" {
  needs_driver mysql
  for who in --threads=9 "--threads=2 --clients=9"; do
    # shellcheck disable=SC2086
    full 3 3 9 $who --connect-concurrency=3
    must is "$(grep -c '^FATAL: .*Too many connections' <<<"$stderr")" 2
    must has "$stderr" '^FATAL: 9 of 9 connections failed$'
    must has "$stderr" '^FATAL: 6 of these: error 1040: Too many connections$'
    must has "$stderr" '^FATAL: 3 of these: error 1129: Host is blocked$'
  done
}

@test "--connect-rate spreads connections over time, whatever the time for them" {
  cat >t.lua <<'L'
ffi.cdef("int clock_gettime(int, struct { long s, ns; } *)")
local t = ffi.new("struct { long s, ns; }[1]")
local function now()
  ffi.C.clock_gettime(1, ffi.cast("void *", t))
  return tonumber(t[0].s) + tonumber(t[0].ns) / 1e9
end
function init() io.stdout:write(("begin %.9f\n"):format(now())) end
function thread_init()
  con = sysbench.sql.driver():connect()
  at = now()
end
function event() con:query("SELECT 1") end
function thread_done() io.stdout:write(("at %.9f\n"):format(at)) end
L
  # 21 connections of which the first begins at once: two seconds at least, from
  # a moment before all of them.
  for who in --threads=21 "--threads=2 --clients=21"; do
    # shellcheck disable=SC2086
    bench -0 t.lua --db-driver=null $who --connect-rate=10 --events=21 --time=0 run
    must is "$(awk '/^begin / { min = $2 } /^at / { n++; if ($2 > max) max = $2 }
      END { print n, (max - min >= 2) }' <<<"$output")" "21 1"
  done
}

@test "a start that takes long shows how far it is" {
  # The limit is for what a start takes longer than it has to.
  local who pids=()
  for who in --threads=25 "--threads=2 --clients=25"; do
    # shellcheck disable=SC2086
    "$BENCH" oltp_point_select --db-driver=null $who --connect-rate=2 --thread-init-timeout=8 --time=0 --events=25 \
      run >out 2>"err${#pids[@]}" 3>&- &
    pids+=($!)
  done
  must wait "${pids[0]}"
  must wait "${pids[1]}"
  must has "$(<err0)" '^Started [1-9][0-9]? of 25 threads$'
}
