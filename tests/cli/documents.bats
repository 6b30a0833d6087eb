# documents.bats - the program accepts each command of the documents.  Those of the
# tutorials and the cookbook, and the recipes without a server, run in tests/db/documents.bats.
load helper

# commands: those of the manuals in docs/ and of README.md, one a line, with small files
# and short times.
commands() {
  local file elsewhere
  for file in "$BENCH_SRC"/README.md "$BENCH_SRC"/docs/*.md; do
    elsewhere='^$'
    case ${file##*/} in
    first-*.md | cookbook.md) continue ;; # see above
    recipes.md) elsewhere='^bench (cpu|fileio|compare|report old)|--db-driver=sqlite' ;;
    esac
    sed -En '/^    /{s/^    //;:more;/\\$/{N;s/ *\\\n */ /;bmore};s/ [(]?  .*//
      s/^\$ //;s/^taskset -c 0 //;s/^PGSERVICE=loadtest //;s/ +#.*//;s/[;|&] .*//;/^bench /p}' "$file" |
      grep -Ev "$elsewhere" || true
  done |
    sed -E 's/--(time|warmup-time)=[0-9]+/--\1=0.1/; s/--(file-total-size|memory-block-size)=[0-9]+[GM]/--\1=8M/
      s/--(table-size|records)=[0-9]+/--\1=100/; s/=threads:1[.][^ ]*/=threads:1,2/; s/--repeat=[0-9]+/--repeat=2/
      s/--events=[0-9]+/--events=10/; s!/mnt/(disk|other)!.!g; s/--load-profile="[^"]*"/--load-profile=ramp:1..9x100ms/
      s!--([a-z]+-host)=[^ ]+!--\1=127.0.0.1!; s/--pgsql-port=[0-9]+/--pgsql-port=1/; s/-socket=[^ ]+/-socket=none.sock/
      s!(://[a-z]+@)[^/]+/!\1127.0.0.1:1/!; /--find=/s/--time=0.1/--time=1/; s/@[0-9]+s/@0.05s/g; s/=writeback/&:0.1/'
}

# by_hand COMMAND: it needs a run that goes on, a second machine or many minutes.
by_hand() {
  case $1 in
  # The tests marks, ack_listen, live and metrics.
  bench\ mark\ * | bench\ ack-listen\ * | *=tcp:c:* | *\ --live* | *--prometheus=*) ;;
  # A terminal: db/secrets.
  *--ask-password*) ;;
  # Minutes: machine, db/database.
  bench\ machine* | bench\ try* | bench\ database*) ;;
  # A line of a file; the kept results: kept, sweep.
  bench\ history\ 1\ lists | bench\ report | bench\ rerun*) ;;
  *) return 1 ;;
  esac
}

@test "the program accepts the commands of the documents" {
  local command rc all=0 hand=0 bad=0 line good='cannot (read|connect|open)|[Cc]onnect|resolve|[Uu]nknown (MySQL server )?host|no server|not exist|missing|No such file|no database|table|has no query|did not take place'
  printf 'function event() end\n' >my.lua
  cp my.lua shop.lua
  cp my.lua own.lua
  printf 'SELECT 1;\n' >transfer.sql
  printf '0,5\n1,10\n' >day.csv
  printf '#!/bin/sh\n' >restore.sh
  chmod +x restore.sh
  printf secret >pw
  chmod 600 pw
  # No server of this machine is meant: nothing listens at port 1.
  export PGHOST=127.0.0.1 PGPORT=1 MYSQL_HOST=127.0.0.1 MYSQL_TCP_PORT=1 PGSERVICEFILE=$PWD/services HOME=$PWD
  printf '[loadtest]\nhost=127.0.0.1\nport=1\n' >services
  unset PGSERVICE BENCH_DSN
  while read -r command; do
    all=$((all + 1))
    if by_hand "$command"; then
      hand=$((hand + 1))
      continue
    fi
    [[ $command != *\ run || $command == *--time=* ]] || command="${command% run} --time=0.1 run"
    rc=0
    eval "timeout 60 \"\$BENCH\" ${command#bench} --db-connect-timeout=1" >out 2>err </dev/null || rc=$?
    # So short a run may miss its objective.
    [ $rc = 0 ] || [[ $rc = [45] && $command = *--slo=* ]] || {
      line=$(grep -E '^(FATAL|fail )|^invalid option|^Unrecog' out err | head -n 1)
      grep -Eq "$good" <<<"$line" && ! grep -Eq 'nvalid|Unrecog|cannot be used|no effect|expected|needs --' <<<"$line"
    } || {
      printf 'status %s of: %s\n' $rc "$command"
      cat out err
      bad=$((bad + 1))
    }
  done < <(commands)
  echo "$all commands, $hand of them by hand"
  [ $bad = 0 ]
  [ $all -gt 100 ]
  [ $hand -lt 30 ]
}
