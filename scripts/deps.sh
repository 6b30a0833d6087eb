#!/usr/bin/env bash
# deps.sh - the packages that building and testing need, and their installation.
#
# usage: deps.sh [build] [test] [mpi] [bench] [browser] [static] [cross] [release] [builds]
#                                                 install what is missing
#        deps.sh --list [SET]...   only say what is missing
# `mpi` is for runs on several client machines, and `bench` for tests/bench: the
# programs that bench is compared with.  `browser` is for tests that look at pages
# in a real browser; they are skipped without it.  `static` is for the static
# program (scripts/static.sh), `cross` for that of aarch64 on x86-64, `release` for
# scripts/release.sh and its test, and `builds` for `make check-builds` but for macOS
# and FreeBSD, whose compiler is zig (pip install ziglang); these on Debian and
# Ubuntu.  All else works without.
# `a|b` means: any of these will do, and a is the one to install.
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"

# shellcheck disable=SC2034 # all are read through ${!list}
{
apt_build='gcc libc6-dev make autoconf automake libtool pkg-config|pkgconf
  libluajit-5.1-dev libck-dev libjansson-dev zlib1g-dev
  libmariadb-dev|default-libmysqlclient-dev|libmysqlclient-dev
  libpq-dev libsqlite3-dev libssl-dev liburing-dev'
apt_mpi='libopenmpi-dev|libmpich-dev openmpi-bin|mpich openssh-client'
apt_test='bats mariadb-server mariadb-client postgresql pgbouncer openssl procps strace
  luajit python3-jsonschema
  util-linux groff-base mandoc zsh fish'
apt_static='musl-tools dpkg-dev cmake perl tcl linux-libc-dev util-linux xz-utils binutils'
apt_cross='gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static'
# On a machine of another kind, that program is not made.
apt_release="$apt_static libopenmpi-dev libmpich-dev debhelper debootstrap lintian rpm rpmlint python3 git"
apt_builds="$apt_static debootstrap clang"
[[ $(uname -m) != x86_64 ]] || {
  apt_release+=" $apt_cross"
  apt_builds+=" $apt_cross qemu-user gcc-s390x-linux-gnu libc6-dev-s390x-cross"
}
apt_browser='chromium python3'
apt_bench='sysbench fio stress-ng mbw openssl lz4 valgrind pgbouncer python3'

dnf_build='gcc glibc-devel make autoconf automake libtool
  pkgconf-pkg-config luajit-devel ck-devel jansson-devel zlib-devel
  mariadb-connector-c-devel|community-mysql-devel
  libpq-devel|postgresql-private-devel sqlite-devel openssl-devel liburing-devel'
dnf_mpi='openmpi-devel|mpich-devel openmpi|mpich openssh-clients'
dnf_test='bats mariadb-server mariadb postgresql-server postgresql pgbouncer openssl strace
  luajit python3-jsonschema
  procps-ng util-linux groff-base zsh fish'
dnf_browser='chromium python3'
dnf_bench='sysbench fio stress-ng openssl lz4 valgrind pgbouncer python3'

brew_build='autoconf automake libtool pkgconf|pkg-config luajit
  concurrencykit jansson zlib mariadb-connector-c|mysql-client libpq openssl@3 sqlite'
brew_mpi='open-mpi|mpich'
brew_test='bats-core mariadb postgresql@15 pgbouncer openssl@3'
brew_browser='chromium python@3'
brew_bench='sysbench fio stress-ng openssl@3 lz4 pgbouncer python@3'
}

die() {
  printf 'deps.sh: %s\n' "$*" >&2
  exit 1
}

find_manager() {
  local name
  for name in apt-get dnf brew; do
    if command -v "$name" >/dev/null; then
      printf '%s\n' "${name%-get}"
      return
    fi
  done
  die "neither apt-get, dnf nor brew is here; the lists in this script say what is needed"
}

is_installed() {
  case $manager in
    apt)
      [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
      ;;
    dnf) rpm -q --quiet --whatprovides "$1" 2>/dev/null ;;
    brew) [[ -n $(brew list --versions "$1" 2>/dev/null) ]] ;;
  esac
}

# The packages of the wanted sets that are missing.
missing() {
  local set list item name names found
  for set; do
    list=${manager}_$set
    for item in ${!list}; do
      found=no
      IFS='|' read -ra names <<<"$item"
      for name in "${names[@]}"; do
        if is_installed "$name"; then
          found=yes
          break
        fi
      done
      [[ $found == yes ]] || printf '%s\n' "${names[0]}"
    done
  done
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "not root and no sudo; install these: ${need[*]}"
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y \
    --no-install-recommends "$@"
}

install_all() {
  case $manager in
    apt) # the lists of a fresh system are empty, those of an old one outdated
      apt_install "$@" || {
        as_root apt-get update
        apt_install "$@"
      }
      ;;
    dnf) as_root dnf install -y "$@" ;;
    brew) brew install "$@" ;;
  esac
}

list_only=no
if [[ ${1-} == --list ]]; then
  list_only=yes
  shift
fi
(($# > 0)) || set -- build
for set; do
  [[ $set == build || $set == test || $set == mpi || $set == bench ||
    $set == browser || $set == static || $set == cross || $set == release ||
    $set == builds ]] ||
    die "'$set' is none of build, test, mpi, bench, browser, static, cross, release and builds"
done

manager=$(find_manager)
for set; do
  list=${manager}_$set
  [[ -n ${!list-} ]] || die "the set '$set' is there for Debian and Ubuntu only"
done
need=()
while read -r name; do
  need+=("$name")
done < <(missing "$@")
if ((${#need[@]} == 0)); then
  exit 0
fi
if [[ $list_only == yes ]]; then
  printf '%s\n' "${need[@]}"
else
  printf 'deps.sh: installing %s\n' "${need[*]}" >&2
  install_all "${need[@]}" >&2
fi
