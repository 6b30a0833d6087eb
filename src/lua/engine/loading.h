/*
 * loading.h - shared by the threads of a command that fills, checks or warms up
 * tables: the load, the lines of progress, and the reaction to a signal.
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

/*
 * The settings of a load that follow from the plan; the kind with its
 * parameters and the tables are not filled in.  `method` is a valid value of
 * the option.
 */
struct load_setup loading_setup(const struct script *script,
                                const char *method);

/*
 * Return the load of the command, which the first thread creates.  `setup` is
 * changed to the share of this process.  The first thread also checks whether
 * there is room for the tables.  If not, it gets NULL and the error, and the
 * others get a load that was stopped.
 */
struct load *loading_join(struct script *script, struct conn *c,
                          struct load_setup *setup, struct err *err);

/*
 * Return the progress of another command, which the first thread starts: warmup
 * counts tables, check counts rows.  NULL: not enough memory.
 */
struct pace *loading_pace(struct script *script, bool warmup, uint64_t total);

/*
 * A signal has arrived; `script` is a struct script.  Loading ends after the
 * chunks that are being sent.  If nothing is being loaded, the process ends at
 * once.
 */
void loading_interrupted(void *script, int number);

/*
 * Call this LOADING_PATIENCE_S after a signal.  True: the command waits for a
 * server, which may never answer.  It has printed how to continue, and the
 * process must end.  A command that needs no server ends by itself.
 */
bool loading_is_late(void *script);

/*
 * The command is over: there are no more lines of progress.  complete: all was
 * done, so print the sum.
 */
void loading_ended(struct script *script, bool complete);

/*
 * Call this after a command that succeeded.  Returns 0, or the signal that
 * ended it early, after printing how to continue.
 */
int loading_outcome(struct script *script);

/*
 * Call this after a command that failed.  True: it has loaded rows, which stay,
 * after printing how to continue.
 */
bool loading_has_rows(struct script *script);

/* Free everything. */
void loading_done(struct script *script);

#endif
