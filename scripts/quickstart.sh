#!/usr/bin/env bash
# quickstart.sh - from a fresh clone to a first result, in one command.
set -euo pipefail

src=$(cd "$(dirname "$0")/.." && pwd)

"$src/scripts/deps.sh" build || # configure will name what is missing
  printf 'quickstart.sh: not all packages could be installed\n' >&2
"$src/scripts/build.sh" "$src/build"
exec "$src/build/bench" cpu --time=3 run
