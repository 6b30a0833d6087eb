/*
 * commands.c - which commands a script has, for the message that one is wrong.
 */
#include <lauxlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "lua/engine/script_internal.h"
#include "lua/engine/state.h"

static void add_word(struct strbuf *out, const char *word)
{
  strbuf_addf(out, "%s%s", out->len > 0 ? " " : "", word);
}

static bool has_function(struct state *s, const char *name)
{
  bool has;

  state_push_global(s, name);
  has = lua_isfunction(s->L, -1);
  lua_pop(s->L, 1);
  return has;
}

static const char *const usual[] = { "prepare", "run", "cleanup", "help" };

static bool is_usual(const char *name)
{
  for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
    if (strcmp(usual[i], name) == 0)
      return true;
  }
  return false;
}

/* Is the value on top a command as scripts declare it? */
static bool is_command(lua_State *L)
{
  bool is = lua_istable(L, -1);

  if (is) {
    lua_rawgeti(L, -1, 1);
    is = !lua_isnil(L, -1);
    lua_pop(L, 1);
  }
  return is;
}

/* Push the names that only this script has, sorted, from the table on top. */
static void push_sorted_names(lua_State *L)
{
  int n = 0;

  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, -3) != 0; lua_pop(L, 1)) {
    if (!is_command(L) || lua_type(L, -2) != LUA_TSTRING ||
        is_usual(lua_tostring(L, -2)))
      continue;
    lua_pushvalue(L, -2);
    lua_rawseti(L, -4, ++n);
  }
  lua_getglobal(L, "table");
  lua_getfield(L, -1, "sort");
  lua_remove(L, -2);
  lua_pushvalue(L, -2);
  lua_call(L, 1, 0);
}

/* Under lua_cpcall: the script may have replaced anything that is used. */
static int add_commands(lua_State *L)
{
  struct strbuf *out = lua_touserdata(L, 1);
  struct state *s = state_current();

  state_push_field(s, "cmdline", "commands");
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
  }
  for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
    const bool is_run = strcmp(usual[i], "run") == 0;
    const bool is_help = strcmp(usual[i], "help") == 0;

    lua_getfield(L, -1, usual[i]);
    if (is_command(L) || has_function(s, is_run ? "event" : usual[i]) ||
        (is_help && s->script->declared))
      add_word(out, usual[i]);
    lua_pop(L, 1);
  }
  push_sorted_names(L);
  for (int i = 1;; i++) {
    lua_rawgeti(L, -1, i);
    if (lua_isnil(L, -1))
      return 0;
    add_word(out, lua_tostring(L, -1));
    lua_pop(L, 1);
  }
}

void script_list_commands(struct script *script, struct strbuf *out)
{
  if (lua_cpcall(script->main->L, add_commands, out) != 0)
    lua_pop(script->main->L, 1); /* its message: the list ends here */
}
