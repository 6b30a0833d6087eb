# shellcheck shell=bash
# within.bash - waiting for a state, with a limit for failure, and for luck; to be
# sourced.

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

# sooner_or_later COMMAND...: the command succeeds in one of ten attempts.  Use
# it where a busy machine can cause a failure (a thread gets no processor for
# half a second) and a wrong program always fails.
sooner_or_later() {
  local attempt
  for attempt in {1..9}; do
    "$@" && return 0
    echo "attempt $attempt: $*" >&2
  done
  "$@"
}
