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
  OPT_FILE_MAX = 16 << 20, /* bytes */
};

/* Reads the whole file and terminates it; the caller frees it.  Negative errno
 * value; -EFBIG: more than OPT_FILE_MAX bytes, or endless. */
int opt_file_load(const char *path, char **ret_text, size_t *ret_len);

/* `path` is for messages. -EINVAL: `err` names the malformed line, and `ret`
 * has the lines before. -ENOMEM.  Always call opt_file_done(). */
int opt_file_parse(const char *text, size_t len, const char *path,
                   struct opt_file *ret, struct err *err);

void opt_file_done(struct opt_file *file);

#endif
