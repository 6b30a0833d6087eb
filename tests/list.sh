#!/bin/sh
# list.sh - writes tests/unit/programs.inc, which names each unit test for automake.
#
# usage: list.sh, in any folder
#
# Automake needs a list of programs; bats files and what they share are found by
# make itself.  autogen.sh runs this, and make does when a folder has changed.  The
# file is written only if it changes.  A unit test that cannot be built everywhere
# is named in tests/unit/Makefile.inc instead, below its condition.
set -eu
cd "$(dirname "$0")/unit"
said=$(
  echo '# Made by tests/list.sh.'
  find . -name 'test_*.c' | sed 's|^\./||; s|\.c$||' | LC_ALL=C sort | while read -r test; do
    grep -qE "tests/unit/$test( |\\\\|\$)" Makefile.inc || echo "UNIT_TESTS += tests/unit/$test"
  done
)
[ -f programs.inc ] && [ "$said" = "$(cat programs.inc)" ] || printf '%s\n' "$said" >programs.inc
