/*
 * kernels_form.h - the reports of the kernels of the cpu test: operations per
 * second of each kernel.
 */
#ifndef BENCH_TESTS_CPU_KERNELS_FORM_H
#define BENCH_TESTS_CPU_KERNELS_FORM_H

#include "tests/cpu/kernel.h"

/*
 * The kernels that were chosen; the form finds them in the setup of the
 * reports.
 */
struct kernels_chosen {
  unsigned n;
  const struct cpu_kernel *kernel[CPU_KERNELS];
  const struct cpu_path *path[CPU_KERNELS];
  char column[CPU_KERNELS][32]; /* name of each in --csv */
};

extern const struct report_form kernels_form;

#endif
