#!/usr/bin/env bash
# check.sh - a static program in a root where there is nothing else: no library,
# no /proc, no /dev, no /tmp, no shell.  Prints TAP.
#
# usage: check.sh PROGRAM
set -euo pipefail

(($# == 1)) || { echo 'usage: check.sh PROGRAM' >&2; exit 1; }
root=$(mktemp -d "${TMPDIR:-/tmp}/bench-root.XXXXXX")
trap 'rm -rf "$root"' EXIT
cp "$1" "$root/bench"

count=0 failed=0
# report STATUS WHAT
report() {
  count=$((count + 1))
  if (($1 == 0)); then
    printf 'ok %d - %s\n' "$count" "$2"
  else
    printf 'not ok %d - %s\n' "$count" "$2"
    sed 's/^/# /' "$root/said"
    failed=1
  fi
}

# in_root ARGUMENT...: run the program there; as a user of our own where we are
# not root.
in_root() {
  local maps=()
  ((EUID == 0)) || maps=(--user --map-root-user)
  unshare "${maps[@]}" --mount --root="$root" --wd=/ /bench "$@" >"$root/said" 2>&1
}

# runs PATTERN ARGUMENT...: it succeeds and prints the pattern.
runs() {
  local pattern=$1 status=0
  shift
  { in_root "$@" && grep -qE -- "$pattern" "$root/said"; } || status=1
  report "$status" "$*"
}

# fails PATTERN ARGUMENT...: exit status 1, and it prints the pattern.
fails() {
  local pattern=$1 status=0
  shift
  in_root "$@" || status=$?
  grep -qE -- "$pattern" "$root/said" || status=2
  report $((status - 1)) "$* fails"
}

if ! unshare --mount true 2>/dev/null && ! unshare --user --mount true 2>/dev/null; then
  echo '1..0 # SKIP no namespaces here'
  exit 0
fi

runs '^bench ' --version
status=0
readelf -lW "$root/bench" >"$root/said" && ! grep -q INTERP "$root/said" || status=1
report "$status" 'it asks for no loader'

runs 'events per second: *[1-9]' cpu --cpu-max-prime=100 --events=10 run
runs 'transferred' memory --memory-total-size=10M run
runs 'total number of events: *20' threads --threads=2 --events=20 run
runs 'total number of events: *2' mutex --threads=2 --mutex-num=10 --mutex-locks=10 run
mkdir "$root/files"
for mode in sync mmap; do
  file=(fileio --file-num=2 --file-total-size=1M "--file-io-mode=$mode"
    --file-dir=/files --file-test-mode=rndrw --events=20)
  runs 'written' "${file[@]}" prepare
  runs 'total number of events: *2[0-9]' "${file[@]}" run
  runs 'Removing' "${file[@]}" cleanup
done

for test in oltp_read_write oltp_insert select_random_points bulk_insert oltp_legacy/oltp; do
  oltp=("$test" --db-driver=sqlite --sqlite-db=/t.db --tables=2
    --table-size=100 --threads=2 --events=20)
  # Before 1.0 they had other names.
  [[ $test != oltp_legacy/* ]] ||
    oltp=("$test" --db-driver=sqlite --sqlite-db=/t.db --oltp-tables-count=2
      --oltp-table-size=100 --threads=2 --events=20)
  runs 'Creating' "${oltp[@]}" prepare
  # A run changes the data, so they are checked before.
  [[ $test != oltp_read* ]] || runs '^Checking' "${oltp[@]}" check
  runs 'total number of events: *[1-9]' "${oltp[@]}" run
  runs 'Dropping' "${oltp[@]}" cleanup
done

# Scripts of users: FFI with the functions of the program and of the C library,
# modules beside the script, errors with their place.
cat >"$root/mine.lua" <<'LUA'
local ffi = require("ffi")
local other = require("other")
ffi.cdef [[
int getpid(void);
size_t strlen(const char *text);
unsigned long long sb_rand_default(unsigned long long a, unsigned long long b);
]]
function event()
  assert(ffi.C.getpid() >= 0 and tonumber(ffi.C.strlen("four")) == 4)
  assert(sysbench.rand.uniform(3, 3) == 3 and other.value == 7)
end
LUA
echo 'return { value = 7 }' >"$root/other.lua"
runs 'total number of events: *1000' /mine.lua --events=1000 run
echo 'require("ffi").cdef("int nosuch(void)"); require("ffi").C.nosuch()' >"$root/no.lua"
runs 'oltp_read_write +[a-z]' list
fails 'option of the oltp' cpu --table-size=5 run
fails 'no.lua:1: no such function: a static program' /no.lua run
fails "Cannot find benchmark 'nosuch'" nosuch run
fails 'did you mean oltp_read_only' oltp_raed_only run

printf '1..%d\n' "$count"
exit "$failed"
