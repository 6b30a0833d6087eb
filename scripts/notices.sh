#!/usr/bin/env bash
# notices.sh - prints the notices of the libraries that a static program contains:
# their copyrights, and the texts of their licences.
#
# usage: notices.sh x86_64|aarch64 FOLDER LIBRARY...
#
# FOLDER is that of static-libs.sh, with the sources of each LIBRARY.  musl and the
# compiler's own library are added; they come from installed packages, but musl for
# another machine is among the sources.  A notice that is missing is an error.
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"
export LC_ALL=C

(($# > 2)) || { echo 'usage: notices.sh x86_64|aarch64 FOLDER LIBRARY...' >&2; exit 1; }
machine=$1 folder=$2
shift 2
common=/usr/share/common-licenses

# lacks LIBRARY WHY
lacks() {
  echo "notices.sh: the notice of $1 is missing: $2" >&2
  exit 1
}

# notice LIBRARY VERSION FILE
notice() {
  [[ -s $3 ]] || lacks "$1" "there is no $3"
  [[ -n $2 ]] || lacks "$1" 'its version is not known'
  printf '\n==== library %s %s\n\n' "$1" "$2"
  cat -- "$3"
}

# of_source LIBRARY: from its source package.  A source of another release of Debian
# (fetch_newer in libs.sh) has the file of its authors alone.
of_source() {
  local src=$folder/src/$1 file version
  file=$src/debian/copyright
  if [[ -s $src/release ]]; then
    version=$(<"$src/release")
    file=$src/COPYRIGHT
  fi
  [[ -s $file ]] ||
    lacks "$1" "there is no $file; remove $src and $folder/*/done/$1, so that it is fetched and built again"
  [[ -s $src/release ]] || version=$(dpkg-parsechangelog -l "$src/debian/changelog" -S Version)
  notice "$1" "$version" "$file"
}

# of_package LIBRARY PACKAGE VERSION: from an installed package.  Small images keep
# no links in that folder: of gcc only the package gcc-VERSION-base has a file then.
of_package() {
  local file=/usr/share/doc/${2%%:*}/copyright
  [[ -e $file ]] || file=/usr/share/doc/$1-base/copyright
  [[ -e $file ]] || file=/usr/share/doc/${2%%:*}/copyright
  notice "$1" "$3" "$file"
}

# shellcheck disable=SC2016 # dpkg-query replaces it
of_musl() {
  local version
  version=$(dpkg-query -W -f='${source:Version}' musl-dev) ||
    lacks musl 'the package musl-dev is not installed'
  of_package musl musl-dev "$version"
}

# A compiler for another machine is built from the same source as gcc: its packages
# say so in their names and versions.
# shellcheck disable=SC2016 # dpkg-query replaces it
of_gcc() {
  local compiler=gcc file package name version
  [[ $machine == "$(uname -m)" ]] || compiler=$machine-linux-gnu-gcc
  file=$(realpath -- "$("$compiler" -print-libgcc-file-name)")
  package=$(dpkg -S "$file") || lacks gcc "no package has $file"
  package=${package%%: *}
  read -r name version < <(dpkg-query -W -f='${source:Package} ${Version}\n' "$package")
  of_package "${name%-cross*}" "$package" "${version%cross*}"
}

# texts FILE: the licences that the notices name instead of quoting them, and
# the one of the program as a whole.
texts() {
  local name
  { grep -oE "$common/[A-Za-z0-9.+-]*[A-Za-z0-9]" "$1" | sed 's|.*/||' && echo GPL-3; } | sort -u |
    while read -r name; do
      [[ -s $common/$name ]] || lacks "the licence $name" "there is no $common/$name"
      basename "$(realpath -- "$common/$name")"
    done | sort -u | while read -r name; do
    printf '\n==== licence %s\n\n' "$name"
    cat "$common/$name"
  done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  cat <<'TEXT'
The source of bench is under the GNU General Public License, version 2 or later:
see COPYING.  This program also contains the libraries below, each under its own
licence.  The Apache License of OpenSSL goes together with version 3 of the GNU
General Public License only, so the program as a whole is under version 3 or later.

First come the libraries.  A notice may describe parts of a source package that are
not in the program.  The licences that the notices find in /usr/share/common-licenses
follow at the end; GPL there means GPL-3, and LGPL means LGPL-3.
TEXT
  of_gcc
  for library in $(printf '%s\n' musl "$@" | sort -u); do
    if [[ $library == musl && $machine == "$(uname -m)" ]]; then
      of_musl
    else
      of_source "$library"
    fi
  done
} >"$work/libraries"
texts "$work/libraries" >"$work/licences"
cat "$work/libraries" "$work/licences"
