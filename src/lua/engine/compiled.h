/*
 * compiled.h - modules that scripts have loaded from files, as byte code: each
 * is compiled once for all states.
 *
 * Compiling a module takes three times the memory of the functions that are its
 * result, and a state does not give that back.
 */
#ifndef BENCH_LUA_ENGINE_COMPILED_H
#define BENCH_LUA_ENGINE_COMPILED_H

#include <lua.h>
#include <pthread.h>

struct compiled;

struct compiled_modules {
  pthread_mutex_t lock;   /* protects the list, not what is in it */
  struct compiled *first; /* owned */
};

void compiled_init(struct compiled_modules *m);
void compiled_done(struct compiled_modules *m);

/*
 * Push the function that is the module in this file; on failure nil and the
 * message.  Returns how many values were pushed, like a function of Lua.  Any
 * thread, each with a state of its own.
 */
int compiled_load(struct compiled_modules *m, lua_State *L, const char *path);

#endif
