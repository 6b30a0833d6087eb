#!/usr/bin/env bats
# connect.bats - where to connect to: URLs, environment, option files, passwords
# from files and terminals; and that no password is shown.

load helper

word=Vq7xPw9ZkM2

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset BENCH_COMPAT BENCH_DSN BENCH_MYSQL_PASSWORD BENCH_PGSQL_PASSWORD
  unset "${!PG@}" "${!MYSQL_@}"
  export BENCH_MYSQL_DEFAULTS_FILE=none
  cat >show.lua <<'LUA'
local function text(v) return type(v) == "table" and table.concat(v, ",") or v end
function prepare()
  local o = sysbench.opt
  print("driver=" .. o.db_driver)
  for _, name in ipairs{"host", "port", "user", "password", "db", "socket", "ssl", "ssl_ca", "tcp"} do
    print("mysql " .. name .. "=" .. tostring(text(o["mysql_" .. name])))
  end
  for _, name in ipairs{"host", "port", "user", "password", "db", "sslmode", "sslrootcert"} do
    print("pgsql " .. name .. "=" .. tostring(text(o["pgsql_" .. name])))
  end
  print("sqlite db=" .. tostring(o.sqlite_db) .. " " .. tostring(o.sqlite_synchronous))
end
LUA
}

drivers() {
  local d
  for d; do needs_driver "$d"; done
}

# shows LINE...: these lines are what a script finds.
shows() {
  local line
  must is "$status" 0
  for line; do
    must grep -qxF -- "$line" <<<"$output"
  done
}

# into LINE... -- ARG...: the arguments lead there.
into() {
  local wanted=() # run() sets `lines`
  while [ "$1" != -- ]; do
    wanted+=("$1")
    shift
  done
  shift
  bench ./show.lua "$@" prepare
  shows "${wanted[@]}"
}

# refused WHAT ARG...
refused() {
  bench -1 ./show.lua "${@:2}" prepare
  must has "$stderr" "$1"
  must is "$(grep -c "$word" <<<"$output$stderr")" 0
}

@test "dsn: MySQL" {
  drivers mysql pgsql
  into driver=mysql 'mysql host=h' 'mysql port=33' 'mysql user=u' 'mysql password=p@w:/' 'mysql db=d' \
    'mysql ssl=required' -- --dsn='mysql://u:p%40w%3a%2F@h:33/d?ssl-mode=required'
  into driver=mysql 'mysql host=a,b' 'mysql port=3306' 'mysql user=sbtest' 'mysql db=sbtest' -- \
    --dsn=mariadb://a,b
  into 'mysql host=localhost' -- --dsn=mysql://localhost/
  into 'mysql host=localhost' 'mysql port=3307' 'mysql tcp=true' -- --dsn=mysql://localhost:3307/
  printf '[client]\nsocket=/x/y\n' >my.cnf
  into 'mysql socket=' -- --dsn=mysql://localhost:3307/ --mysql-defaults-file=my.cnf
  into 'mysql socket=/x/y' -- --dsn=mysql://localhost/ --mysql-defaults-file=my.cnf
  into 'mysql tcp=false' -- --dsn=mysql://localhost:3307/ --mysql-host=localhost
  into 'mysql host=::1' 'mysql port=7' -- --dsn='mysql://[::1]:7/'
  into 'mysql socket=/x/y' 'mysql host=localhost' -- --dsn='mysql://u@localhost/d?socket=/x/y'
  into 'mysql ssl=VERIFY_IDENTITY' 'mysql ssl_ca=/ca' -- --dsn='mysql://h/d?ssl_ca=/ca'
  into 'mysql ssl=VERIFY_CA' -- --dsn='mysql://h/d?ssl-ca=/ca&ssl-mode=VERIFY_CA'
}

@test "dsn: PostgreSQL" {
  drivers mysql pgsql
  into driver=pgsql 'pgsql host=::1' 'pgsql port=77' 'pgsql user=u' 'pgsql password=p w' 'pgsql db=d' \
    'pgsql sslmode=verify-full' 'pgsql sslrootcert=/ca' -- \
    --dsn='postgresql://u:p%20w@[::1]:77/d?sslmode=verify-full&sslrootcert=/ca'
  into 'pgsql host=/var/run' 'pgsql db=d' -- --dsn='postgres://%2Fvar%2Frun/d'
  into 'pgsql host=/var/run' 'pgsql user=me' -- --dsn='postgres:///d?host=/var/run&user=me'
  into "pgsql db=application_name='it\\'s' dbname='d'" 'pgsql host=h' -- \
    --dsn='postgres://h/d?application_name=it%27s'
  into "pgsql db=host='a,b' port='1,2' user='u' target_session_attrs='any' dbname='d'" -- \
    --dsn='postgres://u@a:1,b:2/d?target_session_attrs=any'
  into "pgsql db=service='s'" -- --dsn='postgres:///?service=s'
}

@test "dsn: SQLite" {
  drivers mysql sqlite
  into driver=sqlite 'sqlite db=/tmp/x y.db off' -- --dsn='sqlite:///tmp/x%20y.db?synchronous=off'
  into driver=sqlite 'sqlite db=x.db normal' -- --dsn=sqlite:x.db
  bench -0 oltp_read_only --dsn=sqlite:x.db --table-size=10 prepare
  must test -s x.db
  refused 'a database in memory cannot be shared' --dsn=sqlite::memory:
}

@test "--tls beside the driver's own option or a parameter: as strong, or refused" {
  drivers mysql pgsql
  into 'mysql ssl=VERIFY_CA' -- --tls=require --mysql-ssl=VERIFY_CA
  into 'mysql ssl=on' -- --tls=prefer --mysql-ssl --db-driver=mysql
  into 'mysql ssl=DISABLED' -- --tls=off --dsn='mysql://h/d?ssl-mode=DISABLED'
  into 'mysql ssl=off' -- --tls=off --mysql-ssl=off
  into 'mysql ssl=VERIFY_IDENTITY' -- --tls=require --dsn='mysql://h/d?ssl-ca=/ca'
  into 'pgsql sslmode=verify-ca' -- --tls=require --dsn='postgresql://h/d?sslmode=verify-ca'
  into 'pgsql sslmode=require' -- --tls=prefer --dsn='postgresql://h/d?ssl=true'
  into 'pgsql sslmode=verify-full' -- --tls=verify --pgsql-sslmode=verify-full
  into 'pgsql sslmode=disable' -- --tls=off --pgsql-sslmode=disable
  # The other driver's option is not in use; the environment and option files lose.
  into 'pgsql sslmode=require' -- --tls=require --mysql-ssl=off --db-driver=pgsql
  PGSSLMODE=disable into 'pgsql sslmode=require' -- --tls=require --db-driver=pgsql
  printf '[client]\nssl-mode=DISABLED\n' >my.cnf
  into 'mysql ssl=REQUIRED' -- --tls=require --mysql-defaults-file=my.cnf
  printf 'pgsql-sslmode = disable\n' >c.cnf
  refused '^FATAL: --pgsql-sslmode=disable contradicts --tls=require \(expected one of the two\)$' --tls=require \
    --config-file=c.cnf
  printf 'tls = verify\n' >c.cnf
  refused '^FATAL: --mysql-ssl=REQUIRED contradicts --tls=verify ' --mysql-ssl=REQUIRED --config-file=c.cnf
  BENCH_DSN='mysql://h/d?ssl-mode=PREFERRED' refused '^FATAL: BENCH_DSN: --mysql-ssl=PREFERRED contradicts ' --tls=require
}

@test "a CA or a certificate without TLS: a warning, unless TLS was chosen" {
  drivers mysql
  local given no_tls='^WARNING: TLS is off although --mysql-ssl-(ca|cert) is given \(--mysql-ssl=VERIFY_IDENTITY or --tls=verify '
  for given in --mysql-ssl-ca=/ca --mysql-ssl-cert=/c --dsn='mysql://h/d?ssl-cert=/c'; do
    bench -0 ./show.lua --mysql-ssl-key=/k --mysql-ssl-ca= "$given" prepare
    must is "$(grep -Ec "$no_tls" <<<"$stderr")" 1
  done
  for given in --mysql-ssl=off --mysql-ssl=on --mysql-ssl --tls=off --tls=require --db-driver=null --mysql-ssl-ca=; do
    bench -0 ./show.lua --mysql-ssl-ca=/ca "$given" prepare
    must is "$stderr" ''
  done
  bench -0 ./show.lua --dsn='mysql://h/d?ssl-ca=/ca' prepare
  must is "$stderr" ''
  printf '[client]\nssl-ca=/ca\n' >my.cnf
  bench -0 ./show.lua --mysql-defaults-file=my.cnf prepare
  must is "$stderr" ''
}

@test "the way out, sqlite, only where no server answers" {
  drivers mysql pgsql
  local to hint='to try bench without a server'
  unset MARIADB_UNIX_PORT
  export MYSQL_UNIX_PORT=$PWD/none
  for to in --dsn=mysql://localhost/ --dsn=mysql://127.0.0.1:1/ --dsn=mysql://localhost:1/ \
    --dsn=postgresql://127.0.0.1:1/ --dsn="postgresql:///?host=$PWD"; do
    bench -1 oltp_point_select "$to" --events=1 run
    must has "${stderr,,}" "$hint"
  done
  for to in '--mysql-port=7' '--mysql-port=7 --rtt=1ms' '--mysql-port=7 --clients=2'; do
    bench -1 oltp_point_select --db-driver=mysql $to --events=1 run
    must has "$stderr" "; localhost means the Unix socket, 127.0.0.1 goes to port 7$"
  done
  for to in --dsn=mysql://192.0.2.1/ --dsn=postgresql://192.0.2.1/ --dsn=postgresql://localhost:1,localhost:2/; do
    bench -1 oltp_point_select "$to" --rtt=1ms --events=1 run
    must has "$stderr" '--rtt'
    must lacks "${stderr,,}" "$hint"
  done
  bench -1 oltp_point_select --db-driver=pgsql --pgsql-db=port=99999 --events=1 run
  must lacks "${stderr,,}" "$hint"
}

@test "dsn: options win, and so does a configuration file" {
  drivers mysql pgsql
  into 'mysql host=mine' 'mysql port=33' 'mysql user=u' -- --dsn=mysql://u@h:33/d --mysql-host=mine
  into 'mysql user=me' 'mysql db=' -- --mysql-user=me --mysql-db= --dsn=mysql://u@h:33/d
  printf 'mysql-user = filed\n' >c.cnf
  into 'mysql user=filed' -- --config-file=c.cnf --dsn=mysql://u@h:33/d
  into 'mysql host=mine' 'mysql socket=' -- --dsn='mysql:///d?socket=/s' --mysql-host=mine
  into "pgsql db=host='x' user='me' service='s'" -- --dsn='postgres:///?service=s' --pgsql-user=me --pgsql-host=x
  BENCH_DSN=mysql://v@w into 'mysql user=v' 'mysql host=w' --
  BENCH_DSN=mysql://v@w into 'mysql user=u' 'mysql host=h' -- --dsn=mysql://u@h
}

@test "dsn: what is wrong is said without the URL" {
  drivers mysql pgsql sqlite
  refused '--dsn is for the driver pgsql, and --db-driver says .mysql.' --db-driver=mysql --dsn=postgres://h
  into driver=pgsql -- --db-driver=postgres --dsn=postgres://h
  refused "--dsn: the parameter 'foo' is not known \(expected one of: ssl-mode, ssl-ca" --dsn='mysql://h/d?foo=1'
  refused "--dsn: the parameter 'foo' is not known .*sslmode" --dsn='postgres://h/d?foo=1'
  refused "--dsn: the parameter 'foo' is not known.*busy-timeout" --dsn='sqlite:x?foo=1'
  refused "--dsn: the parameter 'ssl-mode' has no value" --dsn='mysql://h/d?ssl-mode'
  refused "--dsn: Invalid value for --mysql-ssl: 'bad'" --dsn='mysql://h/d?ssl-mode=bad'
  refused 'for no driver of this build' --dsn=oracle://h
  refused 'did you mean sqlite:' --dsn=sqllite:a.db
  refused 'it has no scheme' --dsn=h
  refused '// is missing after mysql:' --dsn=mysql:h
  refused 'not a number from 1 to 65535' --dsn=mysql://h:0/
  refused 'not a number from 1 to 65535' --dsn=mysql://::1/
  refused 'brackets' --dsn=mysql://[::1/
  refused 'all hosts need the same port' --dsn=mysql://a:1,b:2/
  refused 'a socket is only possible with the host localhost' --dsn='mysql://h/?socket=/s'
  refused 'a file has no host' --dsn=sqlite://h/x
  refused 'two hexadecimal digits' --dsn=mysql://h/%zz
  refused '%00' --dsn=mysql://h/%00
  refused '--pgsql-db has a connection string, too' --dsn='postgres://h/d?application_name=x' --pgsql-db='dbname=y'
  # Passwords that are not encoded end somewhere, and no part of them is shown.
  local bad
  for bad in "/$word" "12?$word" "12?$word&b" "#$word" "%$word" "x:$word:1"; do
    bench -1 ./show.lua --dsn="mysql://u:$bad@h:x/d" prepare
    must is "$(grep -c "$word" <<<"$output$stderr")" 0
  done
}

@test "the environment of libpq counts where no option is given" {
  drivers mysql pgsql
  export PGHOST=ph PGPORT=1 PGUSER=pu PGDATABASE=pd PGSSLMODE=require
  into 'pgsql host=ph' 'pgsql port=1' 'pgsql user=pu' 'pgsql db=pd' 'pgsql sslmode=require' -- --db-driver=pgsql
  into 'pgsql host=h' 'pgsql port=1' 'pgsql user=u' 'pgsql db=pd' -- --dsn=postgres://u@h
  into 'pgsql host=h' 'pgsql user=pu' -- --db-driver=pgsql --pgsql-host=h
  into 'pgsql host=localhost' 'pgsql user=sbtest' -- --db-driver=mysql
  PGSERVICE=s into 'pgsql host=' 'pgsql port=' 'pgsql user=' 'pgsql db=' -- --db-driver=pgsql
  PGSERVICE=s into 'pgsql host=' 'pgsql user=me' -- --db-driver=pgsql --pgsql-user=me
  PGPORT=x refused 'the environment variable PGPORT: Invalid value for --pgsql-port' --db-driver=pgsql
  # sysbench gives libpq its own defaults, but knows no sslmode.
  ln -s "$BENCH" sysbench
  run --separate-stderr ./sysbench ./show.lua --db-driver=pgsql prepare
  shows 'pgsql host=localhost' 'pgsql port=5432' 'pgsql user=sbtest' 'pgsql db=sbtest' 'pgsql sslmode=require'
}

@test "the environment of MySQL, and its option files" {
  drivers mysql
  export MYSQL_HOST=mh MYSQL_TCP_PORT=44
  into 'mysql host=mh' 'mysql port=44' --
  into 'mysql host=h' 'mysql port=3306' -- --dsn=mysql://h
  cat >my.cnf <<'CNF'
# of all programs
[client]
user=cu ; the user
password = "c # p\\w"
socket= /s
unheard-of=1
[mysqld]
user=nobody
[bench]
port=88 # of ours
CNF
  sed -i 's/ ; the user//' my.cnf
  into 'mysql user=cu' 'mysql password=c # p\w' 'mysql port=88' 'mysql socket=/s' 'mysql host=mh' -- \
    --mysql-defaults-file=my.cnf
  unset MYSQL_HOST MYSQL_TCP_PORT
  into 'mysql socket=/s' 'mysql host=localhost' -- --mysql-defaults-file=my.cnf
  into 'mysql socket=' 'mysql host=h' 'mysql user=me' -- --mysql-defaults-file=my.cnf --mysql-host=h --mysql-user=me
  BENCH_MYSQL_DEFAULTS_FILE=my.cnf into 'mysql user=cu' --
  BENCH_MYSQL_PASSWORD=x into 'mysql password=' 'mysql user=cu' -- --mysql-defaults-file=my.cnf
  refused "--mysql-defaults-file: cannot read 'nope'" --mysql-defaults-file=nope
  printf '[bench]\nbad=1\n' >bad.cnf
  refused "'bad.cnf': the name in \[bench\], 'bad' is not known \(expected one of: host" --mysql-defaults-file=bad.cnf
  printf '[client]\n[client\n' >bad.cnf
  refused "'bad.cnf', line 2: the name of a group" --mysql-defaults-file=bad.cnf
  printf '[client]\nport=x\n' >bad.cnf
  refused "'bad.cnf': Invalid value for --mysql-port: 'x'" --mysql-defaults-file=bad.cnf
  printf '[client]\nssl-ca=/ca\n' >tls.cnf
  into 'mysql ssl=REQUIRED' 'mysql ssl_ca=/ca' -- --mysql-defaults-file=tls.cnf
  printf '[client-mariadb]\nssl_verify_server_cert\n' >tls.cnf
  into 'mysql ssl=VERIFY_IDENTITY' -- --mysql-defaults-file=tls.cnf
}

@test "~/.my.cnf is read, but not by sysbench, other drivers and other tests" {
  drivers mysql sqlite
  unset BENCH_MYSQL_DEFAULTS_FILE
  export HOME=$PWD/home
  mkdir home
  printf '[client]\nuser=cu\n' >home/.my.cnf
  into 'mysql user=cu' --
  into 'mysql user=sbtest' -- --mysql-defaults-file=none
  into 'mysql user=sbtest' -- --db-driver=sqlite
  ln -s "$BENCH" sysbench
  run --separate-stderr ./sysbench ./show.lua prepare
  shows 'mysql user=sbtest'
  bench cpu --events=1 --cpu-max-prime=10 --json=cpu.json run
  must is "$(grep -c client_file cpu.json)" 0
  chmod 666 home/.my.cnf
  bench ./show.lua prepare
  shows 'mysql user=sbtest'
  must has "$stderr" 'WARNING: ~/.my.cnf is ignored, since all users can write to it'
  # A pipe that nobody writes to would be read for ever.
  rm home/.my.cnf
  mkfifo home/.my.cnf
  run --separate-stderr timeout 120 "$BENCH" ./show.lua prepare
  shows 'mysql user=sbtest'
  must has "$stderr" 'WARNING: ~/.my.cnf is ignored, since it is not a regular file'
  unset HOME
  into 'mysql user=sbtest' --
}

@test "a password from a file" {
  drivers mysql pgsql sqlite
  printf '%s\r\nnot this\n' "$word" >pw
  chmod 600 pw
  into "mysql password=$word" 'pgsql password=' -- --password-file=pw
  must is "$stderr" ''
  into "pgsql password=$word" 'mysql password=' -- --password-file=pw --dsn=postgres://u:other@h/d
  into 'mysql password=mine' -- --password-file=pw --mysql-password=mine
  chmod 640 pw
  bench ./show.lua --password-file=pw prepare
  must has "$stderr" "^WARNING: other users may read the password file 'pw'"
  must is "$(printf %s "$word" | "$BENCH" ./show.lua --password-file=- prepare | grep 'mysql password')" \
    "mysql password=$word"
  refused "cannot open the password file '/nope'" --password-file=/nope
  : >empty
  refused "there is no password in the first line of the password file 'empty'" --password-file=empty
  refused 'longer than' --password-file=/dev/zero
  refused 'the driver sqlite knows no passwords' --password-file=pw --db-driver=sqlite
  refused 'cannot be used together' --password-file=pw --ask-password
  run -1 --separate-stderr bash -c 'echo "function prepare() end" | "$BENCH" --password-file=- prepare'
}

@test "a sweep reads a password once, and shows it to nobody" {
  drivers mysql
  cat >see.lua <<'LUA'
function event()
  local f = io.open("/proc/self/environ")
  local text = f:read("*a")
  f:close()
  f = io.open("/proc/self/cmdline")
  text = text .. f:read("*a")
  f:close()
  if sysbench.opt.mysql_password ~= os.getenv("WANTED_" .. "WORD"):reverse() then error("no password") end
  if text:find(sysbench.opt.mysql_password, 1, true) then error("it can be seen") end
end
LUA
  export WANTED_WORD
  WANTED_WORD=$(rev <<<"$word")
  run --separate-stderr bash -c 'printf %s "$1" | "$BENCH" ./see.lua --password-file=- --sweep=threads:1,2 \
    --repeat=2 --events=2 --json=s.json run' _ "$word"
  must is "$status" 0
  must is "$(grep -c "$word" <<<"$output$stderr$(cat s.json)")" 0
  # A test that needs no database asks for nothing.
  run -0 setsid -w "$BENCH" cpu --cpu-max-prime=10 --events=1 --repeat=2 --ask-password run
}

# typing WORD COMMAND...: runs it on a terminal of its own, types the word at the
# prompt, and says what was seen and whether there is an echo in the end.
typing() {
  python3 - "$@" <<'PY'
import os, pty, signal, sys, termios
word, command = sys.argv[1], sys.argv[2:]
pid, tty = pty.fork()
if pid == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # also in the background
    os.execv(command[0], command)
seen = b""
while b"Password for " not in seen or not seen.endswith(b": "):
    seen += os.read(tty, 1000)
os.write(tty, b"\x03" if word == "^C" else word.encode() + b"\n")
copy = os.dup(tty)
try:
    while more := os.read(tty, 1000):
        seen += more
except OSError:
    pass
status = os.waitpid(pid, 0)[1]
print(seen.decode().replace("\r", ""))
print("signal", os.WTERMSIG(status)) if os.WIFSIGNALED(status) else print("exit", os.WEXITSTATUS(status))
print("echo", bool(termios.tcgetattr(copy)[3] & termios.ECHO))
PY
}

@test "a password that is typed" {
  drivers mysql
  run -0 typing "$word" "$BENCH" ./show.lua --ask-password --mysql-user=me prepare
  must has "$output" "^Password for mysql user 'me': $"
  must is "$(grep -c "$word" <<<"$output")" 1 # what the script prints
  must has "$output" "^mysql password=$word$"
  must has "$output" '^echo True$'
  run typing ^C "$BENCH" ./show.lua --ask-password prepare
  must has "$output" '^signal 2$'
  must has "$output" '^echo True$'
  run -1 setsid -w "$BENCH" ./show.lua --ask-password prepare
  must has "$output" '--ask-password needs a terminal'
  bench ./show.lua --ask-password help </dev/null
  must is "$(grep -c terminal <<<"$stderr")" 0
}

@test "other names of drivers" {
  drivers mysql pgsql
  into driver=pgsql -- --db-driver=postgres
  into driver=pgsql -- --db-driver=postgresql
  into driver=mysql -- --db-driver=mariadb
}

@test "a password in a connection string is in no result and no message" {
  drivers pgsql mysql
  cat >none.lua <<'LUA'
function event() end
LUA
  local text
  for text in "--pgsql-db=postgresql://u:$word@h/d" "--pgsql-db=host=h password=$word" \
    "--dsn=postgresql://u:$word@h/d" "--dsn=postgresql://h/d?password=$word&application_name=x" \
    "--dsn=mysql://u:$word@h/d"; do
    rm -rf seen
    mkdir seen
    "$BENCH" ./none.lua "$text" --events=2 --debug --verbosity=5 --csv=seen/csv --stream=seen/stream \
      --hdr-log=seen/hdr --json=seen/run.json run >seen/out 2>seen/err
    check seen/run.json
    "$BENCH" report seen/run.json >seen/page.html
    must grep -q 'dsn\|pgsql-db' seen/page.html
    "$BENCH" report --format=markdown seen/run.json >seen/page.md
    "$BENCH" compare seen/run.json seen/run.json >seen/compare 2>&1 || :
    "$BENCH" rerun seen/run.json --trust >seen/again 2>&1 && must false
    must has "$(<seen/again)" 'the password in --(dsn|pgsql-db) is not in results: give the option again'
    "$BENCH" rerun seen/run.json --trust "$text" >seen/again 2>&1
    "$BENCH" ./none.lua "$text" --events=2 --sweep=threads:1,2 --json=seen/sweep.json run >seen/sweep 2>&1
    "$BENCH" ./none.lua --events=2 --sweep="${text#--}" --json=seen/sweep2.json run >seen/sweep2 2>&1 || :
    must is "$(grep -rlF "$word" seen)" ''
  done
  bench ./none.lua "--pgsq-db=postgresql://u:$word@h/d" run extra
  must is "$(grep -c "$word" <<<"$output$stderr")" 0
  bench ./none.lua "--mysql-pasword=$word" --mysql-db=x run "mysql://u:$word@h"
  must is "$(grep -c "$word" <<<"$output$stderr")" 0
  bench oltp_read_only "--mysql-db=mysql://u:$word@h/d" run
  must has "$stderr" "Invalid value for --mysql-db: 'mysql://u:\*\*\*@h/d' \(expected the name of a database; a URL belongs to --dsn\)"
  bench -1 oltp_read_only --db-driver=pgsql "--pgsql-db=postgresql://u:$word@h:x/d" run
  must is "$(grep -c "$word" <<<"$output$stderr")" 0
}

@test "a password after a slip of the pen is not shown" {
  local word=Vq7xPw9
  printf 'mysql-password %s\n' $word >a.cnf
  printf 'pgsql-password: %s\n' $word >b.cnf
  local args
  for args in --config-file=a.cnf --config-file=b.cnf "--mysql-password:$word" \
    "--mysql_password $word" "--pgsql-password$word"; do
    bench -1 cpu "$args" run
    must has "$stderr" '(invalid option|Invalid value)'
    must is "$(grep -c $word <<<"$output$stderr" || :)" 0
  done
  bench -1 oltp_point_select --db-driver=null --sweep=mysql-password:$word,b run
  must has "$stderr" '--mysql-password cannot be swept'
  must is "$(grep -c $word <<<"$output$stderr" || :)" 0
}

@test "options of one driver choose it" {
  drivers mysql pgsql sqlite
  into driver=pgsql 'pgsql host=db1' -- --pgsql-host=db1
  into driver=sqlite 'sqlite db=t.db off' -- --sqlite-db=t.db --sqlite-synchronous=off
  into driver=mysql -- --mysql-user=me
  # those of two say nothing, and what was given counts
  into driver=mysql -- --pgsql-host=db1 --mysql-host=db2
  into driver=mysql -- --pgsql-host=db1 --db-driver=mysql
  into driver=sqlite -- --pgsql-host=db1 --dsn=sqlite:t.db
  # nor does the environment
  BENCH_PGSQL_PASSWORD=$word PGHOST=db1 into driver=mysql --
  echo 'pgsql-host=db1' >file
  into driver=pgsql -- --config-file=file
  ln -s "$BENCH" sysbench
  run ./sysbench ./show.lua --pgsql-host=db1 prepare
  must has "$output" '^driver=mysql$'
}
