/*
 * options.h - the options of the cpu test.
 */
#ifndef BENCH_TESTS_CPU_OPTIONS_H
#define BENCH_TESTS_CPU_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "opt/opt.h"

enum cpu_isa {
  CPU_ISA_AUTO,     /* everything that the processor has */
  CPU_ISA_BASELINE, /* only what all processors of its kind have */
};

enum {
  CPU_MAX_PRIME = 10000, /* the default of --cpu-max-prime */
};

struct cpu_cfg {
  uint64_t max_prime;
  struct opt_list kernels; /* empty: the test of prime numbers */
  int isa;                 /* enum cpu_isa; -1: not given */
  bool scaling;            /* by the number of threads */
};

extern const struct opt cpu_opts[]; /* struct cpu_cfg */

#endif
