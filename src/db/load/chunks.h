/*
 * chunks.h - a table as a sequence of chunks.  Where a key has several rows
 * (kind.h), a row here is a key.
 *
 * One transaction loads a chunk: an interrupted table has whole chunks.
 */
#ifndef BENCH_LOAD_CHUNKS_H
#define BENCH_LOAD_CHUNKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  CHUNK_MIN = 5000,
  CHUNK_MAX = 50000,
  CHUNKS_MAX = 1 << 20, /* per table; else chunks are larger */
  /* Limits the wait of a user who interrupts a load. */
  CHUNK_LONGEST = 1 << 21,
};

enum chunk_state {
  CHUNK_EMPTY,
  CHUNK_PARTIAL, /* rows have to be deleted first */
  CHUNK_FULL,
};

struct chunks {
  uint64_t size;
  uint64_t rows; /* rows of each chunk but the last */
  uint64_t count;
  uint64_t next;  /* no earlier chunk is left */
  uint64_t step;  /* to this rank's next chunk */
  uint8_t *state; /* owned; enum chunk_state; NULL: all empty */
};

struct chunk {
  uint64_t n, first, last;
  bool partial;
};

/* `rows`: the size of chunks; 0: by the number of threads. */
void chunks_init(struct chunks *c, uint64_t size, unsigned threads,
                 uint64_t rows);
void chunks_done(struct chunks *c);

/* This rank has the chunks part, part + parts, ...  Before a chunk is taken. */
void chunks_share(struct chunks *c, unsigned part, unsigned parts);

/* `rows` rows of the chunk from `first` are in the table. -ENOMEM; -EINVAL: no
 * such chunk, or a shorter one. */
int chunks_found(struct chunks *c, uint64_t first, uint64_t rows);

struct chunk chunks_at(const struct chunks *c, uint64_t n);
/* The same for keys with several rows. */
int chunks_set(struct chunks *c, uint64_t n, enum chunk_state state);

/* Takes the next chunk that needs rows; false: there is no other. */
bool chunks_take(struct chunks *c, struct chunk *ret);
bool chunks_left(struct chunks *c);

/* Rows in chunks of this rank, and in the full ones.  Before a chunk is
 * taken. */
uint64_t chunks_rows(const struct chunks *c);
uint64_t chunks_rows_there(const struct chunks *c);

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
  unsigned busy; /* threads with a chunk */
  struct chunks chunks;
};

/* One thread's. */
struct turn {
  bool one_writer; /* in its database */
  uint64_t at;     /* table of the last step */
};

struct steps {
  uint64_t tables; /* constant */

  pthread_mutex_t lock; /* protects the rest */
  pthread_cond_t changed;
  bool stopped, broken;
  /* The thread that writes, with one writer: always the same, because rows of
   * another connection make its cache worthless. */
  const struct turn *writer;
  uint64_t done;       /* earlier tables are done */
  uint64_t begun;      /* later tables are new */
  struct table *table; /* owned; [tables] */
};

/* `s` was zeroed. -ENOMEM: nothing to free. */
int steps_init(struct steps *s, uint64_t tables);
void steps_done(struct steps *s);

/* Any thread: ends the steps. */
void steps_stop(struct steps *s);
bool steps_are_stopped(struct steps *s);

/* ret[tables]: how much is loaded.  False: the lock is taken. */
bool steps_percents(struct steps *s, unsigned *ret);

/* False: the lock is taken. */
bool steps_finished(struct steps *s, uint64_t *ret);

enum pick {
  PICK_WAIT, /* never returned */
  PICK_END,
  PICK_STOPPED,
  PICK_CHUNK, /* a chunk of table t->at */
  PICK_CREATE,
  PICK_FINISH,
};

/* WAITS for a step.  PICK_CHUNK sets *ret and ends with steps_end_chunk(), the
 * other steps of a table with steps_end(). */
enum pick steps_take(struct steps *s, struct turn *t, struct chunk *ret);
void steps_end(struct steps *s, const struct turn *t, enum table_state state);
void steps_end_chunk(struct steps *s, const struct turn *t, bool loaded);

#endif
