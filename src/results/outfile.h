/*
 * outfile.h - files of results.  They are opened before the run, so that a file
 * that cannot be written is noticed before anything starts.
 *
 * Errors name the file.  "-" and other names may mean the standard output: see
 * outname.h.
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

/* Make the message for lack of memory; returns -ENOMEM. */
int results_no_memory(struct err *err);

/* How long the end of a run waits for a reader that takes nothing from a
 * file. */
#define OUTFILE_PATIENCE_NS (5 * NS_PER_S)

/* The state of a thread between outfile_hold() and outfile_release(). */
struct outfile_hold {
  bool held;
  sigset_t before; /* the thread's mask */
};

/*
 * Call these around writes.  In between, a pipe whose reader has gone causes an
 * error (EPIPE) and not SIGPIPE: the file ends with its reader, and the run
 * goes on.  This does not apply to results on the standard output, because its
 * reader ends programs in that way.  outfile_release() keeps errno.
 */
void outfile_hold(struct outfile_hold *h, bool is_stdout);
void outfile_release(const struct outfile_hold *h);

/*
 * A file that grows during the run.  One thread at a time works on it, and
 * stays inside as long as the reader takes nothing.
 */
struct outfile {
  const char *name; /* borrowed */
  FILE *stream;     /* NULL: not open */
  bool is_stdout;
  struct strbuf put;      /* not written yet */
  _Atomic uint32_t phase; /* enum phase of outfile.c */
};

/* Open the file.  The standard output gets a stream of its own, so that other
 * code that writes there is not blocked by it. */
int outfile_open(struct outfile *f, const char *name, struct err *err);
/* Write, and flush to the system at once.  Returns -ECANCELED, without a
 * message, if the thread was left behind; it may touch nothing any more. */
int outfile_write(struct outfile *f, const void *bytes, size_t len,
                  struct err *err);
/* The same in two steps.  The first one only stores the bytes, and fails if
 * there is no memory. */
int outfile_put(struct outfile *f, const void *bytes, size_t len,
                struct err *err);
int outfile_flush(struct outfile *f, struct err *err);
/* Flush what was put, and close.  Does nothing if the file was never opened, or
 * was left to a thread. */
int outfile_close(struct outfile *f, struct err *err);

/*
 * Give up the file if a thread is inside outfile_write(); false: none is.  What
 * that thread did before is visible here.  It goes on using the file and what
 * it writes, so the caller does not touch them again and calls leave_thread().
 */
bool outfile_leave(struct outfile *f);
bool outfile_is_left(const struct outfile *f);
/* Make the message about such a file; returns -ETIMEDOUT. */
int outfile_tell_left(const struct outfile *f, struct err *err);

/*
 * A file that is either complete or not there.  It is written beside its place
 * and moved there in one step, with the rights of the older one.  A name that
 * is not a regular file, or is open already, is written directly.  So is, at
 * the end, a file that can be written but not replaced, if a file can be made
 * beside it.
 */
struct whole_file {
  const char *name; /* borrowed */
  char *place;      /* owned; the place of the file, after following links */
  char *beside;     /* owned; NULL: written directly */
  FILE *stream;     /* NULL: not open */
};

/* Can the file be written?  Nothing is left on disk, and `f` is all 0.  But a
 * pipe or a device stays open in it, because its reader takes a close for the
 * end. */
int whole_file_probe(struct whole_file *f, const char *name, struct err *err);

/* Open a file that was probed, unless whole_file_probe() has left it open. */
int whole_file_open(struct whole_file *f, const char *name, struct err *err);
/* Call outfile_hold() around writes to the stream, with this function. */
void whole_file_hold(const struct whole_file *f, struct outfile_hold *h);
/* Move the file to its place.  After a failure nothing is left of it, or the
 * message says where the complete file is.  Ends `f`. */
int whole_file_commit(struct whole_file *f, struct err *err);
/* Remove what was written.  Ends `f`. */
void whole_file_abort(struct whole_file *f);

#endif
