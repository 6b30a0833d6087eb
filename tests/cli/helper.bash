# helper.bash - what the command-line tests share.
#
# BENCH, BENCH_SRC and BENCH_BUILD come from the makefile.  Each test runs in a
# clean folder of its own.
. "$BENCH_SRC/tests/lib/within.bash"

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  # Leak checks happen under `make check` of a sanitized build as well.
  unset BENCH_COMPAT LUA_PATH LUA_CPATH
  [ -z "${NEEDS_DRIVER-}" ] || needs_driver "$NEEDS_DRIVER"
}

# bench [-STATUS] ARG...: runs the program; sets status, output (stdout), stderr.  With
# -STATUS it fails unless the program ends with that, as other commands of the tests do.
# Remarks about a busy machine are removed from stderr; bench_as_it_is keeps them.
bench() {
  local rc=0
  bench_as_it_is "$@" || rc=1
  stderr=$(without_machine <<<"$stderr")
  return $rc
}

bench_as_it_is() {
  local expected args
  take_status "$@"
  run --separate-stderr "$BENCH" "${args[@]}"
  as_expected
}

# until_started PID: the threads of that program have started; its output is in
# `out`.  Fails if it ends before.
until_started() {
  until grep -qs '^Threads started' out; do
    kill -0 "$1" || return 1
    read -rt 0.05 <> <(:) || :
  done
}

# without_machine: copies its input without the remarks that a busy machine
# causes.
without_machine() {
  grep -Ev "^WARNING: (other programs used|waiting for a CPU of this machine|the hypervisor took|the CPUs ran|the CPUs slowed|heat slowed|bench used|the control group of bench may|reading the clock takes|throughput was (still|lower at|higher at)|the last event ended|clients got unequal shares)" ||
    true
}

# What messages call a worker: `make check-clients` has clients.
worker=thread
[ -z "${BENCH_REAL-}" ] || worker=client

# must WHAT...: fails and prints what was seen, unless the command succeeds.
must() {
  "$@" && return 0
  printf 'failed: %s\nstatus: %s\nstdout:\n%s\nstderr:\n%s\n' \
    "$*" "${status:-}" "${output:-}" "${stderr:-}" >&2
  return 1
}

# check DOCUMENT EXPRESSION...: the document is valid, its numbers agree, and
# Python finds the expressions about `d` true.
check() {
  local rc=0
  python3 "$BENCH_SRC/tests/cli/results_check.py" \
    "$BENCH_SRC/share/schema/bench-1.schema.json" "$@" || rc=$?
  if [ $rc = 77 ]; then
    skip "python3-jsonschema is not installed"
  fi
  return $rc
}

# json FILE EXPRESSION: Python finds the expression about `d` true.
json() {
  python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(not eval("(" + sys.argv[2] + ")"))' "$1" "$2"
}

# has TEXT PATTERN: the text has a line that matches the pattern.
has() {
  grep -Eq -- "$2" <<<"$1"
}

# lacks TEXT PATTERN: no line of the text matches the pattern.
lacks() {
  ! has "$@"
}

# is A B: two texts are equal.
is() {
  [ "$1" = "$2" ] && return 0
  diff <(printf '%s\n' "$1") <(printf '%s\n' "$2") >&2
  return 1
}

# number LABEL: prints the first number after the label in the output.
number() {
  sed -nE "s#.*$1[^0-9]*([0-9]+(\.[0-9]+)?).*#\1#p" <<<"$output" | head -n 1
}

# lines: the output without the two lines that it begins with.
lines() {
  tail -n +3 <<<"$output"
}

# holds EXPRESSION: awk finds it true.
holds() {
  awk "BEGIN { exit !($1) }"
}

# mask: replaces numbers and the blanks before them, so that layouts can be
# compared.
mask() {
  sed -E 's/ +[0-9]+(\.[0-9]+)?/ N/g; s/[0-9]+\.[0-9]+/N/g'
}

# needs_driver NAME: skips the test if the build lacks it.  A file that sets
# NEEDS_DRIVER at its top asks for it in each of its tests.
needs_driver() {
  "$BENCH" --db-driver=help | grep -q "^  $1 - " ||
    skip "built without the $1 driver"
}

# no_sanitizer WHAT: skips the test where a sanitizer needs what it takes away.
no_sanitizer() {
  ! nm "$BENCH" | grep -qE '__[at]san_init' || skip "sanitizers need $1"
}

# is_static: the program has its scripts in it, and can open no libraries.
is_static() {
  ! readelf -lW "${BENCH_REAL-$BENCH}" | grep -q INTERP
}

# emulated: the program is for another processor than this machine's, so strace
# sees the emulator in its place.
emulated() {
  [ "$(readelf -h "${BENCH_REAL-$BENCH}" | grep Machine:)" != "$(readelf -h "$BASH" | grep Machine:)" ]
}

# io_mode_here MODE: fileio has it.  Builds may lack one, and so may a system: an
# emulator, or a container with a filter.
io_mode_here() {
  local said
  mkdir mode.here
  said=$("$BENCH" fileio --file-dir=mode.here --file-num=1 --file-total-size=16K --file-io-mode="$1" \
    --file-test-mode=seqwr --events=1 run 2>&1) || true
  rm -r mode.here
  ! has "$said" "built without it|^FATAL: The system does not allow .* errno = (1|38) "
}

# needs_files: skips the test if the program is static.
needs_files() {
  ! is_static || skip "a static program has its scripts in it"
}

# as_nobody [-STATUS] COMMAND...: runs the command without any privilege.
as_nobody() {
  local expected args
  take_status "$@"
  [ "$(id -u)" = 0 ] || skip "needs root to give up privileges"
  command -v setpriv >/dev/null || skip "setpriv is not installed"
  chmod 755 "$BATS_TEST_TMPDIR"
  # env starts the program, because setpriv itself may still have the privilege
  # that opens folders.
  setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all env "$BENCH" --version \
    >/dev/null 2>&1 || skip "nobody cannot run the program here"
  run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \
    "${args[@]}"
  as_expected
}

# serve_at OPTION ARG...: starts a run with OPTION=PORT; sets port and pid.  The
# port is below those that the system gives to clients; if it is taken, another
# one is tried.
serve_at() {
  local try option=$1
  shift
  for try in {1..20}; do
    port=$((20000 + RANDOM % 12000))
    rm -f text # left by an earlier run, which has started as well
    "$BENCH" "$@" "$option=$port" run >text 2>err 3>&- &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
      ! grep -qs 'Threads started' text || return 0
      sleep 0.05
    done
    must has "$(cat err)" 'Address (already )?in use'
  done
  return 1
}

# serve_metrics ARG...: a run of the cpu test with --prometheus.
serve_metrics() {
  serve_at --prometheus cpu --time=600 "$@"
}

# in_browser TEST ARG...: a function of page.py succeeds.  A run of serve_at does not
# outlive a test that is skipped or has failed.
in_browser() {
  local rc=0
  python3 "$BENCH_SRC/tests/cli/page.py" "$@" || rc=$?
  if [ $rc != 0 ] && [ -n "${pid-}" ]; then
    kill -INT $pid || :
    wait $pid || :
  fi
  [ $rc != 77 ] || skip "chromium is not installed (scripts/deps.sh browser)"
  return $rc
}

# page_data PAGE: data.json becomes what the script of a report draws.
page_data() {
  sed -n 's|^<script type="application/json" id="data">\(.*\)</script>$|\1|p' "$1" >data.json
}

# drawn PAGE: drawn.json becomes what a browser shows of a report, with everything unfolded.
drawn() {
  in_browser drawn "$1" >drawn.json
}

# steady FILE...: these results become those of runs that nothing has disturbed and that
# went on evenly, so that comparisons can tell something on a busy machine.
steady() {
  python3 - "$@" <<'PY'
import json, sys
for name in sys.argv[1:]:
    d = json.load(open(name))
    total, n = d["totals"], 20
    d["client"].update(run_queue_delay_s=0, steal_cpus=0, other_programs_cpus=0)
    d["slices"] = dict(
        end_s=[total["period_s"] * (i + 1) / n for i in range(n)],
        events=[total["events"]] * n, queries=[total.get("queries", {}).get("total", 0)] * n,
        latency_sum_ns=[total["latency_ns"]["mean"] * total["events"]] * n)
    json.dump(d, open(name, "w"))
PY
}
