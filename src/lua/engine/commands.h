/*
 * commands.h - the commands of a script.  Main thread only.
 */
#ifndef BENCH_LUA_ENGINE_COMMANDS_H
#define BENCH_LUA_ENGINE_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "db/load/load.h"
#include "run/test.h"

struct err;
struct script;
struct strbuf;

void commands_list(struct script *script, struct strbuf *out);

enum test_command commands_find(struct script *script);

/* Before commands_run(), in one process of several: the command looks at the
 * tables before any thread changes them. */
int commands_begin(struct script *script, struct err *err);

/*
 * TEST_CALL.  Positive: the signal that ended the command in order.
 * -ECANCELED: failed, and the reason was printed.  Print other errors as FATAL.
 */
int commands_run(struct script *script, struct err *err);

struct conn;
struct pace;

enum {
  LOADING_PATIENCE_S = 4
};

/* Without the kind, its parameters and the tables.  `method` is valid. */
struct load_setup commands_load_setup(const struct script *script,
                                      const char *method);

/*
 * The first thread creates the load.  `setup` becomes the share of this
 * process. Without room for the tables that thread gets NULL and the error,
 * others a stopped load.
 */
struct load *commands_load_join(struct script *script, struct conn *c,
                                struct load_setup *setup, struct err *err);

/* The first thread creates it: warmup counts tables, check rows.  NULL: no
 * memory. */
struct pace *commands_load_pace(struct script *script, bool warmup,
                                uint64_t total);

void commands_load_done(struct script *script);

#endif
