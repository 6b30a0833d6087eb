#!/usr/bin/env bats
# documents.bats - the commands of the tutorials and recipes, with smaller tables and
# shorter times, in the order in which they stand.

. "$BENCH_SRC/tests/db/every_kind.bash"

word=Vq7xPw9ZkM2

# shellcheck disable=SC2034,SC2119 # what every_kind.bash reads
setup_file() {
  mysql_flags=(--password="$word")
  pgsql_flags=(--password="$word")
  start_kinds
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
}

# commands FILE: those of a document, one a line.
commands() {
  sed -En '/^    /{s/^    //;:more;/\\$/{N;s/ *\\\n */ /;bmore};/^(bench|export|\(umask) /p}' \
    "$BENCH_SRC/docs/$1" |
    sed -E 's/--table-size=[0-9]+/--table-size=1000/; s/--(time|warmup-time)=[0-9]+/--\1=1/g
      s/--(clients|threads):1..[0-9]+\*2/\1:1,2/; s/--file-total-size=[0-9]+G/--file-total-size=8M/
      s/echo secret/echo '"$word"'/; s/--repeat=3/--repeat=2/'
}

# follow FILE ADDRESS [PATTERN]: the commands that match; a search and a comparison of runs
# that are so short may have no answer, and doctor misses the tables.
follow() {
  local command status
  while read -r command; do
    status=0
    command=${command//db1/$2}
    eval "${command/#bench/\"\$BENCH\"}" >out 2>err </dev/null || status=$?
    case "$status $command" in
    0\ * | 1*\ doctor\ * | [45]*--find=* | [35]*\ compare\ *) ;;
    *)
      printf 'status %s of: %s\n' "$status" "$command"
      cat out err
      return 1
      ;;
    esac
    ran=$((ran + 1))
  done < <(commands "$1" | grep -E "${3-.}")
}

@test "mysql: the tutorial" {
  need_kind mysql
  ran=0
  follow first-mysql.md "127.0.0.1:$MY_PORT"
  follow first-postgresql.md "127.0.0.1:$MY_PORT" '^bench [^d]'
  [ "$ran" = 11 ]
  [ -s run.html ]
}

@test "pgsql: the tutorial" {
  need_kind pgsql
  ran=0
  follow first-postgresql.md "127.0.0.1:$PG_PORT"
  [ "$ran" = 11 ]
  [ -s run.html ]
}

@test "the recipes without a server" {
  ran=0
  follow recipes.md nowhere '^bench (cpu|fileio|compare|report old)|--db-driver=sqlite'
  [ "$ran" -gt 15 ]
  [ -s report.html ]
}

@test "the cookbook" {
  command -v jq >/dev/null || skip 'jq is not installed'
  ran=0
  follow cookbook.md nowhere
  local command
  while read -r command; do
    eval "$command" >out 2>err || [[ $command == "jq -e"* && ! -s err ]] || {
      printf '%s\n' "$command" "$(<err)"
      return 1
    }
    [[ -s out || $command == *.warnings* ]]
    ran=$((ran + 1))
  done < <(sed -n 's/^    jq/jq/p' "$BENCH_SRC/docs/cookbook.md")
  [ "$ran" = 11 ]
  sed -n '/^```python/,/^```/{/^```/!p}' "$BENCH_SRC/docs/cookbook.md" >frames.py
  if python3 -c 'import pandas' 2>err; then python3 frames.py; else python3 -m py_compile frames.py; fi
}
