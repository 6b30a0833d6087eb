#!/usr/bin/env bats
# secrets.bats - a password opens the door and appears nowhere: not in reports,
# results, messages, metrics, sweeps, nor on the command line of a process that
# the user has not typed.

. "$BENCH_SRC/tests/db/every_kind.bash"

word=Vq7xPw9ZkM2

setup_file() {
  mysql_flags=(--password="$word")
  pgsql_flags=("${mysql_flags[@]}")
  start_kinds
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset BENCH_MYSQL_PASSWORD BENCH_PGSQL_PASSWORD PGPASSWORD
  cat >event.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
LUA
}

# aim KIND: `to` leads there without the password, `option` and `variable` are
# where it may be.
aim() {
  need_kind "$1"
  case $1 in
    mysql) to=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$MY_PORT"
      --mysql-debug) ;;
    pgsql) to=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$PG_PORT") ;;
  esac
  option=--$1-password
  variable=BENCH_${1^^}_PASSWORD
  printf '# how to get in\n%s = "%s"\n' "${option#--}" "$word" >way.cnf
}

# everything [NAME=VALUE]... -- ARG...: a run that says and writes all it can.
everything() {
  local vars=()
  while [ "$1" != -- ]; do
    vars+=("$1")
    shift
  done
  shift
  rm -rf seen
  mkdir seen
  env "${vars[@]}" "$BENCH" event.lua "${to[@]}" "$@" --time=1 --report-interval=0.3 \
    --debug --db-debug --report-classes --histogram --percentiles=50,99 \
    --json=seen/run.json --stream=seen/stream --csv=seen/csv \
    --hdr-log=seen/hdr --event-log=seen/events run >seen/out 2>seen/err || {
    tail -n 20 seen/err
    return 1
  }
  "$BENCH" report seen/run.json >seen/report 2>&1
  "$BENCH" compare seen/run.json seen/run.json >seen/compare 2>&1
}

# clean FOLDER: nothing in it has the word, plain or as a result may carry it.
clean() {
  local hits
  [ -n "$(ls "$1")" ]
  hits=$(grep -rlaF -e "$word" -e "$(printf %s "$word" | base64)" "$1" || :)
  [ -z "$hits" ] || {
    echo "the password is in: $hits"
    return 1
  }
}

refused() {
  local status=0
  "$BENCH" event.lua "${to[@]}" "$@" --events=1 run >out 2>err || status=$?
  [ "$status" -eq 1 ]
  grep -q '^FATAL' err
  ! grep -qF -e "$word" -e wrong-Word out err
}

ways() {
  aim "$1"
  everything -- "$option=$word"
  clean seen
  everything "$variable=$word" --
  clean seen
  everything -- --config-file=way.cnf
  clean seen
  refused
  refused "$option=wrong-Word"
}

@test "mysql: option, variable and file open the door and are told nowhere" {
  ways mysql
}

@test "pgsql: option, variable and file open the door and are told nowhere" {
  ways pgsql
}

# token KIND: makes a command that prints a new password, which is then the only one
# that opens the door; `asked` has a line for each.
token() {
  case $1 in
    mysql) set="ALTER USER sbtest@'%' IDENTIFIED BY" ;;
    pgsql) set='ALTER ROLE sbtest PASSWORD' ;;
  esac
  server="$BENCH_SRC/tests/db/servers.sh sql $BATS_FILE_TMPDIR/$1"
  cat >token.sh <<SH
word=$word\$\$
$server "$set '\$word'" >/dev/null && echo x >>asked && echo \$word
SH
}

# expiring KIND: passwords of --password-command.
expiring() {
  local lines server set
  aim "$1"
  token "$1"
  # One password opens all connections of its time, and is written nowhere.
  everything -- --password-command='sh token.sh' --threads=3
  clean seen
  [ "$(grep -c x asked)" -eq 1 ]
  everything -- --password-command='sh token.sh' --threads=2 --clients=6
  clean seen
  [ "$(grep -c x asked)" -eq 2 ]
  # The one before is of no use: each new connection has one of its own.
  everything -- --password-command='sh token.sh' --password-command-ttl=0 --connection-lifetime=5 --rate=20
  lines=$(grep -c x asked)
  [ "$lines" -gt 4 ]
  clean seen
  # The driver's own option wins.
  refused --password-command='sh token.sh' "$option=wrong-Word"
  [ "$(grep -c x asked)" -eq "$lines" ]
  $server "$set '$word'"
}

@test "mysql: the password of a command is used for its time" {
  expiring mysql
}

@test "pgsql: the password of a command is used for its time" {
  expiring pgsql
}

gone() {
  ! kill -0 "$1" 2>/dev/null
}

# fails REASON COMMAND ARG...: the run ends, and says why.
fails() {
  refused --threads=2 "${@:3}" --password-command="$2"
  grep -qF "FATAL: $1" err
}

@test "a command that gives no password is named, and does not outlive its time" {
  aim "${kinds##* }"
  fails '--password-command failed with status 3' 'exit 3'
  fails '--password-command was ended by signal 9' 'kill -9 $$'
  fails 'the first line of what --password-command printed is empty, or has a zero byte' true
  fails '--password-command printed more than 32767 bytes' 'cat /dev/zero'
  fails '--password-command did not end in time' "echo \$\$ >pid; sleep 600; echo $word" --db-connect-timeout=0.5
  within 10 gone "$(cat pid)"
  fails '--password-command did not end in time' "echo \$\$ >pid; echo $word; exec >&- sleep 600" --db-connect-timeout=0.5
  within 10 gone "$(cat pid)"
  fails 'the first line of what --password-command printed is empty, or has a zero byte' "printf '$word\\0'"
  rm pid
  "$BENCH" event.lua "${to[@]}" --time=60 --db-connect-timeout=600 --password-command='echo $$ >pid; exec sleep 600' run >out 2>err &
  run=$!
  within 10 test -s pid
  kill -TERM "$run"
  wait "$run" || :
  within 10 gone "$(cat pid)"
  fails '' 'echo wrong-Word'
  grep -q "and --password-command" err
  fails '--password-command and --ask-password cannot be used together' true --ask-password
  refused --password-command=true --db-driver=sqlite
  grep -q 'the driver sqlite knows no passwords' err
}

@test "a command that fails during an outage is not repeated all the time" {
  local calls
  aim "${kinds##* }"
  "$BENCH" event.lua "${to[@]}" --failover --connection-lifetime=1 --time=2 --password-command-ttl=0 \
    --password-command="echo x >>asked; [ \$(wc -l <asked) -le 2 ] && echo $word" run >out 2>err || :
  calls=$(wc -l <asked)
  cat out err
  ((calls > 2 && calls <= 20)) || { echo "calls: $calls"; return 1; }
  grep -q '^WARNING: connection to .* lost (--password-command failed with status 1), reconnecting$' err
}

# watch PID: looks at the command lines of its children until it ends; prints how
# many looks there were, and what it saw of the word.
watch() {
  python3 - "$1" "$word" <<'PY'
import os, sys
parent, word, looks = sys.argv[1], sys.argv[2].encode(), 0
def read(path):
    try:
        return open(path, "rb").read()
    except OSError:
        return b""
def stat(pid):  # state and parent, behind the name in brackets
    return read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[:2]
while stat(parent)[:1] not in ([], [b"Z"]):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if stat(pid)[1:] == [parent.encode()]:
            line = read(f"/proc/{pid}/cmdline")
            looks += line != b""
            if word in line:
                sys.exit(f"on the command line of a child: {line!r}")
print(looks)
PY
}

# sweeping [NAME=VALUE]... -- ARG...: a sweep whose processes are looked at until
# it ends.
sweeping() {
  local pid status=0 looks vars=()
  while [ "$1" != -- ]; do
    vars+=("$1")
    shift
  done
  shift
  rm -rf seen
  mkdir seen
  env "${vars[@]}" "$BENCH" event.lua "${to[@]}" "$@" --sweep=threads:1,2 --repeat=2 --time=1 --debug \
    --json=seen/sweep.json run >seen/out 2>seen/err 3>&- &
  pid=$!
  looks=$(watch "$pid") || {
    kill "$pid"
    wait "$pid" || :
    return 1
  }
  wait "$pid" || status=$?
  [ "$status" -eq 0 ] || {
    tail -n 20 seen/err
    return 1
  }
  [ "$looks" -gt 0 ]
}

sweeps() {
  aim "$1"
  sweeping -- --config-file=way.cnf
  clean seen
  sweeping "$variable=$word" --
  clean seen
  # Steps repeat the command line of the user, who has typed it there.
  "$BENCH" event.lua "${to[@]}" "$option=$word" --sweep=threads:1,2 --time=1 --debug \
    --json=seen/sweep2.json run >seen/out2 2>seen/err2
  clean seen
  # The steps of the sweep are results of their own; so is one run again.
  everything -- "$option=$word"
  status=0
  env "$variable=$word" "$BENCH" rerun seen/run.json --trust --events=2 >again 2>&1 || status=$?
  [ "$status" -eq 0 ] || {
    cat again
    return 1
  }
  ! grep -qF "$word" again
}

@test "mysql: a sweep and its processes" {
  sweeps mysql
}

@test "pgsql: a sweep and its processes" {
  sweeps pgsql
}

@test "metrics of a run that goes on" {
  local pid port
  aim "${kinds##* }"
  for _ in {1..20}; do
    # below those that the system gives to clients
    port=$((20000 + RANDOM % 12000))
    "$BENCH" event.lua "${to[@]}" "$option=$word" --time=600 --report-interval=0.2 \
      --db-debug --prometheus="$port" run >out 2>err 3>&- &
    pid=$!
    until grep -q 'Threads started' out; do
      kill -0 "$pid" || break
    done
    grep -q 'Address already in use' err || break
  done
  python3 -c 'import sys, urllib.request
sys.stdout.buffer.write(urllib.request.urlopen("http://127.0.0.1:%s/metrics" % sys.argv[1]).read())' \
    "$port" >metrics
  kill -INT "$pid"
  wait "$pid" || :
  grep -q '^bench_events_total' metrics
  ! grep -qF "$word" metrics out err
}
