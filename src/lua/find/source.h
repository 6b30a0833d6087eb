/*
 * source.h - the text of a script, from a file, the standard input, or the
 * program itself.
 */
#ifndef BENCH_LUA_FIND_SOURCE_H
#define BENCH_LUA_FIND_SOURCE_H

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

#endif
