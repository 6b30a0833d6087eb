/*
 * source.h - the text of a script, compiled once for all states.
 */
#ifndef BENCH_LUA_FIND_SOURCE_H
#define BENCH_LUA_FIND_SOURCE_H

#include <lua.h>
#include <stdbool.h>
#include <stdio.h>

struct err;
struct resolved;
struct strbuf;

/* Add all that a stream has; a failed allocation is in `out`.  0 or a negative
 * errno value; -EFBIG: there is no end, or it is far away. */
int source_read_stream(FILE *f, struct strbuf *out);

/* Add all that a file has, which may be an embedded one. */
int source_read_file(const char *path, struct strbuf *out);

/* Is there such a file (not a folder), or an embedded one? */
bool source_exists(const char *path);

/* The text of the script: of its file, or the standard input; a first line
 * that begins with `#` is left out, its line end is not. */
int source_read(const struct resolved *what, struct strbuf *out,
                struct err *err);

/*
 * Compile `text` into `code`.  The message of a failure is Lua's.  Leaves the
 * stack as it was.
 */
int source_compile(lua_State *L, const struct strbuf *text, const char *chunk,
                   struct strbuf *code, struct err *err);

/* Add the byte code of the function on top of the stack, which stays there.  0
 * or -ENOMEM. */
int source_dump(lua_State *L, struct strbuf *code);

#endif
