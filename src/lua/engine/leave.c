/*
 * leave.c - an idle client leaves the Lua state that it shares with others.
 *
 * It begins no events, so its script would run only once more: thread_done().
 */
#include <lua.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "db/env_conns.h"
#include "lua/engine/later.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"

/* Bundled files whose thread_done() closes statements and connections, and does
 * nothing else, as long as these functions are theirs. */
static const struct closer {
  const char *file;
  const char *calls; /* another global, which scripts may replace; NULL: none */
} closers[] = {
  { "oltp_common.lua", "close_statements" },
  { "tpcb.lua", NULL },
  { "bulk_insert.lua", NULL },
};

/* Is the global `name` a function of that file? */
static bool is_from(struct state *s, const char *name, const char *file)
{
  const char *const folder = s->script->datadir;
  lua_Debug about = { 0 };
  size_t len;

  state_push_global(s, name);
  if (!lua_isfunction(s->L, -1) || !folder) {
    lua_pop(s->L, 1);
    return false;
  }
  (void)lua_getinfo(s->L, ">S", &about);
  len = strlen(folder);
  return about.source[0] == '@' &&
         strncmp(about.source + 1, folder, len) == 0 &&
         about.source[1 + len] == '/' &&
         strcmp(about.source + 1 + len + 1, file) == 0;
}

static bool only_closes(struct state *s)
{
  bool missing;

  state_push_global(s, "thread_done");
  missing = lua_isnil(s->L, -1);
  lua_pop(s->L, 1);
  if (missing)
    return true;
  for (size_t i = 0; i < ARRAY_SIZE(closers); i++) {
    const struct closer *c = &closers[i];

    if (is_from(s, "thread_done", c->file))
      return !c->calls || is_from(s, c->calls, c->file);
  }
  return false;
}

void state_leave(struct state *s)
{
  if (!only_closes(s))
    return;
  later_free_objects(&s->client.later);
  later_done(&s->client.later);
  client_leave(&s->client, s->vm);
  s->L = NULL;
  env_abandon(&s->env);
}

void state_end_left(struct state *s)
{
  (void)state_enter(s);
  env_close(&s->env);
}
