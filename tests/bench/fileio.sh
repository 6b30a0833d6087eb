#!/usr/bin/env bash
# Requests per second of the fileio test beside those of sysbench and fio: in the
# page cache, where the cost of asking is measured, and with io_uring also past
# it, to the disk.
#
# usage: tests/bench/fileio.sh [BENCH]
#   ROUNDS=5       measurements of each program, taken in turns
#   RUNTIME=1      seconds each
#   CASES=REGEX    only cases that match, e.g. 'io_uring.*rndrd'
#   FOLDER=.       where the file is made (64 MiB)
#   METRIC=time    requests per second; cpu: per second of processor time, which
#                  says more on a machine that has other work to do
#   GTOD_REDUCE=0  1: fio reads the clock as seldom as it can
#
# All programs use the same file of 64 MiB, in blocks of 4 KiB at uniform places
# that may repeat. With io_uring fio has the options that bench always has: files
# and buffers are registered, and there is no SQPOLL.
#
# bench measures the latency of every request. So does fio here: the total time
# with percentiles, but not its two parts, which bench does not have. With
# GTOD_REDUCE=1 fio measures no latency at all, and bench still does.
#
# Prints the median of each program and, of the quotients within the rounds,
# the median; above 1 the first program is faster.
set -u -o pipefail

BENCH=$(realpath "${1:-./bench}")
ROUNDS=${ROUNDS:-5}
RUNTIME=${RUNTIME:-1}
CASES=${CASES:-.}
METRIC=${METRIC:-time}
GTOD_REDUCE=${GTOD_REDUCE:-0}
FOLDER=$(mktemp -d "$(realpath "${FOLDER:-.}")/fileio.XXXXXX") || exit 1
trap 'rm -rf "$FOLDER"' EXIT
cd "$FOLDER" || exit 1

SIZES=(--file-num=1 --file-total-size=64M --file-block-size=4K)
QUIET=(--file-fsync-freq=0 --file-fsync-end=off)

median() {
  sort -g | awk '{ v[NR] = $1 } END { print NR ? (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 : 0 }'
}

# like_sysbench PROGRAM ENGINE MODE THREADS DEPTH [direct]
like_sysbench() {
  "$1" fileio "${SIZES[@]}" "${QUIET[@]}" --file-io-mode="$2" --file-test-mode="$3" \
    --threads="$4" --file-async-backlog="$5" ${6:+--file-extra-flags="$6"} \
    --time="$RUNTIME" run 2>/dev/null |
    awk '/ (reads|writes)\/s:/ { n += $2 } END { print n + 0 }'
}

# with_fio ENGINE MODE THREADS DEPTH [direct]
with_fio() {
  local engine=$1 mode=randread own=()
  case $1 in
    sync) engine=psync ;;
    async) engine=libaio ;;
    io_uring) own=(--registerfiles=1 --fixedbufs=1 --sqthread_poll=0) ;;
  esac
  [ "$2" = rndwr ] && mode=randwrite
  if ((GTOD_REDUCE)); then
    own+=(--gtod_reduce=1)
  else
    own+=(--disable_slat=1 --disable_clat=1 --lat_percentiles=1 --clat_percentiles=0)
  fi
  fio --name=f --filename=test_file.0 --size=64M --bs=4k --rw=$mode --ioengine="$engine" \
    --iodepth="$4" --numjobs="$3" --thread --group_reporting --norandommap --randrepeat=0 \
    --random_generator=tausworthe64 --direct="$([ -n "${5:-}" ] && echo 1 || echo 0)" --fallocate=none --invalidate=0 \
    --time_based --runtime="$RUNTIME" "${own[@]}" --minimal 2>/dev/null |
    awk -F';' '/^3;/ { print $8 + $49 }'
}

# timed COMMAND...: its number, divided by the processor time if that is wanted.
timed() {
  local TIMEFORMAT='%U %S' rate
  if [ "$METRIC" = cpu ]; then
    { time rate=$("$@"); } 2>cpu
    awk -v n="$rate" -v s="$RUNTIME" '{ print ($1 + $2 > 0 ? n * s / ($1 + $2) : 0) }' cpu
  else
    "$@"
  fi
}

measure() { # WHO ENGINE MODE THREADS DEPTH [direct]
  local who=$1
  shift
  case $who in
    bench) timed like_sysbench "$BENCH" "$@" ;;
    sysbench) timed like_sysbench sysbench "$@" ;;
    fio) timed with_fio "$@" ;;
  esac
}

compare() { # ENGINE MODE THREADS DEPTH [direct]
  local others=() who name round
  name=$(printf '%-8s %-5s %2d threads, depth %3d %-6s' "$1" "$2" "$3" "$4" "${5:-cached}")
  grep -Eq -- "$CASES" <<<"$name" || return 0
  [ "$1" != io_uring ] && command -v sysbench >/dev/null && others+=(sysbench)
  command -v fio >/dev/null && others+=(fio)
  rm -f result.*
  for ((round = 0; round < ROUNDS; round++)); do
    for who in bench "${others[@]}"; do
      measure "$who" "$@" >>"result.$who"
    done
  done
  printf '%s %12.0f' "$name" "$(median <result.bench)"
  for who in sysbench fio; do
    if [ -f "result.$who" ]; then
      printf ' %12.0f %5.2f' "$(median <"result.$who")" \
        "$(paste result.bench "result.$who" | awk '$2 > 0 { print $1 / $2 }' | median)"
    else
      printf ' %12s %5s' - -
    fi
  done
  echo
}

"$BENCH" fileio "${SIZES[@]}" prepare >/dev/null || exit 1
printf '%-40s %12s %12s %5s %12s %5s\n' 'case (requests per second)' bench sysbench ratio fio ratio
for engine in sync async mmap; do
  for mode in rndrd rndwr; do
    for threads in 1 2; do
      compare $engine $mode $threads 128
    done
  done
done
for mode in rndrd rndwr; do
  for threads in 1 2; do
    for depth in 1 32; do
      compare io_uring $mode $threads $depth
      compare io_uring $mode $threads $depth direct
    done
  done
done
