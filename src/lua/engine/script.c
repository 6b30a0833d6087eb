#include "lua/engine/script.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "db/conn.h"
#include "db/env_conns.h"
#include "db/figures/db_figures.h"
#include "db/figures/sql_form.h"
#include "db/watch.h"
#include "lua/engine/commands.h"
#include "lua/engine/hooks.h"
#include "lua/engine/options.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "lua/engine/vm.h"
#include "report/form.h"
#include "report/life.h"
#include "run/plan.h"
#include "run/worker.h"
#include "stats/report.h"

static void details_fill(void *run, struct test_details *ret)
{
  struct script *script = run;

  ret->test = script->figures; /* ownership moves */
  script->figures = (struct facts){ 0 };
  db_figures_details(script->setup.db, ret);
}

static void details_whole(void *run, const struct test_details *whole)
{
  const struct script *script = run;

  db_figures_whole(script->setup.db, whole);
}

static void details_doubts(void *run, const struct report *total,
                           struct warnings *to)
{
  const struct script *script = run;

  db_figures_doubts(script->setup.db, script->setup.plan, total, to);
}

static void details_tally(void *run, struct tally *to)
{
  struct script *script = run;

  measures_tally(&script->measures, to);
  db_figures_tally(script->setup.db, to);
}

static void details_statement_times(void *run, struct report *r)
{
  const struct script *script = run;

  db_figures_statement_times(script->setup.db, r);
}

static int script_open_run(const struct plan *plan, const void *cfg,
                           void **ret_run, struct err *err)
{
  struct script *script = (struct script *)(uintptr_t)cfg;
  struct state *s = script->main;
  bool has_event;
  int rc;

  (void)plan;
  rc = options_export(s, err);
  if (rc < 0)
    return rc;
  rc = state_call_optional(s, "init", false, err);
  if (rc < 0)
    return rc;
  state_push_global(s, "event");
  has_event = lua_isfunction(s->L, -1);
  lua_pop(s->L, 1);
  if (!has_event)
    return err_set(err, -EINVAL, "cannot find the event() function in %s",
                   script->name);
  *ret_run = script;
  return 0;
}

/* Adds settings that the default driver shows (SQLite). */
static void script_mode_line(void *run, struct strbuf *line)
{
  struct script *script = run;
  struct driver_handle *driver = NULL;

  if (script->setup.db_line)
    driver = env_driver(&script->main->env, NULL);
  if (driver)
    conn_mode_line(driver, line);
}

/* The SQL layer reads it to see the end of the run. */
static void script_stop_word(void *run, _Atomic uint32_t *word)
{
  const struct script *script = run;

  process_set_over(script->setup.db, word);
}

static int begin_run(void *run, struct err *err)
{
  return hooks_begin(run, err);
}

/* Once for all threads, and not as sysbench. */
static void script_warn_of_values(struct script *script)
{
  const struct plan *plan = script->setup.plan;

  if (script->returned.threads == 0 || plan->identity == IDENTITY_SYSBENCH)
    return;
  log_msg(LOG_WARNING, "%s, which ends its %s (%u of %u %s%s)",
          script->returned.text, plan_worker_word(plan),
          script->returned.threads, plan->threads, plan_worker_word(plan),
          fmt_plural(plan->threads));
}

static int end_run(void *run, struct err *err)
{
  struct script *script = run;
  int rc;

  script_warn_of_values(script);
  script->in_done = true;
  rc = state_call_optional(script->main, "done", false, err);
  script->in_done = false;
  if (!script->left)
    return rc;
  *err = script->left_why;
  return script->left_status;
}

static void script_close_run(void *run)
{
  struct script *script = run;

  process_set_over(script->setup.db, NULL); /* the word ends with the run */
  hooks_end(script);
}

/* ---- workers ---- */

struct thread {
  struct state *state;
  bool failed;   /* thread_run() has failed, or not begun */
  bool own_loop; /* a member's own thread_run() */
};

/* The last worker reports how many could not connect. */
static void script_count_opened(struct script *script)
{
  const unsigned threads = script->setup.workers > 0
                             ? script->setup.workers
                             : plan_clients(script->setup.plan);

  if (atomic_fetch_add(&script->opened, 1) + 1 == threads)
    process_connect_summary(script->setup.db, threads);
}

static bool script_has_own_loop(struct state *s)
{
  bool own;

  state_push_host(s);
  lua_getfield(s->L, -1, "thread_run");
  state_push_global(s, "thread_run");
  own = !lua_rawequal(s->L, -1, -2);
  lua_pop(s->L, 3);
  return own;
}

static int script_open_state(struct thread *t, struct script *script,
                             struct worker *w, struct err *err)
{
  const struct state_role role = {
    .tid = script->setup.plan->first_thread + w->tid,
    .worker = w,
    .vm = w->group,
  };
  int rc;

  rc = state_new(&t->state, script, &role, err);
  if (rc < 0)
    failure_note(&script->failures, err);
  if (rc == 0)
    rc = options_export(t->state, err);
  t->failed = w->late; /* nothing to wind up yet */
  if (rc == 0 && !w->late)
    rc = state_call_optional(t->state, "thread_init", true, err);
  t->own_loop = rc == 0 && w->members && script_has_own_loop(t->state);
  if (t->own_loop && !w->one_member)
    rc = err_set(err, -EINVAL,
                 "%s has its own thread_run(), which chooses when events "
                 "begin: in a mix it needs clients of its own, in place of a "
                 "weight: SCRIPT:CLIENTS",
                 script->name);
  if (rc == -ECANCELED)
    err->text[0] = '\0'; /* another worker has reported why */
  if (rc == 0 && w->group && !w->late && plan_is_idle(w->plan, w->tid))
    state_leave(t->state);
  if (!w->late)
    script_count_opened(script);
  return rc;
}

static int thread_open(void *run, struct worker *w, void **ret_thr,
                       struct err *err)
{
  struct thread *t = calloc(1, sizeof(*t));
  int rc;

  if (!t)
    return err_set(err, -ENOMEM, "not enough memory for %s %u",
                   plan_worker_word(w->plan),
                   plan_worker_number(w->plan, w->tid));
  rc = script_open_state(t, run, w, err);
  if (rc < 0) {
    state_free(t->state);
    free(t);
    return rc;
  }
  *ret_thr = t;
  return 0;
}

static int script_init_thread(void *state, struct err *err)
{
  return state_call_optional(state, "thread_init", true, err);
}

static int thread_arrive(void *thr, struct worker *w, struct err *err)
{
  struct thread *t = thr;
  int rc;

  (void)w;
  (void)state_enter(t->state);
  rc = env_arrive(&t->state->env, script_init_thread, t->state, err);
  t->failed = rc < 0;
  return rc;
}

static void script_between_events(void *ctx)
{
  env_between(ctx);
}

/* After a failure, no event is open. */
static int run_loop(struct thread *t, struct worker *w, struct err *err)
{
  struct state *s = t->state;
  const uint64_t end_ns = worker_end_ns(w);
  int rc;

  if (end_ns != PLAN_NO_LIMIT)
    atomic_store_explicit(&s->script->setup.db->end_ns, end_ns,
                          memory_order_relaxed);
  s->env.recorder = w->recorder;
  s->measured = true;
  if (!w->members &&
      env_start_between(&s->env, s->script->setup.plan->seed, s->tid)) {
    w->between = script_between_events;
    w->between_ctx = &s->env;
  }
  rc = state_call(s, "thread_run", true, err);
  if (rc == -ECANCELED) { /* in an event, which is not counted */
    env_undo_event(&s->env);
    worker_abandon(w);
    rc = 0;
  }
  w->between = NULL;
  s->env.between = false;
  s->measured = false;
  s->env.recorder = NULL;
  t->failed = rc < 0;
  if (t->failed)
    worker_abandon(w);
  return rc;
}

static int thread_ping(void *thr, struct worker *w, struct err *err)
{
  const struct thread *t = thr;
  struct state *s = t->state;
  int rc;

  (void)state_enter(s);
  s->env.recorder = w->recorder;
  s->measured = true;
  rc = env_ping(&s->env, err);
  s->measured = false;
  s->env.recorder = NULL;
  return rc;
}

static int thread_loop(void *thr, struct worker *w, struct err *err)
{
  const int rc = run_loop(thr, w, err);

  worker_abandon(w);
  return rc;
}

/* For one open event. */
static int thread_turn(void *thr, struct worker *w, struct err *err)
{
  struct thread *t = thr;
  struct state *s = t->state;

  (void)state_enter(s);
  return run_loop(t, w, err);
}

static bool thread_holds(void *thr)
{
  const struct thread *t = thr;

  return env_has_trx(&t->state->env);
}

static int thread_drain(void *thr, struct worker *w, struct err *err)
{
  const struct thread *t = thr;
  int rc;

  (void)w;
  if (t->failed)
    return 0;
  if (t->state->client.left) {
    state_end_left(t->state);
    return 0;
  }
  rc = state_call_optional(t->state, "thread_done", true, err);
  return rc == -ECANCELED ? 0 : rc; /* the runner reports the deadline */
}

static bool thread_loops(void *thr)
{
  const struct thread *t = thr;

  return t->own_loop;
}

static void thread_close(void *thr)
{
  struct thread *t = thr;

  (void)state_enter(t->state);
  state_free(t->state);
  free(t);
}

/* ---- questions of the runner ---- */

static void script_interrupt(void *run, enum interrupt_step step)
{
  const struct script *script = run;
  struct err err;

  /* The SQL layer takes the second step itself. */
  if (step == INTERRUPT_CANCEL)
    (void)watch_deadline(&script->setup.db->watch, &err);
}

static const struct report_form *script_form(void *run)
{
  const struct script *script = run;

  return atomic_load_explicit(&script->setup.db->used, memory_order_relaxed)
           ? &sql_form
           : &form_events;
}

static void setup(void *run, struct report_setup *setup)
{
  setup->sums = hooks_append_is_wanted(run);
}

static bool script_in_process(void *run)
{
  const struct script *script = run;

  return !process_uses_server(script->setup.db);
}

static bool script_server(void *run, int *ret_pid, const char **ret_driver)
{
  const struct script *script = run;

  return process_server(script->setup.db, ret_pid, ret_driver);
}

/* The clients of a thread share a vm. */
static int group_open(void *run, void **ret_group, struct err *err)
{
  struct vm *vm = NULL;
  const int rc = vm_new(&vm, run, err);

  if (rc == 0)
    *ret_group = vm;
  return rc;
}

static void group_close(void *group)
{
  vm_free(group);
}

static const struct test_ops script_ops = {
  .open = script_open_run,
  .mode_line = script_mode_line,
  .stop_word = script_stop_word,
  .begin = begin_run,
  .end = end_run,
  .end_is_code = true,
  .close = script_close_run,
  .group_open = group_open,
  .group_close = group_close,
  .thread_open = thread_open,
  .thread_close = thread_close,
  .arrive = thread_arrive,
  .loop = thread_loop,
  .ping = thread_ping,
  .turn = thread_turn,
  .loops = thread_loops,
  .holds = thread_holds,
  .drain = thread_drain,
  .interrupt = script_interrupt,
  .form = script_form,
  .setup = setup,
  .in_process = script_in_process,
  .server = script_server,
  .tally = details_tally,
  .details = details_fill,
  .take_whole = details_whole,
  .warnings = details_doubts,
  .statement_times = details_statement_times,
};

enum {
  MANY_THREADS = 1000
};

/* Without GC64, LuaJIT needs all memory below 2 GB. */
static void script_warn_of_limit(const struct script *script)
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
    .ops = &script_ops,
  };
  rc = state_new(&script->main, script, &role, err);
  if (rc == 0)
    script_warn_of_limit(script);
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
  commands_load_done(script);
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
