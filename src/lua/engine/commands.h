/*
 * commands.h - the commands of a script: which it has, and calling one.
 *
 * All functions are called by the main thread.
 */
#ifndef BENCH_LUA_ENGINE_COMMANDS_H
#define BENCH_LUA_ENGINE_COMMANDS_H

#include "run/test.h"

struct err;
struct script;
struct strbuf;

/* Add the names of the commands that the script has, with blanks between. */
void commands_list(struct script *script, struct strbuf *out);

/* What the command of the script's setup is. */
enum test_command commands_find(struct script *script);

/*
 * Execute the command (TEST_CALL).  A positive number: this signal has ended
 * it early, in good order.  -ECANCELED: it failed, and the reason was printed;
 * other negative values: the message is to be printed as FATAL.
 */
int commands_run(struct script *script, struct err *err);

#endif
