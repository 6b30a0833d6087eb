/*
 * compiled.c - creates byte code, and keeps a list of compiled files.
 */
#include "lua/engine/compiled.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "lua/find/embedded.h"

/* An entry is constant once it is in the list. */
struct compiled {
  struct compiled *next;
  char *path;         /* owned */
  struct strbuf code; /* owned */
};

static int write_code(lua_State *L, const void *bytes, size_t len, void *to)
{
  (void)L;
  strbuf_add(to, bytes, len);
  return ((struct strbuf *)to)->failed;
}

/*
 * Appends the byte code of the function on top of the stack, which stays there.
 * Returns 0 or -ENOMEM.
 */
static int dump(lua_State *L, struct strbuf *code)
{
  return lua_dump(L, write_code, code) == 0 && !code->failed ? 0 : -ENOMEM;
}

int compiled_text(lua_State *L, const struct strbuf *text, const char *chunk,
                  struct strbuf *code, struct err *err)
{
  int rc = 0;

  if (luaL_loadbuffer(L, strbuf_str(text), text->len, chunk) != 0)
    rc = err_set(err, -EINVAL, "%s", lua_tostring(L, -1));
  else if (dump(L, code) < 0)
    rc = err_set(err, -ENOMEM, "not enough memory");
  lua_pop(L, 1);
  return rc;
}

void compiled_init(struct compiled_modules *m)
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

void compiled_done(struct compiled_modules *m)
{
  while (m->first) {
    struct compiled *c = m->first;

    m->first = c->next;
    compiled_free(c);
  }
  (void)pthread_mutex_destroy(&m->lock);
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

/*
 * Keeps the function on top of the stack, if possible.  Another thread may keep
 * the same one, which does no harm.
 */
static void keep(struct compiled_modules *m, lua_State *L, const char *path)
{
  struct compiled *c = calloc(1, sizeof(*c));

  if (!c)
    return;
  c->path = strdup(path);
  if (!c->path || dump(L, &c->code) < 0) {
    compiled_free(c);
    return;
  }
  (void)pthread_mutex_lock(&m->lock);
  c->next = m->first;
  m->first = c;
  (void)pthread_mutex_unlock(&m->lock);
}

/* As in a file, a first line that begins with `#` is skipped. */
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
    keep(m, L, path);
  return 1;
}
