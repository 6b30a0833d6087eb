/*
 * outfile.h - files of results: opened before the run, so that one that cannot
 * be written is noticed before anything starts.
 *
 * Errors name the file.  "-" and the like are the standard output: see
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

/* How long the end of a run waits for somebody who takes nothing of what is
 * written to a file. */
#define OUTFILE_PATIENCE_NS (5 * NS_PER_S)

/* Of a thread that writes to a file: see outfile_hold(). */
struct outfile_hold {
  bool held;
  sigset_t before; /* the thread's mask */
};

/*
 * In between, a pipe whose reader has gone is an error (EPIPE) and no SIGPIPE:
 * the file ends with its reader, and the run goes on.  Not so with the standard
 * output, by which readers end programs.  Releasing keeps errno.
 */
void outfile_hold(struct outfile_hold *h, bool is_stdout);
void outfile_release(const struct outfile_hold *h);

/*
 * A file that grows while the run goes on.  One thread at a time works on it,
 * and stays inside for as long as nobody takes what it writes.
 */
struct outfile {
  const char *name; /* borrowed */
  FILE *stream;     /* NULL: not open */
  bool is_stdout;
  struct strbuf put;      /* not written yet */
  _Atomic uint32_t phase; /* enum phase of outfile.c */
};

/* The standard output gets a stream of its own, so that nobody else who writes
 * there can be held up by it. */
int outfile_open(struct outfile *f, const char *name, struct err *err);
/* Write, and hand it to the system at once.  -ECANCELED, without a message:
 * the thread was left behind, and may touch nothing any more. */
int outfile_write(struct outfile *f, const void *bytes, size_t len,
                  struct err *err);
/* The same in two steps.  The first one only keeps the bytes, and fails when
 * there is no memory. */
int outfile_put(struct outfile *f, const void *bytes, size_t len,
                struct err *err);
int outfile_flush(struct outfile *f, struct err *err);
/* With what was put.  Also of a file that was never opened.  One that was left
 * stays as it is. */
int outfile_close(struct outfile *f, struct err *err);

/*
 * Give up the file if a thread is inside outfile_write(); false: none is.  What
 * that thread did before is visible here.  It goes on using the file and what
 * it writes, so the caller does not touch them again and calls leave_thread().
 */
bool outfile_leave(struct outfile *f);
bool outfile_is_left(const struct outfile *f);
/* The message about such a file; returns -ETIMEDOUT. */
int outfile_tell_left(const struct outfile *f, struct err *err);

/*
 * A file that is complete or not there: it is written beside its place and
 * put there in one step, with the rights of the older one.  What is no regular
 * file, or open already, is written directly; so is, in the end, a file that
 * can be written but not replaced, if a file can be made beside it.
 */
struct whole_file {
  const char *name; /* borrowed */
  char *place;      /* owned; that of the file, when links were followed */
  char *beside;     /* owned; NULL: written directly */
  FILE *stream;     /* NULL: not open */
};

/* Can it be written?  Leaves nothing behind, and `f` all 0; but a pipe or a
 * device stays open in it, because who reads a pipe takes a close for the
 * end. */
int whole_file_probe(struct whole_file *f, const char *name, struct err *err);

/* When it was probed: only if that has not left it open. */
int whole_file_open(struct whole_file *f, const char *name, struct err *err);
/* Who writes to the stream holds: see outfile_hold(). */
void whole_file_hold(const struct whole_file *f, struct outfile_hold *h);
/* Put it in its place.  After a failure nothing of it is left, or it is
 * complete beside its place, where the message says.  Ends `f`. */
int whole_file_commit(struct whole_file *f, struct err *err);
/* Give it up. */
void whole_file_abort(struct whole_file *f);

#endif
