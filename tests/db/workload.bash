# shellcheck shell=bash
# workload.bash - commands of a bundled workload, and what its check finds; to be
# sourced.  The caller sets $workload, and the array `to`: the options that lead
# to the database.

# bundled ARG...: a command of the workload; out, err, status.
bundled() {
  status=0
  LUA_PATH="./?.lua;$BENCH_SRC/src/lua/scripts/?.lua;;" \
    "$BENCH" "$workload" "${to[@]}" "$@" >out 2>err || status=$?
}

shown() {
  printf 'status %s of: %s\n' "$status" "$*"
  cat out err
  return 1
}

# good ARG...: a command that succeeds.
good() {
  bundled "$@"
  [ "$status" -eq 0 ] || shown "$@"
}

# bad PATTERN ARG...: a command that fails, and its output has the pattern.
bad() {
  local pattern=$1
  shift
  bundled "$@"
  [ "$status" -eq 1 ] && cat out err | grep -Eq -- "$pattern" || {
    printf 'wanted: %s\n' "$pattern"
    shown "$@"
  }
}

# lacks_table TABLE: check says that it is missing; with SQLite its file is.
lacks_table() {
  if [[ " ${to[*]} " == *' --db-driver=sqlite '* ]]; then
    bad "^FATAL: the database file '.*' does not exist$" check
  else
    bad "there is no table $1; use the prepare command first" check
  fi
}

# says PATTERN: the output of the last command has it.
says() {
  cat out err | grep -Eq -- "$1" || {
    printf 'wanted: %s\n' "$1"
    shown
  }
}

# sql STATEMENT...: execute them; the values of the first row of each.
sql() {
  cat >sql.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   for line in io.lines("sql.txt") do
      local rs = con:query(line)
      if rs ~= nil and rs.nrows > 0 then
         print("= " .. table.concat({unpack(rs:fetch_row(), 1, rs.nfields)}, " "))
      end
   end
end
LUA
  printf '%s\n' "$@" >sql.txt
  "$BENCH" ./sql.lua "${to[@]}" prepare >sql.out 2>sql.err || {
    cat sql.err
    return 1
  }
  sed -n 's/^= //p' sql.out
}

# broken PATTERN BREAK MEND: check names what BREAK has done, until MEND.
broken() {
  sql "$2"
  bad "$1" check
  sql "$3"
}
