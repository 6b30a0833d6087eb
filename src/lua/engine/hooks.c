/*
 * hooks.c - the functions of a script that replace reports of the program.
 */
#include "lua/engine/hooks.h"

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "lua/engine/append.h"
#include "lua/engine/options.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "run/plan.h"
#include "stats/report.h"

static void set_number(lua_State *L, const char *name, double value)
{
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

static double seconds(uint64_t ns)
{
  return (double)ns / NS_PER_S;
}

static void set_count(lua_State *L, const char *name, const struct report *r,
                      enum counter c)
{
  set_number(L, name, (double)r->counter[c]);
}

/* Pushes the table that hooks receive. */
static void push_stat(lua_State *L, const struct report *r)
{
  lua_createtable(L, 0, 24);
  set_number(L, "threads_running", r->threads_running);
  set_number(L, "time_interval", seconds(r->period_ns));
  set_number(L, "time_total", seconds(r->elapsed_ns));
  set_number(L, "events", (double)r->events);
  set_count(L, "reads", r, COUNTER_READ);
  set_count(L, "writes", r, COUNTER_WRITE);
  set_count(L, "other", r, COUNTER_OTHER);
  set_count(L, "errors", r, COUNTER_ERROR);
  set_count(L, "reconnects", r, COUNTER_RECONNECT);
  set_count(L, "bytes_read", r, COUNTER_BYTES_READ);
  set_count(L, "bytes_written", r, COUNTER_BYTES_WRITTEN);
  set_number(L, "latency_pct", seconds(r->percentile_ns));
  if (r->kind == REPORT_INTERVAL) {
    set_number(L, "queue_length", (double)r->queue_length);
    set_number(L, "concurrency", (double)r->concurrency);
    return;
  }
  set_number(L, "latency_min", seconds(r->min_ns));
  set_number(L, "latency_max", seconds(r->max_ns));
  set_number(L, "latency_sum", seconds(r->sum_ns));
  set_number(L, "latency_avg",
             r->events ? seconds(r->sum_ns) / (double)r->events : 0);
}

/* Calls a hook in its state; false: there is none. */
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
    /* In the background state, values that hooks have set are kept. */
    const bool again = s != s->script->background;
    int rc = again ? options_export(s, &err) : 0;

    push_stat(s->L, r);
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

/*
 * The report thread calls this.  It may get stuck in the hook and be left
 * behind.
 */
static bool call_background(struct script *script, const char *name,
                            const struct report *r)
{
  bool found;

  atomic_store(&script->in_hook, true);
  found = call_hook(script->background, name, r);
  atomic_store(&script->in_hook, false);
  return found;
}

static bool interval(void *arg, const struct report *r)
{
  return call_background(arg, "report_intermediate", r);
}

/* Completes what the state has begun to write, without closing it. */
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

static void end_background(void *arg)
{
  struct script *script = arg;

  if (!atomic_load(&script->in_hook))
    end_output(script->background);
}

/* Prints the last report.  Output of done() is not part of it. */
static bool final(struct script *script, const struct report *r)
{
  const bool found = call_hook(script->main, "report_cumulative", r);

  end_output(script->main);
  return found;
}

/* The main state prints the last report, the background state earlier ones. */
static bool cumulative(void *arg, const struct report *r)
{
  struct script *script = arg;

  return r->kind == REPORT_CHECKPOINT
           ? call_background(script, "report_cumulative", r)
           : final(script, r);
}

void hooks_init(struct script *script)
{
  script->hooks = (struct text_hooks){
    .interval = interval,
    .cumulative = cumulative,
    .append = append_report,
    .periods_over = end_background,
    .arg = script,
  };
}

void hooks_end_output(struct script *script)
{
  end_background(script);
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
