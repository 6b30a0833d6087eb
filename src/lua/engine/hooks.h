/*
 * hooks.h - the functions of a script that replace reports.  The main state
 * prints the last report, the background state, of the report thread, earlier
 * ones.
 */
#ifndef BENCH_LUA_ENGINE_HOOKS_H
#define BENCH_LUA_ENGINE_HOOKS_H

#include <stdbool.h>

struct err;
struct script;

void hooks_init(struct script *script);

/* Create and free the background state, if needed. */
int hooks_begin(struct script *script, struct err *err);
void hooks_end(struct script *script);

/* Complete the output, except in a state that a thread is still in. */
void hooks_end_output(struct script *script);

struct report;
struct strbuf;

/* Main thread only. */
bool hooks_append_is_wanted(struct script *script);

#endif
