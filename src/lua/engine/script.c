/*
 * script.c - turns the text of a script into a test.
 */
#include "lua/engine/script.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/log.h"
#include "lua/engine/hooks.h"
#include "lua/engine/loading.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "lua/engine/test.h"
#include "run/plan.h"

enum {
  MANY_THREADS = 1000
};

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

static int load(struct script *script, const struct script_setup *setup,
                struct err *err)
{
  const struct state_role role = {
    .purpose = RNG_MAIN,
    .index = setup->plan->part,
  };
  int rc = shared_init(script, setup, err);

  if (rc < 0)
    return rc;
  hooks_init(script);
  script->test = (struct test){
    .name = script->name,
    .ops = &test_script_ops,
  };
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
  rc = load(script, setup, err);
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

bool script_has_loaded(struct script *script, const char *module)
{
  lua_State *L = script->main->L;
  bool has;

  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  lua_pushstring(L, module);
  lua_rawget(L, -2);
  has = lua_toboolean(L, -1);
  lua_pop(L, 2);
  return has;
}

void script_free(struct script *script)
{
  if (!script)
    return;
  if (script->main) {
    (void)state_enter(script->main);
    state_free(script->main);
  }
  loading_done(script);
  shared_done(script);
  free(script);
}

const struct test *script_test(struct script *script)
{
  return &script->test;
}

const struct text_hooks *script_hooks(struct script *script)
{
  return &script->hooks;
}

void script_end_output(struct script *script)
{
  hooks_end_output(script);
}
