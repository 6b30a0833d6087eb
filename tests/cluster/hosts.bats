#!/usr/bin/env bats
# One run on two hosts, which are network namespaces with their own names.
load helper

a="bench-a-$$" b="bench-b-$$" mca=()

teardown() {
  [ -z "${line_in-}" ] || eval "exec $line_in>&-" # which ends the line
  ip netns del "$a" 2>/dev/null || true
  ip netns del "$b" 2>/dev/null || true
  local i
  for i in 1 2 3; do
    ip netns del "bench-$i-$$" 2>/dev/null || true
    rm -rf "/etc/netns/bench-$i-$$"
  done
}

# Two namespaces without a line between them.
make_hosts() {
  only_openmpi
  command -v ip >/dev/null || skip "ip (iproute2) is not installed"
  ip netns add "$a" 2>/dev/null || skip "the kernel does not allow network namespaces"
  ip netns add "$b"
  ip netns exec "$a" true 2>/dev/null || skip "nothing can be run in network namespaces here"
  unshare --uts true 2>/dev/null || skip "the kernel does not allow hosts of other names"
  ip -n "$a" link set lo up
  ip -n "$b" link set lo up
  # In the place of ssh: HOST COMMAND...
  cat >agent <<AGENT
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
shift
exec ip netns exec $b unshare --uts sh -c "hostname host-b; \$*"
AGENT
  chmod +x agent
  printf '10.99.77.1 slots=1\n10.99.77.2 slots=2\n' >hosts
}

# A line between them that is as fast as the kernel.
near() {
  ip link add va netns "$a" type veth peer name vb netns "$b" ||
    skip "the kernel has no veth devices"
  ip -n "$a" addr add 10.99.77.1/24 dev va
  ip -n "$b" addr add 10.99.77.2/24 dev vb
  ip -n "$a" link set va up
  ip -n "$b" link set vb up
}

# far MILLISECONDS: a line on which packets take so long, each way.  The kernel
# can do that (netem), but not every kernel has it; a program always can.
far() {
  command -v python3 >/dev/null || skip "python3 is not installed"
  [ -c /dev/net/tun ] || skip "the kernel has no tun devices"
  coproc LINE { exec python3 "$BENCH_SRC/tests/cluster/far_line.py" \
    "$a" 10.99.77.1/24 "$b" 10.99.77.2/24 "$1" 2>line.err; }
  line_in=${LINE[1]}
  local word
  read -r word <&"${LINE[0]}" || skip "no tun device: $(tail -n 1 line.err)"
  is "$word" ready
}

# on_hosts N ARG...: as a user would do it, but for the agent.
on_hosts() {
  host_command "$@"
  run --separate-stderr timeout --kill-after=10 120 "${command[@]}"
}

# The same in the background, as start() does.
on_hosts_started() {
  host_command "$@"
  "${command[@]}" >out 2>err &
  pid=$!
  await out '^\[ [0-9]+s \]'
}

# host_command N ARG...; `mca` has further options of the launcher.
host_command() {
  local n=$1
  shift
  command=(ip netns exec "$a" unshare --uts sh -c 'hostname host-a; exec "$@"' sh
    "${launcher[@]}" --mca plm_rsh_agent "$PWD/agent" --mca btl tcp,self
    --mca btl_tcp_if_include 10.99.77.0/24 --mca oob_tcp_if_include 10.99.77.0/24
    "${mca[@]}" --hostfile hosts -n "$n" "$BENCH" "$@")
}

@test "two hosts" {
  make_hosts
  near
  sleeper
  on_hosts 3 ./sleeper.lua --threads=2 --time=2 --report-interval=1 --json=run.json run
  must is "$status" 0
  has "$stderr" '^cluster: 3 processes on 2 hosts .*, 2 threads each, 6 threads in all$'
  has "$output" '^\[ [12]s \] thds: 6 '
  check run.json "[r['host'] for r in d['ranks']] == ['host-a', 'host-b', 'host-b']" \
    "sum(r['events'] for r in d['ranks']) == d['totals']['events'] > 0" \
    "all(r['events'] > 0 for r in d['ranks'])"
}

# All have the same clock here, so that what the offset is wrong by shows in the
# start: the skew is not that of the line, 10 ms.
start_together() {
  on_hosts 3 ./sleeper.lua --threads=2 --time=3 --report-interval=1 --json=run.json run
  must is "$status" 0 &&
    check run.json "d['run']['start_skew_ns'] < $(is_busy && echo 50 || echo 5)000000" \
      "all(10000000 <= r['clock_error_ns'] < 100000000 for r in d['ranks'][1:])"
}

@test "two hosts that are far from each other" {
  make_hosts
  far 10
  sleeper
  sooner_or_later start_together
  check run.json "[r['host'] for r in d['ranks']] == ['host-a', 'host-b', 'host-b']" \
    "sum(r['events'] for r in d['ranks']) == d['totals']['events'] > 0" \
    "all(r['events'] > 0 for r in d['ranks'])" \
    "sum(i['events'] for i in d['intervals']) == d['totals']['events']"
  has "$output" '^\[ [123]s \] thds: 6 '
}

@test "SIGINT reaches hosts that are far" {
  make_hosts
  far 10
  sleeper
  on_hosts_started 3 ./sleeper.lua --time=60 --report-interval=1 --json=run.json run
  kill -INT "$pid"
  wait "$pid" || true
  must grep -q 'total number of events:' out
  check run.json "d['run']['end_reason'] == 'signal'" "not any(r['lost'] for r in d['ranks'])" \
    "sum(r['events'] for r in d['ranks']) == d['totals']['events'] > 0"
}

@test "a host is cut off: the rest is reported, and mpirun ends with the options of docs/cluster.md" {
  make_hosts
  near
  sleeper
  read -ra mca < <(sed -n 's/^ *\(--mca oob_tcp_keepalive_time.*\)/\1/p' "$BENCH_SRC/docs/cluster.md" |
    sed -E 's/(time|intvl|probes) [0-9]+/\1 1/g')
  must is "${#mca[@]}" 9
  on_hosts_started 2 ./sleeper.lua --time=300 --report-interval=1 run
  ip -n "$a" link set va down
  local status=0
  wait "$pid" || status=$?
  [ "$status" -ne 0 ]
  must grep -q 'total number of events:' out
  must grep -q 'process 1 on host-b did not' err
  must grep -q '^WARNING: the run is over; if mpirun does not end, interrupt it: ' err
}

# Three namespaces that are called client1 to client3 and know each other's
# names, in one network; `ip netns exec` puts the file of names in its place.
make_clients() {
  only_openmpi
  command -v ip >/dev/null || skip "ip (iproute2) is not installed"
  ip netns add "bench-1-$$" 2>/dev/null || skip "the kernel does not allow network namespaces"
  unshare --uts true 2>/dev/null || skip "the kernel does not allow hosts of other names"
  ip -n "bench-1-$$" link add net type bridge 2>/dev/null || skip "the kernel has no bridges"
  ip -n "bench-1-$$" link set net up
  ip -n "bench-1-$$" addr add 10.99.78.1/24 dev net
  local i names='127.0.0.1 localhost'
  for i in 1 2 3; do
    names+=$'\n'"10.99.78.$i client$i"
  done
  for i in 1 2 3; do
    [ $i = 1 ] || ip netns add "bench-$i-$$"
    ip -n "bench-$i-$$" link set lo up
    mkdir -p "/etc/netns/bench-$i-$$"
    printf '%s\n' "$names" >"/etc/netns/bench-$i-$$/hosts"
    [ $i != 1 ] || continue
    ip link add port$i netns "bench-1-$$" type veth peer name eth netns "bench-$i-$$" ||
      skip "the kernel has no veth devices"
    ip -n "bench-1-$$" link set port$i master net up
    ip -n "bench-$i-$$" addr add 10.99.78.$i/24 dev eth
    ip -n "bench-$i-$$" link set eth up
  done
  # Called like ssh is, found before it.
  mkdir bin
  cat >bin/ssh <<SSH
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
host=\$1
shift
exec ip netns exec "bench-\${host#client}-$$" unshare --uts sh -c "hostname \$host; cd '$PWD'; \$*"
SSH
  chmod +x bin/ssh
  ln -s "$BENCH" bin/bench
  ln -s "$(command -v "${launcher[0]}")" bin/mpirun
}

# example: the lines of the code block, joined; $1 picks them.
example() {
  sed -n '/^## Example/,/^## What/p' "$BENCH_SRC/docs/cluster.md" |
    sed -n 's/^    //p' | sed -e ':a' -e '/\\$/N; s/\\\n */ /; ta' | grep -E "$1"
}

@test "the example of docs/cluster.md works as written" {
  make_clients
  example '^client[0-9] ' >hosts
  must is "$(wc -l <hosts | xargs)" 3
  # Root may use mpirun here; there is no db1, and less time.
  export PATH=$PWD/bin:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  local line n=0
  while read -r line; do
    line=${line/--mysql-host=db1/--db-driver=null}
    line=${line/--time=300/--time=2}
    line=${line/--report-interval=10/--report-interval=1}
    run -0 --separate-stderr timeout --kill-after=10 120 ip netns exec "bench-1-$$" unshare --uts sh -c \
      "hostname client1; cd '$PWD'; $line" </dev/null
    has "$stderr" '^cluster: 3 processes on 3 hosts .*, 64 threads each, 192 threads in all$'
    n=$((n + 1))
  done < <(example '^mpirun')
  must is "$n" 2
  must has "$output" '^\[ [12]s \] thds: [0-9]+ '
  must has "$output" '^ +2  client3 +64 '
}
