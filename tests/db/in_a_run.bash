# shellcheck shell=bash
# in_a_run.bash - waiting for what a run does that goes on; to be sourced.  Its
# output with --report-interval=1 is in the file `out`, its errors in `err`.

# has_committed PID [FILE]: waits until the run has reported events there.
has_committed() {
  until grep -Eq 'thds: .* tps: [1-9]' "${2:-out}"; do
    kill -0 "$1" || { cat "${2:-out}"; return 1; }
    read -rt 0.1 <> <(:) || :
  done
}

# goes_on PID [LINE]: intervals after this line, or this moment, have
# transactions again.
goes_on() {
  local from=${2-}
  from=${from:-$(wc -l <out)}
  until tail -n +$((from + 2)) out | grep -q 'tps: [1-9]'; do
    kill -0 "$1" || { cat out err; return 1; }
    read -rt 0.1 <> <(:) || :
  done
}

# until_enough WORKLOAD [FILE]: writes until_enough.lua, or FILE, a script that
# does the same until there is a file `enough`.  A signal would leave clients
# behind that are in a transaction.
until_enough() {
  rm -f enough
  cat >"${2:-until_enough.lua}" <<LUA
require("$1")
local real = event
function event(id)
  local file = io.open("enough")
  if file then
    file:close()
    return true
  end
  return real(id)
end
LUA
}
