#!/usr/bin/env bash
# counter.sh - the clock of a build for 64-bit ARM is the counter of the processor
# where the kernel names it, and that of the kernel elsewhere.
#
# usage: counter.sh BUILD QEMU
#
# BUILD has bench and tests/unit/base/test_clock.  Ends with 77 where the kernel cannot
# start what is emulated, and says so.
set -euo pipefail

src=$(cd "${BENCH_SRC:-$(dirname "$0")/../..}" && pwd)
(($# == 2)) || { echo 'usage: counter.sh BUILD QEMU' >&2; exit 1; }
cd "$1"
emulated=$src/tests/lint/emulated.sh qemu=$2
"$emulated" --check "$qemu"

# source_is SOURCE [--own-clock]: in a test of the clock, which passes, and in the
# documents of a run.
source_is() {
  local source=$1
  shift
  "$emulated" "$@" "$qemu" tests/unit/base/test_clock >clock.tap || { cat clock.tap; return 1; }
  grep -qx "# clock source: $source" clock.tap || { cat clock.tap; return 1; }
  rm -f clock.json
  "$emulated" "$@" "$qemu" ./bench cpu --cpu-max-prime=100 --events=10 --json=clock.json run >said ||
    { cat said; return 1; }
  grep -A 1 '"clock": {' clock.json | grep -q "\"source\": \"$source\"" ||
    { grep -A 4 '"clock": {' clock.json; return 1; }
}
source_is cntvct
source_is clock_gettime --own-clock
