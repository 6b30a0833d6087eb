# shellcheck shell=bash
# standby.bash - two servers: of PostgreSQL, of which the second one follows the
# first, or of MySQL.
#
# The file that loads it has loaded helper, and its teardown is stop_both.

# needs KIND: or the test is skipped.
needs() {
  servers has "$1" && "$BENCH" --db-driver=help 2>&1 | grep -q "^ *$1" ||
    skip "no $1 server, or built without $1"
}

# both_ports: $port_a, $port_b.
both_ports() {
  servers_env "$dir/a"
  port_a=$PG_PORT
  servers_env "$dir/b"
  port_b=$PG_PORT
}

# primary_and_standby FLAG...: $port_a, $port_b; what the first one acknowledges
# the second one has.
primary_and_standby() {
  needs pgsql
  table=counter
  servers start pgsql "$dir/a" --set=synchronous_commit=on "$@"
  servers sql "$dir/a" "CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
    GRANT ALL ON counter TO sbtest, sbpass; INSERT INTO counter VALUES (1, 0)"
  servers start pgsql "$dir/b" --standby-of="$dir/a" "$@"
  servers sql "$dir/a" "ALTER SYSTEM SET synchronous_standby_names = '*'"
  servers sql "$dir/a" "SELECT pg_reload_conf()" >/dev/null
  in_step() { [[ $(servers sql "$dir/a" "SELECT sync_state FROM pg_stat_replication") == sync ]]; }
  within 30 in_step
  both_ports
  base=("$BENCH" "$events" --db-driver=pgsql --pgsql-host=127.0.0.1
    --pgsql-port="$port_a,$port_b")
}

# cut_off: the standby b receives nothing more.
cut_off() {
  servers sql "$dir/b" "ALTER SYSTEM SET primary_conninfo = ''"
  servers sql "$dir/b" "SELECT pg_reload_conf()" >/dev/null
  gone() { [[ $(servers sql "$dir/a" "SELECT count(*) FROM pg_stat_replication") == 0 ]]; }
  within 30 gone
}

# two_mysql: the servers a, on $port_a, and b, on $MY_PORT, each with a $table.
two_mysql() {
  needs mysql
  table=sbtest.counter
  for name in a b; do
    servers start mysql "$dir/$name" --set=innodb_flush_log_at_trx_commit=2
    servers sql "$dir/$name" "CREATE TABLE sbtest.counter (id INT PRIMARY KEY, n INT NOT NULL);
      INSERT INTO sbtest.counter VALUES (1, 0)"
  done
  servers_env "$dir/a"
  port_a=$MY_PORT
  servers_env "$dir/b"
}

stop_both() {
  proxy_gone
  for name in a b; do
    [[ ! -e $dir/$name/state ]] || servers stop "$dir/$name"
  done
}

# Commits seen by the server that is left; `now_at` says which.
counted() { servers sql "$dir/${now_at:-a}" "SELECT n FROM $table WHERE id = 1"; }
