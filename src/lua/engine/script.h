/*
 * script.h - a script as a test.
 *
 * Call script_new(), options_declare(), give the options their values, then
 * call commands_run() once or run script_test() once, then script_free().  The
 * main state belongs to the thread that calls these.
 */
#ifndef BENCH_LUA_ENGINE_SCRIPT_H
#define BENCH_LUA_ENGINE_SCRIPT_H

#include "lua/engine/setup.h"

struct err;
struct script;
struct test;
struct text_hooks;

/*
 * Read the script and execute its body in the main state.  The message of a
 * failure has to be printed as FATAL.
 */
int script_new(struct script **ret, const struct script_setup *setup,
               struct err *err);
void script_free(struct script *script);

/* Does its text have no byte? */
bool script_is_empty(const struct script *script);

/* Has its body loaded this module? */
bool script_has_loaded(struct script *script, const char *module);

/* The test for TEST_RUN; `cfg` of the test is the script itself. */
const struct test *script_test(struct script *script);

/* The report functions of the script. */
const struct text_hooks *script_hooks(struct script *script);

/*
 * The program is about to end without script_free(), because threads were left
 * behind.  Complete the output that report functions have begun, except in a
 * state that one of those threads is in.
 */
void script_end_output(struct script *script);

#endif
