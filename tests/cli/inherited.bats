#!/usr/bin/env bats
# What the program gets from whoever starts it: closed descriptors, signals that
# are ignored, limits.
load helper

@test "closed descriptors: files of fileio do not get what is printed" {
  "$BENCH" fileio --file-num=2 --file-total-size=256K prepare >/dev/null 2>&1
  sum=$(cksum test_file.*)
  for out in '>&-' '2>&-' '<&-' '>&- 2>&- <&-'; do
    status=0
    eval '"$BENCH" fileio --file-num=2 --file-total-size=256K --file-test-mode=rndrd' \
      '--events=50 --threads=2 run' "$out" || status=$?
    must is "$status" 0
    must is "$(cksum test_file.*)" "$sum"
  done
}

@test "closed descriptors: files of results have nothing but results" {
  status=0
  "$BENCH" cpu --cpu-max-prime=100 --events=50 --csv=a.csv --json=a.json --stream=a.jsonl run \
    >&- 2>&- <&- || status=$?
  must is "$status" 0
  must is "$(head -c 9 a.csv)" "elapsed_s"
  check a.json "d['totals']['events'] == 50"
  must is "$(grep -vc '^{.*}$' a.jsonl)" 0
  # An error has nobody to say it to, but a status.
  status=0
  "$BENCH" cpu --threads=0 run >&- 2>&- <&- || status=$?
  must is "$status" 1
}

@test "closed descriptors: a script's files and programs have their own" {
  cat >f.lua <<'LUA'
function prepare()
  local f = io.open("file", "w")
  print("to the standard output")
  io.stderr:write("to stderr\n")
  f:write(tostring(io.read()), "\n")
  f:close()
  os.execute("echo from a program; echo from a program >&2")
end
LUA
  status=0
  "$BENCH" ./f.lua prepare >&- 2>&- <&- || status=$?
  must is "$status" 0
  must is "$(<file)" nil
}

@test "closed descriptors: a database is not written to" {
  needs_driver sqlite
  "$BENCH" oltp_read_only --db-driver=sqlite --sqlite-db=d.db --table-size=100 prepare >/dev/null
  sum=$(cksum d.db)
  status=0
  "$BENCH" oltp_point_select --db-driver=sqlite --sqlite-db=d.db --table-size=100 --events=10 \
    run >&- 2>&- <&- || status=$?
  must is "$status" 0
  must is "$(cksum d.db)" "$sum"
}

# started COMMAND...: runs it with SIGHUP and SIGXCPU as they are by default,
# until threads have started; sets pid.
started() {
  rm -f out err
  python3 -c 'import os, signal, sys
for number in signal.SIGHUP, signal.SIGXCPU:
    signal.signal(number, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "$@" >out 2>err 3>&- &
  pid=$!
  until grep -qs 'thds:' out; do
    kill -0 $pid
    read -rt 0.05 <> <(:) || :
  done
}

ended() {
  local expected args
  take_status "$@"
  status=0
  wait $pid || status=$?
  output=$(<out) stderr=$(without_machine <err)
  as_expected
}

@test "a hangup: report, document and exit status 129" {
  started "$BENCH" cpu --cpu-max-prime=1000 --time=60 --report-interval=0.1 --json=a.json run
  kill -HUP $pid
  kill -HUP $pid # shells and terminals both send it
  ended -129
  must is "$stderr" "WARNING: stopped by SIGHUP"
  must has "$output" 'execution time \(avg/stddev\):'
  check a.json "d['run']['end_reason'] == 'signal'" "d['run']['signal'] == 1" \
    "d['run']['exit_status'] == 129" "d['totals']['events'] > 0"
}

@test "a hangup under nohup does nothing" {
  cat >f.lua <<'LUA'
function event()
  while not io.open("go") do end
end
LUA
  (trap '' HUP && exec "$BENCH" ./f.lua --events=3 run) >out 2>err 3>&- &
  pid=$!
  until_started "$pid"
  kill -HUP $pid
  : >go
  ended -0
  must is "$stderr" ""
  must is "$(number 'total number of events:')" 3
}

@test "the terminal is closed: the document is written" {
  command -v python3 >/dev/null || skip "python3 is not installed"
  python3 - "$BENCH" <<'PYTHON'
import os, pty, signal, sys
pid, terminal = pty.fork()
if pid == 0:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also under nohup
    os.execv(sys.argv[1], [sys.argv[1], "cpu", "--cpu-max-prime=1000", "--time=60",
                           "--report-interval=0.1", "--json=a.json", "run"])
seen = b""
while b"thds:" not in seen:
    seen += os.read(terminal, 4096)
os.close(terminal)
status = os.waitpid(pid, 0)[1]
assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 129, status
PYTHON
  check a.json "d['run']['signal'] == 1" "d['totals']['events'] > 0"
}

@test "the limit of processor time ends the run like SIGTERM" {
  started "$BENCH" cpu --cpu-max-prime=1000 --time=60 --report-interval=0.1 --json=a.json run
  prlimit --pid $pid --cpu=1:60 2>/dev/null || {
    kill $pid
    skip "prlimit is not installed"
  }
  ended -152
  must is "$stderr" "WARNING: stopped by SIGXCPU"
  check a.json "d['run']['signal'] == 24" "d['totals']['events'] > 0"
}

@test "the limit of file sizes is an error of that file" {
  status=0
  (
    ulimit -f 2
    exec "$BENCH" cpu --cpu-max-prime=1000 --csv=a.csv --report-interval=0.01 --time=2 run
  ) >/dev/null 2>err || status=$?
  must is "$status" 1
  stderr=$(<err)
  must has "$stderr" "'a\.csv'.*File too large"
}

@test "the limit of open files is named when connections reach it" {
  needs_driver sqlite
  cat >many.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() end
LUA
  # One thread after the other opens the database: it is the limit that ends it.
  status=0
  (
    ulimit -n 40
    exec "$BENCH" ./many.lua --db-driver=sqlite --sqlite-db=d.db --threads=60 --time=1 run
  ) >out 2>err || status=$?
  output=$(<out) stderr=$(<err)
  must is "$status" 1
  must has "$stderr" 'the limit of open files is 40 \(ulimit -n\); about 244 are needed'
}

@test "threads with clients and too few descriptors: the limit is named" {
  status=0
  (
    ulimit -n 64
    exec "$BENCH" oltp_read_only --db-driver=null --threads=64 --clients=128 --time=1 run
  ) >out 2>err || status=$?
  must is "$status" 1
  must has "$(<err)" '^FATAL: cannot wait for .*: (Too many open files|No file descriptors available) \(see ulimit -n\)$'
}

@test "closed descriptors, and no /dev: one line says so" {
  no_sanitizer /dev
  unshare -m true 2>/dev/null || skip "no mount namespaces here"
  run --separate-stderr unshare -m bash -c 'mount -t tmpfs none /dev || exit 77
    exec "$BENCH" --version <&-'
  [ "$status" -ne 77 ] || skip "may not mount"
  must is "$status" 1
  must is "$stderr" "FATAL: cannot open /dev/null for a standard descriptor that is closed: No such file or directory"
}

@test "a stack that is too small is refused, before it is used up" {
  no_sanitizer 'a large stack'
  run -1 --separate-stderr bash -c 'ulimit -s 64; exec "$BENCH" cpu --events=5 --json=r.json run'
  must is "$stderr" "FATAL: the limit of the stack is less than 256 KiB: raise it (ulimit -s)"
  run -0 --separate-stderr bash -c 'ulimit -s 256; exec "$BENCH" cpu --events=5 --json=r.json run'
  check r.json "d['totals']['events'] == 5"
}
