/*
 * hooks.h - the functions of a script that print reports instead of the
 * program.
 *
 * The last report is printed in the main state.  Those before it are printed in
 * the background state, which belongs to the report thread during the run.
 */
#ifndef BENCH_LUA_ENGINE_HOOKS_H
#define BENCH_LUA_ENGINE_HOOKS_H

struct err;
struct script;

/* Fill in script->hooks. */
void hooks_init(struct script *script);

/* Make the background state, if reports will need one; and free it. */
int hooks_begin(struct script *script, struct err *err);
void hooks_end(struct script *script);

/* Complete what the functions have begun to write, but not in a state that a
 * thread is still in. */
void hooks_end_output(struct script *script);

#endif
