#include "lua/engine/host.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "db/process.h"
#include "lua/engine/failure.h"
#include "lua/engine/setup.h"
#include "lua/engine/shared.h"
#include "lua/find/bundle.h"
#include "lua/find/resolve.h"
#include "lua/find/source.h"
#include "opt/identity.h"
#include "run/plan.h"

const struct opt setup_opts[] = {
  {
    OPT_STRING(struct script_cfg, luajit_cmd),
    .name = "luajit-cmd",
    .group = "General",
    .flags = OPT_EXPERT,
    .show_as = "=COMMAND",
    .help = "LuaJIT engine control command, as for luajit -j",
    .man = "The option is for Lua scripts only. Other tests have no LuaJIT and "
           "ignore it with a warning.",
  },
  OPT_END,
};

static struct host *host_of(lua_State *L)
{
  return lua_touserdata(L, lua_upvalueindex(1));
}

/* Each declaration takes memory in every state. Declares `needs`, or the
 * first n if NULL, by ffi.cdef of the table at `ffi`. */
static void declare(lua_State *L, int ffi, const unsigned char *needs, size_t n)
{
  struct host *h = host_of(L);
  luaL_Buffer text;

  lua_getfield(L, ffi, "cdef");
  luaL_buffinit(L, &text);
  for (size_t i = 0; i < n; i++) {
    const size_t index = needs ? needs[i] : i;

    if (!h->declared[index])
      luaL_addstring(&text, internal_declarations[index].text);
  }
  luaL_pushresult(&text);
  lua_call(L, 1, 0);
  for (size_t i = 0; i < n; i++)
    h->declared[needs ? needs[i] : i] = true;
}

/* host.declare_all(ffi): all declarations for scripts. */
static int declare_all(lua_State *L)
{
  declare(L, 1, NULL, internal_n_declarations);
  return 0;
}

/* host.chunk(name, host): an internal module's function. */
static int load_chunk(lua_State *L)
{
  struct script *script = host_of(L)->script;
  const char *name = luaL_checkstring(L, 1);
  struct err err;

  for (size_t i = 0; i < INTERNAL_MODULES; i++) {
    const struct internal_module *m = &internal_modules[i];

    if (strcmp(m->name, name) != 0)
      continue;
    if (m->n_needs > 0) {
      lua_getfield(L, 2, "ffi");
      declare(L, lua_gettop(L), m->needs, m->n_needs);
    }
    if (shared_module(script, i, &err) < 0)
      return luaL_error(L, "%s", err.text);
    if (luaL_loadbuffer(L, script->modules[i].text, script->modules[i].len,
                        lua_pushfstring(L, "=bench.%s", name)) != 0)
      return lua_error(L);
    return 1;
  }
  return luaL_error(L, "no internal module '%s'", name);
}

/* host.load(name, host): executes an internal module. */
static int load_internal(lua_State *L)
{
  (void)load_chunk(L);
  lua_pushvalue(L, 2);
  lua_call(L, 1, 1);
  return 1;
}

/* host.compile(path): the function of a module, or nil and a message. */
static int compile_module(lua_State *L)
{
  return compiled_load(&host_of(L)->script->compiled, L,
                       luaL_checkstring(L, 1));
}

/* host.returned(text): event() has returned a value, which ended its loop. */
static int event_returned(lua_State *L)
{
  struct script *script = host_of(L)->script;
  const char *text = luaL_checkstring(L, 1);

  (void)pthread_mutex_lock(&script->lock);
  if (script->returned.threads++ == 0)
    (void)snprintf(script->returned.text, sizeof(script->returned.text), "%s",
                   text);
  (void)pthread_mutex_unlock(&script->lock);
  return 0;
}

/* host.readable(path): does the file or embedded script exist? */
static int is_readable(lua_State *L)
{
  lua_pushboolean(L, source_exists(luaL_checkstring(L, 1)));
  return 1;
}

/* host.collector_stopped(yes): by the script. */
static int collector_stopped(lua_State *L)
{
  host_of(L)->collector_stopped = lua_toboolean(L, 1);
  return 0;
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
  struct bundle *b = host_of(L)->script->setup.record;

  if (bundle_add(b, luaL_checkstring(L, 1), luaL_checkstring(L, 2), NULL, 0) <
      0)
    return luaL_error(L, "module '%s' cannot be given to other processes",
                      lua_tostring(L, 1));
  return 0;
}

/* host.bundled(name): text and path of another process's module, or nil. */
static int find_module(lua_State *L)
{
  const struct bundle *b = host_of(L)->script->setup.bundle;
  const struct bundle_module *m = bundle_find(b, luaL_checkstring(L, 1));

  if (!m)
    return 0;
  lua_pushlstring(L, strbuf_str(&m->text), m->text.len);
  lua_pushstring(L, m->path);
  return 2;
}

static void set_function(lua_State *L, struct host *h, const char *name,
                         lua_CFunction function)
{
  lua_pushlightuserdata(L, h);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

static void push_host(lua_State *L, struct host *h)
{
  const struct script *script = h->script;
  const struct script_setup *setup = &script->setup;

  lua_createtable(L, 0, 24);
  lua_pushnumber(L, h->tid);
  lua_setfield(L, -2, "tid");
  set_text(L, "version",
           setup->plan->compat == COMPAT_1_1 ? "1.1.0" : "1.0.20");
  set_text(L, "bench_version", PACKAGE_VERSION);
  set_text(L, "program", identity_name(setup->plan->identity));
  set_text(L, "command", setup->command);
  set_text(L, "script_path", setup->what->script_path);
  set_text(L, "folder", setup->what->folder);
  set_text(L, "datadir", script->datadir);
  lua_pushboolean(L, setup->db->facts.bundled);
  lua_setfield(L, -2, "is_bundled");
  set_text(L, "path", strbuf_str(&script->path));
  set_text(L, "cpath", strbuf_str(&script->cpath));
  set_text(L, "luajit_cmd", setup->cfg->luajit_cmd);
  push_argv(L, setup);
  lua_setfield(L, -2, "argv");
  set_function(L, h, "load", load_internal);
  set_function(L, h, "compile", compile_module);
  set_function(L, h, "readable", is_readable);
  set_function(L, h, "declare_all", declare_all);
  set_function(L, h, "collector_stopped", collector_stopped);
  if (log_get_level() >= LOG_INFO) {
    failure_push_handler(L);
    lua_setfield(L, -2, "on_error");
  }
  if (h->in_worker)
    set_function(L, h, "returned", event_returned);
  if (setup->record && !script->main)
    set_function(L, h, "record", record_module);
  if (setup->bundle)
    set_function(L, h, "bundled", find_module);
  if (h->vm) {
    set_function(L, h, "chunk", load_chunk);
    h->add_functions(h->vm, L);
  }
}

void host_boot(struct host *h, lua_State *L)
{
  lua_pushlightuserdata(L, h);
  lua_pushcclosure(L, load_internal, 1);
  lua_pushliteral(L, "sysbench");
  push_host(L, h);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, "bench.host");
  lua_call(L, 2, 0);
}
