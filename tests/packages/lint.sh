#!/usr/bin/env bash
# lint.sh - what the checkers of Debian and of RPM say about the packages of a release:
# no error and no warning of lintian, also about the source package, and no error of
# rpmlint.  Prints TAP.
#
# usage: lint.sh FOLDER
#
# FOLDER is that of scripts/release.sh.  What is no fault is in
# debian/source/lintian-overrides and packaging/rpm/bench.rpmlintrc, with the reason.
# shellcheck disable=SC2317 # functions are called by part()
set -euo pipefail
shopt -s nullglob
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "$0")/../.." && pwd)
(($# == 1)) || { echo 'usage: lint.sh FOLDER' >&2; exit 1; }
made=$(cd "$1" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-lint.XXXXXX")
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/packages/common.sh
. "$here/tests/packages/common.sh"

# needs PROGRAM
needs() {
  command -v "$1" >/dev/null || { echo "needs $1"; exit 77; }
}

# debian_says FILE...
debian_says() {
  needs lintian
  lintian --fail-on error,warning "$@"
}

# The tarball of a release is made a source package, as a developer of Debian does it.
try_source() {
  needs dpkg-buildpackage
  needs lintian
  mkdir "$work/source"
  tar -xf "$1" -C "$work/source"
  (cd "$work"/source/bench-* && dpkg-buildpackage -us -uc -S -d -nc)
  debian_says "$work"/source/*_source.changes
}

try_rpm() {
  needs rpmlint
  rpmlint --rpmlintrc "$here/packaging/rpm/bench.rpmlintrc" "$1"
}

sources=$(sources_of "$made")
part "lintian: the source package of ${sources##*/}" try_source "$sources"
for file in "$made"/*.deb; do part "lintian: ${file##*/}" debian_says "$file"; done
for file in "$made"/*.rpm; do part "rpmlint: ${file##*/}" try_rpm "$file"; done
printf '1..%d\n' "$count"
exit "$failed"
