#include "lua/engine/hooks.h"

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
#include "run/plan.h"
#include "stats/report.h"
#include "stats/value_hist.h"

static void hooks_set_number(lua_State *L, const char *name, double value)
{
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

static double hooks_seconds(uint64_t ns)
{
  return (double)ns / NS_PER_S;
}

static void hooks_set_count(lua_State *L, const char *name,
                            const struct report *r, enum counter c)
{
  hooks_set_number(L, name, (double)r->counter[c]);
}

static void hooks_push_stat(lua_State *L, const struct report *r)
{
  lua_createtable(L, 0, 24);
  hooks_set_number(L, "threads_running", r->threads_running);
  hooks_set_number(L, "time_interval", hooks_seconds(r->period_ns));
  hooks_set_number(L, "time_total", hooks_seconds(r->elapsed_ns));
  hooks_set_number(L, "events", (double)r->events);
  hooks_set_count(L, "reads", r, COUNTER_READ);
  hooks_set_count(L, "writes", r, COUNTER_WRITE);
  hooks_set_count(L, "other", r, COUNTER_OTHER);
  hooks_set_count(L, "errors", r, COUNTER_ERROR);
  hooks_set_count(L, "reconnects", r, COUNTER_RECONNECT);
  hooks_set_count(L, "bytes_read", r, COUNTER_BYTES_READ);
  hooks_set_count(L, "bytes_written", r, COUNTER_BYTES_WRITTEN);
  hooks_set_number(L, "latency_pct", hooks_seconds(r->percentile_ns));
  if (r->kind == REPORT_INTERVAL) {
    hooks_set_number(L, "queue_length", (double)r->queue_length);
    hooks_set_number(L, "concurrency", (double)r->concurrency);
    return;
  }
  hooks_set_number(L, "latency_min", hooks_seconds(r->min_ns));
  hooks_set_number(L, "latency_max", hooks_seconds(r->max_ns));
  hooks_set_number(L, "latency_sum", hooks_seconds(r->sum_ns));
  hooks_set_number(L, "latency_avg",
                   r->events ? hooks_seconds(r->sum_ns) / (double)r->events
                             : 0);
}

static bool call_hook(struct state *s, const char *name, const struct report *r)
{
  struct state *before;
  struct err err;
  bool found;

  if (!s)
    return false;
  before = state_enter(s);
  state_push_field(s, "hooks", name);
  found = lua_isfunction(s->L, -1);
  if (!found) {
    lua_pop(s->L, 1);
  } else {
    /* The background state keeps values that hooks have set. */
    const bool again = s != s->script->background;
    int rc = again ? options_export(s, &err) : 0;

    hooks_push_stat(s->L, r);
    if (rc == 0)
      rc = state_call_top(s, name, 1, 0, &err);
    else
      lua_pop(s->L, 2);
    if (rc < 0)
      log_msg(LOG_FATAL, "%s", err.text);
  }
  (void)state_enter(before);
  return found;
}

/* On the report thread, which can get stuck in the hook and be left behind. */
static bool call_background(struct script *script, const char *name,
                            const struct report *r)
{
  bool found;

  atomic_store(&script->in_hook, true);
  found = call_hook(script->background, name, r);
  atomic_store(&script->in_hook, false);
  return found;
}

static bool hooks_interval(void *arg, const struct report *r)
{
  return call_background(arg, "report_intermediate", r);
}

/* Without closing the state. */
static void end_output(struct state *s)
{
  struct state *before;
  struct err err;

  if (!s)
    return;
  before = state_enter(s);
  lua_getfield(s->L, LUA_REGISTRYINDEX, "bench.host");
  lua_getfield(s->L, -1, "end_output");
  lua_remove(s->L, -2);
  if (lua_isfunction(s->L, -1))
    (void)state_call_top(s, "end_output", 0, 0, &err);
  else
    lua_pop(s->L, 1);
  (void)state_enter(before);
}

static void hooks_end_background(void *arg)
{
  struct script *script = arg;

  if (!atomic_load(&script->in_hook))
    end_output(script->background);
}

/* Output of done() is not part of the last report. */
static bool hooks_final(struct script *script, const struct report *r)
{
  const bool found = call_hook(script->main, "report_cumulative", r);

  end_output(script->main);
  return found;
}

static bool hooks_cumulative(void *arg, const struct report *r)
{
  struct script *script = arg;

  return r->kind == REPORT_CHECKPOINT
           ? call_background(script, "report_cumulative", r)
           : hooks_final(script, r);
}

void hooks_end_output(struct script *script)
{
  hooks_end_background(script);
  end_output(script->main);
}

int hooks_begin(struct script *script, struct err *err)
{
  const struct plan *plan = script->setup.plan;
  const struct state_role role = {
    .tid = plan->all_threads,
    .purpose = RNG_HOOKS,
  };
  int rc;

  if (plan->interval_ns == 0 && plan->n_checkpoints == 0)
    return 0;
  rc = state_new(&script->background, script, &role, err);
  if (rc == 0)
    rc = options_export(script->background, err);
  (void)state_enter(script->main);
  return rc;
}

void hooks_end(struct script *script)
{
  if (!script->background)
    return;
  (void)state_enter(script->background);
  state_free(script->background);
  script->background = NULL;
  (void)state_enter(script->main);
}

#define HOOK "report_append"

enum {
  KEY_BYTES = 160, /* with its groups */
  NESTED = 4,
};

bool hooks_append_is_wanted(struct script *script)
{
  lua_State *L = script->main->L;
  bool found;

  state_push_field(script->main, "hooks", HOOK);
  found = lua_isfunction(L, -1);
  lua_pop(L, 1);
  return found;
}

/* ---- the argument of the hook ---- */

static void hooks_push_counters(lua_State *L, const struct tally_report *t)
{
  lua_createtable(L, 0, (int)t->n_counts);
  for (size_t i = 0; i < t->n_counts; i++)
    hooks_set_number(L, t->count[i].name, t->count[i].sum);
}

static void hooks_push_values(lua_State *L, const struct value_sum *sum)
{
  static const struct {
    const char *name;
    double percentile;
  } wanted[] = { { "p50", 50 }, { "p90", 90 }, { "p95", 95 }, { "p99", 99 } };

  lua_createtable(L, 0, 8);
  hooks_set_number(L, "count", (double)sum->n);
  hooks_set_number(L, "min", sum->min);
  hooks_set_number(L, "max", sum->max);
  hooks_set_number(L, "mean", value_mean(sum));
  for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
    hooks_set_number(L, wanted[i].name,
                     value_percentile(sum, wanted[i].percentile));
}

static void hooks_push_histograms(lua_State *L, const struct tally_report *t)
{
  lua_createtable(L, 0, (int)t->n_values);
  for (size_t i = 0; i < t->n_values; i++) {
    hooks_push_values(L, t->values[i].values);
    lua_setfield(L, -2, t->values[i].name);
  }
}

static void hooks_push_sums(lua_State *L, const struct report *r)
{
  lua_createtable(L, 0, 4);
  hooks_set_number(L, "time_total", (double)r->elapsed_ns / NS_PER_S);
  lua_pushboolean(L, r->kind == REPORT_FINAL);
  lua_setfield(L, -2, "complete");
  hooks_push_counters(L, &r->tally);
  lua_setfield(L, -2, "counters");
  hooks_push_histograms(L, &r->tally);
  lua_setfield(L, -2, "histograms");
}

/* ---- its results ---- */

static int hooks_add_figures(struct facts *to, lua_State *L, const char *group,
                             unsigned depth, struct err *err);

static int hooks_add_figure(struct facts *to, lua_State *L, const char *group,
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
    return hooks_add_figures(to, L, key, depth + 1, err);
  default:
    return err_set(err, -EINVAL, HOOK ": the figure '%s' is a %s", key,
                   luaL_typename(L, -1));
  }
}

static int hooks_add_figures(struct facts *to, lua_State *L, const char *group,
                             unsigned depth, struct err *err)
{
  int rc = 0;

  if (depth > NESTED || !lua_checkstack(L, 4))
    return err_set(err, -EINVAL, HOOK ": at most %u groups in each other",
                   NESTED);
  lua_pushnil(L);
  while (rc == 0 && lua_next(L, -2) != 0) {
    rc = hooks_add_figure(to, L, group, depth, err);
    lua_pop(L, 1);
  }
  if (rc < 0)
    lua_pop(L, 1); /* the name at which the loop stopped */
  return rc;
}

/* Takes text and figures from the stack, of any type. */
static int hooks_take_results(struct script *script, lua_State *L,
                              struct strbuf *b, struct err *err)
{
  struct facts figures = { 0 };
  int rc = 0;

  if (lua_istable(L, -1))
    rc = hooks_add_figures(&figures, L, "", 1, err);
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

static int call_append(struct script *script, const struct report *r,
                       struct strbuf *b, struct err *err)
{
  struct state *s = script->main;
  int rc = options_export(s, err);

  if (rc < 0)
    return rc;
  state_push_field(s, "hooks", HOOK);
  hooks_push_sums(s->L, r);
  rc = state_call_top(s, HOOK, 1, 2, err);
  if (rc < 0)
    return rc;
  rc = hooks_take_results(script, s->L, b, err);
  lua_pop(s->L, 2);
  return rc;
}

/* Appends the hook's text, if any, for the sums of the run; keeps its
 * figures in script->figures.  Reports an error. */
static void hooks_append_report(void *arg, const struct report *r,
                                struct strbuf *b)
{
  struct script *script = arg;
  struct state *before = state_enter(script->main);
  struct err err;

  if (hooks_append_is_wanted(script) && call_append(script, r, b, &err) < 0)
    log_msg(LOG_FATAL, "%s", err.text);
  (void)state_enter(before);
}

void hooks_init(struct script *script)
{
  script->hooks = (struct text_hooks){
    .interval = hooks_interval,
    .cumulative = hooks_cumulative,
    .append = hooks_append_report,
    .periods_over = hooks_end_background,
    .arg = script,
  };
}
