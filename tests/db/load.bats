#!/usr/bin/env bats
# load.bats - prepare against real servers: the same rows by every way and any
# number of threads, interruptions, and what a server may refuse.

. "$BENCH_SRC/tests/db/every_kind.bash"

setup_file() {
  mysql_flags=(--tls --local-infile=on --set=max_allowed_packet=16M)
  start_kinds
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  export LUA_PATH="./?.lua;$BENCH_SRC/src/lua/scripts/?.lua;;"
}

# need KIND: its server runs; `to` has the options that lead there.
need() {
  need_kind "$1"
  aim "$1"
}

aim() {
  kind=$1
  servers_env "$BATS_FILE_TMPDIR/$kind"
  case $kind in
    mysql) to=(--db-driver=mysql --mysql-socket="$MY_SOCKET") ;;
    pgsql) to=(--db-driver=pgsql --pgsql-host=127.0.0.1
      --pgsql-port="$PG_PORT") ;;
  esac
}

# oltp ARG...: a command; out, err, status.
oltp() {
  status=0
  "$BENCH" oltp_common "${to[@]}" "$@" >out 2>err || status=$?
}

# good ARG...: a command that succeeds.
good() {
  oltp "$@"
  [ "$status" -eq 0 ] || {
    printf 'status %s of: %s\n' "$status" "$*"
    cat out err
    return 1
  }
}

# bad STATUS PATTERN ARG...: a command that fails and says so.
bad() {
  local want=$1 pattern=$2
  shift 2
  oltp "$@"
  [ "$status" -eq "$want" ] && grep -Eq -- "$pattern" err || {
    printf 'status %s of: %s\n' "$status" "$*"
    cat out err
    return 1
  }
}

must_be_empty() {
  [ ! -s "$1" ] || {
    cat "$1"
    return 1
  }
}

# sum TABLES: a checksum of all rows.
sum() {
  cat >sum.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   for n = 1, tonumber(sysbench.opt.count) do
      local rs = con:query("SELECT id, k, c, pad FROM sbtest" .. n ..
                           " ORDER BY id")
      for _ = 1, rs.nrows do
         print("= " .. table.concat({unpack(rs:fetch_row(), 1, 4)}, " "):
               gsub(" +", " "))
      end
   end
end
LUA
  "$BENCH" ./sum.lua "${to[@]}" --count="$1" prepare | grep '^=' |
    sed 's/[[:space:]0-9]*$//;s/ *$//' | cksum
}

same_rows() {
  local size=(--table-size=20000) first=
  for tables in 1 3; do
    first=
    for args in --threads=1 --threads=8 --load-method=insert \
      '--load-method=insert --threads=8' \
      '--load-method=bulk --threads=2 --create-index=before' "$@"; do
      # shellcheck disable=SC2086
      good "${size[@]}" --tables=$tables $args prepare
      good "${size[@]}" --tables=$tables --threads=2 check
      now=$(sum $tables)
      [ "${first:=$now}" = "$now" ]
      good --tables=$tables cleanup
    done
    eval "sum_$tables=\$first"
  done
  # what all databases have in common
  printf '%s %s\n' "$sum_1" "$sum_3" >>"$BATS_FILE_TMPDIR/sums"
  [ "$(sort -u "$BATS_FILE_TMPDIR/sums" | wc -l)" -eq 1 ]
}

# size_on KIND: the tables have 15 % more or less than the size that was asked for.
size_on() {
  need "$1"
  local case bytes
  for case in 'oltp_read_write --tables=2|40' 'ycsb|40' 'json|40' "tpcc|$([[ $kind == pgsql ]] && echo 114 || echo 96)"; do
    local words=${case%|*} size=${case#*|}
    # shellcheck disable=SC2086 # words
    "$BENCH" $words "${to[@]}" --threads=2 --data-size="${size}M" prepare >out 2>&1 || { cat out; return 1; }
    grep -qE "^--data-size=${size}M: [0-9]+ (rows per table|records|documents|warehouse)$" out
    if [[ $kind == pgsql ]]; then
      bytes=$(servers sql "$BATS_FILE_TMPDIR/pgsql" \
        "SELECT SUM(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
    else
      servers sql "$BATS_FILE_TMPDIR/mysql" "SELECT CONCAT('ANALYZE TABLE sbtest.', table_name, ';') FROM
        information_schema.tables WHERE table_schema = 'sbtest'" >analyze
      servers sql "$BATS_FILE_TMPDIR/mysql" "$(cat analyze)" >/dev/null
      bytes=$(servers sql "$BATS_FILE_TMPDIR/mysql" \
        "SELECT SUM(data_length + index_length) FROM information_schema.tables WHERE table_schema = 'sbtest'")
    fi
    printf '%s: %s bytes\n' "$case" "$bytes"
    ((bytes > size * 1048576 * 85 / 100 && bytes < size * 1048576 * 115 / 100))
    # shellcheck disable=SC2086 # words
    "$BENCH" ${words%% *} "${to[@]}" cleanup >out 2>&1
  done
}

@test "mysql: --data-size" { size_on mysql; }
@test "pgsql: --data-size" { size_on pgsql; }

@test "mysql: the same rows by any way, over a plain socket and by the library" {
  need mysql
  same_rows "--mysql-host=127.0.0.1 --mysql-socket= --mysql-port=$MY_PORT --mysql-ssl=on"
}

@test "pgsql: the same rows by any way" {
  need pgsql
  same_rows
}

@test "numbers that the database makes go on after those of the rows" {
  for kind in $kinds; do
    aim "$kind"
    for method in insert bulk; do
      good --table-size=300 --load-method=$method --load-analyze=on prepare
      cat >next.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("INSERT INTO sbtest1(k) VALUES (1)")
   print("next " .. con:query_row("SELECT MAX(id) FROM sbtest1"))
end
LUA
      "$BENCH" ./next.lua "${to[@]}" prepare | grep '^next 301$'
      good cleanup
    done
  done
}

# The load in the background has begun to send rows.
has_begun() {
  until grep -q Inserting out; do
    kill -0 "$1"
  done
}

@test "SIGINT in the middle, then resume" {
  for kind in $kinds; do
    aim "$kind"
    : >out
    "$BENCH" oltp_common "${to[@]}" --table-size=600000 --threads=3 prepare \
      >out 2>err &
    pid=$!
    has_begun $pid
    kill -INT $pid
    status=0
    wait $pid || status=$?
    cat err
    [ "$status" -eq 130 ]
    grep -q '^WARNING: interrupted: [0-9]* of 600000 rows' err
    good --table-size=600000 --threads=2 --table-exists=resume prepare
    good --table-size=600000 check
    good cleanup
  done
}

@test "the server is killed in the middle, then resume" {
  for kind in $kinds; do
    aim "$kind"
    : >out
    "$BENCH" oltp_common "${to[@]}" --table-size=600000 --threads=3 prepare \
      >out 2>err &
    pid=$!
    has_begun $pid
    servers kill9 "$BATS_FILE_TMPDIR/$kind"
    status=0
    wait $pid || status=$?
    cat err
    [ "$status" -eq 1 ]
    grep -Eq "cannot load rows [0-9]+ to [0-9]+ \(chunk [0-9]+ of [0-9]+\) into 'sbtest1'" err
    servers restart "$BATS_FILE_TMPDIR/$kind"
    aim "$kind"
    good --table-size=600000 --threads=2 --table-exists=resume prepare
    good --table-size=600000 check
    good cleanup
  done
}

# admin SQL: its result, as the administrator.
admin() {
  servers sql "$BATS_FILE_TMPDIR/$kind" "$1"
}

# From here on a commit is written down, and then waits for a standby that never
# comes; the server needs a moment to hear of it.
commits_wait() {
  admin "ALTER SYSTEM SET synchronous_standby_names = 'nobody'"
  admin "SELECT pg_reload_conf()"
  until [ "$(admin "SHOW synchronous_standby_names")" = nobody ]; do :; done
}

commits_go_on() {
  admin "ALTER SYSTEM RESET synchronous_standby_names"
  admin "SELECT pg_reload_conf()"
}

# committing ARG...: in the background; its process is $pid.
committing() {
  PGOPTIONS='-c synchronous_commit=on' "$BENCH" "$@" >out 2>err 3>&- &
  pid=$!
}

# Ends the backend of $pid that waits with this statement.
cut_off() {
  local waiting="FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = '$1'"
  until [ "$(admin "SELECT count(pg_terminate_backend(pid)) $waiting")" = 1 ]; do
    kill -0 $pid
  done
}

@test "pgsql: a COMMIT is executed, and its answer lost" {
  need pgsql
  good --table-size=0 prepare
  commits_wait # so there are many
  committing oltp_common "${to[@]}" --table-size=100000 --table-exists=resume \
    --db-ignore-errors=connection prepare
  cut_off COMMIT
  until grep -q ' lost ' err; do kill -0 $pid; done
  commits_go_on
  status=0
  wait $pid || status=$?
  cat out err
  [ "$status" -eq 0 ]
  good --table-size=100000 check
  good cleanup
}

@test "a table that is there is an error, which ends the command" {
  for kind in $kinds; do
    aim "$kind"
    good --table-size=100 prepare
    bad 1 'sbtest1' --table-size=100 --tables=2 prepare
    good --tables=2 cleanup
  done
}

@test "a user who may only read" {
  for kind in $kinds; do
    aim "$kind"
    good --table-size=0 prepare
    case $kind in
      mysql) set=('SET GLOBAL read_only=1' 'SET GLOBAL read_only=0') ;;
      *) set=('ALTER ROLE sbtest SET default_transaction_read_only=on'
        'ALTER ROLE sbtest RESET default_transaction_read_only') ;;
    esac
    servers sql "$BATS_FILE_TMPDIR/$kind" "${set[0]}"
    bad 1 "cannot load rows 1 to 5000 .* into 'sbtest1': .*read-only" --table-size=6000 --table-exists=resume prepare
    servers sql "$BATS_FILE_TMPDIR/$kind" "${set[1]}"
    # and one who has not been given more
    case $kind in
      mysql)
        servers sql "$BATS_FILE_TMPDIR/$kind" \
          "CREATE USER reader@'%', reader@localhost;
          GRANT SELECT ON sbtest.* TO reader@'%';
          GRANT SELECT ON sbtest.* TO reader@localhost"
        as=(--mysql-user=reader)
        ;;
      *)
        servers sql "$BATS_FILE_TMPDIR/$kind" 'REVOKE INSERT ON sbtest1 FROM sbtest'
        as=()
        ;;
    esac
    bad 1 "cannot load rows 1 to 5000 \(chunk 1 of 2\) into 'sbtest1': .*denied" \
      "${as[@]}" --table-size=6000 --table-exists=resume prepare
    [ "$kind" = mysql ] || servers sql "$BATS_FILE_TMPDIR/$kind" \
      'GRANT INSERT ON sbtest1 TO sbtest'
    good --table-size=6000 --table-exists=resume prepare
    good --table-size=6000 check
    good cleanup
  done
}

# A file system of so many megabytes at $small.
small_disk() {
  small=$(mktemp -d /tmp/bench-small.XXXXXX)
  mount -t tmpfs -o "size=$1m,mode=755" bench "$small" 2>err || {
    rmdir "$small"
    small=
    skip "file systems cannot be mounted here: $(<err)"
  }
}

no_small_disk() {
  umount "$small" && rmdir "$small"
  small=
}

teardown() {
  [ -z "${small:-}" ] || {
    umount -l "$small"
    rmdir "$small"
  }
}

@test "no room on the server's disk, then resume" {
  for kind in $kinds; do
    aim "$kind"
    small_disk 24
    case $kind in
      mysql)
        owner=$(stat -c %U "$MY_DATA")
        options="DATA DIRECTORY='$small'"
        ;;
      *)
        owner=$(stat -c %U "$PG_DATA")
        options='TABLESPACE small'
        ;;
    esac
    chown "$owner" "$small"
    [ "$kind" = mysql ] || {
      servers sql "$BATS_FILE_TMPDIR/$kind" \
        "CREATE TABLESPACE small LOCATION '$small'"
      servers sql "$BATS_FILE_TMPDIR/$kind" \
        'GRANT CREATE ON TABLESPACE small TO sbtest'
    }
    bad 1 "cannot load rows [0-9]+ to [0-9]+ \(chunk [0-9]+ of [0-9]+\) into 'sbtest1': .*(full|space)" \
      --table-size=200000 --threads=2 "--create-table-options=$options" prepare
    mount -o remount,size=400m "$small"
    good --table-size=200000 --threads=2 --table-exists=resume prepare
    good --table-size=200000 check
    good cleanup
    [ "$kind" = mysql ] ||
      servers sql "$BATS_FILE_TMPDIR/$kind" 'DROP TABLESPACE small'
    no_small_disk
  done
}

@test "mysql: local_infile off" {
  need mysql
  servers sql "$BATS_FILE_TMPDIR/mysql" 'SET GLOBAL local_infile=OFF'
  good --table-size=20000 prepare
  good --table-size=20000 check
  good cleanup
  bad 1 'load-method=bulk is not possible: .*local_infile is off' \
    --table-size=20000 --load-method=bulk prepare
  servers sql "$BATS_FILE_TMPDIR/mysql" 'SET GLOBAL local_infile=ON'
  good cleanup
}

@test "pgsql: rows go over as text where the binary form is refused" {
  need pgsql
  # a type without a binary form, a column of another width
  servers sql "$BATS_FILE_TMPDIR/pgsql" "
    CREATE TYPE word;
    CREATE FUNCTION word_in(cstring) RETURNS word
      AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
    CREATE FUNCTION word_out(word) RETURNS cstring
      AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
    CREATE TYPE word (INPUT = word_in, OUTPUT = word_out, LIKE = text);
    CREATE CAST (word AS text) WITHOUT FUNCTION AS IMPLICIT;"
  for columns in 'id INT PRIMARY KEY, k INT, c word' \
    'id BIGINT PRIMARY KEY, k INT, c CHAR(120)'; do
    servers sql "$BATS_FILE_TMPDIR/pgsql" "
        CREATE TABLE sbtest1 ($columns, pad CHAR(60));
      ALTER TABLE sbtest1 OWNER TO sbtest;"
    good --table-size=12000 --threads=2 --auto-inc=off --table-exists=resume \
      --force --load-method=bulk prepare
    grep -v '^Loaded 12000 rows in [0-9.]* s, [0-9]* rows/s$' err >remarks || :
    must_be_empty remarks
    good --table-size=12000 check
    good --force cleanup
  done
  # the server's own word for it
  servers sql "$BATS_FILE_TMPDIR/pgsql" "
    CREATE TABLE copied (c word);
    COPY copied FROM STDIN (FORMAT binary);" >out 2>&1 || :
  grep -q 'no binary input function' out
}

@test "ids of the client in the legacy insert fit every server's column" {
  for kind in $kinds; do
    aim "$kind"
    for script in "oltp prepare" "insert run" "oltp cleanup"; do
      "$BENCH" "$BENCH_SRC/src/lua/scripts/oltp_legacy/${script% *}.lua" "${to[@]}" \
        --oltp-table-size=10 --oltp-auto-inc=off --max-requests=30 "${script#* }" \
        >out 2>err || { cat out err; false; }
    done
  done
}

@test "the legacy scripts load by the same ways" {
  for kind in $kinds; do
    aim "$kind"
    "$BENCH" "$BENCH_SRC/src/lua/scripts/oltp_legacy/oltp.lua" "${to[@]}" \
      --oltp-table-size=12000 --oltp-tables-count=2 --num-threads=3 prepare \
      >out 2>err || { cat out err; false; }
    good --table-size=12000 --tables=2 check
    cat >next.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("INSERT INTO sbtest1(k) VALUES (1)")
   print("next " .. con:query_row("SELECT MAX(id) FROM sbtest1"))
end
LUA
    "$BENCH" ./next.lua "${to[@]}" prepare | grep '^next 12001$'
    good --tables=2 cleanup
  done
}

@test "mysql: packets of the size that the server takes" {
  need mysql
  servers sql "$BATS_FILE_TMPDIR/mysql" 'SET GLOBAL max_allowed_packet=65536'
  for args in --load-method=insert --load-method=bulk \
    "--mysql-host=127.0.0.1 --mysql-socket= --mysql-port=$MY_PORT --mysql-ssl=on"; do
    # shellcheck disable=SC2086
    good --table-size=20000 $args prepare
    good --table-size=20000 check
    good cleanup
  done
  cat >rows.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE sbtest1 (id INT PRIMARY KEY, c CHAR(100))")
   con:bulk_insert_init("INSERT INTO sbtest1 VALUES")
   for i = 1, 5000 do
      con:bulk_insert_next(("(%d,'%s')"):format(i, ("x"):rep(100)))
   end
   con:bulk_insert_done()
   print("rows " .. con:query_row("SELECT COUNT(*) FROM sbtest1"))
end
LUA
  "$BENCH" ./rows.lua "${to[@]}" prepare | grep '^rows 5000$'
  servers sql "$BATS_FILE_TMPDIR/mysql" 'SET GLOBAL max_allowed_packet=16777216'
  good --force cleanup
}

@test "mysql: an engine without transactions is resumed, too" {
  need mysql
  good --table-size=30000 --mysql-storage-engine=myisam --threads=4 prepare
  servers sql "$BATS_FILE_TMPDIR/mysql" \
    'DELETE FROM sbtest.sbtest1 WHERE id BETWEEN 7000 AND 12000'
  good --table-size=30000 --threads=4 --table-exists=resume prepare
  good --table-size=30000 check
  good cleanup
}

@test "copied rows of a script" {
  cat >copy.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("DROP TABLE IF EXISTS users")
   con:query("CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(99), x REAL)")
   local function row(i)
      if i == 3 then return i end
      return i, "a\tb\\c\n'" .. i .. "'", i / 4
   end
   local columns = {"id", "name", "x"}
   print(con:copy_rows{table = "users", columns = columns, last = 30000,
                       row = row})
   print(con:query_row("SELECT COUNT(*), COUNT(name), SUM(id) FROM users"))
   print(con:query_row("SELECT name = 'a\tb" ..
      (con.driver:name() == "mysql" and "\\\\" or "\\") ..
      "c\n''7''', x FROM users WHERE id = 7"))
   for _, bad in ipairs({
      function(i) return i == 40900 and 1 or i end,
      function(i) if i == 40900 then error("mine", 0) end return i end,
      function(i) return i, {} end}) do
      local ok, err = pcall(con.copy_rows, con, {table = "users",
         columns = columns, first = 40000, last = 41000, row = bad})
      print(ok, (tostring(err):gsub("^.-state = ", ""):gsub(":.*", "")))
   end
   con:query("BEGIN")
   con:query("DELETE FROM users WHERE id = 1")
   print(pcall(con.copy_rows, con, {table = "users", columns = columns,
                                    first = 2, last = 2, row = row}))
   con:query("COMMIT")
   print(con:query_row("SELECT COUNT(*) FROM users"))
   con:query("DROP TABLE users")
end
LUA
  for kind in $kinds; do
    aim "$kind"
    "$BENCH" ./copy.lua "${to[@]}" prepare >out 2>err || { cat out err; false; }
    sed -n '/^30000$/,$p' out | sed -e 's/	1.75/ 1.75/' -e 's/^[t1] /yes /' >got
    cat got err
    [ "$(sed -n 1,3p got)" = "30000
30000	29999	450015000
yes 1.75" ]
    [ "$(sed -n '4,6p' got | cut -f1)" = "false
false
false" ]
    sed -n 4p got | grep -q "'23"
    sed -n 5p got | grep -q mine
    sed -n 6p got | grep -q 'copy_rows'
    sed -n 7p got | grep -q ^false
    # PostgreSQL has rolled back all of it: its list of ignorable errors has
    # this one
    case $kind in
      pgsql) [ "$(sed -n 8p got)" = 30000 ] ;;
      *) [ "$(sed -n 8p got)" = 29999 ] ;;
    esac
  done
}

@test "pgsql: copied rows, whose COMMIT is executed and its answer lost" {
  need pgsql
  cat >copy.lua <<'LUA'
local function connect() con = sysbench.sql.driver():connect() end
function prepare()
   connect()
   con:query("CREATE TABLE copied (id INT)")
   con:query("CREATE TABLE many (id INT)")
end
function cleanup()
   connect()
   con:copy_rows{table = "copied", columns = {"id"}, last = 10,
                 row = function(i) return i end}
end
LUA
  cat >many.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   while true do con:query("INSERT INTO many VALUES (1)") end
end
LUA
  "$BENCH" ./copy.lua "${to[@]}" prepare
  commits_wait
  committing ./many.lua "${to[@]}" prepare # until the first of them waits
  cut_off "INSERT INTO many VALUES (1)"
  wait $pid && false
  committing ./copy.lua "${to[@]}" --db-ignore-errors=connection cleanup
  cut_off COMMIT
  status=0
  wait $pid || status=$?
  commits_go_on
  cat out err
  [ "$status" -eq 1 ]
  grep -q 'copy_rows: the answer to COMMIT was lost' err
  [ "$(servers sql "$BATS_FILE_TMPDIR/$kind" "SELECT count(*) FROM copied")" = 10 ]
}

@test "copied rows whose function uses the same connection" {
  cat >ask.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   for _, name in ipairs({"asked", "other"}) do
      con:query("DROP TABLE IF EXISTS " .. name)
      con:query("CREATE TABLE " .. name .. " (i INT, t VARCHAR(100))")
   end
   local columns = {"i", "t"}
   local rest = ("x"):rep(100)
   local function row(i)
      if i % 5000 == 1 then
         con:query("SELECT 1") -- its rows stay open
         return i, con:query_row("SELECT CONCAT('a', 7)")
      elseif i == 12000 then
         con:copy_rows{table = "other", columns = columns, last = 10,
                       row = function(k) return k, rest end}
      end
      return i, rest
   end
   print("copied", con:copy_rows{table = "asked", columns = columns,
                                 last = 20000, row = row})
   print("asked", con:query_row("SELECT COUNT(*), MIN(t), SUM(i) FROM asked"))
   print("other", con:query_row("SELECT COUNT(*) FROM other"))
   con:query("DROP TABLE asked")
   con:query("DROP TABLE other")
end
LUA
  for kind in $kinds; do
    aim "$kind"
    timeout 100 "$BENCH" ./ask.lua "${to[@]}" prepare >out 2>err || { cat out err; false; }
    grep -E '^(copied|asked|other)' out >got
    diff got - <<'TEXT'
copied	20000
asked	20000	a7	200010000
other	10
TEXT
  done
}

@test "copied rows fit into the packets that the server takes" {
  need mysql
  cat >copy.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE texts (id INT PRIMARY KEY, t LONGTEXT)")
   local function copy(first, last, len)
      return con:copy_rows{table = "texts", columns = {"id", "t"},
         first = first, last = last,
         row = function(i) return i, ("x"):rep(len(i)) end}
   end
   print(copy(1, 3000, function(i) return i % 200 end))
   print(copy(3001, 3020, function(i) return i % 2 * 60000 end))
   -- the largest that fits, and one byte more
   local most = 65536 - 4 - #"INSERT INTO texts (id,t) VALUES (4001,'')"
   print(copy(4001, 4001, function() return most end))
   print(pcall(copy, 4000, 4002, function(i)
      return i == 4001 and most + 1 or i == 4000 and 5 or 0 end))
   print(con:query_row("SELECT COUNT(*), SUM(LENGTH(t)), " ..
      "SUM(id IN (4000, 4002)) FROM texts"))
end
LUA
  servers start mysql "$BATS_TEST_TMPDIR/small" --set=max_allowed_packet=64K
  servers_env "$BATS_TEST_TMPDIR/small"
  status=0
  "$BENCH" ./copy.lua --db-driver=mysql --mysql-socket="$MY_SOCKET" \
    prepare >out 2>err || status=$?
  servers stop "$BATS_TEST_TMPDIR/small"
  cat out err
  [ "$status" -eq 0 ]
  [ "$(sed -n '/^3000$/,$p' out)" = "3000
20
1
false	copy_rows: row 4001 makes a statement of 65533 bytes, \
the server takes at most 65532 (max_allowed_packet)
3021	$((15 * 19900 + 10 * 60000 + 65532 - 41))	0" ]
  [ ! -s err ]
}

@test "mysql: a storage engine that does not exist drops no table" {
  need mysql
  good --table-size=10 prepare
  bad 1 "Unknown storage engine 'foo'" --table-size=10 --table-exists=drop --mysql-storage-engine=foo prepare
  good --table-size=10 check
  good --table-size=10 --table-exists=drop prepare
  good --table-size=10 check
  good cleanup
}

@test "pgsql: a table whose options are refused drops no table" {
  need pgsql
  good --table-size=10 prepare
  bad 1 'tablespace "nowhere" does not exist' --table-size=10 --table-exists=drop '--create-table-options=TABLESPACE nowhere' prepare
  good --table-size=10 check
  good cleanup
}

@test "pgsql: rows that a rule drops are missing" {
  need pgsql
  good --table-size=10 prepare
  cat >rule.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("DELETE FROM sbtest1")
   con:query("CREATE RULE nothing AS ON INSERT TO sbtest1 DO INSTEAD NOTHING")
end
LUA
  "$BENCH" ./rule.lua "${to[@]}" prepare >/dev/null
  bad 1 'the server has not stored 10 of the rows it was sent' --table-size=10 --table-exists=resume --load-method=insert prepare
  good cleanup
}

@test "mysql: tables that the disk of a local server has no room for are refused" {
  need mysql
  bad 1 "about [0-9.]+ [PT]iB needed in '/[^']*', [0-9.]+ [GMT]iB (free|of free memory|left)" --tables=1000 --table-size=1000000000 --threads=2 prepare
  [ "$(grep -c Creating out)" -eq 0 ]
}

@test "pgsql: the same, for a user that may see the folder" {
  need pgsql
  to=(--db-driver=pgsql --pgsql-host="$PG_SOCKET_DIR" --pgsql-port="$PG_PORT" --pgsql-user=postgres)
  bad 1 "about [0-9.]+ [PT]iB needed in '/[^']*', [0-9.]+ [GMT]iB (free|of free memory|left)" --tables=1000 --table-size=1000000000 --threads=2 prepare
  [ "$(grep -c Creating out)" -eq 0 ]
}
