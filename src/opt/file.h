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
  struct opt_given given; /* borrows from `memory` */
  struct opt_list items;
  char *memory; /* owned */
};

struct opt_file {
  struct opt_line *first; /* owned */
};

enum {
  OPT_FILE_MAX = 16 << 20, /* bytes; no configuration is that long */
};

/* The whole file, terminated; the caller frees it. Negative errno value;
 * -EFBIG: more than OPT_FILE_MAX bytes, or no end. */
int opt_file_load(const char *path, char **ret_text, size_t *ret_len);

/* `path` is for messages. -EINVAL: a line is malformed, `err` has which, and
 * `ret` has the lines before. -ENOMEM. In any case call opt_file_done(). */
int opt_file_parse(const char *text, size_t len, const char *path,
                   struct opt_file *ret, struct err *err);

void opt_file_done(struct opt_file *file);

#endif
