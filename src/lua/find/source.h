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

/* Adds the content of a file, or of an embedded one. */
int source_read_file(const char *path, struct strbuf *out);

/* Is the path a file (not a folder), or an embedded one? */
bool source_exists(const char *path);

/*
 * Adds the script's text, from its file or the standard input, without a first
 * line that begins with `#`, except for its line end.
 */
int source_read(const struct resolved *what, struct strbuf *out,
                struct err *err);

#endif
