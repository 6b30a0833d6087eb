/*
 * kernel_lua.c - lua: tables, strings, calls and numbers in plain LuaJIT.
 */
#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <luajit.h>
#include <lualib.h>

#include "base/err.h"
#include "tests/cpu/kernel.h"

enum {
  TURNS = 20000,
};

struct engine {
  lua_State *lua; /* owned; the function is on its stack */
};

/* All numbers are integers below 2^53, which are exact. */
static const char script[] =
  "local Account = {}\n"
  "Account.__index = Account\n"
  "local function new(name) return setmetatable({name = name, sum = 0}, "
  "Account) end\n"
  "function Account:pay(n) self.sum = (self.sum + n) % 1000003 end\n"
  "return function(turns)\n"
  "  local accounts, count, x, bytes = {}, {}, 1, 0\n"
  "  for i = 1, 64 do accounts[i] = new('account' .. i) end\n"
  "  for i = 1, turns do\n"
  "    x = x * 16807 % 2147483647\n"
  "    local a = accounts[x % 64 + 1]\n"
  "    a:pay(x)\n"
  "    count[a.name] = (count[a.name] or 0) + 1\n"
  "    bytes = bytes + a.name:byte(-1) + #a.name\n"
  "    if x % 256 == 0 then\n"
  "      accounts[x % 64 + 1] = new(a.name:sub(1, 8) .. i % 100)\n"
  "    end\n"
  "  end\n"
  "  local sum = bytes\n"
  "  for i = 1, 64 do\n"
  "    local a = accounts[i]\n"
  "    sum = (sum * 31 + a.sum + (count[a.name] or 0)) % 1000000007\n"
  "  end\n"
  "  return sum\n"
  "end\n";

static void kernel_lua_done(void *mem)
{
  struct engine *e = mem;

  if (e->lua)
    lua_close(e->lua);
  e->lua = NULL;
}

static int kernel_lua_prepare(void *mem, struct err *err)
{
  struct engine *e = mem;

  e->lua = luaL_newstate();
  if (!e->lua)
    return err_set(err, -ENOMEM, "cannot allocate a LuaJIT state");
  luaL_openlibs(e->lua);
  if (luaL_dostring(e->lua, script) != 0)
    return err_set(err, -ENOMEM, "cannot load the kernel lua: %s",
                   lua_tostring(e->lua, -1));
  return 0;
}

/* 0: the script has failed. */
static uint64_t run_as(void *mem, int mode)
{
  lua_State *lua = ((const struct engine *)mem)->lua;
  uint64_t result = 0;

  if (luaJIT_setmode(lua, 0, LUAJIT_MODE_ENGINE | mode) == 0)
    return 0;
  lua_pushvalue(lua, -1);
  lua_pushinteger(lua, TURNS);
  if (lua_pcall(lua, 1, 1, 0) == 0)
    result = (uint64_t)lua_tonumber(lua, -1);
  lua_pop(lua, 1);
  return result;
}

static uint64_t run_interpreter(void *mem)
{
  return run_as(mem, LUAJIT_MODE_OFF);
}

static uint64_t run_compiled(void *mem)
{
  return run_as(mem, LUAJIT_MODE_ON);
}

/* False: LuaJIT has no compiler here. */
static bool kernel_lua_compiles(void)
{
  lua_State *lua = luaL_newstate();
  bool works = false;

  if (lua) {
    luaL_openlibs(lua);
    works = luaJIT_setmode(lua, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_ON) != 0;
    lua_close(lua);
  }
  return works;
}

static const struct cpu_path compiled = { "compiled", kernel_lua_compiles,
                                          run_compiled };

const struct cpu_kernel cpu_kernel_lua = {
  .name = "lua",
  .unit = "turn",
  .operations = TURNS,
  .result = UINT64_C(0x00000000331faefa),
  .bytes = sizeof(struct engine),
  .prepare = kernel_lua_prepare,
  .done = kernel_lua_done,
  .portable = { .name = "interpreter", .run = run_interpreter },
  .fast = &compiled,
};
