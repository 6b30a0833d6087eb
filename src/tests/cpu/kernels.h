/*
 * kernels.h - the cpu test with --cpu-kernel.
 */
#ifndef BENCH_TESTS_CPU_KERNELS_H
#define BENCH_TESTS_CPU_KERNELS_H

struct test;

extern const struct test cpu_kernels_test; /* its options: struct cpu_cfg */

#endif
