#!/usr/bin/env bash
# join-releases.sh - one release from those that several machines have made.
#
# usage: join-releases.sh FOLDER RELEASE...
#
# RELEASE is a folder of scripts/release.sh, which has made the static program of its
# machine alone.  FOLDER gets the files of all, and SHA256SUMS.  A document of what
# files contain is about those of one machine, so its name there is
# bench-VERSION-MACHINE.spdx.json.  Nothing is joined unless every file is the one
# that SHA256SUMS and the document of its release name, and files of the same name,
# such as the sources, are the same.
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"
shopt -s nullglob
export LC_ALL=C

here=$(cd "$(dirname "$0")/.." && pwd)
(($# > 1)) || { echo 'usage: join-releases.sh FOLDER RELEASE...' >&2; exit 1; }

die() {
  printf 'join-releases.sh: %s\n' "$*" >&2
  exit 1
}

# check FOLDER: its files are those of its SHA256SUMS, and no more.
check() {
  (
    cd "$1"
    sha256sum --quiet --strict -c SHA256SUMS >&2 &&
      diff <(cut -c67- SHA256SUMS | sort) \
        <(find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | sort) >&2
  ) || die "$1: SHA256SUMS and the files differ"
  python3 "$here/scripts/sbom.py" --check "$1"/*.spdx.json
}

mkdir -p "$1"
out=$(cd "$1" && pwd)
[[ -z $(ls -A "$out") ]] || die "$1 is not empty"
shift
for release; do
  documents=("$release"/*.spdx.json) programs=("$release"/*-linux-*.tar.xz)
  ((${#documents[@]} == 1)) || die "$release: there is not one *.spdx.json"
  ((${#programs[@]} == 1)) || die "$release: there is not one static program, that of its machine"
  check "$release"
  machine=${programs[0]##*-linux-}
  machine=${machine%.tar.xz}
  while read -r _ name; do
    [[ $name != *.spdx.json ]] || continue
    [[ ! -e $out/$name ]] || cmp -- "$release/$name" "$out/$name" >&2 || die "$name differs between releases"
    cp -p -- "$release/$name" "$out/$name"
  done <"$release/SHA256SUMS"
  name=${documents[0]##*/}
  name=${name%.spdx.json}-$machine.spdx.json
  [[ ! -e $out/$name ]] || die "two releases are of $machine"
  cp -p -- "${documents[0]}" "$out/$name"
done
(cd "$out" && sha256sum -- * >.sums && mv .sums SHA256SUMS)
check "$out"
cat "$out/SHA256SUMS"
