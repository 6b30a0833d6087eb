/*
 * source.h - the text of a script, from a file, the standard input, or the
 * program itself.
 */
#ifndef BENCH_LUA_FIND_SOURCE_H
#define BENCH_LUA_FIND_SOURCE_H

#include <stdbool.h>

struct err;
struct resolved;
struct strbuf;

/* Add the content of a file, which may be an embedded one. */
int source_read_file(const char *path, struct strbuf *out);

/* Does such a file (not a folder), or an embedded one, exist? */
bool source_exists(const char *path);

/*
 * Add the text of the script, from its file or the standard input.  A first
 * line that begins with `#` is dropped, but its line end is kept.
 */
int source_read(const struct resolved *what, struct strbuf *out,
                struct err *err);

#endif
