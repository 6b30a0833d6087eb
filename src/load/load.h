/*
 * load.h - tables filled by several threads at once.
 *
 * Each thread asks for its next step again and again.  Rows are loaded within
 * that call, chunk by chunk; what belongs to a table as a whole (to create it,
 * to finish it with indexes) is a step for the caller, who tells when it is
 * done.  A thread that is without a table begins a new one; when none is left,
 * it helps where the fewest are at work.
 *
 * After a failure no new tables are begun, and those that other threads have
 * begun are completed.
 */
#ifndef BENCH_LOAD_LOAD_H
#define BENCH_LOAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "load/send.h"
#include "load/share.h"

struct conn;
struct err;
struct load;
struct loader;
struct rand_params;
struct strbuf;

struct load_setup {
  unsigned threads; /* that will take part, about */
  uint64_t seed;
  const struct rand_params *params; /* borrowed */
  enum load_method method;
  uint64_t first_table, tables; /* numbers first_table .. + tables - 1 */
  uint64_t size;                /* rows of each */
  /* Other processes load the same table or others at the same time: then this
   * one has only one. */
  struct load_share share;
};

int load_new(struct load **ret, const struct load_setup *setup,
             struct err *err);
/* After all loaders. */
void load_free(struct load *l);

/* From any thread: no further chunks and steps are given out. */
void load_stop(struct load *l);
bool load_is_stopped(struct load *l);
/* After a stop: how much has been loaded, one line. */
void load_summary(struct load *l, struct strbuf *line);

/* The command is over: no more lines of progress.  complete: all is loaded;
 * then the sum is printed. */
void load_end(struct load *l, bool complete);

/* What a thread has; NULL: not enough memory. */
struct loader *loader_new(struct load *l, struct conn *c);
void loader_free(struct loader *t);

enum load_step {
  LOAD_END,     /* nothing is left to do */
  LOAD_STOPPED, /* somebody has called load_stop() */
  LOAD_CREATE,  /* create a table, then loader_created() */
  LOAD_FINISH,  /* all its rows are there; then loader_finished() */
};

/* The next step, and its table.  Negative: loading rows has failed; `err`
 * names the table and the chunk. */
int loader_next(struct loader *t, uint64_t *ret_table, struct err *err);

enum load_origin {
  LOAD_FRESH,  /* the table is empty */
  LOAD_RESUME, /* rows of an earlier load may be there */
  LOAD_LEAVE,  /* the table is to be left alone */
};

/* The table of the last step can take rows.  After a failure it is given up. */
int loader_created(struct loader *t, enum load_origin origin, struct err *err);
void loader_finished(struct loader *t);
/* The step has failed. */
void loader_failed(struct loader *t);

#endif
