#!/usr/bin/env bats
# The scripts that an installed sysbench brings along, run as they are: as many
# queries of each kind per event as sysbench itself makes, on every database.
load ../cli/helper
load ../lib/servers

folder=/usr/share/sysbench

setup_file() {
  command -v sysbench >/dev/null || { missing "sysbench is not installed"; return 0; }
  [[ -e /usr/share/sysbench/oltp_read_write.lua ]] || { missing "there are no scripts"; return 0; }
  local kind
  for kind in mysql pgsql; do
    "$BENCH" --db-driver=help | grep -q "^  $kind - " || continue
    servers has $kind || continue
    servers start $kind "$BATS_FILE_TMPDIR/$kind"
  done
}

# Reads, writes, others, queries, events and ignored errors of a report.
counts() {
  awk '/^ +(read|write|other|total):/ { printf "%s ", $2 }
    /^ +ignored errors:/ { ignored = $3 }
    /total number of events:/ { print $NF, ignored }'
}

# made PROGRAM SCRIPT ARGUMENT...: prints the counts of 20 events on new tables.
made() {
  local program=$1 script=$2 out
  shift 2
  "$program" "$script" "$@" prepare >said 2>&1 || { cat said && return 1; }
  out=$("$program" "$script" "$@" --events=20 --time=0 run 2>said) || { cat said && return 1; }
  "$program" "$script" "$@" cleanup >said 2>&1 || { cat said && return 1; }
  counts <<<"$out"
}

# The arguments of a driver; empty: it cannot be tested.
reach() {
  . "$BENCH_SRC/tests/db/servers.sh"
  local dir=$BATS_FILE_TMPDIR/$1
  [[ -d $dir ]] || return 0
  servers_env "$dir"
  case $1 in
  mysql) echo "--db-driver=mysql --mysql-socket=$MY_SOCKET --mysql-user=$MY_USER --mysql-db=$MY_DB" ;;
  pgsql) echo "--db-driver=pgsql --pgsql-host=$PG_SOCKET_DIR --pgsql-port=$PG_PORT --pgsql-user=$PG_USER --pgsql-db=$PG_DB" ;;
  esac
}

# like_sysbench SCRIPT ARGUMENT...: on each database.
like_sysbench() {
  skip_if_missing
  local script=$folder/$1.lua kind where theirs ours any=
  shift
  for kind in mysql pgsql; do
    where=$(reach $kind)
    [[ -n $where ]] || continue
    # shellcheck disable=SC2086
    theirs=$(made sysbench "$script" $where "$@")
    # shellcheck disable=SC2086
    ours=$(made "$BENCH" "$script" $where "$@")
    # Which rows of a table are left to delete is chance; the sum is not.
    [[ $script != */oltp_delete.lua ]] || {
      theirs=$(cut -d' ' -f4- <<<"$theirs") ours=$(cut -d' ' -f4- <<<"$ours")
    }
    must is "$ours" "$theirs"
    any=$theirs
  done
  ours=$(made "$BENCH" "$script" --db-driver=sqlite --sqlite-db=db "$@")
  [[ $script != */oltp_delete.lua ]] || ours=$(cut -d' ' -f4- <<<"$ours")
  must is "$ours" "${any:-$ours}"
}

@test "installed scripts: transactions" {
  like_sysbench oltp_read_write --tables=2 --table-size=300
  like_sysbench oltp_read_only --tables=2 --table-size=300
  like_sysbench oltp_write_only --tables=2 --table-size=300
}

@test "installed scripts: single statements" {
  local script
  for script in point_select update_index update_non_index insert delete; do
    like_sysbench oltp_$script --tables=2 --table-size=300
  done
}

@test "installed scripts: points, ranges, many rows at once" {
  like_sysbench select_random_points --tables=1 --table-size=300
  like_sysbench select_random_ranges --tables=1 --table-size=300
  like_sysbench bulk_insert
}
