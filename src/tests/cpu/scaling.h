/*
 * scaling.h - the cpu test with --cpu-scaling.
 */
#ifndef BENCH_TESTS_CPU_SCALING_H
#define BENCH_TESTS_CPU_SCALING_H

struct test;

extern const struct test cpu_scaling_test; /* its options: struct cpu_cfg */

#endif
