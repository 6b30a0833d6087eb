#!/usr/bin/env bash
# wire.sh - what a query costs the client, on private MariaDB and PostgreSQL
# servers beside sysbench and pgbench: processor time, throughput and memory.
# 4 tables, uniform keys, prepared statements, Unix sockets.  How many
# instructions: see instructions.sh.
#
# PARTS to measure ["cpu throughput memory"], ROWS per table [20000], SECONDS_EACH
# run [3], THREADS of the throughput part ["16 64 256"], CONNECTIONS of the memory
# part [200], and MANY more ["10 1000 4000"].
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

rows=${ROWS:-20000} seconds=${SECONDS_EACH:-3} connections=${CONNECTIONS:-200}
many=${MANY-10 1000 4000}
parts=${PARTS:-cpu throughput memory}
child=
# shellcheck disable=SC2317 # called by the trap
at_end() {
  [[ -z $child ]] || kill -TERM "$child" 2>/dev/null || :
}
make_work

read -ra libraries < <(pkg-config --cflags --libs libmariadb libpq)
${CC:-cc} -O2 -pthread -o "$work/socket_floor" "$here/socket_floor.c" \
  "${libraries[@]}"

most=256
for n in $connections $many; do
  ((n <= most)) || most=$n
done
limit=--max-connections=$((most + 100))
private_server mysql "$limit"
private_server pgsql "$limit"
# shellcheck disable=SC2054 # one word
mysql+=(--mysql-ignore-errors=1213,1020,1205,1062)
common=(--tables=4 --table-size="$rows" --rand-type=uniform)
pgbench=(pgbench -h "$PG_SOCKET_DIR" -p "$PG_PORT" -U "$PG_USER" -n)

has_part() {
  [[ " $parts " == *" $1 "* ]]
}

# ratio A B
ratio() {
  calc "$1 / $2"
}

# ---- processor time of the client per query ----

# spent COMMAND...: microseconds, user and system, of a point select; the
# command reports events as sysbench does, or transactions as pgbench does.
spent() {
  local TIMEFORMAT='cpu %U %S'
  { time "$@" >"$work/out" 2>&1; } 2>"$work/time" || die "failed: $*
$(<"$work/out")"
  awk '/^ *total number of events:/ { n = $NF }
    /^number of transactions actually processed:/ { n = $6; sub(/\/.*/, "", n) }
    /^cpu / { mine = $2; kernel = $3 }
    END { if (n == 0) exit 1
          print (mine + kernel) * 1e6 / n }' "$work/out" "$work/time" ||
    die "no events: $*"
}

# floor HOW THREADS: the same of a client that does nothing but send and receive.
floor() {
  local to=(mysql "$MY_SOCKET" "$MY_USER" "$MY_DB")
  [[ $server == mysql ]] ||
    to=(pgsql "host=$PG_SOCKET_DIR port=$PG_PORT user=$PG_USER dbname=$PG_DB")
  "$work/socket_floor" "$1" "$2" "$seconds" "${to[@]}" | sed 's/.*, \(.*\) us each.*/\1/'
}

cpu() {
  local threads i a b c d e
  printf '\nmicroseconds (user and system) of the client per point select\n'
  printf 'floor: send() and recv() alone, the cheaper way to wait\n'
  printf '%-7s %8s %10s %10s %10s %10s %8s %8s %8s\n' server threads bench \
    sysbench pgbench floor ratio ratio 'floor ratio'
  for server in mysql pgsql; do
    set_job
    for threads in 1 16; do
      a='' b='' c='' d='' e=''
      for ((i = 0; i < PAIRS; i++)); do
        local run=(oltp_point_select "${job[@]}" --threads="$threads"
          --time="$seconds" run)
        a+=$(spent "$BENCH" "${run[@]}")$'\n' || exit 1
        b+=$(spent "$SYSBENCH" "${run[@]}")$'\n' || exit 1
        [[ $server == mysql ]] || c+=$(spent "${pgbench[@]}" -S -M prepared \
          -c "$threads" -j "$threads" -T "$seconds" "$PG_DB")$'\n' || exit 1
        d+=$(floor recv "$threads")$'\n' || exit 1
        e+=$(floor poll "$threads")$'\n' || exit 1
      done
      a=$(median <<<"${a%$'\n'}") b=$(median <<<"${b%$'\n'}")
      d=$(median <<<"${d%$'\n'}") e=$(median <<<"${e%$'\n'}")
      d=$(calc "($d < $e ? $d : $e)")
      printf '%-7s %8d %10.2f %10.2f' "$server" "$threads" "$a" "$b"
      if [[ -n $c ]]; then
        c=$(median <<<"${c%$'\n'}")
        printf ' %10.2f %10.2f %8.3f %8.3f' "$c" "$d" "$(ratio "$a" "$b")" \
          "$(ratio "$a" "$c")"
      else
        printf ' %10s %10.2f %8.3f %8s' - "$d" "$(ratio "$a" "$b")" -
      fi
      printf ' %8.3f\n' "$(ratio "$d" "$b")"
    done
  done
}

# ---- throughput ----

throughput() {
  local name threads
  printf '\nevents per second\n%-7s %-18s %8s %10s %10s %8s\n' server test \
    threads bench sysbench ratio
  for server in mysql pgsql; do
    set_job
    for name in oltp_point_select oltp_read_write; do
      for threads in ${THREADS:-16 64 256}; do
        both "$name" "${job[@]}" --threads="$threads" --time="$seconds" run
        printf '%-7s %-18s %8d %10.0f %10.0f %8.3f\n' "$server" "$name" \
          "$threads" "$ours" "$theirs" "$(ratio "$ours" "$theirs")"
      done
    done
  done
}

# ---- memory ----

# resident PROGRAM THREADS SCRIPT...: KiB when all threads have started; with
# one event per second almost all of them wait.  $busy: after so many seconds of
# work instead.
resident() {
  local line said='' rss='' pace=(--rate=1)
  [[ -z $busy ]] || pace=()
  [[ $1 != "$BENCH" ]] || pace+=(--db-connect-timeout=60) # sysbench has no limit
  "$1" "${@:3}" --threads="$2" "${pace[@]}" --time=120 run >"$work/pipe" 2>&1 &
  child=$!
  exec 3<"$work/pipe"
  while IFS= read -rt 60 line <&3; do
    said+=$line$'\n'
    if [[ $line == 'Threads started!' ]]; then
      [[ -z $busy ]] || sleep "$busy"
      rss=$(settled "$child")
      break
    fi
  done
  kill -TERM "$child" 2>/dev/null || :
  cat <&3 >/dev/null
  exec 3<&-
  wait "$child" 2>/dev/null || :
  child=
  [[ -n $rss ]] || die "'$1' did not start $2 threads:
$said"
  printf '%s\n' "$rss"
}

# each PROGRAM THREADS SCRIPT...: KiB for each thread beyond the first.
each() {
  local one all
  one=$(resident "$1" 1 "${@:3}") || exit 1
  all=$(resident "$1" "$2" "${@:3}") || exit 1
  calc "($all - $one) / ($2 - 1)"
}

# both_each THREADS SCRIPT...: sets a and b to the medians.
both_each() {
  local i
  a='' b=''
  for ((i = 0; i < PAIRS; i++)); do
    a+=$(each "$BENCH" "$@")$'\n' || exit 1
    b+=$(each "$SYSBENCH" "$@")$'\n' || exit 1
  done
  a=$(median <<<"${a%$'\n'}") b=$(median <<<"${b%$'\n'}")
}

memory() {
  local what n a b busy
  mkfifo "$work/pipe"
  printf 'function event() end\n' >"$work/idle.lua"
  cat >"$work/connect.lua" <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() end
LUA
  printf '\nKiB of memory per thread, at %d threads\n' "$connections"
  printf '%-7s %-34s %10s %10s %8s\n' server 'with' bench sysbench ratio
  for server in mysql pgsql; do
    set_job
    for what in 'Lua state' 'Lua state and connection' oltp_point_select \
      'oltp_point_select, at work'; do
      busy=
      case $what in
        'Lua state') set -- "$work/idle.lua" ;;
        oltp_*) set -- oltp_point_select "${job[@]}" ;;
        *) set -- "$work/connect.lua" "${where[@]}" ;;
      esac
      [[ $what != *work ]] || busy=$seconds
      both_each "$connections" "$@"
      printf '%-7s %-34s %10.1f %10.1f %8.3f\n' "$server" "$what" "$a" "$b" \
        "$(ratio "$a" "$b")"
    done
    busy=
    for n in $many; do
      what="oltp_point_select, $n threads"
      (
        both_each "$n" oltp_point_select "${job[@]}"
        printf '%-7s %-34s %10.1f %10.1f %8.3f\n' "$server" "$what" "$a" "$b" \
          "$(ratio "$a" "$b")"
      ) || printf '%-7s %-34s: the server was too slow for them\n' "$server" "$what"
    done
  done
}

# The options of $server.
set_job() {
  declare -gn where=$server
  job=("${where[@]}" "${common[@]}")
}

title 'the client of a database'
for server in mysql pgsql; do
  set_job
  "$BENCH" oltp_read_write "${job[@]}" --threads=4 prepare >/dev/null
done
"${pgbench[@]}" -i -I dtgp -q "$PG_DB" >/dev/null 2>&1 || die 'pgbench -i failed'
for part in cpu throughput memory; do
  ! has_part "$part" || "$part"
done
