#!/usr/bin/env bash
# quickstart.sh - from a fresh clone to a first result, in one command: builds
# the program and runs its main job, the OLTP workload, on the embedded SQLite
# in a temporary folder.  The last line is where the program is.
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"

src=$(cd "$(dirname "$0")/.." && pwd)
[[ $src != *[[:blank:]]* ]] ||
  { echo "quickstart.sh: '$src' has a blank, which configure does not allow: move the folder, and start again" >&2; exit 1; }

"$src/scripts/deps.sh" build || # configure will name what is missing
  printf 'quickstart.sh: not all packages could be installed\n' >&2
"$src/scripts/build.sh" "$src/build"
bench=$src/build/bench

if ! "$bench" --db-driver=help | grep '^ *sqlite ' >/dev/null; then
  "$bench" cpu --time=3 run # built without SQLite
  printf '\nThe program is %s\n' "$bench"
  exit
fi

# The tables go with the folder.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
job=(oltp_read_write --db-driver=sqlite --tables=2 --table-size=10000 --threads=2)
for command in prepare 'run --time=10 --report-interval=1'; do
  # shellcheck disable=SC2086 # a command and its options
  printf '\n$ bench %s %s\n' "${job[*]}" "$command"
  # shellcheck disable=SC2086
  "$bench" "${job[@]}" $command
done
printf '\nThe program is %s ("make -C %s install" puts it on the path)\n' "$bench" "$src/build"
