#include "lua/engine/state.h"

#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "ack/log.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "db/conn.h"
#include "db/env_conns.h"
#include "loop/fiber.h"
#include "lua/engine/client.h"
#include "lua/engine/failure.h"
#include "lua/engine/shared.h"
#include "lua/find/resolve.h"
#include "run/plan.h"
#include "run/worker.h"
#include "stats/rand/stream.h"

_Thread_local struct state *state_of_thread;

struct state *state_enter(struct state *s)
{
  struct state *before = state_of_thread;

  state_of_thread = s;
  env_set_current(s ? &s->env : NULL);
  return before;
}

void state_error_text(lua_State *L, int index, struct err *err)
{
  failure_push_text(L, index);
  (void)err_set(err, -EINVAL, "%s", lua_tostring(L, -1));
  lua_pop(L, 1);
}

/* Like lua_pcall(), with host.on_error() if it exists. */
static int call_traced(struct state *s, int n_args, int n_results)
{
  lua_State *L = s->L;
  const int handler = lua_gettop(L) - n_args;
  int rc;

  lua_getfield(L, LUA_REGISTRYINDEX, "bench.host");
  lua_getfield(L, -1, "on_error");
  lua_replace(L, -2);
  lua_insert(L, handler);
  rc = lua_pcall(L, n_args, n_results, lua_isnil(L, handler) ? 0 : handler);
  lua_remove(L, handler);
  return rc;
}

static const char *worker_word(const struct script *script)
{
  return plan_worker_word(script->setup.plan);
}

static int state_out_of_memory(const struct state *s, struct err *err)
{
  return err_set(err, -ENOMEM,
                 "cannot create the Lua state of %s %u: not enough memory",
                 worker_word(s->script), s->tid);
}

/* Did the call, whose error is on top, run out of memory?  Functions that
 * raise such an error again turn it into a text. */
static bool state_lacked_memory(const struct state *s, int rc)
{
  lua_State *L = s->L;

  return rc == LUA_ERRMEM ||
         (lua_type(L, -1) == LUA_TSTRING &&
          strcmp(lua_tostring(L, -1), "not enough memory") == 0);
}

int state_make_failed(struct state *s, int rc, struct err *err)
{
  const bool lacked = state_lacked_memory(s, rc);

  state_error_text(s->L, -1, err);
  lua_pop(s->L, 1);
  return lacked ? state_out_of_memory(s, err) : -EINVAL;
}

static int state_boot(lua_State *L)
{
  struct state *s = lua_touserdata(L, 1);

  luaL_openlibs(L);
  host_boot(&s->own->host, L);
  return 0;
}

static int call_body(struct state *s)
{
  const char *module = s->script->setup.what->module;
  const bool may_park = fiber_allow(false); /* see state_call_top() */
  int rc;

  if (module)
    lua_pushstring(s->L, module);
  rc = call_traced(s, module ? 1 : 0, 0);
  (void)fiber_allow(may_park);
  return rc;
}

static int run_body(struct state *s, struct err *err)
{
  const struct strbuf *body = &s->script->body;
  int rc = luaL_loadbuffer(s->L, body->text, body->len, "script");

  if (rc == 0)
    rc = call_body(s);
  return rc == 0 ? 0 : state_make_failed(s, rc, err);
}

static int state_make_client(struct state *s, struct err *err)
{
  int rc;

  s->L = s->vm->L; /* for the error */
  rc = client_new(&s->client, s->vm, s->tid, &s->L);
  if (rc == 0)
    rc = client_push_body(&s->client, s->L);
  if (rc == 0) {
    lua_pushvalue(s->L, -1);
    rc = call_body(s);
  }
  if (rc == 0)
    rc = client_body_done(&s->client, s->L);
  if (rc == 0)
    rc = lua_cpcall(s->L, client_made, s->vm);
  return rc == 0 ? 0 : state_make_failed(s, rc, err);
}

static int state_init_random(struct state *s, const struct state_role *role,
                             struct err *err)
{
  const struct plan *plan = s->script->setup.plan;

  if (role->worker) {
    s->rand = role->worker->rand;
    return 0;
  }
  s->own_rand = mem_aligned(1, sizeof(*s->own_rand), CACHE_LINE);
  if (!s->own_rand)
    return state_out_of_memory(s, err);
  rand_stream_init(s->own_rand, plan->rand, plan->seed, role->purpose,
                   role->index, plan->all_threads);
  s->rand = s->own_rand;
  return 0;
}

/* Statements of workers are counted by class if a report shows them. */
static int state_init_statements(struct state *s, struct err *err)
{
  if (!s->worker || !s->worker->classes)
    return 0;
  return statements_init(&s->statements, s->worker->classes, &s->script->labels,
                         s->script->setup.member, &s->measured, &s->env) < 0
           ? state_out_of_memory(s, err)
           : 0;
}

static int state_collect_all(lua_State *L)
{
  (void)lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

/* Makes room for the next step; the collector itself needs memory. */
static int state_collect(struct state *s, struct err *err)
{
  const int rc = lua_cpcall(s->L, state_collect_all, NULL);

  return rc == 0 ? 0 : state_make_failed(s, rc, err);
}

static int state_make_lua(struct state *s, struct err *err)
{
  int rc;

  s->own = calloc(1, sizeof(*s->own));
  if (s->own)
    s->L = client_lua(&s->own->heap, s->script->gc64);
  if (!s->L)
    return state_out_of_memory(s, err);
  s->own->host.script = s->script;
  s->own->host.tid = s->tid;
  s->own->host.in_worker = s->worker != NULL;
  rc = lua_cpcall(s->L, state_boot, s);
  if (rc != 0)
    return state_make_failed(s, rc, err);
  rc = state_collect(s, err);
  if (rc == 0)
    rc = run_body(s, err);
  return rc < 0 ? rc : state_collect(s, err);
}

/* LuaJIT puts off the next collection while it calls a finalizer. */
static bool state_in_finalizer(void *ctx)
{
  const struct state *s = ctx;

  return !s->own->host.collector_stopped &&
         lua_gc(s->L, LUA_GCISRUNNING, 0) == 0;
}

static int state_make(struct state *s, const struct state_role *role,
                      struct err *err)
{
  int rc = state_init_random(s, role, err);

  if (rc < 0)
    return rc;
  s->env.process = s->script->setup.db;
  s->env.rng = rng_key(s->script->setup.plan->seed, RNG_INTERNAL,
                       (uint64_t)role->purpose << 32 | s->tid);
  s->env.under_deadline = role->worker != NULL;
  s->env.shares_thread = role->worker && role->worker->group;
  if (s->env.shares_thread)
    s->env.pool = process_pool(
      s->env.process,
      plan_event_thread(s->script->setup.plan, role->worker->tid));
  if (role->worker) {
    s->env.event_open = &role->worker->open;
    s->env.event_number = &role->worker->iteration;
    s->env.counted = &role->worker->counted;
    if (s->script->setup.ack && *s->script->setup.ack)
      s->env.ack = ack_log_client(*s->script->setup.ack, s->tid);
    s->env.unread_too = role->worker->members ? &role->worker->turn_unread
                                              : &role->worker->unsettled;
  }
  if (!s->vm) { /* finalizers use no connection here */
    s->env.in_finalizer = state_in_finalizer;
    s->env.in_finalizer_ctx = s;
  }
  rc = state_init_statements(s, err);
  if (rc < 0)
    return rc;
  rc = s->vm ? state_make_client(s, err) : state_make_lua(s, err);
  env_work_ended(&s->env, rc == 0); /* the body can have a connection */
  return rc;
}

int state_new(struct state **ret, struct script *script,
              const struct state_role *role, struct err *err)
{
  struct state *s = calloc(1, sizeof(*s));
  int rc;

  if (!s)
    return err_set(err, -ENOMEM,
                   "cannot create the Lua state of %s %u: not enough memory",
                   worker_word(script), role->tid);
  s->script = script;
  s->tid = role->tid;
  s->worker = role->worker;
  s->vm = role->vm;
  (void)state_enter(s);
  rc = state_make(s, role, err);
  if (rc < 0) {
    state_free(s);
    return rc;
  }
  *ret = s;
  return 0;
}

/* The client has ended; vm_free() frees the rest.  Others can need what its
 * sessions hold. */
static void state_retire(struct state *s)
{
  env_shut(&s->env);
  /* The worker and its recorders can be gone by then. */
  s->worker = NULL;
  s->measured = false;
  s->env.recorder = NULL;
  s->env.event_open = NULL;
  s->env.event_number = NULL;
  s->env.counted = NULL;
  s->env.unread_too = NULL;
  s->env.on_statement = NULL;
  if (!s->own_rand)
    s->rand = NULL;
  client_drop(&s->client, s->vm);
  s->client.next = s->vm->retired;
  s->vm->retired = s;
}

void state_free(struct state *s)
{
  if (!s)
    return;
  if (s->vm) {
    state_retire(s);
    return;
  }
  s->env.ending = true;
  if (s->L)
    lua_close(s->L);
  s->env.in_finalizer = NULL;
  if (s->own)
    heap_done(&s->own->heap);
  free(s->own);
  env_done(&s->env);
  if (state_of_thread == s)
    (void)state_enter(NULL);
  strbuf_done(&s->quoted);
  if (s->own_rand)
    rand_stream_done(s->own_rand);
  free(s->own_rand);
  free(s);
}

void state_push_host(struct state *s)
{
  if (s->vm)
    client_push_host(&s->client, s->L);
  else
    lua_getfield(s->L, LUA_REGISTRYINDEX, "bench.host");
}

/* If the script clears a common global, the client gets all of them itself
 * (vm.lua). */
static bool state_has_common_globals(struct state *s)
{
  lua_State *L = s->L;
  bool has;

  if (!lua_getmetatable(L, LUA_GLOBALSINDEX))
    return false;
  state_push_host(s);
  lua_getfield(L, -1, "globals_mt");
  has = lua_rawequal(L, -1, -3);
  lua_pop(L, 3);
  return has;
}

void state_push_global(struct state *s, const char *name)
{
  lua_pushstring(s->L, name);
  lua_rawget(s->L, LUA_GLOBALSINDEX);
  if (s->vm && lua_isnil(s->L, -1) && state_has_common_globals(s)) {
    lua_pop(s->L, 1);
    client_push_common(s->vm, s->L, name);
    if (lua_istable(s->L, -1)) { /* each client has its own libraries */
      lua_pop(s->L, 1);
      lua_getfield(s->L, LUA_GLOBALSINDEX, name);
    }
  }
}

/* Was the error raised at the end of the run? */
static bool state_is_abandoned(struct state *s)
{
  lua_State *L = s->L;
  bool is;

  state_push_host(s);
  lua_getfield(L, -1, "abandoned");
  is = lua_rawequal(L, -1, -3);
  lua_pop(L, 2);
  return is;
}

static bool state_is_event_loop(struct state *s, const char *name)
{
  bool is;

  if (strcmp(name, "thread_run") != 0)
    return false;
  state_push_host(s);
  lua_getfield(s->L, -1, "thread_run");
  state_push_global(s, name);
  is = lua_rawequal(s->L, -1, -2);
  lua_pop(s->L, 3);
  return is;
}

static void state_describe(struct state *s, const char *function, bool is_event,
                           struct err *err)
{
  const struct failed_call call = {
    .function = function,
    .is_event = is_event,
    .in_worker = s->worker != NULL,
    .printed = s->env.reported,
    .tid = s->tid,
  };

  failure_describe(&s->script->failures, &call, err);
}

void state_finalizer_failed(struct state *s, const char *text)
{
  struct err err;

  if (s->finalizer_failed)
    return;
  s->finalizer_failed = true;
  (void)err_set(&err, 0, "%s (in a finalizer, __gc)", text);
  if (!s->worker || s->env.ending) {
    log_msg(LOG_WARNING, "%s", err.text);
  } else {
    state_describe(s, "thread_run", env_in_event(&s->env), &err);
    worker_failed(s->worker, &err);
  }
}

int state_call_top(struct state *s, const char *name, int n_args, int n_results,
                   struct err *err)
{
  /* Lua code, perhaps in machine code, marks where it can park. */
  const bool may_park = fiber_allow(false);
  int rc;
  bool abandoned = false, is_event = false, collects;

  (void)state_enter(s); /* others ran since the last call */
  rc = call_traced(s, n_args, n_results);
  (void)fiber_allow(may_park);
  if (rc == 0)
    return 0;
  /* The next finalizer could fail outside of a protected call. */
  collects = lua_gc(s->L, LUA_GCISRUNNING, 0) != 0;
  (void)lua_gc(s->L, LUA_GCSTOP, 0);
  if (state_lacked_memory(s, rc)) {
    (void)err_set(err, -ENOMEM, "not enough memory in the Lua state of %s %u",
                  worker_word(s->script), s->tid);
    is_event = strcmp(name, "thread_run") == 0; /* it is too late to ask Lua */
  } else {
    abandoned = state_is_abandoned(s);
    is_event = state_is_event_loop(s, name);
    state_error_text(s->L, -1, err);
  }
  lua_pop(s->L, 1);
  state_describe(s, name, is_event, err);
  if (collects)
    (void)lua_gc(s->L, LUA_GCRESTART, -1);
  return abandoned ? -ECANCELED : -EINVAL;
}

int state_settle(struct state *s, const char *name, struct err *err)
{
  struct conn *c;

  while ((c = env_settle(&s->env)) != NULL) {
    const struct failure *f = conn_failure(c);

    if (s->measured && c->pub.error == DB_ERROR_IGNORABLE)
      continue; /* counted before */
    conn_say(c);
    (void)err_set(err, -EINVAL,
                  "among results that were not read: SQL error, errno = %d, "
                  "state = '%s': %s",
                  f->code, f->state, f->text);
    state_describe(s, name, false, err);
    return -EINVAL;
  }
  return 0;
}

int state_call(struct state *s, const char *name, bool with_tid,
               struct err *err)
{
  int rc;

  state_push_global(s, name);
  if (with_tid)
    lua_pushnumber(s->L, s->tid);
  rc = state_call_top(s, name, with_tid ? 1 : 0, 0, err);
  if (rc == 0)
    rc = state_settle(s, name, err);
  env_work_ended(&s->env, rc == 0);
  return rc;
}

int state_call_optional(struct state *s, const char *name, bool with_tid,
                        struct err *err)
{
  bool missing;

  state_push_global(s, name);
  missing = lua_isnil(s->L, -1);
  lua_pop(s->L, 1);
  return missing ? 0 : state_call(s, name, with_tid, err);
}

static void state_replace_by_field(lua_State *L, const char *name)
{
  if (lua_istable(L, -1)) {
    lua_pushstring(L, name);
    lua_rawget(L, -2);
  } else {
    lua_pushnil(L);
  }
  lua_remove(L, -2);
}

void state_push_field(struct state *s, const char *table, const char *name)
{
  lua_State *L = s->L;

  state_push_global(s, "sysbench");
  if (table)
    state_replace_by_field(L, table);
  state_replace_by_field(L, name);
}

/* ---- idle clients ---- */

/* Bundled files whose thread_done(), if unchanged, only closes statements
 * and connections. */
static const struct closer {
  const char *file;
  const char *calls; /* another global, which scripts can replace; NULL: none */
} closers[] = {
  { "oltp_common.lua", "close_statements" },
  { "tpcb.lua", NULL },
  { "bulk_insert.lua", NULL },
};

static bool state_is_from(struct state *s, const char *name, const char *file)
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

static bool state_only_closes(struct state *s)
{
  bool missing;

  state_push_global(s, "thread_done");
  missing = lua_isnil(s->L, -1);
  lua_pop(s->L, 1);
  if (missing)
    return true;
  for (size_t i = 0; i < ARRAY_SIZE(closers); i++) {
    const struct closer *c = &closers[i];

    if (state_is_from(s, "thread_done", c->file))
      return !c->calls || state_is_from(s, c->calls, c->file);
  }
  return false;
}

void state_leave(struct state *s)
{
  if (!state_only_closes(s))
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
