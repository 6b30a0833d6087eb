/*
 * outfile.h - files of results: opened before the run, so that one that cannot
 * be written is noticed before anything starts.
 *
 * Errors name the file.  "-" and the like are the standard output: see
 * outname.h.
 */
#ifndef BENCH_RESULTS_OUTFILE_H
#define BENCH_RESULTS_OUTFILE_H

#include <stddef.h>
#include <stdio.h>

struct err;

/* A file that grows while the run goes on. */
struct outfile {
  const char *name; /* borrowed */
  FILE *stream;     /* NULL: not open */
};

int outfile_open(struct outfile *f, const char *name, struct err *err);
/* Write, and hand it to the system at once. */
int outfile_write(struct outfile *f, const void *bytes, size_t len,
                  struct err *err);
/* Write; a failure may come later. */
int outfile_put(struct outfile *f, const void *bytes, size_t len,
                struct err *err);
/* Also of a file that was never opened. */
int outfile_close(struct outfile *f, struct err *err);

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

/* Can it be written?  Leaves nothing behind. */
int whole_file_probe(const char *name, struct err *err);

int whole_file_open(struct whole_file *f, const char *name, struct err *err);
/* Put it in its place.  After a failure nothing of it is left, or it is
 * complete beside its place, where the message says.  Ends `f`. */
int whole_file_commit(struct whole_file *f, struct err *err);
/* Give it up. */
void whole_file_abort(struct whole_file *f);

#endif
