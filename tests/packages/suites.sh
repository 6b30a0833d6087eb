#!/usr/bin/env bash
# suites.sh - the Debian packages of one machine, installed by apt-get in small systems of
# other releases, and tried there.  Prints TAP.
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
debs=("$made"/bench_*.deb)
((${#debs[@]} == 1)) || { echo "suites.sh: there is no bench_*.deb in $made, or several" >&2; exit 1; }

# shellcheck source=tests/packages/common.sh
. "$here/tests/packages/common.sh"

# try_in SUITE: a user's first steps, from apt-get to a report.
try_in() {
  local root=$work/root driver
  rm -rf --one-file-system "$root"
  cp -ax "$roots/$1" "$root"
  cp "${debs[0]}" "$here/tests/packages/try.sh" "$root/tmp/"
  in_system "$root" apt-get -q update
  in_system "$root" apt-get install -qq --no-install-recommends "/tmp/${debs[0]##*/}" >"$work/apt" 2>&1 ||
    { tail -n 30 "$work/apt"; return 1; }
  in_system "$root" /tmp/try.sh bench
  for driver in mysql pgsql sqlite null; do
    in_system "$root" bench --db-driver=help 2>&1 | grep "^  $driver - "
  done
}

for suite; do
  part "a new system: $suite" new_system "$roots/$suite" '' "$suite"
  part "${debs[0]##*/} in $suite" try_in "$suite"
done
printf '1..%d\n' "$count"
exit "$failed"
