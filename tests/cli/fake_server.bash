# fake_server.bash - servers in Python that speak the protocol of a database and
# misbehave.  Load helper first.

# fake_server SCRIPT ARG...: starts tests/cli/SCRIPT and waits until it serves.
# The server ends when its standard input does.
fake_server() {
  local script=$1 line
  shift
  fake_server_stop
  mkfifo in out
  python3 -B "$BENCH_SRC/tests/cli/$script" "$@" <in >out 3>&- &
  exec {server}>in
  read -r line <out
  must is "$line" ready
}

fake_server_stop() {
  [[ -z ${server-} ]] || exec {server}>&-
  server=
  wait
  rm -f in out server .s.PGSQL.5432
}

teardown() {
  fake_server_stop
}

# is_printable TEXT: the text has no control characters, and none that changes
# the direction of text.
is_printable() {
  ! LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]\|\xc2\x9b\|\xe2\x80\xae' <<<"$1"
}

# is_harmless TEXT: it is printable, and no line looks like one of the
# program's own.
is_harmless() {
  is_printable "$1" && ! grep -q '^FATAL: forged' <<<"$1"
}

# texts_are_harmless: the server that `to` leads to answers SELECT bad with an
# error whose text attacks terminals.  The program must print it harmlessly.
texts_are_harmless() {
  local format
  cat >fails.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() pcall(con.query, con, "SELECT bad") end
LUA
  bench ./fails.lua "${to[@]}" --events=3 --json=a.json run
  must is "$status" 0
  must is_harmless "$output"
  must is_harmless "$stderr"
  must has "$stderr" 'times?, red \\x1b\[31m tab.* c1 \\x9b2J bidi \\u202e end\\r\\nFATAL; forged$'
  for format in text markdown; do
    bench report a.json --format=$format -o out.$format
    must is "$status" 0
    must is_harmless "$(<out.$format)"
  done
  bench report a.json -o out.html
  must is "$status" 0
  must is_printable "$(<out.html)"
}
