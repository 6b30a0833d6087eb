/*
 * cpu.h - the options of the cpu test, and its kernels.
 */
#ifndef BENCH_TESTS_CPU_CPU_H
#define BENCH_TESTS_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "opt/opt.h"
#include "tests/cpu/kernel.h"

struct report_form;
struct test;

enum cpu_isa {
  CPU_ISA_AUTO,     /* all that the CPU has */
  CPU_ISA_BASELINE, /* common to all CPUs */
};

enum {
  CPU_MAX_PRIME = 10000,
};

struct cpu_cfg {
  uint64_t max_prime;
  struct opt_list kernels; /* empty: prime numbers */
  int isa;                 /* enum cpu_isa; -1: unset */
  bool scaling;
};

extern const struct opt cpu_opts[];

/* setup->of_test of cpu_kernels_form. */
struct kernels_chosen {
  unsigned n;
  const struct cpu_kernel *kernel[CPU_KERNELS];
  const struct cpu_path *path[CPU_KERNELS];
  char column[CPU_KERNELS][32]; /* in --csv */
};

extern const struct report_form cpu_kernels_form;

extern const struct test cpu_kernels_test;

#endif
