/*
 * shared.h - the data that all Lua states of a script share: constant once the
 * main state exists, unless a lock, an atomic or an owning thread protects it.
 */
#ifndef BENCH_LUA_ENGINE_SHARED_H
#define BENCH_LUA_ENGINE_SHARED_H

#include <lua.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/facts.h"
#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "db/classes/statement.h"
#include "lua/engine/exchange.h"
#include "lua/engine/failure.h"
#include "lua/engine/internal_text.h"
#include "lua/engine/measure.h"
#include "lua/engine/setup.h"
#include "report/text_reporter.h"
#include "run/test.h"

struct compiled;
struct load;
struct pace;
struct state;

/* Byte code for all states: compiling takes three times the memory of the
 * functions, and a state gives none back. */
struct compiled_modules {
  pthread_mutex_t lock;   /* protects the list only */
  struct compiled *first; /* owned */
};

/* Deep copies of declared options. */
struct script_args {
  sb_arg_t *of; /* owned, with the texts */
  size_t n;
};

/* Workers whose event() returned a value. */
struct returned {
  unsigned threads;
  char text[128];
};

struct script {
  struct script_setup setup; /* constant */
  const char *name;
  const char *datadir;

  /* Constant once the main state exists. */
  struct strbuf path, cpath; /* package.path and package.cpath */
  struct strbuf body;        /* compiled */
  bool gc64;                 /* LuaJIT's pointers have 64 bits */

  /* See shared_module(). */
  pthread_mutex_t compiling;
  lua_State *compiler; /* owned */
  struct strbuf modules[INTERNAL_MODULES];

  /* Of the main thread; constant while other states exist. */
  struct state *main; /* owned */
  struct script_args args;
  bool declared;
  bool empty;

  /* Of a run, written by the main thread; `background` belongs to the report
   * thread. */
  struct state *background; /* owned; NULL: no reports in the run */
  struct test test;
  struct text_hooks hooks;
  struct facts figures; /* owned; by the script, for the results */
  bool in_done;
  bool left; /* os.exit(left_status) in done() */
  int left_status;
  struct err left_why;
  _Atomic bool in_hook;    /* `background` is in a hook, or stuck there */
  _Atomic unsigned opened; /* workers whose thread_init() has returned */

  pthread_mutex_t lock; /* protects `load`, `pace`, `signal` and `returned` */
  struct load *load;    /* owned; tables being filled, or NULL */
  struct pace *pace;    /* owned; of check and warmup, or NULL */
  int signal;           /* interrupted the load; 0: none */
  struct returned returned;

  /* Of a bundled workload: written by the main thread, constant while other
   * states exist. */
  void *workload; /* owned */
  void (*workload_free)(void *workload);

  /* Each has a lock of its own. */
  struct measures measures;
  struct sequences sequences;
  struct jobs jobs;
  struct series_set series;
  struct sums sums;
  struct labels labels;
  struct compiled_modules compiled;
  struct failures failures;
  struct team team;
};

/* `script` is zeroed. Call shared_done() also after a failure, when states,
 * tables and progress are gone. */
int shared_init(struct script *script, const struct script_setup *setup,
                struct err *err);
void shared_done(struct script *script);

/* Compiles an internal module into script->modules[i], once; any thread. */
int shared_module(struct script *script, size_t i, struct err *err);

void script_args_done(struct script_args *args);

/* Pushes a module's function; on failure, nil and the message.  Returns the
 * number of values.  Any thread, with its own state. */
int compiled_load(struct compiled_modules *m, lua_State *L, const char *path);

#endif
