/*
 * commands.h - finds the commands of a script, and calls one.
 *
 * Only the main thread calls these functions.
 */
#ifndef BENCH_LUA_ENGINE_COMMANDS_H
#define BENCH_LUA_ENGINE_COMMANDS_H

#include "run/test.h"

struct err;
struct script;
struct strbuf;

/* Add the names of the commands that the script has, separated by blanks. */
void commands_list(struct script *script, struct strbuf *out);

/* Classify the command in the script's setup. */
enum test_command commands_find(struct script *script);

/*
 * Call this before commands_run(), in one process of several: it lets the
 * command look at the tables before any thread changes them.
 */
int commands_begin(struct script *script, struct err *err);

/*
 * Execute the command (TEST_CALL).  A positive number: this signal has ended it
 * early, in an orderly way.  -ECANCELED: it failed, and the reason was printed.
 * Other negative values: the message has to be printed as FATAL.
 */
int commands_run(struct script *script, struct err *err);

#endif
