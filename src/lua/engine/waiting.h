/*
 * waiting.h - calls that may wait, for clients that share a Lua state.
 *
 * A client must not be parked inside of a function that machine code has called
 * through the FFI, because the Lua state belongs to that machine code until the
 * function returns.  host.wait() is a Lua function in C.  LuaJIT leaves its
 * machine code before it calls one.  See waiting.lua.
 *
 * Finalizers are functions that the garbage collector calls in the middle of
 * any code of any client: while another one waits for an answer on the same
 * connection, or while a row is read.  So host.wait() refuses to make a call
 * for them, with an error.  An error of a finalizer is kept, and the next call
 * that a client makes fails with it.
 */
#ifndef BENCH_LUA_ENGINE_WAITING_H
#define BENCH_LUA_ENGINE_WAITING_H

#include <lua.h>

struct vm;

/*
 * Add to the host table on the top: run_events(), the loop of a client;
 * wait(), which makes the call in vm->call;
 * wait_call, the address of that; wait_ops, the numbers of the operations by
 * the names of their functions; finalizer_failed(error)
 * and collector_stopped(yes).
 */
void waiting_add(struct vm *vm, lua_State *L);

#endif
