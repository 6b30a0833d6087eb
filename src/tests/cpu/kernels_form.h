/*
 * kernels_form.h - the reports of the kernels of the cpu test: what each of
 * them does per second.
 */
#ifndef BENCH_TESTS_CPU_KERNELS_FORM_H
#define BENCH_TESTS_CPU_KERNELS_FORM_H

#include "tests/cpu/kernel.h"

/* What was chosen; the form finds it in the setup of the reports. */
struct kernels_chosen {
  unsigned n;
  const struct cpu_kernel *kernel[CPU_KERNELS];
  const struct cpu_path *path[CPU_KERNELS];
  char column[CPU_KERNELS][32]; /* its name in --csv */
};

extern const struct report_form kernels_form;

#endif
