/*
 * memory.h - the tests that --memory-test can choose.
 */
#ifndef BENCH_TESTS_MEMORY_MEMORY_H
#define BENCH_TESTS_MEMORY_MEMORY_H

#include <stddef.h>

struct err;
struct memory_cfg;
struct plan;
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

/* The data of a run, zeroed and aligned to a cache line; the caller frees them.
 * NULL: the plan does not fit the test, or there is no memory. */
void *memory_new(const struct plan *plan, const struct memory_cfg *cfg,
                 size_t bytes, int *ret_rc, struct err *err);

#endif
