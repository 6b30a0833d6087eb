#!/usr/bin/env bash
# suites.sh - the Debian packages of a release, installed by apt-get in small systems of
# other releases of Debian or Ubuntu, and tried there.  Prints TAP.
#
# usage: suites.sh FOLDER [SUITE...]
#
# FOLDER is that of scripts/release.sh.  SUITE is bookworm or trixie on Debian, jammy or
# noble on Ubuntu: what the archive of this machine has and debootstrap can make; bookworm
# and trixie by default.  BENCH_ROOTS=FOLDER keeps the systems for the next time.  It has
# to be root, and needs the archive.
# shellcheck disable=SC2317 # functions are called by part()
set -euo pipefail
shopt -s nullglob

if ((EUID == 0)) && [[ -z ${BENCH_ROOTS_PRIVATE-} ]] && unshare --mount true; then
  BENCH_ROOTS_PRIVATE=yes exec unshare --mount "$0" "$@"
fi
here=$(cd "$(dirname "$0")/../.." && pwd)
(($# > 0)) || { echo 'usage: suites.sh FOLDER [SUITE...]' >&2; exit 1; }
made=$(cd "$1" && pwd)
shift
(($# > 0)) || set -- bookworm trixie
if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
  echo '1..0 # SKIP needs root, and debootstrap'
  exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-suites.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
roots=${BENCH_ROOTS:-$work}
debs=("$made"/*.deb)
((${#debs[@]} == 3)) || { echo "suites.sh: $made does not have the three Debian packages of one machine" >&2; exit 1; }

# shellcheck source=tests/packages/common.sh
. "$here/tests/packages/common.sh"

# try_in SUITE: a user's first steps, from apt-get to a report.
try_in() {
  local root=$work/root driver
  rm -rf --one-file-system "$root"
  cp -ax "$roots/$1" "$root"
  cp "${debs[@]}" "$here/tests/packages/try.sh" "$here/debian/tests/cluster" "$root/tmp/"
  in_system "$root" apt-get -q update
  get "/tmp/$(basename "$made"/bench_*.deb)"
  in_system "$root" /tmp/try.sh bench
  for driver in mysql pgsql sqlite null; do
    in_system "$root" bench --db-driver=help 2>&1 | grep "^  $driver - "
  done
  get "${debs[@]/#*\//\/tmp/}" mpich openmpi-bin openssh-client
  in_system "$root" /tmp/cluster
}

# get PACKAGE...: from the archive or a file.
get() {
  in_system "$work/root" apt-get install -qq --no-install-recommends "$@" >"$work/apt" 2>&1 ||
    { tail -n 30 "$work/apt"; return 1; }
}

for suite; do
  part "a new system: $suite" new_system "$roots/$suite" '' "$suite"
  part "the packages in $suite" try_in "$suite"
done
printf '1..%d\n' "$count"
exit "$failed"
