/*
 * search.h - the places of modules: package.path and package.cpath, and the
 * folder of the bundled scripts.
 */
#ifndef BENCH_LUA_FIND_SEARCH_H
#define BENCH_LUA_FIND_SEARCH_H

#include <limits.h>

struct strbuf;

/*
 * The folder of the bundled scripts, in `buf`, the first that exists:
 * BENCH_DATADIR of the environment; the program itself, if it contains them;
 * the configured one; ../share/bench next to a program that was moved; that of
 * the source for a program built there.  If none exists: the configured one.
 */
const char *search_datadir(char buf[PATH_MAX]);

/* The folder of plug-ins: BENCH_LIBDIR, or the configured one. */
const char *search_libdir(void);

/*
 * Adds the path: the default, or `lua_path` (LUA_PATH or LUA_CPATH; NULL:
 * unset) with each `;;` replaced by the default.  `home`: the user's home
 * folder; NULL: unset.
 */
void search_path(struct strbuf *out, const char *lua_path, const char *home,
                 const char *datadir);
void search_cpath(struct strbuf *out, const char *lua_cpath, const char *home);

#endif
