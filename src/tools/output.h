/*
 * output.h - the file that a tool writes: `-o FILE` among its arguments.
 */
#ifndef BENCH_TOOLS_OUTPUT_H
#define BENCH_TOOLS_OUTPUT_H

#include <stddef.h>

struct err;
struct tool_args;

/* The arguments of a tool without `-o FILE`. */
struct output {
  const char *path;   /* borrowed; as set before, unless -o was given */
  const char **files; /* owned by the caller, who frees it */
  size_t n;
};

/* -EINVAL: -o has no name, or there is no other argument; -ENOMEM.  Only
 * `files` has to be freed, also after an error. */
int output_take(struct output *o, const struct tool_args *args,
                struct err *err);

/* -EINVAL: the output would replace one of the files; `what` is its name in the
 * message: "the report". */
int output_check(const struct output *o, const char *what, struct err *err);

/* Write the whole file. */
int output_put(const char *path, const char *text, size_t len, struct err *err);

#endif
