/*
 * outname.h - what the name of a file of results stands for.
 *
 * "-" is the standard output, and so is every other name of what that is.
 */
#ifndef BENCH_RESULTS_OUTNAME_H
#define BENCH_RESULTS_OUTNAME_H

#include <stdbool.h>

/* "-", /dev/stdout, or the file or pipe that the standard output leads to. */
bool outname_is_stdout(const char *name);

/* /dev/null, by whatever name. */
bool outname_is_null(const char *name);

/* A descriptor that the program was started with: /dev/stderr, /dev/fd/3. */
bool outname_is_descriptor(const char *name);

/* Neither a file nor a name for a new one: a pipe, a device, something that is
 * open already.  It is never replaced, and no other file stands beside it. */
bool outname_is_special(const char *name);

/* Where the file itself is or would be, when links have been followed.  The
 * caller frees it; NULL with errno: links lead nowhere, or no memory. */
char *outname_real(const char *name);

/* Do both stand for one file, which need not be there yet?  /dev/null, which
 * keeps nothing apart, is a file of its own each time. */
bool outname_same(const char *a, const char *b);

#endif
