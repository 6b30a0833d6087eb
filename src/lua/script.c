/*
 * script.c - loading a script, and the commands it knows.
 */
#include "lua/script.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "load/load.h"
#include "lua/abi_load.h"
#include "lua/bundle.h"
#include "lua/resolve.h"
#include "lua/script_internal.h"
#include "lua/search.h"
#include "lua/source.h"
#include "lua/state.h"
#include "opt/optset.h"
#include "run/parallel.h"
#include "run/plan.h"
#include "run/signals.h"

enum {
  MANY_THREADS = 1000
};

/* The functions that a command other than `run` calls. */
static const char *const functions[] = { "prepare", "cleanup", "help" };

/* ---- loading ---- */

static bool has_gc64(lua_State *L)
{
  const int top = lua_gettop(L);
  const bool has = luaL_dostring(L, "return require('ffi').abi('gc64')") == 0 &&
                   lua_toboolean(L, -1);

  lua_settop(L, top);
  return has;
}

/* Under lua_cpcall: string.dump(load(text), true) leaves out what is for
 * debugging only, and thereby takes a fifth less memory in every state. */
static int compile_modules(lua_State *L)
{
  struct script *script = lua_touserdata(L, 1);

  luaL_openlibs(L);
  script->gc64 = has_gc64(L);
  for (size_t i = 0; i < INTERNAL_MODULES; i++) {
    const struct internal_module *m = &internal_modules[i];
    const char *code;
    char chunk[64];
    size_t len;

    lua_getglobal(L, "string");
    lua_getfield(L, -1, "dump");
    (void)snprintf(chunk, sizeof(chunk), "=bench.%s", m->name);
    if (luaL_loadbuffer(L, m->text, m->len, chunk) != 0)
      return lua_error(L);
    lua_pushboolean(L, true);
    lua_call(L, 2, 1);
    code = lua_tolstring(L, -1, &len);
    strbuf_add(&script->modules[i], code, len);
    if (script->modules[i].failed)
      return luaL_error(L, "not enough memory");
    lua_settop(L, 1);
  }
  return 0;
}

/* As errors name it: "@path", "=stdin". */
static int compile_script(struct script *script, lua_State *L, struct err *err)
{
  const struct resolved *what = script->setup.what;
  const struct bundle *given = script->setup.bundle;
  struct strbuf text = { 0 };
  struct strbuf chunk = { 0 };
  int rc = 0;

  if (given)
    strbuf_add(&text, strbuf_str(&given->script), given->script.len);
  else
    rc = source_read(what, &text, err);
  script->empty = text.len == 0;
  if (rc == 0 && script->setup.record)
    strbuf_add(&script->setup.record->script, strbuf_str(&text), text.len);

  if (what->kind == RESOLVE_STDIN)
    strbuf_adds(&chunk, "=stdin");
  else
    strbuf_addf(&chunk, "@%s", what->path);
  if (rc == 0)
    rc = source_compile(L, &text, strbuf_str(&chunk), &script->body, err);
  strbuf_done(&text);
  strbuf_done(&chunk);
  return rc;
}

static int compile(struct script *script, struct err *err)
{
  lua_State *L = luaL_newstate();
  int rc;

  if (!L)
    return err_set(err, -ENOMEM,
                   "cannot create the Lua state of thread 0: not enough "
                   "memory");
  if (lua_cpcall(L, compile_modules, script) != 0) {
    state_error_text(L, -1, err);
    rc = -EINVAL;
  } else {
    rc = compile_script(script, L, err);
  }
  lua_close(L);
  return rc;
}

/* Without GC64, LuaJIT keeps the memory of all states below 2 GB. */
static void warn_of_limit(const struct script *script)
{
  const unsigned threads = script->setup.plan->threads;

  if (threads >= MANY_THREADS && !script->gc64)
    log_msg(LOG_WARNING,
            "this LuaJIT was built without GC64: all %u Lua states together "
            "have at most 2 GB of memory",
            threads);
}

static int load(struct script *script, struct err *err)
{
  const struct state_role role = {
    .purpose = RNG_MAIN,
    .index = script->setup.plan->part,
  };
  const char *home = getenv("HOME");
  int rc;

  search_path(&script->path, getenv("LUA_PATH"), home, script->datadir);
  search_cpath(&script->cpath, getenv("LUA_CPATH"), home);
  if (script->path.failed || script->cpath.failed)
    return err_set(err, -ENOMEM, "not enough memory");
  rc = compile(script, err);
  if (rc == 0)
    rc = state_new(&script->main, script, &role, err);
  if (rc == 0)
    warn_of_limit(script);
  return rc;
}

int script_new(struct script **ret, const struct script_setup *setup,
               struct err *err)
{
  struct script *script = calloc(1, sizeof(*script));
  int rc;

  if (!script)
    return err_set(err, -ENOMEM, "not enough memory");
  script->setup = *setup;
  script->name = setup->what->short_name;
  script->datadir = setup->datadir;
  (void)pthread_mutex_init(&script->lock, NULL);
  measures_init(&script->measures);
  labels_init(&script->labels);
  compiled_init(&script->compiled);
  failures_init(&script->failures);
  script_init_hooks(script);
  script->test = (struct test){
    .name = script->name,
    .ops = &script_test_ops,
  };
  rc = load(script, err);
  if (rc < 0) {
    script_free(script);
    return rc;
  }
  *ret = script;
  return 0;
}

bool script_is_empty(const struct script *script)
{
  return script->empty;
}

void script_free(struct script *script)
{
  if (!script)
    return;
  if (script->main) {
    (void)state_enter(script->main);
    state_free(script->main);
  }
  abi_load_ended(script, false);
  load_free(script->load);
  free(script->pace);
  script_args_done(&script->args);
  strbuf_done(&script->path);
  strbuf_done(&script->cpath);
  strbuf_done(&script->body);
  for (size_t i = 0; i < INTERNAL_MODULES; i++)
    strbuf_done(&script->modules[i]);
  measures_done(&script->measures);
  labels_done(&script->labels);
  compiled_done(&script->compiled);
  failures_done(&script->failures);
  (void)pthread_mutex_destroy(&script->lock);
  free(script);
}

const struct test *script_test(struct script *script)
{
  return &script->test;
}

/* ---- commands ---- */

/* sysbench.cmdline.FUNCTION(command) as a boolean; errors are false. */
static bool ask(struct script *script, const char *function)
{
  struct state *s = script->main;
  struct err err;
  bool yes = false;

  state_push_field(s, "cmdline", function);
  lua_pushstring(s->L, script->setup.command);
  if (state_call_top(s, function, 1, 1, &err) == 0) {
    yes = lua_toboolean(s->L, -1);
    lua_pop(s->L, 1);
  }
  return yes;
}

static bool is_function(const char *command)
{
  for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
    if (strcmp(functions[i], command) == 0)
      return true;
  return false;
}

enum script_action script_find_command(struct script *script)
{
  const char *command = script->setup.command;

  if (ask(script, "command_defined"))
    return SCRIPT_CALL;
  if (strcmp(command, "run") == 0)
    return SCRIPT_RUN;
  if (!is_function(command))
    return SCRIPT_UNKNOWN;
  state_push_global(script->main, command);
  if (!lua_isnil(script->main->L, -1)) {
    lua_pop(script->main->L, 1);
    return SCRIPT_CALL;
  }
  lua_pop(script->main->L, 1);
  if (strcmp(command, "help") == 0 && script->declared)
    return SCRIPT_OPTIONS;
  return SCRIPT_LACKS;
}

/* Call the custom command in a state that has its options. */
static int call_custom(struct state *s, struct err *err)
{
  static const char caller[] = "sysbench.cmdline.call_command";
  bool succeeded;
  int rc;

  state_push_field(s, "cmdline", "call_command");
  lua_pushstring(s->L, s->script->setup.command);
  rc = state_call_top(s, caller, 1, 1, err);
  if (rc < 0)
    return rc;
  succeeded = lua_toboolean(s->L, -1);
  lua_pop(s->L, 1);
  if (succeeded)
    return state_settle(s, s->script->setup.command, err);
  err->text[0] = '\0';
  return -ECANCELED;
}

static int command_worker(void *arg, unsigned tid, struct err *err)
{
  struct script *script = arg;
  const unsigned number = script->setup.plan->first_thread + tid;
  const struct state_role role = {
    .tid = number,
    .purpose = RNG_COMMAND,
    .index = number,
  };
  struct state *s;
  int rc = state_new(&s, script, &role, err);

  if (rc < 0)
    return rc;
  rc = script_export_options(s, err);
  if (rc == 0)
    rc = call_custom(s, err);
  state_free(s);
  return rc;
}

static void command_failed(void *arg, unsigned tid, const struct err *why)
{
  (void)arg, (void)tid;
  if (why->text[0] != '\0' && !why->said)
    log_msg(LOG_FATAL, "%s", why->text);
}

static int call_parallel(struct script *script, struct err *err)
{
  const struct plan *plan = script->setup.plan;
  int failed;

  log_msg(LOG_NOTICE, "Initializing worker threads...\n\n");
  failed = parallel_run(plan->threads, plan->stack_bytes, command_worker,
                        script, command_failed, err);
  if (failed <= 0)
    return failed;
  err->text[0] = '\0';
  return -ECANCELED;
}

static int call_command(struct script *script, struct err *err)
{
  struct state *s = script->main;
  int rc;

  if (ask(script, "command_defined")) {
    if (script->setup.plan->all_threads > 1 && ask(script, "command_parallel"))
      return call_parallel(script, err);
  }
  if (script->setup.plan->part > 0)
    return 0; /* what is done once, process 0 does */
  if (ask(script, "command_defined")) {
    rc = script_export_options(s, err);
    return rc < 0 ? rc : call_custom(s, err);
  }
  rc = script_export_options(s, err);
  return rc < 0 ? rc : state_call(s, script->setup.command, false, err);
}

int script_command(struct script *script, struct err *err)
{
  struct signals signals = { .patience_s = LOADING_PATIENCE_S,
                             .late = abi_load_is_late };
  int rc;

  if (strcmp(script->setup.command, "prepare") != 0) {
    rc = call_command(script, err);
    abi_load_ended(script, rc == 0);
    return rc;
  }
  rc = signals_start(&signals, abi_load_interrupted, script, err);
  if (rc < 0)
    return rc;
  rc = call_command(script, err);
  signals_stop(&signals);
  abi_load_ended(script, rc == 0 && script->signal == 0);
  return rc < 0 ? rc : abi_load_outcome(script);
}
