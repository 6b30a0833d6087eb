/*
 * trace.h - what an error of a script was, and where it was raised.
 */
#ifndef BENCH_LUA_ENGINE_TRACE_H
#define BENCH_LUA_ENGINE_TRACE_H

#include <lua.h>

/* Push "FILE:LINE: " of the function of the script that runs, or "". */
void trace_push_place(lua_State *L);

/*
 * Push the text of an error value: a string or number as it is; otherwise the
 * place of the call of error(), and the result of __tostring, or the type.
 */
void trace_push_text(lua_State *L, int index);

/*
 * Push a message handler for lua_pcall() and xpcall(): it prints the traceback
 * of each error once, though the error is passed on several times.  There is
 * none for what restarts or leaves events.
 */
void trace_push_handler(lua_State *L);

#endif
