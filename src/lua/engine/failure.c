#include "lua/engine/failure.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"

void failures_init(struct failures *f, const struct failure_rules *rules)
{
  (void)pthread_mutex_init(&f->lock, NULL);
  f->rules = *rules;
  f->n = 0;
}

void failures_done(struct failures *f)
{
  for (size_t i = 0; i < f->n; i++)
    free(f->cause[i]);
  (void)pthread_mutex_destroy(&f->lock);
}

static bool failure_is_verbose(void)
{
  return log_get_level() >= LOG_INFO;
}

static bool failure_is_repeated(struct failures *f, const char *cause, bool add)
{
  bool known = false;

  (void)pthread_mutex_lock(&f->lock);
  for (size_t i = 0; i < f->n && !known; i++)
    known = strcmp(f->cause[i], cause) == 0;
  if (add && !known && f->n < FAILURES_MAX) {
    f->cause[f->n] = mem_strdup(cause);
    f->n += f->cause[f->n] != NULL;
  }
  (void)pthread_mutex_unlock(&f->lock);
  return known;
}

enum origin {
  ORIGIN_NONE,
  ORIGIN_SCRIPT,
  ORIGIN_BUNDLED,
  ORIGIN_INTERNAL,
};

/* "FILE:LINE: " at the start of an error. */
struct place {
  enum origin origin;
  const char *file; /* as LuaJIT prints it: can begin with "..." */
  size_t file_len;
  const char *line;
  size_t line_len;
  const char *rest; /* without a place, all */
};

/* Does `tail` end the path of a file in the folder? */
static bool failure_is_tail_in(const char *folder, const char *tail, size_t len)
{
  const size_t dir = strlen(folder);

  for (size_t at = len; at-- > 0;) {
    /*
     * "share/bench/x.lua" in "/usr/share/bench": the end of the folder begins
     * the tail.
     */
    if (tail[at] == '/' && at <= dir &&
        memcmp(folder + dir - at, tail, at) == 0)
      return true;
  }
  return false;
}

static enum origin origin_of(const char *datadir, const char *file, size_t len)
{
  static const char internal[] = "bench.", cut[] = "...";
  const size_t dir = strlen(datadir);

  if (strncmp(file, internal, sizeof(internal) - 1) == 0 &&
      !memchr(file, '/', len))
    return ORIGIN_INTERNAL;
  if (len > dir && strncmp(file, datadir, dir) == 0 && file[dir] == '/')
    return ORIGIN_BUNDLED;
  if (len > 3 && strncmp(file, cut, 3) == 0 &&
      failure_is_tail_in(datadir, file + 3, len - 3))
    return ORIGIN_BUNDLED;
  return ORIGIN_SCRIPT;
}

static struct place place_of(const char *datadir, const char *text)
{
  const char *line = text;

  while ((line = strchr(line, ':'))) {
    const size_t digits = strspn(line + 1, "0123456789");

    if (digits > 0 && strncmp(line + 1 + digits, ": ", 2) == 0 && line > text &&
        !memchr(text, '\n', (size_t)(line - text)))
      return (struct place){
        .origin = origin_of(datadir, text, (size_t)(line - text)),
        .file = text,
        .file_len = (size_t)(line - text),
        .line = line,
        .line_len = digits + 1,
        .rest = line + digits + 3,
      };
    line++;
  }
  return (struct place){ .rest = text };
}

/* Only of the user's files. */
static void failure_add_place(struct strbuf *b, const struct place *p)
{
  if (p->origin == ORIGIN_SCRIPT ||
      (p->origin == ORIGIN_BUNDLED && failure_is_verbose())) {
    strbuf_adds(b, " at ");
    strbuf_add(b, p->file, p->file_len);
    strbuf_add(b, p->line, p->line_len);
  }
}

static void failure_add_name(struct strbuf *b, const struct failures *f,
                             const struct failed_call *call)
{
  if (call->is_event)
    strbuf_adds(b, "event()");
  else if (strcmp(call->function, "sysbench.cmdline.call_command") == 0)
    strbuf_addf(b, "the command '%s'", f->rules.command);
  else
    strbuf_addf(b, "%s()", call->function);
}

/* For a bundled script: does the message only repeat that of the SQL layer? */
static bool failure_is_printed(const struct failures *f,
                               const struct failed_call *call,
                               const struct place *p)
{
  static const char error[] = "SQL error, errno = ";

  if (!call->printed ||
      (strncmp(p->rest, error, sizeof(error) - 1) != 0 &&
       strcmp(p->rest, "connection creation failed") != 0 &&
       strcmp(p->rest, "failed to initialize the DB driver") != 0))
    return false;
  return p->origin == ORIGIN_BUNDLED ||
         (p->origin == ORIGIN_NONE && f->rules.bundled);
}

static void describe(struct failures *f, const struct failed_call *call,
                     struct err *err)
{
  const struct place p = place_of(f->rules.datadir, err->text);
  struct strbuf b = { 0 };
  bool said = failure_is_printed(f, call, &p);

  said |= failure_is_repeated(f, err->text, call->in_worker);
  failure_add_name(&b, f, call);
  strbuf_adds(&b, " failed");
  failure_add_place(&b, &p);
  if (call->is_event)
    strbuf_addf(&b, " in %s %u", f->rules.worker, call->tid);
  strbuf_addf(&b, ": %s", p.rest);
  if (!b.failed)
    (void)err_set(err, 0, "%s", strbuf_str(&b));
  err->said = said && !failure_is_verbose();
  strbuf_done(&b);
}

void failure_describe(struct failures *f, const struct failed_call *call,
                      struct err *err)
{
  static const char reader[] = "sysbench.cmdline.read_cmdline_options";

  if (f->rules.as_sysbench || strcmp(call->function, reader) == 0)
    err_prefix(err, "`%s' function failed", call->function);
  else
    describe(f, call, err);
}

void failure_note(struct failures *f, struct err *err)
{
  if (!f->rules.as_sysbench && !failure_is_verbose())
    err->said = failure_is_repeated(f, err->text, true);
}

void failure_place(const struct failures *f, const char *cause,
                   struct strbuf *ret)
{
  const struct place p = place_of(f->rules.datadir, cause);

  if (f->rules.as_sysbench || p.origin != ORIGIN_SCRIPT)
    return;
  strbuf_add(ret, p.file, p.file_len);
  strbuf_add(ret, p.line, p.line_len);
}

void failure_printed(struct failures *f, const char *cause)
{
  (void)failure_is_repeated(f, cause, true);
}

/* Upvalue: the last error printed. */
#define PRINTED lua_upvalueindex(1)

enum {
  RESTART_EVENT = 1
};

void failure_push_place(lua_State *L)
{
  lua_Debug at;

  for (int level = 0; lua_getstack(L, level, &at); level++) {
    if (lua_getinfo(L, "Sl", &at) && at.currentline > 0 &&
        strncmp(at.source, "=bench.", sizeof("=bench.") - 1) != 0) {
      lua_pushfstring(L, "%s:%d: ", at.short_src, at.currentline);
      return;
    }
  }
  lua_pushliteral(L, "");
}

static bool failure_is_text(lua_State *L, int index)
{
  return lua_type(L, index) == LUA_TSTRING || lua_type(L, index) == LUA_TNUMBER;
}

static int failure_ask_value(lua_State *L)
{
  if (!luaL_callmeta(L, 1, "__tostring"))
    lua_pushnil(L);
  return 1;
}

/* Pushes the place of error() with this value, or "". */
static void failure_push_raised(lua_State *L, int index)
{
  lua_getfield(L, LUA_REGISTRYINDEX, "bench.host");
  lua_getfield(L, -1, "raised");
  lua_getfield(L, -2, "raised_at");
  if (!lua_rawequal(L, index, -2) || !lua_isstring(L, -1)) {
    lua_pop(L, 1);
    lua_pushliteral(L, "");
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

void failure_push_text(lua_State *L, int index)
{
  const char *const type = luaL_typename(L, index);
  int rc;

  if (failure_is_text(L, index)) {
    lua_pushvalue(L, index);
    return;
  }
  if (index < 0)
    index = lua_gettop(L) + 1 + index;
  failure_push_raised(L, index);
  lua_pushcfunction(L, failure_ask_value);
  lua_pushvalue(L, index);
  rc = lua_pcall(L, 1, 1, 0);
  if (rc != 0 && lua_isstring(L, -1))
    (void)lua_pushfstring(L,
                          "(error object is a %s value, whose __tostring "
                          "fails: %s)",
                          type, lua_tostring(L, -1));
  else if (rc != 0 || !failure_is_text(L, -1))
    (void)lua_pushfstring(L, "(error object is a %s value)", type);
  else
    lua_pushvalue(L, -1);
  lua_remove(L, -2);
  lua_concat(L, 2);
}

/* Is the value for the loop of events? */
static int failure_is_for_loop(lua_State *L)
{
  bool is;

  lua_getfield(L, LUA_REGISTRYINDEX, "bench.host");
  lua_getfield(L, 2, "abandoned");
  is = lua_rawequal(L, 1, -1);
  if (!is) {
    lua_getfield(L, 1, "errcode");
    is = lua_tonumber(L, -1) == RESTART_EVENT;
  }
  lua_pushboolean(L, is);
  return 1;
}

static bool failure_is(lua_State *L)
{
  lua_pushcfunction(L, failure_is_for_loop);
  lua_pushvalue(L, 1);
  return lua_pcall(L, 1, 1, 0) != 0 || !lua_toboolean(L, -1);
}

static int failure_trace_handler(lua_State *L)
{
  lua_settop(L, 1);
  if (!lua_rawequal(L, 1, PRINTED) && (!lua_istable(L, 1) || failure_is(L))) {
    failure_push_text(L, 1);
    luaL_traceback(L, L, lua_tostring(L, -1), 1);
    log_msg(LOG_INFO, "%s", lua_tostring(L, -1));
    lua_pushvalue(L, 1);
    lua_replace(L, PRINTED);
  }
  lua_settop(L, 1);
  return 1;
}

void failure_push_handler(lua_State *L)
{
  lua_pushlightuserdata(L, L); /* no error is equal to it */
  lua_pushcclosure(L, failure_trace_handler, 1);
}
