#!/usr/bin/env bats
# One run on two hosts, which are network namespaces with their own names.
load helper

a="bench-a-$$" b="bench-b-$$"

teardown() {
  ip netns del "$a" 2>/dev/null || true
  ip netns del "$b" 2>/dev/null || true
}

# Two namespaces and a line between them.
make_hosts() {
  only_openmpi
  command -v ip >/dev/null || skip "ip (iproute2) is not installed"
  ip netns add "$a" 2>/dev/null || skip "the kernel does not allow network namespaces"
  ip netns add "$b"
  unshare --uts true 2>/dev/null || skip "the kernel does not allow hosts of other names"
  ip link add va netns "$a" type veth peer name vb netns "$b" ||
    skip "the kernel has no veth devices"
  ip -n "$a" addr add 10.99.77.1/24 dev va
  ip -n "$b" addr add 10.99.77.2/24 dev vb
  ip -n "$a" link set lo up
  ip -n "$b" link set lo up
  ip -n "$a" link set va up
  ip -n "$b" link set vb up
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

# on_hosts N ARG...: as a user would do it, but for the agent.
on_hosts() {
  local n=$1
  shift
  run --separate-stderr timeout --kill-after=10 120 ip netns exec "$a" unshare --uts sh -c \
    'hostname host-a; exec "$@"' sh "${launcher[@]}" --mca plm_rsh_agent "$PWD/agent" \
    --mca btl tcp,self --mca btl_tcp_if_include 10.99.77.0/24 \
    --mca oob_tcp_if_include 10.99.77.0/24 --hostfile hosts -n "$n" "$BENCH" "$@"
}

# delay TIME: packets take so long in each direction.
delay() {
  command -v tc >/dev/null || skip "tc (iproute2) is not installed"
  tc -n "$a" qdisc add dev va root netem delay "$1" 2>/dev/null ||
    skip "the kernel has no netem: packets cannot be delayed"
  tc -n "$b" qdisc add dev vb root netem delay "$1"
}

@test "two hosts" {
  make_hosts
  sleeper
  on_hosts 3 ./sleeper.lua --threads=2 --time=2 --report-interval=1 --json=run.json run
  must is "$status" 0
  has "$stderr" '^cluster: 3 processes on 2 hosts .*, 2 threads each, 6 threads in all$'
  has "$output" '^\[ 1s \] thds: 6 '
  check run.json "[r['host'] for r in d['ranks']] == ['host-a', 'host-b', 'host-b']" \
    "sum(r['events'] for r in d['ranks']) == d['totals']['events'] > 0" \
    "all(r['events'] > 0 for r in d['ranks'])"
}

@test "two hosts that are far from each other" {
  make_hosts
  delay 10ms
  sleeper
  on_hosts 3 ./sleeper.lua --threads=2 --time=2 --report-interval=1 --json=run.json run
  must is "$status" 0
  # All have the same clock here: what the offset is wrong by shows in the start.
  check run.json "d['ranks'][1]['clock_error_ns'] >= 10000000" \
    "d['run']['start_skew_ns'] < 20000000" \
    "sum(r['events'] for r in d['ranks']) == d['totals']['events'] > 0"
}
