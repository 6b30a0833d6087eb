/*
 * vm.h - a Lua state that many clients share. state_new() makes a client.  One
 * thread at a time uses a vm with all its states; parked clients let others
 * run.
 */
#ifndef BENCH_LUA_ENGINE_VM_H
#define BENCH_LUA_ENGINE_VM_H

struct err;
struct script;
struct vm;

/* On failure nothing is left, and the message is complete. */
int vm_new(struct vm **ret, struct script *script, struct err *err);

/* Frees the clients, too.  Closes what their scripts left open; WAITS.  NULL
 * is allowed. */
void vm_free(struct vm *vm);

#endif
