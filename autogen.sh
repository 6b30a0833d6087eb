#!/bin/sh
# Make the configure script from configure.ac; needed once after a clone.
set -e
cd "$(dirname "$0")"
mkdir -p build-aux m4
exec autoreconf --install --warnings=all,no-obsolete
