/*
 * scratch.h - a temporary folder for the files of other processes.
 */
#ifndef BENCH_TOOLS_SCRATCH_H
#define BENCH_TOOLS_SCRATCH_H

#include <stdio.h>

struct err;

/* Make a folder in TMPDIR, in /tmp, where the file `beside` is (or will be; ""
 * or "-" for none), or else in memory, with a warning.  The caller owns *ret,
 * which is the whole path, and has to remove the folder. */
int scratch_make(const char *beside, char **ret, struct err *err);
/* The same in the folder `below`; its name begins with `name`. */
int scratch_make_in(const char *below, const char *name, char **ret,
                    struct err *err);

/* A file in memory, or one that has no name; children do not inherit it.  NULL:
 * errno is set. */
FILE *scratch_file(void);

/* Remove the folder with the files in it: a process that has crashed leaves
 * some. `folder` may be NULL; it is freed. */
void scratch_remove(char *folder);

#endif
