#!/usr/bin/env bash
# static.sh - one file that runs on any Linux of this kind of processor.
#
# usage: static.sh [--machine=x86_64|aarch64] FOLDER
#
# FOLDER gets bench-VERSION-linux-MACHINE.tar.xz and its checksum; what is built
# on the way stays in FOLDER/work, so that a second time takes a minute.  The
# libraries are in FOLDER/work/libs, or in the folder BENCH_STATIC_LIBS.  The
# program is tried in an otherwise empty root before it is packed; that of another
# machine by qemu.  From a checkout it takes GEN_DOCS (docs/building.md), too.
set -euo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"

here=$(cd "$(dirname "$0")/.." && pwd)
machine=$(uname -m)
if [[ ${1-} == --machine=* ]]; then
  machine=${1#*=}
  shift
fi
(($# == 1)) || { echo 'usage: static.sh [--machine=x86_64|aarch64] FOLDER' >&2; exit 1; }
[[ $here$(realpath -m -- "$1") != *[[:blank:]]* ]] ||
  { echo "static.sh: '$1' or '$here' has a blank, which flags of the compiler cannot have: choose another folder" >&2; exit 1; }
mkdir -p "$1/work/$machine"
out=$(cd "$1" && pwd)
all_libs=${BENCH_STATIC_LIBS:-$out/work/libs}

"$here/scripts/static-libs.sh" --machine="$machine" "$all_libs"
libs=$(cd "$all_libs/$machine" && pwd)
host=() strip=strip run=''
if [[ $machine != "$(uname -m)" ]]; then
  host=(--host="$machine-linux-musl" --build="$(gcc -dumpmachine)"
    "AR=$machine-linux-gnu-ar" "RANLIB=$machine-linux-gnu-ranlib" "NM=$machine-linux-gnu-nm"
    ${GEN_DOCS:+"GEN_DOCS=$GEN_DOCS"})
  strip=$machine-linux-gnu-strip
  run=$(command -v "qemu-$machine-static") ||
    { echo "static.sh: qemu-$machine-static was not found: install qemu-user-static" >&2; exit 1; }
fi
source=$("$here/scripts/clean-source.sh" "$here" "$out/work/source")
[[ -x $source/configure ]] || "$source/autogen.sh"
cd "$out/work/$machine"
CC=$libs/bin/musl-cc PKG_CONFIG=pkg-config PKG_CONFIG_LIBDIR=$libs/lib/pkgconfig PKG_CONFIG_PATH='' \
  "$source/configure" -q "${host[@]}" --enable-static-program --with-mysql --with-pgsql \
  --with-sqlite --with-liburing \
  CFLAGS="-O2 -g -ffile-prefix-map=$source=. -ffile-prefix-map=$out=." \
  CPPFLAGS="-I$libs/include" LDFLAGS="-L$libs/lib"
make -s -j"${JOBS:-$(getconf _NPROCESSORS_ONLN)}" bench pages \
  completions/{bench,_bench,bench.fish}

version=$(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' config.h)
name=bench-$version-linux-$machine
rm -rf "${out:?}/work/$name"
mkdir "$out/work/$name"
"$strip" -o "$out/work/$name/bench" bench
RUN=$run "$here/tests/static/check.sh" "$out/work/$name/bench"
# In a tarball the pages and completions are among the sources.
for page in "$source"/man/*.[1-8] man/*.[1-8]; do
  [[ ! -e $page ]] || cp "$page" "$out/work/$name/"
done
mkdir "$out/work/$name/completions"
for file in completions/{bench,_bench,bench.fish}; do
  [[ -e $file ]] || file=$source/$file
  cp "$file" "$out/work/$name/completions/"
done
cp "$here"/{COPYING,README.md,NEWS.md} "$libs/THIRD-PARTY" "$out/work/$name/"

# The same bytes from the same sources: no times, no names of users.
cd "$out"
tar --sort=name --owner=0 --group=0 --numeric-owner \
  --mode=u+w,go=rX --mtime="@${SOURCE_DATE_EPOCH:-0}" -C work -c "$name" | xz -9 >"$name.tar.xz"
sha256sum "$name.tar.xz" >"$name.tar.xz.sha256"
ls -l "$name.tar.xz"
