/*
 * load.h - tables filled by several threads at once.
 *
 * Each thread asks for its next step again and again.  Rows are loaded within
 * that call, chunk by chunk.  A step for the caller concerns a whole table (to
 * create it, or to finish it with indexes), and the caller reports its end.  A
 * thread without a table begins a new one.  If none is left, it helps with the
 * table at which the fewest threads work.  After a failure no new tables are
 * begun, and those that other threads have begun are completed.
 */
#ifndef BENCH_LOAD_LOAD_H
#define BENCH_LOAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "load/kind.h"
#include "load/send.h"

struct conn;
struct err;
struct load;
struct loader;
struct strbuf;

/* All zeroes: there are no other ranks. */
struct load_share {
  unsigned part, parts; /* of the ranks at this table; number 0 creates it */
  /* They are the voters numbered first, first + step, ... of `voters`. */
  unsigned first, step, voters;
  void *ctx;
  /* Each rank learns the words of all, all[voters]; waits for all of them. A
   * rank that will not come has the word UINT8_MAX. */
  void (*vote)(void *ctx, unsigned char own, unsigned char *all);
};

struct load_setup {
  unsigned threads; /* about as many will take part */
  const struct kind *kind;
  struct kind_args args;
  enum load_method method;
  uint64_t first_table, tables; /* numbers first_table .. + tables - 1 */
  /* Other ranks may load the same table, or others, at the same time.  If they
   * load the same one, this rank has only one. */
  struct load_share share;
};

int load_new(struct load **ret, const struct load_setup *setup,
             struct err *err);
/* Call it after all loaders are freed. */
void load_free(struct load *l);

/* Any thread may call: no more chunks and steps are given out. */
void load_stop(struct load *l);
bool load_is_stopped(struct load *l);
/* After a stop or a failure: add how much was loaded to the line.  Returns
 * false if this load has loaded nothing. */
bool load_summary(struct load *l, struct strbuf *line);

/* The command is over: no more lines of progress.  If everything was loaded
 * (`complete`), the sum is printed. */
void load_end(struct load *l, bool complete);

/* Make the data of one thread; NULL: not enough memory. */
struct loader *loader_new(struct load *l, struct conn *c);
void loader_free(struct loader *t);

enum load_step {
  LOAD_END,     /* nothing is left to do */
  LOAD_STOPPED, /* load_stop() was called */
  LOAD_CREATE,  /* create a table, then loader_created() */
  LOAD_FINISH,  /* all rows of a table are there; then loader_finished() */
};

/* Take the next step; *ret_table is its table.  Negative: loading rows has
 * failed; `err` names the table and the chunk. */
int loader_next(struct loader *t, uint64_t *ret_table, struct err *err);

/* The name of the table of the last step. */
const char *loader_table(struct loader *t);

enum load_origin {
  LOAD_FRESH,  /* the table is empty */
  LOAD_RESUME, /* it may have rows of an earlier load */
  LOAD_LEAVE,  /* the table must not be changed */
};

/* The table of the last step is ready for rows.  After a failure it is given
 * up. */
int loader_created(struct loader *t, enum load_origin origin, struct err *err);
void loader_finished(struct loader *t);
/* The step has failed. */
void loader_failed(struct loader *t);

/*
 * Compare an estimate of the size of all tables of the load with the free space
 * of the database's folder, if the database reports one.  Returns -ENOSPC if
 * they do not fit, and 0 if they do, or if it is unknown.
 */
int load_room_for_tables(struct conn *c, const struct load_setup *setup,
                         struct err *err);

#endif
