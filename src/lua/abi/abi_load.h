/*
 * abi_load.h - tables that a script fills by the loader, and what happens when
 * a signal comes meanwhile.
 */
#ifndef BENCH_LUA_ABI_ABI_LOAD_H
#define BENCH_LUA_ABI_ABI_LOAD_H

#include <stdbool.h>

/* A signal has come; `script` is a struct script.  Loading ends after the
 * chunks that are on their way; without it the program ends at once. */
void abi_load_interrupted(void *script, int number);

/* A server that does not answer must not keep an interrupted load: after so
 * many seconds it is said how to go on, and the program ends (true).  What is
 * done without a server ends by itself. */
enum {
  LOADING_PATIENCE_S = 4
};
bool abi_load_is_late(void *script);

struct script;

/* After a command: its lines of progress end.  complete: it has done all there
 * was to do, so the sum is printed. */
void abi_load_ended(struct script *script, bool complete);

/* After a command that succeeded: 0, or the signal that ended it early, after
 * saying how to go on. */
int abi_load_outcome(struct script *script);

#endif
