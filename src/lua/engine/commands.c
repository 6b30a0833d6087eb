#include "lua/engine/commands.h"

#include <errno.h>
#include <lauxlib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/thread.h"
#include "db/conn.h"
#include "db/env_conns.h"
#include "db/load/load.h"
#include "db/load/pace.h"
#include "db/process.h"
#include "loop/overflow.h"
#include "lua/engine/options.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "run/peers.h"
#include "run/plan.h"
#include "run/signals.h"

static const char *const functions[] = { "prepare", "cleanup", "help" };

/* ---- the list of commands ---- */

static void commands_add_word(struct strbuf *out, const char *word)
{
  strbuf_addf(out, "%s%s", out->len > 0 ? " " : "", word);
}

static bool commands_has_function(struct state *s, const char *name)
{
  bool has;

  state_push_global(s, name);
  has = lua_isfunction(s->L, -1);
  lua_pop(s->L, 1);
  return has;
}

static const char *const usual[] = { "prepare", "run", "cleanup", "help" };

static bool commands_is_usual(const char *name)
{
  for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
    if (strcmp(usual[i], name) == 0)
      return true;
  }
  return false;
}

/* Is the value on top a command? */
static bool commands_is_command(lua_State *L)
{
  bool is = lua_istable(L, -1);

  if (is) {
    lua_rawgeti(L, -1, 1);
    is = !lua_isnil(L, -1);
    lua_pop(L, 1);
  }
  return is;
}

static void commands_push_sorted_names(lua_State *L)
{
  int n = 0;

  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, -3) != 0; lua_pop(L, 1)) {
    if (!commands_is_command(L) || lua_type(L, -2) != LUA_TSTRING ||
        commands_is_usual(lua_tostring(L, -2)))
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

/* Under lua_cpcall: scripts can replace anything used here. */
static int commands_add(lua_State *L)
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
    if (commands_is_command(L) ||
        commands_has_function(s, is_run ? "event" : usual[i]) ||
        (is_help && s->script->declared))
      commands_add_word(out, usual[i]);
    lua_pop(L, 1);
  }
  commands_push_sorted_names(L);
  for (int i = 1;; i++) {
    lua_rawgeti(L, -1, i);
    if (lua_isnil(L, -1))
      return 0;
    commands_add_word(out, lua_tostring(L, -1));
    lua_pop(L, 1);
  }
}

void commands_list(struct script *script, struct strbuf *out)
{
  if (lua_cpcall(script->main->L, commands_add, out) != 0)
    lua_pop(script->main->L, 1);
}

/* ---- calling one ---- */

/* Calls sysbench.cmdline.FUNCTION(command); false: also an error. */
static bool commands_ask(struct script *script, const char *function)
{
  struct state *s = script->main;
  struct err err;
  bool yes = false;

  state_push_field(s, "cmdline", function);
  lua_pushstring(s->L, script->setup.command);
  if (state_call_top(s, function, 1, 1, &err) == 0) {
    yes = lua_toboolean(s->L, -1);
    lua_pop(s->L, 1);
  }
  return yes;
}

static bool commands_is_function(const char *command)
{
  for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
    if (strcmp(functions[i], command) == 0)
      return true;
  return false;
}

enum test_command commands_find(struct script *script)
{
  const char *command = script->setup.command;

  if (commands_ask(script, "command_defined"))
    return TEST_CALL;
  if (strcmp(command, "run") == 0)
    return TEST_RUN;
  if (!commands_is_function(command))
    return TEST_UNKNOWN;
  state_push_global(script->main, command);
  if (!lua_isnil(script->main->L, -1)) {
    lua_pop(script->main->L, 1);
    return TEST_CALL;
  }
  lua_pop(script->main->L, 1);
  if (strcmp(command, "help") == 0 && script->declared)
    return TEST_OPTIONS;
  return TEST_LACKS;
}

static int call_custom(struct state *s, struct err *err)
{
  static const char caller[] = "sysbench.cmdline.call_command";
  bool succeeded;
  int rc;

  state_push_field(s, "cmdline", "call_command");
  lua_pushstring(s->L, s->script->setup.command);
  rc = state_call_top(s, caller, 1, 1, err);
  if (rc < 0)
    return rc;
  succeeded = lua_toboolean(s->L, -1);
  lua_pop(s->L, 1);
  if (succeeded)
    return state_settle(s, s->script->setup.command, err);
  err->text[0] = '\0';
  return -ECANCELED;
}

static int command_worker(struct script *script, unsigned tid, struct err *err)
{
  const unsigned number = script->setup.plan->first_thread + tid;
  const struct state_role role = {
    .tid = number,
    .purpose = RNG_COMMAND,
    .index = number,
  };
  struct state *s;
  int rc = state_new(&s, script, &role, err);

  if (rc < 0)
    return rc;
  rc = options_export(s, err);
  if (rc == 0)
    rc = call_custom(s, err);
  state_free(s);
  return rc;
}

static void command_failed(struct script *script, const struct err *why)
{
  team_leave(&script->team);
  if (why->text[0] != '\0' && !why->said)
    log_msg(LOG_FATAL, "%s", why->text);
}

struct command_thread {
  pthread_t id;
  unsigned tid;
  struct script *script;
  bool failed;
};

static void *command_thread_main(void *arg)
{
  struct command_thread *t = arg;
  struct err err = { "" };

  overflow_watch();
  t->failed = command_worker(t->script, t->tid, &err) < 0;
  if (t->failed)
    command_failed(t->script, &err);
  return NULL;
}

static bool command_is_over(struct script *script)
{
  bool over;

  (void)pthread_mutex_lock(&script->lock);
  over = script->signal != 0;
  (void)pthread_mutex_unlock(&script->lock);
  return over;
}

static int call_parallel(struct script *script, struct err *err)
{
  const struct plan *plan = script->setup.plan;
  struct command_thread *threads = calloc(plan->threads, sizeof(*threads));
  unsigned started = 0;
  bool failed = false;
  int rc = 0;

  if (!threads)
    return err_set(err, -ENOMEM, "cannot allocate %u threads", plan->threads);
  log_msg(LOG_NOTICE, "Initializing worker threads...\n\n");
  for (; started < plan->threads && !command_is_over(script); started++) {
    struct command_thread *t = &threads[started];

    t->tid = started;
    t->script = script;
    rc = thread_start(&t->id, plan->stack_bytes, command_thread_main, t, err);
    if (rc < 0)
      break;
  }
  if (started < plan->threads)
    team_leave(&script->team);
  for (unsigned i = 0; i < started; i++) {
    (void)pthread_join(threads[i].id, NULL);
    failed |= threads[i].failed;
  }
  free(threads);
  if (rc < 0 || !failed)
    return rc;
  err->text[0] = '\0';
  return -ECANCELED;
}

static int call_command(struct script *script, struct err *err)
{
  struct state *s = script->main;
  int rc;

  if (commands_ask(script, "command_defined")) {
    if (script->setup.plan->all_threads > 1 &&
        commands_ask(script, "command_parallel"))
      return call_parallel(script, err);
  }
  if (script->setup.plan->part > 0)
    return 0; /* process 0 does so once for all */
  if (commands_ask(script, "command_defined")) {
    rc = options_export(s, err);
    return rc < 0 ? rc : call_custom(s, err);
  }
  rc = options_export(s, err);
  return rc < 0 ? rc : state_call(s, script->setup.command, false, err);
}

int commands_begin(struct script *script, struct err *err)
{
  struct state *s = script->main;
  int rc = options_export(s, err);

  if (rc < 0)
    return rc;
  state_push_field(s, "cmdline", "command_begin");
  lua_pushstring(s->L, script->setup.command);
  rc = state_call_top(s, script->setup.command, 1, 0, err);
  return rc < 0 ? rc : state_settle(s, script->setup.command, err);
}

/* ---- signals ---- */

/* `script` is a struct script.  A load ends after the chunks being sent;
 * without one, the process ends. */
static void commands_load_interrupted(void *arg, int number)
{
  struct script *script = arg;
  struct load *l;

  (void)pthread_mutex_lock(&script->lock);
  l = script->load;
  script->signal = number;
  (void)pthread_mutex_unlock(&script->lock);
  if (!l)
    signals_die(number);
  else
    load_stop(l);
}

/* LOADING_PATIENCE_S after a signal.  True: the command waits for a server,
 * perhaps forever; it has printed how to continue, and the process must end. */
static bool commands_load_is_late(void *arg)
{
  struct script *script = arg;

  if (!process_uses_server(script->setup.db))
    return false;
  log_msg(LOG_WARNING,
          "interrupted: the server still holds rows that were sent; the same "
          "command with --table-exists=resume goes on");
  log_flush();
  return true;
}

/* Ends lines of progress; `complete`: prints the sum. */
static void commands_load_ended(struct script *script, bool complete)
{
  if (script->load)
    load_end(script->load, complete);
  if (script->pace)
    pace_stop(script->pace);
  if (script->pace && complete)
    pace_print_sum(script->pace);
}

/* After a success: 0, or the signal that ended the command; prints how to
 * continue. */
static int commands_load_outcome(struct script *script)
{
  struct strbuf line = { 0 };
  int number;

  (void)pthread_mutex_lock(&script->lock);
  number = script->load && load_is_stopped(script->load) ? script->signal : 0;
  (void)pthread_mutex_unlock(&script->lock);
  if (number == 0)
    return 0;
  (void)load_summary(script->load, &line);
  log_msg(LOG_WARNING,
          "interrupted: %s; the same command with --table-exists=resume goes "
          "on from there",
          strbuf_str(&line));
  strbuf_done(&line);
  return number;
}

/* After a failure: were rows loaded?  Prints how to continue. */
static bool commands_load_has_rows(struct script *script)
{
  struct strbuf line = { 0 };
  const bool some = script->load && load_summary(script->load, &line);

  if (some)
    log_msg(
      LOG_WARNING,
      "prepare has failed, and %s: the cleanup command removes them, and the "
      "same command with --table-exists=resume goes on",
      strbuf_str(&line));
  strbuf_done(&line);
  return some;
}

void commands_load_done(struct script *script)
{
  commands_load_ended(script, false);
  load_free(script->load);
  free(script->pace);
}

/* Without loaded rows, the tables of a failed prepare are of no use to
 * --table-exists=resume: the script removes them. */
static void commands_take_back(struct script *script)
{
  struct state *s = script->main;
  struct err err;

  if (commands_load_has_rows(script) || script->setup.plan->parts > 1)
    return;
  team_leave(&script->team);
  env_shut(&s->env); /* transactions would lock the tables */
  state_push_field(s, "cmdline", "command_failed");
  lua_pushstring(s->L, script->setup.command);
  if (state_call_top(s, script->setup.command, 1, 0, &err) < 0)
    log_msg(LOG_WARNING, "cannot remove what prepare has made: %s", err.text);
}

int commands_run(struct script *script, struct err *err)
{
  struct signals signals = { .patience_s = LOADING_PATIENCE_S,
                             .late = commands_load_is_late };
  int rc;

  if (strcmp(script->setup.command, "prepare") != 0) {
    rc = call_command(script, err);
    commands_load_ended(script, rc == 0);
    return rc;
  }
  rc = signals_start(&signals, commands_load_interrupted, script, err);
  if (rc < 0)
    return rc;
  rc = call_command(script, err);
  signals_stop(&signals);
  commands_load_ended(script, rc == 0 && script->signal == 0);
  if (rc < 0)
    commands_take_back(script);
  return rc < 0 ? rc : commands_load_outcome(script);
}

struct load_setup commands_load_setup(const struct script *script,
                                      const char *method)
{
  const struct plan *plan = script->setup.plan;
  struct load_setup setup = {
    .threads = plan->threads,
    .args = { .seed = plan->seed, .rand = plan->rand },
  };

  (void)load_method_parse(method, &setup.method); /* already checked */
  return setup;
}

/* With fewer tables than processes, several processes divide the rows of a
 * table. A process with its own table votes, too. */
static void commands_share_table(struct load_setup *setup,
                                 const struct plan *plan)
{
  const unsigned tables = (unsigned)setup->tables;
  const unsigned at = plan->part % tables;

  setup->share = (struct load_share){
    .part = plan->part / tables,
    .parts = (plan->parts - at + tables - 1) / tables,
    .first = at,
    .step = tables,
    .voters = plan->parts,
    .ctx = plan->peers->ctx,
    .vote = plan->peers->vote,
  };
  setup->first_table += at;
  setup->tables = 1;
}

static void commands_share_tables(struct load_setup *setup,
                                  const struct plan *plan)
{
  const uint64_t each = setup->tables / plan->parts;
  const uint64_t more = setup->tables % plan->parts;

  setup->first_table += plan->part * each +
                        (plan->part < more ? plan->part : more);
  setup->tables = each + (plan->part < more);
}

static void commands_take_share(struct load_setup *setup,
                                const struct plan *plan, const struct conn *c)
{
  const bool one_writer = (c->driver->caps & DRIVER_ONE_WRITER) != 0;

  if (plan->parts < 2 || setup->tables == 0)
    return;
  if (setup->kind->tables == 0 && setup->tables < plan->parts && plan->peers &&
      !one_writer)
    commands_share_table(setup, plan);
  else
    commands_share_tables(setup, plan);
}

static struct load *find_or_make(struct script *script, struct conn *c,
                                 const struct load_setup *whole,
                                 const struct load_setup *own, struct err *err)
{
  struct load *l;

  (void)pthread_mutex_lock(&script->lock);
  l = script->load;
  if (!l && load_new(&script->load, own, err) == 0) {
    l = script->load;
    if (!script->setup.plan->cfg.force &&
        load_room_for_tables(c, whole, err) < 0) {
      load_stop(l);
      l = NULL;
    }
  }
  (void)pthread_mutex_unlock(&script->lock);
  return l;
}

struct load *commands_load_join(struct script *script, struct conn *c,
                                struct load_setup *setup, struct err *err)
{
  const struct load_setup whole = *setup;

  commands_take_share(setup, script->setup.plan, c);
  return find_or_make(script, c, &whole, setup, err);
}

struct pace *commands_load_pace(struct script *script, bool warmup,
                                uint64_t total)
{
  struct pace *pace;

  (void)pthread_mutex_lock(&script->lock);
  pace = script->pace ? script->pace : malloc(sizeof(*pace));
  if (pace && !script->pace) {
    pace_init(pace, warmup ? "Warmed up" : "Checked",
              warmup ? PROGRESS_TABLES : PROGRESS_ROWS, total);
    pace_start(pace);
    script->pace = pace;
  }
  (void)pthread_mutex_unlock(&script->lock);
  return pace;
}
