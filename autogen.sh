#!/bin/sh
# Make the configure script from configure.ac; needed once after a clone.
set -e
cd "$(dirname "$0")"
for tool in autoreconf automake libtoolize; do
  command -v $tool >/dev/null || command -v g$tool >/dev/null || {
    echo "autogen.sh: $tool was not found; scripts/deps.sh installs what the" \
      "build needs" >&2
    exit 1
  }
done
mkdir -p build-aux m4
tests/list.sh
exec autoreconf --install --warnings=all,no-obsolete
