/*
 * shared.h - the data that all Lua states of a script share.
 *
 * Most of it is constant once the main state exists.  Everything else names its
 * lock, is atomic, or belongs to one thread.
 */
#ifndef BENCH_LUA_ENGINE_SHARED_H
#define BENCH_LUA_ENGINE_SHARED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/facts.h"
#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "db/classes/statement.h"
#include "lua/engine/compiled.h"
#include "lua/engine/failure.h"
#include "lua/engine/internal_text.h"
#include "lua/engine/jobs.h"
#include "lua/engine/measure.h"
#include "lua/engine/sequence.h"
#include "lua/engine/series.h"
#include "lua/engine/setup.h"
#include "lua/engine/sums.h"
#include "lua/engine/team.h"
#include "report/text_reporter.h"
#include "run/test.h"

struct load;
struct pace;
struct state;

/* Deep copies of the options that a script declares. */
struct script_args {
  sb_arg_t *of; /* owned, with its texts */
  size_t n;
};

/* The workers whose loop has ended because event() returned a value. */
struct returned {
  unsigned threads;
  char text[128]; /* value and place of the first one */
};

struct script {
  struct script_setup setup; /* constant */
  const char *name;          /* short, for messages */
  const char *datadir;       /* folder of the bundled scripts */

  /* Written before the main state exists, constant from then on. */
  struct strbuf path, cpath; /* package.path and package.cpath */
  struct strbuf body;        /* compiled */
  bool gc64;                 /* LuaJIT's pointers have 64 bits */

  /* See shared_module(). */
  pthread_mutex_t compiling;
  lua_State *compiler; /* owned */
  struct strbuf modules[INTERNAL_MODULES];

  /* Used by the main thread; constant while other states exist. */
  struct state *main; /* owned */
  struct script_args args;
  bool declared; /* the script has a table of options */
  bool empty;    /* the script has no text at all */

  /*
   * Used by a run: the main thread writes it; `background` belongs to the
   * report thread.
   */
  struct state *background; /* owned; NULL: no reports during the run */
  struct test test;
  struct text_hooks hooks;
  struct facts figures; /* owned; of the script, for the results */
  bool in_done;         /* done() runs */
  bool left;            /* it has called os.exit(left_status) */
  int left_status;
  struct err left_why;
  _Atomic bool in_hook;    /* `background` is in a hook, or stuck there */
  _Atomic unsigned opened; /* workers whose thread_init() has returned */

  pthread_mutex_t lock; /* protects `load`, `pace`, `signal` and `returned` */
  struct load *load;    /* owned; tables that are being filled; NULL: none */
  struct pace *pace;    /* owned; progress of check and warmup; NULL: none */
  int signal;           /* signal that has interrupted it; 0: none */
  struct returned returned; /* workers that returned values */

  /* What a bundled workload shares between its states.  Written by the main
   * thread, constant while other states exist. */
  void *workload; /* owned; NULL: nothing */
  void (*workload_free)(void *workload);

  /* Each has a lock of its own. */
  struct measures measures;
  struct sequences sequences;
  struct jobs jobs;
  struct series_set series;
  struct sums sums;
  struct labels labels; /* labels of statements */
  struct compiled_modules compiled;
  struct failures failures;
  struct team team;
};

/*
 * Fill in what `setup` says, read the script, and compile it.  `script` is
 * zeroed.  shared_done() frees everything, also after a
 * failure; states, tables and progress must no longer exist by then.
 */
int shared_init(struct script *script, const struct script_setup *setup,
                struct err *err);
void shared_done(struct script *script);

/* Compile an internal module into script->modules[i], once; any thread. */
int shared_module(struct script *script, size_t i, struct err *err);

void script_args_done(struct script_args *args);

#endif
