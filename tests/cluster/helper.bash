# helper.bash - what the tests of runs on several machines share.
load ../cli/helper

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset BENCH_COMPAT LUA_PATH LUA_CPATH
  # Not of the program: Open MPI's library keeps memory until the end, and
  # synchronises in ways that the sanitizer does not see.
  export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
  if grep -q -e '--enable-sanitizers=thread' "$BENCH_BUILD/config.log" 2>/dev/null; then
    skip "an MPI library cannot be run under the thread sanitizer"
  fi
  [ -f "$BENCH_BUILD/.libs/bench_mpi.so" ] ||
    skip "configured without MPI: there is no plug-in"
  find_launcher
}

# The launcher of the library that the plug-in was built with.
find_launcher() {
  local name
  if ldd "$BENCH_BUILD/.libs/bench_mpi.so" | grep -q libmpich; then
    engine=mpich
    launcher=(mpirun.mpich)
    command -v mpirun.mpich >/dev/null || launcher=(mpiexec.hydra)
  else
    engine=openmpi
    name=mpirun.openmpi
    command -v "$name" >/dev/null || name=mpirun
    launcher=("$name" --allow-run-as-root --oversubscribe --bind-to none)
  fi
  command -v "${launcher[0]}" >/dev/null || skip "${launcher[0]} is not installed"
}

only_openmpi() {
  [ "$engine" = openmpi ] || skip "the test is made for Open MPI's mpirun"
}

# ranks N ARG...: the program as N processes, see bench; sets status, output, stderr.
ranks() {
  local expected args
  take_status "$@"
  run --separate-stderr timeout --kill-after=10 120 "${launcher[@]}" -n "${args[0]}" "$BENCH" "${args[@]:1}"
  as_expected
}

# start N ARG...: the same in the background; sets pid, its output is in the
# files out and err.  Returns when the load has begun.
start() {
  local n=$1
  shift
  # Between SIGTERM and SIGKILL; one second is little where others are at work.
  export OMPI_MCA_odls_base_sigkill_timeout=8
  "${launcher[@]}" -n "$n" "$BENCH" "$@" >out 2>err &
  pid=$!
  await out '^\[ [0-9]+s \]' # a busy machine prints the first one late
}

# await FILE PATTERN: until a line of the file matches, 90 seconds at most.
await() {
  local i
  for ((i = 0; i < 900; i++)); do
    grep -Eq -- "$2" "$1" 2>/dev/null && return 0
    sleep 0.1
  done
  printf 'no line of %s matches %s:\n' "$1" "$2" >&2
  cat "$1" >&2
  return 1
}

# process RANK: the id of the one that works.
process() {
  one_of "$1" bench
}

# keeper RANK: the id of the one that the launcher has started, where another
# one works.
keeper() {
  one_of "$1" bench-keeper
}

# one_of RANK NAME: below the launcher.
one_of() {
  local child
  for child in $(descendants "$pid"); do
    if [ "$(cat "/proc/$child/comm" 2>/dev/null)" = "$2" ] &&
      tr '\0' '\n' <"/proc/$child/environ" 2>/dev/null |
      grep -qxE "(OMPI_COMM_WORLD_RANK|PMI_RANK)=$1"; then
      printf '%s\n' "$child"
      return
    fi
  done
}

descendants() {
  local child
  for child in $(ps -o pid= --ppid "$1"); do
    printf '%s\n' "$child"
    descendants "$child"
  done
}

# A test whose events take five milliseconds and no processor.
sleeper() {
  cat >sleeper.lua <<'LUA'
ffi.cdef("int usleep(unsigned);")
function event()
  ffi.C.usleep(5000)
end
LUA
}

# Is somebody else at work on the processors?
is_busy() {
  local load
  read -r load _ </proc/loadavg
  [ "${load%.*}" -ge "$(nproc)" ]
}
