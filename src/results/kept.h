/*
 * kept.h - the results of the last runs, in the user's folder of state.
 */
#ifndef BENCH_RESULTS_KEPT_H
#define BENCH_RESULTS_KEPT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
  KEPT_MAX = 50,
  KEPT_NAME = 48, /* with its zero */
};

struct kept_name {
  char text[KEPT_NAME];
};

/* $XDG_STATE_HOME/bench or ~/.local/state/bench; it can be missing.  False:
 * BENCH_KEEP=off, or without a home. */
bool kept_folder(char ret[PATH_MAX]);

/* Can results be kept? Makes the folder, or only checks that it could be
 * made. -EPERM: another user's, or no folder; else errno's. */
int kept_ready(char ret[PATH_MAX], bool make);

/* A file that gets its name when it is complete. */
struct kept_file {
  char path[PATH_MAX];
  FILE *stream;
};

/* Readable by this user alone, and locked.  Errors leave nothing behind. */
int kept_open(struct kept_file *f);
/* Also removes the oldest beyond KEPT_MAX; without `whole`, removes the
 * file. */
void kept_close(struct kept_file *f, bool whole);

/* The next unfinished file of a dead process.  Begin with "".  End with
 * kept_close(), or close the stream. */
bool kept_orphan(struct kept_file *f, struct kept_name *last);

/* Newest first.  The caller frees *ret; NULL: none. */
size_t kept_list(const char *folder, struct kept_name **ret);

/* 1: the last.  False: not a result's number. */
bool kept_path(const char *number, char ret[PATH_MAX]);
/* Or the path of a kept result, in `room`. */
const char *kept_or_file(const char *name, char room[PATH_MAX]);

#endif
