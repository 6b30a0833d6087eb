/*
 * tests.h - the built-in tests.
 */
#ifndef BENCH_TESTS_TESTS_H
#define BENCH_TESTS_TESTS_H

#include <stdint.h>

struct plan;
struct report_form;
struct report_setup;
struct test;

extern const struct test test_cpu;
extern const struct test test_fileio;
extern const struct test test_memory;
extern const struct test test_model;
extern const struct test test_mutex;
extern const struct test test_threads;

extern const struct report_form tests_cpu_form;

/* test_ops.setup: reports use the data of the run. */
void test_setup_run(void *run, struct report_setup *setup);

/* --time, or 10 seconds without a limit. */
uint64_t test_time_ns(const struct plan *plan);

#endif
