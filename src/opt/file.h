/*
 * file.h - reads a configuration file as a list of options.
 */
#ifndef BENCH_OPT_FILE_H
#define BENCH_OPT_FILE_H

#include <stddef.h>

#include "opt/value.h"

struct err;

struct opt_line {
  struct opt_line *next;
  struct opt_given given; /* points into the memory of this line */
  struct opt_list items;
  char *memory; /* owned */
};

struct opt_file {
  struct opt_line *first; /* owned */
};

enum {
  OPT_FILE_MAX = 16 << 20, /* in bytes; no configuration is that long */
};

/* Load the whole file, with a terminator after its `*ret_len` bytes; the caller
 * frees it.  Returns a negative errno value if it cannot be read; -EFBIG: it
 * has more than OPT_FILE_MAX bytes, or no end. */
int opt_file_load(const char *path, char **ret_text, size_t *ret_len);

/*
 * Read the lines of a configuration file; `path` is for messages.  -EINVAL: a
 * line is malformed, `err` says which, and `ret` holds the lines before it.
 * -ENOMEM.  In any case the caller calls opt_file_done() on `ret`.
 */
int opt_file_parse(const char *text, size_t len, const char *path,
                   struct opt_file *ret, struct err *err);

void opt_file_done(struct opt_file *file);

#endif
