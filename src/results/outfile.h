/*
 * outfile.h - files of results, opened before the run so that errors come
 * first.
 *
 * Errors name the file.
 */
#ifndef BENCH_RESULTS_OUTFILE_H
#define BENCH_RESULTS_OUTFILE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/strbuf.h"

struct err;

/* Returns -ENOMEM. */
int results_no_memory(struct err *err);

/* At the end of a run, for a reader that takes nothing. */
#define OUTFILE_PATIENCE_NS (5 * NS_PER_S)

struct outfile_hold {
  bool held;
  sigset_t before; /* of the thread */
};

/*
 * Around writes: a pipe without a reader gives EPIPE instead of SIGPIPE, and
 * the run goes on. Not for the standard output, whose reader ends programs that
 * way. outfile_release() keeps errno.
 */
void outfile_hold(struct outfile_hold *h, bool is_stdout);
void outfile_release(const struct outfile_hold *h);

/* A file that grows during the run.  One thread at a time uses it, and stays
 * inside while the reader takes nothing. */
struct outfile {
  const char *name; /* borrowed */
  FILE *stream;     /* NULL: closed */
  bool is_stdout;
  struct strbuf put;      /* pending */
  _Atomic uint32_t phase; /* enum phase */
};

/* The standard output gets its own stream, so that other writers are not
 * blocked. */
int outfile_open(struct outfile *f, const char *name, struct err *err);
/* Writes and flushes.  -ECANCELED, without a message: the thread was left
 * behind and must touch nothing. */
int outfile_write(struct outfile *f, const void *bytes, size_t len,
                  struct err *err);
/* outfile_put() only stores the bytes, and fails without memory. */
int outfile_put(struct outfile *f, const void *bytes, size_t len,
                struct err *err);
int outfile_flush(struct outfile *f, struct err *err);
/* Flushes and closes, unless never opened or left to a thread. */
int outfile_close(struct outfile *f, struct err *err);

/*
 * Leaves the file to a thread inside outfile_write(), whose earlier writes are
 * visible here; false: no thread is inside.  The thread still uses the file:
 * the caller calls leave_thread() and touches it no more.
 */
bool outfile_leave(struct outfile *f);
bool outfile_is_left(const struct outfile *f);
/* Returns -ETIMEDOUT. */
int outfile_tell_left(const struct outfile *f, struct err *err);

/*
 * A file that is complete or absent: written next to its place and renamed,
 * with the rights of the old file.  Written directly: names of open or other
 * than regular files; at the end, files that cannot be replaced.
 */
struct whole_file {
  const char *name; /* borrowed */
  char *place;      /* owned; links are followed */
  char *beside;     /* owned; NULL: written directly */
  FILE *stream;     /* NULL: closed */
};

/* Can the file be written?  Leaves nothing on disk and `f` all 0, but keeps
 * pipes and devices open, because a close is the end for their readers. */
int whole_file_probe(struct whole_file *f, const char *name, struct err *err);

int whole_file_open(struct whole_file *f, const char *name, struct err *err);
/* Instead of outfile_hold(). */
void whole_file_hold(const struct whole_file *f, struct outfile_hold *h);
/* Moves the file to its place.  On failure nothing is left, or the message
 * names the complete file.  Ends `f`. */
int whole_file_commit(struct whole_file *f, struct err *err);
/* Removes the file.  Ends `f`. */
void whole_file_abort(struct whole_file *f);

#endif
