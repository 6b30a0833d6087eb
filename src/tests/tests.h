/*
 * tests.h - the built-in tests, one declaration each.
 */
#ifndef BENCH_TESTS_TESTS_H
#define BENCH_TESTS_TESTS_H

struct report_form;
struct test;

extern const struct test test_cpu;
extern const struct test test_fileio;
extern const struct test test_memory;
extern const struct test test_model;
extern const struct test test_mutex;
extern const struct test test_threads;

extern const struct report_form tests_cpu_form;

#endif
