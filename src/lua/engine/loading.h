/*
 * loading.h - what the threads of a command share while they fill, check or
 * warm up tables: the load, the lines of progress, and what a signal does.
 */
#ifndef BENCH_LUA_ENGINE_LOADING_H
#define BENCH_LUA_ENGINE_LOADING_H

#include <stdbool.h>
#include <stdint.h>

#include "load/load.h"

struct conn;
struct err;
struct pace;
struct script;

enum {
  LOADING_PATIENCE_S = 4 /* see loading_is_late() */
};

/* What the plan says of a load; tables and sizes are not filled in.  `method`
 * is a valid value of the option. */
struct load_setup loading_setup(const struct script *script,
                                const char *method);

/*
 * The load of the command, which the first thread makes.  `setup` is changed to
 * the share of this process.  That thread also looks whether there is room for
 * the tables, and gets NULL and the error if there is not; the others get a
 * load that was stopped.
 */
struct load *loading_join(struct script *script, struct conn *c,
                          struct load_setup *setup, struct err *err);

/* The progress of another command, which the first thread starts: warmup counts
 * tables, check counts rows.  NULL: not enough memory. */
struct pace *loading_pace(struct script *script, bool warmup, uint64_t total);

/* A signal has come; `script` is a struct script.  Loading ends after the
 * chunks that are being sent; if nothing is loaded, the process ends at once.
 */
void loading_interrupted(void *script, int number);

/* LOADING_PATIENCE_S after a signal: true if the command waits for a server,
 * which may never answer.  Then it has printed how to go on, and the process
 * has to end.  What needs no server ends by itself. */
bool loading_is_late(void *script);

/* The command is over: there are no more lines of progress.  complete: all was
 * done, so the sum is printed. */
void loading_ended(struct script *script, bool complete);

/* After a command that succeeded: 0; or the signal that ended it early, after
 * printing how to go on. */
int loading_outcome(struct script *script);

/* Free everything. */
void loading_done(struct script *script);

#endif
