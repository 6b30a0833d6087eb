/*
 * kernels.h - the cpu test with --cpu-kernel.
 */
#ifndef BENCH_TESTS_CPU_KERNELS_H
#define BENCH_TESTS_CPU_KERNELS_H

struct cpu_cfg;
struct kernels_chosen;
struct test;

extern const struct test cpu_kernels_test; /* its options: struct cpu_cfg */

/* Choose kernels in the order of the table, each once; *ret is zero. */
void kernels_choose(struct kernels_chosen *ret, const struct cpu_cfg *cfg);

#endif
