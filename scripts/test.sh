#!/usr/bin/env bash
# test.sh - builds the program and runs its tests.
#
# usage: test.sh [--quick]
#
# First in build/ those of `make check` and, where database servers are installed,
# `make check-servers`; then, but for --quick, under the sanitizers `make check` in
# build-asan/ and `make check-races` in build-tsan/.  The last line says
# "N passed, N failed" (", N skipped"), counted over the single results of all
# suites.  The exit status is 0 only if something ran and nothing failed.
#
# If at most two files of a suite fail, they run once more, alone: many tests
# here share two processors with servers that they stall and kill.  What fails
# again has failed.  What passes then is counted as it did then, its first
# failure is printed, and "unstable:" names it before the last line: such a
# test, or the program, has a race that must be found.  STRICT=1 leaves the
# second look out.
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"

src=$(cd "$(dirname "$0")/.." && pwd)
# Tests run beside each other, one more than there are processors, because many
# wait; those with a server mostly do.  Tests of times are last: tests/Makefile.inc.
cores=$(getconf _NPROCESSORS_ONLN)
quick=0
case ${1-} in
'') ;;
--quick) quick=1 ;;
*) echo "test.sh: '$1' is unknown; usage: test.sh [--quick]" >&2; exit 1 ;;
esac
asan=(build-asan '--enable-sanitizers=address,undefined' CFLAGS='-O1 -g')
tsan=(build-tsan '--enable-sanitizers=thread' CFLAGS='-O1 -g')
broken=() unstable=()
passed=0 failed=0 skipped=0

# A folder that was configured before a package came does not use it: configure
# looks again there.
stale=()
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

# count FOLDER: lines of results are ":test-result: PASS 12 - name".
count() {
  local p f s
  read -r p f s < <(
    find "$1" -name '*.trs' -exec cat {} + | awk '
      $1 != ":test-result:" { next }
      $2 == "PASS" || $2 == "XFAIL" { passed++ }
      $2 == "FAIL" || $2 == "XPASS" || $2 == "ERROR" { failed++ }
      $2 == "SKIP" { skipped++ }
      END { print passed + 0, failed + 0, skipped + 0 }'
  )
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# list_failures FOLDER: a line for each failed result.
list_failures() {
  local trs
  while read -r trs; do
    grep -hE '^(FAIL|XPASS|ERROR): ' "${trs%.trs}.log" | sed "s|^|${1##*/}: |" | head -n 20
  done < <(find "$1" -name '*.trs' -exec grep -lE '^:test-result: (FAIL|XPASS|ERROR)' {} +)
}

# tell_failures FOLDER: the failed results and the end of the logs they are from.
tell_failures() {
  local trs
  while read -r trs; do
    printf '\n--- %s\n' "${trs%.trs}"
    grep -E '^:test-result: (FAIL|XPASS|ERROR)' "$trs" | head -n 20
    grep -A 20 '^not ok' "${trs%.trs}.log" | head -n 80 || tail -n 40 "${trs%.trs}.log"
  done < <(find "$1" -name '*.trs' -exec grep -lE '^:test-result: (FAIL|XPASS|ERROR)' {} +)
}

# second_look FOLDER: few files have failed, and pass alone.
second_look() {
  local trs file files=()
  ((${STRICT:-0})) && return 1
  while read -r trs; do
    file=${trs#"$1"/} file=${file%.trs}
    [[ -e $src/$file.bats ]] && file+=.bats
    files+=("$file")
  done < <(find "$1" -name '*.trs' -exec grep -lE '^:test-result: (FAIL|XPASS|ERROR)' {} +)
  ((${#files[@]} > 0 && ${#files[@]} <= 2)) || return 1
  tell_failures "$1"
  make -C "$1" check LINT_TESTS= TESTS="${files[*]}" || return 1
  unstable+=("${files[*]} in ${1##*/}")
}

# slowest FOLDER: the files that took longest, with their seconds.  Those of a
# suite run beside each other.
slowest() {
  (cd "$1" && grep -rE --include='*.log' '^# took [0-9]+ s$' tests || :) |
    sed -E 's/^(.*)\.log:# took ([0-9]+) s$/\2 \1/' | sort -rn | head -n 8 |
    awk -v folder="${1##*/}" '{ said = said ", " $2 " " $1 " s" }
      END { if (NR) print "test.sh: the slowest in " folder ": " substr(said, 3) }'
}

# left_behind FOLDER: the files whose runs had to be stopped after them.
left_behind() {
  (cd "$1" && grep -rE --include='*.log' '^# left behind: ' tests || :) |
    sed -E "s|^(.*)\\.log:# (.*)|test.sh: \\1 in ${1##*/}: \\2|"
}

# ahead FOLDER [CONFIGURE ARGUMENT]...: build it, and its tests.  What fails is
# told when its turn comes.
ahead() {
  nice "$src/scripts/build.sh" "$src/$1" --enable-werror "${@:2}" &&
    nice make -C "$src/$1" check TESTS=
}

# suites FOLDER TARGETS [CONFIGURE ARGUMENT]...
suites() {
  local folder=$src/$1 targets=$2 suite began name jobs only=()
  name=$1
  # Lints judge sources, which are the same for all folders.
  [[ $name == build ]] || only=(LINT_TESTS=)
  shift 2
  if ! "$src/scripts/build.sh" "$folder" --enable-werror "$@"; then
    broken+=("in $folder")
    return
  fi
  # Results and logs of former runs do not count.
  find "$folder/tests" \( -name '*.trs' -o -name '*.log' \) -delete
  for suite in $targets; do
    began=$SECONDS
    jobs=$((cores + 1))
    if [[ $suite == check-servers ]]; then
      jobs=$((cores + 2))
      # Servers leave the processors time.
      ((quick)) || (ahead "${asan[@]}" && ahead "${tsan[@]}") >/dev/null 2>&1 &
    fi
    make -C "$folder" -j"$jobs" "$suite" "${only[@]}" || second_look "$folder" ||
      broken+=("$suite in $folder")
    printf 'test.sh: %s in %s took %d s\n' "$suite" "$name" $((SECONDS - began))
  done
  slowest "$folder"
  left_behind "$folder"
  count "$folder"
}

suites build 'check check-servers'
if ((!quick)); then
  wait
  suites "${asan[0]}" check "${asan[@]:1}"
  suites "${tsan[0]}" check-races "${tsan[@]:1}"
fi

status=0
if ((${#broken[@]} > 0)); then
  for tell in list_failures tell_failures list_failures; do
    for folder in build build-asan build-tsan; do
      [[ ! -d $src/$folder ]] || "$tell" "$src/$folder"
    done
  done
  printf 'test.sh: make %s failed\n' "${broken[@]}"
  status=1
fi
((failed == 0 && passed > 0)) || status=1

((${#unstable[@]} == 0)) ||
  printf 'unstable: failed at first, passed alone: %s\n' "${unstable[@]}"
summary="$passed passed, $failed failed"
((skipped == 0)) || summary+=", $skipped skipped"
printf '%s\n' "$summary"
exit "$status"
