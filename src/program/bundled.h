/*
 * bundled.h - what the files of the bundled scripts say about themselves.
 * Nothing is executed, so the help and hints can ask at any time.
 */
#ifndef BENCH_PROGRAM_BUNDLED_H
#define BENCH_PROGRAM_BUNDLED_H

#include <stdbool.h>
#include <stddef.h>

enum {
  BUNDLED_MAX = 64,
  BUNDLED_NAME = 64,
  BUNDLED_SUMMARY = 256,
};

struct bundled {
  char name[BUNDLED_NAME];       /* without `.lua` */
  char summary[BUNDLED_SUMMARY]; /* the first sentence of its comment */
};

/* The scripts that can be run, sorted by name; returns how many there are.  A
 * folder that cannot be read has none. */
size_t bundled_list(const char *datadir, struct bundled list[BUNDLED_MAX]);

/*
 * Find the script in `datadir` that declares an option of this name (`-` and
 * `_` are equal).  False: there is none.  Options that many scripts share
 * belong to oltp_common.
 */
bool bundled_find_option(const char *datadir, const char *name,
                         char ret_script[BUNDLED_NAME]);

#endif
