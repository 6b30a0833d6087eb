#!/usr/bin/env bats
# texts.bats - the same command lines through an installed sysbench: what is
# printed, and the exit status.  Command lines and deliberate differences are in
# tables; same_text.py says how they are read.
load helper

@test "built-in tests: what they print" {
  needs_sysbench
  same_text builtin.tsv differences.tsv
}

@test "differences that name a row of QUIRKS.md name one that is there" {
  local row missing=
  while read -r row; do
    case $row in
      words | more | machine) ;;
      *) grep -q "^| $row |" "$BENCH_SRC/QUIRKS.md" || missing+=" $row" ;;
    esac
  done < <(grep -hv '^#' "$here"/differences*.tsv | awk -F '\t+' '{ print $6 }')
  [ -z "$missing" ] || {
    echo "not in QUIRKS.md:$missing"
    false
  }
}
