/*
 * chunks.h - a table as a sequence of chunks: the rows in each, and which of
 * them are already in the table.
 *
 * If a key of a table has several rows (kind.h), a row here is a key.
 *
 * One connection loads a chunk in one transaction, so after an interruption a
 * table consists of whole chunks.
 */
#ifndef BENCH_LOAD_CHUNKS_H
#define BENCH_LOAD_CHUNKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  CHUNK_MIN = 5000,
  CHUNK_MAX = 50000,
  CHUNKS_MAX = 1 << 20, /* of a table; for more rows, chunks get larger */
  /* The upper limit for every table, because a user who interrupts a load waits
   * for a chunk. */
  CHUNK_LONGEST = 1 << 21,
};

enum chunk_state {
  CHUNK_EMPTY,
  CHUNK_PARTIAL, /* some of its rows are in the table, and have to be deleted
                    first */
  CHUNK_FULL,
};

struct chunks {
  uint64_t size;  /* rows of the table */
  uint64_t rows;  /* rows of a chunk; the last one may have fewer */
  uint64_t count; /* of chunks */
  uint64_t next;  /* no chunk before this one is left */
  uint64_t step;  /* from one chunk of this rank to its next one */
  uint8_t *state; /* owned; enum chunk_state; NULL: all are empty */
};

/* The rows of the chunk number `n`: ids first..last. */
struct chunk {
  uint64_t n, first, last;
  bool partial;
};

/* Make chunks for so many threads; `rows` is their size unless it is 0. */
void chunks_init(struct chunks *c, uint64_t size, unsigned threads,
                 uint64_t rows);
void chunks_done(struct chunks *c);

/* Share the chunks with other ranks: only those numbered part, part + parts,
 * ... are left for this one.  Call it before a chunk is taken. */
void chunks_share(struct chunks *c, unsigned part, unsigned parts);

/*
 * The table has `rows` of the rows first .. first + c->rows - 1, where `first`
 * is the first row of a chunk.  Returns -ENOMEM; or -EINVAL: there is no such
 * chunk, or it has fewer rows.
 */
int chunks_found(struct chunks *c, uint64_t first, uint64_t rows);

/* Chunk number n, which is less than c->count. */
struct chunk chunks_at(const struct chunks *c, uint64_t n);
/* The same as chunks_found() for a table where a key has several rows. */
int chunks_set(struct chunks *c, uint64_t n, enum chunk_state state);

/* Take the next chunk that is not full; false: none is left. */
bool chunks_take(struct chunks *c, struct chunk *ret);
bool chunks_left(struct chunks *c);

/* The number of rows in the chunks of this rank, and in those among them that
 * are full.  Call it before a chunk is taken. */
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
