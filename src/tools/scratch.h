/*
 * scratch.h - a temporary folder for the files of other processes.
 */
#ifndef BENCH_TOOLS_SCRATCH_H
#define BENCH_TOOLS_SCRATCH_H

struct err;

/* Make one in TMPDIR, or in /tmp.  The caller owns *ret, and has to remove the
 * folder. */
int scratch_make(char **ret, struct err *err);

/* Remove it with the files in it: a process that has crashed leaves some.
 * `folder` may be NULL; freed. */
void scratch_remove(char *folder);

#endif
