#!/usr/bin/env bash
# roots.sh - each file of a release, started in a new root.  Prints TAP.
#
# usage: roots.sh FOLDER [ROOT]
#
# FOLDER is that of scripts/release.sh.  The roots are systems that debootstrap makes:
# for the Debian package with the libraries that it depends on and nothing else of
# ours, for the RPM with rpm, too.  In a system that has nothing, the sources are built
# and installed with what deps.sh installs, and apt-get installs the Debian package and
# its tests need (debian/tests).  ROOT, ROOT.rpm and ROOT.plain keep these systems, so
# that they are made only once.  It has to be root, and needs Debian's archive.
# shellcheck disable=SC2317 # functions are called by part()
set -euo pipefail
shopt -s nullglob

# debootstrap mounts /proc and /sys: only here, and gone with this process.
if ((EUID == 0)) && [[ -z ${BENCH_ROOTS_PRIVATE-} ]] && unshare --mount true; then
  BENCH_ROOTS_PRIVATE=yes exec unshare --mount "$0" "$@"
fi
here=$(cd "$(dirname "$0")/../.." && pwd)
(($# == 1 || $# == 2)) || { echo 'usage: roots.sh FOLDER [ROOT]' >&2; exit 1; }
made=$(cd "$1" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-roots.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
base=${2:-$work/base}

# shellcheck source=tests/packages/common.sh
. "$here/tests/packages/common.sh"

# The libraries, as debootstrap wants to have them.
depends() {
  dpkg-deb -f "$1" Depends | tr ',' '\n' | sed -E 's/^ *([^ |(]+).*/\1/' | paste -sd,
}

# new_root BASE
new_root() {
  rm -rf --one-file-system "$work/root"
  cp -ax "$1" "$work/root"
  cp "$here/tests/packages/try.sh" "$work/root/tmp/"
  ! in_root "$work/root" sh -c 'command -v bench'
}

# dpkg refuses it where something that it depends on is missing.
try_deb() {
  new_root "$base"
  cp "$1" "$work/root/tmp/bench.deb"
  in_root "$work/root" dpkg -i /tmp/bench.deb
  mkdir -p "$work/root/tmp/src/tests/packages"
  cp "$here/debian/tests/installed" "$work/root/tmp/src/"
  cp "$here/tests/packages/try.sh" "$work/root/tmp/src/tests/packages/"
  in_root "$work/root" sh -c 'cd /tmp/src && ./installed'
  in_root "$work/root" dpkg --purge bench
  [[ ! -e $work/root/usr/share/bench && ! -e $work/root/usr/bin/bench ]]
}

# What a user does with the sources, from the packages to a first run; then nothing of
# it is left.
try_tarball() {
  local driver name root=$work/root
  new_root "$base.plain"
  tar -xf "$1" -C "$root/tmp"
  name=$(basename "$1" .tar.xz)
  # shellcheck disable=SC2016
  in_system "$root" sh -euc 'cd "/tmp/$0"
    scripts/deps.sh build
    ./configure
    make -j"$(getconf _NPROCESSORS_ONLN)"
    make install
    cd / && mv "/tmp/$0" /tmp/elsewhere' "$name" >"$work/built" || { tail -n 50 "$work/built"; return 1; }
  in_system "$root" /tmp/try.sh bench
  for driver in mysql pgsql sqlite null; do
    in_system "$root" bench --db-driver=help 2>&1 | grep "^  $driver - "
  done
  [[ -s $root/usr/local/share/man/man1/bench.1 && -s $root/usr/local/share/man/man7/bench-lua.7 ]]
  in_system "$root" make -s -C /tmp/elsewhere uninstall
  [[ -z $(find "$root/usr/local" -type f) ]]
}

# What autopkgtest does with debian/tests: each test as a user, in the folder of the
# sources, with the package and what the test depends on from apt-get.  A test that is
# not allowed to write to the standard error does not.
try_autopkgtest() {
  local tests depends restrictions test root=$work/root status packages
  new_root "$base.plain"
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # it starts no services
  chmod +x "$root/usr/sbin/policy-rc.d"
  cp "$made"/*.deb "$root/tmp/"
  packages=$(cd "$made" && printf '/tmp/%s ' *.deb)
  mkdir "$root/tmp/src"
  tar -xf "$2" -C "$root/tmp/src" --strip-components=1
  in_system "$root" useradd --create-home tester
  in_system "$root" chown -R tester: /tmp/src
  in_system "$root" apt-get -q update
  while IFS='|' read -r -u 3 tests depends restrictions; do
    # shellcheck disable=SC2086 # they are several words
    in_system "$root" apt-get install -qq --no-install-recommends ${depends//@/$packages} >"$work/apt" 2>&1 ||
      { tail -n 30 "$work/apt"; return 1; }
    for test in $tests; do
      echo "debian/tests/$test"
      status=0
      # shellcheck disable=SC2016
      in_system "$root" runuser -u tester -- sh -c 'cd /tmp/src && exec "debian/tests/$0"' "$test" 2>"$work/errors" || status=$?
      cat "$work/errors"
      ((status == 0)) || return 1
      [[ " $restrictions " == *' allow-stderr '* || ! -s $work/errors ]] ||
        { echo 'it writes to the standard error'; return 1; }
    done
  done 3< <(awk -v RS= -F '\n' '{
      split("", field)
      for (i = 1; i <= NF; i++) { n = index($i, ": "); field[substr($i, 1, n - 1)] = substr($i, n + 2) }
      gsub(",", "", field["Depends"]); gsub(",", "", field["Restrictions"])
      print field["Tests"] "|" field["Depends"] "|" field["Restrictions"]
    }' "$root/tmp/src/debian/tests/control")
}

# Packages of this system are unknown to rpm, so what the RPM requires is looked for
# by hand: programs and libraries.
try_rpm() {
  local name libraries root=$work/root
  local rpm=(in_root "$root" rpm --dbpath=/var/lib/rpm)
  new_root "$base.rpm"
  libraries=$(in_root "$root" ldconfig -p)
  while read -r name; do
    case $name in
    rpmlib* | *'('*'GLIBC'*) ;;
    /*) [[ -e $root$name ]] || { echo "$name is missing"; return 1; } ;;
    lib*.so* | ld-*) [[ $libraries == *"${name%%(*} "* ]] ||
      { echo "$name is missing"; return 1; } ;;
    esac
  done < <(rpm -qp --requires "$1")
  cp "$1" "$root/tmp/bench.rpm"
  "${rpm[@]}" -i --nodeps --ignorearch /tmp/bench.rpm
  "${rpm[@]}" -V --nodeps bench
  in_root "$root" /tmp/try.sh bench
  [[ $("${rpm[@]}" -q bench) == "$(rpm -qp "$1")" ]]
  "${rpm[@]}" -e --nodeps bench
  [[ ! -e $root/usr/share/bench && ! -e $root/usr/bin/bench ]]
}

# Its test makes a root that has nothing at all; qemu runs that of another machine.
try_static() {
  local machine=${1##*-linux-} run=''
  machine=${machine%.tar.xz}
  [[ $machine == "$(uname -m)" ]] || run=$(command -v "qemu-$machine-static") ||
    { echo "needs qemu-$machine-static"; exit 77; }
  rm -rf "$work/static"
  mkdir "$work/static"
  tar -xf "$1" -C "$work/static" --strip-components=1
  RUN=$run "$here/tests/static/check.sh" "$work/static/bench"
}

if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
  echo '1..0 # SKIP needs root, and debootstrap'
  exit 0
fi
debs=("$made"/bench_*.deb) rpms=("$made"/bench-*.rpm)
statics=("$made"/bench-*-linux-*.tar.xz)
sources=$(sources_of "$made")
part 'a new system with nothing' new_system "$base.plain"
part "${sources##*/}: built and installed" try_tarball "$sources"
if ((${#debs[@]})); then
  part 'a new system' new_system "$base" "$(depends "${debs[0]}")"
  part 'a new system with rpm' new_system "$base.rpm" "$(depends "${debs[0]}"),rpm"
fi
for file in "${debs[@]}"; do
  part "${file##*/}" try_deb "$file"
  part "${file##*/}: the tests of debian/tests" try_autopkgtest "$file" "$sources"
done
for file in "${rpms[@]}"; do part "${file##*/}" try_rpm "$file"; done
for file in "${statics[@]}"; do part "${file##*/}" try_static "$file"; done
[[ ! -e $made/APKBUILD ]] || part APKBUILD "$here/tests/packages/alpine.sh" "$made"
((${#debs[@]} && ${#rpms[@]} && ${#statics[@]})) ||
  part 'there are a Debian package, an RPM and a static program' false
printf '1..%d\n' "$count"
exit "$failed"
