# shellcheck shell=bash
# missing.bash - tests whose file needs what is not here.
#
# setup_file() says what is missing, and returns; setup() skips each test.  Older
# bats take a skip in setup_file() for a failure.

# missing WHAT: in setup_file().
missing() {
  export BENCH_MISSING=$1
}

# In setup(), first.
skip_if_missing() {
  [[ -z ${BENCH_MISSING-} ]] || skip "$BENCH_MISSING"
}
