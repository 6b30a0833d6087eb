/*
 * mutex_kinds.h - the mutex test with --mutex-kind, and the options of both.
 */
#ifndef BENCH_TESTS_MUTEX_KINDS_H
#define BENCH_TESTS_MUTEX_KINDS_H

#include <stdint.h>

#include "opt/opt.h"

struct test;

struct mutex_cfg {
  uint64_t num;
  uint64_t locks;
  uint64_t loops;
  int kind; /* index in mutex_kinds[]; -1: the classic test */
};

extern const struct opt mutex_opts[]; /* struct mutex_cfg */
extern const struct test mutex_kinds_test;

#endif
