#!/usr/bin/env bash
# kernels.sh - the kernels of the cpu test beside other programs that do such
# work: is a kernel as fast as what it stands for?
set -euo pipefail
# shellcheck source=tests/bench/common.sh
. "$(dirname "$0")/common.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seconds=$((QUICK ? 1 : 2))
${CC:-cc} -O3 -o "$work/kernel_loops" "$here/kernel_loops.c"

# kernel NAME ARGUMENT...: nanoseconds per operation.  The fastest round counts,
# as it does for the loops: what else the machine does is in neither of them.
kernel() {
  local name=$1
  shift
  "$BENCH" cpu --cpu-kernel="$name" --time="$seconds" --json="$work/json" "$@" run >/dev/null 2>&1
  python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
k = d["totals"]["cpu_kernels"][sys.argv[2]]
c = d["classes"][0]
print(c["latency_ns"]["min"] * c["count"] / k["operations"])' "$work/json" "$name"
}

# By openssl, in buffers of 16 KiB: nanoseconds per byte.
openssl_speed() {
  openssl speed -mr -seconds "$seconds" -bytes 16384 -evp "$1" 2>/dev/null |
    awk -F: '/^\+F:/ { print 1e9 / $NF }'
}

# By lz4 at its fastest level, in memory, on text: nanoseconds per byte that is
# compressed and restored, as the kernel does.
lz4_speed() {
  lz4 -q -b1 -i"$seconds" "$work/text" 2>&1 | tr '\r' '\n' |
    awk '{ for (i = 3; i < NF; i++)
             if ($(i + 1) == "MB/s" && $i > 0) { sum += 1000 / $i; n++ }
           if (n == 2) best = sum
           n = sum = 0 }
         END { print best }'
}

# pair KERNEL WITH COMMAND...: both in turns; a ratio below 1: the kernel is faster.
pair() {
  local name=$1 with=$2 a='' b='' i
  shift 2
  for ((i = 0; i < PAIRS; i++)); do
    a+=$(kernel "$name")$'\n'
    b+=$("$@")$'\n'
  done
  a=$(median <<<"${a%$'\n'}")
  b=$(median <<<"${b%$'\n'}")
  printf '%-8s %12.4f %12.4f %8.3f  %s\n' "$name" "$a" "$b" "$(calc "$a / $b")" "$with"
}

title 'kernels of the cpu test, nanoseconds per operation'
printf '%-8s %12s %12s %8s  %s\n' kernel bench other ratio other
for name in int div fp sort; do
  pair "$name" 'a loop in C, -O3' "$work/kernel_loops" "$name"
done
if command -v openssl >/dev/null; then
  pair sha256 "$(openssl version | cut -d' ' -f1-2)" openssl_speed sha256
  pair aes "$(openssl version | cut -d' ' -f1-2)" openssl_speed aes-128-ctr
fi
# Another text than that of the kernel: the order of magnitude is what counts.
if command -v lz4 >/dev/null; then
  cat "$here"/../../docs/*.md >"$work/text"
  pair lz "$(lz4 --version | sed -E 's/.*(v[0-9.]+).*/lz4 \1/'), -1, on text" lz4_speed
fi
# stress-ng and 7z count rounds of mixed work: nothing there is a kernel's.
