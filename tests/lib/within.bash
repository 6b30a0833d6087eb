# shellcheck shell=bash
# within.bash - waiting for a state, with a limit for failure, and for luck; to be
# sourced.

bats_require_minimum_version 1.5.0

# take_status ARG...: sets `expected` to the STATUS of an argument -STATUS, and `args` to
# the other arguments; as_expected: $status is that, if there was one.
take_status() {
  local arg
  expected='' args=()
  for arg; do
    if [[ $arg =~ ^-[0-9]+$ ]]; then
      expected=${arg#-}
    else
      args+=("$arg")
    fi
  done
}
as_expected() {
  [[ $status == "${expected:-$status}" ]] && return
  printf 'status %s, not %s, of: %s\n%s\n%s\n' "$status" "$expected" "${args[*]}" \
    "${output-}" "${stderr-}" >&2
  return 1
}

# own_tls: does the program encrypt without the client library?  need_own_tls skips the
# test if not.
own_tls() {
  [[ ! -e ${BENCH_BUILD-}/config.h ]] || grep -q '^#define HAVE_OPENSSL 1' "$BENCH_BUILD/config.h"
}
need_own_tls() {
  own_tls || skip 'the program was built without OpenSSL'
}

# one_line_without_tls ARG...: of a run with clients and TLS; then the test is skipped.
one_line_without_tls() {
  own_tls && return
  "$BENCH" "$@" --threads=2 --clients=8 --events=80 --time=0 run >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
  [[ $(grep 'OpenSSL' "$BATS_TEST_TMPDIR/err") =~ ^WARNING:' only '(libpq|the library)' can encrypt here (bench was built without OpenSSL): each waiting client takes a thread, and more CPU time'$ ]]
  need_own_tls
}

# within SECONDS COMMAND...: until it succeeds.  A file with a function `show`
# has it say more about a failure.
within() {
  local limit=$((SECONDS + $1))
  shift
  until "$@"; do
    if ((SECONDS >= limit)); then
      printf 'not within time: %s\n' "$*"
      ! declare -F show >/dev/null || show
      return 1
    fi
    read -rt 0.05 <> <(:) || :
  done
}

# sooner_or_later COMMAND...: the command succeeds in one of ten attempts.  Use it only
# where a busy machine can cause a failure (a thread gets no CPU for half a second) and a
# wrong program always fails.  A crash, or the report of a sanitizer, fails at once.  The
# log has the number of retries, and scripts/test.sh adds them up.
sooner_or_later() {
  local attempt
  for attempt in {1..10}; do
    if "$@"; then
      ((attempt == 1)) || retried "$((attempt - 1))" "$1"
      return 0
    fi
    echo "attempt $attempt: $*" >&2
    case ${status-} in
    66 | 132 | 134 | 135 | 136 | 139) return 1 ;; # sanitizer, ILL, ABRT, BUS, FPE, SEGV
    esac
  done
  return 1
}

# retried TIMES WHAT: a line of the log, if there is one.
retried() {
  { printf '# retried %d: %s\n' "$1" "$2" >&3; } 2>/dev/null || :
}
