#!/usr/bin/env bats
# scaling.bats - `cpu --cpu-scaling` and `memory --memory-test=scaling`: one
# thread, one per core, one per hardware thread.
load helper

@test "--cpu-scaling: prime numbers or kernels, by the number of threads" {
  bench -0 cpu --cpu-scaling --time=0.5 --json=a.json run
  must has "$output" '^Operations per second by threads:$'
  must has "$output" '^    work +1 thread'
  must has "$output" '^    primes +[1-9][0-9.]+'
  check a.json 'd["test"]["cpu_test"] == "scaling"' \
    'd["test"]["scaling"]["cores"] <= d["test"]["scaling"]["hardware_threads"]' \
    'd["test"]["scaling"]["of"]["primes"]["one_per_s"] == d["test"]["figures"]["primes 1 thread"]["value"] > 0'
  if [ "$(nproc)" -gt 1 ] && json a.json 'd["test"]["scaling"]["cores"] > 1'; then
    check a.json 'abs(d["test"]["scaling"]["of"]["primes"]["cores_ratio"]
      - d["test"]["scaling"]["of"]["primes"]["cores_per_s"] / d["test"]["scaling"]["of"]["primes"]["one_per_s"]) < 1e-6'
  fi
  bench cpu --cpu-scaling --cpu-kernel=int,aes --isa=baseline --time=0.5 --json=b.json run
  must has "$output" '^    int +[1-9]'
  must has "$output" '^    aes +[1-9]'
  check b.json 'd["test"]["code"] == {"int": "portable", "aes": "portable"}'
}

@test "--cpu-scaling: a whole second processor about doubles the work" {
  [ "$(nproc)" -gt 1 ] || skip "one processor"
  grep -Eqs '^[0-9]+$' /sys/devices/system/cpu/cpu1/topology/thread_siblings_list ||
    skip "no whole cores"
  twice() {
    bench cpu --cpu-scaling --cpu-kernel=int --time=1 --json=a.json run
    json a.json '1.5 * d["test"]["scaling"]["cores"] / 2
      < d["test"]["scaling"]["of"]["int"]["cores_ratio"]
      < 1.1 * d["test"]["scaling"]["cores"]'
  }
  must sooner_or_later twice
}

@test "--cpu-scaling: only processors that may be used count" {
  command -v taskset >/dev/null || skip "no taskset"
  BENCH=(taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$BENCH")
  run -0 --separate-stderr "${BENCH[@]}" cpu --cpu-scaling --time=0.3 run
  must has "$output" '^Scaling over 1 core with 1 hardware thread$'
  must has "$output" 'may run on one CPU only'
}

@test "--cpu-scaling: Ctrl-C, an event limit, too little time" {
  bench_as_it_is -0 cpu --cpu-scaling --cpu-kernel=all --events=1 --json=a.json run
  must has "$stderr" '^WARNING: not all works were measured'
  check a.json 'list(d["test"]["scaling"]["of"]["int"])[0] == "one_per_s"' \
    '"one_per_s" not in d["test"]["scaling"]["of"]["lua"]'
  must has "$output" '^    lua +-'
  "$BENCH" cpu --cpu-scaling --time=60 run >out 2>err 3>&- &
  local pid=$!
  until_started "$pid"
  kill -INT "$pid"
  status=0
  wait "$pid" || status=$?
  must is "$status" 130
  must has "$(<out)" '^Operations per second by threads:$'
}

@test "--cpu-scaling: options that make no sense with it" {
  bench -1 cpu --cpu-scaling --threads=2 run
  must is "$stderr" "FATAL: --cpu-scaling takes --threads=1, and starts more threads itself"
  bench cpu --cpu-scaling --rate=10 run
  must is "$stderr" "FATAL: --rate makes no sense with --cpu-scaling: it measures as fast as it can"
}

@test "--cpu-scaling: compare has operations per second and ratios" {
  bench cpu --cpu-scaling --time=0.3 --json=a.json run
  bench cpu --time=0.3 --json=b.json run
  bench -0 compare a.json a.json
  must has "$output" '^inconclusive +geometric mean'
  bench compare a.json a.json --format=json
  echo "$output" >c.json
  must json c.json 'd["comparisons"][0]["figures"][0]["name"] == "primes 1 thread" and
    d["comparisons"][0]["figures"][0]["reason"] == "too few intervals"'
  bench -2 compare a.json b.json
  must has "$stderr" 'results of different tests: one is of --cpu-scaling, the other one of the test without it'
}

@test "--memory-test=scaling: loops over memory, by the number of threads" {
  bench -0 memory --memory-test=scaling --memory-size=8M --memory-kernel=read,copy --time=3 --json=a.json run
  must has "$output" '^MiB per second by threads:$'
  must has "$output" '^    copy +[1-9][0-9.]+'
  check a.json 'd["test"]["memory_test"] == "scaling"' \
    'd["test"]["scaling"]["thread_bytes"] * d["test"]["scaling"]["hardware_threads"] <= 8 << 20' \
    'd["test"]["scaling"]["of"]["read"]["one_per_s"] == d["test"]["figures"]["read 1 thread"]["value"] > 1e6' \
    'd["test"]["figures"]["read 1 thread"]["unit"] == "bytes_per_s"'
  bench memory --memory-test=scaling --memory-size=8M --memory-kernel=read,copy \
    --isa=baseline --time=0.3 --json=b.json run
  check b.json 'set(d["test"]["scaling"]["of"]) == {"read", "copy"}' \
    'set(d["test"]["code"].values()) != set() and "avx2" not in d["test"]["code"].values()'
}
