/*
 * output.h - `-o FILE` of tools.
 */
#ifndef BENCH_TOOLS_OUTPUT_H
#define BENCH_TOOLS_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct err;
struct tool_args;

struct output {
  const char *path;   /* borrowed; unchanged without -o */
  const char **files; /* owned by the caller */
  size_t n;
};

/* -EINVAL: -o has no name, or no other argument; -ENOMEM.  Free `files` even
 * after an error. */
int output_take(struct output *o, const struct tool_args *args,
                struct err *err);

/* The same, but needs no argument. */
int output_take_any(struct output *o, const struct tool_args *args,
                    struct err *err);

/* -EINVAL: the output would replace an input.  `what`, for the message: "the
 * report". */
int output_check(const struct output *o, const char *what, struct err *err);

int output_put(const char *path, const char *text, size_t len, struct err *err);

bool output_json(const json_t *json, FILE *to);
int output_put_json(const char *path, const json_t *json, struct err *err);
/* Among the last results, see kept.h. */
bool output_keep(const json_t *json);

#endif
