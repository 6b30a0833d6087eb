/*
 * steps.h - decides which thread does what next while tables are loaded (for
 * src/load only).
 *
 * The state of a table changes with the steps that threads take and end. The
 * thread that has taken a step does its work; while it creates a table, it owns
 * the table's chunks.
 */
#ifndef BENCH_LOAD_STEPS_H
#define BENCH_LOAD_STEPS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "load/chunks.h"

enum table_state {
  TABLE_NEW,
  TABLE_CREATING,
  TABLE_LOADING,
  TABLE_FINISHING,
  TABLE_DONE,
  TABLE_FAILED,
};

struct table {
  enum table_state state;
  unsigned busy; /* threads that load a chunk */
  struct chunks chunks;
};

/* The state of one thread. */
struct turn {
  bool one_writer; /* its database has one writer at a time */
  uint64_t at;     /* index of the table of the last step */
};

struct steps {
  uint64_t tables; /* constant */

  pthread_mutex_t lock; /* protects the rest */
  pthread_cond_t changed;
  bool stopped, broken;
  /* With one writer: the thread that writes.  It stays the same, because
   * rows that another connection has written make the cache of this one
   * worthless. */
  const struct turn *writer;
  uint64_t done;       /* tables before it are done */
  uint64_t begun;      /* tables from it on are new */
  struct table *table; /* owned; [tables] */
};

/* Returns -ENOMEM, and then steps_done() is not needed.  `s` was zeroed. */
int steps_init(struct steps *s, uint64_t tables);
void steps_done(struct steps *s);

/* Any thread may call: no more steps are given out. */
void steps_stop(struct steps *s);
bool steps_are_stopped(struct steps *s);

/* How much of each table is loaded: ret[tables].  False: the lock is not
 * free. */
bool steps_percents(struct steps *s, unsigned *ret);

/* How many tables are finished.  False: the lock is not free. */
bool steps_finished(struct steps *s, uint64_t *ret);

enum pick {
  PICK_WAIT, /* never returned */
  PICK_END,
  PICK_STOPPED,
  PICK_CHUNK, /* this one and those below concern the table t->at */
  PICK_CREATE,
  PICK_FINISH,
};

/* Take the next step; waits until there is one.  *ret is set for PICK_CHUNK,
 * which ends with steps_end_chunk().  The others that concern a table end with
 * steps_end(). */
enum pick steps_take(struct steps *s, struct turn *t, struct chunk *ret);
void steps_end(struct steps *s, const struct turn *t, enum table_state state);
void steps_end_chunk(struct steps *s, const struct turn *t, bool loaded);

#endif
