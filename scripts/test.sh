#!/usr/bin/env bash
# test.sh - builds the program and runs its tests.
#
# usage: test.sh [--all | --nightly]
#
# Without an option: the first tier, a few minutes, in build/.  It has the unit tests,
# the lints, replays of fuzzing, the tests of protocols, and the command-line and
# script tests that a change breaks most often; those with a database server where one
# is installed.
# --all: the second tier too.  It has the other tests of `make check` and of servers in
# build/, the unit tests and the drivers with real servers under AddressSanitizer in
# build-asan/, and the tests that look for races under ThreadSanitizer in build-tsan/.
# --nightly: everything: also the tests that take long or need a quiet machine, all
# of `make check` under AddressSanitizer, then conformance, valgrind, seeded bugs that
# the first tier must find, and builds for other systems.
#
# The last line is "N passed, N failed" (", N skipped"), counted over the single
# results of all suites.  The exit status is 0 only if something ran and nothing
# failed.  No test gets a second attempt.  REQUIRE='mariadb postgresql chromium mpi'
# names what must be there: without it, tests that need it would be skipped.
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"

src=$(cd "$(dirname "$0")/.." && pwd)
cores=$(getconf _NPROCESSORS_ONLN)
tier=first
case ${1-} in
'') ;;
--all | --nightly) tier=${1#--} ;;
*) echo "test.sh: '$1' is unknown; usage: test.sh [--all | --nightly]" >&2; exit 1 ;;
esac
asan=(build-asan '--enable-sanitizers=address,undefined' CFLAGS='-O1 -g1')
tsan=(build-tsan '--enable-sanitizers=thread' CFLAGS='-O1 -g1')
broken=() folders=(build)

install_packages() {
  local folder set stale=()
  # A folder that was configured before a package came does not use it: configure
  # looks again there.
  if [[ -n $("$src/scripts/deps.sh" --list build test mpi) ]]; then
    for folder in build "${asan[0]}" "${tsan[0]}"; do
      [[ ! -f $src/$folder/config.status ]] || stale+=("$src/$folder")
    done
  fi
  # What is missing after all, configure or the skipped tests will name.
  for set in build test mpi; do
    "$src/scripts/deps.sh" "$set" ||
      printf 'test.sh: a package of the %s set could not be installed\n' "$set" >&2
  done
  for folder in "${stale[@]}"; do
    (cd "$folder" && ./config.status --recheck && ./config.status)
  done
}

# required NAME: is it there?
required() {
  case $1 in
  mariadb) command -v mariadbd mysqld ;;
  postgresql) command -v postgres || compgen -G '/usr/lib/postgresql/*/bin/postgres' ;;
  chromium) command -v chromium ;;
  mpi) command -v mpirun ;;
  *) echo "test.sh: REQUIRE: '$1' is none of mariadb, postgresql, chromium and mpi" >&2; return 1 ;;
  esac >/dev/null
}

# build FOLDER [CONFIGURE ARGUMENT]...: the program and all that its tests need.
build() {
  "$src/scripts/build.sh" "$src/$1" --enable-werror "${@:2}" &&
    make -s -C "$src/$1" -j"$cores" check TESTS=
}

# suite FOLDER TARGET JOBS: runs it; results of former runs do not count.
suite() {
  local folder=$src/$1 began=$SECONDS
  printf 'test.sh: %s in %s runs; its output is in %s\n' "$2" "$1" "$1/$2.log"
  make -s -C "$folder" -j"$3" "$2" >"$folder/$2.log" 2>&1 || broken+=("$2 in $1")
  printf 'test.sh: %s in %s took %d s\n' "$2" "$1" $((SECONDS - began))
}

# results FOLDER: the files with results of all suites that ran there.
results() {
  find "$src/$1/tests" -name '*.trs'
}

# forget FOLDER: what former runs have left.
forget() {
  find "$src/$1/tests" \( -name '*.trs' -o -name '*.log' \) -delete
}

# slowest FOLDER: the files that took longest, with their seconds.  They run at the
# same time.
slowest() {
  (cd "$src/$1" && grep -rE --include='*.log' '^# took [0-9]+ s$' tests || :) |
    sed -E 's/^(.*)\.log:# took ([0-9]+) s$/\2 \1/' | sort -rn |
    awk -v folder="$1" 'NR <= 8 { said = said ", " $2 " " $1 " s" }
      END { if (NR) print "test.sh: the slowest in " folder ": " substr(said, 3) }'
}

# failures FOLDER: the failed results and the end of the logs that they are from.
failures() {
  local trs
  while read -r trs; do
    printf '\n--- %s\n' "${trs%.trs}"
    awk '/^:test-result: (FAIL|XPASS|ERROR)/ && ++n <= 20' "$trs"
    # Not `| head`: grep would be ended by SIGPIPE, and with it this script.
    awk '/^not ok|^Bail out|Sanitizer/ { left = 31 } left-- > 0 && ++n <= 100 { print }
      END { exit !n }' "${trs%.trs}.log" || tail -n 40 "${trs%.trs}.log"
  done < <(results "$1" | xargs -r grep -lE '^:test-result: (FAIL|XPASS|ERROR)')
}

# skips: why tests were left out, and how many.
skips() {
  local folder
  for folder in "${folders[@]}"; do
    results "$folder" | sed 's/trs$/log/' | xargs -r grep -hoE '^ok .*# (SKIP|skip) .*'
  done | sed -E 's/.*# (SKIP|skip) /test.sh: skipped: /' | sort | uniq -c | sort -rn |
    sed -E 's/^ *([0-9]+) (.*)/\2 (\1)/' || :
}

# retries: how often a test needed another attempt on a busy machine.
retries() {
  local folder
  for folder in "${folders[@]}"; do
    results "$folder" | sed 's/trs$/log/' | xargs -r grep -hoE '^# retried [0-9]+' || :
  done | awk '{ sum += $3; tests++ }
    END { if (tests) printf "test.sh: %d tests needed %d retries\n", tests, sum }'
}

count() {
  local folder
  for folder in "${folders[@]}"; do
    results "$folder"
  done | xargs -r cat | awk '
    $1 != ":test-result:" { next }
    $2 == "PASS" || $2 == "XFAIL" { passed++ }
    $2 == "FAIL" || $2 == "XPASS" || $2 == "ERROR" { failed++ }
    $2 == "SKIP" { skipped++ }
    END { print passed + 0, failed + 0, skipped + 0 }'
}

install_packages
for name in ${REQUIRE-}; do
  required "$name" || broken+=("REQUIRE: $name is not installed")
done

# Most tests wait: for a server, a time limit, a signal.  Those of the second tier
# stop and kill servers, and have limits that a machine with too much to do would miss.
jobs=$((3 * cores)) fewer=$((2 * cores))
build build || broken+=('build')
forget build
suite build check-first "$jobs"

if [[ $tier != first ]]; then
  folders+=("${asan[0]}" "${tsan[0]}")
  # Building takes the processors that the tests of the second tier leave idle.
  (
    renice -n 10 -p "$BASHPID" >/dev/null
    build "${asan[@]}" && build "${tsan[@]}"
  ) >"$src/build/sanitized.log" 2>&1 &
  builder=$!
  suite build check-second "$fewer"
  wait "$builder" || { broken+=('sanitized builds'); tail -n 40 "$src/build/sanitized.log"; }
  forget "${asan[0]}"
  forget "${tsan[0]}"
  suite "${asan[0]}" check-address "$fewer"
  suite "${tsan[0]}" check-races "$fewer"
fi
if [[ $tier == nightly ]]; then
  suite build check-nightly 1
  suite "${asan[0]}" check "$((cores + 1))"
  for target in check-conformance check-valgrind check-mutants check-builds; do
    suite build "$target" 1
  done
fi

for folder in "${folders[@]}"; do
  slowest "$folder"
  failures "$folder"
done
skips
retries
read -r passed failed skipped < <(count)
((${#broken[@]} == 0)) || printf 'test.sh: failed: %s\n' "${broken[@]}"
summary="$passed passed, $failed failed"
((skipped == 0)) || summary+=", $skipped skipped"
printf '%s\n' "$summary"
((${#broken[@]} == 0 && failed == 0 && passed > 0))
