/*
 * hooks.h - the functions of a script that replace reports of the program.
 *
 * The main state prints the last report.  The background state prints earlier
 * ones; it belongs to the report thread during the run.
 */
#ifndef BENCH_LUA_ENGINE_HOOKS_H
#define BENCH_LUA_ENGINE_HOOKS_H

struct err;
struct script;

/* Fill in script->hooks. */
void hooks_init(struct script *script);

/* Create the background state, if reports will need one; free it. */
int hooks_begin(struct script *script, struct err *err);
void hooks_end(struct script *script);

/*
 * Complete the output that the functions have begun, except in a state that a
 * thread is still in.
 */
void hooks_end_output(struct script *script);

#endif
