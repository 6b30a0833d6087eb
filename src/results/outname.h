/*
 * outname.h - the meaning of names of results' files.
 *
 * "-" is the standard output, as are all names of its file or pipe.
 */
#ifndef BENCH_RESULTS_OUTNAME_H
#define BENCH_RESULTS_OUTNAME_H

#include <stdbool.h>

bool outname_is_stdout(const char *name);

/* By any name. */
bool outname_is_null(const char *name);

/* A descriptor of the program's start: /dev/stderr, /dev/fd/3? */
bool outname_is_descriptor(const char *name);

/* A pipe, a device, or a file already open, which is never replaced. */
bool outname_is_special(const char *name);

/* Follows links; the file need not exist.  Owned by the caller; NULL with
 * errno. */
char *outname_real(const char *name);

/* The file need not exist.  /dev/null is never the same. */
bool outname_same(const char *a, const char *b);

#endif
