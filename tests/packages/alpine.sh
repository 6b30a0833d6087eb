#!/usr/bin/env bash
# alpine.sh - the steps of the APKBUILD, with Debian's musl in the place of Alpine:
# what it builds passes its check, and is installed where its subpackages expect it.
#
# usage: alpine.sh FOLDER
#
# FOLDER is that of scripts/release.sh.  Functions are called as abuild does it: in the
# unpacked tarball, by a POSIX shell, after the checksums of all sources.  Libraries are
# the static ones of static-libs.sh; the program is not static, so its loader is musl's.
set -euo pipefail

here=$(cd "$(dirname "$0")/../.." && pwd)
(($# == 1)) || { echo 'usage: alpine.sh FOLDER' >&2; exit 1; }
made=$(cd "$1" && pwd)
libs=${BENCH_STATIC_LIBS:-$made/work/libs}
prefix=$libs/$(uname -m)
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-alpine.XXXXXX")
trap 'rm -rf "$work"' EXIT

command -v musl-gcc >/dev/null || { echo 'needs musl-gcc'; exit 77; }
"$here/scripts/static-libs.sh" "$libs"

# has NAME: a variable of the APKBUILD.
has() {
  # shellcheck disable=SC2016 # it is for the other shell
  sh -c '. "$1/APKBUILD"; eval "printf %s \"\$$2\""' - "$made" "$1"
}

# Each source has a checksum, in the same order.
names=$(has source | tr -s '[:space:]' '\n' | sed -n 's/::.*//; s|.*/||; /./p')
diff <(echo "$names") <(has sha512sums | sed -n 's/^[0-9a-f]\{128\}  //p') ||
  { echo 'APKBUILD: the names in sha512sums are not those of its sources'; exit 1; }
mkdir "$work"/{src,pkg,ck}
cp "$made/bench-$(has pkgver).tar.xz" "$work/src/"

# Of ConcurrencyKit, its tarball in Debian; apt-get compares it with the checksum that
# Debian has signed.
ck=$(has _ck)
fetch_ck() (
  # shellcheck source=scripts/libs.sh
  . "$here/scripts/libs.sh"
  folders "$libs" "$(uname -m)"
  # shellcheck disable=SC2034 # libs.sh uses it
  release=trixie
  update
  version=$(apt apt-cache showsrc --only-source ck | sed -n "s/^Version: \($ck-.*\)/\1/p" | sort -rV | head -n 1)
  [[ -n $version ]] || exit 1
  cd "$work/ck"
  apt apt-get source --download-only --tar-only --only-source "ck=$version"
)
if fetch_ck; then
  mv "$work/ck/ck_$ck.orig.tar.xz" "$work/src/ck-$ck.tar.xz"
  (cd "$work/src" && has sha512sums | grep . | sha512sum --strict -c)
  [[ $(has source) == *"/$(sha1sum <"$work/src/ck-$ck.tar.xz" | cut -d' ' -f1)"* ]] ||
    { echo "APKBUILD: the address of ck-$ck.tar.xz is that of other bytes"; exit 1; }
else
  echo "the archive has no ck $ck: that of the libraries takes its place, without a checksum"
  tar -cJf "$work/src/ck-$ck.tar.xz" --transform="s,^ck,ck-$ck," -C "$libs/src" ck
  (cd "$work/src" && has sha512sums | grep ' bench-' | sha512sum --strict -c)
fi
tar -xf "$work/src/bench-$(has pkgver).tar.xz" -C "$work/src"

host=$(uname -m)-alpine-linux-musl
# shellcheck disable=SC2016,SC2031 # libs.sh is in a subshell
env -i PATH="$prefix/bin:$PATH" HOME="$work" TMPDIR="$work" CC=musl-cc CFLAGS=-O2 \
  CPPFLAGS="-I$prefix/include" LDFLAGS="-L$prefix/lib" PKG_CONFIG=pkg-config \
  PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig" MAKEFLAGS="-j$(getconf _NPROCESSORS_ONLN)" \
  CBUILD="$host" CHOST="$host" srcdir="$work/src" pkgdir="$work/pkg" \
  sh -euc '. "$1/APKBUILD"; cd "$srcdir/$pkgname-$pkgver"; build; check; package' - "$made"

cd "$work/pkg/usr"
readelf -lW bin/bench | grep -q 'interpreter: /lib/ld-musl-' || { echo 'its loader is not that of musl'; exit 1; }
"$here/tests/packages/try.sh" "$PWD/bin/bench"
for file in share/man/man1/bench.1 share/bash-completion/completions/bench \
  share/fish/vendor_completions.d/bench.fish share/zsh/site-functions/_bench; do
  [[ -s $file ]] || { echo "/usr/$file is missing"; exit 1; }
done
