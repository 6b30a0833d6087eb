/*
 * script.h - a script as a test: script_new(), options_declare(), the options'
 * values, then commands_run() or a run of script_test() once, then
 * script_free(), all on one thread.
 */
#ifndef BENCH_LUA_ENGINE_SCRIPT_H
#define BENCH_LUA_ENGINE_SCRIPT_H

#include "lua/engine/setup.h"

struct err;
struct script;
struct test;
struct text_hooks;

/* Also executes the body.  Print the message of a failure as FATAL. */
int script_new(struct script **ret, const struct script_setup *setup,
               struct err *err);
void script_free(struct script *script);

bool script_is_empty(const struct script *script);

bool script_has_loaded(struct script *script, const char *module);

/* For TEST_RUN; its `cfg` is the script. */
const struct test *script_test(struct script *script);

const struct text_hooks *script_hooks(struct script *script);

/* Instead of script_free() if threads were left behind: completes the output
 * of report functions, except in a state with such a thread. */
void script_end_output(struct script *script);

#endif
