/*
 * state.c - making a Lua state and calling into it.
 */
#include "lua/state.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "lua/bundle.h"
#include "lua/resolve.h"
#include "lua/script_internal.h"
#include "lua/source.h"
#include "lua/statement.h"
#include "rand/stream.h"
#include "run/plan.h"
#include "run/worker.h"

/* Functions of the script ABI get no context argument. */
static _Thread_local struct state *current;

struct state *state_current(void)
{
  return current;
}

struct state *state_enter(struct state *s)
{
  struct state *before = current;

  current = s;
  env_set_current(s ? &s->env : NULL);
  return before;
}

/* ---- errors ---- */

/* Push the text of the value below it: what its __tostring says. */
static int push_text(lua_State *L)
{
  if (!luaL_callmeta(L, 1, "__tostring"))
    lua_pushnil(L);
  return 1;
}

void state_error_text(lua_State *L, int index, struct err *err)
{
  const char *text = NULL;

  lua_pushvalue(L, index);
  if (lua_type(L, -1) != LUA_TSTRING && lua_type(L, -1) != LUA_TNUMBER) {
    lua_pushcfunction(L, push_text);
    lua_insert(L, -2);
    if (lua_pcall(L, 1, 1, 0) != 0) {
      lua_pop(L, 1);
      lua_pushnil(L);
    }
  }
  if (lua_isstring(L, -1))
    text = lua_tostring(L, -1);
  (void)err_set(err, -EINVAL, "%s", text ? text : "(not a string)");
  lua_pop(L, 1);
}

static int out_of_memory(const struct state *s, struct err *err)
{
  return err_set(err, -ENOMEM,
                 "cannot create the Lua state of thread %u: not enough memory",
                 s->tid);
}

/* Did the call fail, with the error on the top, for want of memory?  Functions
 * that hand on an error of that kind make a text of it. */
static bool lacked_memory(const struct state *s, int rc)
{
  lua_State *L = s->L;

  return rc == LUA_ERRMEM ||
         (lua_type(L, -1) == LUA_TSTRING &&
          strcmp(lua_tostring(L, -1), "not enough memory") == 0);
}

int state_make_failed(struct state *s, int rc, struct err *err)
{
  const bool lacked = lacked_memory(s, rc);

  state_error_text(s->L, -1, err);
  lua_pop(s->L, 1);
  return lacked ? out_of_memory(s, err) : -EINVAL;
}

/* ---- the host table: what C tells the internal modules ---- */

static struct state *state_of(lua_State *L)
{
  return lua_touserdata(L, lua_upvalueindex(1));
}

/*
 * A declaration takes memory in every state, so LuaJIT is told those that are
 * needed: ffi.cdef, with the table `ffi` at `ffi`, of declarations of which
 * `needs` are the indexes; NULL: the first n.
 */
static void declare(lua_State *L, int ffi, const unsigned char *needs, size_t n)
{
  struct state *s = state_of(L);
  luaL_Buffer text;

  lua_getfield(L, ffi, "cdef");
  luaL_buffinit(L, &text);
  for (size_t i = 0; i < n; i++) {
    const size_t index = needs ? needs[i] : i;

    if (!s->declared[index])
      luaL_addstring(&text, internal_declarations[index].text);
  }
  luaL_pushresult(&text);
  lua_call(L, 1, 0);
  for (size_t i = 0; i < n; i++)
    s->declared[needs ? needs[i] : i] = true;
}

/* host.declare_all(ffi): all that scripts may use. */
static int declare_all(lua_State *L)
{
  declare(L, 1, NULL, internal_n_declarations);
  return 0;
}

/* host.load(name, host): execute an internal module. */
static int load_internal(lua_State *L)
{
  struct script *script = state_of(L)->script;
  const char *name = luaL_checkstring(L, 1);

  for (size_t i = 0; i < INTERNAL_MODULES; i++) {
    const struct internal_module *m = &internal_modules[i];

    if (strcmp(m->name, name) != 0)
      continue;
    if (m->n_needs > 0) {
      lua_getfield(L, 2, "ffi");
      declare(L, lua_gettop(L), m->needs, m->n_needs);
    }
    if (luaL_loadbuffer(L, script->modules[i].text, script->modules[i].len,
                        lua_pushfstring(L, "=bench.%s", name)) != 0)
      return lua_error(L);
    lua_pushvalue(L, 2);
    lua_call(L, 1, 1);
    return 1;
  }
  return luaL_error(L, "no internal module '%s'", name);
}

/* host.compile(path): the function that is a module, or nil and a message. */
static int compile_module(lua_State *L)
{
  return compiled_load(&state_of(L)->script->compiled, L,
                       luaL_checkstring(L, 1));
}

static void set_text(lua_State *L, const char *name, const char *text)
{
  if (text)
    lua_pushstring(L, text);
  else
    lua_pushnil(L);
  lua_setfield(L, -2, name);
}

static void push_argv(lua_State *L, const struct script_setup *setup)
{
  lua_createtable(L, setup->argc, 1);
  for (int i = 0; i < setup->argc; i++) {
    lua_pushstring(L, setup->argv[i]);
    lua_rawseti(L, -2, i);
  }
}

/* host.record(name, path): a module was loaded from a file. */
static int record_module(lua_State *L)
{
  struct bundle *b = state_of(L)->script->setup.record;

  if (bundle_add(b, luaL_checkstring(L, 1), luaL_checkstring(L, 2), NULL, 0) <
      0)
    return luaL_error(L, "module '%s' cannot be given to other processes",
                      lua_tostring(L, 1));
  return 0;
}

/* host.bundled(name): text and path of a module that was given, or nil. */
static int find_module(lua_State *L)
{
  const struct bundle *b = state_of(L)->script->setup.bundle;
  const struct bundle_module *m = bundle_find(b, luaL_checkstring(L, 1));

  if (!m)
    return 0;
  lua_pushlstring(L, strbuf_str(&m->text), m->text.len);
  lua_pushstring(L, m->path);
  return 2;
}

static void set_function(lua_State *L, struct state *s, const char *name,
                         lua_CFunction function)
{
  lua_pushlightuserdata(L, s);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

static void push_host(lua_State *L, struct state *s)
{
  const struct script *script = s->script;
  const struct script_setup *setup = &script->setup;

  lua_createtable(L, 0, 24);
  lua_pushnumber(L, s->tid);
  lua_setfield(L, -2, "tid");
  set_text(L, "version",
           setup->plan->compat == COMPAT_1_1 ? "1.1.0" : "1.0.20");
  set_text(L, "bench_version", PACKAGE_VERSION);
  set_text(L, "command", setup->command);
  set_text(L, "script_path", setup->what->script_path);
  set_text(L, "folder", setup->what->folder);
  set_text(L, "datadir", script->datadir);
  set_text(L, "path", strbuf_str(&script->path));
  set_text(L, "cpath", strbuf_str(&script->cpath));
  set_text(L, "luajit_cmd", setup->luajit_cmd);
  push_argv(L, setup);
  lua_setfield(L, -2, "argv");
  set_function(L, s, "load", load_internal);
  set_function(L, s, "compile", compile_module);
  set_function(L, s, "declare_all", declare_all);
  if (setup->record && !script->main) /* this will be the main state */
    set_function(L, s, "record", record_module);
  if (setup->bundle)
    set_function(L, s, "bundled", find_module);
}

/* ---- making a state ---- */

/* Under lua_cpcall: everything but the script itself. */
static int boot(lua_State *L)
{
  struct state *s = lua_touserdata(L, 1);

  luaL_openlibs(L);
  lua_pushlightuserdata(L, s);
  lua_pushcclosure(L, load_internal, 1);
  lua_pushliteral(L, "sysbench");
  push_host(L, s);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, "bench.host");
  lua_call(L, 2, 0);
  return 0;
}

/* The body of the script; the name of a module is its argument. */
static int run_body(struct state *s, struct err *err)
{
  const struct strbuf *body = &s->script->body;
  const char *module = s->script->setup.what->module;
  lua_State *L = s->L;
  int rc;

  rc = luaL_loadbuffer(L, body->text, body->len, "script");
  if (rc == 0) {
    if (module)
      lua_pushstring(L, module);
    rc = lua_pcall(L, module ? 1 : 0, 0, 0);
  }
  return rc == 0 ? 0 : state_make_failed(s, rc, err);
}

static int init_random(struct state *s, const struct state_role *role,
                       struct err *err)
{
  const struct plan *plan = s->script->setup.plan;

  if (role->worker) {
    s->rand = role->worker->rand;
    return 0;
  }
  s->own_rand = mem_aligned(1, sizeof(*s->own_rand), CACHE_LINE);
  if (!s->own_rand)
    return out_of_memory(s, err);
  rand_stream_init(s->own_rand, plan->rand, plan->seed, role->purpose,
                   role->index, plan->all_threads);
  s->rand = s->own_rand;
  return 0;
}

/* Statements of workers are counted by class, where a report shows them. */
static int init_statements(struct state *s, struct err *err)
{
  if (!s->worker || !s->worker->classes)
    return 0;
  s->statements = calloc(1, sizeof(*s->statements));
  if (!s->statements)
    return out_of_memory(s, err);
  s->statements->recorder = s->worker->classes;
  s->statements->labels = &s->script->labels;
  s->statements->counting = &s->measured;
  s->env.on_statement = statement_ended;
  s->env.on_statement_ctx = s->statements;
  s->env.timed = true;
  return 0;
}

static int die(lua_State *L)
{
  (void)fprintf(stderr, "PANIC: unprotected error in call to Lua API (%s)\n",
                lua_tostring(L, -1));
  return 0; /* LuaJIT ends the process then */
}

/*
 * With an allocator of its own, the state takes a fifth less memory.  Without
 * GC64, or where malloc's memory is out of its reach, LuaJIT insists on its
 * own.
 */
static lua_State *new_lua_state(struct state *s)
{
  lua_State *L = NULL;

  if (s->script->gc64 && heap_start(&s->heap)) {
    L = lua_newstate(heap_alloc, &s->heap);
    heap_started(&s->heap);
  }
  if (!L)
    return luaL_newstate();
  (void)lua_atpanic(L, die);
  return L;
}

static int make(struct state *s, const struct state_role *role, struct err *err)
{
  int rc = init_random(s, role, err);

  if (rc < 0)
    return rc;
  s->env.process = s->script->setup.db;
  s->env.rng = rng_key(s->script->setup.plan->seed, RNG_INTERNAL,
                       (uint64_t)role->purpose << 32 | s->tid);
  s->env.under_deadline = role->worker != NULL;
  rc = init_statements(s, err);
  if (rc < 0)
    return rc;
  s->L = new_lua_state(s);
  if (!s->L)
    return out_of_memory(s, err);
  rc = lua_cpcall(s->L, boot, s);
  if (rc != 0)
    return state_make_failed(s, rc, err);
  /* What comes next takes the place of what was left behind. */
  (void)lua_gc(s->L, LUA_GCCOLLECT, 0);
  rc = run_body(s, err);
  (void)lua_gc(s->L, LUA_GCCOLLECT, 0);
  return rc;
}

int state_new(struct state **ret, struct script *script,
              const struct state_role *role, struct err *err)
{
  struct state *s = calloc(1, sizeof(*s));
  int rc;

  if (!s)
    return err_set(err, -ENOMEM,
                   "cannot create the Lua state of thread %u: not enough "
                   "memory",
                   role->tid);
  s->script = script;
  s->tid = role->tid;
  s->worker = role->worker;
  (void)state_enter(s);
  rc = make(s, role, err);
  if (rc < 0) {
    state_free(s);
    return rc;
  }
  *ret = s;
  return 0;
}

void state_free(struct state *s)
{
  if (!s)
    return;
  if (s->L)
    lua_close(s->L);
  heap_done(&s->heap);
  env_done(&s->env);
  if (current == s)
    (void)state_enter(NULL);
  strbuf_done(&s->quoted);
  free(s->statements);
  free(s->own_rand);
  free(s);
}

/* ---- calls ---- */

void state_push_global(struct state *s, const char *name)
{
  lua_pushstring(s->L, name);
  lua_rawget(s->L, LUA_GLOBALSINDEX);
}

int state_call_top(struct state *s, const char *name, int n_args, int n_results,
                   struct err *err)
{
  const int rc = lua_pcall(s->L, n_args, n_results, 0);

  if (rc == 0)
    return 0;
  if (lacked_memory(s, rc))
    (void)err_set(err, -ENOMEM,
                  "not enough memory in the Lua state of thread %u", s->tid);
  else
    state_error_text(s->L, -1, err);
  lua_pop(s->L, 1);
  err_prefix(err, "`%s' function failed", name);
  return -EINVAL;
}

int state_call(struct state *s, const char *name, bool with_tid,
               struct err *err)
{
  state_push_global(s, name);
  if (with_tid)
    lua_pushnumber(s->L, s->tid);
  return state_call_top(s, name, with_tid ? 1 : 0, 0, err);
}

int state_call_optional(struct state *s, const char *name, bool with_tid,
                        struct err *err)
{
  bool missing;

  state_push_global(s, name);
  missing = lua_isnil(s->L, -1);
  lua_pop(s->L, 1);
  return missing ? 0 : state_call(s, name, with_tid, err);
}

/* The table on the top gives way to one of its fields, other values to nil. */
static void replace_by_field(lua_State *L, const char *name)
{
  if (lua_istable(L, -1)) {
    lua_pushstring(L, name);
    lua_rawget(L, -2);
  } else {
    lua_pushnil(L);
  }
  lua_remove(L, -2);
}

void state_push_field(struct state *s, const char *table, const char *name)
{
  lua_State *L = s->L;

  state_push_global(s, "sysbench");
  if (table)
    replace_by_field(L, table);
  replace_by_field(L, name);
}
