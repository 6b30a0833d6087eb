#!/usr/bin/env bash
# analyze.sh - static analysis of src: clang-tidy, cppcheck, gcc -fanalyzer.
#
#   scripts/analyze.sh [tidy] [cppcheck] [gcc]     (default: all three)
#
# Needs a configured build folder (BUILD=build).  FILES limits it to some files.
# Ends with status 1 if one of them has something to say.  What a line is
# allowed to do is said on that line (NOLINT, cppcheck-suppress), with a reason.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
[ -f "$build/config.h" ] || {
  echo "analyze.sh: no $build/config.h: run configure in $build first" >&2
  exit 2
}

# A value of the generated makefile.
made() {
  sed -n "s/^$1 = //p" "$build/Makefile" | head -1
}
read -ra libs <<<"$(made LUAJIT_CFLAGS) $(made CK_CFLAGS) $(made JANSSON_CFLAGS) \
  $(made ZLIB_CFLAGS) $(made MYSQL_CFLAGS) $(made PGSQL_CFLAGS) $(made SQLITE_CFLAGS)"
flags=(-std=gnu11 '-DBENCH_DATADIR=""' '-DBENCH_LIBDIR=""' -Isrc "-I$build/src" "-I$build" -include "$build/config.h" "${libs[@]}")
# mpi.c is built with another compiler, where there is one.
files=${FILES:-$(find src -name '*.c' ! -path src/cluster/mpi.c | sort)}
jobs=${JOBS:-$(nproc)}
status=0

missing() {
  echo "analyze.sh: $1 is not installed: not run" >&2
  status=1
}

tidy() {
  command -v clang-tidy >/dev/null || { missing clang-tidy; return; }
  echo "== clang-tidy"
  # shellcheck disable=SC2086  # a list of files
  printf '%s\n' $files |
    nice xargs -P "$jobs" -I{} clang-tidy --quiet {} -- "${flags[@]}" 2>/dev/null |
    grep . && status=1
}

cpp_check() {
  command -v cppcheck >/dev/null || { missing cppcheck; return; }
  echo "== cppcheck"
  # shellcheck disable=SC2086
  nice cppcheck --quiet --std=c11 --enable=warning,performance,portability \
    --inline-suppr --suppressions-list=scripts/cppcheck.supp --error-exitcode=1 \
    -j "$jobs" -Isrc -DHAVE_CONFIG_H --include="$build/config.h" \
    --template='{file}:{line}: {id}: {message}' $files || status=1
}

analyzer() {
  command -v gcc >/dev/null || { missing gcc; return; }
  echo "== gcc -fanalyzer"
  # shellcheck disable=SC2086
  printf '%s\n' $files |
    nice xargs -P "$jobs" -n 1 gcc "${flags[@]}" -O1 -w -fanalyzer -fdiagnostics-plain-output -c -o /dev/null 2>&1 |
    grep . && status=1
}

[ $# -gt 0 ] || set -- tidy cppcheck gcc
for what; do
  case $what in
  tidy) tidy ;;
  cppcheck) cpp_check ;;
  gcc) analyzer ;;
  *)
    echo "usage: scripts/analyze.sh [tidy] [cppcheck] [gcc]" >&2
    exit 2
    ;;
  esac
done
exit $status
