#!/bin/sh
# list.sh - writes what automake must know of tests that are programs: the unit tests
# to tests/unit/programs.inc, the fuzz targets to tests/fuzz/programs.inc.
#
# usage: list.sh, in any folder
#
# Bats files and what they share are found by make itself.  autogen.sh runs this, and
# make does when a folder has changed.  A file is written only if it changes.  A unit
# test that cannot be built everywhere is named in tests/unit/Makefile.inc instead,
# below its condition.
set -eu
cd "$(dirname "$0")"

# keep FILE TEXT
keep() {
  [ -f "$1" ] && [ "$2" = "$(cat "$1")" ] || printf '%s\n' "$2" >"$1"
}

# target NAME: it is replayed with any compiler, and fuzzed with clang.
target() {
  sources="tests/fuzz/fuzz_$1.c" flags='' exported='' needs='' driver=${1%%_*}
  case $1 in
  mysql_* | pgsql_*)
    needs=$(echo "$driver" | tr '[:lower:]' '[:upper:]')
    sources="$sources tests/fuzz/fake_socket.c" flags="\$(${needs}_CFLAGS)"
    ;;
  json) sources="$sources tests/fuzz/json_model.c" ;;
  setup_opts) exported='$(EXPORT_FLAGS)' ;;
  esac
  [ -z "$needs" ] || echo "if HAVE_$needs"
  echo "check_PROGRAMS += tests/fuzz/replay_$1
TESTS += tests/fuzz/replay_$1
tests_fuzz_replay_$1_SOURCES = tests/fuzz/replay.c $sources
tests_fuzz_replay_$1_CPPFLAGS = \$(AM_CPPFLAGS) -DCORPUS='\"$1\"'"
  linked "replay_$1" "\$(AM_LDFLAGS) $exported"
  echo "if FUZZING
noinst_PROGRAMS += tests/fuzz/fuzz_$1
tests_fuzz_fuzz_$1_SOURCES = $sources"
  linked "fuzz_$1" "-fsanitize=fuzzer $exported"
  echo endif
  [ -z "$needs" ] || echo endif
}

# linked PROGRAM FLAGS
linked() {
  echo "tests_fuzz_$1_CFLAGS = \$(AM_CFLAGS) $flags
tests_fuzz_$1_LDFLAGS = $2
tests_fuzz_$1_LDADD = libbench.a"
  [ -z "$exported" ] || echo "tests_fuzz_$1_DEPENDENCIES = libbench.a \$(EXPORT_FILES)"
}

keep unit/programs.inc "$(
  echo '# Made by tests/list.sh.'
  find unit -name 'test_*.c' | sed 's|\.c$||' | LC_ALL=C sort | while read -r test; do
    grep -qE "tests/$test( |\\\\|\$)" unit/Makefile.inc || echo "UNIT_TESTS += tests/$test"
  done
)"
keep fuzz/programs.inc "$(
  echo '# Made by tests/list.sh.'
  find fuzz -name 'fuzz_*.c' | sed 's|.*fuzz_||; s|\.c$||' | LC_ALL=C sort | while read -r name; do
    target "$name"
  done
)"
