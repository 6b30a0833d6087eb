#!/usr/bin/env bats
# The same tests with MPICH, where the build is for another engine and MPICH is
# installed, too.
load helper

# with_mpich FILE: a program with a plug-in of its own, under which FILE runs.
with_mpich() {
  [ "$engine" != mpich ] || skip "the build is for MPICH anyway"
  command -v mpicc.mpich >/dev/null || skip "MPICH is not installed"
  command -v mpirun.mpich >/dev/null || skip "MPICH's launcher is not installed"
  mkdir -p build/.libs
  cp "$BENCH" build/bench
  cp "$BENCH_BUILD/config.log" build/
  mpicc.mpich -shared -fPIC -O2 -I"$BENCH_SRC/src" -I"$BENCH_BUILD" -include config.h \
    -o build/.libs/bench_mpi.so "$BENCH_SRC/src/nodes/mpi.c"
  ldd build/.libs/bench_mpi.so | grep -q libmpich
  # A run of its own: it knows nothing of this one.
  env -u BATS_TEST_TMPDIR -u BATS_RUN_TMPDIR -u BATS_SUITE_TMPDIR -u BATS_FILE_TMPDIR \
    BENCH="$PWD/build/bench" BENCH_BUILD="$PWD/build" \
    bats --tap "$BENCH_SRC/tests/cluster/$1" >log 2>&1 || {
    cat log
    return 1
  }
  # The tests have run, but for those that are for Open MPI alone.
  [ "$(grep -c '^ok' log)" -gt 5 ]
  ! grep '# skip' log | grep -v "Open MPI's mpirun\|one processor"
}

@test "one run on one machine" {
  with_mpich cluster.bats
}

@test "interruptions and deaths" {
  with_mpich faults.bats
}
