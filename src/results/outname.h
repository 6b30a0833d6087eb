/*
 * outname.h - what the name of a file of results means.
 *
 * "-" is the standard output, and so is every other name of the same file or
 * pipe.
 */
#ifndef BENCH_RESULTS_OUTNAME_H
#define BENCH_RESULTS_OUTNAME_H

#include <stdbool.h>

/* Is it "-", /dev/stdout, or the file or pipe that the standard output leads
 * to? */
bool outname_is_stdout(const char *name);

/* Is it /dev/null, by any name? */
bool outname_is_null(const char *name);

/* Is it a descriptor that the program was started with: /dev/stderr,
 * /dev/fd/3? */
bool outname_is_descriptor(const char *name);

/* Is it neither a regular file nor a name for a new one?  Examples are a pipe,
 * a device, or a file that is open already.  It is never replaced, and no other
 * file is made beside it. */
bool outname_is_special(const char *name);

/* The place of the file itself, existing or not, after following links. The
 * caller frees it.  NULL with errno: a link leads nowhere, or no memory. */
char *outname_real(const char *name);

/* Do both names mean one file, which need not exist yet?  /dev/null never
 * counts as the same file. */
bool outname_same(const char *a, const char *b);

#endif
