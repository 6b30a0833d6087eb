#!/usr/bin/env bash
# limited.sh - runs a file of tests, and ends it when it hangs.
#
# usage: limited.sh COMMAND [ARGUMENT]...
#
# A file takes minutes at most.  One that has not ended after TEST_LIMIT seconds
# (1200 without it) is stopped with all that it started, and is an error that
# names it; the other files still run.  Without timeout(1) nothing is limited.
# Runs of bench that are left when it ends are stopped, and are an error.  The last
# line says how long it took.
set -uo pipefail

command -v timeout >/dev/null || exec "$@"
limit=${TEST_LIMIT:-1200}

# timeout makes a process group, which Ctrl-C at a terminal does not reach.  Job
# control leaves SIGINT as it was there: without it, tests could not send it.
set -m
timeout -k 30 "$limit" "$@" &
job=$!
trap 'kill -TERM "$job" 2>/dev/null' INT TERM HUP

status=0
wait "$job" || status=$?
while kill -0 "$job" 2>/dev/null; do # a signal ended the wait
  wait "$job" || status=$?
done
# 137: it had to be killed.
if ((status == 124 || status == 137)); then
  kill -KILL -- "-$job" 2>/dev/null # what it left in the group
  printf 'Bail out! it did not end in %s s and was stopped\n' "$limit"
fi
# What the file has left running would slow down all others.  What it killed gets a
# moment to end, and what has ended (Z) waits only for the init process.
pgrep -g "$job" -x bench >/dev/null && timeout 10 pidwait -g "$job" -x bench >/dev/null
left=$(pgrep -a -r D,I,R,S,T,t -g "$job" -x bench | cut -c-200 | paste -s -d ';' | cut -c-600)
if [[ -n $left ]]; then
  printf 'Bail out! it left these running: %s\n' "$left"
  pkill -KILL -g "$job" -x bench
  ((status)) || status=1
fi
printf '# took %d s\n' "$SECONDS"
exit "$status"
