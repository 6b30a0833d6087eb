/*
 * test_list.h - the built-in tests.
 */
#ifndef BENCH_TESTS_TEST_LIST_H
#define BENCH_TESTS_TEST_LIST_H

#include <stddef.h>

struct test;

/* The order is that of the help. */
extern const struct test *const test_list[];
extern const size_t test_list_len;

/* Find a test by its exact name; NULL: there is none. */
const struct test *test_find(const char *name);

#endif
