# shellcheck shell=bash
# within.bash - waiting for a state, with a limit for failure; to be sourced.

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
