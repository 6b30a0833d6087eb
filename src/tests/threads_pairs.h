/*
 * threads_pairs.h - the threads test with --thread-test, and the options of
 * both.
 */
#ifndef BENCH_TESTS_THREADS_PAIRS_H
#define BENCH_TESTS_THREADS_PAIRS_H

#include <stdint.h>

#include "opt/opt.h"

struct test;

struct threads_cfg {
  uint64_t yields;
  uint64_t locks;
  int test; /* of threads_ways[], one more: spawn; -1: classic */
};

extern const struct opt threads_opts[];      /* struct threads_cfg */
extern const struct test threads_pairs_test; /* two threads wake each other */
extern const struct test threads_spawn_test; /* threads are started */

#endif
