#!/usr/bin/env bats
# seed_commands.bats - command lines that people published work as they stand, on
# a server with the accounts that they name.
load helper

setup_file() {
  start_server mysql
}

teardown_file() {
  stop_server
}

@test "published command lines" {
  aim mysql
  local tcp="--mysql-socket= --mysql-host=127.0.0.1 --mysql-port=$MY_PORT"
  servers sql "$BATS_FILE_TMPDIR/server" "CREATE DATABASE sysbench;
    CREATE DATABASE test_wjl;
    CREATE USER root@'%' IDENTIFIED BY '123456';
    GRANT ALL ON *.* TO root@'%';
    CREATE USER sysbench@'%' IDENTIFIED BY '123456';
    GRANT ALL ON sysbench.* TO sysbench@'%'"
  tap python3 "$here/seed_commands.py" "$BENCH" "$here/seed_commands.tsv" \
    "root=$tcp --mysql-user=root --mysql-password=123456" \
    "port=--mysql-port=$MY_PORT" \
    "server=$tcp --mysql-user=sbtest --mysql-password="
}
