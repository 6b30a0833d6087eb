/*
 * host.h - the table `host`: values and functions from C for the internal
 * modules.
 *
 * Texts: version, bench_version, command, script_path, folder, datadir, path,
 * cpath, luajit_cmd, cdef; the number tid; the array argv.  Functions: see
 * host.c; for a shared state vm.c adds more.
 */
#ifndef BENCH_LUA_ENGINE_HOST_H
#define BENCH_LUA_ENGINE_HOST_H

#include <lua.h>
#include <stdbool.h>

#include "lua/engine/internal_text.h"

struct script;
struct vm;

struct host {
  struct script *script;
  unsigned tid;
  bool in_worker;         /* of one worker, or of many */
  bool collector_stopped; /* by the script; without a vm */
  struct vm *vm;
  /* With a vm: adds fields to the table on top. */
  void (*add_functions)(struct vm *vm, lua_State *L);
  /* Declarations that LuaJIT already has. */
  bool declared[INTERNAL_DECLARATIONS];
};

/*
 * Creates the table, keeps it in the registry as "bench.host", and passes it to
 * the module `sysbench`, which loads the others.  `h` must outlive the Lua
 * state.  Raises a Lua error on failure.
 */
void host_boot(struct host *h, lua_State *L);

#endif
