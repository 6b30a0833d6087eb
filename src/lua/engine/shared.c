#include "lua/engine/shared.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "db/process.h"
#include "lua/find/bundle.h"
#include "lua/find/embedded.h"
#include "lua/find/resolve.h"
#include "lua/find/search.h"
#include "lua/find/source.h"
#include "run/plan.h"

static bool shared_has_gc64(lua_State *L)
{
  const int top = lua_gettop(L);
  const bool has = luaL_dostring(L, "return require('ffi').abi('gc64')") == 0 &&
                   lua_toboolean(L, -1);

  lua_settop(L, top);
  return has;
}

static int shared_open_compiler(lua_State *L)
{
  struct script *script = lua_touserdata(L, 1);

  luaL_openlibs(L);
  script->gc64 = shared_has_gc64(L);
  return 0;
}

struct module_job {
  const struct internal_module *module;
  struct strbuf *code;
};

/* Under lua_cpcall. string.dump(load(text), true) strips debugging
 * information: a fifth of the memory in every state. */
static int shared_compile_module(lua_State *L)
{
  const struct module_job *job = lua_touserdata(L, 1);
  const struct internal_module *m = job->module;
  const char *code;
  size_t len;

  lua_getglobal(L, "string");
  lua_getfield(L, -1, "dump");
  if (luaL_loadbuffer(L, m->text, m->len,
                      lua_pushfstring(L, "=bench.%s", m->name)) != 0)
    return lua_error(L);
  lua_replace(L, -2);
  lua_pushboolean(L, true);
  lua_call(L, 2, 1);
  code = lua_tolstring(L, -1, &len);
  strbuf_add(job->code, code, len);
  return job->code->failed ? luaL_error(L, "not enough memory") : 0;
}

int shared_module(struct script *script, size_t i, struct err *err)
{
  struct module_job job = { &internal_modules[i], &script->modules[i] };
  int rc = 0;

  (void)pthread_mutex_lock(&script->compiling);
  if (job.code->len == 0 &&
      lua_cpcall(script->compiler, shared_compile_module, &job) != 0) {
    rc = err_set(err, -EINVAL, "%s", lua_tostring(script->compiler, -1));
    lua_settop(script->compiler, 0);
    strbuf_done(job.code);
  }
  (void)pthread_mutex_unlock(&script->compiling);
  return rc;
}

static bool shared_is_named_lua(const char *path)
{
  static const char suffix[] = ".lua";
  const size_t len = strlen(path);

  return len >= sizeof(suffix) - 1 &&
         strcmp(path + len - (sizeof(suffix) - 1), suffix) == 0;
}

/* Constant in the list. */
struct compiled {
  struct compiled *next;
  char *path;         /* owned */
  struct strbuf code; /* owned */
};

static int shared_write_code(lua_State *L, const void *bytes, size_t len,
                             void *to)
{
  (void)L;
  strbuf_add(to, bytes, len);
  return ((struct strbuf *)to)->failed;
}

/* The function on top stays there. 0 or -ENOMEM. */
static int shared_dump(lua_State *L, struct strbuf *code)
{
  return lua_dump(L, shared_write_code, code) == 0 && !code->failed ? 0
                                                                    : -ENOMEM;
}

/* The message of a failure is Lua's.  Leaves the stack unchanged. */
static int compiled_text(lua_State *L, const struct strbuf *text,
                         const char *chunk, struct strbuf *code,
                         struct err *err)
{
  int rc = 0;

  if (luaL_loadbuffer(L, strbuf_str(text), text->len, chunk) != 0)
    rc = err_set(err, -EINVAL, "%s", lua_tostring(L, -1));
  else if (shared_dump(L, code) < 0)
    rc = err_set(err, -ENOMEM, "not enough memory");
  lua_pop(L, 1);
  return rc;
}

static void compiled_init(struct compiled_modules *m)
{
  (void)pthread_mutex_init(&m->lock, NULL);
  m->first = NULL;
}

static void compiled_free(struct compiled *c)
{
  if (!c)
    return;
  strbuf_done(&c->code);
  free(c->path);
  free(c);
}

static void compiled_done(struct compiled_modules *m)
{
  while (m->first) {
    struct compiled *c = m->first;

    m->first = c->next;
    compiled_free(c);
  }
  (void)pthread_mutex_destroy(&m->lock);
}

/* Scripts of pgbench can have any name, and their first line is not Lua. */
static int shared_no_lua(const struct resolved *what, struct err *err)
{
  const struct err why = *err;

  if (what->kind == RESOLVE_STDIN || shared_is_named_lua(what->path))
    return -EINVAL;
  return err_set(err, -EINVAL,
                 "%s (this is read as Lua; a file of SQL needs a name that "
                 "ends in .sql)",
                 why.text);
}

/* Errors show "@path" or "=stdin". */
static int shared_compile_script(struct script *script, lua_State *L,
                                 struct err *err)
{
  const struct resolved *what = script->setup.what;
  const struct bundle *given = script->setup.bundle;
  struct strbuf text = { 0 };
  struct strbuf chunk = { 0 };
  int rc = 0;

  if (given)
    strbuf_add(&text, strbuf_str(&given->script), given->script.len);
  else
    rc = source_read(what, &text, err);
  script->empty = text.len == 0;
  if (rc == 0 && script->setup.record)
    strbuf_add(&script->setup.record->script, strbuf_str(&text), text.len);

  if (what->kind == RESOLVE_STDIN)
    strbuf_adds(&chunk, "=stdin");
  else
    strbuf_addf(&chunk, "@%s", what->path);
  if (rc == 0) {
    rc = compiled_text(L, &text, strbuf_str(&chunk), &script->body, err);
    if (rc == -EINVAL)
      rc = shared_no_lua(what, err);
  }
  strbuf_done(&text);
  strbuf_done(&chunk);
  return rc;
}

static int shared_compile(struct script *script, struct err *err)
{
  lua_State *L = luaL_newstate();

  if (!L)
    return err_set(err, -ENOMEM,
                   "cannot create the Lua state of thread 0: not enough "
                   "memory");
  script->compiler = L;
  if (lua_cpcall(L, shared_open_compiler, script) != 0)
    return err_set(err, -EINVAL, "%s", lua_tostring(L, -1));
  return shared_compile_script(script, L, err);
}

static void shared_init_parts(struct script *script)
{
  const struct script_setup *setup = &script->setup;
  const struct failure_rules rules = {
    .as_sysbench = setup->plan->identity == IDENTITY_SYSBENCH,
    .bundled = setup->db->facts.bundled,
    .command = setup->command,
    .datadir = setup->datadir,
    .worker = plan_worker_word(setup->plan),
  };

  (void)pthread_mutex_init(&script->lock, NULL);
  (void)pthread_mutex_init(&script->compiling, NULL);
  measures_init(&script->measures);
  sequences_init(&script->sequences);
  jobs_init(&script->jobs);
  series_set_init(&script->series);
  sums_init(&script->sums);
  labels_init(&script->labels);
  compiled_init(&script->compiled);
  failures_init(&script->failures, &rules);
  team_init(&script->team);
}

int shared_init(struct script *script, const struct script_setup *setup,
                struct err *err)
{
  const char *home = getenv("HOME");

  script->setup = *setup;
  script->name = setup->what->short_name;
  script->datadir = setup->datadir;
  shared_init_parts(script);
  search_path(&script->path, getenv("LUA_PATH"), home, script->datadir);
  search_cpath(&script->cpath, getenv("LUA_CPATH"), home);
  if (script->path.failed || script->cpath.failed)
    return err_set(err, -ENOMEM, "not enough memory");
  return shared_compile(script, err);
}

void script_args_done(struct script_args *args)
{
  for (size_t i = 0; i < args->n; i++) {
    free((char *)(uintptr_t)args->of[i].name);
    free((char *)(uintptr_t)args->of[i].desc);
    free((char *)(uintptr_t)args->of[i].value);
  }
  free(args->of);
  *args = (struct script_args){ 0 };
}

void shared_done(struct script *script)
{
  script_args_done(&script->args);
  strbuf_done(&script->path);
  strbuf_done(&script->cpath);
  strbuf_done(&script->body);
  for (size_t i = 0; i < INTERNAL_MODULES; i++)
    strbuf_done(&script->modules[i]);
  if (script->compiler)
    lua_close(script->compiler);
  measures_done(&script->measures);
  sequences_done(&script->sequences);
  jobs_done(&script->jobs);
  series_set_done(&script->series);
  sums_done(&script->sums);
  labels_done(&script->labels);
  compiled_done(&script->compiled);
  failures_done(&script->failures);
  team_done(&script->team);
  facts_done(&script->figures);
  if (script->workload)
    script->workload_free(script->workload);
  (void)pthread_mutex_destroy(&script->lock);
  (void)pthread_mutex_destroy(&script->compiling);
}

static const struct compiled *find(struct compiled_modules *m, const char *path)
{
  const struct compiled *c;

  (void)pthread_mutex_lock(&m->lock);
  c = m->first;
  while (c && strcmp(c->path, path) != 0)
    c = c->next;
  (void)pthread_mutex_unlock(&m->lock);
  return c;
}

/* Keeps the function on top, if possible.  A duplicate from another thread
 * does no harm. */
static void shared_keep(struct compiled_modules *m, lua_State *L,
                        const char *path)
{
  struct compiled *c = calloc(1, sizeof(*c));

  if (!c)
    return;
  c->path = strdup(path);
  if (!c->path || shared_dump(L, &c->code) < 0) {
    compiled_free(c);
    return;
  }
  (void)pthread_mutex_lock(&m->lock);
  c->next = m->first;
  m->first = c;
  (void)pthread_mutex_unlock(&m->lock);
}

/* Skips a first line with `#`. */
static int load_embedded(lua_State *L, const struct embedded_script *script,
                         const char *path)
{
  const char *end = script->text + script->len;
  const char *text = script->text;

  if (*text == '#')
    text += strcspn(text, "\n");
  return luaL_loadbuffer(L, text, (size_t)(end - text),
                         lua_pushfstring(L, "@%s", path));
}

int compiled_load(struct compiled_modules *m, lua_State *L, const char *path)
{
  const struct compiled *c = find(m, path);
  const struct embedded_script *script = c ? NULL : embedded_find(path);
  int rc;

  if (c)
    rc = luaL_loadbuffer(L, strbuf_str(&c->code), c->code.len, path);
  else if (script)
    rc = load_embedded(L, script, path);
  else
    rc = luaL_loadfile(L, path);
  if (rc != 0) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (!c)
    shared_keep(m, L, path);
  return 1;
}
