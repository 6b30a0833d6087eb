#!/usr/bin/env bash
# compilers.sh - bench and its unit tests built by a compiler that this system may not
# have, in a root with the release of Debian that has it.  Warnings are errors.  With
# -flto, bench alone: hundreds of programs would take too long.
#
# usage: compilers.sh COMPILER ROOTS [CONFIGURE ARGUMENT...]
#
# ROOTS gets a root for each release, with the libraries of bench, and the compilers
# that were asked for; they are there for the next time.  Ends with 77 where no root
# can be made, and says why.
set -euo pipefail

# What is mounted is seen only here, and gone with this process.
if ((EUID == 0)) && [[ -z ${BENCH_ROOTS_PRIVATE-} ]] && unshare --mount true; then
  BENCH_ROOTS_PRIVATE=yes exec unshare --mount "$0" "$@"
fi
src=$(cd "${BENCH_SRC:-$(dirname "$0")/../..}" && pwd)
(($# >= 2)) || { echo 'usage: compilers.sh COMPILER ROOTS [CONFIGURE ARGUMENT...]' >&2; exit 1; }
compiler=$1
mkdir -p "$2"
roots=$(cd "$2" && pwd)
shift 2

# The release that has it, and the packages beside the compiler's own.
packages=("$compiler")
case $compiler in
gcc-10) suite=bullseye ;;
gcc-1[12] | clang-1[3-6]) suite=bookworm ;;
gcc-1[34] | clang-1[7-9]) suite=trixie ;;
*) echo "compilers.sh: '$compiler' is none of gcc-10 to gcc-14 and clang-13 to clang-19" >&2; exit 1 ;;
esac
if [[ $compiler == clang-* ]]; then
  packages+=("lld-${compiler#*-}" "llvm-${compiler#*-}")
fi
root=$roots/$suite

[[ -n ${BENCH_ROOTS_PRIVATE-} ]] && command -v debootstrap >/dev/null ||
  { echo 'needs root, mount namespaces and debootstrap'; exit 77; }

# inside COMMAND...: in the root, with nothing of our environment.
inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C \
    chroot "$root" "$@"
}

# newer_liburing: in the root, in place of its own, from the source package of this
# system.  Its caller tests the result, so errors alone would not end it.
newer_liburing() {
  (
    # shellcheck source=/dev/null # it has variables of the same names
    . "$src/scripts/libs.sh"
    # shellcheck disable=SC2034 # libs.sh uses them
    top=$roots/sources release=''
    mkdir -p "$top/src"
    fetch liburing
  ) &&
    inside apt-get remove -q -y liburing-dev &&
    inside rm -rf /build/liburing && inside mkdir -p /build &&
    cp -a "$roots/sources/src/liburing" "$root/build/liburing" &&
    inside sh -c 'cd /build/liburing && ./configure --prefix=/usr/local --cc=gcc &&
      make -s -C src ENABLE_SHARED=0 && make -s -C src install ENABLE_SHARED=0 &&
      make -s liburing.pc && mkdir -p /usr/local/lib/pkgconfig &&
      cp liburing.pc /usr/local/lib/pkgconfig/ && rm -rf /build/liburing'
}

# The archive is the one that this system has its packages from.
if [[ ! -d $root ]]; then
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
    grep -v security | head -n 1)
  rm -rf --one-file-system "$root.new"
  debootstrap --variant=minbase "$suite" "$root.new" "$uri" >"$root.log" 2>&1 ||
    { tail -n 3 "$root.log"; echo "cannot make a root with $suite"; exit 77; }
  mv "$root.new" "$root"
fi
mkdir -p "$root/src"
mount --bind "$src" "$root/src"
mount -o remount,bind,ro "$root/src"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"

# One at a time: apt-get does not wait.
exec 9>"$root.lock"
flock 9
{
  [[ -e $root.libraries ]] || { inside bash /src/scripts/deps.sh build && touch "$root.libraries"; }
  inside sh -c "command -v $compiler" ||
    inside apt-get install -q -y --no-install-recommends "${packages[@]}"
  # That of Debian 11 is older than what bench needs, so it is that of this system.
  [[ $suite != bullseye || -e $root.liburing ]] || { newer_liburing && touch "$root.liburing"; }
} >"$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
flock -u 9

inside rm -rf "/build/$compiler"
inside mkdir -p "/build/$compiler"
# shellcheck disable=SC2016 # it is for the other shell
inside bash -c '
  set -e
  cd "/build/$1"
  compiler=$1 jobs=$2
  shift 2
  # What would be left out, the compiler would not see.
  /src/configure -q --enable-werror --with-mysql --with-pgsql --with-sqlite \
    --with-liburing CC="$compiler" "$@"
  makes() {
    make -s -k -j"$jobs" "$@" 2>said || { cat said; exit 1; }
    ! grep "warning:" said || exit 1
  }
  makes bench tools/gen_docs
  ./bench --verbosity=5 --version | grep -q "^file I/O modes:.* io_uring" ||
    { ./bench --verbosity=5 --version; echo "io_uring is not in it"; exit 1; }
  ./bench cpu --cpu-max-prime=10 --events=10 run
  case "$*" in
  *-flto*) ;;
  *) makes check TESTS= ;;
  esac' - \
  "$compiler" "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" "$@"
inside rm -rf "/build/$compiler"
