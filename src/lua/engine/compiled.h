/*
 * compiled.h - byte code: a script and the modules that it has loaded from
 * files are compiled once for all states.
 *
 * Compiling takes three times the memory of the resulting functions, and a
 * state does not give that memory back.
 */
#ifndef BENCH_LUA_ENGINE_COMPILED_H
#define BENCH_LUA_ENGINE_COMPILED_H

#include <lua.h>
#include <pthread.h>

struct compiled;
struct err;
struct strbuf;

struct compiled_modules {
  pthread_mutex_t lock;   /* protects the list, not the entries */
  struct compiled *first; /* owned */
};

/*
 * Append the byte code of `text` to `code`.  The message of a failure is Lua's.
 * Leaves the stack unchanged.
 */
int compiled_text(lua_State *L, const struct strbuf *text, const char *chunk,
                  struct strbuf *code, struct err *err);

void compiled_init(struct compiled_modules *m);
void compiled_done(struct compiled_modules *m);

/*
 * Push the function that the module in this file is; on failure push nil and
 * the message.  Returns how many values were pushed, like a Lua function.  Any
 * thread may call it with its own state.
 */
int compiled_load(struct compiled_modules *m, lua_State *L, const char *path);

#endif
