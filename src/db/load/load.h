/*
 * load.h - several threads fill tables.
 *
 * Each thread asks for its next step; that call loads rows.  In the other steps
 * the caller creates or finishes a whole table.  A thread without a table
 * begins a new one, or helps where the fewest threads work.  After a failure no
 * table is begun, and those begun are completed.
 */
#ifndef BENCH_LOAD_LOAD_H
#define BENCH_LOAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "db/load/kind.h"
#include "db/load/send.h"

struct conn;
struct driver;
struct err;
struct load;
struct loader;
struct strbuf;

/* All 0: there are no other ranks. */
struct load_share {
  unsigned part, parts; /* of the ranks at this table; number 0 creates it */
  /* They are voters first, first + step, ... of `voters`. */
  unsigned first, step, voters;
  void *ctx;
  /* WAITS for the words of all voters, all[voters].  An absent rank has
   * UINT8_MAX. */
  void (*vote)(void *ctx, unsigned char own, unsigned char *all);
};

struct load_setup {
  unsigned threads; /* estimate */
  const struct kind *kind;
  struct kind_args args;
  enum load_method method;
  uint64_t first_table, tables;
  uint64_t rows_max; /* of a transaction, about; 0: no limit */
  /* Where ranks share a table, this rank has no other. */
  struct load_share share;
};

int load_new(struct load **ret, const struct load_setup *setup,
             struct err *err);
/* After all loaders. */
void load_free(struct load *l);

/* Any thread: ends chunks and steps. */
void load_stop(struct load *l);
bool load_is_stopped(struct load *l);
/* After a stop or a failure: how much was loaded.  False: this load did
 * nothing. */
bool load_summary(struct load *l, struct strbuf *line);

/* Ends the progress; `complete`: prints the sum. */
void load_end(struct load *l, bool complete);

/* One thread's; NULL: no memory. */
struct loader *loader_new(struct load *l, struct conn *c);
void loader_free(struct loader *t);

enum load_step {
  LOAD_END,
  LOAD_STOPPED,
  LOAD_CREATE, /* then loader_created() */
  LOAD_FINISH, /* has all rows; then loader_finished() */
};

/* *ret_table is the table of the step.  Negative: rows failed; `err` names
 * table and chunk. */
int loader_next(struct loader *t, uint64_t *ret_table, struct err *err);

/* Of the last step. */
const char *loader_table(struct loader *t);

enum load_origin {
  LOAD_FRESH,
  LOAD_RESUME, /* can have rows of an earlier load */
  LOAD_LEAVE,  /* must not be changed */
};

/* The table of the last step is ready for rows.  A failure gives the table
 * up. */
int loader_created(struct loader *t, enum load_origin origin, struct err *err);
void loader_finished(struct loader *t);
void loader_failed(struct loader *t);

/* Estimate, with indexes. */
uint64_t load_bytes(const struct load_setup *s, const struct driver *d);

/* Compares load_bytes() with the free space of the database's
 * folder. -ENOSPC: too large; 0 if unknown. */
int load_room_for_tables(struct conn *c, const struct load_setup *setup,
                         struct err *err);

#endif
