/*
 * trace.c - what an error of a script was, and where it was raised.
 */
#include "lua/engine/trace.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"

/* The upvalue of the handler: the last error that it has printed. */
#define PRINTED lua_upvalueindex(1)

/* sysbench.error.RESTART_EVENT */
enum {
  RESTART_EVENT = 1
};

void trace_push_place(lua_State *L)
{
  lua_Debug at;

  for (int level = 0; lua_getstack(L, level, &at); level++) {
    if (lua_getinfo(L, "Sl", &at) && at.currentline > 0 &&
        strncmp(at.source, "=bench.", sizeof("=bench.") - 1) != 0) {
      lua_pushfstring(L, "%s:%d: ", at.short_src, at.currentline);
      return;
    }
  }
  lua_pushliteral(L, "");
}

static bool is_text(lua_State *L, int index)
{
  return lua_type(L, index) == LUA_TSTRING || lua_type(L, index) == LUA_TNUMBER;
}

/* Pushes the text that __tostring of the value returns. */
static int ask_value(lua_State *L)
{
  if (!luaL_callmeta(L, 1, "__tostring"))
    lua_pushnil(L);
  return 1;
}

/* Pushes where error() was called with the value, if that is known. */
static void push_raised(lua_State *L, int index)
{
  lua_getfield(L, LUA_REGISTRYINDEX, "bench.host");
  lua_getfield(L, -1, "raised");
  lua_getfield(L, -2, "raised_at");
  if (!lua_rawequal(L, index, -2) || !lua_isstring(L, -1)) {
    lua_pop(L, 1);
    lua_pushliteral(L, "");
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

void trace_push_text(lua_State *L, int index)
{
  const char *const type = luaL_typename(L, index);
  int rc;

  if (is_text(L, index)) {
    lua_pushvalue(L, index);
    return;
  }
  if (index < 0)
    index = lua_gettop(L) + 1 + index;
  push_raised(L, index);
  lua_pushcfunction(L, ask_value);
  lua_pushvalue(L, index);
  rc = lua_pcall(L, 1, 1, 0);
  if (rc != 0 && lua_isstring(L, -1))
    (void)lua_pushfstring(L,
                          "(error object is a %s value, whose __tostring "
                          "fails: %s)",
                          type, lua_tostring(L, -1));
  else if (rc != 0 || !is_text(L, -1))
    (void)lua_pushfstring(L, "(error object is a %s value)", type);
  else
    lua_pushvalue(L, -1);
  lua_remove(L, -2);
  lua_concat(L, 2);
}

/* Is it a message to the loop of events?  Called with the value. */
static int is_for_loop(lua_State *L)
{
  bool is;

  lua_getfield(L, LUA_REGISTRYINDEX, "bench.host");
  lua_getfield(L, 2, "abandoned");
  is = lua_rawequal(L, 1, -1);
  if (!is) {
    lua_getfield(L, 1, "errcode");
    is = lua_tonumber(L, -1) == RESTART_EVENT;
  }
  lua_pushboolean(L, is);
  return 1;
}

static bool is_failure(lua_State *L)
{
  lua_pushcfunction(L, is_for_loop);
  lua_pushvalue(L, 1);
  return lua_pcall(L, 1, 1, 0) != 0 || !lua_toboolean(L, -1);
}

static int trace_handler(lua_State *L)
{
  lua_settop(L, 1);
  if (!lua_rawequal(L, 1, PRINTED) && (!lua_istable(L, 1) || is_failure(L))) {
    trace_push_text(L, 1);
    luaL_traceback(L, L, lua_tostring(L, -1), 1);
    log_msg(LOG_INFO, "%s", lua_tostring(L, -1));
    lua_pushvalue(L, 1);
    lua_replace(L, PRINTED);
  }
  lua_settop(L, 1);
  return 1;
}

void trace_push_handler(lua_State *L)
{
  lua_pushlightuserdata(L, L); /* no error is equal to it */
  lua_pushcclosure(L, trace_handler, 1);
}
