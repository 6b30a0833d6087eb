/*
 * test.h - a script as a test for the runner: one Lua state per worker.
 */
#ifndef BENCH_LUA_ENGINE_TEST_H
#define BENCH_LUA_ENGINE_TEST_H

struct test_ops;

/* `cfg` of the test is a struct script. */
extern const struct test_ops test_script_ops;

#endif
