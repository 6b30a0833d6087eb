#!/usr/bin/env bash
# release.sh - all files of a release that one machine can make.
#
# usage: release.sh FOLDER [PART...]
#
# PART is tarball, deb, rpm, static, static-MACHINE or none of these for all; static
# is the program of this machine, and on x86-64 that of aarch64, too.  FOLDER gets
#   bench-VERSION.tar.xz                    the sources
#   bench_VERSION_ARCH.deb, and bench-openmpi and bench-mpich, its plug-ins
#   bench-VERSION-1.ARCH.rpm
#   bench-VERSION-linux-MACHINE.tar.xz      the static programs
#   bench.rb, APKBUILD                      with the checksum of the sources
#   bench-VERSION.spdx.json                 what the files contain
#   SHA256SUMS
# Everything but the tarball is built from the tarball, as users would.  What
# cannot be made here is said in one line each.  The same sources, on a machine
# with the same compilers and libraries, give the same bytes; the time in them is
# SOURCE_DATE_EPOCH, or that of debian/changelog.  `deps.sh build release`
# installs what is needed.  What a part was built from is removed, unless it has
# failed; FOLDER/work keeps the logs, and the libraries of the static program
# (BENCH_STATIC_LIBS is another folder for these).  Tests are not run: `make check` comes before.
# shellcheck disable=SC2317 # functions of parts are called by name
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"
shopt -s nullglob
umask 022
export LC_ALL=C TZ=UTC

here=$(cd "$(dirname "$0")/.." && pwd)
(($# > 0)) || { echo 'usage: release.sh FOLDER [PART...]' >&2; exit 1; }
# Folders in FOLDER/work are removed, so it must be one that this script has made.
if [[ -e $1/work && ! -e $1/work/.made-by-release.sh ]]; then
  echo "release.sh: $1/work is there, and was not made by this script: remove it, or choose another folder" >&2
  exit 1
fi
mkdir -p "$1/work"
out=$(cd "$1" && pwd)
work=$out/work
: >"$work/.made-by-release.sh"
shift
(($# > 0)) || set -- tarball deb rpm static
machines=("$(uname -m)")
[[ ${machines[0]} != x86_64 ]] || machines+=(aarch64)
parts=()
for part; do
  if [[ $part == static ]]; then
    parts+=("${machines[@]/#/static-}")
  else
    parts+=("$part")
  fi
done
set -- "${parts[@]}"
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
version=$(sed -n 's/^AC_INIT(\[bench\], \[\([^]]*\)\].*/\1/p' "$here/configure.ac")
name=bench-$version
unset MAKEFLAGS MFLAGS MAKELEVEL

say() {
  printf 'release.sh: %s\n' "$*" >&2
}

# lacks WHAT PROGRAM PACKAGE: one of the programs is missing; says so.
lacks() {
  command -v "$2" >/dev/null && return 1
  say "no $1: $2 was not found; install $3"
}

# logged NAME COMMAND...: its output is in work/NAME.log, and shown if it fails.
logged() {
  local log=$work/$1.log
  shift
  "$@" >"$log" 2>&1 </dev/null || {
    tail -n 30 "$log" >&2
    say "failed: see $log"
    return 1
  }
}

if [[ -z ${SOURCE_DATE_EPOCH-} ]]; then
  SOURCE_DATE_EPOCH=$(date -d "$(sed -n '/^ -- /{s/.*>  //p;q}' "$here/debian/changelog")" +%s)
fi
export SOURCE_DATE_EPOCH

# The page and the completions say what options all drivers have, so all drivers
# are in this build.
make_tarball() {
  local source
  source=$("$here/scripts/clean-source.sh" "$here" "$work/source")
  rm -rf "${work:?}/dist"
  mkdir "$work/dist"
  cd "$work/dist"
  "$source/configure" -q --without-mpi --with-mysql --with-pgsql --with-sqlite \
    --with-liburing CFLAGS=-O0
  # shellcheck disable=SC2016 # make replaces it
  make -s -j"$jobs" dist am__tar='tar --format=ustar --sort=name --owner=0 --group=0 \
    --numeric-owner --mode=u+w,go=rX --mtime=@$(SOURCE_DATE_EPOCH) -cf - "$$tardir"' \
    SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH"
  mv "$name.tar.xz" "$out/"
}

# fresh FOLDER: the tarball, unpacked there.
fresh() {
  rm -rf "${work:?}/$1"
  mkdir "$work/$1"
  tar -xf "$out/$name.tar.xz" -C "$work/$1"
}

make_deb() {
  fresh deb
  cd "$work/deb/$name"
  DEB_BUILD_OPTIONS="nocheck parallel=$jobs" DEB_BUILD_PROFILES=nocheck \
    dpkg-buildpackage -us -uc -b
  cp ../bench{,-openmpi,-mpich}_"$version"_*.deb "$out/"
}

# This machine's libraries need not be packages that rpm knows.
make_rpm() {
  rm -rf "${work:?}/rpm"
  rpmbuild -tb --nodeps --define "_topdir $work/rpm" --define 'dist %{nil}' \
    --define 'debug_package %{nil}' --define "_smp_mflags -j$jobs" \
    --define '_buildhost release' --define 'use_source_date_epoch_as_buildtime 1' \
    --define 'clamp_mtime_to_source_date_epoch 1' \
    --define 'source_date_epoch_from_changelog 0' "$out/$name.tar.xz"
  cp "$work"/rpm/RPMS/*/"$name"-*.rpm "$out/"
}

# static_of MACHINE
static_of() {
  fresh "static-$1"
  BENCH_STATIC_LIBS=${BENCH_STATIC_LIBS:-$work/libs} \
    "$work/static-$1/$name/scripts/static.sh" --machine="$1" "$work/static-$1"
  cp "$work/static-$1/$name"-linux-*.tar.xz "$out/"
}

# A formula and an APKBUILD name the tarball by its checksum.
make_recipes() {
  fresh recipes
  local sums
  sums="s/@SHA256@/$(sha256sum <"$out/$name.tar.xz" | cut -d' ' -f1)/
    s/@SHA512@/$(sha512sum <"$out/$name.tar.xz" | cut -d' ' -f1)/"
  sed "$sums" "$work/recipes/$name/packaging/homebrew/bench.rb" >"$out/bench.rb"
  sed "$sums" "$work/recipes/$name/packaging/alpine/APKBUILD" >"$out/APKBUILD"
}

if [[ ! -x $here/configure ]]; then
  logged autogen "$here/autogen.sh"
fi
if git -C "$here" rev-parse >/dev/null 2>&1 &&
  [[ -n $(git -C "$here" status --porcelain) ]]; then
  say 'the sources have changes that are not committed'
fi
failed=0
for part; do
  case $part in
  tarball) ;;
  deb) lacks 'Debian package' dpkg-buildpackage dpkg-dev && continue
    lacks 'Debian package' dh debhelper && continue ;;
  rpm) lacks RPM rpmbuild rpm && continue ;;
  static-"$(uname -m)") lacks 'static program' musl-gcc musl-tools && continue ;;
  static-aarch64) lacks "static program of aarch64" aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu && continue
    lacks "static program of aarch64" qemu-aarch64-static qemu-user-static && continue ;;
  *) say "'$part' is none of tarball, deb, rpm, static, static-x86_64 and static-aarch64"; exit 1 ;;
  esac
  say "making: $part"
  # A subshell of its own: each part has a current folder.
  make="make_$part"
  [[ $part != static-* ]] || make="static_of ${part#*-}"
  if ! logged "$part" bash -c "set -euo pipefail; $(declare -p out work name version jobs here); $(declare -f fresh "${make%% *}"); $make"; then
    failed=1
    [[ $part != tarball ]] || exit 1
    continue
  fi
  rm -rf "${work:?}/$part" "$work/dist"
done
[[ -e $out/$name.tar.xz ]] || { say "there is no $out/$name.tar.xz"; exit 1; }
make_recipes
for machine in x86_64 aarch64; do
  [[ -e $out/$name-linux-$machine.tar.xz ]] || say "there is no static program of $machine"
done

cd "$out"
files=("$name.tar.xz" bench{,-openmpi,-mpich}_"$version"_*.deb "$name"-*.rpm "$name"-linux-*.tar.xz)
python3 "$here/scripts/sbom.py" "$name" "${BENCH_STATIC_LIBS:-$work/libs}" "${files[@]}" >"$name.spdx.json.new"
mv "$name.spdx.json.new" "$name.spdx.json"
sha256sum -- "${files[@]}" APKBUILD bench.rb "$name.spdx.json" >SHA256SUMS
cat SHA256SUMS
exit "$failed"
