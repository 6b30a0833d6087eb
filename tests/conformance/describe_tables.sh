#!/usr/bin/env bash
# describe_tables.sh KIND DIR - prints what the server of tests/db/servers.sh in
# DIR knows of the structure of all tables of the tests.
set -euo pipefail
servers=${BENCH_SRC:?}/tests/db/servers.sh

sql() { bash "$servers" sql "$dir" "$1"; }

kind=$1 dir=$2
case $kind in
  mysql)
    for table in $(sql "SELECT table_name FROM information_schema.tables
        WHERE table_schema = 'sbtest' ORDER BY 1"); do
      sql "SHOW CREATE TABLE sbtest.$table"
    done
    ;;
  pgsql)
    sql "SELECT table_name, ordinal_position, column_name, data_type,
        character_maximum_length, is_nullable, column_default
      FROM information_schema.columns WHERE table_schema = 'public'
      ORDER BY 1, 2"
    sql "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"
    sql "SELECT conrelid::regclass, conname, pg_get_constraintdef(oid)
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 2"
    sql "SELECT sequencename, data_type, increment_by, start_value, min_value,
        max_value, cycle FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1"
    ;;
esac
