/*
 * host.h - the table `host`: the values and functions that C gives to the
 * internal modules.
 *
 * Texts: version, bench_version, command, script_path, folder, datadir, path,
 * cpath, luajit_cmd, cdef; the number tid; the array argv.  Functions:
 * load(name, host) executes an internal module, compile(path) compiles a file,
 * readable(path) says whether it exists.  With several processes, record(name,
 * path) gives a module to the others, and bundled(name) returns one.
 *
 * For a state that clients share, vm.c adds more.
 */
#ifndef BENCH_LUA_ENGINE_HOST_H
#define BENCH_LUA_ENGINE_HOST_H

#include <lua.h>
#include <stdbool.h>

#include "lua/engine/internal_text.h"

struct script;
struct vm;

/* The state that the functions need. */
struct host {
  struct script *script;
  unsigned tid;           /* as scripts see it */
  bool in_worker;         /* the state belongs to a worker, or to many */
  bool collector_stopped; /* by the script; without a vm */
  struct vm *vm;          /* [opt] many clients share the state */
  /* With a vm: adds fields to the table `host` on the top. */
  void (*add_functions)(struct vm *vm, lua_State *L);
  /* The declarations of the script ABI that LuaJIT already has. */
  bool declared[INTERNAL_DECLARATIONS];
};

/*
 * Create the table, keep it in the registry as "bench.host", and execute the
 * internal module `sysbench` with it, which loads the others.  `h` must outlive
 * the Lua state.  Raises a Lua error if that fails.
 */
void host_boot(struct host *h, lua_State *L);

#endif
