#!/usr/bin/env bash
# test.sh - builds the program in build/ and runs every test there is.
#
# The last line says "N passed, N failed" (", N skipped"), counted over the
# single results of all suites.  The exit status is 0 only if something ran and
# nothing failed.
set -euo pipefail

src=$(cd "$(dirname "$0")/.." && pwd)
build=$src/build

# What is missing after all, configure or the skipped tests will name.
for set in build test; do
  "$src/scripts/deps.sh" "$set" ||
    printf 'test.sh: a package of the %s set could not be installed\n' "$set" >&2
done
"$src/scripts/build.sh" "$build" --enable-werror

cd "$build"
find . -name '*.trs' -delete # results of former runs do not count

broken=()
for suite in check check-db check-fault; do
  make "$suite" || broken+=("$suite")
done

# Lines of results are ":test-result: PASS 12 - name".
read -r passed failed skipped < <(
  find . -name '*.trs' -exec cat {} + | awk '
    $1 != ":test-result:" { next }
    $2 == "PASS" || $2 == "XFAIL" { passed++ }
    $2 == "FAIL" || $2 == "XPASS" || $2 == "ERROR" { failed++ }
    $2 == "SKIP" { skipped++ }
    END { print passed + 0, failed + 0, skipped + 0 }'
)

status=0
if ((${#broken[@]} > 0)); then
  printf 'test.sh: make %s failed\n' "${broken[@]}" >&2
  status=1
fi
((failed == 0 && passed > 0)) || status=1

summary="$passed passed, $failed failed"
((skipped == 0)) || summary+=", $skipped skipped"
printf '%s\n' "$summary"
exit "$status"
