#!/usr/bin/env bash
# check.sh - a static program in a root where there is nothing else: no library,
# no /proc, no /dev, no /tmp, no shell.  Prints TAP.
#
# usage: check.sh PROGRAM
#
# RUN is a static qemu for a program of another machine.  With the servers of
# MariaDB and PostgreSQL installed, it uses private ones over TCP.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)

(($# == 1)) || { echo 'usage: check.sh PROGRAM' >&2; exit 1; }
unset BENCH_COMPAT BENCH_DATADIR BENCH_DSN BENCH_LIBDIR # of other programs
root=$(mktemp -d "${TMPDIR:-/tmp}/bench-root.XXXXXX")
servers=$here/../db/servers.sh
stop_all() {
  local server
  for server in "$root"/server-*; do
    [[ ! -d $server ]] || "$servers" stop "$server" || :
  done
  rm -rf "$root"
}
trap stop_all EXIT
cp "$1" "$root/bench"
start=(/bench)
if [[ -n ${RUN-} ]]; then
  cp "$RUN" "$root/run"
  start=(/run /bench)
fi

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
  unshare "${maps[@]}" --mount --root="$root" --wd=/ "${start[@]}" "$@" >"$root/said" 2>&1
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
status=0
readelf -hW "$root/bench" >"$root/said" && grep -q 'Type: *DYN' "$root/said" || status=1
report "$status" 'it can be loaded anywhere in memory'
status=0
stat -c '%s bytes' "$1" >"$root/said"
(($(stat -c %s "$1") < 12000000)) || status=1
report "$status" 'it is smaller than 12 MiB'

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

# on_server DRIVER ARGUMENT...: the same on a server, in TLS or not.
on_server() {
  local what=$1 oltp=(oltp_read_write "--db-driver=$1" --tables=2 --table-size=100
    --threads=2 --events=20 --time=0 "${@:2}")
  runs 'Creating' "${oltp[@]}" prepare
  runs '^Checking' "${oltp[@]}" check
  runs 'total number of events: *20$' "${oltp[@]}" run
  [[ $what != mysql ]] || runs 'total number of events: *20$' "${oltp[@]}" --db-ps-mode=disable run
  runs 'Dropping' "${oltp[@]}" cleanup
}

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
# What cannot help is not advised.
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 \
  fails 'a static program cannot open the MPI plug-in .*: use the package bench-openmpi ' cpu --events=1 run
fails 'option of the oltp' cpu --table-size=5 run
fails 'no.lua:1: no such function: a static program' /no.lua run
fails "Cannot find benchmark 'nosuch'" nosuch run
fails 'did you mean oltp_read_only' oltp_raed_only run

# start_server KIND FLAG...: a private one; says so if there is none.
start_server() {
  if ! "$servers" has "$1"; then
    count=$((count + 1))
    printf 'ok %d - a server of %s # SKIP not installed\n' "$count" "$1"
    return 1
  fi
  status=0
  "$servers" --owner=$$ start "$1" "$root/server-$1" "${@:2}" >"$root/said" 2>&1 || status=1
  report "$status" "a server of $1"
  ((status == 0)) || return 1
  eval "$("$servers" env "$root/server-$1")"
}

if start_server mysql --tls --password=word; then
  my=("--mysql-host=$MY_HOST" "--mysql-port=$MY_PORT" "--mysql-user=$MY_USER"
    "--mysql-password=word" "--mysql-db=$MY_DB")
  on_server mysql "${my[@]}" --mysql-ssl=off
  cp "$MY_CA" "$root/ca.pem"
  on_server mysql "${my[@]}" --mysql-ssl=VERIFY_CA --mysql-ssl-ca=/ca.pem
fi
if start_server pgsql --tls --password=word; then
  pg=("--pgsql-host=$PG_HOST" "--pgsql-port=$PG_PORT" "--pgsql-user=$PG_USER"
    "--pgsql-password=word" "--pgsql-db=$PG_DB")
  on_server pgsql "${pg[@]}" --pgsql-sslmode=disable
  cp "$PG_CA" "$root/ca.pem"
  on_server pgsql "${pg[@]}" --pgsql-sslmode=verify-ca --pgsql-sslrootcert=/ca.pem
fi

printf '1..%d\n' "$count"
exit "$failed"
