/*
 * host.h - the table `host`: what C tells the internal modules, and does for
 * them.
 *
 * Texts: version, bench_version, command, script_path, folder, datadir, path,
 * cpath, luajit_cmd, cdef; the number tid; the array argv.  Functions:
 * load(name, host) executes an internal module, compile(path) makes a function
 * of a file, readable(path) says whether there is one; with several processes
 * record(name, path) and bundled(name), which give modules to others and get
 * them.
 */
#ifndef BENCH_LUA_ENGINE_HOST_H
#define BENCH_LUA_ENGINE_HOST_H

#include <lua.h>

struct state;

/*
 * Make the table, keep it in the registry as "bench.host", and execute the
 * internal module `sysbench` with it, which loads the others.  Raises a Lua
 * error when that fails.
 */
void host_boot(struct state *s, lua_State *L);

#endif
