#!/usr/bin/env bash
# analyze.sh - static analysis of src: clang-tidy, cppcheck, gcc -fanalyzer.
#
#   scripts/analyze.sh [tidy] [cppcheck] [gcc]     (default: all three)
#
# Needs a configured build folder (BUILD=build).  FILES limits it to some files.
# Ends with status 1 if one of them has something to say.  What a line is
# allowed to do is said on that line (NOLINT, cppcheck-suppress), with a reason;
# for gcc, which has no such comments, in analyzer.supp.
set -uo pipefail
# shellcheck source=scripts/help.bash
. "$(dirname "$0")/help.bash"
cd "$(dirname "$0")/.." || exit
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
files=${FILES:-$(find src -name '*.c' ! -path src/nodes/mpi.c | sort)}
jobs=${JOBS:-$(nproc)}
status=0

missing() {
  echo "analyze.sh: $1 is not installed: not run" >&2
  status=1
}

tidy() {
  command -v clang-tidy >/dev/null || { missing clang-tidy; return; }
  echo "== clang-tidy"
  local said
  # shellcheck disable=SC2086  # a list of files
  said=$(printf '%s\n' $files |
    nice xargs -P "$jobs" -I{} clang-tidy --quiet {} -- "${flags[@]}" 2>/dev/null) ||
    status=1
  [ -z "$said" ] || { printf '%s\n' "$said"; status=1; }
}

cpp_check() {
  command -v cppcheck >/dev/null || { missing cppcheck; return; }
  echo "== cppcheck"
  # One job: with more, what goes from file to file is not looked at.
  # shellcheck disable=SC2086
  nice cppcheck --quiet --std=c11 --enable=warning,performance,portability \
    --inline-suppr --suppressions-list=scripts/cppcheck.supp --error-exitcode=1 \
    -Isrc -DHAVE_CONFIG_H --include="$build/config.h" \
    --template='{file}:{line}: {id}: {message}' $files || status=1
}

# Findings that are not in the list, with their notes; then what the list has
# too much of, if all files were looked at.
judge() {
  awk -v all="$1" '
    NR == FNR { if ($0 !~ /^(#|$)/) known[$1 " " $2 " " $3] = 0; next }
    /^FILE / { file = $2; place = ""; quiet = 0; next }
    /In function / { place = $0; sub(/.*In function ./, "", place); sub(/[^A-Za-z0-9_].*/, "", place) }
    / warning: / {
      match($0, /-W[a-z-]*/)
      key = file " " place " " substr($0, RSTART, RLENGTH)
      quiet = key in known
      if (quiet) known[key]++
      else bad = 1
    }
    / (warning|note|error): / && !quiet { print; bad = 1 }
    END {
      for (key in known)
        if (all && !known[key]) { print "scripts/analyzer.supp: not needed: " key; bad = 1 }
      exit bad
    }' scripts/analyzer.supp -
}

analyzer() {
  command -v gcc >/dev/null || { missing gcc; return; }
  echo "== gcc -fanalyzer"
  local folder all=
  [ -n "${FILES:-}" ] || all=yes
  folder=$(mktemp -d)
  # shellcheck disable=SC2086,SC2016
  printf '%s\n' $files |
    LC_ALL=C nice xargs -P "$jobs" -I{} bash -c '
      folder=$1 file=$2
      shift 2
      { echo "FILE $file"; gcc "$@" "$file" 2>&1; } >"$folder/${file//\//_}"
    ' analyze "$folder" {} "${flags[@]}" -O1 -fanalyzer -fdiagnostics-plain-output -c -o /dev/null
  cat "$folder"/* | judge "$all" || status=1
  rm -r "$folder"
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
