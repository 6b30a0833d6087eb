/*
 * test_list.h - the built-in tests.
 */
#ifndef BENCH_TESTS_TEST_LIST_H
#define BENCH_TESTS_TEST_LIST_H

#include <stddef.h>

struct test;

/* In the order of the help. */
extern const struct test *const test_list[];
extern const size_t test_list_len;

/* NULL: unknown. */
const struct test *test_find(const char *name);

#endif
