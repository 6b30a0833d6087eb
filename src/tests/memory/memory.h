/*
 * memory.h - the tests that --memory-test can choose.
 */
#ifndef BENCH_TESTS_MEMORY_MEMORY_H
#define BENCH_TESTS_MEMORY_MEMORY_H

struct report_form;
struct test_ops;

extern const struct test_ops memory_classic_ops;
extern const struct test_ops memory_bandwidth_ops;
extern const struct test_ops memory_latency_ops;
extern const struct test_ops memory_loaded_ops;
extern const struct test_ops memory_numa_ops;
extern const struct test_ops memory_pairs_ops;
extern const struct test_ops memory_scaling_ops;

extern const struct report_form memory_bandwidth_form;
extern const struct report_form memory_latency_form;
extern const struct report_form memory_loaded_form;
extern const struct report_form memory_numa_form;
extern const struct report_form memory_pairs_form;

#endif
