/*
 * vm.h - creates and frees a Lua state that many clients share.
 *
 * state_new() makes a client.  One thread at a time uses a vm with all its
 * states.  A client may be parked in a call (waiting.h) while others run.
 */
#ifndef BENCH_LUA_ENGINE_VM_H
#define BENCH_LUA_ENGINE_VM_H

struct err;
struct script;
struct vm;

/*
 * Create a Lua state for clients of the script, without any client.  On failure
 * nothing is left, and the message is complete.
 */
int vm_new(struct vm **ret, struct script *script, struct err *err);

/*
 * Free the Lua state and the states of its clients, for all of which
 * state_free() was called.  Closes what their scripts left open; WAITS.  NULL
 * is allowed.
 */
void vm_free(struct vm *vm);

#endif
