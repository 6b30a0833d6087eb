/*
 * script_internal.h - what the states of a script share.  Only for src/lua.
 */
#ifndef BENCH_LUA_SCRIPT_INTERNAL_H
#define BENCH_LUA_SCRIPT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "lua/compiled.h"
#include "lua/failure.h"
#include "lua/internal_text.h"
#include "lua/label.h"
#include "lua/measure.h"
#include "lua/script.h"
#include "report/text_reporter.h"
#include "run/test.h"

struct load;
struct pace;
struct state;

/* The options that a script declares: deep copies. */
struct script_args {
  sb_arg_t *of; /* owned, and its texts */
  size_t n;
};

/* Workers whose loop has ended because event() returned a value. */
struct returned {
  unsigned threads;
  char text[128]; /* what the first of them has returned, and where */
};

struct script {
  struct script_setup setup; /* constant */
  const char *name;          /* short, for messages */
  const char *datadir;       /* of the bundled scripts */

  /* Written while the main state is made, constant while others are. */
  struct strbuf path, cpath;               /* package.path and package.cpath */
  struct strbuf body;                      /* compiled */
  struct strbuf modules[INTERNAL_MODULES]; /* compiled */
  bool gc64;                               /* LuaJIT's pointers have 64 bits */

  struct state *main; /* owned; the main thread's */
  struct script_args args;
  bool declared; /* the script has a table of options */
  bool empty;    /* no text at all */

  /* Of a run: the main thread's, `background` the report thread's. */
  struct state *background; /* owned; NULL: no reports on the way */
  struct test test;
  struct text_hooks hooks;
  _Atomic bool in_hook;    /* `background` is in a hook, or stuck there */
  _Atomic unsigned opened; /* workers whose thread_init() has ended */

  pthread_mutex_t lock; /* protects `load`, `pace`, `signal` and `returned` */
  struct load *load;    /* owned; tables that are being filled; NULL: none */
  struct pace *pace;    /* owned; progress of check and warmup; NULL: none */
  int signal;           /* has interrupted it; 0: none */
  struct measures measures;
  struct labels labels; /* of statements */
  struct compiled_modules compiled;
  struct failures failures; /* of workers */
  struct returned returned; /* values of event() */
};

void script_args_done(struct script_args *args);

/* Make sysbench.opt anew, and globals of the options if none were declared. */
int script_export_options(struct state *s, struct err *err);

/* The background state, if reports will need one. */
int script_make_background(struct script *script, struct err *err);
void script_init_hooks(struct script *script);

extern const struct test_ops script_test_ops;

#endif
