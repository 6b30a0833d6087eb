# shellcheck shell=bash
# background.bash - what the tests of many clients share: a run in the background,
# which ends whatever happens, and what servers and results say; to be sourced
# beside every_kind.bash.
# shellcheck disable=SC2034 # who sources it reads the variables
. "$BENCH_SRC/tests/lib/within.bash"

# in_background COMMAND...: a run; its process is $job, its streams are out and err.
in_background() {
  : >out # not that of the run before
  "$@" >out 2>err 3>&- &
  job=$!
}

is_gone() { ! kill -0 "$job" 2>/dev/null; }

# ended: the run in the background has ended, in a minute; sets $status.
ended() {
  status=0
  within 60 is_gone
  wait "$job" || status=$?
  unset job
}

# frozen KIND: its server stands still until `thawed`.
frozen() {
  ice=$BATS_FILE_TMPDIR/$1
  servers freeze "$ice"
}
thawed() {
  [[ ! -v ice ]] || servers thaw "$ice"
  unset ice
}

# tidy_up: in teardown.  A test that fails leaves nothing to the next one.
tidy_up() {
  thawed
  [[ ! -v job ]] || kill -KILL "$job" 2>/dev/null || :
  [[ ! -v job ]] || wait "$job" || :
  unset job
}

# sql KIND STATEMENT: by its administrator, in the database of the tests.
sql() {
  local use=
  [ "$1" != mysql ] || use="USE sbtest; "
  servers sql "$BATS_FILE_TMPDIR/$1" "$use$2"
}

# value FILE EXPRESSION: of the results `d`, in Python.
value() {
  python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}
