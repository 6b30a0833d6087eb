#!/usr/bin/env bats
# dialect.bats - --dialect: files of users on SQLite, and what is refused; tests/db/dialect.bats
# has servers.
load helper
NEEDS_DRIVER=sqlite

t() {
  bench "$1" oltp_read_write --db-driver=sqlite --sqlite-db=t.db --table-size=900 "${@:2}"
}

@test "a file renames types, leaves out an index, and says how rows are loaded" {
  cat >mine.dialect <<'TXT'
# my server
driver = sqlite

type.CHAR = VARCHAR
type.INTEGER = BIGINT
index = skip
skip = analyze
load = insert
load-rows = 250
load-bytes = 20K
TXT
  t -0 --dialect=mine.dialect --auto-inc=off --load-analyze=on prepare
  must lacks "$output" 'secondary index'
  sqlite3 t.db .schema >schema
  must grep -q '  id BIGINT NOT NULL,' schema
  must grep -q '  k BIGINT DEFAULT' schema
  must grep -q '  pad VARCHAR(60) DEFAULT' schema
  must is "$(grep -c -e INDEX -e sqlite_stat schema)" 0
  must is "$(sqlite3 t.db 'SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest1')" '900|1|900'
  t -0 --dialect=mine.dialect --auto-inc=off check
  must has "$output" "Checking table 'sbtest1'... ok"
  t -0 --dialect=mine.dialect --events=9 --json=r.json run
  must lacks "$stderr" 'index'
  check r.json 'd["database"]["dialect"] == "mine.dialect"' 'd["options"]["dialect"]["value"] == "mine.dialect"'
  # Without the dialect, these are not the types of bench's own tables.
  t -1 cleanup
  must has "$stderr" "was not made by bench"
  t -0 --dialect=mine.dialect cleanup
}

@test "without a file, results name the dialect, and nothing else changes" {
  t -0 prepare
  sqlite3 t.db .schema >schema
  must grep -q '  id INTEGER PRIMARY KEY AUTOINCREMENT,' schema
  must grep -q 'CREATE INDEX k_1 ON sbtest1(k)' schema
  t -0 --events=5 --json=r.json run
  must lacks "$output$stderr" ialect
  check r.json 'd["database"]["dialect"] == "sqlite"'
  t -0 --dialect=sqlite --events=5 --json=r.json run
  check r.json 'd["database"]["dialect"] == "sqlite"'
}

@test "each malformed line is named, with what is allowed" {
  while IFS='|' read -r line says; do
    printf '# a comment\n\n%s\n' "$line" >bad.dialect
    t -1 --dialect=bad.dialect prepare
    must is "$stderr" "FATAL: $says, bad.dialect:3"
  done <<'TXT'
loda = insert|Unknown key 'loda' in a dialect (expected one of: driver, index, skip, ids, primary-key, ddl, load, load-rows, load-bytes, retry, ps-mode, server-stats, type.NAME)
type. = INT|Unknown key 'type.' in a dialect (expected one of: driver, index, skip, ids, primary-key, ddl, load, load-rows, load-bytes, retry, ps-mode, server-stats, type.NAME)
driver = oracle|Invalid value for driver: 'oracle' (expected one of: mysql, pgsql, sqlite)
index =|Invalid value for index: '' (expected a text that is not empty)
skip = analyze, vacuum|Invalid value for skip: 'vacuum' (expected a comma-separated list of: analyze, fillfactor, sequence, session)
ids = none|Invalid value for ids: 'none' (expected one of: any, client, server)
primary-key = never|Invalid value for primary-key: 'never' (expected one of: after, before)
ddl = 1|Invalid value for ddl: '1' (expected one of: any, alone)
load|No value for 'load' (expected load = VALUE)
load = fast|Invalid value for load: 'fast' (expected one of: auto, insert, bulk)
load-rows = many|Invalid value for load-rows: 'many' (expected an integer from 0 to 1000000)
load-bytes = 2G|Invalid value for load-bytes: '2G' (expected a size from 0 to 1073741824, such as 64K, 2M or 1G)
retry = 40001, no!|Invalid value for retry: 'no!' (expected error numbers, SQLSTATEs of five characters or classes of two characters)
ps-mode = native|Invalid value for ps-mode: 'native' (expected one of: auto, prepared, unnamed, simple, disable)
server-stats = never|Invalid value for server-stats: 'never' (expected on or off)
TXT
}

@test "an unknown name, a file that cannot be read, another driver" {
  local names='cockroachdb, redshift, aurora-dsql, tidb, mariadb, mysql, postgresql, sqlite'
  t -1 --dialect=oracle prepare
  must is "$stderr" "FATAL: Invalid value for --dialect: 'oracle' (expected one of: $names, or a file)"
  t -1 --dialect=/ run
  must is "$stderr" "FATAL: Invalid value for --dialect: '/' (expected one of: $names, or a file: Is a directory)"
  t -1 --dialect=redshift prepare
  must is "$stderr" 'FATAL: --dialect=redshift is for --db-driver=pgsql, not sqlite'
  bench -0 oltp_read_write --db-driver=null --dialect=redshift --events=5 --time=0 run
}

@test "errors of a dialect are retried" {
  cat >busy.lua <<'LUA'
local n = 0
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  n = n + 1
  if n % 2 == 0 then con:query("SELECT * FROM missing") end
end
LUA
  bench -1 ./busy.lua --db-driver=sqlite --sqlite-db=t.db --events=6 --time=0 run
  must has "$stderr" 'no such table'
  echo 'retry = 1' >mine.dialect
  bench -0 ./busy.lua --db-driver=sqlite --sqlite-db=t.db --dialect=mine.dialect --events=6 --time=0 --json=r.json run
  check r.json 'd["totals"]["events"] == 6' 'd["totals"]["errors"] > 0'
}
