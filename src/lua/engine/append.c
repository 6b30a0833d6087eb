/*
 * append.c - the hook with which a script adds a text to the last report, and
 * figures to the results.
 */
#include "lua/engine/append.h"

#include <errno.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "lua/engine/options.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "stats/report.h"
#include "stats/value_hist.h"

#define HOOK "report_append"

enum {
  KEY_BYTES = 160, /* of a figure, with its groups */
  NESTED = 4,      /* groups in groups */
};

bool append_is_wanted(struct script *script)
{
  lua_State *L = script->main->L;
  bool found;

  state_push_field(script->main, "hooks", HOOK);
  found = lua_isfunction(L, -1);
  lua_pop(L, 1);
  return found;
}

/* ---- what the hook receives ---- */

static void set_number(lua_State *L, const char *name, double value)
{
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

static void push_counters(lua_State *L, const struct tally_report *t)
{
  lua_createtable(L, 0, (int)t->n_counts);
  for (size_t i = 0; i < t->n_counts; i++)
    set_number(L, t->count[i].name, t->count[i].sum);
}

static void push_values(lua_State *L, const struct value_sum *sum)
{
  static const struct {
    const char *name;
    double percentile;
  } wanted[] = { { "p50", 50 }, { "p90", 90 }, { "p95", 95 }, { "p99", 99 } };

  lua_createtable(L, 0, 8);
  set_number(L, "count", (double)sum->n);
  set_number(L, "min", sum->min);
  set_number(L, "max", sum->max);
  set_number(L, "mean", value_mean(sum));
  for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
    set_number(L, wanted[i].name, value_percentile(sum, wanted[i].percentile));
}

static void push_histograms(lua_State *L, const struct tally_report *t)
{
  lua_createtable(L, 0, (int)t->n_values);
  for (size_t i = 0; i < t->n_values; i++) {
    push_values(L, t->values[i].values);
    lua_setfield(L, -2, t->values[i].name);
  }
}

static void push_sums(lua_State *L, const struct report *r)
{
  lua_createtable(L, 0, 4);
  set_number(L, "time_total", (double)r->elapsed_ns / NS_PER_S);
  lua_pushboolean(L, r->kind == REPORT_FINAL);
  lua_setfield(L, -2, "complete");
  push_counters(L, &r->tally);
  lua_setfield(L, -2, "counters");
  push_histograms(L, &r->tally);
  lua_setfield(L, -2, "histograms");
}

/* ---- what it returns ---- */

static int add_figures(struct facts *to, lua_State *L, const char *group,
                       unsigned depth, struct err *err);

/* Adds the value at the top; its name is below it. */
static int add_figure(struct facts *to, lua_State *L, const char *group,
                      unsigned depth, struct err *err)
{
  char key[KEY_BYTES];
  int len;

  if (lua_type(L, -2) != LUA_TSTRING || strchr(lua_tostring(L, -2), '.'))
    return err_set(err, -EINVAL,
                   HOOK ": names of figures are strings without a dot");
  len = snprintf(key, sizeof(key), "%s%s%s", group, group[0] ? "." : "",
                 lua_tostring(L, -2));
  if (len < 0 || (size_t)len >= sizeof(key))
    return err_set(err, -EINVAL, HOOK ": the name '%.40s...' is too long", key);
  switch (lua_type(L, -1)) {
  case LUA_TNUMBER:
    if (lua_tonumber(L, -1) == floor(lua_tonumber(L, -1)) &&
        fabs(lua_tonumber(L, -1)) < 0x1p53)
      facts_int(to, key, (int64_t)lua_tonumber(L, -1));
    else
      facts_real(to, key, lua_tonumber(L, -1));
    return 0;
  case LUA_TSTRING:
    facts_text(to, key, lua_tostring(L, -1));
    return 0;
  case LUA_TBOOLEAN:
    facts_bool(to, key, lua_toboolean(L, -1));
    return 0;
  case LUA_TTABLE:
    return add_figures(to, L, key, depth + 1, err);
  default:
    return err_set(err, -EINVAL, HOOK ": the figure '%s' is a %s", key,
                   luaL_typename(L, -1));
  }
}

/* Adds what the table at the top holds. */
static int add_figures(struct facts *to, lua_State *L, const char *group,
                       unsigned depth, struct err *err)
{
  int rc = 0;

  if (depth > NESTED || !lua_checkstack(L, 4))
    return err_set(err, -EINVAL, HOOK ": at most %u groups in each other",
                   NESTED);
  lua_pushnil(L);
  while (rc == 0 && lua_next(L, -2) != 0) {
    rc = add_figure(to, L, group, depth, err);
    lua_pop(L, 1);
  }
  if (rc < 0)
    lua_pop(L, 1); /* the name at which it has stopped */
  return rc;
}

/* Takes the text and the figures from the stack, in whatever form. */
static int take_results(struct script *script, lua_State *L, struct strbuf *b,
                        struct err *err)
{
  struct facts figures = { 0 };
  int rc = 0;

  if (lua_istable(L, -1))
    rc = add_figures(&figures, L, "", 1, err);
  if (rc < 0) {
    facts_done(&figures);
    return rc;
  }
  if (lua_type(L, -2) == LUA_TSTRING)
    strbuf_adds(b, lua_tostring(L, -2));
  facts_done(&script->figures);
  script->figures = figures;
  return 0;
}

static int call_hook(struct script *script, const struct report *r,
                     struct strbuf *b, struct err *err)
{
  struct state *s = script->main;
  int rc = options_export(s, err);

  if (rc < 0)
    return rc;
  state_push_field(s, "hooks", HOOK);
  push_sums(s->L, r);
  rc = state_call_top(s, HOOK, 1, 2, err);
  if (rc < 0)
    return rc;
  rc = take_results(script, s->L, b, err);
  lua_pop(s->L, 2);
  return rc;
}

void append_report(void *arg, const struct report *r, struct strbuf *b)
{
  struct script *script = arg;
  struct state *before = state_enter(script->main);
  struct err err;

  if (append_is_wanted(script) && call_hook(script, r, b, &err) < 0)
    log_msg(LOG_FATAL, "%s", err.text);
  (void)state_enter(before);
}
