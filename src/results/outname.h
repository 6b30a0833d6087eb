/*
 * outname.h - the meaning of names of files of results.
 *
 * "-" is the standard output, as are all names of the same file or pipe.
 */
#ifndef BENCH_RESULTS_OUTNAME_H
#define BENCH_RESULTS_OUTNAME_H

#include <stdbool.h>

bool outname_is_stdout(const char *name);

/* By any name. */
bool outname_is_null(const char *name);

/* A descriptor of the program's start: /dev/stderr, /dev/fd/3? */
bool outname_is_descriptor(const char *name);

/* Neither a regular file nor a new name: a pipe, a device, a file already open.
 * Never replaced. */
bool outname_is_special(const char *name);

/* After following links; the file need not exist.  Owned by the caller; NULL
 * with errno. */
char *outname_real(const char *name);

/* The file need not exist.  /dev/null is never the same. */
bool outname_same(const char *a, const char *b);

#endif
